//! xitca-web's own answers to what goes wrong have no body.

use std::{mem, pin::pin};

use xitca_web::{
    WebContext,
    body::{BodyExt as _, RequestBody, ResponseBody},
    error::{BodyOverFlow, Error, ErrorStatus},
    http::{StatusCode, WebResponse},
    service::Service,
};

/// How much of a refused body is read before it is answered. xitca-web closes a connection whose request it has not read
/// to the end, and a client that is still sending then finds a broken connection in place of its answer.
const MAX_DISCARDED_BYTES: usize = 16 * 1024 * 1024;

pub async fn with_body<S>(service: &S, mut ctx: WebContext<'_>) -> Result<WebResponse, Error>
where
    S: for<'r> Service<WebContext<'r>, Response = WebResponse, Error = Error>,
{
    let error = match service.call(ctx.reborrow()).await {
        Ok(response) => return Ok(response),
        Err(error) => error,
    };
    discard(mem::take(ctx.body_get_mut())).await;
    let mut response = error.call(ctx).await?;
    *response.body_mut() = ResponseBody::from(error.to_string());
    let kind = error.upcast();
    if kind.is::<BodyOverFlow>() {
        // Else 400.
        *response.status_mut() = StatusCode::PAYLOAD_TOO_LARGE;
    } else if response.status().is_server_error() && !kind.is::<ErrorStatus>() {
        // A body that cannot be read, which xitca-web takes upon itself.
        *response.status_mut() = StatusCode::BAD_REQUEST;
    }
    Ok(response)
}

async fn discard(body: RequestBody) {
    let mut body = pin!(body);
    let mut discarded = 0;
    while discarded < MAX_DISCARDED_BYTES {
        let Some(Ok(data)) = body.as_mut().data().await else {
            return;
        };
        discarded += data.len();
    }
}
