//! How busy the machine is, and how much of it others take: the hypervisor, and programs outside the measurement.
//!
//! The time of other programs is a difference: the time in which the cpus were not idle by `/proc/stat`, minus the time of server, load
//! generator and harness by their own clocks. The kernel reports the first in ticks of 10 ms, and the others exactly; so the difference is
//! rough for one slice, but not for a round. Idle time is measured from its beginning to its end, while the time of processes is sampled,
//! which is wrong by far where a [quota](crate::quota) lets a server run in step with the samples.

use std::ops::AddAssign;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use crate::kernel_files::read_small_file;

/// Load average over one minute; that from before this command was itself built, if it was.
///
/// That counts once: a later session of this process begins later.
pub fn average() -> f64 {
    static IS_KNOWN: AtomicBool = AtomicBool::new(false);
    let before = (!IS_KNOWN.swap(true, Ordering::Relaxed)).then(|| std::env::var("BENCH_LOAD_AVERAGE").ok());
    before
        .flatten()
        .or_else(|| read_small_file("/proc/loadavg"))
        .and_then(|text| text.split_whitespace().next()?.parse().ok())
        .unwrap_or(0.0)
}

/// The unit of `/proc/stat`: `USER_HZ` is 100 on x86-64 and arm64, independent of the kernel's own clock.
const TICK: Duration = Duration::from_millis(10);
/// If others take more than this share of the cpus' time, they disturb a slice. A slice of 50 ms on two cpus has ten ticks, and
/// if the cpus are not quite busy, chance alone moves the difference by one or two of them.
const SLICE_SHARE: f64 = 0.25;
/// Others must also take this much time to disturb a slice: three ticks, which is more than chance.
const SLICE_LEAST: Duration = Duration::from_millis(30);
/// If others take more than this share, they disturb a whole round or load. Ticks are rough: on two cpus with nothing else
/// running, rounds of slices showed 0 to 5 %. A program that keeps a cpu busy takes a quarter of two cpus or more.
const ROUND_SHARE: f64 = 0.10;

/// CPU time of some cpus up to now, in ticks of the kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ticks {
    all: u64,
    idle: u64,
    interrupts: u64,
    steal: u64,
}

impl Ticks {
    /// The ticks of `cpus` up to now.
    pub fn now(cpus: &[u32]) -> Self {
        read_small_file("/proc/stat").map_or_else(Self::default, |text| Self::of(&text, cpus))
    }

    /// The ticks of `cpus` in what `/proc/stat` says: user nice system idle iowait irq softirq steal; user time includes guest time.
    pub fn of(stat: &str, cpus: &[u32]) -> Self {
        let mut sum = Self::default();
        for line in stat.lines() {
            let mut words = line.split_whitespace();
            let cpu = words.next().and_then(|name| name.strip_prefix("cpu")?.parse().ok());
            if !cpu.is_some_and(|cpu| cpus.contains(&cpu)) {
                continue;
            }
            let mut fields = [0_u64; 8];
            for (field, word) in fields.iter_mut().zip(words) {
                *field = word.parse().unwrap_or(0);
            }
            let [_, _, _, idle, iowait, irq, softirq, steal] = fields;
            sum.all += fields.iter().sum::<u64>();
            sum.idle += idle + iowait;
            sum.interrupts += irq + softirq;
            sum.steal += steal;
        }
        sum
    }

    /// Time since `earlier` that the hypervisor gave to others.
    pub fn stolen_since(self, earlier: Self) -> Duration {
        time(self.steal.saturating_sub(earlier.steal))
    }

    /// Share of the time since `earlier` that the hypervisor gave to others, 0 to 1.
    pub fn steal_share_since(self, earlier: Self) -> f64 {
        share(self.stolen_since(earlier), time(self.all.saturating_sub(earlier.all)))
    }

