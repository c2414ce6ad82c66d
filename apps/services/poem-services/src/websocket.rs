//! A connection on which each message comes back.

use futures_util::{SinkExt as _, StreamExt as _};
use poem::{
    IntoResponse, handler,
    web::websocket::{Message, WebSocket, WebSocketStream},
};

#[handler]
pub fn websocket(upgrade: WebSocket) -> impl IntoResponse {
    upgrade.on_upgrade(echo)
}

async fn echo(mut socket: WebSocketStream) {
    // A connection that breaks is the client's affair.
    while let Some(Ok(message)) = socket.next().await {
        // Pings are answered, and an end acknowledged, by the library.
        if matches!(message, Message::Text(_) | Message::Binary(_)) && socket.send(message).await.is_err() {
            return;
        }
    }
}
