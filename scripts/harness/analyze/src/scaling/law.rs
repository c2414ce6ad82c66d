//! The Universal Scalability Law, fitted to what a server reached with more and more workers.
//!
//! `X(n) = λn / (1 + σ(n − 1) + κn(n − 1))` (N. J. Gunther, "A general theory of computational scalability based on rational functions",
//! arXiv:0808.1431, 2008): λ is what one worker reaches, σ ≥ 0 the contention, which is the serial share of G. M. Amdahl's law (AFIPS
//! 1967), and κ ≥ 0 the coherency, which grows with every pair of workers. Without κ it is Amdahl's law.
//!
//! **Each round is fitted by itself, without bounds**; σ and κ are the medians over the rounds with the house's interval
//! ([`stats::estimate`]), and only then cut off at 0. A cut is monotone, so the interval covers what it covered before. Chosen by
//! simulation (docs/scaling.md): a fit that is bounded in each round, as is usual, draws σ toward 0 wherever noise makes κ negative; its
//! interval covered σ in as few as 44 of 100 simulated runs instead of 95, and a bootstrap of such a fit in as few as 67.
//!
//! In a round, `n ÷ X(n)` is linear in (1, σ, κ) ÷ λ, so the fit of least relative squares is a linear one, and needs no start and no
//! iteration. λ is the round's own: what the machine does to a whole round cancels.

use model::Interval;
use schemars::JsonSchema;
use serde::Serialize;
use stats::Estimate;

/// Fewest widths by which σ and κ can be distinguished.
const FOR_BOTH: usize = 3;
/// Fewest widths by which anything can be said.
const FOR_ONE: usize = 2;

/// What a server reached in one round: workers, from 1, and answers per second above 0, in the order of the workers.
pub type Levels = Vec<(u32, f64)>;

/// A law with its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ScalingLaw")]
pub struct Law {
    /// σ, the share of the work of one worker that no two can do at once; at least 0, and its interval too.
    pub contention: Estimate,
    /// κ, what each pair of workers costs, as a share of the work of one worker; at least 0, and its interval too. `None` with two
    /// widths, by which it cannot be distinguished from σ: then the law is Amdahl's.
    pub coherency: Option<Estimate>,
}

impl Law {
    /// How many times what one worker reaches `workers` reach, by the estimates.
    pub fn speed_up(&self, workers: u32) -> f64 {
        let (n, coherency) = (f64::from(workers), self.coherency.map_or(0.0, |kappa| kappa.median));
        n / (1.0 + self.contention.median * (n - 1.0) + coherency * n * (n - 1.0))
    }

    /// Fits `rounds`, which have the same widths. `None` with fewer than two widths, without a round, or where the levels are none.
    pub fn fit(rounds: &[Levels]) -> Option<Self> {
        let widths = rounds.first().map_or(0, Vec::len);
        if widths < FOR_ONE || rounds.iter().any(|levels| levels.len() != widths) {
            return None;
        }
        let alone = each(rounds, |levels| fitted::<2>(levels).map(|[one, sigma]| sigma / one))?;
        if widths < FOR_BOTH {
            return Some(Self {
                contention: at_least_zero(stats::estimate(&alone)?),
                coherency: None,
            });
        }
        let both = each(rounds, fitted::<3>)?;
        let part = |place: usize| stats::estimate(&both.iter().map(|fit| fit[place] / fit[0]).collect::<Vec<_>>());
        let (contention, coherency) = (part(1)?, part(2)?);
        let mut contention = Estimate {
            median: match coherency.median {
                // Where κ would be negative, it is 0, and σ what it is by Amdahl's law: by both estimates together the law would miss
                // what was measured.
                median if median < 0.0 => stats::median(&alone)?,
                _ => contention.median,
            },
            ..contention
        };
        if let Some(Interval { low, high }) = contention.interval {
            contention.median = contention.median.clamp(low, high);
        }
        Some(Self {
            contention: at_least_zero(contention),
            coherency: Some(at_least_zero(coherency)),
        })
    }
}

fn each<T>(rounds: &[Levels], fit: impl Fn(&Levels) -> Option<T>) -> Option<Vec<T>> {
    rounds.iter().map(fit).collect()
}

fn at_least_zero(of: Estimate) -> Estimate {
    Estimate {
        median: of.median.max(0.0),
        interval: of.interval.map(|interval| interval.map(|end| end.max(0.0))),
        ..of
    }
}

/// The first `N` of (1, σ, κ) ÷ λ by least relative squares: those for which `n ÷ X(n)` is nearest to
/// `(1 + σ(n − 1) + κn(n − 1)) ÷ λ`, each difference as a share of it. `None` where there is no such fit.
fn fitted<const N: usize>(levels: &Levels) -> Option<[f64; N]> {
    let scale = levels.first()?.1;
    let mut squares = [[0.0; N]; N];
    let mut sums = [0.0; N];
    for (workers, level) in levels {
        let n = f64::from(*workers);
        let each = level / scale / n;
        let terms = [each, each * (n - 1.0), each * n * (n - 1.0)];
        for (row, term) in squares.iter_mut().zip(terms) {
            for (square, other) in row.iter_mut().zip(terms) {
                *square += term * other;
            }
        }
        for (sum, term) in sums.iter_mut().zip(terms) {
            *sum += term;
        }
    }
    let found = solved(squares, sums)?;
    found.iter().all(|value| value.is_finite()).then_some(found)
}

/// Solves a system with a symmetric positive definite matrix, by elimination; `None` if it is none.
fn solved<const N: usize>(mut matrix: [[f64; N]; N], mut right: [f64; N]) -> Option<[f64; N]> {
    for pivot in 0..N {
        let (by, above) = (matrix[pivot][pivot], matrix[pivot]);
        if by <= 0.0 {
            return None;
        }
        for row in 0..N {
            if row != pivot {
                let factor = matrix[row][pivot] / by;
                for (value, above) in matrix[row].iter_mut().zip(above) {
                    *value -= factor * above;
                }
                right[row] -= factor * right[pivot];
            }
        }
    }
    for (pivot, value) in right.iter_mut().enumerate() {
        *value /= matrix[pivot][pivot];
    }
    Some(right)
}
