//! The history of a lane as Markdown that can also be read in a terminal.

use analyze::history::{ALARM_RUNS, Cause, Change, Direction, Ending, HistoryReport, Kind, Lineup, Segment, State};
use model::escape::{SENTENCE, clean};
use model::{Metric, label};

use super::document::{Block, NONE, Rows, Text, joined, name, own, padded_markdown, table_of, text};
use super::labels::{count, day};

/// Changes that are shown; `--format json` has them all.
const MOST: usize = 40;
/// Causes of one change that are named.
const MOST_CAUSES: usize = 6;

/// All of it.
pub fn history_markdown(report: &HistoryReport) -> String {
    let mut blocks = vec![
        Block::Heading(1, text!["What moved in ", name(&report.lane)]),
        Block::Paragraph(headline(report)),
        Block::Paragraph(reading(report)),
    ];
    blocks.extend(Block::sections([
        ("Changes", changes(&report.changes)),
        ("All apps at once", common(&report.common)),
        ("Who came and went", lineups(&report.lineups)),
        ("A year before and now", drifts(&report.drifts)),
        ("Machines", machines(&report.segments)),
        ("Runners", runners(report)),
    ]));
    padded_markdown(&blocks)
}

/// What the newest run adds to the history, as a section of a pull request's body.
pub fn history_news(news: &HistoryReport) -> String {
    let mut blocks = vec![Block::Heading(2, "Over all runs".into())];
    let is_quiet = news.changes.is_empty() && news.common.is_empty();
    if is_quiet {
        let (figures, runs) = (count(news.judged, "figure"), count(news.runs, "run"));
        let kinds = match news.segments.len() {
            0 | 1 => String::new(),
            many => format!(" on {many} kinds of machine, each judged by itself"),
        };
        let quiet = format!("No lasting change among {figures} over {runs}{kinds}.");
        blocks.push(Block::paragraph(quiet));
    }
    blocks.extend(changes(&news.changes));
    blocks.extend(Block::section(3, "All apps at once", common(&news.common)));
    blocks.extend(lineups(&news.lineups));
    blocks.extend(runners(news));
    if !is_quiet || news.judged == 0 {
        blocks.push(Block::Paragraph(reading(news)));
    }
    padded_markdown(&blocks)
}

/// What maintainers must look at, as the body of an issue; `None` if there is nothing.
pub fn history_alarm(report: &HistoryReport) -> Option<String> {
    let (shared, alarms): (Vec<&Change>, Vec<&Change>) = report.alarms().partition(|alarm| alarm.shared_by.is_some());
    let number = alarms.len() + shared.len();
    if number == 0 {
        return None;
    }
    let (number, lane) = (count(number, "figure"), name(&report.lane));
    let worse = text![number, " of lane ", lane, " became worse, and later runs confirmed it."];
    let mut blocks = vec![Block::Paragraph(worse)];
    blocks.extend(changes(alarms));
    if !shared.is_empty() {
        blocks.push(Block::paragraph("Most apps at once, and not the reference:"));
        blocks.extend(common(shared));
    }
    let new = report.lineups.iter().filter(|lineup| lineup.runs_after <= ALARM_RUNS);
    blocks.extend(lineups(new));
    blocks.extend(runners(report));
    blocks.push(Block::Paragraph(reading(report)));
    blocks.push(Block::paragraph(
        "What to do: look at the causes. If it is a dependency or a framework, tell its maintainers, or hold the version back. If \
         it is our own source, fix it. If nothing is known, look at the trend before blaming anyone. After eight more runs on the \
         new level this issue closes by itself; the history keeps the change.",
    ));
    Some(padded_markdown(&blocks))
}

/// The state of the issue, in a line that changes when a maintainer should look again: of which series, and which apps.
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

fn headline(report: &HistoryReport) -> Text {
    let profile = report.profile.as_deref();
    let profile = profile.map(|profile| text![", profile ", name(profile)]);
    let of = |state: State| report.changes.iter().filter(|change| change.state == state).count();
    let (judged, confirmed) = (count(report.judged, "figure"), count(of(State::Confirmed), "change"));
    let suspected = of(State::Suspected);
    let found = format!(": {judged} followed, {confirmed} confirmed, {suspected} suspected.");
    text![count(report.runs, "run"), profile, found]
}

fn reading(report: &HistoryReport) -> Text {
    if report.judged == 0 {
        return "Nothing can be judged: it takes two servers with trusted figures in the same runs; one may be the reference.".into();
    }
    let relative = match report.changes.iter().find_map(|change| change.relative_to.as_ref()) {
        None => "the median of all apps of the same run, so a slower machine does not count as a change; who moved, the reference shows, and \
                 without one it is a change, neither better nor worse".into(),
        Some(other) => {
            let rest = ": with two servers it is unknown which of them moved, except that the reference never does";
            text![name(other), rest]
        }
    };
    let rest = "; for counts, relative to the app's previous level. The last column lists what else was different: a reason to look \
                there, not proof.";
    text!["A change is one app's, relative to ", relative, rest]
}

