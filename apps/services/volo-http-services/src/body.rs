//! Volo-HTTP's own answers to what goes wrong have no body.

use http_body::Body as _;
use volo_http::{response::Response, server::IntoResponse as _};

pub async fn of_failure(response: Response) -> Response {
    let status = response.status();
    if status.is_client_error() && response.body().size_hint().exact() == Some(0) {
        let text = status.canonical_reason().unwrap_or("no reason");
        return (status, text).into_response();
    }
    response
}
