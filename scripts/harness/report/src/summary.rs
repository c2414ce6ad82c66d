//! What a run found, on one screen: who needs how much, in sentences with sizes, and what limited it.

use analyze::analysis;
use analyze::caveat::Caveat;
use analyze::caveats;
use analyze::pair::Direct;
use model::scenario::LoadModel;
use model::{AppRecord, Metric, OwnWork, Ratio, Record, Role, Summary, Verdict};
use stats::MIN_FOR_INTERVAL;

use crate::document::{Block, Rows, Text, joined, name, own, text};
use crate::table::findings;
use crate::table::{self, Table};
use crate::terminal::{Style, terminal};
use crate::{figure, labels, pair};

const METRIC: Metric = Metric::ServerCpuUsPerRequest;
const COUNT: Metric = Metric::InstructionsPerRequest;
/// What the table is about.
const TIME: &str = "CPU time per request";
const OWN_WORK: &str = "own work";
/// Frameworks that have a row, before the best-known.
const MOST_ROWS: usize = 6;
/// Columns of the terminal for the apps' names, and for each scenario.
const COLUMNS: (u16, u16) = (26, 13);

/// The summary for a terminal; `None` where no framework has a CPU time, as in a run of costs. What the machine disturbed stands in
/// parentheses, with its interval.
pub fn summary(direct: &Direct<'_>, style: Style) -> Option<String> {
    let record = direct.record;
    let tables = table::tables(record);
    let plain: Vec<&Table> = table::plain(&tables).into_iter().filter(|table| costs(table)).collect();
    let is_measured = |app: &AppRecord| plain.iter().any(|table| metric_of(table, app, METRIC).is_some());
    let mut apps = table::ordered(record, &plain, METRIC);
    apps.retain(|app| app.role == Role::Framework && is_measured(app));
    let all = || plain.iter().flat_map(|table| &table.ranked);
    let has = |verdict: Verdict| all().any(|row| row.cell.verdict == verdict);
    let is_disturbed = has(Verdict::EnvironmentFailed);
    if all().all(|row| row.trusted(METRIC).is_none()) {
        order(&mut apps, &plain, METRIC);
    }
    let (leader, others) = apps.split_first()?;
    let most = usize::from(style.width.saturating_sub(COLUMNS.0) / COLUMNS.1).max(1);
    let shown = &plain[..plain.len().min(most)];
    let mut blocks = vec![Block::Heading(1, head(record))];
    let rows = rows(others);
    blocks.push(figures(direct, leader, &rows, shown));
    let left_out = [
        (others.len() - rows.len(), "app"),
        (tables.len() - shown.len(), "scenario"),
    ];
    let left_out = left_out.iter().filter(|(number, _)| *number > 0);
    let left_out: Vec<String> = left_out.map(|(number, what)| labels::count(*number, what)).collect();
    let left_out = (!left_out.is_empty()).then(|| format!("… and {} more", labels::list(&left_out)));
    let cells = rows
        .iter()
        .flat_map(|app| shown.iter().map(move |table| more(direct, table, leader, app)));
    let is_any_in_doubt = cells.flatten().any(|more| !more.told_apart);
    let legend = (is_any_in_doubt || is_disturbed).then_some(if is_disturbed {
        "in parentheses: the machine was disturbed (± is a 95 % interval), or no difference can be shown"
    } else if has(Verdict::Incomplete) {
        "in parentheses: the contract is kept only in part, or no difference can be shown"
    } else if direct.claims_ranks() {
        "in parentheses: no difference can be shown"
    } else {
        "in parentheses: this run claims no difference"
    });
    let scale = shown.iter().any(|table| own_work(table, leader).is_some());
    let scale = scale.then_some(
        "own work: CPU time per request, from the smallest possible server (0) to Rocket 0.5.2 (100); ± is what another cpu may change",
    );
    let below = joined([left_out.map(own), legend.map(own), scale.map(own)], "; ");
    if !below.is_empty() {
        blocks.push(Block::Paragraph(below));
    }
    if is_disturbed || all().all(|row| row.rank(METRIC).is_none()) {
        blocks.extend(counts([*leader].into_iter().chain(rows).collect(), shown));
    }
    blocks.push(Block::Heading(2, "Summary".into()));
    blocks.extend(Block::list(found(direct, leader, others, &plain)));
    Some(terminal(&blocks, style))
}

/// Whether its servers did the same work.
fn costs(table: &Table) -> bool {
    !matches!(table.scenario.load, LoadModel::Capacity { .. })
}

