//! Single requests by hand, each bounded in time and bytes, however little comes at a time.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

use model::scenario::Protocol;

use super::exchange::answers::{End, find};
use machine::interrupt;
use servers::contract::Client;

/// Longest wait for the answer to `GET /`.
pub const PATIENCE: Duration = Duration::from_secs(2);
/// Most bytes of an answer.
pub const MOST: usize = 64 << 10;
/// `GET /` over HTTP/1.1, on a connection that is kept.
pub const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
/// The preface of a client of HTTP/2, with empty SETTINGS.
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

/// A stream that gives up at a moment. A timeout for each read would not end a server that sends a byte before each of them is over.
#[derive(Debug)]
pub struct Until {
    /// The connection, which does not give up.
    pub stream: TcpStream,
    until: Instant,
}

impl Until {
    /// A connection that is made within `queue`, for so long.
    pub fn connect(address: SocketAddr, queue: Duration, patience: Duration) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, queue)?;
        stream.set_nodelay(true)?;
        let until = Instant::now() + patience;
        Ok(Self { stream, until })
    }

    /// A connection on which this was sent, if the server took it.
    pub fn sending(address: SocketAddr, request: &[u8], queue: Duration, patience: Duration) -> io::Result<Self> {
        let mut stream = Self::connect(address, queue, patience)?;
        let _ = stream.write_all(request); // one that is reset has no answer, which is what counts
        Ok(stream)
    }

    /// The same connection, which gives up after this time from now on.
    pub fn lasting(mut self, patience: Duration) -> Self {
        self.until = Instant::now() + patience;
        self
    }

    fn left(&self) -> io::Result<Duration> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            Err(ErrorKind::TimedOut.into())
        } else {
            Ok(left)
        }
    }

    /// Reads on behind what `came` until the connection ends, or time or `most` bytes are used up. After each piece, no more is awaited
    /// than `settles` says. A reset ends a connection, too.
    pub fn hear(&mut self, came: &mut Vec<u8>, most: usize, settles: impl Fn(&[u8]) -> Duration) -> End {
        let (mut part, mut until) = (vec![0; 64 << 10], self.until);
        // What is there already is read even when the time is over.
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let _ = self.stream.set_read_timeout(Some(left.max(Duration::from_millis(1))));
            match self.stream.read(&mut part) {
                Ok(0) => return End::Closed,
                Ok(count) => came.extend_from_slice(&part[..count]),
                Err(error) if is_wait(&error) => return End::Open,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => return End::Closed,
            }
            let more = settles(came);
            if left.is_zero() || more.is_zero() || came.len() >= most {
                return End::Open;
            }
            until = Instant::now()
                .checked_add(more)
                .map_or(self.until, |moment| moment.min(self.until));
        }
    }

    /// What came up to a moment or `most` bytes, and whether the connection ended.
    pub fn rest(&mut self, until: Instant, most: usize) -> (Vec<u8>, End) {
        let mut came = Vec::new();
        self.until = until;
        let end = self.hear(&mut came, most, |_| Duration::MAX);
        (came, end)
    }

    /// Reads on until `whole` knows a status.
    fn answer(&mut self, came: &mut Vec<u8>, whole: impl Fn(&[u8]) -> Option<u16>) -> Came {
        let settles = |came: &[u8]| whole(came).map_or(Duration::MAX, |_| Duration::ZERO);
        let end = self.hear(came, MOST, settles);
        match (whole(came), end) {
            (Some(status), _) => Came::Status(status),
            (None, End::Closed) => Came::Closed,
            (None, End::Open) => Came::Nothing,
        }
    }

    /// Begins an HTTP/2 connection and waits for what the server says first, which is given: xitca-web 0.8.1 never answers a request
    /// that comes in one packet with the preface, and that is a case of its own.
    pub fn begin_http2(&mut self) -> io::Result<Vec<u8>> {
        self.write_all(PREFACE)?;
        let mut came = Vec::new();
        match self.answer(&mut came, |came| (!came.is_empty()).then_some(0)) {
            Came::Status(_) => Ok(came),
            other => Err(unanswered(other)),
        }
    }

    /// Sends frames and waits until the server ends this stream; `came` before them.
    pub fn ask_http2(&mut self, frames: &[u8], stream: u8, came: &mut Vec<u8>) -> io::Result<Came> {
        self.write_all(frames)?;
        Ok(self.answer(came, |came| ends_stream(came, stream).then_some(200)))
    }

    /// Reads what is there, and waits for nothing: a server need not wait for its client. The end of the connection is an error.
    pub fn drain(&mut self) -> io::Result<()> {
        self.stream.set_nonblocking(true)?;
        let read = self.stream.read(&mut [0; 16 << 10]);
        self.stream.set_nonblocking(false)?;
        match read {
            Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
            Err(error) if !is_wait(&error) => Err(error),
            _ => Ok(()),
        }
    }
}

