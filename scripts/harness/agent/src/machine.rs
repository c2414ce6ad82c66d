//! What the kernel knows of this machine: cpus, limits, clocks, network interfaces.

use std::net::{IpAddr, TcpStream};

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::socket::{getsockopt, sockopt};

use crate::affinity;
use crate::kernel_files::{boot_id, cpu_model, kernel_version, local_ports, read_small_file};
use crate::protocol::{LinkReport, Machine};

/// This machine, with as many open files as this process may have.
pub fn machine() -> nix::Result<Machine> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    let raised = setrlimit(Resource::RLIMIT_NOFILE, hard, hard).is_ok();
    Ok(Machine {
        cpus: affinity::allowed(),
        cpu_model: cpu_model(),
        kernel: kernel_version(),
        boot_id: boot_id().unwrap_or_default(),
        open_files: if raised { hard } else { soft },
        ports: local_ports().unwrap_or(0),
    })
}

/// The link of a connection over which so much came.
pub fn link(stream: &TcpStream, mbit: f64) -> std::io::Result<LinkReport> {
    let interface = interface_of(stream.local_addr()?.ip());
    let speed = |interface: &String| {
        read_small_file(format!("/sys/class/net/{interface}/speed"))?
            .parse()
            .ok()
    };
    let mtu = getsockopt(stream, sockopt::IpMtu);
    Ok(LinkReport {
        mbit,
        mtu: mtu.ok().and_then(|mtu| u32::try_from(mtu).ok()),
        interface_mbit: interface.as_ref().and_then(speed),
        interface,
    })
}

/// The interface that has this address.
fn interface_of(wanted: IpAddr) -> Option<String> {
    let mut all = nix::ifaddrs::getifaddrs().ok()?;
    let found = all.find(|interface| {
        let address = interface.address.as_ref();
        let v4 = address.and_then(|address| Some(address.as_sockaddr_in()?.ip().into()));
        let v6 = || address.and_then(|address| Some(address.as_sockaddr_in6()?.ip().into()));
        v4.or_else(v6) == Some(wanted)
    })?;
    Some(found.interface_name)
}

/// The lines of `/proc/stat` about cpus.
pub fn stat_of_cpus() -> String {
    let stat = read_small_file("/proc/stat").unwrap_or_default();
    let lines = stat.lines().filter(|line| line.starts_with("cpu"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Bytes that an interface has received and sent.
pub fn bytes_of(interface: &str) -> [u64; 2] {
    let table = read_small_file("/proc/self/net/dev").unwrap_or_default();
    in_table(&table, interface).unwrap_or_default()
}

/// Received bytes are the first of the 16 numbers of an interface, sent ones the ninth.
fn in_table(table: &str, interface: &str) -> Option<[u64; 2]> {
    let mut lines = table.lines();
    let numbers = lines.find_map(|line| line.trim_start().strip_prefix(interface)?.strip_prefix(':'))?;
    let numbers: Vec<u64> = numbers.split_whitespace().flat_map(str::parse).collect();
    Some([*numbers.first()?, *numbers.get(8)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interface_is_found_by_its_whole_name() {
        let table = "Inter-| Receive | Transmit\n face |bytes packets\n  eth0: 10 1 0 0 0 0 0 0 20 2 0 0 0 0 0 0\neth01:7 1 0 0 0 0 0 0 9 2\n";
        assert_eq!(in_table(table, "eth0"), Some([10, 20]));
        assert_eq!(in_table(table, "eth01"), Some([7, 9]));
        assert_eq!(in_table(table, "eth"), None);
    }

    #[test]
    fn this_machine_shows_itself() {
        let own = machine().unwrap();
        assert!(!own.cpus.is_empty() && own.open_files > 0 && own.ports > 0, "{own:?}");
        assert!(stat_of_cpus().lines().count() > own.cpus.len());
        let lo = interface_of(IpAddr::from([127, 0, 0, 1])).unwrap();
        std::net::UdpSocket::bind("127.0.0.1:0")
            .unwrap()
            .send_to(&[0; 100], "127.0.0.1:9")
            .unwrap();
        assert!(bytes_of(&lo)[1] > 0);
    }
}