fn metric_of<'r>(table: &Table<'r>, app: &AppRecord, metric: Metric) -> Option<&'r Summary> {
    table.row(app)?.metric(metric)
}

/// Sorts within the tiers by the mean of the ratios to the reference, those that do not count too.
fn order(apps: &mut [&AppRecord], tables: &[&Table], metric: Metric) {
    let mean = |app: &AppRecord| {
        let log = |table: &&Table| Some(metric_of(table, app, metric)?.ratio.as_ref()?.estimate.ln());
        let logs: Vec<f64> = tables.iter().filter_map(log).collect();
        stats::mean(&logs).unwrap_or(f64::INFINITY)
    };
    apps.sort_by(|one, other| one.tier.cmp(&other.tier).then(mean(one).total_cmp(&mean(other))));
}

/// Instructions for one request, which order servers whatever else the machine does; nothing where none were counted.
fn counts(mut apps: Vec<&AppRecord>, tables: &[&Table]) -> Vec<Block> {
    let count = |table: &Table, app: &AppRecord| Some(metric_of(table, app, COUNT)?.median);
    apps.retain(|app| tables.iter().any(|table| count(table, app).is_some()));
    order(&mut apps, tables, COUNT);
    let Some(leader) = apps.first().copied() else {
        return Vec::new();
    };
    let rows = Rows::of(apps).words("instructions per request", |app| called(app));
    let rows = tables.iter().fold(rows, |rows, table| {
        rows.figures(name(&table.scenario.id), |app| {
            let (found, first) = (count(table, app)?, count(table, leader)?);
            let is_first = std::ptr::eq(*app, leader);
            let (whole, more) = (figure::number(COUNT, found), figure::difference(found / first));
            Some(own(if is_first { whole } else { more }))
        })
    });
    let about = "counted, so the same on a busy machine; an instruction does not cost each server the same time";
    vec![rows.table(), Block::Paragraph(about.into())]
}

/// `quick · 6 rounds · AMD EPYC, 2 logical cpus · 4 warnings (bench doctor)`
fn head(record: &Record) -> Text {
    let warnings = match record.environment.warnings.len() {
        0 => String::new(),
        number => format!(" · {} (bench doctor)", labels::count(number, "warning")),
    };
    let rounds = labels::rounds_made(record).unwrap_or(record.harness.rounds);
    let rounds = format!(" · {} · ", labels::count(rounds as usize, "round"));
    let machine = labels::machine(&record.environment);
    text![name(&record.profile), own(rounds), machine, own(warnings)]
}

/// The first, the best-known and the others as long as there is room.
fn rows<'a>(others: &[&'a AppRecord]) -> Vec<&'a AppRecord> {
    let is_known = |app: &AppRecord| labels::is_best_known(app);
    let room = MOST_ROWS.saturating_sub(others.iter().filter(|app| is_known(app)).count());
    let mut taken = 0;
    let mut has_room = |app: &AppRecord| {
        taken += usize::from(!is_known(app));
        is_known(app) || taken <= room
    };
    others.iter().copied().filter(|app| has_room(app)).collect()
}

/// What the apps do themselves, where that is known; else the leader's CPU times and how much more the others need. Then what the leader's are in
/// requests per second.
fn figures(direct: &Direct<'_>, leader: &AppRecord, others: &[&AppRecord], shown: &[&Table]) -> Block {
    enum Line<'a> {
        App(&'a AppRecord),
        Time,
        PerSecond,
    }
    let has_rates = shown
        .iter()
        .any(|table| per_second(direct.record, table, leader).is_some());
    let has_own_work = shown.iter().any(|table| own_work(table, leader).is_some());
    let apps = [leader].into_iter().chain(others.iter().copied());
    let lines = apps
        .map(Line::App)
        .chain(has_own_work.then_some(Line::Time))
        .chain(has_rates.then_some(Line::PerSecond));
    let about = if has_own_work { OWN_WORK } else { TIME };
    let rows = Rows::of(lines).words(about, |line| match line {
        Line::App(app) => called(app),
        Line::Time => text![table::label(leader), ", ", TIME],
        Line::PerSecond => "one core's worth, req/s".into(),
    });
    let rows = shown.iter().fold(rows, |rows, table| {
        let time = || {
            let cpu = metric_of(table, leader, METRIC)?;
            Some(own(pair::microseconds(cpu.median)).trusted(cpu.trusted))
        };
        rows.figures(name(&table.scenario.id), |line| match line {
            Line::App(app) if std::ptr::eq(*app, leader) => match own_work(table, app) {
                Some(work) => Some(own(figure::own_work(work))),
                None => time(),
            },
            Line::App(app) => {
                let more = more(direct, table, leader, app)?;
                let work = own_work(table, app).map(figure::own_work);
                Some(own(work.unwrap_or_else(|| figure::more(&more.ratio))).trusted(more.told_apart))
            }
            Line::Time => time(),
            Line::PerSecond => per_second(direct.record, table, leader),
        })
    });
    rows.table()
}

