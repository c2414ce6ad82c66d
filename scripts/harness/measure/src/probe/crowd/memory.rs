//! What memory a server keeps of connections that came, waited and left, again and again.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use model::probe::{MemoryAt, ProbeOutcome};

use super::{Crowd, PATIENCE};
use crate::probe::client::{answered, becomes};
use crate::probe::{Attempt, Watched};
use machine::interrupt;

/// Between two looks at a server that has been left.
const LOOK: Duration = Duration::from_secs(5);
/// Held while connections are open: this process may have too few files for two crowds, and each is to find the cpus free.
static TURN: Mutex<()> = Mutex::new(());

impl Crowd {
    /// Whether it comes several times, and others of its kind meanwhile to other servers.
    pub fn takes_turns(&self) -> bool {
        self.times > 1
    }

    /// Comes and leaves as often as it is to. A server that does not serve all of them once is not asked again.
    pub(super) fn come_and_go(&self, server: Watched<'_>) -> Attempt {
        // What the first answer takes is not of the connections.
        drop(answered(server.address, server.protocol.is_http2(), PATIENCE));
        let (mut memory, mut began, mut first) = (Vec::new(), None, None);
        let mut look = |connections: usize| {
            let seconds = began.get_or_insert_with(Instant::now).elapsed().as_secs_f64();
            memory.extend((server.memory)().map(|bytes| MemoryAt {
                seconds: (seconds * 10.0).round() / 10.0,
                connections: u32::try_from(connections).unwrap_or(u32::MAX),
                bytes,
            }));
        };
        let mut left = self.times.max(1);
        loop {
            let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
            look(0);
            let mut attempt = self.once(server, &mut look);
            drop(turn);
            // Those that come later find memory that was kept for them.
            let figures = first.get_or_insert_with(|| attempt.figures.clone());
            let is_served = attempt.outcome == ProbeOutcome::Passed;
            let (gone, lasting) = (Instant::now(), Duration::from_secs(self.after_seconds));
            while let Some(left) = lasting.checked_sub(gone.elapsed())
                && is_served
                && interrupt::check().is_ok()
            {
                becomes(left.min(LOOK), Duration::from_millis(50), || false);
                look(0);
            }
            left -= 1;
            if !is_served || left == 0 {
                (attempt.figures, attempt.memory) = (std::mem::take(figures), memory);
                return attempt;
            }
        }
    }
}
