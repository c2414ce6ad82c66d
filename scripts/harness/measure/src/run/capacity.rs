//! Finds the highest rate that a server sustains, by bisection. Knows only rates and whether they were sustained.
//!
//! Rates are on a logarithmic scale, because relative differences between servers matter. The search begins at the rate of a
//! closed loop, which no open loop exceeds by much, and halves the distance with each step.
//!
//! A bisection never returns to a rate, so one disturbed load could halve the result or worse. A refused rate is therefore
//! driven a second time, and the search goes down only if it is refused again. A sustained rate is not repeated: a disturbance
//! makes a load worse, not better.

/// Steps of one search. They leave 3 % between the rate that was sustained and the one that was refused. That is the
/// resolution; a test below simulates the accuracy on a disturbed machine.
const STEPS: u32 = 7;
/// Loads of one search; a step down needs two. A search with five steps down makes one step less, and leaves 6 %.
const LOADS: u32 = 11;
/// Highest rate that is tried, as a share of what a closed loop reached.
const HIGHEST: f64 = 1.05;
/// Lowest rate that counts as sustained, as a share of the same.
const LOWEST: f64 = 1.0 / 32.0;

/// The result of a search.
#[derive(Debug)]
pub struct Searched<T> {
    /// The highest rate that was sustained, and what was observed there; `None` if none was.
    pub sustained: Option<(f64, T)>,
    /// The lowest rate that was refused twice, and what was observed there the second time; `None` if none was.
    pub refused: Option<(f64, T)>,
}