/// What an app does itself in a scenario.
fn own_work(table: &Table, app: &AppRecord) -> Option<OwnWork> {
    table.row(app)?.trusted(METRIC)?.own_work
}

fn called(app: &AppRecord) -> Text {
    let standing = labels::standing(app.role, app.tier).map(|standing| text![" (", standing, ")"]);
    let version = labels::version(&app.framework_version);
    text![table::label(app), " ", version, standing]
}

/// An app beside the leader.
pub struct More {
    pub ratio: Ratio,
    /// Whether the two are told apart, which they are not where a run claims no ranks.
    pub told_apart: bool,
}

/// An app beside the leader of its tier in a scenario; `None` if one of them has no figure.
pub fn more(direct: &Direct<'_>, table: &Table, leader: &AppRecord, app: &AppRecord) -> Option<More> {
    let (leader, app) = (table.row(leader)?, table.row(app)?);
    let (of_leader, of_app) = (leader.metric(METRIC)?, app.metric(METRIC)?);
    let both = of_leader.trusted && of_app.trusted;
    let finding = || direct.finding(&table.scenario.id, leader.place, app.place);
    if let Some(finding) = both.then(finding).flatten() {
        let (ratio, told_apart) = (finding.ratio, finding.told_apart);
        return Some(More { ratio, told_apart });
    }
    let ratio = if both {
        Ratio {
            estimate: of_app.median / of_leader.median,
            ..Ratio::default()
        }
    } else {
        analysis::in_spite_of_others(direct.record, table.scenario).ratio(app.place, leader.place)?
    };
    let told_apart = false;
    Some(More { ratio, told_apart })
}

/// What one cpu would answer in a second that does nothing else: 1 s ÷ CPU time per request. A server that waits pays for more wake-ups, so
/// only where it was busy, in the part of its cpus' time that it had, or only the load generator kept it from that.
fn per_second(record: &Record, table: &Table, leader: &AppRecord) -> Option<Text> {
    let has_quota = record.environment.server_cpu_quota.is_some() && table.scenario.takes_quota();
    let row = table.row(leader)?;
    let verdict = row.cell.verdict;
    let waits = verdict.is_waiting() && !(has_quota && verdict == Verdict::Unsaturated);
    let is_busy = table.scenario.load == LoadModel::Closed && !waits;
    let cpu = row.trusted(METRIC).filter(|_| is_busy)?.median;
    Some(own(figure::significant(1e6 / cpu)))
}

fn found(direct: &Direct<'_>, leader: &AppRecord, others: &[&AppRecord], plain: &[&Table]) -> Vec<Text> {
    let record = direct.record;
    let pair_of = |app: &AppRecord| {
        let place = |table: &Table, app: &AppRecord| Some(table.row(app)?.place);
        let finding = |table: &&Table| direct.finding(&table.scenario.id, place(table, leader)?, place(table, app)?);
        pair::sentence(record, &plain.iter().filter_map(finding).collect::<Vec<_>>())
    };
    let known = others
        .iter()
        .filter(|app| labels::is_best_known(app) && app.tier == leader.tier);
    let mut caveats = caveats::of_machine(record);
    caveats.retain(|caveat| !matches!(caveat, Caveat::Recorded(_))); // the heading has their number
    let is_disturbed = caveats.iter().any(|caveat| matches!(caveat, Caveat::Disturbed(_)));
    let mut items: Vec<Text> = caveats.iter().map(|caveat| labels::caveat(caveat).bad()).collect();
    items.extend(findings::over_all(plain).map(Text::from));
    items.extend(known.map(|app| pair_of(app)));
    let figures = plain.iter().flat_map(|table| &table.ranked);
    let mut counted = figures.filter_map(|row| Some(row.trusted(METRIC)?.trials as usize));
    if !is_disturbed && counted.all(|rounds| rounds < MIN_FOR_INTERVAL) {
        let few = format!("nothing is told apart by fewer than {MIN_FOR_INTERVAL} rounds that count");
        items.push(own(few));
    }
    items.push(failed(record, plain));
    items.push(per_second_limit(plain));
    items.extend(caveats::partial(record).iter().map(labels::caveat));
    items
}

