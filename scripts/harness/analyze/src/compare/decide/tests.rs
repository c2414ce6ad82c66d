use std::fmt::Write as _;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::*;
use stats::random::{normal, uniform};

const TIMED: Metric = Metric::ServerCpuUsPerRequest;
const COUNTED: Metric = Metric::InstructionsPerRequest;

fn series(metric: Metric, log_ratios: &[f64]) -> Progress {
    Progress {
        pairs: log_ratios.iter().map(|ratio| [0.0, *ratio]).collect(),
        ..Progress::new(metric)
    }
}

/// `count` pairs around `center`, half a per mille apart.
fn around(center: f64, count: u32) -> Vec<f64> {
    (0..count)
        .map(|n| center + 0.0005 * (f64::from(n) - f64::from(count - 1) / 2.0))
        .collect()
}

#[test]
fn the_first_look_comes_as_soon_as_anything_could_be_named() {
    let gates = Gates::built_in();
    // 0.01 ÷ 4 looks ÷ 9 series = 0.000278; 2 ÷ 2^13 = 0.000244, and 2 of the 12,870 divisions of eight and eight are 0.000155.
    assert_eq!(looks(TIMED, 9, &gates, None), [13, 20, 30, 45]);
    assert_eq!(looks(TIMED, 1, &gates, None), [10, 15, 23, 35]);
    assert_eq!(looks(COUNTED, 9, &gates, None), [2, 3, 5, 8, 12, 18, 27]);
    assert_eq!(looks(COUNTED, 1, &gates, None), [2, 3, 5, 6, 9, 14, 21]);
    for count in [1, 3, 9, 27, 200] {
        assert!(signed_rank::smallest_p(looks(TIMED, count, &gates, None)[0]) <= 0.0025 / count as f64);
        let of_counted = looks(COUNTED, count, &gates, None);
        assert!(rank_sum::smallest_p(of_counted[EARLY.len()]) <= 0.0025 / count as f64);
        assert!(EARLY.iter().all(|early| rank_sum::smallest_p(*early) > 0.0025));
    }
    // Each is looked at by its own numbers of pairs; a comparison before there were counted ones, by one.
    let both = || [TIMED, COUNTED].into_iter();
    assert_eq!(all_looks(both(), &gates, None), [2, 3, 5, 7, 11, 17, 26, 39]);
    let before = Gates {
        counted: Vec::new(),
        ..gates.clone()
    };
    assert_eq!(all_looks(both(), &before, None), looks(TIMED, 2, &gates, None));
    assert_eq!(all_looks(both(), &gates, Some(4)), [4]);
}

#[test]
fn direction_and_size_decide() {
    let gates = Gates::built_in();
    let wide: Vec<f64> = around(0.02, 13).iter().map(|value| value * 1.5 - 0.012).collect();
    let table = [
        (TIMED, around(0.05, 13), Some(Decision::Regression)),
        (TIMED, around(-0.05, 13), Some(Decision::Improvement)),
        (Metric::GoodputRps, around(-0.06, 13), Some(Decision::Regression)),
        (TIMED, around(0.0, 13), Some(Decision::NoChange)),
        // Proven, and smaller than what counts.
        (TIMED, around(0.01, 13), Some(Decision::NoChange)),
        (COUNTED, around(0.01, 13), Some(Decision::Regression)),
        // Proven, and not proven to be smaller than what counts.
        (TIMED, wide, None),
    ];
    let mut all = table.each_ref().map(|(metric, ratios, _)| series(*metric, ratios));
    look(&mut all, &gates, |_| true);
    assert_eq!(all.map(|series| series.decided), table.map(|(_, _, decision)| decision));
}

#[test]
fn too_few_pairs_and_what_may_not_be_judged_stay_open() {
    let gates = Gates::built_in();
    let mut all = [
        series(TIMED, &around(0.5, 9)),
        Progress {
            judged: false,
            ..series(TIMED, &around(0.5, 30))
        },
    ];
    look(&mut all, &gates, |_| true);
    assert_eq!((all[0].decided, all[0].is_open()), (None, true));
    assert_eq!((all[1].decided, all[1].is_open()), (None, false));
}

