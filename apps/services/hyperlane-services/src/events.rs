//! Server-sent events, as in the tests of its core: the head of a response, then each event, and the end of the connection.

use hyperlane::{
    CLOSE, CONNECTION, CONTENT_TYPE, Context, HTTP_DOUBLE_BR, ServerHook, Status, Stream, TEXT_EVENT_STREAM,
};
use hyperlane_app::{refuse, send};
use services_contract::{EVENT_EVERY, EVENTS};
use tokio::time::{Instant, interval_at};

use crate::answers::seed;

pub struct EventsRoute;

impl ServerHook for EventsRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, stream: &mut Stream, ctx: &mut Context) -> Status {
        // By the clock, and not so long after the one before: a late event does not make the next one late.
        let mut clock = interval_at(Instant::now() + EVENT_EVERY, EVENT_EVERY);
        let seed = match seed(ctx) {
            Ok(seed) => seed,
            Err(refusal) => return refuse(ctx, &refusal),
        };
        // Only the end of the connection marks the end of such a response.
        ctx.get_mut_response()
            .set_header(CONTENT_TYPE, TEXT_EVENT_STREAM)
            .set_header(CONNECTION, CLOSE);
        if send(stream, ctx).await.is_reject() {
            return Status::Reject;
        }
        for number in 1..=EVENTS {
            clock.tick().await;
            let event = services_contract::event(seed, number);
            if stream.try_send(format!("data: {event}{HTTP_DOUBLE_BR}")).await.is_err() {
                break;
            }
        }
        stream.set_closed(true);
        Status::Reject
    }
}
