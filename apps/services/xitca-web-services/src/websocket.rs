//! A connection on which each message comes back.

use xitca_web::handler::websocket::{Message, WebSocket};

pub async fn websocket(mut socket: WebSocket) -> WebSocket {
    socket.on_msg(|sender, message| {
        Box::pin(async move {
            let sent = match message {
                Message::Text(text) => sender.text(text.to_string()).await,
                Message::Binary(bytes) => sender.binary(bytes).await,
                // Part of a message; xitca-web does not distinguish the last part from the others.
                Message::Continuation(_) => Ok(()),
            };
            // A connection that breaks is the client's affair.
            sent.ok();
        })
    });
    socket
}
