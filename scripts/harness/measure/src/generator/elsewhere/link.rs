//! The link between this machine, where servers run, and one that makes load.

use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use agent::filling::{fill, receive};
use agent::words::{Answer, ECHOES, LinkSeen, Order};

use super::session::{Session, SessionError};
use judge::stats::median;

/// Longest wait for the other side to connect, and for each read and write.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longest wait for the whole measurement: a slow link takes long to empty what was put into it.
const IN_ALL: Duration = Duration::from_mins(2);

/// What is known of a link.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Round-trip time in microseconds: the median of [`ECHOES`] of one byte each.
    pub rtt_us: f64,
    /// Megabits per second to the machine that makes load, which is where answers go.
    pub to_mbit: f64,
    /// Megabits per second from it.
    pub from_mbit: f64,
    /// Largest packet in bytes, where the kernel says.
    pub mtu: Option<u32>,
    /// Speed of its interface in Mbit/s, where it says.
    pub interface_mbit: Option<u32>,
}

/// Measures the links of these machines at the same time; this machine listens at `own`.
pub fn measure(sessions: &mut [&mut Session], own: IpAddr) -> Result<Vec<Link>, SessionError> {
    let mut waiting = Vec::new();
    for session in sessions.iter_mut() {
        let here = |error: io::Error| {
            SessionError::Unusable(
                session.destination().clone(),
                format!(
                    "this machine cannot listen at {own}, where its servers would: {error}; --listen names another address"
                ),
            )
        };
        let listener = TcpListener::bind((own, 0)).map_err(here)?;
        let address = listener.local_addr().map_err(here)?;
        session.order(&Order::Link { address })?;
        waiting.push(thread::spawn(move || other_side(&listener)));
    }
    let seen: Vec<Result<LinkSeen, SessionError>> = sessions
        .iter_mut()
        .map(|session| match session.answer(IN_ALL)? {
            Answer::Link(seen) => Ok(seen),
            _ => Err(session.failed("it answers what nobody asked")),
        })
        .collect();
    let mut links = Vec::new();
    for ((seen, own), session) in seen.into_iter().zip(waiting).zip(sessions) {
        let (seen, own) = (seen?, own.join());
        let own = own.map_err(|_| session.failed("measuring its link panicked"))?;
        let (rtt_us, received, seconds) = own.map_err(|error| session.failed(&format!("its link: {error}")))?;
        let mbit = |bytes: u64, seconds: f64| {
            if seconds > 0.0 {
                bytes as f64 * 8e-6 / seconds
            } else {
                0.0
            }
        };
        links.push(Link {
            rtt_us,
            to_mbit: mbit(seen.received, seen.seconds),
            from_mbit: mbit(received, seconds),
            mtu: seen.mtu,
            interface_mbit: seen.interface_mbit,
        });
    }
    Ok(links)
}

/// Our side: round-trip time in microseconds, bytes that came, and the seconds in which they did.
fn other_side(listener: &TcpListener) -> io::Result<(f64, u64, f64)> {
    let mut stream = accept(listener)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut times = Vec::new();
    let mut byte = [0];
    for _ in 0..ECHOES {
        let asked = Instant::now();
        stream.write_all(&byte)?;
        stream.read_exact(&mut byte)?;
        times.push(asked.elapsed().as_secs_f64() * 1e6);
    }
    fill(&mut stream)?;
    let (received, seconds) = receive(&mut stream)?;
    Ok((median(&times).unwrap_or_default(), received, seconds))
}

fn accept(listener: &TcpListener) -> io::Result<TcpStream> {
    listener.set_nonblocking(true)?;
    let until = Instant::now() + PATIENCE;
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false)?;
                return Ok(stream);
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && Instant::now() < until => {
                thread::sleep(super::session::POLL);
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    "it does not connect to this machine",
                ));
            }
            Err(error) => return Err(error),
        }
    }
}
