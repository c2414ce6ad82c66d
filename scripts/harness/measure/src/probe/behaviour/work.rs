//! Clients that leave while a handler works for them, and whether the server goes on with what nobody waits for.

use std::io;
use std::time::Duration;

use model::probe::ProbeFigure;

use super::Act::OnServer;
use super::Acts;
use crate::probe::client::{Came, PATIENCE, Until, ask, becomes, post, settled};
use crate::probe::{Attempt, Watched};

/// Its case.
pub const ACTS: Acts = &[("clients-leave-during-work", OnServer(left))];

/// Hashes whose CPU time is averaged.
const TRIED: u32 = 4;
/// Longest time for one of them; other cases run at the same time.
const ANSWER: Duration = Duration::from_secs(10);
/// Least CPU time of a hash by which they can be counted.
const LEAST: Duration = Duration::from_millis(1);
/// Clients that leave.
const LEAVING: u32 = 20;
/// Longest wait until the server has begun.
const BEGINNING: Duration = Duration::from_secs(2);
/// Longest wait until its CPU time hardly grows any more.
const SETTLING: Duration = Duration::from_secs(20);

fn left(server: Watched<'_>) -> io::Result<Attempt> {
    // Of cost 10: some 50 ms of CPU time, in a thread of its own wherever the framework has such.
    let hash = post("/test/bcrypt", "{\"payload\":\"world\"}", 0);
    let cpu_time = || (server.cpu_time)().unwrap_or_default();
    let mut before = cpu_time();
    for number in 0..=TRIED {
        match ask(server.address, &hash, ANSWER)?.0 {
            Came::Status(200) => {}
            Came::Status(status) => {
                return Ok(Attempt::not_applicable(format!(
                    "it answers a hash with status {status}"
                )));
            }
            Came::Closed | Came::Nothing => {
                return Ok(Attempt::new(false, format!("no hash within {} s", ANSWER.as_secs())));
            }
        }
        // The first one may start threads.
        if number == 0 {
            before = cpu_time();
        }
    }
    let each = cpu_time().saturating_sub(before) / TRIED;
    if each < LEAST {
        return Ok(Attempt::not_applicable(
            "a hash costs too little CPU time to be counted",
        ));
    }
    let before = cpu_time();
    let sending = |_| Until::sending(server.address, &hash, PATIENCE, PATIENCE);
    let clients: Vec<Until> = (0..LEAVING).map(sending).collect::<io::Result<_>>()?;
    let spent = || cpu_time().saturating_sub(before);
    becomes(BEGINNING, Duration::from_millis(1), || spent() >= each / 2);
    drop(clients);
    let micros = || u64::try_from(spent().as_micros()).unwrap_or(u64::MAX);
    settled(&micros, 1000, SETTLING);
    let share = (spent().as_secs_f64() / (each * LEAVING).as_secs_f64()).min(1.0);
    let got = format!(
        "{LEAVING} clients requested a hash each and left; it spent {:.0} % of the CPU time that all of them cost, {:.0} ms each",
        share * 100.0,
        each.as_secs_f64() * 1e3
    );
    Ok(Attempt::new(true, got).with(ProbeFigure::WorkFinished, share))
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{SocketAddr, TcpListener};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread;

    use super::*;
    use crate::probe::behaviour::fake;
    use model::probe::ProbeOutcome::{Failed, Passed};

    /// A server that says to have spent 50 ms for each hash, and leaves it out for a client that is gone, if it `looks`.
    fn working(looks: bool) -> (SocketAddr, Arc<AtomicU64>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let spent = Arc::new(AtomicU64::new(0));
        let reported = Arc::clone(&spent);
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let _ = stream.read(&mut [0; 1024]);
                thread::sleep(Duration::from_millis(5)); // the others of them leave
                let _ = stream.set_nonblocking(true);
                let is_gone = matches!(stream.read(&mut [0]), Ok(0));
                if !(looks && is_gone) {
                    spent.fetch_add(50, Ordering::Relaxed);
                }
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
            }
        });
        (address, reported)
    }

    #[test]
    fn how_much_of_the_work_is_finished_is_reported() {
        let finished = |looks| {
            let (address, spent) = working(looks);
            let attempt = left(Watched {
                cpu_time: &|| Some(Duration::from_millis(spent.load(Ordering::Relaxed))),
                ..fake::watched(address)
            });
            let attempt = attempt.unwrap();
            assert_eq!(attempt.outcome, Passed);
            attempt.figures[&ProbeFigure::WorkFinished]
        };
        assert!((finished(false) - 1.0).abs() < f64::EPSILON);
        // What it had begun before they left.
        assert!(finished(true) < 0.9);
        assert_eq!(left(fake::watched(fake::none())).unwrap().outcome, Failed);
    }
}
