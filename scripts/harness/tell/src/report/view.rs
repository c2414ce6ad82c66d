//! What stands where: the rows of each scenario in their order, the failures, and the reasons for what is set apart.
//!
//! Every format shows the same view, so that a table in a terminal and a chart in README.md never disagree. Text that
//! leaves here is [`clean`]ed; each format still escapes it for itself.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

use crate::report::words;
use judge::analysis;
use judge::stats;
use record::DEFAULT_VARIANT;
use record::escape::{NAME, SENTENCE, clean};
use record::scenario::{LoadModel, Scenario};
use record::{AppRecord, Cell, Metric, Rank, Ratio, Record, Role, Summary, Tier, Trial, Verdict};

/// The metrics that tables show; what else was not trusted needs no note.
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

/// Scenarios that a whole picture shows: those that vary no other, if there are any.
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

    /// How it is kept: frameworks come before engines, and those before what no longer moves.
    pub fn tier(&self) -> Tier {
        self.app.map_or(Tier::Maintained, |app| app.tier)
    }

    /// What is said beside its name; see [`words::standing`].
    pub fn standing(&self) -> Option<&'static str> {
        self.app.and_then(|app| words::standing(app.role, app.tier))
    }

    fn sort_key(&self) -> (String, &str, &str) {
        (self.label().to_lowercase(), self.id, self.variant)
    }
}

/// What the rows of a scenario are ordered by, and what its table gives first: CPU time per request, which holds whatever the
/// limit was; of a search for the highest rate, that rate.
pub fn leading(load: LoadModel) -> Metric {
    match load {
        LoadModel::Closed | LoadModel::Open { .. } => Metric::ServerCpuUsPerRequest,
        LoadModel::Capacity { .. } => Metric::CapacityRps,
    }
}

/// What stands beside [`leading`].
pub fn second(load: LoadModel) -> Metric {
    match load {
        LoadModel::Capacity { .. } => Metric::ServerCpuUsPerRequest,
        LoadModel::Closed | LoadModel::Open { .. } => Metric::headline(load),
    }
}

/// What the trials of a row say beside its figures.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Trials {
    /// Share of its cpus that the server used, 0 to 1; median over the trials that count.
    pub server_share: Option<f64>,
    /// Requests under way on average, goodput × mean latency (Little's law); median over the trials that count.
    pub in_flight: Option<f64>,
    /// Rounds that count and rounds that were made, where some do not count.
    pub missing_rounds: Option<(u32, u32)>,
}

impl Trials {
    fn of(record: &Record, scenario: &Scenario, subject: Subject, cell: &Cell) -> Self {
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

/// Rounds that were planned, less those for which the time did not suffice. Rounds beyond the plan replace spoilt ones.
fn rounds_made(record: &Record, scenario: &Scenario) -> u32 {
    let trials = record.trials.iter().filter(|trial| trial.scenario == scenario.id);
    let last = trials.map(|trial| trial.round).max();
    last.unwrap_or(u32::MAX).min(record.harness.rounds)
}

/// One line of a scenario's table.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// Who.
    pub subject: Subject<'a>,
    /// What was found.
    pub cell: &'a Cell,
    /// What the trials say beside it.
    pub trials: Trials,
}

impl<'a> Row<'a> {
    /// What was found for one metric.
    pub fn metric(&self, metric: Metric) -> Option<&'a Summary> {
        self.cell.metrics.get(&metric)
    }

    /// The rank of a metric; an untrusted figure has none, nor have reference and ceiling, whatever the record says.
    pub fn rank(&self, metric: Metric) -> Option<Rank> {
        let compared = self.subject.role() == Role::Framework;
        self.metric(metric)
            .filter(|_| compared)
            .filter(|summary| summary.trusted)
            .and_then(|summary| summary.rank)
    }

    /// The ratio to the reference of a trusted figure. That of the reference itself is 1, and has no interval.
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
    /// Who.
    pub subject: Subject<'a>,
    /// How it failed; `None` if it was not measured at all.
    pub verdict: Option<Verdict>,
    /// Why, cleaned.
    pub reasons: Vec<String>,
}

impl Missing<'_> {
    /// How it failed, in a word.
    pub fn word(&self) -> &'static str {
        self.verdict.map_or("not measured", words::verdict)
    }
}

