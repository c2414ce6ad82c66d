//! What follows from the rounds that two figures of a run shared: how certain the ratio of any two apps is, as their ranks are, and what
//! another protocol costs an app.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use analyze::analysis::Sessions;
use analyze::pair::{self, Direct};
use analyze::rounding::{COMPARED, SHOWN, down, significant, up};
use analyze::{analysis, variations};
use model::scenario::Dimension;
use model::{Interval, Metric, Ratio, Record};

use super::series::{Figures, key_of};

const COST: Metric = Metric::ServerCpuUsPerRequest;

/// Fills in [`super::series::Matrix::pair_half_widths`] and [`super::series::Matrix::pair_verdicts`] of the run's scenarios, of the metric that
/// each is about, and [`super::series::Matrix::to_plain`].
pub fn fill_in(figures: &mut [Figures], record: &Record, others: &Sessions) {
    let metrics: BTreeSet<Metric> = record.scenarios.iter().map(|one| pair::about(one.load)).collect();
    let verdicts = |metric: Metric| (metric, verdicts(&Direct::by(metric, record, others)));
    let verdicts: BTreeMap<Metric, Verdicts<'_>> = metrics.into_iter().map(verdicts).collect();
    let is_of_run = |figures: &&mut Figures| figures.runs == [record.id.as_str()];
    for figures in figures.iter_mut().filter(is_of_run) {
        costs_of_protocol(figures, record);
        let Some(scenario) = record.scenario(&figures.scenario) else {
            continue;
        };
        let metric = pair::about(scenario.load);
        let (Some(matrix), Some(standing)) = (
            figures.metrics.get_mut(&metric),
            analysis::standing(record, &scenario.id, metric, others),
        ) else {
            continue;
        };
        let place = |(subject, trusted): (&String, &Vec<Option<u8>>)| {
            let place = record.apps.iter().position(|app| key_of(app) == *subject);
            place.filter(|_| *trusted == [Some(1)])
        };
        let places: Vec<Option<usize>> = figures.subjects.iter().zip(&matrix.trusted).map(place).collect();
        let half = |one: Option<usize>, other: Option<usize>| {
            let interval = standing.difference(one?, other?)?.interval()?;
            Some(up(0.5 * (interval.high - interval.low), SHOWN))
        };
        let row = |at: usize| places[..at].iter().map(|other| half(places[at], *other)).collect();
        matrix.pair_half_widths = (0..places.len()).map(|at| vec![Some(row(at))]).collect();
        let found = verdicts[&metric].get(scenario.id.as_str());
        let verdict = |one: Option<usize>, other: Option<usize>| {
            let (one, other) = (one?, other?);
            let told = found?.get(&[other.min(one), other.max(one)])?;
            Some(if other < one { *told } else { told.reverse() })
        };
        let mark = |one: Option<usize>, other: &Option<usize>| match verdict(one, *other) {
            Some(Ordering::Less) => '<',
            Some(Ordering::Greater) => '>',
            Some(Ordering::Equal) => '=',
            None => '.',
        };
        let row = |at: usize| places[..at].iter().map(|other| mark(places[at], other)).collect();
        matrix.pair_verdicts = (0..places.len()).map(row).collect();
    }
}

/// By scenario, how the second of two apps of a run stands to the first; both by their places, the lower first.
type Verdicts<'a> = BTreeMap<&'a str, BTreeMap<[usize; 2], Ordering>>;

fn verdicts<'a>(direct: &Direct<'a>) -> Verdicts<'a> {
    let mut found = Verdicts::new();
    let apps = direct.record.apps.len();
    for pair in (0..apps).flat_map(|app| (0..app).map(move |base| [base, app])) {
        for (scenario, told) in direct.verdicts(|_| Some(pair)) {
            found.entry(scenario.id.as_str()).or_default().insert(pair, told);
        }
    }
    found
}

/// Fills in the ratios to the scenario that a run has in another protocol.
fn costs_of_protocol(figures: &mut Figures, record: &Record) {
    let scenario = record.scenario(&figures.scenario);
    let varies = scenario.and_then(|scenario| scenario.varies.as_ref());
    let plain = varies.filter(|varies| varies.by == Dimension::Protocol);
    let (Some(plain), Some(matrix)) = (plain, figures.metrics.get_mut(&COST)) else {
        return;
    };
    let ratio = |subject: &String| {
        let app = record.apps.iter().find(|app| key_of(app) == *subject)?;
        let is_trusted = |scenario: &String| record.trusted(app, scenario, COST).is_some();
        let both = is_trusted(&figures.scenario) && is_trusted(&plain.like);
        variations::ratio(record, app, COST, &figures.scenario, &plain.like).filter(|_| both)
    };
    let ratios: Vec<Option<Ratio>> = figures.subjects.iter().map(ratio).collect();
    if ratios.iter().all(Option::is_none) {
        return;
    }
    let rows = |figure: &dyn Fn(&Ratio) -> Option<f64>| {
        let figures = ratios.iter().map(|ratio| ratio.as_ref().and_then(figure));
        figures.map(|figure| vec![figure]).collect()
    };
    let end = |end: fn(Interval) -> f64| move |ratio: &Ratio| ratio.interval.map(end);
    matrix.to_plain = rows(&|ratio| Some(significant(ratio.estimate, COMPARED)));
    matrix.to_plain_low = rows(&end(|interval| down(interval.low, SHOWN)));
    matrix.to_plain_high = rows(&end(|interval| up(interval.high, SHOWN)));
}

#[cfg(test)]
mod tests {
    use super::super::RunFigures;
    use super::*;

    #[test]
    fn another_protocol_is_held_against_the_plain_one_within_the_rounds() {
        let record = samples::varied();
        let mut figures = RunFigures::of(&record).figures;
        fill_in(&mut figures, &record, &Sessions::default());
        let of = |scenario: &str| figures.iter().find(|figures| figures.scenario == scenario).unwrap();
        let (http2, docker) = (of("plaintext-http2"), of("plaintext-docker"));
        let app = http2
            .subjects
            .iter()
            .position(|subject| subject == "actix-web")
            .unwrap();
        // The machine gets slower from round to round, and HTTP/2 costs 60 % more in each.
        let matrix = &http2.metrics[&COST];
        assert_eq!(matrix.to_plain[app], [Some(1.6)]);
        let [low, high] = [&matrix.to_plain_low, &matrix.to_plain_high].map(|rows| rows[app][0].unwrap());
        assert!(low <= 1.6 && high >= 1.6, "{low} to {high}");
        assert!(docker.metrics[&COST].to_plain.is_empty());
    }
}
