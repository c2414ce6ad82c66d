//! Server under test: Dropshot, set up as its crate documentation and its examples `basic` and `https` do it. In since 0.18.0, as a
//! framework with a router and extractors of its own on hyper, which Oxide's control plane stands on.
//!
//! HTTP/2 in cleartext is left out: its documentation offers none. Over TLS it is what the framework's own configuration prefers.
//! All handshakes are made by the one task that accepts: concurrently, but on one core.

use std::error::Error;

use dropshot::HandlerTaskMode;

fn main() -> Result<(), Box<dyn Error>> {
    dropshot_app::run(HandlerTaskMode::Detached)
}
