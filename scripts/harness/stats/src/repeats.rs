//! What varies between sessions, and so where a difference would be in another one.
//!
//! An interval from the rounds of one session covers what varies within it. Another day, another start of the machine, another build move
//! each app by an amount of its own, and all rounds of a session share it. So the same model as for rounds ([`Field`]) is applied to the
//! levels of whole sessions: `level[app, session] = app + session + deviation`, and a deviation's variance is the app's own, drawn toward
//! the apps' median; an app with fewer than three sessions has that. A difference found in one session is found again in another one within the deviations of both.

use crate::field::{Difference, Field, Spread};

/// Weight of the apps' median variance, in degrees of freedom: sessions are few, and apps that are not [noisy](Field) deviate alike. With 2,
/// four sessions distinguish nobody; with 8, intervals still cover as they say.
const PRIOR: f64 = 8.0;
/// Fewest degrees of freedom of a deviation. One far above the median is not drawn to it, but with its own two or three no difference would
/// be large enough to distinguish anybody.
const FREEDOM: f64 = 5.0;
/// Fewest sessions that show how much they differ.
const SESSIONS: usize = 4;
/// Fewest sessions of an app that show how much it deviates.
const OWN_SESSIONS: usize = 3;

/// The sessions of one scenario and metric.
#[derive(Debug, Clone)]
pub struct Repeats {
    field: Field,
    sessions: usize,
}

impl Repeats {
    /// From a row for each app with a column for each session: the app's level in logarithms, or `None`; all rows have the same length.
    /// `None` with fewer than four sessions.
    pub fn new(rows: Vec<Vec<Option<f64>>>) -> Option<Self> {
        let columns = rows.first().map_or(0, Vec::len);
        let compares = |session: &usize| rows.iter().filter(|row| row[*session].is_some()).count() >= 2;
        let sessions = (0..columns).filter(compares).count();
        // What two sessions show of an app is little: until there are three, it has the others' deviations.
        let mut known = rows;
        for row in known
            .iter_mut()
            .filter(|row| row.iter().flatten().count() < OWN_SESSIONS)
        {
            row.fill(None);
        }
        (sessions >= SESSIONS && known.iter().flatten().any(Option::is_some)).then(|| Self {
            field: Field::drawn(known, PRIOR),
            sessions,
        })
    }

    /// Number of sessions behind it.
    pub fn sessions(&self) -> usize {
        self.sessions
    }

    /// The variance of an app's deviation and its degrees of freedom: of an app without its own, what all are drawn toward.
    fn variance(&self, app: usize) -> Option<(f64, f64)> {
        let (variance, freedom) = self.field.variance(app)?;
        Some((variance, freedom.max(FREEDOM)))
    }

    /// `found`, the difference of two apps within one session, as a statement about another session and build: its interval is where the
    /// difference would be found again.
    pub fn again(&self, one: usize, other: usize, found: Difference) -> Option<Difference> {
        let within = found.spread?;
        let ((a, a_freedom), (b, b_freedom)) = (self.variance(one)?, self.variance(other)?);
        let between = a + b;
        let freedom = between.powi(2) / (a * a / a_freedom + b * b / b_freedom);
        // The deviations contain the error within a session. An interval is never narrower than within this one.
        let error = (2.0 * between).sqrt().max(within.error);
        Some(Difference {
            spread: Some(Spread { error, freedom }),
            ..found
        })
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::random::normal;

    /// Six rounds of each app in one session.
    fn rounds(levels: &[f64], noise: f64, rng: &mut ChaCha8Rng) -> Field {
        let mut row = |level: &f64| (0..6).map(|_| Some(level + noise * normal(rng))).collect();
        Field::new(levels.iter().map(&mut row).collect())
    }

    /// How often the interval of the last of `sessions` contains what the next one finds, for those apps of which `counts` is true.
    fn coverage(apps: usize, sessions: usize, between: [f64; 3], counts: impl Fn(usize) -> bool) -> f64 {
        const HISTORIES: usize = 200;
        let mut rng = ChaCha8Rng::seed_from_u64(43);
        let (mut held, mut all) = (0_u32, 0_u32);
        for _ in 0..HISTORIES {
            let mut session = || {
                let levels: Vec<f64> = (0..apps)
                    .map(|app| 0.1 * app as f64 + between[app % 3] * normal(&mut rng))
                    .collect();
                rounds(&levels, 0.01, &mut rng)
            };
            let known: Vec<Field> = (0..sessions).map(|_| session()).collect();
            let next = session();
            let rows = (0..apps).map(|app| known.iter().map(|field| field.level(app)).collect());
            let repeats = Repeats::new(rows.collect()).unwrap();
            let last = known.last().unwrap();
            for app in (1..apps).filter(|app| counts(*app)) {
                let found = repeats.again(app, 0, last.difference(app, 0).unwrap()).unwrap();
                let (interval, next) = (found.interval().unwrap(), next.difference(app, 0).unwrap().estimate);
                held += u32::from(interval.low <= next && next <= interval.high);
                all += 1;
            }
        }
        f64::from(held) / f64::from(all)
    }

    #[test]
    fn the_next_session_is_within_the_interval_as_often_as_it_says() {
        for (apps, sessions) in [(8, 4), (12, 6), (20, 10)] {
            for between in [[0.01; 3], [0.005, 0.01, 0.03], [0.0; 3]] {
                let covered = coverage(apps, sessions, between, |_| true);
                assert!(
                    (0.93..=0.98).contains(&covered),
                    "{apps} {sessions} {between:?}: {covered}"
                );
            }
            let noisy = coverage(apps, sessions, [0.005, 0.01, 0.03], |app| app % 3 == 2);
            assert!(noisy >= 0.9, "{apps} {sessions}: {noisy}");
        }
    }
}
