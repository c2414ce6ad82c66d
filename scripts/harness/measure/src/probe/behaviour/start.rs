//! How a server starts where its port is taken, or was a moment ago.

use std::net::{SocketAddr, TcpListener};

use super::Act::Alone;
use super::Acts;
use crate::probe::client::answered_many;
use crate::probe::{Attempt, Target};
use model::Verdict;
use servers::failure::Failure;
use servers::server::{Launch, Server};

/// Its cases.
pub const ACTS: Acts = &[("port-taken", Alone(port_taken)), ("restart-same-port", Alone(restart))];

/// Connections that wait when the server ends that is started again.
const IDLE: usize = 20;

fn port_taken(target: &Target<'_>) -> Result<Attempt, Failure> {
    let taken = TcpListener::bind("127.0.0.1:0")?;
    Ok(match on_port(target, taken.local_addr()?)? {
        Ok(_) => Attempt::new(false, "it serves on a port that is another's"),
        Err(how) => refused(&how),
    })
}

/// `how` is the exit status, and after it the lines that were said.
fn refused(how: &str) -> Attempt {
    let line = how.strip_prefix("exit status 2; it said: ");
    Attempt::new(line.is_some_and(|said| !said.contains(" · ")), how)
}

fn restart(target: &Target<'_>) -> Result<Attempt, Failure> {
    let server = target.start()?;
    let address = server.address;
    let held = answered_many(address, IDLE);
    // The server ends its connections first, and so its port is left with some that wait (TIME_WAIT).
    drop(server);
    let count = held.len();
    drop(held);
    Ok(match on_port(target, address)? {
        Ok(mut server) => {
            let got = format!("serves again on the port on which {count} connections were open");
            Attempt::new(true, got).and_still_answers(&mut server, target.ordinary)
        }
        Err(how) => Attempt::new(false, how),
    })
}

/// A server that is started on this port, or how it died.
fn on_port(target: &Target<'_>, address: SocketAddr) -> Result<Result<Server, String>, Failure> {
    let launch = Launch::alone(target.program);
    match Server::start_on(launch, &target.split.server, target.protocol, address) {
        Ok(server) => Ok(Ok(server)),
        Err(Failure::Verdict(Verdict::Crashed, reason)) => {
            Ok(Err(reason.split_once(": ").map_or(&*reason, |(_, how)| how).to_owned()))
        }
        Err(Failure::Verdict(Verdict::ContractFailed, _)) => Ok(Err("it neither ends nor serves".to_owned())),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::probe::ProbeOutcome::{Failed, Passed};

    #[test]
    fn a_taken_port_is_refused_in_one_line() {
        assert_eq!(refused("exit status 2; it said: error: cannot listen").outcome, Passed);
        assert_eq!(refused("exit status 2; it said: a · b").outcome, Failed);
        assert_eq!(refused("exit status 2").outcome, Failed);
        assert_eq!(refused("exit status 101; it said: panicked").outcome, Failed);
    }
}
