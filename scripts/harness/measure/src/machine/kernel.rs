//! Reads how the kernel was built, which decides whose CPU time the work of the loopback network is added to.

use std::fs::File;
use std::io::Read;
use std::sync::OnceLock;

use flate2::read::GzDecoder;

use crate::kernel_files::read_small_file;

/// Largest configuration that is read; most have 300 KB.
const LARGEST: u64 = 4 << 20;

/// Whether the time of interrupts and softirqs is kept apart from that of the processes that they interrupt
/// (`CONFIG_IRQ_TIME_ACCOUNTING`); `None` if the kernel does not show its configuration, or has no such option.
pub fn irq_time_apart() -> Option<bool> {
    static KNOWN: OnceLock<Option<bool>> = OnceLock::new();
    *KNOWN.get_or_init(configured)
}

fn configured() -> Option<bool> {
    let packed = File::open("/proc/config.gz").ok().map(GzDecoder::new);
    let text = packed.and_then(text).or_else(|| {
        let release = read_small_file("/proc/sys/kernel/osrelease")?;
        text(File::open(format!("/boot/config-{release}")).ok()?)
    })?;
    apart(&text)
}

fn text(file: impl Read) -> Option<String> {
    let mut text = String::new();
    file.take(LARGEST).read_to_string(&mut text).ok()?;
    Some(text)
}

fn apart(configuration: &str) -> Option<bool> {
    configuration.lines().find_map(|line| match line {
        "CONFIG_IRQ_TIME_ACCOUNTING=y" => Some(true),
        "# CONFIG_IRQ_TIME_ACCOUNTING is not set" => Some(false),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_says_yes_or_no_or_nothing() {
        let told = |line: &str| apart(&format!("CONFIG_TICK_CPU_ACCOUNTING=y\n{line}\nCONFIG_PSI=y\n"));
        assert_eq!(told("CONFIG_IRQ_TIME_ACCOUNTING=y"), Some(true));
        assert_eq!(told("# CONFIG_IRQ_TIME_ACCOUNTING is not set"), Some(false));
        assert_eq!(told("CONFIG_HAVE_IRQ_TIME_ACCOUNTING=y"), None);
    }
}
