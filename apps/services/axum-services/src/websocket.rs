//! A connection on which each message comes back.

use axum::extract::ws::{Message, WebSocket};

pub async fn echo(mut socket: WebSocket) {
    // A connection that breaks is the client's affair.
    while let Some(Ok(message)) = socket.recv().await {
        // Pings are answered, and an end acknowledged, by the library.
        if matches!(message, Message::Text(_) | Message::Binary(_)) && socket.send(message).await.is_err() {
            return;
        }
    }
}
