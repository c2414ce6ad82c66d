//! Files of a folder.

use std::path::Path;

use viz::{HandlerExt as _, IntoResponse as _, Response, Result, Router, StatusCode, handlers::serve::Dir};

/// `router` with the files of a folder. Without that folder, making its service would be a panic.
pub fn served(router: Router, folder: &Path) -> Router {
    if folder.exists() {
        router.get("/static/*", Dir::new(folder).after(with_text))
    } else {
        router
    }
}

/// Its own answer to a file that is not there has no body.
async fn with_text(answer: Result<Response>) -> Result<Response> {
    let answer = answer.into_response();
    if answer.status() == StatusCode::NOT_FOUND {
        return Ok((StatusCode::NOT_FOUND, "no such file").into_response());
    }
    Ok(answer)
}
