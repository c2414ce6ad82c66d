//! A connection on which each message comes back.

use futures_util::{SinkExt as _, StreamExt as _};
use viz::{
    Request, RequestExt as _, Response, Result,
    types::{Message, WebSocket, WebSocketStream},
};

pub async fn websocket(mut request: Request) -> Result<Response> {
    let upgrade: WebSocket = request.extract().await?;
    Ok(upgrade.on_upgrade(echo))
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
