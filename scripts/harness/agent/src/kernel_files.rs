//! What the kernel shows in the small files of /proc and /sys.

use std::fs;
use std::path::Path;

/// A small file of /proc or /sys without its line end; `None` if it is missing or empty.
pub fn read_small_file(path: impl AsRef<Path>) -> Option<String> {
    fs::read_to_string(path)
        .ok()
        .map(|text| text.trim_end().to_owned())
        .filter(|text| !text.is_empty())
}

/// Changes with each start of the machine.
pub fn boot_id() -> Option<String> {
    read_small_file("/proc/sys/kernel/random/boot_id")
}

/// Model of the processor; arm64 shows numbers instead of a name.
pub fn cpu_model() -> String {
    let cpus = read_small_file("/proc/cpuinfo").unwrap_or_default();
    let named = |name: &str| {
        let mut lines = cpus.lines();
        lines.find_map(|line| Some(line.strip_prefix(name)?.trim_start().strip_prefix(':')?.trim()))
    };
    match (named("model name"), named("CPU implementer"), named("CPU part")) {
        (Some(name), ..) => name.to_owned(),
        (None, Some(implementer), Some(part)) => format!("implementer {implementer} part {part}"),
        _ => format!("unknown {}", std::env::consts::ARCH),
    }
}

/// Version of the kernel.
pub fn kernel_version() -> String {
    read_small_file("/proc/sys/kernel/osrelease").unwrap_or_else(|| "unknown".into())
}

/// How many ports one address can connect from.
pub fn local_ports() -> Option<u32> {
    let range = read_small_file("/proc/sys/net/ipv4/ip_local_port_range")?;
    let mut ends = range.split_whitespace().map(str::parse::<u32>);
    let (low, high) = (ends.next()?.ok()?, ends.next()?.ok()?);
    Some(high.saturating_sub(low) + 1)
}
