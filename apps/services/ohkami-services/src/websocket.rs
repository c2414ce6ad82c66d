//! A connection on which each message comes back.

use ohkami::ws::{Message, WebSocket, WebSocketContext};

pub async fn websocket(context: WebSocketContext<'_>) -> WebSocket {
    context.upgrade(async |mut connection| {
        // A connection that breaks is the client's affair.
        while let Ok(message) = connection.recv().await {
            let sent = match message {
                Some(message @ (Message::Text(_) | Message::Binary(_))) => connection.send(message).await,
                Some(Message::Close(_)) => return,
                // It has answered a ping, or the client has gone.
                _ => Ok(()),
            };
            if sent.is_err() {
                return;
            }
        }
    })
}
