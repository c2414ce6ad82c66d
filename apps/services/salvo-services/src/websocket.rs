//! A connection on which each message comes back.

use salvo::{
    Request, Response, handler,
    http::StatusError,
    websocket::{WebSocket, WebSocketUpgrade},
};

#[handler]
pub async fn websocket(request: &mut Request, response: &mut Response) -> Result<(), StatusError> {
    WebSocketUpgrade::new().upgrade(request, response, echo).await
}

async fn echo(mut socket: WebSocket) {
    // A connection that breaks is the client's affair.
    while let Some(Ok(message)) = socket.recv().await {
        // Pings are answered, and an end acknowledged, by the library.
        if (message.is_text() || message.is_binary()) && socket.send(message).await.is_err() {
            return;
        }
    }
}