    /// Time since `earlier`, of `available` time of all cpus together, in which they were busy, comparable with the CPU time of processes: it
    /// includes interrupts and softirqs, unless the kernel keeps these apart (`irq_time_apart`, see [`super::kernel`]).
    ///
    /// If they are kept apart, no process's CPU time includes them, and the load itself causes nearly all of them, so they are
    /// left out. If not, the CPU time of the interrupted process includes them, and a difference without them would be too
    /// small by all that the loopback network takes. If nothing is known, they are left out, so that others are not blamed
    /// wrongly.
    pub fn busy_since(self, earlier: Self, available: Duration, irq_time_apart: Option<bool>) -> Duration {
        let of_interrupts = match irq_time_apart {
            Some(false) => 0,
            Some(true) | None => self.interrupts.saturating_sub(earlier.interrupts),
        };
        if self.all == 0 {
            return Duration::ZERO; // nothing is known of these cpus
        }
        let idle = self.idle.saturating_sub(earlier.idle);
        available.saturating_sub(time(idle + of_interrupts) + self.stolen_since(earlier))
    }
}

fn time(ticks: u64) -> Duration {
    TICK.saturating_mul(u32::try_from(ticks).unwrap_or(u32::MAX))
}

/// Watches the cpus in use from a point in time on.
#[derive(Debug, Clone)]
pub struct Watch<'a> {
    cpus: &'a [u32],
    irq_time_apart: Option<bool>,
    began: Instant,
    ticks: Ticks,
    harness: Duration,
}

impl<'a> Watch<'a> {
    /// Starts to watch `cpus`: all of the server's and the generator's. `irq_time_apart` is the environment's.
    pub fn begin(cpus: &'a [u32], irq_time_apart: Option<bool>) -> Self {
        Self {
            cpus,
            irq_time_apart,
            began: Instant::now(),
            ticks: Ticks::now(cpus),
            harness: own_cpu(),
        }
    }

    /// What the cpus did since then. `of_the_load` is the CPU time meanwhile of all servers, including idle ones, and of the
    /// generator, including start and report; this process's own is added here.
    pub fn end(&self, of_the_load: Duration) -> Used {
        let ticks = Ticks::now(self.cpus);
        let cpus = u32::try_from(self.cpus.len()).unwrap_or(u32::MAX);
        let available = self.began.elapsed().saturating_mul(cpus);
        Used {
            available,
            busy: ticks.busy_since(self.ticks, available, self.irq_time_apart),
            known: of_the_load + own_cpu().saturating_sub(self.harness),
            steal: ticks.stolen_since(self.ticks),
        }
    }
}

/// What some cpus did for a while. The slices' values add up to the round's. Add them before computing what others took: that is
/// cut off at 0 for each value, so a sum of it would be too large.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Used {
    /// Available time of all cpus together.
    pub available: Duration,
    /// Time that they were busy with processes.
    pub busy: Duration,
    /// Time of the processes that belong to the measurement.
    pub known: Duration,
    /// Time that the hypervisor gave to others.
    pub steal: Duration,
}

impl AddAssign for Used {
    fn add_assign(&mut self, more: Self) {
        self.available += more.available;
        self.busy += more.busy;
        self.known += more.known;
        self.steal += more.steal;
    }
}

impl Used {
    /// Time of programs outside the measurement.
    pub fn others(&self) -> Duration {
        self.busy.saturating_sub(self.known)
    }

    /// The same as a share of the available time, 0 to 1.
    pub fn others_share(&self) -> f64 {
        share(self.others(), self.available)
    }

    /// Share of the available time that the hypervisor gave to others, 0 to 1.
    pub fn steal_share(&self) -> f64 {
        share(self.steal, self.available)
    }

    /// Whether other programs and the hypervisor took more than a quarter of this slice, which is then left out.
    pub fn spoils_slice(&self) -> bool {
        let taken = self.others() + self.steal;
        taken >= SLICE_LEAST && share(taken, self.available) > SLICE_SHARE
    }
}

/// Whether a round, or a load of its own, in which others took this share of the cpus was disturbed.
pub fn spoils_round(others_share: f64) -> bool {
    others_share > ROUND_SHARE
}

fn share(part: Duration, whole: Duration) -> f64 {
    if whole.is_zero() {
        return 0.0;
    }
    part.div_duration_f64(whole).clamp(0.0, 1.0)
}

