//! What is wanted of bodies beyond Volo-HTTP's own answers. The server with service features has it from here.

use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use volo_http::{
    Bytes,
    body::Body,
    context::ServerContext,
    http::{StatusCode, header::CONTENT_LENGTH},
    request::Request,
    response::Response,
    server::{IntoResponse as _, middleware::Next},
};

/// How much of a refused body is read before it is answered. hyper closes a connection whose request it has not read to
/// the end, and a client that is still sending then finds a broken connection in place of its answer.
const MAX_DISCARDED_BYTES: usize = 16 * 1024 * 1024;

/// Refuses a larger body. `BodyLimitLayer` would let pass what does not say how long it is.
pub async fn limit<const MAX_BYTES: usize>(cx: &mut ServerContext, request: Request, next: Next) -> Response {
    let length = request.headers().get(CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    let (head, body) = request.into_parts();
    let body = match length {
        Some(length) if length <= MAX_BYTES => body,
        Some(_) => {
            discard(body).await;
            return too_large(MAX_BYTES);
        }
        None => match Limited::new(body, MAX_BYTES).collect().await {
            Ok(read) => read.to_bytes().into(),
            Err(error) if error.is::<LengthLimitError>() => return too_large(MAX_BYTES),
            Err(error) => return (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
        },
    };
    next.run(cx, Request::from_parts(head, body)).await.into_response()
}

async fn discard(mut body: Body) {
    let mut discarded = 0;
    while discarded < MAX_DISCARDED_BYTES {
        let Some(Ok(frame)) = body.frame().await else { return };
        discarded += frame.data_ref().map_or(0, Bytes::len);
    }
}

fn too_large(max_bytes: usize) -> Response {
    let text = format!("the body is larger than {max_bytes} bytes");
    (StatusCode::PAYLOAD_TOO_LARGE, text).into_response()
}
