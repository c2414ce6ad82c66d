//! What is shown where: the rows of each scenario in order, the failures, and the reasons why figures are marked.
//!
//! Every format shows the same view, so that a table in a terminal and a chart in README.md never disagree. Text from here is
//! [`clean`]ed; each format still has to escape it.

mod caveats;

use std::collections::BTreeSet;

use crate::report::labels;
pub use caveats::{AppFailure, Note, caveats, failures, notes};
use judge::analysis;
use judge::stats;
use record::DEFAULT_VARIANT;
use record::escape::{NAME, SENTENCE, clean};
use record::scenario::{LoadModel, Scenario};
use record::{AppRecord, Cell, Metric, Rank, Ratio, Record, Role, Summary, Tier, Trial, Verdict};

/// The metrics that tables show; other untrusted ones need no note.
pub const SHOWN: [Metric; 7] = [
    Metric::GoodputRps,
    Metric::CapacityRps,
    Metric::ServerCpuUsPerRequest,
    Metric::LatencyP50Ms,
    Metric::LatencyP99Ms,
    Metric::RssPeakBytes,
    Metric::StartupMs,
];

/// Reasons of one cell that are shown; a cell of many rounds may have collected dozens.
const MOST_REASONS: usize = 3;

/// Scenarios of an overall picture: those that do not vary another one, if there are any.
pub fn plain<'a, 'b>(tables: &'b [Table<'a>]) -> Vec<&'b Table<'a>> {
    let plain: Vec<_> = tables.iter().filter(|table| table.scenario.varies.is_none()).collect();
    if plain.is_empty() {
        tables.iter().collect()
    } else {
        plain
    }
}

/// One app in one variant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Subject<'a> {
    /// Folder's name.
    pub id: &'a str,
    /// `default` or the variant's name.
    pub variant: &'a str,
    /// How it was built; `None` if the record has figures of an app that it does not describe.
    pub app: Option<&'a AppRecord>,
}

impl Subject<'_> {
    /// Name for people, with the variant if that is not the default one.
    pub fn label(&self) -> String {
        let name = clean(self.app.map_or(self.id, |app| app.name.as_str()), NAME);
        let name = if name.is_empty() { clean(self.id, NAME) } else { name };
        match self.variant {
            DEFAULT_VARIANT => name,
            variant => format!("{name} ({})", clean(variant, NAME)),
        }
    }

    /// The framework's version; empty if it is not known.
    pub fn version(&self) -> String {
        self.app
            .map(|app| clean(&app.framework_version, NAME))
            .unwrap_or_default()
    }

    /// What part it plays.
    pub fn role(&self) -> Role {
        self.app.map_or(Role::Framework, |app| app.role)
    }

    /// How it is maintained: frameworks come before engines, and those before legacy frameworks.
    pub fn tier(&self) -> Tier {
        self.app.map_or(Tier::Maintained, |app| app.tier)
    }

    /// A note beside its name; see [`labels::standing`].
    pub fn standing(&self) -> Option<&'static str> {
        self.app.and_then(|app| labels::standing(app.role, app.tier))
    }

    fn sort_key(&self) -> (String, &str, &str) {
        (self.label().to_lowercase(), self.id, self.variant)
    }
}

/// The metric that orders the rows of a scenario and comes first in its table: CPU time per request, which is valid under any limit;
/// in a search for the highest rate, that rate.
pub fn leading(load: LoadModel) -> Metric {
    match load {
        LoadModel::Closed | LoadModel::Open { .. } => Metric::ServerCpuUsPerRequest,
        LoadModel::Capacity { .. } => Metric::CapacityRps,
    }
}

/// The metric beside [`leading`].
pub fn second(load: LoadModel) -> Metric {
    match load {
        LoadModel::Capacity { .. } => Metric::ServerCpuUsPerRequest,
        LoadModel::Closed | LoadModel::Open { .. } => Metric::headline(load),
    }
}

