//! Requests on many connections at once, by a schedule or one after the other, without a pause and without a failure that ends them.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};

use machine::interrupt;

/// Connections that may fail in a row before the server is held to be dead.
const MOST_BROKEN: usize = 500;
/// Requests that wait for a connection at most; more are not sent.
const WAITING: usize = 4096;
/// Pause between two looks at what is only waited for.
const PAUSE: Duration = Duration::from_millis(1);
/// The same under load. Without it the client would use a whole cpu, and its CPU time would not say whether it is the limit.
const REST: Duration = Duration::from_micros(100);

/// The end of a chunked body.
const LAST: &[u8] = b"0\r\n\r\n";

/// What a phase of load has shown.
#[derive(Debug, Default)]
pub struct Seen {
    /// Times from when each request was due to its answer, in ms.
    pub took: Vec<f64>,
    /// Answers with a status 5xx other than 503.
    pub server_errors: usize,
    /// Answers with 503, which is how a server sheds load.
    pub shed: usize,
    /// Connections that ended with a request under way.
    pub broken: usize,
    /// Memory at most, in bytes.
    pub peak: Option<u64>,
    /// The client's CPU time as a share of one cpu, from 0 to 1.
    pub client_cpu: f64,
    broken_in_a_row: usize,
}

/// Connections, and requests that wait for one.
pub struct Load {
    address: SocketAddr,
    request: Vec<u8>,
    connections: Vec<Connection>,
    /// When those were due that no connection was free for.
    waiting: VecDeque<Instant>,
    /// Bytes that have come.
    came: u64,
}

struct Connection {
    stream: TcpStream,
    /// When the request was due that it carries.
    due: Option<Instant>,
    /// The head of an answer as far as it came, then the last bytes of its body.
    kept: Vec<u8>,
    /// Bytes of the answer.
    bytes: usize,
    /// Its status and its length, once the head is complete; no length if it is chunked.
    whole: Option<(u16, Option<usize>)>,
}

impl Load {
    /// Of this request.
    pub fn new(address: SocketAddr, request: Vec<u8>) -> Self {
        Self {
            address,
            request,
            connections: Vec::new(),
            waiting: VecDeque::new(),
            came: 0,
        }
    }

    /// Closes all connections, also under a request.
    pub fn forget(&mut self) {
        self.connections.clear();
        self.waiting.clear();
    }

    /// Forgets what was not sent yet.
    pub fn send_no_more(&mut self) {
        self.waiting.clear();
    }

    /// Requests that are sent and not answered.
    pub fn under_way(&self) -> usize {
        self.connections.iter().filter(|one| one.due.is_some()).count()
    }

    /// Waits for the answers to what is under way, and sends nothing.
    pub fn finish(&mut self, within: Duration) -> Seen {
        let (mut seen, began, mut buffer) = (Seen::default(), Instant::now(), vec![0; 64 << 10]);
        while self.under_way() > 0 && began.elapsed() < within && interrupt::check().is_ok() {
            self.collect(&mut seen, &mut buffer);
            sleep(PAUSE);
        }
        seen
    }

    /// Sends `rate` requests per second, or one after the other on each connection.
    pub fn run(&mut self, most: usize, rate: Option<f64>, lasting: Duration, memory: &dyn Fn() -> Option<u64>) -> Seen {
        let (mut seen, began, mut sent) = (Seen::default(), Instant::now(), 0_u64);
        let (mut looked, mut buffer) = (began, vec![0; 256 << 10]);
        let cpu = thread_cpu_time();
        while began.elapsed() < lasting && seen.broken_in_a_row < MOST_BROKEN && interrupt::check().is_ok() {
            let now = Instant::now();
            if let Some(rate) = rate {
                while (sent as f64) < rate * began.elapsed().as_secs_f64() {
                    if self.waiting.len() < WAITING {
                        self.waiting
                            .push_back(began + Duration::from_secs_f64(sent as f64 / rate));
                    }
                    sent += 1;
                }
            } else {
                self.waiting = vec![now; most - self.under_way()].into();
            }
            let came = self.came;
            self.collect(&mut seen, &mut buffer);
            let mut rests = self.came == came;
            while let Some(due) = self.waiting.front().copied() {
                if let Some(free) = self.connections.iter_mut().find(|one| one.due.is_none()) {
                    free.ask(&self.request, due);
                } else if self.connections.len() < most
                    && let Some(new) = Connection::open(self.address)
                {
                    self.connections.push(new);
                    continue;
                } else {
                    seen.broken_in_a_row += usize::from(self.connections.len() < most);
                    break;
                }
                self.waiting.pop_front();
                rests = false;
            }
            if rests {
                sleep(REST);
            }
            if looked.elapsed() > Duration::from_millis(50) {
                looked = Instant::now();
                seen.peak = seen.peak.max(memory());
            }
        }
        let cpu = thread_cpu_time().saturating_sub(cpu);
        seen.client_cpu = cpu.as_secs_f64() / began.elapsed().as_secs_f64().max(f64::EPSILON);
        seen
    }

