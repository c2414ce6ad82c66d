//! What Thruster leaves to the app: it reads a body of any type and of any size.

use hyper::{HeaderMap, Request, header::CONTENT_TYPE};
use services_contract::MAX_BODY_BYTES;
use thruster::{
    BasicHyperContext as Ctx, Context, HyperRequest, MiddlewareNext, MiddlewareResult, errors::ThrusterError,
    middleware_fn,
};
use thruster_app::{discard, read};

/// Lets only JSON pass, and of that no more than the contract allows.
#[middleware_fn]
pub async fn small_json(mut context: Ctx, next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    let Some(request) = context.hyper_request.take() else {
        return Err(refusal(context, 500, "the request is gone"));
    };
    let (head, body) = request.request.into_parts();
    if !is_json(&head.headers) {
        discard(body).await;
        return Err(refusal(context, 415, "want content-type: application/json"));
    }
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
    context.content_type("text/plain");
    ThrusterError {
        context,
        message: text.to_owned(),
        cause: None,
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = content_type.and_then(|text| text.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}