/// What the trials of a row say in addition to its figures.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Trials {
    /// Share of its cpus that the server used, 0 to 1; median over the trials that count.
    pub server_share: Option<f64>,
    /// Requests in flight on average, goodput × mean latency (Little's law); median over the trials that count.
    pub in_flight: Option<f64>,
    /// Rounds that count and rounds that ran, where some do not count.
    pub missing_rounds: Option<(u32, u32)>,
}

impl Trials {
    fn new(record: &Record, scenario: &Scenario, subject: Subject, cell: &Cell) -> Self {
        let trials = subject.app.map(|app| analysis::usable_in(record, app, &scenario.id));
        let trials = trials.unwrap_or_default();
        let median = |of: &dyn Fn(&Trial) -> Option<f64>| {
            let values: Vec<f64> = trials.iter().filter_map(|trial| of(trial)).collect();
            stats::median(&values)
        };
        let counting = cell.metrics.get(&leading(scenario.load)).map(|summary| summary.trials);
        let made = rounds_made(record, scenario);
        Self {
            server_share: median(&|trial| trial.server_cpu_share),
            in_flight: median(&|trial| Some(trial.goodput_rps? * trial.latency_ms?.mean / 1000.0)),
            missing_rounds: counting
                .filter(|counting| *counting < made)
                .map(|counting| (counting, made)),
        }
    }

    /// `5 of 6 rounds`, where some are missing.
    pub fn rounds(&self) -> Option<String> {
        self.missing_rounds
            .map(|(counting, made)| format!("{counting} of {made} rounds"))
    }
}

/// Rounds that were planned, minus those for which there was no time. Rounds beyond the plan replace spoilt ones.
fn rounds_made(record: &Record, scenario: &Scenario) -> u32 {
    let trials = record.trials.iter().filter(|trial| trial.scenario == scenario.id);
    let last = trials.map(|trial| trial.round).max();
    last.unwrap_or(u32::MAX).min(record.harness.rounds)
}

/// One line of a scenario's table.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// The app.
    pub subject: Subject<'a>,
    /// The result.
    pub cell: &'a Cell,
    /// What the trials say in addition.
    pub trials: Trials,
    /// Its place in the record's apps.
    place: Option<usize>,
}

impl<'a> Row<'a> {
    /// The result for one metric.
    pub fn metric(&self, metric: Metric) -> Option<&'a Summary> {
        self.cell.metrics.get(&metric)
    }

    /// The rank for a metric; untrusted figures, the reference and the ceiling never have one.
    pub fn rank(&self, metric: Metric) -> Option<Rank> {
        let compared = self.subject.role() == Role::Framework;
        self.metric(metric)
            .filter(|_| compared)
            .filter(|summary| summary.trusted)
            .and_then(|summary| summary.rank)
    }

    /// Whether the run found `other` to be better by a metric: by ranks that have nothing in common, or although they overlap.
    pub fn is_behind(&self, metric: Metric, other: &Row) -> bool {
        let Some((own, better)) = self.rank(metric).zip(other.rank(metric)) else {
            return false;
        };
        let is_kept = |place: usize| self.cell.metrics[&metric].behind.contains(&place);
        self.subject.tier() == other.subject.tier() && (better.worst < own.best || other.place.is_some_and(is_kept))
    }

    /// The ratio of a trusted figure to the reference. That of the reference itself is 1 and has no interval.
    pub fn ratio(&self, metric: Metric) -> Option<Ratio> {
        let ratio = self.metric(metric).filter(|summary| summary.trusted)?.ratio.clone()?;
        let is_reference = self.subject.role() == Role::Reference;
        Some(Ratio {
            interval: ratio.interval.filter(|_| !is_reference),
            ..ratio
        })
    }

    fn untrusted(&self) -> BTreeSet<Metric> {
        let doubtful = |metric: &Metric| self.metric(*metric).is_some_and(|summary| !summary.trusted);
        SHOWN.into_iter().filter(doubtful).collect()
    }
}

/// An app that has no figures in a scenario.
#[derive(Debug, Clone)]
pub struct Missing<'a> {
    /// The app.
    pub subject: Subject<'a>,
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
            Some(verdict) => labels::verdict(verdict),
            None if self.not_offered => "not offered",
            None => "not measured",
        }
    }
}

