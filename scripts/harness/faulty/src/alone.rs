//! A listener without `SO_REUSEADDR`, which the standard library always sets: connections of the server before keep its port.

use std::net::{SocketAddr, TcpListener};
use std::os::fd::FromRawFd as _;

const AF_INET: u16 = 2;
const SOCK_STREAM: i32 = 1;

/// Bytes of [`Address`].
const SIZE: u32 = 16;

/// An address as the system has it, of IPv4 only.
#[repr(C)]
struct Address {
    family: u16,
    port: [u8; 2],
    ip: [u8; 4],
    zero: [u8; 8],
}

unsafe extern "C" {
    fn socket(domain: i32, kind: i32, protocol: i32) -> i32;
    fn bind(socket: i32, address: *const Address, length: u32) -> i32;
    fn listen(socket: i32, backlog: i32) -> i32;
}

/// `None` if the address is taken.
pub fn listener(address: SocketAddr) -> Option<TcpListener> {
    let SocketAddr::V4(address) = address else { return None };
    let address = Address {
        family: AF_INET,
        port: address.port().to_be_bytes(),
        ip: address.ip().octets(),
        zero: [0; 8],
    };
    // SAFETY: calls of the C library that every program on Linux is linked with; the address lives while it is read, and the
    // descriptor is nobody else's.
    unsafe {
        let socket = socket(AF_INET.into(), SOCK_STREAM, 0);
        let is_bound = socket >= 0 && bind(socket, &raw const address, SIZE) == 0;
        (is_bound && listen(socket, 128) == 0).then(|| TcpListener::from_raw_fd(socket))
    }
}