/// How pairs may spread: independent and log-normal, each like the one before with this correlation, heavy-tailed.
#[derive(Debug, Clone, Copy)]
enum Noise {
    LogNormal,
    Autocorrelated(f64),
    HeavyTailed,
}

/// Log-ratios of pairs, one after the other.
fn pairs(noise: Noise, spread: f64, change: f64, count: u32, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut before = None;
    (0..count)
        .map(|_| {
            let own = match noise {
                Noise::LogNormal => normal(rng),
                // Autoregressive, of the same variance from the first pair on: what favours a side in one pair still does in
                // the next.
                Noise::Autocorrelated(rho) => {
                    let new = normal(rng);
                    *before.insert(before.map_or(new, |before| rho * before + (1.0 - rho * rho).sqrt() * new))
                }
                Noise::HeavyTailed => normal(rng) / (-uniform(rng).ln()).sqrt(),
            };
            change + spread * own
        })
        .collect()
}

/// Decisions of one comparison of nine series, of which the first has changed.
fn compared(noise: Noise, spread: f64, change: f64, gates: &Gates, rng: &mut ChaCha8Rng) -> Vec<Option<Decision>> {
    let most = looks(TIMED, 9, gates, None)[LOOKS - 1];
    let change = |series| if series == 0 { change } else { 0.0 };
    let series = (0..9).map(|series| pairs(noise, spread, change(series), most, rng));
    replayed(&series.collect::<Vec<_>>(), gates)
}

/// Decisions about series whose pairs are all there.
fn replayed(pairs: &[Vec<f64>], gates: &Gates) -> Vec<Option<Decision>> {
    let mut all: Vec<Progress> = pairs.iter().map(|pairs| series(TIMED, pairs)).collect();
    replay(&mut all, gates, None);
    all.into_iter().map(|series| series.decided).collect()
}

fn name_a_change(decisions: Vec<Option<Decision>>) -> bool {
    decisions.into_iter().flatten().any(Decision::names_a_change)
}

/// Power at a spread of 2 % a pair: share of 200 comparisons that name a change of this size, and name the right one.
#[test]
fn the_power_is_what_it_was() {
    const COMPARISONS: u32 = 200;
    let gates = Gates::built_in();
    let mut table = String::from("change  log-normal  autocorrelated  heavy-tailed\n");
    for change in [0.01, 0.02, 0.03, 0.05, 0.10, 0.20_f64] {
        let _ = write!(table, "{:>5.0}%", change * 100.0); // a String takes everything
        for noise in [Noise::LogNormal, Noise::Autocorrelated(0.3), Noise::HeavyTailed] {
            let mut rng = ChaCha8Rng::seed_from_u64(4);
            let mut decided = || compared(noise, 0.02, change.ln_1p(), &gates, &mut rng)[0];
            let found = (0..COMPARISONS)
                .filter(|_| decided() == Some(Decision::Regression))
                .count();
            let _ = write!(table, "  {:>10.0}%", found as f64 / f64::from(COMPARISONS) * 100.0);
        }
        table.push('\n');
    }
    insta::assert_snapshot!(table);
}

/// The interval of "no change" holds for one look, and there are four: of 1,000 series that did change, this many are said not to have.
#[test]
fn no_change_is_rarely_said_of_what_changed() {
    let gates = Gates::built_in();
    let looks = looks(TIMED, 13, &gates, None);
    let mut table = String::from("change  spread 1 %   2 %\n");
    for change in [0.015, 0.02, 0.025_f64] {
        let [one, two] = [0.01, 0.02].map(|spread| {
            let mut rng = ChaCha8Rng::seed_from_u64(6);
            let said = (0..1_000).filter(|_| {
                let mut all = [series(TIMED, &[])];
                let drawn = pairs(Noise::LogNormal, spread, change.ln_1p(), looks[LOOKS - 1], &mut rng);
                for made in &looks {
                    if all[0].is_open() {
                        all[0].pairs = series(TIMED, &drawn[..*made as usize]).pairs;
                        look(&mut all, &gates, |_| true);
                    }
                }
                all[0].decided == Some(Decision::NoChange)
            });
            said.count()
        });
        let _ = writeln!(table, "{:>4.1} %  {one:>10}  {two:>4}", change * 100.0);
    }
    insta::assert_snapshot!(table);
}

