//! The history of a lane as Markdown that can also be read in a terminal.

use super::figure;
use super::table::padded_markdown;
use super::words::count;
use judge::history::{Cause, Change, Direction, HistoryReport, Kind, Mark, Segment, State};
use record::Metric;
use record::escape::{SENTENCE, clean, markdown_name as text};
use record::label;

/// Changes that are shown; `--format json` has them all.
const MOST: usize = 40;
/// Causes of one change that are named.
const MOST_CAUSES: usize = 6;

/// All of it.
#[must_use]
pub fn history_markdown(report: &HistoryReport) -> String {
    let always = [
        format!("# What moved in {}\n", text(&report.lane)),
        headline(report),
        reading(report),
    ];
    let found = [
        section("## Changes\n\n", CHANGES, &report.changes, change),
        section("## All apps at once\n\n", COMMON, &report.common, common),
        section("## A year before and now\n\n", DRIFTS, &report.drifts, drift),
        section("## Machines\n\n", MACHINES, &report.segments, segment),
        runners(report).map(|runners| format!("## Runners\n\n{runners}")),
    ];
    let parts: Vec<String> = always.into_iter().chain(found.into_iter().flatten()).collect();
    parts.join("\n")
}

/// What the newest run adds to the history, as a section of a pull request's body.
#[must_use]
pub fn history_news(news: &HistoryReport) -> String {
    let nothing = news.changes.is_empty() && news.common.is_empty();
    let nothing = nothing.then(|| {
        format!(
            "Nothing new moved among {} over {}.\n",
            count(news.judged, "figure"),
            count(news.runs, "run")
        )
    });
    let parts = [
        Some("## Over all runs\n".to_owned()),
        nothing,
        section("", CHANGES, &news.changes, change),
        section("### All apps at once\n\n", COMMON, &news.common, common),
        runners(news),
        Some(reading(news)),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// What maintainers must look at, as the body of an issue; `None` if there is nothing.
#[must_use]
pub fn history_alarm(report: &HistoryReport) -> Option<String> {
    let (shared, alarms): (Vec<&Change>, Vec<&Change>) = report.alarms().partition(|alarm| alarm.shared_by.is_some());
    let number = count(alarms.len() + shared.len(), "figure");
    let tables = [
        section("", CHANGES, alarms, change),
        section("Most apps at once, and not the reference:\n\n", COMMON, shared, common),
    ];
    let mut tables: Vec<String> = tables.into_iter().flatten().collect();
    if tables.is_empty() {
        return None;
    }
    tables.extend(runners(report));
    let table = tables.join("\n");
    let lane = text(&report.lane);
    Some(format!(
        "{number} of lane {lane} became worse, and later runs confirmed it.\n\n{table}\n{}\n\
         What to do: look at the causes. If it is a dependency or a framework, tell its maintainers, or hold the version back. If \
         it is our own source, fix it. If nothing is known, look at the trend before blaming anyone. After eight more runs on the \
         new level this issue closes by itself; the history keeps the change.\n",
        reading(report)
    ))
}

/// The state of the issue, in a line that changes when a maintainer should look again: of which series, and which apps.
#[must_use]
pub fn history_state(report: &HistoryReport) -> String {
    let mut apps: Vec<String> = report.alarms().flat_map(Change::apps).collect();
    apps.sort();
    apps.dedup();
    let series = match &report.profile {
        Some(profile) => format!("{}, whole runs of {profile}", report.lane),
        None => report.lane.clone(),
    };
    clean(&format!("{series}, worse: {}", apps.join(", ")), SENTENCE)
}

const CHANGES: &[&str] = &[
    "Since",
    "App",
    "Figure",
    "Change",
    "Runs",
    "State",
    "What else was different",
];
const COMMON: &[&str] = &["Since", "Figure", "All apps", "Reference", "What else was different"];
const DRIFTS: &[&str] = &["App", "Figure", "Change in a year"];
const MACHINES: &[&str] = &["Machine", "Runner", "Since", "Runs"];

fn headline(report: &HistoryReport) -> String {
    let profile = report
        .profile
        .as_ref()
        .map(|profile| format!(", profile {}", text(profile)));
    format!(
        "{}{}: {} followed, {} confirmed, {} suspected.\n",
        count(report.runs, "run"),
        profile.unwrap_or_default(),
        count(report.judged, "figure"),
        count(changes_in(report, State::Confirmed), "change"),
        changes_in(report, State::Suspected),
    )
}

fn changes_in(report: &HistoryReport, state: State) -> usize {
    report.changes.iter().filter(|change| change.state == state).count()
}

fn reading(report: &HistoryReport) -> String {
    if report.judged == 0 {
        return "Nothing can be judged: it takes two servers with trusted figures in the same runs; one may be the reference.\n"
            .to_owned();
    }
    let between = report.changes.iter().find_map(|change| change.relative_to.as_ref());
    let relative = between.map_or_else(
        || "the median of all apps of the same run, so a slower machine does not count as a change".to_owned(),
        |other| {
            format!(
                "{}: with two servers it is unknown which of them moved, except that the reference never does",
                text(other)
            )
        },
    );
    format!(
        "A change is of one app relative to {relative}; for counts, relative to the app's previous level. The last column lists what else \
         was different: a reason to look there, not proof.\n"
    )
}

/// A table with a title and a row for each thing; `None` without any.
fn section<'t, T: 't>(
    title: &str,
    header: &[&str],
    things: impl IntoIterator<Item = &'t T>,
    row: impl Fn(&T) -> Vec<String>,
) -> Option<String> {
    let rows: Vec<Vec<String>> = things.into_iter().map(row).collect();
    let more = rows.len().saturating_sub(MOST);
    let more = if more == 0 {
        String::new()
    } else {
        format!("\n… and {more} more, which `--format json` has.\n")
    };
    (!rows.is_empty()).then(|| format!("{title}{}{more}", padded_markdown(header, rows.into_iter().take(MOST))))
}

fn change(change: &Change) -> Vec<String> {
    let (word, runs) = match (change.state, change.verdict) {
        (State::Suspected, _) => ("suspected", change.runs_after),
        (State::Confirmed, Direction::Regression) => ("**regression**", change.runs_after),
        (State::Confirmed, Direction::Improvement) => ("improvement", change.runs_after),
        (State::Confirmed, Direction::Change) => ("change", change.runs_after),
    };
    let size = match change.state {
        State::Confirmed => format!(
            "{} [{} … {}]",
            percent(change.size),
            percent(change.low),
            percent(change.high)
        ),
        State::Suspected => percent(change.size),
    };
    vec![
        day(change.started_at),
        text(&label(&change.app, &change.variant)),
        figure_of(&change.scenario, &change.metric),
        size,
        format!("{} + {runs}", change.runs_before),
        word.to_owned(),
        causes(&change.causes),
    ]
}

fn common(common: &Change) -> Vec<String> {
    vec![
        day(common.started_at),
        figure_of(&common.scenario, &common.metric),
        percent(common.size),
        match &common.shared_by {
            Some(apps) => format!("stayed; {} shared it", count(apps.len(), "app")),
            None => common.reference.map_or_else(|| figure::NONE.to_owned(), percent),
        },
        causes(&common.causes),
    ]
}

fn drift(drift: &Change) -> Vec<String> {
    vec![
        text(&label(&drift.app, &drift.variant)),
        figure_of(&drift.scenario, &drift.metric),
        format!(
            "{} [{} … {}]",
            percent(drift.size),
            percent(drift.low),
            percent(drift.high)
        ),
    ]
}

fn segment(segment: &Segment) -> Vec<String> {
    vec![
        text(known(&segment.machine)),
        text(known(&segment.runner)),
        day(segment.started_at),
        segment.runs.to_string(),
    ]
}

/// A line for each runner but the first.
fn runners(report: &HistoryReport) -> Option<String> {
    let marks = report.marks.iter().filter(|mark| mark.kind == Kind::Runner);
    let line = |mark: &Mark| {
        format!(
            "- From {} on {}: every figure begins again there, and a step from {} is no change.\n",
            day(mark.started_at),
            text(known(&mark.after)),
            text(known(&mark.before))
        )
    };
    let lines: String = marks.map(line).collect();
    (!lines.is_empty()).then_some(lines)
}

fn known(name: &str) -> &str {
    if name.is_empty() { "unknown" } else { name }
}

fn figure_of(scenario: &str, metric: &str) -> String {
    let name = Metric::from_id(metric).map_or_else(|| metric.to_owned(), |metric| metric.name().to_owned());
    format!("{}, {}", text(scenario), text(&name))
}

/// What else was different, in one cell.
pub(super) fn causes(causes: &[Cause]) -> String {
    let mut shown: Vec<String> = causes.iter().take(MOST_CAUSES).map(cause).collect();
    if causes.len() > MOST_CAUSES {
        shown.push(format!("{} more", causes.len() - MOST_CAUSES));
    }
    shown.join("; ")
}

fn cause(cause: &Cause) -> String {
    let name = text(&cause.name);
    match cause.kind {
        Kind::Environment => "nothing known: the environment".to_owned(),
        Kind::Source => "the app's own sources".to_owned(),
        _ if cause.before.is_empty() && cause.after.is_empty() => format!("{name} is another"),
        _ => format!("{name} {} → {}", version(&cause.before), version(&cause.after)),
    }
}

fn version(value: &str) -> String {
    if value.is_empty() {
        "none".to_owned()
    } else {
        text(value)
    }
}

fn percent(share: f64) -> String {
    format!("{:+.1} %", share * 100.0)
}

pub(super) fn day(at: jiff::Timestamp) -> String {
    at.strftime("%Y-%m-%d").to_string()
}