fn table<'t, T: 't>(
    things: impl IntoIterator<Item = &'t T>,
    columns: impl FnOnce(Rows<&'t T>) -> Rows<&'t T>,
) -> Vec<Block> {
    table_of(MOST, things, columns, |more| {
        format!("… and {more} more, which `--format json` has.")
    })
}

fn changes<'t>(changes: impl IntoIterator<Item = &'t Change>) -> Vec<Block> {
    let state = |change: &Change| match (change.state, change.verdict, ending(change)) {
        (State::Suspected, ..) => "suspected".into(),
        (State::Confirmed, Direction::Regression, None) => own("regression").bold(),
        (State::Confirmed, verdict, ending) => joined([Some(word(verdict).into()), ending], ", "),
    };
    let size = |change: &Change| match change.state {
        State::Confirmed => interval(change),
        State::Suspected => percent(change.size).into(),
    };
    table(changes, |rows| {
        rows.words("Since", |change| day(change.started_at))
            .words("App", |change| name(&label(&change.app, &change.variant)))
            .words("Figure", |change| figure_of(change))
            .words("Change", |change| size(change))
            .words("Runs", |change| {
                format!("{} + {}", change.runs_before, change.runs_after)
            })
            .words("State", |change| state(change))
            .words("What else was different", |change| causes(&change.causes))
    })
}

pub(super) fn word(verdict: Direction) -> &'static str {
    match verdict {
        Direction::Regression => "regression",
        Direction::Improvement => "improvement",
        Direction::Change => "change",
    }
}

/// When and by what the level of a change ended.
pub(super) fn ending(change: &Change) -> Option<Text> {
    let end = change.ended.as_ref()?;
    let day = day(end.started_at);
    Some(match end.by {
        Ending::Change => text!["ended ", day, " (", causes(&end.causes), ")"],
        Ending::Doubt => text!["in doubt since ", day, ": not found with later runs"],
        Ending::Runner => text!["until ", day, ", when the runner changed"],
    })
}

fn common<'t>(common: impl IntoIterator<Item = &'t Change>) -> Vec<Block> {
    let reference = |one: &Change| match &one.shared_by {
        Some(apps) => format!("stayed; {} shared it", count(apps.len(), "app")),
        None => one.reference.map_or_else(|| NONE.to_owned(), percent),
    };
    let size = |one: &Change| joined([Some(percent(one.size).into()), ending(one)], ", ");
    table(common, |rows| {
        rows.words("Since", |one| day(one.started_at))
            .words("Figure", |one| figure_of(one))
            .words("All apps", |one| size(one))
            .words("Reference", |one| reference(one))
            .words("What else was different", |one| causes(&one.causes))
    })
}

fn drifts(drifts: &[Change]) -> Vec<Block> {
    table(drifts, |rows| {
        rows.words("App", |drift| name(&label(&drift.app, &drift.variant)))
            .words("Figure", |drift| figure_of(drift))
            .words("Change in a year", |drift| interval(drift))
    })
}

fn machines(segments: &[Segment]) -> Vec<Block> {
    table(segments, |rows| {
        rows.words("Machine", |segment| known(&segment.machine, "unknown"))
            .words("Runner", |segment| known(&segment.runner, "unknown"))
            .words("Since", |segment| day(segment.started_at))
            .words("Runs", |segment| segment.runs.to_string())
    })
}

/// A line for each run at which a series began or ended.
fn lineups<'t>(lineups: impl IntoIterator<Item = &'t Lineup>) -> Vec<Block> {
    let line = |lineup: &Lineup| {
        let names = |names: &[String]| joined(names.iter().map(|one| name(one)), ", ");
        let (day, gone, new) = (day(lineup.started_at), names(&lineup.gone), names(&lineup.new));
        match (lineup.gone.is_empty(), lineup.new.is_empty()) {
            (true, _) => text![day, ": ", new, " is new."],
            (_, true) => text![day, ": ", gone, " is gone; its figures end there."],
            _ => {
                let same =
                    " is new. Perhaps it is the same under another name; a step from one to the other is in no figure.";
                text![day, ": ", gone, " is gone, and ", new, same]
            }
        }
    };
    Block::list(lineups.into_iter().take(MOST).map(line))
}

/// A line for each runner but the first.
fn runners(report: &HistoryReport) -> Vec<Block> {
    let marks = report.marks.iter().filter(|mark| mark.kind == Kind::Runner);
    Block::list(marks.map(|mark| {
        let [before, after] = [&mark.before, &mark.after].map(|runner| known(runner, "unknown"));
        let again = ": every figure begins again there, and a step from ";
        let day = day(mark.started_at);
        text!["From ", day, " on ", after, again, before, " is no change."]
    }))
}

fn figure_of(change: &Change) -> Text {
    let metric = Metric::from_id(&change.metric).map_or_else(|| name(&change.metric), |metric| metric.name().into());
    text![name(&change.scenario), ", ", metric]
}

/// What else was different, in one cell.
pub(super) fn causes(causes: &[Cause]) -> Text {
    let more = causes.len().saturating_sub(MOST_CAUSES);
    let more = (more > 0).then(|| format!("{more} more").into());
    joined(causes.iter().take(MOST_CAUSES).map(cause).chain(more), "; ")
}

pub(super) fn cause(cause: &Cause) -> Text {
    match cause.kind {
        Kind::Environment => "nothing known: the environment".into(),
        Kind::Source => "the app's own sources".into(),
        _ if cause.before.is_empty() && cause.after.is_empty() => text![name(&cause.name), " is another"],
        _ => {
            let [before, after] = [&cause.before, &cause.after].map(|side| known(side, "none"));
            // A compiler's version begins with its name.
            let named = !cause.after.starts_with(&cause.name);
            text![named.then(|| text![name(&cause.name), " "]), before, " → ", after]
        }
    }
}

fn known(value: &str, otherwise: &'static str) -> Text {
    let known = name(value);
    if known.is_empty() { otherwise.into() } else { known }
}

fn percent(share: f64) -> String {
    format!("{:+.1} %", share * 100.0)
}

fn interval(change: &Change) -> Text {
    let [size, low, high] = [change.size, change.low, change.high].map(percent);
    own(format!("{size} [{low} … {high}]"))
}
