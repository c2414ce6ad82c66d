//! The highest rate that a server sustains, found by bisection: knows rates and answers, and nothing of servers.
//!
//! Rates lie on a logarithmic scale, because what matters is by what share two servers differ. The search begins at what the
//! server reached in a closed loop, which no open loop exceeds by much, and halves the distance with each load.

/// Loads of one search.
const STEPS: u32 = 7;
/// Highest rate that is tried, as a share of what a closed loop reached.
const HIGHEST: f64 = 1.05;
/// Lowest rate that counts as sustained, as a share of the same. Seven steps from here to the highest leave 3 % between
/// the rate that was sustained and the one that was not.
const LOWEST: f64 = 1.0 / 32.0;

/// What a search found.
#[derive(Debug)]
pub struct Found<T> {
    /// The highest rate that was sustained, and what was observed there; `None` if none was.
    pub sustained: Option<(f64, T)>,
    /// The lowest rate that was not sustained, and what was observed there; `None` if all were.
    pub refused: Option<(f64, T)>,
}

/// Searches below and a little above `reached`, in requests per second. `attempt` drives one load at a rate and says whether
/// it was sustained.
pub fn search<T, E>(reached: f64, mut attempt: impl FnMut(f64) -> Result<(bool, T), E>) -> Result<Found<T>, E> {
    let (mut low, mut high) = (reached * LOWEST, reached * HIGHEST);
    let mut found = Found {
        sustained: None,
        refused: None,
    };
    for _ in 0..STEPS {
        let rate = (low * high).sqrt();
        let (sustained, observed) = attempt(rate)?;
        if sustained {
            low = rate;
            found.sustained = Some((rate, observed));
        } else {
            high = rate;
            found.refused = Some((rate, observed));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;

    fn search_server(reached: f64, limit: f64) -> Found<f64> {
        let attempt = |rate: f64| Ok::<_, Infallible>((rate <= limit, rate));
        search(reached, attempt).unwrap_or_else(|never| match never {})
    }

    #[test]
    fn a_server_that_sustains_nothing_has_no_capacity() {
        let found = search_server(10_000.0, 0.0);
        assert!(found.sustained.is_none());
        assert!(found.refused.unwrap().0 < 340.0);
    }

    #[test]
    fn a_server_that_sustains_everything_is_not_searched_for_ever() {
        let found = search_server(10_000.0, f64::INFINITY);
        assert!(found.refused.is_none());
        assert!(found.sustained.unwrap().0 > 10_000.0);
    }

    proptest! {
        #[test]
        fn the_limit_is_found_to_three_percent(reached in 100.0..1e6, share in 0.04..1.0) {
            let limit = reached * share;
            let found = search_server(reached, limit);
            let (sustained, refused) = (found.sustained.unwrap().0, found.refused.unwrap().0);
            prop_assert!(sustained <= limit && limit < refused);
            prop_assert!(refused / sustained < 1.03);
        }
    }
}