/// One scenario: what its table and its chart show.
#[derive(Debug)]
pub struct Table<'a> {
    /// The scenario.
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

    fn labels(&self) -> Vec<String> {
        self.rows().map(|row| row.subject.label()).collect()
    }

    /// Row of one app.
    pub fn row(&self, subject: Subject) -> Option<&Row<'a>> {
        self.rows()
            .find(|row| row.subject.id == subject.id && row.subject.variant == subject.variant)
    }

    /// Why an app has no figures.
    pub fn missing(&self, subject: Subject) -> Option<&Missing<'a>> {
        self.missing
            .iter()
            .find(|missing| missing.subject.id == subject.id && missing.subject.variant == subject.variant)
    }
}

/// Every app in every variant, by name, including those that only the summary has.
pub fn subjects(record: &Record) -> Vec<Subject<'_>> {
    let known = record.apps.iter().map(|app| Subject {
        id: &app.id,
        variant: &app.variant,
        app: Some(app),
    });
    let mut subjects: Vec<_> = known.collect();
    for cell in &record.summary {
        if !subjects.iter().any(|subject| is_of(cell, *subject)) {
            subjects.push(Subject {
                id: &cell.app,
                variant: &cell.variant,
                app: None,
            });
        }
    }
    subjects.sort_by(|one, other| one.sort_key().cmp(&other.sort_key()));
    subjects
}

fn is_of(cell: &Cell, subject: Subject) -> bool {
    cell.app == subject.id && cell.variant == subject.variant
}

/// The scenarios in the record's order.
pub fn tables(record: &Record) -> Vec<Table<'_>> {
    if record.is_of_costs() {
        return Vec::new(); // no load was driven: `report::costs` shows the result
    }
    let subjects = subjects(record);
    record
        .scenarios
        .iter()
        .map(|scenario| table(record, scenario, &subjects))
        .collect()
}

fn table<'a>(record: &'a Record, scenario: &'a Scenario, subjects: &[Subject<'a>]) -> Table<'a> {
    let mut table = Table {
        scenario,
        ranked: Vec::new(),
        anchors: Vec::new(),
        missing: Vec::new(),
    };
    let trials = record.trials.iter().filter(|trial| trial.scenario == scenario.id);
    let trials: Vec<_> = trials.collect();
    for &subject in subjects {
        let cell = record.cell(subject.id, subject.variant, &scenario.id);
        match cell {
            Some(cell) if !labels::is_failure(cell.verdict) => {
                let trials = Trials::new(record, scenario, subject, cell);
                let mut apps = record.apps.iter();
                let place = apps.position(|app| app.id == subject.id && app.variant == subject.variant);
                let row = Row {
                    subject,
                    cell,
                    trials,
                    place,
                };
                match subject.role() {
                    Role::Framework => table.ranked.push(row),
                    Role::Reference | Role::Ceiling => table.anchors.push(row),
                }
            }
            None if subject.app.is_some_and(|app| app.not_offered(scenario).is_some()) => {
                table.missing.push(not_offered(subject, scenario));
            }
            None if subject
                .app
                .is_some_and(|app| !analysis::was_asked(app, scenario, &trials)) => {}
            _ => table.missing.push(missing(subject, cell)),
        }
    }
    order(&mut table.ranked, leading(scenario.load));
    // Stable: by name within a role.
    table.anchors.sort_by_key(|row| row.subject.role());
    table
}

fn missing<'a>(subject: Subject<'a>, cell: Option<&Cell>) -> Missing<'a> {
    let build_error = subject.app.and_then(|app| app.build_error.as_ref());
    let verdict = cell
        .map(|cell| cell.verdict)
        .or(build_error.map(|_| Verdict::BuildFailed));
    let mut reasons = cell.map(|cell| shown_reasons(&cell.reasons)).unwrap_or_default();
    if let (true, Some(error)) = (reasons.is_empty(), build_error) {
        reasons.push(clean(error, SENTENCE));
    }
    Missing {
        subject,
        verdict,
        reasons,
        not_offered: false,
    }
}

