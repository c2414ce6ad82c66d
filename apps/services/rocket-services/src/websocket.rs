//! A connection on which each message comes back.

use rocket::get;
use rocket_ws::{Stream, WebSocket};

#[get("/websocket")]
pub fn websocket(socket: WebSocket) -> Stream!['static] {
    Stream! { socket =>
        for await message in socket {
            let message = message?;
            // Pings are answered, and an end acknowledged, by the library.
            if message.is_text() || message.is_binary() {
                yield message;
            }
        }
    }
}
