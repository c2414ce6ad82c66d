//! What Thruster leaves to the app: it reads a body of any type and of any size.

use contract::MAX_BODY_BYTES;
use hyper::{
    Body, Request,
    body::{Bytes, HttpBody},
};
use thruster::{
    BasicHyperContext as Ctx, Context, HyperRequest, MiddlewareNext, MiddlewareResult, errors::ThrusterError,
    middleware_fn,
};

/// How much of a refused body is read before it is answered. hyper closes a connection whose request it has not read to
/// the end, and a client that is still sending then finds a broken connection in place of its answer.
const MAX_DISCARDED_BYTES: usize = 16 * 1024 * 1024;

/// Lets no larger body pass.
#[middleware_fn]
pub async fn limited(mut context: Ctx, next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    let Some(request) = context.hyper_request.take() else {
        return Err(refusal(context, 500, "the request is gone"));
    };
    let (head, body) = request.request.into_parts();
    match read(body).await {
        Ok(bytes) => {
            context.hyper_request = Some(HyperRequest {
                request: Request::from_parts(head, bytes.into()),
                ..request
            });
            next(context).await
        }
        Err((status, text)) => Err(refusal(context, status, &text)),
    }
}

/// An error of Thruster's own would have status 200.
pub fn refusal(mut context: Ctx, status: u16, text: &str) -> ThrusterError<Ctx> {
    context.status(status);
    ThrusterError {
        context,
        message: text.to_owned(),
        cause: None,
    }
}

async fn read(mut body: Body) -> Result<Bytes, (u16, String)> {
    let mut read = Bytes::new();
    while let Some(data) = body.data().await {
        let data = data.map_err(|error| (400, error.to_string()))?;
        if read.len() + data.len() > MAX_BODY_BYTES {
            discard(body).await;
            return Err((413, format!("the body is larger than {MAX_BODY_BYTES} bytes")));
        }
        // Almost every body is one piece: it is handed on as it came, without a copy.
        read = if read.is_empty() {
            data
        } else {
            [read, data].concat().into()
        };
    }
    Ok(read)
}

async fn discard(mut body: Body) {
    let mut discarded = 0;
    while discarded < MAX_DISCARDED_BYTES {
        let Some(Ok(data)) = body.data().await else { return };
        discarded += data.len();
    }
}