/// One scenario: what its table and its chart show.
#[derive(Debug)]
pub struct Table<'a> {
    /// What was asked.
    pub scenario: &'a Scenario,
    /// The frameworks, best first.
    pub ranked: Vec<Row<'a>>,
    /// The reference, then the ceiling: there to compare with, not to be ranked.
    pub anchors: Vec<Row<'a>>,
    /// Those without figures, by name.
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

    /// Why there are no figures of one app.
    pub fn missing(&self, subject: Subject) -> Option<&Missing<'a>> {
        self.missing
            .iter()
            .find(|missing| missing.subject.id == subject.id && missing.subject.variant == subject.variant)
    }
}

/// Every app in every variant, by name; also those that only the summary knows.
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
        return Vec::new(); // no load was driven: `report::costs` shows what was found
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
        let cell = record
            .summary
            .iter()
            .find(|cell| cell.scenario == scenario.id && is_of(cell, subject));
        match cell {
            Some(cell) if !words::is_failure(cell.verdict) => {
                let trials = Trials::of(record, scenario, subject, cell);
                let row = Row { subject, cell, trials };
                match subject.role() {
                    Role::Framework => table.ranked.push(row),
                    Role::Reference | Role::Ceiling => table.anchors.push(row),
                }
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
    }
}

/// Frameworks, engines, legacy ones; among these the best first, by the figure that is ranked: the ratio to the reference, or
/// the value itself where there is none. What is not trusted comes last. Stable, and the rows come by name.
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

/// The first reasons, each once, and how many more there are.
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
        distinct.push(format!("and {} in the record", words::count(more, "more reason")));
    }
    distinct
}

/// Why figures of a table are set apart.
#[derive(Debug)]
pub struct Note {
    /// What the cells are worth.
    pub verdict: Verdict,
    /// Why, cleaned.
    pub reason: String,
    /// What is set apart; empty if the verdict leaves every figure standing.
    pub metrics: Vec<Metric>,
    /// Whose cells: names where they are few, else a number.
    pub who: String,
    /// How many of how many, `20 of 21`.
    pub count: String,
}

/// Most names that stand in a note; more of them are a number.
const MOST_NAMED: usize = 3;

/// Some of all, in words: names where they are few, else how many, and who is not among them where those are few.
fn who(some: &[String], all: &[String]) -> String {
    let others: Vec<&str> = all
        .iter()
        .filter(|label| !some.contains(label))
        .map(String::as_str)
        .collect();
    match (some.len(), others.as_slice()) {
        (number, []) if number > 1 => format!("all {number}"),
        (number, _) if number <= MOST_NAMED => some.join(", "),
        (number, few) if few.len() <= MOST_NAMED => {
            format!("{number} of {}, all but {}", all.len(), words::list(few))
        }
        (number, _) => format!("{number} of {}", all.len()),
    }
}

/// Which of `metrics` are not trusted and why, in words, the mildest verdict first: one note for each verdict.
pub fn doubts(table: &Table, metrics: &[Metric]) -> Vec<Note> {
    let mut grouped: BTreeMap<(Verdict, Vec<Metric>), Vec<String>> = BTreeMap::new();
    for row in table.rows() {
        let untrusted = row.untrusted();
        let shown: Vec<Metric> = metrics
            .iter()
            .copied()
            .filter(|metric| untrusted.contains(metric))
            .collect();
        if !shown.is_empty() {
            grouped
                .entry((row.cell.verdict, shown))
                .or_default()
                .push(row.subject.label());
        }
    }
    let all = table.labels();
    let note = |((verdict, metrics), labels): (_, Vec<String>)| Note {
        verdict,
        reason: words::meaning(verdict).to_owned(),
        metrics,
        count: format!("{} of {}", labels.len(), all.len()),
        who: who(&labels, &all),
    };
    grouped.into_iter().map(note).collect()
}

/// The reasons of a table, each once, the mildest verdict first.
pub fn notes(table: &Table) -> Vec<Note> {
    let mut grouped: BTreeMap<(Verdict, String, BTreeSet<Metric>), Vec<String>> = BTreeMap::new();
    for row in table.rows() {
        let (verdict, untrusted) = (row.cell.verdict, row.untrusted());
        if verdict == Verdict::Valid && untrusted.is_empty() {
            continue;
        }
        let mut reasons = shown_reasons(&row.cell.reasons);
        if reasons.is_empty() {
            reasons.push(words::meaning(verdict).to_owned());
        }
        for reason in reasons {
            grouped
                .entry((verdict, reason, untrusted.clone()))
                .or_default()
                .push(row.subject.label());
        }
    }
    let all = table.labels();
    let note = |((verdict, reason, metrics), labels): ((_, _, BTreeSet<_>), Vec<String>)| Note {
        verdict,
        reason,
        metrics: metrics.into_iter().collect(),
        count: format!("{} of {}", labels.len(), all.len()),
        who: who(&labels, &all),
    };
    grouped.into_iter().map(note).collect()
}

