//! A free port for something that is started.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};

/// How many ports are tried.
const PORTS: u32 = 5;

/// Starts something on a free port of `own`, and on the next one if another process has taken that meanwhile.
pub fn on_free_port<T, E: From<io::Error>>(
    own: IpAddr,
    mut start: impl FnMut(SocketAddr) -> Result<T, E>,
) -> Result<T, E> {
    let mut tried = 0;
    loop {
        tried += 1;
        let address = TcpListener::bind((own, 0))?.local_addr()?;
        match start(address) {
            Err(_) if tried < PORTS && TcpListener::bind(address).is_err() => {}
            other => return other,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn a_port_that_was_taken_meanwhile_is_followed_by_another_and_not_for_ever() {
        let mut taken = Vec::new();
        let mut start = |tried: &mut Vec<SocketAddr>, most: usize| {
            on_free_port(Ipv4Addr::LOCALHOST.into(), |address| {
                tried.push(address);
                if tried.len() > most {
                    return TcpListener::bind(address);
                }
                taken.push(TcpListener::bind(address)?);
                Err(io::Error::other("taken"))
            })
        };
        let mut tried = Vec::new();
        let started = start(&mut tried, 1).unwrap().local_addr().unwrap();
        assert_eq!((tried.len(), tried[1]), (2, started));
        let mut tried = Vec::new();
        assert_eq!(start(&mut tried, usize::MAX).unwrap_err().to_string(), "taken");
        assert_eq!(tried.len(), PORTS as usize);
    }
}
