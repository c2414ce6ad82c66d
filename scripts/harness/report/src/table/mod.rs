//! The tables of a run: the rows of each scenario in order, the failures, and the reasons why figures are marked.
//!
//! Every report shows these rows, so that a table in a terminal and a chart in README.md never disagree.

mod all_scenarios;
pub mod findings;
mod grid;
mod notes;

use std::collections::BTreeSet;

use analyze::analysis;
use model::escape::{NAME, SENTENCE, clean};
use model::scenario::{LoadModel, Scenario};
use model::{AppRecord, Cell, Interval, Metric, Rank, Ratio, Record, Role, Summary, Tier, Trial, Verdict};

use super::labels;
pub use all_scenarios::all_scenarios;
pub use grid::{app, section};
pub use notes::{AppFailure, Note, caveats, failures, notes};

/// Reasons of one cell that are shown; a cell of many rounds may have collected dozens.
const MOST_REASONS: usize = 3;

/// Scenarios of an overall picture: those that do not vary another one, if there are any.
pub fn plain<'a, 'b>(tables: &'b [Table<'a>]) -> Vec<&'b Table<'a>> {
    let is_plain = |table: &Table| table.scenario.varies.is_none();
    let has_plain = tables.iter().any(is_plain);
    tables.iter().filter(|table| !has_plain || is_plain(table)).collect()
}

/// Whether it is a framework that somebody maintains.
pub fn is_maintained(app: &AppRecord) -> bool {
    app.role == Role::Framework && app.tier == Tier::Maintained
}

/// An app's name for people, with the variant if that is not the default one.
pub fn label(app: &AppRecord) -> String {
    model::label(&clean(&app.name, NAME), &clean(&app.variant, NAME))
}

/// The metric that orders the rows of a scenario and comes first in its table: CPU time per request, which is valid under any limit;
/// in a search for the highest rate, that rate.
pub fn leading(load: LoadModel) -> Metric {
    match load {
        LoadModel::Closed | LoadModel::Open { .. } => Metric::ServerCpuUsPerRequest,
        LoadModel::Capacity { .. } => Metric::CapacityRps,
    }
}

/// The metric next to [`leading`].
pub fn second(load: LoadModel) -> Metric {
    match load {
        LoadModel::Capacity { .. } => Metric::ServerCpuUsPerRequest,
        LoadModel::Closed | LoadModel::Open { .. } => Metric::headline(load),
    }
}

/// One line of a scenario's table.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    pub app: &'a AppRecord,
    /// The result.
    pub cell: &'a Cell,
    /// Share of its cpus that the server used, 0 to 1; median over the trials that count.
    pub server_share: Option<f64>,
    /// Requests in flight on average, goodput × mean latency (Little's law); median over the trials that count.
    pub in_flight: Option<f64>,
    /// Rounds that count and rounds that ran, where some do not count.
    missing_rounds: Option<(u32, u32)>,
    /// Its place in the record's apps.
    pub place: usize,
}

impl<'a> Row<'a> {
    fn new(record: &'a Record, scenario: &Scenario, place: usize, cell: &'a Cell) -> Self {
        let app = &record.apps[place];
        let trials = analysis::usable(app, &record.trials_of(&scenario.id));
        let median = |of: &dyn Fn(&Trial) -> Option<f64>| {
            let values: Vec<f64> = trials.iter().filter_map(|trial| of(trial)).collect();
            stats::median(&values)
        };
        // Rounds that were planned, minus those for which there was no time. Rounds beyond the plan replace disturbed ones.
        // Those without a good state of the machine count for nobody.
        let of_scenario = || record.trials.iter().filter(|trial| trial.scenario == scenario.id);
        let is_bad = |trial: &&Trial| {
            trial.state.is_some() && trial.server_cpu_us_per_request.is_none() && trial.verdict.keeps_costs()
        };
        let bad: BTreeSet<u32> = of_scenario().filter(is_bad).map(|trial| trial.round).collect();
        let last = of_scenario().map(|trial| trial.round).max().unwrap_or(u32::MAX);
        let made = last
            .saturating_sub(u32::try_from(bad.len()).unwrap_or(0))
            .min(record.harness.rounds);
        let counting = cell.metrics.get(&leading(scenario.load)).map(|summary| summary.trials);
        Self {
            app,
            cell,
            server_share: median(&|trial| trial.server_cpu_share),
            in_flight: median(&|trial| Some(trial.goodput_rps? * trial.latency_ms?.mean / 1000.0)),
            missing_rounds: counting.filter(|counting| *counting < made).zip(Some(made)),
            place,
        }
    }