/// One app that failed, and where; or several that the machine failed.
#[derive(Debug)]
pub struct Failure {
    /// Who.
    pub label: String,
    /// How.
    pub verdict: Verdict,
    /// Why, cleaned.
    pub reasons: Vec<String>,
    /// In which scenarios; empty if in every one.
    pub scenarios: Vec<String>,
}

/// All failures of a run by name; the same failure in several scenarios is one. What the machine failed stands at the end,
/// and by scenario: it is of nobody's making.
pub fn failures<'a, T: Borrow<Table<'a>>>(record: &Record, tables: &[T]) -> Vec<Failure> {
    let mut failures = Vec::new();
    for subject in subjects(record) {
        let mut grouped: BTreeMap<(Verdict, Vec<String>), Vec<String>> = BTreeMap::new();
        for table in tables.iter().map(Borrow::borrow) {
            let Some(missing) = table.missing(subject) else {
                continue;
            };
            let Some(verdict) = missing.verdict else { continue };
            let key = (verdict, missing.reasons.clone());
            grouped.entry(key).or_default().push(clean(&table.scenario.id, NAME));
        }
        failures.extend(grouped.into_iter().map(|((verdict, reasons), scenarios)| {
            let everywhere = scenarios.len() == tables.len();
            let scenarios = if everywhere { Vec::new() } else { scenarios };
            Failure {
                label: subject.label(),
                verdict,
                reasons,
                scenarios,
            }
        }));
    }
    let (of_machine, mut own): (Vec<_>, Vec<_>) = failures
        .into_iter()
        .partition(|failure: &Failure| failure.verdict == Verdict::EnvironmentFailed);
    own.extend(together(of_machine));
    own
}

/// Those who failed in the same scenarios as one, with the first one's reason.
fn together(failures: Vec<Failure>) -> Vec<Failure> {
    let mut by_scenarios: BTreeMap<Vec<String>, Vec<Failure>> = BTreeMap::new();
    for failure in failures {
        by_scenarios.entry(failure.scenarios.clone()).or_default().push(failure);
    }
    by_scenarios
        .into_values()
        .filter_map(|group| {
            let label = group.iter().map(|failure| failure.label.as_str()).collect::<Vec<_>>();
            let label = label.join(", ");
            let alone = group.len() == 1;
            let mut first = group.into_iter().next()?;
            if !alone {
                let reason = first.reasons.first().cloned().unwrap_or_default();
                first.reasons = vec![format!("{reason}; of the others the like")];
                first.label = label;
            }
            Some(first)
        })
        .collect()
}

/// The frameworks in the order of a whole run: frameworks, engines, legacy ones, and within these by the geometric mean of
/// their trusted CPU ratios to the reference.
///
/// A mean over fewer scenarios cannot be compared, so whoever lacks a ratio comes after all who do not, by how many are
/// lacking and then by name.
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

/// The geometric mean of an app's trusted ratios to the reference; `None` where one is lacking.
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
mod tests {
    use super::*;
    use judge::sample;

    fn labels(rows: &[Row]) -> Vec<String> {
        rows.iter().map(|row| row.subject.label()).collect()
    }

    #[test]
    fn what_the_machine_failed_is_told_once_for_all_and_last() {
        let mut record = sample::record();
        for (cell, share) in record
            .summary
            .iter_mut()
            .filter(|cell| cell.scenario == "plaintext")
            .zip(10..)
        {
            cell.verdict = Verdict::EnvironmentFailed;
            cell.reasons = vec![format!("the hypervisor took {share} % of the time"), "and more".into()];
        }
        let failures = failures(&record, &tables(&record));
        let of_machine: Vec<_> = failures
            .iter()
            .filter(|failure| failure.verdict == Verdict::EnvironmentFailed)
            .collect();
        assert_eq!(of_machine.len(), 1, "{failures:?}");
        assert!(of_machine[0].label.contains(", "), "{failures:?}");
        let reason = &of_machine[0].reasons[0];
        assert!(reason.ends_with(" % of the time; of the others the like"), "{reason}");
        assert_eq!(failures.last().unwrap().verdict, Verdict::EnvironmentFailed);
    }