/// Searches below and a little above `reached`, in requests per second. `attempt` drives one load at a rate and says whether
/// it was sustained; it is called [`LOADS`] times at most.
pub fn search<T, E>(reached: f64, mut attempt: impl FnMut(f64) -> Result<(bool, T), E>) -> Result<Searched<T>, E> {
    let (mut low, mut high) = (reached * LOWEST, reached * HIGHEST);
    let mut result = Searched {
        sustained: None,
        refused: None,
    };
    let mut left = LOADS;
    for _ in 0..STEPS {
        if left < 2 {
            break; // a refusal could not be repeated
        }
        let rate = (low * high).sqrt();
        let (mut sustained, mut observed) = attempt(rate)?;
        left -= 1;
        if !sustained {
            (sustained, observed) = attempt(rate)?;
            left -= 1;
        }
        if sustained {
            low = rate;
            result.sustained = Some((rate, observed));
        } else {
            high = rate;
            result.refused = Some((rate, observed));
        }
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::fmt::Write as _;

    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use stats::random::uniform;

    fn search_server(reached: f64, limit: f64) -> Searched<f64> {
        let attempt = |rate: f64| Ok::<_, Infallible>((rate <= limit, rate));
        search(reached, attempt).unwrap_or_else(|never| match never {})
    }

    #[test]
    fn a_server_that_sustains_nothing_has_no_capacity() {
        let found = search_server(10_000.0, 0.0);
        assert!(found.sustained.is_none());
        assert!(found.refused.unwrap().0 < 350.0);
    }

    #[test]
    fn a_server_that_sustains_everything_is_not_searched_for_ever() {
        let found = search_server(10_000.0, f64::INFINITY);
        assert!(found.refused.is_none());
        assert!(found.sustained.unwrap().0 > 10_000.0);
    }

    #[test]
    fn a_refusal_counts_when_it_is_repeated() {
        let mut rates = Vec::new();
        let attempt = |rate: f64| {
            let disturbed = rates.is_empty();
            rates.push(rate);
            Ok::<_, Infallible>((!disturbed && rate <= 900.0, rate))
        };
        let found = search(1_000.0, attempt).unwrap_or_else(|never| match never {});
        assert!(found.sustained.unwrap().0 > 870.0, "{rates:?}");
        assert!((rates[0] - rates[1]).abs() < f64::EPSILON && rates[2] > rates[1]);
    }

    proptest! {
        #[test]
        fn a_steady_servers_limit_is_enclosed(reached in 100.0..1e6, share in 0.04..1.0) {
            let limit = reached * share;
            let found = search_server(reached, limit);
            let (sustained, refused) = (found.sustained.unwrap().0, found.refused.unwrap().0);
            prop_assert!(sustained <= limit && limit < refused);
            prop_assert!(refused / sustained < 1.06);
        }

        #[test]
        fn loads_are_bounded(answers in proptest::collection::vec(any::<bool>(), LOADS as usize)) {
            let mut answers = answers.into_iter();
            // One more load would panic.
            search(1.0, |_| Ok::<_, Infallible>((answers.next().unwrap(), ()))).unwrap_or_else(|never| match never {});
        }
    }

    type Search = fn(&mut dyn FnMut(f64) -> bool) -> Option<f64>;

    fn repeating(sustains: &mut dyn FnMut(f64) -> bool) -> Option<f64> {
        let found = search(1.0, |rate| Ok::<_, Infallible>((sustains(rate), ())));
        let found = found.unwrap_or_else(|never| match never {});
        found.sustained.map(|(rate, ())| rate)
    }

    /// The same number of steps, but each refusal is believed, to show what repetitions gain.
    fn believing(sustains: &mut dyn FnMut(f64) -> bool) -> Option<f64> {
        let (mut low, mut high, mut best) = (LOWEST, HIGHEST, None);
        for _ in 0..STEPS {
            let rate = (low * high).sqrt();
            if sustains(rate) {
                (low, best) = (rate, Some(rate));
            } else {
                high = rate;
            }
        }
        best
    }

    /// By what share 4,000 searches miss the limit, sorted. It lies between a fifth and all of what the closed loop reached.
    /// A load is refused for nothing with probability `disturbed`; close to the limit it depends on chance too: at 3 % below
    /// it one load in four is refused, at 3 % above it one in four is sustained.
    fn missed(search: Search, disturbed: f64) -> Vec<f64> {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut missed: Vec<f64> = (0..4_000)
            .map(|_| {
                let limit = 0.2 + 0.8 * uniform(&mut rng);
                let found = search(&mut |rate: f64| {
                    let sustained = 1.0 / (1.0 + (rate / limit).powf(1.0 / 0.027));
                    uniform(&mut rng) < sustained * (1.0 - disturbed)
                });
                found.map_or(-1.0, |rate| rate / limit - 1.0)
            })
            .collect();
        missed.sort_by(f64::total_cmp);
        missed
    }

    fn within(missed: &[f64], most: f64) -> f64 {
        missed.iter().filter(|missed| missed.abs() <= most).count() as f64 / missed.len() as f64
    }

    /// The figures in the README of the harness.
    #[test]
    fn the_accuracy_is_what_is_published() {
        let mut table = String::from("                     believing each refusal        repeating it\n");
        table += "refused for nothing  mean  within 5 %  10 %        mean  within 5 %  10 %\n";
        for disturbed in [0.0, 0.05, 0.1, 0.2] {
            let columns = [believing as Search, repeating].map(|search| {
                let missed = missed(search, disturbed);
                let mean = missed.iter().sum::<f64>() / missed.len() as f64;
                format!(
                    "{:>+3.0}%  {:>9.0}%  {:>3.0}%",
                    mean * 100.0,
                    within(&missed, 0.05) * 100.0,
                    within(&missed, 0.1) * 100.0
                )
            });
            let _ = writeln!(
                table,
                "{:>18.0}%  {}       {}",
                disturbed * 100.0,
                columns[0],
                columns[1]
            );
        }
        insta::assert_snapshot!(table);
    }

    #[test]
    fn a_disturbed_machine_does_not_halve_a_capacity() {
        assert!(within(&missed(repeating, 0.1), 0.1) >= 0.95);
        assert!(
            within(&missed(believing, 0.1), 0.1) <= 0.8,
            "the simulation disturbs nothing"
        );
    }
}
