//! Files of a folder.

use std::path::Path;

use volo_http::{
    http::StatusCode,
    response::Response,
    server::{IntoResponse as _, middleware::map_response, route::Router, utils::ServeDir},
};

/// The files of a folder. Without that folder, making their service would be a panic.
pub fn served(folder: &Path) -> Router {
    if folder.is_dir() {
        Router::new()
            .nest_service("/static/", ServeDir::new(folder))
            .layer(map_response(not_there))
    } else {
        Router::new()
    }
}

/// Its own answer to a path that leaves the folder reveals whether there is such a file.
async fn not_there(answer: Response) -> Response {
    if answer.status() == StatusCode::FORBIDDEN {
        return StatusCode::NOT_FOUND.into_response();
    }
    answer
}