/// CPU time of this process up to now, without its children's.
pub fn own_cpu() -> Duration {
    let micros = getrusage(UsageWho::RUSAGE_SELF).map_or(0, |usage| {
        usage.user_time().num_microseconds() + usage.system_time().num_microseconds()
    });
    Duration::from_micros(u64::try_from(micros).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str =
        "cpu  1 1 1 1 1 1 1 1 0 0\ncpu0 10 0 10 80 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 500 0 0\nintr 1 2 3\n";
    const AFTER: &str = "cpu  1 1 1 1 1 1 1 1 0 0\ncpu0 50 0 20 120 0 0 0 10 7 0\ncpu1 0 0 0 0 0 0 0 900 0 0\n";

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn used(available: u64, busy: u64, known: u64) -> Used {
        Used {
            available: millis(available),
            busy: millis(busy),
            known: millis(known),
            steal: Duration::ZERO,
        }
    }

    #[test]
    fn stolen_time_is_counted_for_the_named_cpus_only() {
        let share = Ticks::of(AFTER, &[0]).steal_share_since(Ticks::of(BEFORE, &[0]));
        assert!((share - 0.1).abs() < 1e-12, "{share}");
        assert!(Ticks::default().steal_share_since(Ticks::default()).abs() < 1e-12);
    }

    #[test]
    fn busy_is_what_is_on_the_clocks_of_processes() {
        // user nice system idle iowait irq softirq steal guest guest_nice
        let before = Ticks::of("cpu0 100 10 50 900 40 5 15 7 0 0\ncpu1 1 1 1 1 1 1 1 1\n", &[0]);
        let after = Ticks::of("cpu0 110 13 52 990 90 6 19 9 9 9\ncpu1 9 9 9 9 9 9 9 9\n", &[0]);
        // Of 1,720 ms idle for 1,400, stolen for 20 and interrupted for 50.
        let busy = |irq_time_apart| after.busy_since(before, millis(1720), irq_time_apart);
        assert_eq!(busy(Some(true)), millis(250));
        assert_eq!(busy(None), millis(250));
        // If the CPU time of the interrupted process includes them, irq (1) and softirq (4) are part of it.
        assert_eq!(busy(Some(false)), millis(300));
        assert_eq!(
            before.busy_since(after, Duration::ZERO, Some(false)),
            Duration::ZERO,
            "a counter never runs backwards"
        );
    }

    #[test]
    fn what_the_load_used_is_nobody_elses() {
        let alone = used(120, 110, 112);
        assert_eq!(alone.others(), Duration::ZERO);
        assert!(!alone.spoils_slice() && !spoils_round(alone.others_share()));
        let shared = used(120, 120, 60);
        assert_eq!(shared.others(), millis(60));
        assert!((shared.others_share() - 0.5).abs() < 1e-12);
        assert!(shared.spoils_slice());
        assert!(Used::default().others_share().abs() < 1e-12);
    }

    #[test]
    fn two_ticks_of_a_slice_are_chance_and_three_of_a_long_one_too() {
        assert!(!used(60, 60, 40).spoils_slice(), "a third, but two ticks only");
        assert!(used(100, 100, 70).spoils_slice());
        assert!(!used(400, 400, 360).spoils_slice(), "four ticks, but a tenth only");
    }

    #[test]
    fn chance_cancels_over_a_round_and_a_busy_neighbour_does_not() {
        // Ticks say now too much, now too little; cut off at 0 slice by slice they would add up to 8 % of others.
        let mut alone = Used::default();
        let mut shared = Used::default();
        for slice in 0..32 {
            let busy = if slice % 2 == 0 { 100 } else { 80 };
            alone += used(120, busy, 90);
            shared += used(120, busy, 75);
        }
        assert!(alone.others().is_zero(), "{alone:?}");
        assert!(!spoils_round(alone.others_share()));
        assert!((shared.others_share() - 1.0 / 8.0).abs() < 1e-12);
        assert!(spoils_round(shared.others_share()));
    }

    #[test]
    fn a_busy_neighbour_is_seen_and_the_own_time_is_known() {
        let cpus = crate::affinity::allowed();
        let mut neighbour = std::process::Command::new("sh")
            .args(["-c", "while :; do :; done"])
            .spawn()
            .unwrap();
        let watch = Watch::begin(&cpus, Some(true));
        let cpu = own_cpu();
        while own_cpu().saturating_sub(cpu) < millis(100) {
            std::hint::black_box(0);
        }
        std::thread::sleep(millis(200));
        let used = watch.end(Duration::ZERO);
        neighbour.kill().unwrap();
        neighbour.wait().unwrap();
        assert!(used.known >= millis(100), "{used:?}");
        assert!(used.others() >= millis(50), "{used:?}");
    }
}
