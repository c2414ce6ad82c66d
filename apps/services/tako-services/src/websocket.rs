//! A connection on which each message comes back.

use tako::{
    responder::Responder,
    types::Request,
    ws::{Message, WebSocket, WebSocketUpgrade},
};

/// Tako refuses a request for anything but a WebSocket.
pub async fn websocket(request: Request) -> impl Responder {
    WebSocketUpgrade::new(request, echo)
}

async fn echo(mut socket: WebSocket) {
    // A connection that breaks is the client's affair.
    while let Some(Ok(message)) = socket.recv().await {
        // Pings are answered, and an end acknowledged, by the library.
        if matches!(message, Message::Text(_) | Message::Binary(_)) && socket.send(message).await.is_err() {
            return;
        }
    }
}
