//! What the known work of a control takes on this machine.

#[path = "../../../../apps/control/src/work.rs"]
mod work;

use std::thread;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

use crate::affinity;

/// How often the work is done between two looks at the clock: a third of a millisecond and more.
const CALLS: u32 = 2_000;
/// Measurements on each cpu, of which the median counts: an interrupt in one of them does not.
const BATCHES: usize = 9;

/// Nanoseconds of CPU time that so many steps take on average over these cpus; `None` if a thread cannot be pinned to one of them.
pub fn nanoseconds(steps: u32, cpus: &[u32]) -> Option<f64> {
    if steps == 0 {
        return Some(0.0);
    }
    let on_each: Option<Vec<f64>> = thread::scope(|scope| {
        // One after the other: two cpus may be threads of one core.
        cpus.iter()
            .map(|cpu| scope.spawn(|| on(*cpu, steps)).join().ok()?)
            .collect()
    });
    let on_each = on_each.filter(|found| !found.is_empty())?;
    Some(on_each.iter().sum::<f64>() / on_each.len() as f64)
}

/// On one cpu, by a thread that may be pinned.
fn on(cpu: u32, steps: u32) -> Option<f64> {
    affinity::pin(0, &[cpu]).ok()?;
    let mut batches = Vec::new();
    for _ in 0..BATCHES {
        let before = cpu_time()?;
        for _ in 0..CALLS {
            work::spin(steps);
        }
        batches.push(cpu_time()?.saturating_sub(before));
    }
    batches.sort_unstable();
    Some(batches[BATCHES / 2].as_secs_f64() * 1e9 / f64::from(CALLS))
}

fn cpu_time() -> Option<Duration> {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).ok().map(Duration::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_steps_take_longer_and_none_take_no_time() {
        let cpus = &affinity::allowed()[..1];
        assert_eq!(nanoseconds(0, cpus), Some(0.0));
        let [few, many] = [100, 1_000].map(|steps| nanoseconds(steps, cpus).unwrap());
        assert!(many > 3.0 * few && few > 10.0, "{few} {many}");
        assert_eq!(nanoseconds(100, &[100_000]), None);
    }
}