fn not_offered<'a>(subject: Subject<'a>, scenario: &Scenario) -> Missing<'a> {
    let reason = subject.app.and_then(|app| app.not_offered(scenario));
    Missing {
        subject,
        verdict: None,
        reasons: reason.map(|reason| clean(reason, SENTENCE)).into_iter().collect(),
        not_offered: true,
    }
}

/// Sorts frameworks before engines before legacy ones, and within these the best first, by the ratio to the reference, or by the
/// value where there is none. Untrusted figures come last; equal rows stay in the order of their names.
fn order(rows: &mut [Row], metric: Metric) {
    let trusted = |row: &Row| row.cell.metrics.get(&metric).filter(|summary| summary.trusted).cloned();
    let by_ratio = rows.iter().filter_map(trusted).any(|summary| summary.ratio.is_some());
    let place = |row: &Row| {
        let figure = trusted(row).and_then(|summary| {
            let median = Some(summary.median);
            if by_ratio {
                summary.ratio.map(|ratio| ratio.estimate)
            } else {
                median
            }
        });
        let sign = if metric.more_is_better() { -1.0 } else { 1.0 };
        figure.map_or(f64::INFINITY, |figure| sign * figure)
    };
    rows.sort_by(|one, other| {
        let group = one.subject.tier().cmp(&other.subject.tier());
        group.then_with(|| place(one).total_cmp(&place(other)))
    });
}

/// The first reasons, without repetition, and how many more there are.
fn shown_reasons(reasons: &[String]) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for reason in reasons
        .iter()
        .map(|reason| clean(reason, SENTENCE))
        .filter(|reason| !reason.is_empty())
    {
        if !distinct.contains(&reason) {
            distinct.push(reason);
        }
    }
    let more = distinct.len().saturating_sub(MOST_REASONS);
    distinct.truncate(MOST_REASONS);
    if more > 0 {
        distinct.push(format!("and {} in the record", labels::count(more, "more reason")));
    }
    distinct
}

/// The frameworks in the order of a whole run: frameworks, engines, legacy ones, and within these by the geometric mean of
/// their trusted CPU ratios to the reference.
///
/// Means over fewer scenarios cannot be compared, so apps without some ratio come after all others, by the number of missing ratios
/// and then by name.
pub fn frameworks<'a>(record: &'a Record, tables: &[Table]) -> Vec<Subject<'a>> {
    let frameworks = subjects(record)
        .into_iter()
        .filter(|subject| subject.role() == Role::Framework);
    let plain = plain(tables);
    let mut placed: Vec<_> = frameworks
        .map(|subject| (place(subject, &plain, Metric::ServerCpuUsPerRequest), subject))
        .collect();
    // Stable: `subjects` are by name.
    placed.sort_by(|(one, first), (other, second)| {
        let group = first.tier().cmp(&second.tier());
        group.then(one.0.cmp(&other.0)).then(one.1.total_cmp(&other.1))
    });
    placed.into_iter().map(|(_, subject)| subject).collect()
}

/// The geometric mean of an app's trusted ratios to the reference; `None` where one is missing.
pub fn mean_ratio(subject: Subject, tables: &[&Table], metric: Metric) -> Option<f64> {
    let (lacking, mean) = place(subject, tables, metric);
    (lacking == 0 && mean.is_finite()).then(|| mean.exp())
}

/// Number of scenarios without a trusted ratio and, if there are none, the mean of the logarithms.
fn place(subject: Subject, tables: &[&Table], metric: Metric) -> (usize, f64) {
    let logs: Vec<f64> = tables
        .iter()
        .filter_map(|table| log_ratio(table, subject, metric))
        .collect();
    let lacking = tables.len() - logs.len();
    let mean = if lacking == 0 {
        logs.iter().sum::<f64>() / logs.len() as f64
    } else {
        0.0
    };
    (lacking, mean)
}

fn log_ratio(table: &Table, subject: Subject, metric: Metric) -> Option<f64> {
    let summary = table.row(subject)?.metric(metric)?;
    let ratio = summary
        .ratio
        .as_ref()
        .filter(|ratio| summary.trusted && ratio.estimate > 0.0)?;
    Some(ratio.estimate.ln())
}

#[cfg(test)]
mod tests;