    /// `5 of 6 rounds`, where some are missing.
    pub fn rounds(&self) -> Option<String> {
        self.missing_rounds
            .map(|(counting, made)| format!("{counting} of {made} rounds"))
    }

    /// The result for one metric.
    pub fn metric(&self, metric: Metric) -> Option<&'a Summary> {
        self.cell.metrics.get(&metric)
    }

    /// The same if it is trusted.
    pub fn trusted(&self, metric: Metric) -> Option<&'a Summary> {
        self.cell.trusted(metric)
    }

    /// The rank for a metric; untrusted figures, the reference and the ceiling never have one.
    pub fn rank(&self, metric: Metric) -> Option<Rank> {
        let is_framework = self.app.role == Role::Framework;
        self.trusted(metric).filter(|_| is_framework)?.rank
    }

    /// Whether the run found `other` to be better by a metric: by ranks that have nothing in common, or although they overlap.
    pub fn is_behind(&self, metric: Metric, other: &Row) -> bool {
        let Some((own, better)) = self.rank(metric).zip(other.rank(metric)) else {
            return false;
        };
        let is_kept = self.cell.metrics[&metric].behind.contains(&other.place);
        self.app.tier == other.app.tier && (better.worst < own.best || is_kept)
    }

    /// The ratio of a trusted figure to the reference. The reference's own is 1 and has no interval.
    pub fn ratio(&self, metric: Metric) -> Option<Ratio> {
        let mut ratio = self.trusted(metric)?.ratio.clone()?;
        ratio.interval = ratio.interval.filter(|_| self.app.role != Role::Reference);
        Some(ratio)
    }
}

/// An app that has no figures in a scenario.
#[derive(Debug, Clone)]
pub struct Missing<'a> {
    pub app: &'a AppRecord,
    /// How it failed; `None` if it was not measured at all.
    pub verdict: Option<Verdict>,
    /// Why, cleaned.
    pub reasons: Vec<String>,
    /// Whether its framework documents no way to do this.
    pub not_offered: bool,
}

impl Missing<'_> {
    /// How it failed, in a word.
    pub fn word(&self) -> &'static str {
        match self.verdict {
            Some(verdict) => verdict.name(),
            None if self.not_offered => "not offered",
            None => "not measured",
        }
    }
}

/// One scenario: what its table and its chart show.
#[derive(Debug)]
pub struct Table<'a> {
    pub scenario: &'a Scenario,
    /// The frameworks, best first.
    pub ranked: Vec<Row<'a>>,
    /// The reference, then the ceiling, which are not ranked.
    pub anchors: Vec<Row<'a>>,
    /// Apps without figures, by name.
    pub missing: Vec<Missing<'a>>,
}

impl<'a> Table<'a> {
    /// All rows, the ranked ones first.
    pub fn rows(&self) -> impl Iterator<Item = &Row<'a>> {
        self.ranked.iter().chain(&self.anchors)
    }

    /// The metrics that have a column of their own.
    pub fn columns(&self) -> impl Iterator<Item = Metric> {
        let scenario = self.scenario;
        let has_one = move |metric: &Metric| metric.column().is_some() && metric.is_known_in(scenario);
        Metric::ALL.into_iter().filter(has_one)
    }

    /// The metrics that it shows of a row and that do not count there.
    fn untrusted(&self, row: &Row) -> Vec<Metric> {
        let load = self.scenario.load;
        let shown: BTreeSet<Metric> = self.columns().chain([leading(load), second(load)]).collect();
        let is_untrusted = |metric: &Metric| row.metric(*metric).is_some_and(|summary| !summary.trusted);
        shown.into_iter().filter(is_untrusted).collect()
    }

    /// Row of one app.
    pub fn row(&self, app: &AppRecord) -> Option<&Row<'a>> {
        self.rows().find(|row| std::ptr::eq(row.app, app))
    }

    /// Why an app has no figures.
    pub fn missing(&self, app: &AppRecord) -> Option<&Missing<'a>> {
        self.missing.iter().find(|missing| std::ptr::eq(missing.app, app))
    }
}