fn failed(record: &Record, plain: &[&Table]) -> Text {
    let failures = table::failures(record, plain.iter().copied()).into_iter();
    let named = failures.map(|failure| format!("{} ({})", failure.label, failure.verdict.name()));
    let named = labels::list(&named.collect::<Vec<_>>());
    (!named.is_empty()).then(|| text!["failed: ", named].bad()).into()
}

/// Where the servers' own limit was seen, and that it was not elsewhere.
fn per_second_limit(plain: &[&Table]) -> Text {
    let closed = || plain.iter().filter(|table| table.scenario.load == LoadModel::Closed);
    let rows = || closed().flat_map(|table| &table.ranked);
    let reached = rows().filter(|row| row.trusted(Metric::GoodputRps).is_some()).count();
    let bound = rows().filter(|row| row.cell.verdict == Verdict::ClientBound).count();
    if bound == 0 {
        return Text::default();
    }
    own(format!(
        "requests per second: limited by the load generator in {bound} of {} measurements, by the server in {reached}; on more cpus servers \
         reach their own limit",
        rows().count()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use analyze::analysis::Sessions;

    fn summary(record: &Record, width: u16) -> Option<String> {
        let style = Style { colour: false, width };
        super::summary(&Direct::new(record, &Sessions::default()), style)
    }

    #[test]
    fn a_run_fits_on_one_screen() {
        insta::assert_snapshot!(summary(&samples::sensible(), 80).unwrap());
    }

    #[test]
    fn what_the_machine_disturbed_is_shown_and_ordered_by_instructions() {
        insta::assert_snapshot!(summary(&samples::disturbed(1), 80).unwrap());
    }

    #[test]
    fn without_instructions_the_order_is_that_of_the_cpu_time_that_is_shown() {
        let mut record = samples::disturbed(0);
        let counted = summary(&record, 80).unwrap();
        let figures = record.summary.iter_mut();
        figures.for_each(|cell| drop(cell.metrics.remove(&COUNT)));
        let text = summary(&record, 80).unwrap();
        assert!(counted.contains("instructions per request") && !text.contains("instructions per request"));
        let order = |text: &str| ["actix-web", "axum", "rocket"].map(|name| text.find(name).unwrap());
        assert!(order(&text).is_sorted() && order(&counted).is_sorted(), "{text}");
    }

    #[test]
    fn it_adapts_to_the_width_of_the_terminal() {
        let mut record = samples::sensible();
        record.apps[0].name = "A framework with a name as long as this".into();
        for width in [30, 60, 80, 120] {
            let text = summary(&record, width).unwrap();
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= usize::from(width), "{width}: {text}");
        }
        let has_json = |width| summary(&record, width).unwrap().contains("json");
        assert_eq!((has_json(80), has_json(30)), (true, false), "one scenario has room");
    }

    #[test]
    fn a_run_without_cpu_times_has_none() {
        let mut record = samples::sensible();
        record.summary.iter_mut().for_each(|cell| cell.metrics.clear());
        assert_eq!(summary(&record, 80), None);
    }

    #[test]
    fn there_is_no_row_of_rates_where_no_server_was_busy() {
        let mut record = samples::sensible();
        let has_rates = |record: &Record| summary(record, 80).unwrap().contains("one core's worth");
        assert!(has_rates(&record));
        record
            .summary
            .iter_mut()
            .for_each(|cell| cell.verdict = Verdict::Unsaturated);
        assert!(!has_rates(&record));
        record.environment.server_cpu_quota = Some(0.5);
        (record.scenarios[0].cpu_quota, record.scenarios[0].slice_seconds) = (true, Some(0.2));
        assert!(has_rates(&record), "it was busy whenever it might run");
    }

    #[test]
    fn too_few_rounds_that_count_are_why_nothing_is_told_apart() {
        let mut record = samples::sensible();
        let mut text = |counts: fn(&model::Trial) -> bool| {
            let disturbed = record.trials.iter_mut().filter(|trial| !counts(trial));
            disturbed.for_each(|trial| trial.verdict = Verdict::EnvironmentFailed);
            record.summary = analysis::summary(&record.apps, &record.scenarios, &record.trials);
            summary(&record, 80).unwrap()
        };
        let text_of_all = text(|_| true);
        assert!(!text_of_all.contains("rounds that count"), "{text_of_all}");
        let text = text(|trial| trial.round < 5);
        assert!(
            text.contains("nothing is told apart by fewer than 5 rounds that count"),
            "{text}"
        );
    }
}
