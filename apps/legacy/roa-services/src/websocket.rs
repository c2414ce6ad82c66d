//! A connection on which each message comes back.

use futures_util::{SinkExt as _, StreamExt as _};
use roa::{
    Context, Endpoint,
    websocket::{Message, SocketStream, Websocket},
};

/// Roa answers a request for anything but a WebSocket with 400.
pub fn websocket() -> impl for<'a> Endpoint<'a> {
    Websocket::new(|_: Context, socket| echo(socket))
}

async fn echo(mut socket: SocketStream) {
    // A connection that breaks is the client's affair.
    while let Some(Ok(message)) = socket.next().await {
        // Pings are answered, and an end acknowledged, by the library.
        if matches!(message, Message::Text(_) | Message::Binary(_)) && socket.send(message).await.is_err() {
            return;
        }
    }
}
