//! A branch that many runs push to: what is added goes on its newest tip.

mod author;
mod commit;
mod local;
mod push;
mod remote;

pub use author::Author;
pub use push::{Destination, Pushed, push};
