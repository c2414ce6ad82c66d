//! Ctrl-C and SIGTERM, which every wait checks for.

use std::io;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// How often a thread that waits looks for an interrupt.
const POLL: Duration = Duration::from_millis(20);

static REQUESTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// The run was interrupted by the user.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// From now on a signal is noted instead of ending the process, so that children are ended and journals complete.
pub fn listen() -> io::Result<()> {
    let flag = REQUESTED.get_or_init(Arc::default);
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // A second signal ends the process as usual, in case a wait does not check.
        signal_hook::flag::register_conditional_default(signal, Arc::clone(flag))?;
        signal_hook::flag::register(signal, Arc::clone(flag))?;
    }
    Ok(())
}

/// Computes what cannot be interrupted in a thread of its own. After an interrupt nobody waits for it: it ends with the process.
pub fn computed<T: Send + 'static>(compute: impl FnOnce() -> T + Send + 'static) -> Result<T, Interrupted> {
    let computing = thread::spawn(compute);
    while !computing.is_finished() {
        check()?;
        thread::sleep(POLL);
    }
    computing.join().map_err(|panic| resume_unwind(panic))
}

/// Waits, unless the user interrupts it.
pub fn sleep(time: Duration) -> Result<(), Interrupted> {
    let end = Instant::now() + time;
    while Instant::now() < end {
        check()?;
        thread::sleep(POLL);
    }
    Ok(())
}

/// An error once the user has interrupted the run.
pub fn check() -> Result<(), Interrupted> {
    match REQUESTED.get() {
        Some(flag) if flag.load(Ordering::Relaxed) => Err(Interrupted),
        _ => Ok(()),
    }
}
