//! Files of a folder.

use std::path::Path;

use tako::{router::Router, r#static::ServeDir, types::Request};

const BELOW: &str = "/static";
/// Whatever is below it.
const PATH: &str = "/static/{*path}";

/// Routes leave the path of a request as it is, and `ServeDir` looks for the whole of it in its folder.
pub fn add_files(router: &mut Router, folder: &Path) {
    let folder = ServeDir::builder(folder).build();
    router.get(PATH, move |mut request: Request| async move {
        if let Some(Ok(path)) = request.uri().path().strip_prefix(BELOW).map(str::parse) {
            *request.uri_mut() = path;
        }
        folder.handle(request).await
    });
}
