//! A connection on which each message comes back.

use std::convert::Infallible;

use rama::{
    Service,
    http::{
        Request, Response,
        ws::handshake::server::{ServerWebSocket, WebSocketAcceptor},
    },
    service::service_fn,
};

/// rama answers a request for anything but a WebSocket with 400.
pub fn websocket() -> impl Service<Request, Output = Response, Error = Infallible> {
    WebSocketAcceptor::new().into_service(service_fn(echo))
}

async fn echo(mut socket: ServerWebSocket) -> Result<(), Infallible> {
    // A connection that breaks is the client's affair.
    while let Ok(message) = socket.recv_message().await {
        // Pings are answered, and an end acknowledged, by the library.
        if (message.is_text() || message.is_binary()) && socket.send_message(message).await.is_err() {
            break;
        }
    }
    Ok(())
}
