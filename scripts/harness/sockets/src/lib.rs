//! The client of WebSocket servers: [`Socket`] is what proves servers and what drives them, so that they cannot know one from the other;
//! [`echo`] is the load, which `oha websocket` makes.

pub mod echo;
mod report;
mod socket;

pub use socket::{Kind, Message, Socket, SocketError};