impl Read for Until {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(self.left()?))?;
        self.stream.read(buffer)
    }
}

impl Write for Until {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(self.left()?))?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Whether nothing came in the time that there was.
pub fn is_wait(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// `GET path` over HTTP/1.1.
pub fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").into()
}

/// `POST path` with this JSON, of which so many more bytes are promised.
pub fn post(path: &str, json: &str, more: usize) -> Vec<u8> {
    let head = format!("POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json");
    format!("{head}\r\nContent-Length: {}\r\n\r\n{json}", json.len() + more).into()
}

/// `GET path` over HTTP/2, its fields as HPACK.
pub fn http2_get(stream: u8, path: &str) -> Vec<u8> {
    let length = u8::try_from(path.len()).expect("a short path");
    let fields = [&[0x82, 0x86, 0x04, length], path.as_bytes(), b"\x41\x09localhost"].concat();
    [&[0, 0, length + 15, 1, 5, 0, 0, 0, stream], fields.as_slice()].concat()
}

/// What came of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Came {
    /// A whole answer with this status.
    Status(u16),
    /// The end of the connection.
    Closed,
    /// Neither in time.
    Nothing,
}

fn unanswered(came: Came) -> io::Error {
    io::Error::other(match came {
        Came::Status(_) => "it sent something else than the answer".to_owned(),
        Came::Closed => "it closed the connection".to_owned(),
        Came::Nothing => format!("no answer within {} s", PATIENCE.as_secs()),
    })
}

/// One request over HTTP/1.1 on a connection of its own, and what came.
pub fn ask(address: SocketAddr, request: &[u8], patience: Duration) -> io::Result<(Came, Vec<u8>)> {
    let mut stream = Until::sending(address, request, patience, patience)?;
    let mut came = Vec::new();
    let status = |came: &[u8]| Some(find(came, &[], End::Open).answers.first()?.status);
    let seen = stream.answer(&mut came, status);
    Ok((seen, came))
}

/// One request over HTTP/1.1 on a connection of its own, and the status in the first line of what came, however long the rest is.
pub fn status_of(address: SocketAddr, request: &[u8], patience: Duration) -> io::Result<Came> {
    let mut stream = Until::sending(address, request, patience, patience)?;
    let status = |came: &[u8]| str::from_utf8(came.get(9..12)?).ok()?.parse().ok();
    Ok(stream.answer(&mut Vec::new(), status))
}

/// A connection in cleartext on which `GET /` has been answered, and which is open. It must be made within `queue`. The error says what
/// came instead.
pub fn answered(address: SocketAddr, http2: bool, queue: Duration) -> io::Result<TcpStream> {
    let mut stream = Until::connect(address, queue, PATIENCE)?;
    let mut came = Vec::new();
    let seen = if http2 {
        came = stream.begin_http2()?;
        stream.ask_http2(&http2_get(1, "/"), 1, &mut came)?
    } else {
        stream.write_all(GET)?;
        stream.answer(&mut came, |came| {
            let answer = find(came, &[], End::Open).answers.pop()?;
            Some(if answer.body == b"Hello, World!" { 200 } else { 0 })
        })
    };
    if seen != Came::Status(200) {
        return Err(unanswered(seen));
    }
    if http2 {
        stream.write_all(b"\0\0\0\x04\x01\0\0\0\0")?;
    }
    Ok(stream.stream)
}

/// Connections that have each been answered over HTTP/1.1 and are open, one opened after the other: up to `count`, and as many as can be
/// had within 5 s.
pub fn answered_many(address: SocketAddr, count: usize) -> Vec<TcpStream> {
    let began = Instant::now();
    let is_early = || began.elapsed() < Duration::from_secs(5);
    let one = |_| answered(address, false, PATIENCE).ok().filter(|_| is_early());
    (0..count).map_while(one).collect()
}

/// Whether another client is served, over a connection of its own: `GET /` is answered within [`PATIENCE`]. The error says what came.
pub fn served(address: SocketAddr, protocol: Protocol, queue: Duration) -> Result<(), String> {
    if protocol.is_tls() {
        let client = Client::new(address, protocol).map_err(|error| error.to_string())?;
        let answer = client.with_patience(PATIENCE).get("/");
        return answer.map(drop).map_err(|violation| violation.got);
    }
    let answer = answered(address, protocol.is_http2(), queue);
    answer.map(drop).map_err(|error| error.to_string())
}