    #[test]
    fn no_row_stands_above_one_that_is_better() {
        let record = sample::record();
        let tables = tables(&record);
        assert_eq!(
            labels(&tables[0].ranked),
            ["axum (tuned)", "axum", "actix-web", "rocket", "hyper"]
        );
        assert_eq!(labels(&tables[0].anchors), ["reference", "ceiling"]);
        // By the ratio, which is what ranks are made of, even where the median says otherwise; untrusted ones last.
        let mut record = sample::record();
        for cell in record.summary.iter_mut().filter(|cell| cell.scenario == "json") {
            if let Some(cpu) = cell.metrics.get_mut(&Metric::ServerCpuUsPerRequest) {
                cpu.median = 100.0 - cpu.median;
            }
        }
        let tables = super::tables(&record);
        assert_eq!(
            labels(&tables[1].ranked),
            ["actix-web", "axum", "axum (tuned)", "rocket", "hyper"]
        );
        assert!(tables[1].ranked[3].rank(Metric::ServerCpuUsPerRequest).is_none());
    }

    #[test]
    fn missing_rounds_are_counted() {
        let mut record = sample::record();
        let rounds = |record: &Record| {
            tables(record)[0]
                .rows()
                .map(|row| row.trials.rounds())
                .collect::<Vec<_>>()
        };
        assert!(rounds(&record).iter().all(Option::is_none));
        let cpu = record.summary[0].metrics.get_mut(&Metric::ServerCpuUsPerRequest);
        cpu.unwrap().trials = 2;
        let shown: Vec<_> = rounds(&record).into_iter().flatten().collect();
        assert_eq!(shown, ["2 of 3 rounds"]);
    }

    #[test]
    fn many_names_are_a_number() {
        let names = |range: std::ops::Range<u32>| range.map(|number| number.to_string()).collect::<Vec<_>>();
        let of = |some: Vec<String>| who(&some, &names(0..9));
        assert_eq!(of(names(0..9)), "all 9");
        assert_eq!(of(names(0..2)), "0, 1");
        assert_eq!(of(names(2..9)), "7 of 9, all but 0 and 1");
        assert_eq!(of(names(4..8)), "4 of 9");
        assert_eq!(who(&names(0..1), &names(0..1)), "0");
    }

    #[test]
    fn no_app_is_lost() {
        let mut record = sample::record();
        record
            .summary
            .retain(|cell| !(cell.app == "axum" && cell.scenario == "json"));
        let tables = tables(&record);
        for table in &tables {
            assert_eq!(table.rows().count() + table.missing.len(), record.apps.len());
        }
        let axum = tables[1]
            .missing
            .iter()
            .find(|missing| missing.subject.id == "axum")
            .expect("it has no figures");
        assert_eq!(axum.word(), "not measured");
    }

    #[test]
    fn figures_of_an_undescribed_app_are_shown() {
        let mut record = sample::record();
        record.apps.retain(|app| app.id != "actix-web");
        assert!(labels(&tables(&record)[0].ranked).contains(&"actix-web".to_owned()));
    }

    #[test]
    fn the_same_reason_is_one_note() {
        let record = sample::record();
        let notes = notes(&tables(&record)[0]);
        let client_bound: Vec<_> = notes
            .iter()
            .filter(|note| note.verdict == Verdict::ClientBound)
            .collect();
        assert_eq!(client_bound.len(), 2, "two reasons");
        assert_eq!(client_bound[1].who, "axum (tuned), axum, ceiling");
        let doubts = doubts(&tables(&record)[0], &[Metric::GoodputRps]);
        assert_eq!(doubts.len(), 1, "one verdict");
        assert_eq!(doubts[0].who, "4 of 7, all but actix-web, rocket and reference");
    }

    #[test]
    fn a_mean_over_fewer_scenarios_is_not_ranked() {
        let record = sample::record();
        let order: Vec<_> = frameworks(&record, &tables(&record))
            .iter()
            .map(Subject::label)
            .collect();
        assert_eq!(order[..4], ["axum", "axum (tuned)", "actix-web", "rocket"]);
        assert_eq!(order.last().unwrap(), "hyper", "an engine stands after all frameworks");
    }

    #[test]
    fn many_reasons_become_few() {
        let many: Vec<String> = (0..9).map(|number| format!("reason {number}")).collect();
        assert_eq!(
            shown_reasons(&many),
            ["reason 0", "reason 1", "reason 2", "and 6 more reasons in the record"]
        );
    }
}
