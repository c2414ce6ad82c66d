//! What the kernel counts: clocks, cpus, bytes of a network interface.

use std::fs;
use std::net::IpAddr;
use std::time::Duration;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::time::{ClockId, clock_gettime};
use nix::unistd::Pid;

use crate::words::{Clocks, Machine, VERSION};

/// Both clocks.
pub fn clocks() -> nix::Result<Clocks> {
    Ok(Clocks {
        monotonic_ns: nanoseconds(clock_gettime(ClockId::CLOCK_MONOTONIC)?.into()),
        wall_ns: nanoseconds(clock_gettime(ClockId::CLOCK_REALTIME)?.into()),
    })
}

/// Time in nanoseconds.
pub fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Time in microseconds.
pub fn microseconds(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// This machine, with as many open files as this process may have.
pub fn machine() -> Machine {
    let open_files = getrlimit(Resource::RLIMIT_NOFILE).map_or(0, |(soft, hard)| {
        match setrlimit(Resource::RLIMIT_NOFILE, hard, hard) {
            Ok(()) => hard,
            Err(_) => soft,
        }
    });
    let ports = read("/proc/sys/net/ipv4/ip_local_port_range");
    let ports: Vec<u32> = ports.split_whitespace().flat_map(str::parse).collect();
    let cpuinfo = read("/proc/cpuinfo");
    let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name"));
    Machine {
        version: VERSION,
        cpus: cpus(),
        cpu_model: model
            .map_or("", |model| model.trim_start_matches([' ', '\t', ':']))
            .to_owned(),
        kernel: read("/proc/sys/kernel/osrelease"),
        boot_id: read("/proc/sys/kernel/random/boot_id"),
        open_files,
        ports: match ports.as_slice() {
            [first, last] => last.saturating_sub(*first).saturating_add(1),
            _ => 0,
        },
    }
}

/// Cpus that this process may use.
fn cpus() -> Vec<u32> {
    let set = nix::sched::sched_getaffinity(Pid::from_raw(0));
    let set = set.unwrap_or_else(|_| nix::sched::CpuSet::new());
    let all = 0..nix::sched::CpuSet::count();
    all.filter(|cpu| set.is_set(*cpu).unwrap_or(false))
        .flat_map(u32::try_from)
        .collect()
}

/// The lines of `/proc/stat` about cpus.
pub fn stat_of_cpus() -> String {
    let stat = read("/proc/stat");
    let lines = stat.lines().filter(|line| line.starts_with("cpu"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Bytes that an interface has received and sent.
pub fn bytes_of(interface: &str) -> [u64; 2] {
    in_table(&read("/proc/self/net/dev"), interface).unwrap_or_default()
}

/// Received bytes are the first of the 16 numbers of an interface, sent ones the ninth.
fn in_table(table: &str, interface: &str) -> Option<[u64; 2]> {
    let numbers = table
        .lines()
        .find_map(|line| line.trim_start().strip_prefix(interface)?.strip_prefix(':'))?;
    let numbers: Vec<u64> = numbers.split_whitespace().flat_map(str::parse).collect();
    Some([*numbers.first()?, *numbers.get(8)?])
}

/// The interface that has this address.
pub fn interface_of(address: IpAddr) -> Option<String> {
    let mut all = nix::ifaddrs::getifaddrs().ok()?;
    let found = all.find(|interface| {
        let own = interface.address.as_ref();
        match address {
            IpAddr::V4(wanted) => own
                .and_then(|own| own.as_sockaddr_in())
                .is_some_and(|own| own.ip() == wanted),
            IpAddr::V6(wanted) => own
                .and_then(|own| own.as_sockaddr_in6())
                .is_some_and(|own| own.ip() == wanted),
        }
    })?;
    Some(found.interface_name)
}

/// Speed of an interface in Mbit/s, where it says.
pub fn mbit_of(interface: &str) -> Option<u32> {
    read(&format!("/sys/class/net/{interface}/speed")).parse().ok()
}

/// A small file of the kernel, without the white space around it; empty if it cannot be read.
fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default().trim().to_owned()
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
        let own = machine();
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
