//! Ctrl-C and SIGTERM: whoever waits, looks here.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

static ASKED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// The run was interrupted by the user.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// From now on an interrupt is noted instead of ending the process, so that children end and journals are whole.
pub fn listen() -> io::Result<()> {
    let flag = ASKED.get_or_init(Arc::default);
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // The second signal of its kind ends the process as it would have: a wait that does not look is no trap.
        signal_hook::flag::register_conditional_default(signal, Arc::clone(flag))?;
        signal_hook::flag::register(signal, Arc::clone(flag))?;
    }
    Ok(())
}

/// An error once the user has asked to stop.
pub fn check() -> Result<(), Interrupted> {
    match ASKED.get() {
        Some(flag) if flag.load(Ordering::Relaxed) => Err(Interrupted),
        _ => Ok(()),
    }
}
