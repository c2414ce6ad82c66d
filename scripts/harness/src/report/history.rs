//! The story of a lane, as a table for a terminal and as Markdown.

use super::escape::{self, NAME, SENTENCE, clean};
use super::figure;
use super::grid::grid;
use super::words::count;
use crate::catalog;
use crate::history::simulate::Rates;
use crate::history::{Cause, Change, Direction, Kind, State, Story};
use crate::record::Metric;

/// Changes that are shown; the story has them all.
const MOST: usize = 40;
/// Causes of one change that are named.
const MOST_CAUSES: usize = 6;

/// The whole story.
#[must_use]
pub fn history_markdown(story: &Story) -> String {
    let always = [
        format!("# What moved in {}\n", text(&story.lane)),
        headline(story),
        reading(story),
    ];
    let found = [
        section("## Changes\n\n", CHANGES, &story.changes, change),
        section("## All apps at once\n\n", COMMON, &story.common, common),
        section("## A year before and now\n\n", DRIFTS, &story.drifts, drift),
        section("## Machines\n\n", MACHINES, &story.segments, segment),
    ];
    let parts: Vec<String> = always.into_iter().chain(found.into_iter().flatten()).collect();
    parts.join("\n")
}

/// What the newest run added to the story, as a section of a pull request's body.
#[must_use]
pub fn history_news(news: &Story) -> String {
    let nothing = news.changes.is_empty() && news.common.is_empty();
    let nothing = nothing.then(|| {
        format!(
            "Among {} over {} nothing moved that was not known before.\n",
            count(news.judged, "figure"),
            count(news.runs, "run")
        )
    });
    let parts = [
        Some("## Over all runs\n".to_owned()),
        nothing,
        section("", CHANGES, &news.changes, change),
        section("### All apps at once\n\n", COMMON, &news.common, common),
        Some(reading(news)),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// What maintainers must look at, as the body of an issue; `None` if there is nothing.
#[must_use]
pub fn history_alarm(story: &Story) -> Option<String> {
    let alarms: Vec<&Change> = story.alarms().collect();
    let number = count(alarms.len(), "figure");
    let table = section("", CHANGES, alarms, change)?;
    let lane = text(&story.lane);
    Some(format!(
        "{number} of lane {lane} became worse, and later runs confirmed it.\n\n{table}\n{}\n\
         What to do: look at the causes. A dependency or a framework: tell its maintainers, or hold the version back. Our own \
         sources: mend them. Nothing known: look at the trend before anybody is blamed. After eight more runs on the new level \
         this issue closes by itself; the history keeps the change.\n",
        reading(story)
    ))
}

/// Where the matter stands, in a line that changes when a maintainer should look again.
#[must_use]
pub fn history_state(story: &Story) -> String {
    let mut apps: Vec<String> = story
        .alarms()
        .map(|change| catalog::label(&change.app, &change.variant))
        .collect();
    apps.sort();
    apps.dedup();
    clean(&format!("worse: {}", apps.join(", ")), SENTENCE)
}

/// How often history is right, by simulation.
#[must_use]
pub fn rates_markdown(rates: &Rates) -> String {
    let mut lines = vec![format!(
        "**False changes: {} in {} app-weeks** ({} in 500).\n",
        rates.false_changes,
        rates.app_weeks,
        figure::significant(rates.false_changes as f64 * 500.0 / rates.app_weeks as f64)
    )];
    let rows = rates.found.iter().map(|found| {
        let mut row = vec![format!("{:.0} %", found.size * 100.0)];
        let mut sum = 0;
        row.extend(found.after_runs.iter().map(|more| {
            sum += more;
            format!("{:.0} %", 100.0 * sum as f64 / rates.histories as f64)
        }));
        row
    });
    lines.push(grid(&["Change", "1 run", "2 runs", "3 runs", "4 runs"], rows));
    lines.push(format!(
        "Found in {} simulated histories of each size.\n",
        rates.histories
    ));
    lines.join("\n")
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
const MACHINES: &[&str] = &["Machine", "Since", "Runs"];

fn headline(story: &Story) -> String {
    let profile = story
        .profile
        .as_ref()
        .map(|profile| format!(", profile {}", text(profile)));
    format!(
        "{}{}: {} followed, {} confirmed, {} suspected.\n",
        count(story.runs, "run"),
        profile.unwrap_or_default(),
        count(story.judged, "figure"),
        count(of(story, State::Confirmed), "change"),
        of(story, State::Suspected),
    )
}

fn of(story: &Story, state: State) -> usize {
    story.changes.iter().filter(|change| change.state == state).count()
}

fn reading(story: &Story) -> String {
    if story.judged == 0 {
        return "Nothing can be judged: it takes three apps, and runs in which all of them have trusted figures.\n"
            .to_owned();
    }
    "A change is of one app relative to the middle of all apps of the same run, so a slower machine moves nobody. What stands \
     beside it was different too: a reason to look there, no proof.\n"
        .to_owned()
}

/// A table with a title, of things that have a row each; nothing where there are none.
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
    (!rows.is_empty()).then(|| format!("{title}{}{more}", grid(header, rows.into_iter().take(MOST))))
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
        text(&catalog::label(&change.app, &change.variant)),
        figure_of(&change.scenario, &change.metric),
        size,
        format!("{} + {runs}", change.runs_before),
        word.to_owned(),
        causes(&change.causes),
    ]
}

fn common(common: &crate::history::Common) -> Vec<String> {
    vec![
        day(common.started_at),
        figure_of(&common.scenario, &common.metric),
        percent(common.size),
        common.reference.map_or_else(|| figure::NONE.to_owned(), percent),
        causes(&common.causes),
    ]
}

fn drift(drift: &crate::history::Drift) -> Vec<String> {
    vec![
        text(&catalog::label(&drift.app, &drift.variant)),
        figure_of(&drift.scenario, &drift.metric),
        format!(
            "{} [{} … {}]",
            percent(drift.size),
            percent(drift.low),
            percent(drift.high)
        ),
    ]
}

fn segment(segment: &crate::history::Segment) -> Vec<String> {
    let machine = if segment.machine.is_empty() {
        "not said"
    } else {
        &segment.machine
    };
    vec![text(machine), day(segment.started_at), segment.runs.to_string()]
}

fn figure_of(scenario: &str, metric: &str) -> String {
    let name = Metric::of_id(metric).map_or_else(|| metric.to_owned(), |metric| figure::name(metric).to_owned());
    format!("{}, {}", text(scenario), text(&name))
}

fn causes(causes: &[Cause]) -> String {
    let mut told: Vec<String> = causes.iter().take(MOST_CAUSES).map(cause).collect();
    if causes.len() > MOST_CAUSES {
        told.push(format!("{} more", causes.len() - MOST_CAUSES));
    }
    told.join("; ")
}

fn cause(cause: &Cause) -> String {
    let name = text(&cause.name);
    match cause.kind {
        Kind::Environment => "nothing known: the environment".to_owned(),
        Kind::Source => "the app's own sources".to_owned(),
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

fn day(at: jiff::Timestamp) -> String {
    at.strftime("%Y-%m-%d").to_string()
}

fn text(foreign: &str) -> String {
    escape::markdown(&clean(foreign, NAME))
}
