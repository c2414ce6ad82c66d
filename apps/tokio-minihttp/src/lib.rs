//! HTTP/1.1 as a codec, for the server that works alone and the one with a database.

pub mod answer;
mod codec;
pub mod connection;
mod head;
