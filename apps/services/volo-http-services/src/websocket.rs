//! A connection on which each message comes back.

use futures_util::{SinkExt as _, StreamExt as _};
use volo_http::{
    response::Response,
    server::utils::ws::{Message, WebSocket, WebSocketUpgrade},
};

pub async fn websocket(upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(echo)
}

async fn echo(mut socket: WebSocket) {
    // A connection that breaks is the client's affair.
    while let Some(Ok(message)) = socket.next().await {
        // Pings are answered, and an end acknowledged, by the library.
        if matches!(message, Message::Text(_) | Message::Binary(_)) && socket.send(message).await.is_err() {
            return;
        }
    }
}