/// Places of the apps in every variant, by name.
fn places(record: &Record) -> Vec<usize> {
    let mut places: Vec<usize> = (0..record.apps.len()).collect();
    let key = |app: &AppRecord| (label(app).to_lowercase(), app.id.clone(), app.variant.clone());
    places.sort_by_cached_key(|place| key(&record.apps[*place]));
    places
}

/// Every app in every variant, by name.
pub fn apps(record: &Record) -> Vec<&AppRecord> {
    places(record).into_iter().map(|place| &record.apps[place]).collect()
}

/// The scenarios in the record's order.
pub fn tables(record: &Record) -> Vec<Table<'_>> {
    if record.measures_costs() {
        return Vec::new(); // no load was driven: `report::costs` shows the result
    }
    let places = places(record);
    record
        .scenarios
        .iter()
        .map(|scenario| table(record, scenario, &places))
        .collect()
}

fn table<'a>(record: &'a Record, scenario: &'a Scenario, places: &[usize]) -> Table<'a> {
    let (mut ranked, mut anchors, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    let trials = record.trials_of(&scenario.id);
    for &place in places {
        let app = &record.apps[place];
        let cell = record.cell(&app.id, &app.variant, &scenario.id);
        // What the machine disturbed has figures to show.
        let is_shown = |cell: &&Cell| {
            let is_disturbed = cell.verdict == Verdict::EnvironmentFailed && !cell.metrics.is_empty();
            !cell.verdict.is_failure() || is_disturbed
        };
        if let Some(cell) = cell.filter(is_shown) {
            let group = if app.role == Role::Framework {
                &mut ranked
            } else {
                &mut anchors
            };
            group.push(Row::new(record, scenario, place, cell));
        } else {
            let lacks = cell.is_none() && app.not_offered(scenario).is_some();
            if lacks || cell.is_some() || analysis::was_measured(app, scenario, &trials) {
                missing.push(why_missing(app, scenario, cell));
            }
        }
    }
    order(&mut ranked, leading(scenario.load));
    // Stable: by name within a role.
    anchors.sort_by_key(|row| row.app.role);
    Table {
        scenario,
        ranked,
        anchors,
        missing,
    }
}

fn why_missing<'a>(app: &'a AppRecord, scenario: &Scenario, cell: Option<&Cell>) -> Missing<'a> {
    let not_offered = app.not_offered(scenario).filter(|_| cell.is_none());
    let build_error = app.build_error.as_deref();
    let verdict = cell.map(|cell| cell.verdict);
    let mut reasons = cell.map(|cell| shown_reasons(&cell.reasons)).unwrap_or_default();
    if reasons.is_empty() {
        reasons.extend(not_offered.or(build_error).map(|reason| clean(reason, SENTENCE)));
    }
    let not_built = build_error.filter(|_| not_offered.is_none());
    Missing {
        app,
        verdict: verdict.or(not_built.map(|_| Verdict::BuildFailed)),
        reasons,
        not_offered: not_offered.is_some(),
    }
}