/// Another client, which sends requests as usual while something is done to its server.
#[derive(Debug, Default)]
pub struct Others {
    /// Times of the requests that were answered, in ms.
    pub took: Vec<f64>,
    /// How many were not, and how many of them in a row at last, with what came instead.
    pub unanswered: usize,
    pub in_a_row: usize,
    pub instead: String,
}

impl Others {
    /// One more request, on a connection of its own.
    pub fn ask(&mut self, address: SocketAddr, protocol: Protocol) {
        let began = Instant::now();
        match served(address, protocol, PATIENCE) {
            Ok(()) => {
                self.took.push(began.elapsed().as_secs_f64() * 1e3);
                self.in_a_row = 0;
            }
            Err(instead) => {
                self.unanswered += 1;
                self.in_a_row += 1;
                self.instead = instead;
            }
        }
    }
}

/// Looks until something is so; after what time it was, or `None` if it was not within `patience`.
pub fn becomes(patience: Duration, pause: Duration, mut is_so: impl FnMut() -> bool) -> Option<Duration> {
    let began = Instant::now();
    while !is_so() {
        if began.elapsed() > patience || interrupt::check().is_err() {
            return None;
        }
        sleep(pause);
    }
    Some(began.elapsed())
}

/// Waits until a number has grown or shrunk by no more than `noise` for 300 ms, or until `patience` is over.
pub fn settled(number: &dyn Fn() -> u64, noise: u64, patience: Duration) {
    const STILL: Duration = Duration::from_millis(300);
    let (mut since, mut last) = (Instant::now(), number());
    becomes(patience, Duration::from_millis(20), || {
        let now = number();
        if now.abs_diff(last) > noise {
            (last, since) = (now, Instant::now());
        }
        since.elapsed() >= STILL
    });
}

/// Whether frames end this stream: HEADERS or DATA with the flag `END_STREAM`.
pub fn ends_stream(mut frames: &[u8], stream: u8) -> bool {
    while let [a, b, c, kind, flags, _, _, _, id, rest @ ..] = frames {
        if *kind <= 1 && flags & 1 == 1 && *id == stream {
            return true;
        }
        let length = usize::from(*a) << 16 | usize::from(*b) << 8 | usize::from(*c);
        let Some(next) = rest.get(length..) else { return false };
        frames = next;
    }
    false
}

/// The 99th percentile of some times; `None` of none.
pub fn p99(times: &[f64]) -> Option<f64> {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get((sorted.len() * 99).div_ceil(100).checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    #[test]
    fn one_time_in_a_hundred_is_above_the_p99() {
        let times: Vec<f64> = (1..=200).rev().map(f64::from).collect();
        assert_eq!(p99(&times), Some(198.0));
        assert_eq!((p99(&[7.0]), p99(&[])), (Some(7.0), None));
    }

    #[test]
    fn a_stream_ends_in_its_own_headers_or_data() {
        let headers = |flags, stream| [&[0, 0, 1, 1, flags, 0, 0, 0, stream, 0x88][..], &[]].concat();
        assert!(ends_stream(&headers(5, 1), 1) && ends_stream(&headers(5, 3), 3));
        assert!(!ends_stream(&headers(4, 1), 1) && !ends_stream(&headers(5, 3), 1));
        let data = [0, 0, 2, 0, 1, 0, 0, 0, 1, b'h', b'i'];
        assert!(ends_stream(&[&headers(4, 1)[..], &data].concat(), 1));
        // SETTINGS with the flag ACK end nothing.
        assert!(!ends_stream(&[0, 0, 0, 4, 1, 0, 0, 0, 1], 1));
    }

    /// A server that sends a byte every 20 ms, up to five seconds.
    fn dripping() -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            for _ in 0..250 {
                if stream.write_all(b"x").is_err() {
                    return;
                }
                thread::sleep(Duration::from_millis(20));
            }
        });
        address
    }

    #[test]
    fn a_server_that_drips_gets_no_more_than_its_time() {
        let short = Duration::from_millis(200);
        let mut stream = Until::connect(dripping(), PATIENCE, short).unwrap();
        let mut came = Vec::new();
        assert!(is_wait(&stream.read_to_end(&mut came).unwrap_err()));
        assert!(!came.is_empty() && came.len() < 100, "{} bytes", came.len());
        let mut stream = Until::connect(dripping(), PATIENCE, PATIENCE).unwrap();
        let (came, end) = stream.rest(Instant::now() + short, 4096);
        assert!(
            !came.is_empty() && came.len() < 100 && end == End::Open,
            "{} bytes",
            came.len()
        );
    }
}
