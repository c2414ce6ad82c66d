use std::fmt::Write as _;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::*;
use stats::random::{normal, uniform};

fn series(metric: Metric, log_ratios: &[f64]) -> Progress {
    Progress {
        log_ratios: log_ratios.to_vec(),
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
    // 0.01 ÷ 4 looks ÷ 9 series = 0.000278, and 2 ÷ 2^13 = 0.000244.
    assert_eq!(looks(9, &gates, None), [13, 20, 30, 45]);
    assert_eq!(looks(1, &gates, None), [10, 15, 23, 35]);
    for count in [1, 3, 9, 27, 200] {
        assert!(signed_rank::smallest_p(looks(count, &gates, None)[0]) <= 0.0025 / count as f64);
    }
}

#[test]
fn direction_and_size_decide() {
    let gates = Gates::built_in();
    let cpu = Metric::ServerCpuUsPerRequest;
    let mut all = [
        series(cpu, &around(0.05, 13)),
        series(cpu, &around(-0.05, 13)),
        series(Metric::GoodputRps, &around(-0.06, 13)),
        series(cpu, &around(0.0, 13)),
        series(cpu, &around(0.01, 13)),
        series(Metric::InstructionsPerRequest, &around(0.01, 13)),
        series(
            cpu,
            &around(0.02, 13)
                .iter()
                .map(|value| value * 1.5 - 0.012)
                .collect::<Vec<_>>(),
        ),
    ];
    look(&mut all, &gates);
    let decided: Vec<_> = all.iter().map(|series| series.decided).collect();
    assert_eq!(
        decided,
        [
            Some(Decision::Regression),
            Some(Decision::Improvement),
            Some(Decision::Regression),
            Some(Decision::NoChange),
            Some(Decision::NoChange), // proven, and smaller than what counts
            Some(Decision::Regression),
            None, // proven, and not proven to be smaller than what counts
        ]
    );
}

#[test]
fn too_few_pairs_and_what_may_not_be_judged_stay_open() {
    let gates = Gates::built_in();
    let cpu = Metric::ServerCpuUsPerRequest;
    let mut all = [
        series(cpu, &around(0.5, 9)),
        Progress {
            judged: false,
            ..series(cpu, &around(0.5, 30))
        },
    ];
    look(&mut all, &gates);
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
    let most = looks(9, gates, None)[LOOKS - 1];
    let change = |series| if series == 0 { change } else { 0.0 };
    let series = (0..9).map(|series| pairs(noise, spread, change(series), most, rng));
    replayed(&series.collect::<Vec<_>>(), gates)
}

/// Decisions about series whose pairs are all there.
fn replayed(pairs: &[Vec<f64>], gates: &Gates) -> Vec<Option<Decision>> {
    let mut all: Vec<Progress> = pairs
        .iter()
        .map(|pairs| series(Metric::ServerCpuUsPerRequest, pairs))
        .collect();
    replay(&mut all, gates, None);
    all.into_iter().map(|series| series.decided).collect()
}

/// Why zero is tested and not the minimum effect: share of 200 comparisons of one series with a spread of 1.5 % a pair
/// that find a change. Against the minimum, a change of that size is not found whatever is measured.
#[test]
fn a_test_against_the_minimum_would_cost_this_much() {
    const COMPARISONS: u32 = 200;
    let gates = Gates::built_in();
    let gate = gates.minimum_effect[&Metric::ServerCpuUsPerRequest];
    let looks = looks(6, &gates, None);
    let level = gates.false_alarms / LOOKS as f64 / 6.0;
    let mut table = String::from("change  against zero, estimate of 2 %  against 2 %\n");
    for change in [0.015, 0.02, 0.025, 0.03_f64] {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut found = [0, 0];
        for _ in 0..COMPARISONS {
            let all = pairs(Noise::LogNormal, 0.015, change.ln_1p(), looks[LOOKS - 1], &mut rng);
            let seen = || looks.iter().map(|look| &all[..*look as usize]);
            let minimum = effect(gate, 1.0);
            let zero = |pairs| {
                let found = signed_rank::test(pairs).unwrap();
                found.p <= level && found.estimate >= minimum
            };
            let shifted = |pairs: &[f64]| {
                let above: Vec<f64> = pairs.iter().map(|pair| pair - minimum).collect();
                let found = signed_rank::test(&above).unwrap();
                found.p <= level && found.estimate > 0.0
            };
            found[0] += u32::from(seen().any(zero));
            found[1] += u32::from(seen().any(shifted));
        }
        let share = found.map(|found| f64::from(found) / f64::from(COMPARISONS) * 100.0);
        let _ = writeln!(
            table,
            "{:>5.1}%  {:>30.0}%  {:>10.0}%",
            change * 100.0,
            share[0],
            share[1]
        );
    }
    insta::assert_snapshot!(table);
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
            let found = (0..COMPARISONS)
                .filter(|_| {
                    let decided = compared(noise, 0.02, change.ln_1p(), &gates, &mut rng);
                    decided[0] == Some(Decision::Regression)
                })
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
    let looks = looks(13, &gates, None);
    let mut table = String::from("change  spread 1 %   2 %\n");
    for change in [0.015, 0.02, 0.025_f64] {
        let [one, two] = [0.01, 0.02].map(|spread| {
            let mut rng = ChaCha8Rng::seed_from_u64(6);
            let said = (0..1_000).filter(|_| {
                let mut all = [series(Metric::ServerCpuUsPerRequest, &[])];
                let drawn = pairs(Noise::LogNormal, spread, change.ln_1p(), looks[LOOKS - 1], &mut rng);
                for made in &looks {
                    if all[0].is_open() {
                        all[0].log_ratios = drawn[..*made as usize].to_vec();
                        look(&mut all, &gates);
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
    let names = |decided: Vec<Option<Decision>>| decided.into_iter().flatten().any(Decision::names_a_change);
    let wrong = (0..50).filter(|_| names(compared(Noise::HeavyTailed, 0.05, 0.0, &gates, &mut rng)));
    // Of a binomial with the mean that is promised, half a comparison, one draw in five hundred is above 3.
    assert!(wrong.count() <= 3);
}

mod slow {
    use super::*;

    #[test]
    fn without_a_change_nothing_is_named_more_often_than_promised() {
        const COMPARISONS: u32 = 1_000;
        // Ten of a thousand may be wrong; a binomial with that mean is above 17 in one of a hundred draws.
        const MOST: usize = 17;
        let gates = Gates::built_in();
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for noise in [Noise::LogNormal, Noise::HeavyTailed] {
            for spread in [0.005, 0.05] {
                let named = (0..COMPARISONS)
                    .filter(|_| {
                        let decided = compared(noise, spread, 0.0, &gates, &mut rng);
                        decided.into_iter().flatten().any(Decision::names_a_change)
                    })
                    .count();
                assert!(
                    named <= MOST,
                    "{noise:?} with spread {spread}: {named} of {COMPARISONS}"
                );
            }
        }
    }

    /// How many of 1,000 comparisons of an app without a change name one. Of its thirteen series the CPU time of two scenarios
    /// spreads, and instructions do not. `layout` is the standard deviation of what two builds of the same differ by.
    fn wrong(noise: Noise, spread: f64, layout: f64) -> usize {
        let gates = Gates::built_in();
        let most = looks(13, &gates, None)[LOOKS - 1];
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let wrong = (0..1_000).filter(|_| {
            let drawn = (0..13).map(|series| {
                let (spread, layout) = if series < 2 { (spread, layout) } else { (0.000_2, 0.0) };
                let differ = layout * normal(&mut rng);
                pairs(noise, spread, differ, most, &mut rng)
            });
            let decided = replayed(&drawn.collect::<Vec<_>>(), &gates);
            decided.into_iter().flatten().any(Decision::names_a_change)
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

    /// Comparisons in four shards of two series each: in how many of 1,000 something is named without a change, and of 100 in
    /// which one series has changed by 8 %, how many find it on one machine and in shards, and how many decisions of the 800 differ.
    #[test]
    fn four_shards_are_wrong_as_rarely_as_one_machine_and_find_as_much() {
        const SHARDS: usize = 4;
        const SERIES: usize = 2;
        // A pair of a very restless machine: whatever is estimated is far from zero, and the test alone decides.
        const SPREAD: f64 = 0.05;
        let gates = Gates::built_in();
        let share = gates.shared(1.0 / SHARDS as f64);
        let most = looks(SHARDS * SERIES, &gates, None)[LOOKS - 1];
        let in_shards =
            |data: &[Vec<f64>]| -> Vec<_> { data.chunks(SERIES).flat_map(|own| replayed(own, &share)).collect() };
        let names = |decided: &Option<Decision>| decided.is_some_and(Decision::names_a_change);
        let mut table = String::from("noise           wrong, of 1000  found, of 100: whole  shards  differ, of 800\n");
        for noise in [Noise::LogNormal, Noise::HeavyTailed] {
            let mut rng = ChaCha8Rng::seed_from_u64(7);
            let mut drawn = |change: f64| -> Vec<Vec<f64>> {
                let change = |series| if series == 0 { change.ln_1p() } else { 0.0 };
                let series = 0..SHARDS * SERIES;
                series
                    .map(|series| pairs(noise, SPREAD, change(series), most, &mut rng))
                    .collect()
            };
            let wrong = (0..1_000).filter(|_| in_shards(&drawn(0.0)).iter().any(names)).count();
            let (mut found, mut differ) = ([0, 0], 0);
            for _ in 0..100 {
                let data = drawn(0.08);
                let (whole, shards) = (replayed(&data, &gates), in_shards(&data));
                for (found, decided) in found.iter_mut().zip([&whole, &shards]) {
                    *found += usize::from(names(&decided[0]));
                }
                differ += whole.iter().zip(&shards).filter(|(one, other)| one != other).count();
            }
            let _ = writeln!(
                table,
                "{:<15} {wrong:>14}  {:>20}  {:>6}  {differ:>14}",
                format!("{noise:?}"),
                found[0],
                found[1]
            );
            // Of a binomial with the mean that is promised, one draw in a hundred is above 17.
            assert!(wrong <= 17, "{table}");
        }
        insta::assert_snapshot!(table);
    }
}
