//! Reads how the kernel was built, which decides whose CPU time the work of the loopback network is added to.

use std::sync::OnceLock;

/// Whether the time of interrupts and softirqs is kept apart from the time of the processes that they interrupt
/// (`CONFIG_IRQ_TIME_ACCOUNTING`); `None` if the kernel does not show its configuration.
pub fn irq_time_apart() -> Option<bool> {
    static KNOWN: OnceLock<Option<bool>> = OnceLock::new();
    let known = || Some(procfs::kernel_config().ok()?.contains_key("CONFIG_IRQ_TIME_ACCOUNTING"));
    *KNOWN.get_or_init(known)
}
