//! How certain the ratio of any two apps of a run is: from the rounds that they shared, as their ranks are.

use analyze::analysis;
use analyze::analysis::Sessions;
use analyze::rounding::{SHOWN, up};
use model::scenario::LoadModel;
use model::{Metric, Record};

use super::series::{Figures, key_of};

/// Fills in [`super::series::Matrix::pair_half_widths`] of the run's scenarios, of the metric that each is about.
pub fn fill_in(figures: &mut [Figures], record: &Record, others: &Sessions<'_>) {
    for figures in figures
        .iter_mut()
        .filter(|figures| figures.runs == [record.id.as_str()])
    {
        let Some(scenario) = record.scenario(&figures.scenario) else {
            continue;
        };
        let metric = match scenario.load {
            LoadModel::Closed => Metric::ServerCpuUsPerRequest,
            other => Metric::headline(other),
        };
        let (Some(matrix), Some(standing)) = (
            figures.metrics.get_mut(&metric),
            analysis::standing(record, &scenario.id, metric, others),
        ) else {
            continue;
        };
        let places: Vec<Option<usize>> = figures
            .subjects
            .iter()
            .zip(&matrix.trusted)
            .map(|(subject, trusted)| {
                let place = record.apps.iter().position(|app| key_of(app) == *subject);
                place.filter(|_| *trusted == [Some(1)])
            })
            .collect();
        let half = |one: Option<usize>, other: Option<usize>| {
            let interval = standing.difference(one?, other?)?.interval()?;
            Some(up(0.5 * (interval.high - interval.low), SHOWN))
        };
        let row = |at: usize| places[..at].iter().map(|other| half(places[at], *other)).collect();
        matrix.pair_half_widths = (0..places.len()).map(|at| vec![Some(row(at))]).collect();
    }
}
