//! How the kernel was built, where it says so: that decides on whose clock the work of the loopback network runs.

use std::fs::File;
use std::io::Read;
use std::sync::OnceLock;

use flate2::read::GzDecoder;

use super::read_small_file;

/// Largest configuration that is read; usual are 300 KB.
const LARGEST: u64 = 4 << 20;

/// Whether interrupts and softirqs are accounted apart from the processes that they interrupt
/// (`CONFIG_IRQ_TIME_ACCOUNTING`); `None` where the kernel shows no configuration, or has no such option.
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
