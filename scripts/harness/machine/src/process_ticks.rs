//! CPU time of processes as `/proc/PID/stat` counts it (proc(5)): in hundredths of a second, by where it was spent.

use std::iter::Sum;
use std::time::Duration;

use procfs::process::{Process, Stat};

/// CPU time in ticks of the kernel, 100 a second. Few of them are exact only in sums: a slice has 20.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProcessTicks {
    /// In user space, by all threads and by the children that have ended and were waited for.
    pub user: u64,
    /// In the kernel, by the same.
    pub system: u64,
    /// In both, by these children alone.
    pub reaped: u64,
}

impl ProcessTicks {
    /// Of process `pid` up to now; none once it is gone.
    pub fn of(pid: i32) -> Self {
        let stat = Process::new(pid).and_then(|process| process.stat());
        stat.map_or(Self::default(), |stat| Self::from(&stat))
    }

    /// CPU time of the children that have ended and were waited for, and of theirs.
    pub fn reaped(self) -> Duration {
        Duration::from_secs_f64(self.reaped as f64 / procfs::ticks_per_second() as f64)
    }

    /// What was added since `before`.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            user: self.user.saturating_sub(before.user),
            system: self.system.saturating_sub(before.system),
            reaped: self.reaped.saturating_sub(before.reaped),
        }
    }

    /// Share that was spent in the kernel, 0 to 1; `None` of no tick.
    pub fn system_share(self) -> Option<f64> {
        let all = self.user + self.system;
        (all > 0).then(|| self.system as f64 / all as f64)
    }
}

impl From<&Stat> for ProcessTicks {
    fn from(stat: &Stat) -> Self {
        let [user, system] = [stat.cutime, stat.cstime].map(|of_children| u64::try_from(of_children).unwrap_or(0));
        Self {
            user: stat.utime + user,
            system: stat.stime + system,
            reaped: user + system,
        }
    }
}

impl Sum for ProcessTicks {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            user: sum.user + one.user,
            system: sum.system + one.system,
            reaped: sum.reaped + one.reaped,
        })
    }
}

#[cfg(test)]
mod tests {
    use procfs::FromRead as _;

    use super::*;

    #[test]
    fn user_and_system_time_are_those_of_the_process_and_of_its_ended_children() {
        // A server whose name is what breaks readers that split at spaces: utime 620, stime 1430, cutime 40, cstime 10.
        let recorded = "4242 (axum) R 1 2) S 4240 4242 4240 0 -1 4194304 1893 77 0 0 620 1430 40 10 20 0 3 0 181203 20406272 1190 \
                        18446744073709551615 1 1 0 0 0 0 0 4096 1088 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
        let ticks = ProcessTicks::from(&Stat::from_read(recorded.as_bytes()).unwrap());
        let [user, system, reaped] = [660, 1440, 50];
        assert_eq!(ticks, ProcessTicks { user, system, reaped });
        assert_eq!(ticks.reaped(), Duration::from_millis(500));
    }

    #[test]
    fn the_share_in_the_kernel_is_that_of_the_sum() {
        let ticks = |user, system| ProcessTicks {
            user,
            system,
            reaped: 0,
        };
        // Slices of one tick each, of which one in four is the kernel's.
        let slices = [ticks(1, 0), ticks(1, 0), ticks(0, 1), ticks(1, 0), ticks(0, 0)];
        assert_eq!(slices.into_iter().sum::<ProcessTicks>().system_share(), Some(0.25));
        assert_eq!(ticks(9, 5).since(ticks(6, 4)).system_share(), Some(0.25));
        assert_eq!(ticks(9, 5).since(ticks(9, 5)).system_share(), None);
        assert_eq!(ticks(0, 1).since(ticks(9, 1)), ProcessTicks::default(), "it is gone");
    }
}