/// Sorts frameworks before engines before legacy ones, and within these the best first, by the ratio to the reference, or by the
/// value where there is none. Untrusted figures come last; equal rows stay in the order of their names.
fn order(rows: &mut [Row], metric: Metric) {
    let ratio = |row: &Row| Some(row.trusted(metric)?.ratio.as_ref()?.estimate);
    let by_ratio = rows.iter().any(|row| ratio(row).is_some());
    let sign = if metric.more_is_better() { -1.0 } else { 1.0 };
    let place = |row: &Row| {
        let value = row.trusted(metric).map(|summary| summary.median);
        let figure = if by_ratio { ratio(row) } else { value };
        figure.map_or(f64::INFINITY, |figure| sign * figure)
    };
    rows.sort_by(|one, other| {
        let group = one.app.tier.cmp(&other.app.tier);
        group.then_with(|| place(one).total_cmp(&place(other)))
    });
}

/// The first reasons, without repetition, and how many more there are.
fn shown_reasons(reasons: &[String]) -> Vec<String> {
    let reasons = reasons.iter().map(|reason| clean(reason, SENTENCE));
    let mut distinct = labels::distinct(reasons.filter(|reason| !reason.is_empty()));
    let more = distinct.len().saturating_sub(MOST_REASONS);
    distinct.truncate(MOST_REASONS);
    if more > 0 {
        distinct.push(format!("and {} in the record", labels::count(more, "more reason")));
    }
    distinct
}

/// The apps in the order of a whole run: by role and tier, and within these by the geometric mean of their trusted ratios to the
/// reference.
///
/// Means over fewer scenarios cannot be compared, so apps without some ratio come after all others, by the number of missing ratios
/// and then by name.
pub fn ordered<'a>(record: &'a Record, tables: &[&Table], metric: Metric) -> Vec<&'a AppRecord> {
    let mut apps = apps(record);
    // Stable: they are by name.
    apps.sort_by(|one, other| {
        let lacking = |app: &AppRecord| tables.len() - trusted_ratios(app, tables, metric).len();
        let place = |app: &AppRecord| (app.role, app.tier, lacking(app));
        let mean = |app| mean_ratio(app, tables, metric).map_or(0.0, |mean| mean.estimate);
        place(one).cmp(&place(other)).then(mean(one).total_cmp(&mean(other)))
    });
    apps
}

/// The geometric mean of an app's trusted ratios to the reference; `None` where one is missing. Its interval is as wide as if all ratios
/// erred to the same side, which a session that favours an app makes them do.
pub fn mean_ratio(app: &AppRecord, tables: &[&Table], metric: Metric) -> Option<Ratio> {
    let ratios = trusted_ratios(app, tables, metric);
    let mean = |end: fn(&Ratio) -> Option<f64>| {
        let logs: Vec<f64> = ratios.iter().filter_map(|ratio| Some(end(ratio)?.ln())).collect();
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        (logs.len() == tables.len() && mean.is_finite()).then(|| mean.exp())
    };
    let interval = mean(|ratio| Some(ratio.interval?.low)).zip(mean(|ratio| Some(ratio.interval?.high)));
    Some(Ratio {
        estimate: mean(|ratio| Some(ratio.estimate))?,
        interval: interval.map(|(low, high)| Interval { low, high }),
        sessions: ratios.first()?.sessions,
        days: ratios.first()?.days,
    })
}

/// The places of a mean among others that their intervals leave open, `3–5`; `None` without an interval.
pub fn place_of(own: &Ratio, others: &[Ratio]) -> Option<Rank> {
    let interval = own.interval?;
    let count = |is: &dyn Fn(&Interval) -> bool| {
        let intervals = others.iter().filter_map(|other| other.interval);
        u32::try_from(intervals.filter(is).count()).unwrap_or(u32::MAX)
    };
    let all = count(&|_| true);
    Some(Rank {
        best: 1 + count(&|other| other.high < interval.low),
        worst: all - count(&|other| other.low > interval.high),
    })
}

fn trusted_ratios(app: &AppRecord, tables: &[&Table], metric: Metric) -> Vec<Ratio> {
    let ratio = |table: &&Table| table.row(app)?.ratio(metric);
    let ratios = tables.iter().filter_map(ratio);
    ratios.filter(|ratio| ratio.estimate > 0.0).collect()
}

#[cfg(test)]
mod tests;
