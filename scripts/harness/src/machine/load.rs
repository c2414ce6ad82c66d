//! How busy the machine is, and how much of it is taken by others.

use super::shown;

/// Load average over one minute.
pub fn average() -> f64 {
    shown("/proc/loadavg")
        .and_then(|text| text.split_whitespace().next()?.parse().ok())
        .unwrap_or(0.0)
}

/// Cpu time of some cpus up to now, in ticks of the kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ticks {
    all: u64,
    steal: u64,
}

impl Ticks {
    /// Of `cpus`, now.
    pub fn now(cpus: &[u32]) -> Self {
        shown("/proc/stat").map(|text| ticks(&text, cpus)).unwrap_or_default()
    }

    /// Share of the time since `earlier` that the hypervisor gave to others, 0 to 1.
    pub fn steal_share_since(self, earlier: Self) -> f64 {
        let all = self.all.saturating_sub(earlier.all);
        if all == 0 {
            return 0.0;
        }
        (self.steal.saturating_sub(earlier.steal) as f64 / all as f64).clamp(0.0, 1.0)
    }
}

/// Fields of a cpu's line: user nice system idle iowait irq softirq steal; guest time is part of user time already.
fn ticks(stat: &str, cpus: &[u32]) -> Ticks {
    const COUNTED: usize = 8;
    const STEAL: usize = 7;
    let mut sum = Ticks::default();
    for line in stat.lines() {
        let mut words = line.split_whitespace();
        let Some(cpu) = words
            .next()
            .and_then(|name| name.strip_prefix("cpu")?.parse::<u32>().ok())
        else {
            continue;
        };
        if !cpus.contains(&cpu) {
            continue;
        }
        for (field, value) in words.take(COUNTED).enumerate() {
            let value: u64 = value.parse().unwrap_or(0);
            sum.all += value;
            sum.steal += if field == STEAL { value } else { 0 };
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stolen_time_is_counted_for_the_named_cpus_only() {
        let before = "cpu  1 1 1 1 1 1 1 1 0 0\ncpu0 10 0 10 80 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 500 0 0\nintr 1 2 3\n";
        let after = "cpu  1 1 1 1 1 1 1 1 0 0\ncpu0 50 0 20 120 0 0 0 10 7 0\ncpu1 0 0 0 0 0 0 0 900 0 0\n";
        let share = ticks(after, &[0]).steal_share_since(ticks(before, &[0]));
        assert!((share - 0.1).abs() < 1e-12, "{share}");
        assert!(Ticks::default().steal_share_since(Ticks::default()).abs() < 1e-12);
    }
}
