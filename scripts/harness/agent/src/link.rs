//! The agent's side of measuring a link.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use nix::sys::socket::{getsockopt, sockopt};

use crate::counters;
use crate::filling::{fill, receive};
use crate::words::{ECHOES, LinkSeen};

/// Longest wait for the other side.
const PATIENCE: Duration = Duration::from_secs(10);

/// Connects, answers each byte, and fills the link.
pub fn measure(address: SocketAddr) -> io::Result<LinkSeen> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut byte = [0];
    for _ in 0..ECHOES {
        stream.read_exact(&mut byte)?;
        stream.write_all(&byte)?;
    }
    let (received, seconds) = receive(&mut stream)?;
    fill(&mut stream)?;
    let interface = counters::interface_of(stream.local_addr()?.ip());
    Ok(LinkSeen {
        received,
        seconds,
        mtu: getsockopt(&stream, sockopt::IpMtu)
            .ok()
            .and_then(|mtu| u32::try_from(mtu).ok()),
        interface_mbit: interface.as_deref().and_then(counters::mbit_of),
        interface,
    })
}
