//! What a server makes of a handler that panics. Each app's `GET /cpu` does, for one number.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use super::Act::OnServer;
use super::Acts;
use crate::probe::Attempt;
use crate::probe::client::{Came, answered, ask, get};
use machine::interrupt;

/// Its cases.
pub const ACTS: Acts = &[("handler-panics-often", OnServer(|server| Ok(often(server.address))))];

/// A request whose handler panics: `contract::Index::PANICS` of the apps. The reference is frozen, and refuses the number.
pub const PATH: &str = "/cpu?n=999999";
/// Longest wait for an answer, or for the end of the connection.
pub const PATIENCE: Duration = Duration::from_secs(3);
/// Panics one after the other: more than there are workers, or threads of a pool of any default size on two cpus.
const OFTEN: usize = 200;
/// Longest time for all of them. A server that takes longer has shown nothing.
const ALL: Duration = Duration::from_secs(20);

fn often(address: SocketAddr) -> Attempt {
    let request = get(PATH);
    let (began, mut made) = (Instant::now(), 0);
    while made < OFTEN && began.elapsed() < ALL && interrupt::check().is_ok() {
        let got = match ask(address, &request, PATIENCE) {
            Ok((Came::Status(400), _)) => {
                return Attempt::not_applicable("its app has no request whose handler panics");
            }
            Ok((Came::Nothing, _)) => format!("after {made} panics, one more has neither an answer nor an end"),
            Err(error) => format!("takes no connection after {made} panics: {error}"),
            Ok(_) => {
                made += 1;
                continue;
            }
        };
        return Attempt::new(false, got);
    }
    let served = answered(address, false, PATIENCE);
    let got = match &served {
        Ok(_) => format!("serves others after {made} panics"),
        Err(error) => format!("after {made} panics another request is not answered: {error}"),
    };
    Attempt::new(served.is_ok(), got).unless_short(made < OFTEN)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::net::TcpListener;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;
    use crate::probe::behaviour::fake;
    use model::probe::ProbeOutcome::{Failed, Passed};

    /// Its threads, three of them, die of panics one after the other.
    #[test]
    fn a_thread_that_dies_must_be_replaced() {
        static LEFT: AtomicUsize = AtomicUsize::new(3);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            let mut kept = Vec::new();
            for mut stream in listener.incoming().flatten() {
                let _ = stream.read(&mut [0; 1024]);
                if LEFT.load(Ordering::Relaxed) == 0 {
                    kept.push(stream); // accepted, and served by nobody
                } else {
                    LEFT.fetch_sub(1, Ordering::Relaxed);
                }
            }
        });
        let dying = often(address);
        assert_eq!(dying.outcome, Failed);
        assert!(dying.got.starts_with("after 3 panics"), "{}", dying.got);
        assert_eq!(often(fake::each_by_a_thread()).outcome, Passed);
    }
}
