//! How a server ends before it has begun: one line that says why, and exit status 2, so that the harness can tell a
//! wrong setting from a crash.
//!
//! Nothing here is about the end by SIGTERM: where a process sets no handler, the signal ends it at once, and that is
//! all that is wanted. An app whose framework sets a handler of its own turns it off, lest it wait for open connections.

use std::{fmt::Display, io, net::SocketAddr, process};

use crate::{Settings, Supports};

const EXIT_IMPOSSIBLE: i32 = 2;

/// The settings, or the end of the process.
#[must_use]
pub fn settings_or_exit(supports: Supports) -> Settings {
    Settings::from_env(supports).unwrap_or_else(|error| cannot_start(error))
}

/// For an address that is taken or not of this machine.
pub fn cannot_listen(addr: SocketAddr, error: &io::Error) -> ! {
    cannot_start(format_args!("cannot listen on ADDR {addr}: {error}"))
}

/// For whatever else stands in the way of the first request.
pub fn cannot_start(reason: impl Display) -> ! {
    eprintln!("error: {}", one_line(&reason.to_string()));
    process::exit(EXIT_IMPOSSIBLE)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_many_lines_becomes_one_line() {
        assert_eq!(
            one_line("cannot bind:\n    address in use\n"),
            "cannot bind: address in use"
        );
    }
}
