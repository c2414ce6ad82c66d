//! What is said of the places where a series goes on on another runner.

use std::collections::BTreeMap;

use super::common_mode::{Fit, Residual};
use super::divisive::quantile;
use super::judgement::share;
use super::offsets::Offset;
use super::past::{Past, Series};
use super::runners::{Runners, Succession};
use super::story::{Joined, Joint};
use crate::stats::{mean, median};

/// One for each runner but the first, the oldest first.
pub(super) fn joints(past: &Past, runners: &Runners, fits: &[(&Series, Fit)]) -> Vec<Joint> {
    let joint = |succession: &Succession| {
        let run = runners.of.iter().position(|on| *on == succession.runner)?;
        let before = runners.of.iter().position(|on| *on == succession.before)?;
        Some(Joint {
            run: past.runs[run].id.clone(),
            started_at: past.runs[run].at,
            before: past.runs[before].runner.clone(),
            after: past.runs[run].runner.clone(),
            pairs: succession.pairs.len(),
            joined: joined(succession.runner, fits),
        })
    };
    runners.successions.iter().filter_map(joint).collect()
}

/// The figures of each metric that are joined; no metric of which none is.
fn joined(runner: usize, fits: &[(&Series, Fit)]) -> Vec<Joined> {
    let mut metrics: BTreeMap<&str, (Vec<f64>, Vec<f64>, usize)> = BTreeMap::new();
    for (series, fit) in fits {
        let (sizes, uncertainties, begun_again) = metrics.entry(&series.metric).or_default();
        let rows = series.rows.values().zip(&fit.rows).zip(&fit.offsets);
        for ((figures, row), offsets) in rows {
            let offset = &offsets[runner - 1];
            let variance = offset.variance(fit.rho, fit.scatter[runner - 1]);
            match (size(figures, offset), uncertainty(row, variance)) {
                (Some(size), Some(uncertainty)) => {
                    sizes.push(size);
                    uncertainties.push(uncertainty);
                }
                _ if row.values.is_empty() => {} // it is not judged at all
                _ => *begun_again += 1,
            }
        }
    }
    let metrics = metrics
        .into_iter()
        .filter_map(|(metric, (sizes, uncertainties, begun_again))| {
            Some(Joined {
                metric: metric.to_owned(),
                figures: sizes.len(),
                begun_again,
                size: share(median(&sizes)?),
                uncertainty: share(median(&uncertainties)?),
            })
        });
    metrics.collect()
}

/// The mean difference of the pairs, as they were measured.
fn size(figures: &[Option<f64>], offset: &Offset) -> Option<f64> {
    let pairs = offset.pairs.iter();
    let differences: Option<Vec<f64>> = pairs
        .map(|pair| Some((figures[pair.after]? / figures[pair.before]?).ln()))
        .collect();
    mean(&differences?)
}

/// Half the width of the 95 % interval of an offset with this variance ÷ that of a value, by the spread of the server about its levels.
fn uncertainty(row: &Residual, of_offset: f64) -> Option<f64> {
    let (variance, freedom) = row.variance()?;
    of_offset
        .is_finite()
        .then(|| quantile(freedom as f64) * (variance * of_offset).sqrt())
}
