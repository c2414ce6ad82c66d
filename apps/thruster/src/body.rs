//! What Thruster leaves to the app: it reads a body of any type and of any size.

use contract::MAX_BODY_BYTES;
use hyper::Request;
use thruster::{
    BasicHyperContext as Ctx, Context, HyperRequest, MiddlewareNext, MiddlewareResult, errors::ThrusterError,
    middleware_fn,
};
use thruster_app::read;

/// Lets no larger body pass.
#[middleware_fn]
pub async fn limited(mut context: Ctx, next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    let Some(request) = context.hyper_request.take() else {
        return Err(refusal(context, 500, "the request is gone"));
    };
    let (head, body) = request.request.into_parts();
    match read(body, MAX_BODY_BYTES).await {
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
