//! A connection on which each message comes back: a channel of Dropshot's, by tokio-tungstenite as in its example.

use dropshot::{RequestContext, WebsocketChannelResult, WebsocketConnection, channel};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio_tungstenite::{WebSocketStream, tungstenite::protocol::Role};

#[channel { protocol = WEBSOCKETS, path = "/websocket" }]
pub async fn echo(_: RequestContext<()>, upgraded: WebsocketConnection) -> WebsocketChannelResult {
    let mut socket = WebSocketStream::from_raw_socket(upgraded.into_inner(), Role::Server, None).await;
    // A connection that breaks is the client's affair.
    while let Some(Ok(message)) = socket.next().await {
        // Pings are answered, and an end acknowledged, by the library.
        if (message.is_text() || message.is_binary()) && socket.send(message).await.is_err() {
            break;
        }
    }
    Ok(())
}
