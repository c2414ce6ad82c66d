//! A connection on which each message comes back: by tokio-tungstenite on hyper's upgrade, as in Gotham's example.

use futures_util::{SinkExt as _, StreamExt as _};
use gotham::{
    helpers::http::{Body, response::create_empty_response},
    http::{
        Response, StatusCode,
        header::{
            CONNECTION, HeaderMap, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE,
        },
    },
    hyper::upgrade::OnUpgrade,
    hyper_util::rt::TokioIo,
    prelude::*,
    state::State,
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{handshake::derive_accept_key, protocol::Role},
};

pub fn websocket(mut state: State) -> (State, Response<Body>) {
    let accept = accept(HeaderMap::borrow_from(&state));
    let (Some(accept), Some(upgrade)) = (accept, OnUpgrade::try_take_from(&mut state)) else {
        let refused = create_empty_response(&state, StatusCode::BAD_REQUEST);
        return (state, refused);
    };
    tokio::spawn(echo(upgrade));
    let mut response = create_empty_response(&state, StatusCode::SWITCHING_PROTOCOLS);
    let headers = response.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(SEC_WEBSOCKET_ACCEPT, accept);
    (state, response)
}

/// What proves that the request was understood, if it is one for a WebSocket.
fn accept(headers: &HeaderMap) -> Option<HeaderValue> {
    let upgrade = headers.get(UPGRADE)?.as_bytes();
    let version = headers.get(SEC_WEBSOCKET_VERSION)?.as_bytes();
    if !upgrade.eq_ignore_ascii_case(b"websocket") || version != b"13" {
        return None;
    }
    let key = headers.get(SEC_WEBSOCKET_KEY)?.as_bytes();
    HeaderValue::try_from(derive_accept_key(key)).ok()
}

async fn echo(upgrade: OnUpgrade) {
    // A connection that breaks is the client's affair.
    let Ok(upgraded) = upgrade.await else { return };
    let mut socket = WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, None).await;
    while let Some(Ok(message)) = socket.next().await {
        // Pings are answered, and an end acknowledged, by the library.
        if (message.is_text() || message.is_binary()) && socket.send(message).await.is_err() {
            return;
        }
    }
}
