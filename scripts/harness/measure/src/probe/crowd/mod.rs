//! Clients that come together and are slow, idle or gone, and what the server and others bear of it. A case of it is data.

mod memory;

use std::convert::Infallible;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::AsFd as _;
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

use model::probe::ProbeFigure::{
    self, BytesPerConnection, Connections, CpuMs, GaveUpAfterMs, OthersP99Ms, RecoveredAfterMs,
};
use model::scenario::Protocol;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde::Deserialize;

use super::behaviour::tls::{TLS_1_2, client_hello};
use super::client::{Others, PATIENCE, Until, answered, becomes, get, http2_get, p99, served, settled};
use super::{Attempt, Target, Watched};
use machine::interrupt;
use machine::limits;
use machine::parallel_map::parallel_map;
use servers::failure::Failure;

/// Open files besides the connections, on either side.
const OTHER_FILES: u64 = 500;
/// Longest time to open all. A server that takes longer has refused nobody, and has not shown that it can.
const OPENING: Duration = Duration::from_secs(10);
/// Connections that are opened side by side where each is answered, because some answers wait for the client's delayed ACK.
const OPENED_AT_ONCE: [(); 64] = [(); 64];
/// Longest wait for room in the queue of a server that has no file left. The system sends a lost SYN again only after a second.
const QUEUE: Duration = Duration::from_millis(100);
/// The same for clients that leave.
const LEAVING: Duration = Duration::from_secs(3);
/// Between two requests of others.
const PAUSE: Duration = Duration::from_millis(50);
/// Longest wait until the number of threads no longer changes.
const SETTLING: Duration = Duration::from_secs(5);
/// Largest read of a client that reads slowly, in bytes.
const SIP: usize = 1024;
/// The other side sends no more; nix does not name it.
const POLLRDHUP: PollFlags = PollFlags::from_bits_retain(0x2000);

/// What the clients do, and what must hold meanwhile and afterwards.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Crowd {
    /// How many they are.
    count: usize,
    /// What each does first.
    open: Opening,
    /// What each sends with each tick.
    then: String,
    /// They never read. Otherwise, each reads up to [`SIP`] with each tick.
    unread: bool,
    /// Between two ticks; none for a second.
    tick_ms: Option<u64>,
    /// How long they stay.
    stay_ms: u64,
    /// They stay only until the server has ended one of them.
    until_ended: bool,
    /// Meanwhile another client sends requests, and this many in a row without an answer are a fault; 0 if there is no such client.
    unserved: usize,
    /// How often they come and leave, where they only wait; 0 is once.
    times: u32,
    /// How long the server's memory is watched each time when they are gone.
    after_seconds: u64,
    /// Files that the server may have open.
    server_files: Option<u64>,
    /// Each leaves before the next one comes, and this is what the server must give back.
    gives_back: Option<GivesBack>,
    /// Longest time until another is answered when they are gone.
    answers_within_ms: Option<u64>,
    /// The figures that are kept.
    figures: Vec<ProbeFigure>,
}

/// What a client does when it is connected.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Opening {
    #[default]
    Nothing,
    /// It sends `GET /` and waits for the answer.
    Answered,
    /// It sends this.
    Sends(String),
    /// It sends `GET` for this path.
    Asks(String),
    /// It sends so much of a `ClientHello`, each client the next of these.
    HelloPercent(Vec<usize>),
}

/// What has to be given back.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct GivesBack {
    within_ms: u64,
    /// Files and threads that the server may have opened for itself meanwhile.
    files: usize,
    threads: usize,
}

/// What came of the crowd.
#[derive(Default)]
struct Stay {
    others: Others,
    lasted: Duration,
    /// Memory at most.
    peak: Option<u64>,
    gave_up: Option<Duration>,
}

impl Crowd {
    /// Lets them come to a fresh server.
    pub fn meet(&self, target: &Target<'_>) -> Result<Attempt, Failure> {
        if let Some(most) = target.connections.filter(|most| *most < self.count) {
            let reason = format!("its app serves {most} connections at once, because each holds a thread");
            if !self.takes_turns() {
                return Ok(Attempt::not_applicable(reason));
            }
            let fewer = Self {
                count: most,
                ..self.clone()
            };
            return Ok(fewer.meet(target)?.also(format_args!("; {reason}")).unless_short(true));
        }
        // Before the server starts, which inherits the limit.
        if let Err(reason) = limits::allow_files(self.count as u64 + OTHER_FILES) {
            return Ok(Attempt::not_applicable(reason));
        }
        let server = target.start_with_files(self.server_files)?;
        target.on(server, |server| Ok(self.come(server)))
    }

    fn come(&self, server: Watched<'_>) -> Attempt {
        match self.gives_back {
            Some(demand) => self.leave(server, demand),
            None if matches!(self.open, Opening::Answered) => self.come_and_go(server),
            None => self.once(server, |_| ()),
        }
    }

