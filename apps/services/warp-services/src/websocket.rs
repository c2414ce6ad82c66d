//! A connection on which each message comes back.

use std::future;

use futures_util::{FutureExt as _, StreamExt as _, TryStreamExt as _};
use warp::{
    Filter, Rejection, Reply, path,
    ws::{Message, WebSocket, Ws},
};

pub fn echo() -> impl Filter<Extract = (impl Reply,), Error = Rejection> + Copy {
    path!("websocket")
        .and(warp::ws())
        .map(|ws: Ws| ws.on_upgrade(each_back))
}

fn each_back(socket: WebSocket) -> impl Future<Output = ()> {
    let (back, messages) = socket.split();
    // Pings are answered, and an end acknowledged, by the library.
    let messages = messages.try_filter(|message: &Message| future::ready(message.is_text() || message.is_binary()));
    // A connection that breaks is the client's affair.
    messages.forward(back).map(drop)
}