/// A thousand of each noise and spread are in `slow`.
#[test]
fn without_a_change_hardly_anything_is_named() {
    let gates = Gates::built_in();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let wrong = (0..50).filter(|_| name_a_change(compared(Noise::HeavyTailed, 0.05, 0.0, &gates, &mut rng)));
    // Of a binomial with the mean that is promised, half a comparison, one draw in five hundred is above 3.
    assert!(wrong.count() <= 3);
}

/// How both sides of a counted metric may spread from start to start.
#[derive(Debug, Clone, Copy)]
enum Counts {
    /// As axum's (0.09 % a side), and as rocket's.
    Normal(f64),
    /// One start in ten costs 5 % more.
    Outliers,
    /// One of two values, 2 % apart, as likely as the other: a few pairs may be alike and far from zero.
    Either,
    /// Both sides drift together, by 0.3 % a pair.
    Drifting,
}

impl Counts {
    const ALL: [Self; 5] = [
        Self::Normal(0.000_9),
        Self::Normal(0.007),
        Self::Outliers,
        Self::Either,
        Self::Drifting,
    ];

    /// ln(base) and ln(head) of pairs, one after the other.
    fn pairs(self, change: f64, count: u32, rng: &mut ChaCha8Rng) -> Vec<[f64; 2]> {
        let mut own = |at: u32| match self {
            Self::Normal(spread) => spread * normal(rng),
            Self::Outliers => 0.000_9 * normal(rng) + if uniform(rng) < 0.1 { 0.05 } else { 0.0 },
            Self::Either if uniform(rng) < 0.5 => 0.02,
            Self::Either => 0.0,
            Self::Drifting => 0.000_9 * normal(rng) + 0.003 * f64::from(at),
        };
        (0..count).map(|at| [own(at), own(at) + change]).collect()
    }

    /// Decisions about nine endpoints, of which the first two have changed, and how many pairs these two took.
    fn compared(self, change: f64, gates: &Gates, rng: &mut ChaCha8Rng) -> (Vec<Option<Decision>>, usize) {
        let most = looks(COUNTED, 9, gates, None)[LOOKS + EARLY.len() - 1];
        let series = (0..9).map(|at| Progress {
            pairs: self.pairs(if at < 2 { change } else { 0.0 }, most, rng),
            ..Progress::new(COUNTED)
        });
        let mut all: Vec<Progress> = series.collect();
        replay(&mut all, gates, None);
        let took = all[..2].iter().map(|one| one.pairs.len()).sum();
        (all.into_iter().map(|one| one.decided).collect(), took)
    }
}

/// A thousand of each, and a table, are in `slow`.
#[test]
fn counts_are_decided_after_few_pairs_and_after_more_where_they_are_restless() {
    let gates = Gates::built_in();
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let mut compared = |counts: Counts, change: f64| {
        let mut all = (0..20).map(|_| counts.compared(change, &gates, &mut rng));
        let (decided, took): (Vec<_>, Vec<usize>) = all.by_ref().unzip();
        let of_changed = decided.iter().flat_map(|decided| &decided[..2]);
        let named = of_changed.filter(|one| **one == Some(Decision::Regression)).count();
        (named, took.iter().sum::<usize>() as f64 / 40.0)
    };
    let (named, pairs) = compared(Counts::Normal(0.000_9), 0.0);
    assert!(named == 0 && pairs < 4.0, "{named} of 40 after {pairs}");
    let (named, pairs) = compared(Counts::Normal(0.000_9), 0.02);
    assert!(named == 40 && pairs <= 8.0, "{named} of 40 after {pairs}");
    let (named, pairs) = compared(Counts::Normal(0.007), 0.02);
    assert!(named >= 36 && pairs > 8.0, "{named} of 40 after {pairs}");
    let (named, pairs) = compared(Counts::Outliers, 0.02);
    assert!(named >= 36 && pairs > 8.0, "{named} of 40 after {pairs}");
}

mod slow {
    use super::*;

    /// Ten of a thousand may be wrong; a binomial with that mean is above 17 in one of a hundred draws.
    const MOST: usize = 17;

