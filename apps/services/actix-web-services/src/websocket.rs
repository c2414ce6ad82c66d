//! A connection on which each message comes back.

use actix_web::{HttpRequest, Responder, Result, error::ErrorBadRequest, rt, web::Payload};
use actix_ws::{AggregatedMessage, AggregatedMessageStream, Closed, Session};

/// As in its example. By itself it takes 64 KiB at most.
const MAX_FRAME_BYTES: usize = 128 * 1024;

pub async fn echo(request: HttpRequest, body: Payload) -> Result<impl Responder> {
    // Its own answer to what is no handshake has no body.
    let (response, session, messages) = actix_ws::handle(&request, body).map_err(ErrorBadRequest)?;
    let messages = messages.max_frame_size(MAX_FRAME_BYTES).aggregate_continuations();
    // A connection that breaks is the client's affair.
    rt::spawn(async move { send_back(session, messages).await.ok() });
    Ok(response)
}

async fn send_back(mut session: Session, mut messages: AggregatedMessageStream) -> Result<(), Closed> {
    while let Some(Ok(message)) = messages.recv().await {
        match message {
            AggregatedMessage::Text(text) => session.text(text).await?,
            AggregatedMessage::Binary(bytes) => session.binary(bytes).await?,
            AggregatedMessage::Ping(bytes) => session.pong(&bytes).await?,
            AggregatedMessage::Pong(_) => {}
            AggregatedMessage::Close(reason) => return session.close(reason).await,
        }
    }
    session.close(None).await
}