    /// Reads what has come on each connection.
    fn collect(&mut self, seen: &mut Seen, buffer: &mut [u8]) {
        let mut index = 0;
        while index < self.connections.len() {
            match self.connections[index].progress(buffer, &mut self.came) {
                Ok(None) => index += 1,
                Ok(Some((status, due))) => {
                    seen.broken_in_a_row = 0;
                    match status {
                        200 => seen.took.push(due.elapsed().as_secs_f64() * 1e3),
                        503 => seen.shed += 1,
                        500.. => seen.server_errors += 1,
                        _ => {}
                    }
                    index += 1;
                }
                Err(()) => {
                    if self.connections.swap_remove(index).due.is_some() {
                        seen.broken += 1;
                        seen.broken_in_a_row += 1;
                    }
                }
            }
        }
    }
}

/// CPU time of this thread; none where the system does not report it.
fn thread_cpu_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

impl Connection {
    fn open(address: SocketAddr) -> Option<Self> {
        let stream = TcpStream::connect_timeout(&address, Duration::from_millis(200)).ok()?;
        stream.set_nonblocking(true).ok()?;
        Some(Self {
            stream,
            due: None,
            kept: Vec::new(),
            bytes: 0,
            whole: None,
        })
    }

    fn ask(&mut self, request: &[u8], due: Instant) {
        (self.due, self.whole, self.bytes) = (Some(due), None, 0);
        self.kept.clear();
        // A connection that cannot take some fifty bytes is broken, which the next read shows.
        let _ = self.stream.write(request);
    }

    /// Reads once: the status of an answer that is complete, with when it was due. The error is the connection's end.
    fn progress(&mut self, buffer: &mut [u8], all: &mut u64) -> Result<Option<(u16, Instant)>, ()> {
        let count = match self.stream.read(buffer) {
            Ok(0) => return Err(()),
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
            Err(_) => return Err(()),
        };
        *all += count as u64;
        self.bytes += count;
        // Of a body, no more is copied than its last bytes.
        let from = if self.whole.is_some() {
            count.saturating_sub(LAST.len())
        } else {
            0
        };
        self.kept.extend_from_slice(&buffer[from..count]);
        if self.whole.is_none() {
            let Some(end) = self.kept.windows(4).position(|four| four == b"\r\n\r\n") else {
                return if self.kept.len() > 16 << 10 { Err(()) } else { Ok(None) };
            };
            let head = String::from_utf8_lossy(&self.kept[..end]).to_ascii_lowercase();
            let status = head.get(9..12).and_then(|status| status.parse().ok()).ok_or(())?;
            let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
            let length = length.and_then(|length| length.trim().parse::<usize>().ok());
            self.whole = Some((status, length.map(|length| end + 4 + length)));
            self.kept.drain(..end + 4);
        }
        let (status, length) = self.whole.ok_or(())?;
        let ended = length.map_or(self.kept.ends_with(LAST), |length| self.bytes >= length);
        self.kept.drain(..self.kept.len().saturating_sub(LAST.len()));
        Ok(self.due.take_if(|_| ended).map(|due| (status, due)))
    }
}