    #[test]
    fn without_a_change_nothing_is_named_more_often_than_promised() {
        let gates = Gates::built_in();
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for noise in [Noise::LogNormal, Noise::HeavyTailed] {
            for spread in [0.005, 0.05] {
                let wrong = (0..1_000).filter(|_| name_a_change(compared(noise, spread, 0.0, &gates, &mut rng)));
                let wrong = wrong.count();
                assert!(wrong <= MOST, "{noise:?} with spread {spread}: {wrong} of 1000");
            }
        }
    }

    /// Instructions of an app: what 100 comparisons say of two endpoints that changed by so much, after how many pairs; and in how
    /// many an endpoint without a change is named.
    #[test]
    fn what_counts_decide_by_their_spread_and_the_change() {
        let gates = Gates::built_in();
        let mut table = String::from("change  spread            named  no change  open  pairs  others named\n");
        for change in [0.0, 0.004, 0.006, 0.01, 0.02_f64] {
            for counts in Counts::ALL {
                let mut rng = ChaCha8Rng::seed_from_u64(8);
                let (mut said, mut took, mut others) = ([0; 3], 0, 0);
                for _ in 0..100 {
                    let (decided, pairs) = counts.compared(change.ln_1p(), &gates, &mut rng);
                    for one in &decided[..2] {
                        let place = one.map_or(2, |one| usize::from(one == Decision::NoChange));
                        said[place] += 1;
                    }
                    took += pairs;
                    others += u32::from(name_a_change(decided[2..].to_vec()));
                }
                let [named, none, open] = said;
                let _ = writeln!(
                    table,
                    "{:>5.1}%  {:<16} {named:>6}  {none:>9}  {open:>4}  {:>5.1}  {others:>12}",
                    change * 100.0,
                    format!("{counts:?}"),
                    took as f64 / 200.0
                );
            }
        }
        insta::assert_snapshot!(table);
    }

    /// Whatever counts are like, also two values that are far from each other.
    #[test]
    fn without_a_change_no_count_is_named_more_often_than_promised() {
        let gates = Gates::built_in();
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        for counts in Counts::ALL {
            let wrong = (0..1_000).filter(|_| name_a_change(counts.compared(0.0, &gates, &mut rng).0));
            let wrong = wrong.count();
            assert!(wrong <= MOST, "{counts:?}: {wrong} of 1000");
        }
    }

    /// How many of 1,000 comparisons of an app without a change name one. Of its thirteen series the CPU time of two scenarios
    /// spreads, and instructions do not. `layout` is the standard deviation of what two builds of the same differ by.
    fn wrong(noise: Noise, spread: f64, layout: f64) -> usize {
        let gates = Gates::built_in();
        let most = looks(TIMED, 13, &gates, None)[LOOKS - 1];
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let wrong = (0..1_000).filter(|_| {
            let drawn = (0..13).map(|series| {
                let (spread, layout) = if series < 2 { (spread, layout) } else { (0.000_2, 0.0) };
                let differ = layout * normal(&mut rng);
                pairs(noise, spread, differ, most, &mut rng)
            });
            name_a_change(replayed(&drawn.collect::<Vec<_>>(), &gates))
        });
        wrong.count()
    }

    /// How much the promise of ten in a thousand depends on pairs that are independent, and on builds that cost the same.
    #[test]
    fn what_breaks_the_promise_of_few_false_alarms() {
        let mut table = String::from("correlation  spread 1 %     2 %     5 %\n");
        for correlation in [0.0, 0.1, 0.2, 0.3, 0.5, 0.7] {
            let noise = Noise::Autocorrelated(correlation);
            let [one, two, five] = [0.01, 0.02, 0.05].map(|spread| wrong(noise, spread, 0.0));
            let _ = writeln!(table, "{correlation:>11}  {one:>10}  {two:>6}  {five:>6}");
        }
        table.push_str("\nlayout  spread 0.5 %     1 %\n");
        for layout in [0.005, 0.006, 0.007, 0.008, 0.01, 0.0114] {
            let [half, one] = [0.005, 0.01].map(|spread| wrong(Noise::LogNormal, spread, layout));
            let _ = writeln!(table, "{:>4.2} %  {half:>12}  {one:>6}", layout * 100.0);
        }
        insta::assert_snapshot!(table);
    }
}
