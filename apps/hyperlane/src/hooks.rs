//! What is done with the answer of every route, and with a request that reaches none.

use hyperlane::{CONTENT_TYPE, Context, RequestError, Server, ServerHook, Status, Stream, TEXT_PLAIN};

/// For a server by hand. What an attribute registers in a library would be registered in all that use it.
pub fn register(server: &mut Server) {
    server.response_middleware::<Send>().request_error::<Malformed>();
}

/// Routes fill in the response; as in the quick start, one hook behind all of them sends it.
struct Send;

impl ServerHook for Send {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, stream: &mut Stream, ctx: &mut Context) -> Status {
        send(stream, ctx).await
    }
}

/// Without a hook for them, such requests are not answered.
struct Malformed(RequestError);

impl ServerHook for Malformed {
    async fn new(_: &mut Stream, ctx: &mut Context) -> Self {
        Self(ctx.try_get_request_error_data().unwrap_or_default())
    }

    async fn handle(self, stream: &mut Stream, ctx: &mut Context) -> Status {
        ctx.get_mut_response()
            .set_status_code(self.0.get_http_status_code())
            .set_header(CONTENT_TYPE, TEXT_PLAIN)
            .set_body(self.0.to_string());
        send(stream, ctx).await
    }
}

/// Sends the response as it is filled in.
pub async fn send(stream: &mut Stream, ctx: &mut Context) -> Status {
    if stream.try_send(ctx.get_mut_response().build()).await.is_err() {
        stream.set_closed(true);
        return Status::Reject;
    }
    Status::Continue
}