    /// Comes, stays and leaves; `is_there` is called when that many connections are open.
    fn once(&self, server: Watched<'_>, is_there: impl FnOnce(usize)) -> Attempt {
        let is_idle = matches!(self.open, Opening::Answered);
        let before = (server.memory)();
        let began = Instant::now();
        let (mut crowd, refused) = self.gather(server);
        let (took, opened) = (began.elapsed().as_secs_f64(), crowd.len());
        is_there(opened);
        let mut passed = refused.is_none();
        let mut got = vec![match (&refused, is_idle) {
            (Some(reason), _) => format!("{opened} of {} connections were answered, then: {reason}", self.count),
            (_, true) => format!("{opened} of {} connections were answered in {took:.1} s", self.count),
            _ => format!("{opened} of {} connections", self.count),
        }];
        if self.server_files.is_some() {
            sleep(QUEUE);
        }
        let cpu = (server.cpu_time)();
        let stay = self.stay(server, &mut crowd);
        // A server with a thousand threads that spin may let this one sleep for longer.
        let seconds = stay.lasted.as_secs_f64();
        let spent = cpu.zip((server.cpu_time)());
        let cpu_ms = spent.map(|(before, after)| after.saturating_sub(before).as_secs_f64() * 1e3 / seconds);
        if is_idle {
            // A server may close what is idle, and some do after 5 s.
            crowd.retain(|stream| !is_hung_up(stream));
            got.push(format!("{} were closed again by then", opened - crowd.len()));
        }
        if self.unserved > 0 {
            let ended = opened - crowd.len();
            got.push(format!("it ended {ended} of them within {seconds:.0} s"));
            let Others {
                took,
                in_a_row,
                instead,
                ..
            } = &stay.others;
            passed &= *in_a_row < self.unserved;
            let took = took.len();
            got.push(if passed {
                format!("{took} other requests were answered")
            } else {
                format!("{in_a_row} other requests in a row had no answer, after {took} that had: {instead}")
            });
        }
        if let Some(ms) = cpu_ms.filter(|_| self.server_files.is_some()) {
            got.push(format!("{ms:.0} ms of CPU time in a second"));
        }
        drop(crowd);
        let added = before.zip(stay.peak).filter(|_| opened > 0);
        let added = added.map(|(before, peak)| peak.saturating_sub(before) as f64);
        let mut recovered = None;
        if let Some(within) = self.answers_within_ms.filter(|_| passed) {
            let is_served = || served(server.address, server.protocol, QUEUE).is_ok();
            let after = becomes(Duration::from_millis(within), Duration::from_millis(10), is_served);
            recovered = after.map(|after| after.as_secs_f64() * 1e3);
            passed = recovered.is_some();
            got.push(recovered.map_or_else(
                || format!("no answer {} s after they are gone", within / 1000),
                |after| format!("it answers {after:.0} ms after they are gone"),
            ));
        }
        let mut attempt = Attempt::new(passed, got.join("; "))
            .with(Connections, opened as f64)
            .with(BytesPerConnection, added.map(|added| added / opened as f64))
            .with(OthersP99Ms, p99(&stay.others.took))
            .with(GaveUpAfterMs, stay.gave_up.map(|after| after.as_secs_f64() * 1e3))
            .with(CpuMs, cpu_ms)
            .with(RecoveredAfterMs, recovered);
        attempt.figures.retain(|figure, _| self.figures.contains(figure));
        // Fewer than were meant prove less, but for a server that is meant to have no room for them.
        attempt.unless_short(opened < self.count && self.server_files.is_none())
    }

    /// Opens the connections, as many as can be had, and says why the last one had no answer.
    fn gather(&self, server: Watched<'_>) -> (Vec<TcpStream>, Option<String>) {
        let (began, refused) = (Instant::now(), OnceLock::new());
        let must_be_answered = matches!(self.open, Opening::Answered);
        let workers = if must_be_answered { OPENED_AT_ONCE.len() } else { 1 };
        let clients: Vec<usize> = (0..self.count).collect();
        let (address, protocol) = (server.address, server.protocol);
        let opened = parallel_map(&OPENED_AT_ONCE[..workers], &clients, |(), number| {
            if refused.get().is_some() || began.elapsed() > OPENING || interrupt::check().is_err() {
                return Ok::<_, Infallible>(None);
            }
            let opened = self.opened(address, protocol, *number);
            Ok(opened.map_err(|error| refused.set(error.to_string())).ok())
        });
        let Ok(opened) = opened;
        let refused = refused.into_inner().filter(|_| must_be_answered);
        (opened.into_iter().flatten().collect(), refused)
    }

    /// One client that has connected and done what it does first.
    fn opened(&self, address: SocketAddr, protocol: Protocol, number: usize) -> io::Result<TcpStream> {
        let queue = if self.server_files.is_some() { QUEUE } else { PATIENCE };
        if matches!(self.open, Opening::Answered) {
            return answered(address, protocol.is_http2(), queue);
        }
        let mut stream = Until::connect(address, queue, PATIENCE)?;
        self.begin(&mut stream, protocol, number)?;
        let stream = stream.stream;
        stream.set_nonblocking(true)?;
        Ok(stream)
    }

    fn begin(&self, stream: &mut Until, protocol: Protocol, number: usize) -> io::Result<()> {
        match &self.open {
            Opening::Nothing | Opening::Answered => Ok(()),
            Opening::Sends(text) => stream.write_all(text.as_bytes()),
            Opening::Asks(path) if protocol.is_http2() => {
                stream.begin_http2()?;
                stream.write_all(&http2_get(1, path))
            }
            Opening::Asks(path) => stream.write_all(&get(path)),
            Opening::HelloPercent(shares) => {
                let hello = client_hello(TLS_1_2);
                stream.write_all(&hello[..hello.len() * shares[number % shares.len()] / 100])
            }
        }
    }

    /// Stays, and meanwhile sends requests as another client.
    fn stay(&self, server: Watched<'_>, crowd: &mut Vec<TcpStream>) -> Stay {
        let lasting = Duration::from_millis(self.stay_ms);
        let tick = Duration::from_millis(self.tick_ms.unwrap_or(1000));
        let (began, mut ticked, opened) = (Instant::now(), Instant::now(), crowd.len());
        let mut stay = Stay {
            peak: (server.memory)(),
            ..Stay::default()
        };
        while began.elapsed() < lasting
            && (self.unserved == 0 || stay.others.in_a_row < self.unserved)
            && !(self.until_ended && stay.gave_up.is_some())
            && interrupt::check().is_ok()
        {
            if self.unserved > 0 {
                stay.others.ask(server.address, server.protocol);
                stay.peak = stay.peak.max((server.memory)());
                if ticked.elapsed() >= tick {
                    ticked = Instant::now();
                    crowd.retain_mut(|stream| self.stays(stream));
                    if crowd.len() < opened {
                        stay.gave_up.get_or_insert(began.elapsed());
                    }
                }
            }
            sleep(PAUSE);
        }
        stay.lasted = began.elapsed();
        stay
    }

    /// Does what a client does with each tick; `false` if the server has ended the connection.
    fn stays(&self, stream: &mut TcpStream) -> bool {
        let waits = |error: &io::Error| error.kind() == ErrorKind::WouldBlock;
        if !self.then.is_empty() && stream.write(self.then.as_bytes()).is_err_and(|error| !waits(&error)) {
            return false;
        }
        if self.unread {
            return !is_hung_up(stream);
        }
        match stream.read(&mut [0; SIP]) {
            Ok(count) => count > 0,
            Err(error) => waits(&error),
        }
    }

    /// Each comes and leaves; what they held must be given back.
    fn leave(&self, server: Watched<'_>, demand: GivesBack) -> Attempt {
        // Threads and files that a first request opens are not leaked.
        let _ = served(server.address, server.protocol, PATIENCE);
        settled(&|| (server.held)().1 as u64, 0, SETTLING); // a pool may still be starting them
        let within = Duration::from_millis(demand.within_ms);
        let (before, began) = ((server.held)(), Instant::now());
        for count in 0..self.count {
            // A server that accepts no more makes each wait for a second.
            let connected = Until::connect(server.address, LEAVING, PATIENCE);
            let in_time = |_: &Until| began.elapsed() < within && interrupt::check().is_ok();
            let Some(mut stream) = connected.ok().filter(in_time) else {
                return Attempt::new(false, format!("it takes no connection after {count} clients have left"));
            };
            let _ = self.begin(&mut stream, server.protocol, count); // a server that refuses early is fine
        }
        let mut after = before;
        let gave_back = becomes(within, Duration::from_millis(20), || {
            after = (server.held)();
            after.0 <= before.0 + demand.files && after.1 <= before.1 + demand.threads
        });
        let got = format!(
            "{} clients left; open files {} before and {} after, threads {} and {}",
            self.count, before.0, after.0, before.1, after.1
        );
        Attempt::new(gave_back.is_some(), got)
    }
}

/// Whether the server has ended a connection from which nobody reads: the end shows before what it sent is read.
fn is_hung_up(stream: &TcpStream) -> bool {
    let mut polled = [PollFd::new(stream.as_fd(), POLLRDHUP)];
    let ended = POLLRDHUP | PollFlags::POLLHUP | PollFlags::POLLERR;
    // nix gives `None` where a bit is set that it does not know, and only this one was requested.
    poll(&mut polled, PollTimeout::ZERO).is_ok() && polled[0].revents().is_none_or(|seen| seen.intersects(ended))
}

#[cfg(test)]
mod tests;
