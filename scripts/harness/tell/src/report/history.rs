//! The story of a lane as Markdown that can also be read in a terminal.

use super::figure;
use super::runners::joints;
use super::table::padded_markdown;
use super::words::count;
use judge::history::simulate::bridge::BridgeRates;
use judge::history::simulate::{Detection, Rates, Shared};
use judge::history::{Cause, Change, Common, Direction, Kind, SelfTest, State, Story};
use record::Metric;
use record::escape::{SENTENCE, clean, markdown_name as text};
use record::label;

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
        joints(&story.joints).map(|joints| format!("## Runners\n\n{joints}")),
    ];
    let parts: Vec<String> = always.into_iter().chain(found.into_iter().flatten()).collect();
    parts.join("\n")
}

/// What the newest run adds to the story, as a section of a pull request's body.
#[must_use]
pub fn history_news(news: &Story) -> String {
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
        joints(&news.joints),
        Some(reading(news)),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// What maintainers must look at, as the body of an issue; `None` if there is nothing.
#[must_use]
pub fn history_alarm(story: &Story) -> Option<String> {
    let alarms: Vec<&Change> = story.alarms().collect();
    let shared: Vec<&Common> = story.shared_alarms().collect();
    let number = count(alarms.len() + shared.len(), "figure");
    let tables = [
        section("", CHANGES, alarms, change),
        section("Most apps at once, and not the reference:\n\n", COMMON, shared, common),
    ];
    let mut tables: Vec<String> = tables.into_iter().flatten().collect();
    if tables.is_empty() {
        return None;
    }
    tables.extend(joints(&story.joints));
    let table = tables.join("\n");
    let lane = text(&story.lane);
    Some(format!(
        "{number} of lane {lane} became worse, and later runs confirmed it.\n\n{table}\n{}\n\
         What to do: look at the causes. If it is a dependency or a framework, tell its maintainers, or hold the version back. If \
         it is our own source, fix it. If nothing is known, look at the trend before blaming anyone. After eight more runs on the \
         new level this issue closes by itself; the history keeps the change.\n",
        reading(story)
    ))
}

/// The state of the issue, in a line that changes when a maintainer should look again: of which series, and which apps.
#[must_use]
pub fn history_state(story: &Story) -> String {
    let mut apps: Vec<String> = story
        .alarms()
        .map(|change| label(&change.app, &change.variant))
        .collect();
    apps.extend(
        story
            .shared_alarms()
            .filter_map(|common| common.theirs.as_ref())
            .flat_map(|theirs| theirs.apps.clone()),
    );
    apps.sort();
    apps.dedup();
    let series = match &story.profile {
        Some(profile) => format!("{}, whole runs of {profile}", story.lane),
        None => story.lane.clone(),
    };
    clean(&format!("{series}, worse: {}", apps.join(", ")), SENTENCE)
}

/// How often history is right, by simulation.
#[must_use]
pub fn self_test_markdown(result: &SelfTest) -> String {
    let intro = format!(
        "{} apps and the reference, one run a week: shared noise of 10 %, one week in seven on a machine that is 1.45 times \
         as fast, a change of the first app in week 30. Judged again every week.\n",
        result.machine_told.apps
    );
    let real = result.real.as_ref().map_or_else(
        || "No two records here can be compared, so each app's own noise on this machine is unknown.\n".to_owned(),
        |real| {
            format!(
                "Own noise in the records here: {:.1} %, from {} of {}. That is little data: rely on the grid rather than on one line of it.\n",
                real.sd * 100.0,
                count(real.pairs, "pair"),
                count(real.runs, "run")
            )
        },
    );
    let parts = [
        intro,
        real,
        "## Own noise of 3 %, runs name their machine\n".to_owned(),
        rates_markdown(&result.machine_told),
        "## Own noise of 3 %, runs do not name their machine\n".to_owned(),
        rates_markdown(&result.machine_not_told),
        "## By own noise and correlation with the week before\n".to_owned(),
        grid_markdown(&result.grid),
        "## A change that most apps share\n".to_owned(),
        result.shared.iter().map(shared_markdown).collect::<Vec<_>>().join("\n"),
        "## Instructions, on four cpu models in turn\n".to_owned(),
        rates_markdown(&result.counts),
        "## A change of the runner\n".to_owned(),
        bridges_markdown(&result.bridges),
    ];
    parts.join("\n")
}

/// A line for each cell: changes found within two and within four runs, and false changes.
fn grid_markdown(cells: &[Rates]) -> String {
    let sizes = cells.first().map_or(&[][..], |cell| &cell.found);
    let sizes = sizes
        .iter()
        .map(|found| format!("{:.0} %: 2, 4 runs", found.size * 100.0));
    let header: Vec<String> = ["Own noise", "Correlation"]
        .map(ToOwned::to_owned)
        .into_iter()
        .chain(sizes)
        .collect();
    let header: Vec<&str> = header.iter().map(String::as_str).chain(["False in 500"]).collect();
    let rows = cells.iter().map(|cell| {
        let percent = |found: usize| format!("{:.0} %", 100.0 * found as f64 / cell.histories as f64);
        let found = cell.found.iter().map(|found| {
            let early = found.after_runs.iter().take(2).sum();
            format!("{}, {}", percent(early), percent(found.total()))
        });
        let own = format!("{:.0} %", cell.own_noise.unwrap_or_default() * 100.0);
        let rho = cell.autocorrelation.unwrap_or_default().to_string();
        [own, rho].into_iter().chain(found).chain([in_500(cell)]).collect()
    });
    padded_markdown(&header, rows)
}

/// A line for each cell: how a joint is wrong, and how a change after it is found within four and within eight weeks.
fn bridges_markdown(cells: &[BridgeRates]) -> String {
    let header = [
        "Figure",
        "Own noise",
        "Correlation",
        "Pairs",
        "Joint",
        "False alarms",
        "False changes",
        "Change",
        "Found within 4, 8 weeks",
        "Found in the bridge",
    ];
    let rows = cells.iter().flat_map(|cell| {
        let within = |found: &Detection| {
            let share = |weeks: usize| {
                let found: usize = found.after_runs.iter().take(weeks).sum();
                format!("{:.0}", 100.0 * found as f64 / cell.histories as f64)
            };
            format!("{}, {} %", share(4), share(8))
        };
        let series = cell.histories * cell.apps;
        cell.found.iter().enumerate().map(move |(number, found)| {
            vec![
                if cell.counted { "instructions" } else { "CPU time" }.to_owned(),
                format!("{} %", figure::significant(100.0 * cell.own_noise)),
                cell.autocorrelation.to_string(),
                cell.pairs.to_string(),
                cell.uncertainty.map_or_else(
                    || "begins again".to_owned(),
                    |uncertainty| format!("±{} %", figure::significant(100.0 * uncertainty)),
                ),
                format!("{} of {} histories", cell.false_alarms, cell.histories),
                format!("{} of {series} series", cell.false_changes),
                format!("{} %", figure::significant(100.0 * found.size)),
                within(found),
                cell.found_within
                    .get(number)
                    .map_or_else(|| figure::NONE.to_owned(), within),
            ]
        })
    });
    padded_markdown(&header, rows)
}

fn shared_markdown(result: &Shared) -> String {
    let within = cumulative(&result.after_runs, result.histories);
    let sum: usize = result.after_runs.iter().sum();
    format!(
        "{} of {} apps become {:.0} % slower, own noise {:.0} %, {} histories: attributed to them within 1 to {} runs in {}; then {} of {} \
         of them are named, and {} of {} others. {} of {} others were ever reported as improved. Where the reference becomes slower \
         too, the apps are blamed in {} histories, and {} of {} single apps are.\n",
        result.touched,
        result.apps,
        result.size * 100.0,
        result.own_noise * 100.0,
        result.histories,
        result.after_runs.len(),
        within.join(", "),
        result.named,
        sum * result.touched,
        result.wrongly_named,
        sum * (result.apps - result.touched),
        result.bystanders_better,
        result.histories * (result.apps - result.touched),
        result.machine_blamed,
        result.apps_blamed,
        result.histories * result.apps
    )
}

/// The share of histories that had found the change after each number of runs.
fn cumulative(after_runs: &[usize], histories: usize) -> Vec<String> {
    let mut sum = 0;
    let shares = after_runs.iter().map(|more| {
        sum += more;
        format!("{:.0} %", 100.0 * sum as f64 / histories as f64)
    });
    shares.collect()
}

fn in_500(rates: &Rates) -> String {
    figure::significant(rates.false_changes as f64 * 500.0 / rates.app_weeks as f64)
}

fn rates_markdown(rates: &Rates) -> String {
    let steps = rates.false_steps.unwrap_or_default();
    let mut lines = vec![format!(
        "**False changes: {} in {} app-weeks** ({} in 500), false steps of all apps against the reference: {steps}.\n",
        rates.false_changes,
        rates.app_weeks,
        in_500(rates)
    )];
    let rows = rates.found.iter().map(|found| {
        let mut row = vec![format!("{} %", figure::significant(found.size * 100.0))];
        row.extend(cumulative(&found.after_runs, rates.histories));
        row
    });
    lines.push(padded_markdown(
        &["Change", "1 run", "2 runs", "3 runs", "4 runs"],
        rows,
    ));
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
        count(changes_in(story, State::Confirmed), "change"),
        changes_in(story, State::Suspected),
    )
}

fn changes_in(story: &Story, state: State) -> usize {
    story.changes.iter().filter(|change| change.state == state).count()
}

fn reading(story: &Story) -> String {
    if story.judged == 0 {
        return "Nothing can be judged: it takes two servers with trusted figures in the same runs; one may be the reference.\n"
            .to_owned();
    }
    let between = story.changes.iter().find_map(|change| change.relative_to.as_ref());
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

fn common(common: &Common) -> Vec<String> {
    vec![
        day(common.started_at),
        figure_of(&common.scenario, &common.metric),
        percent(common.size),
        match &common.theirs {
            Some(theirs) => format!("stayed; {} shared it", count(theirs.apps.len(), "app")),
            None => common.reference.map_or_else(|| figure::NONE.to_owned(), percent),
        },
        causes(&common.causes),
    ]
}

fn drift(drift: &judge::history::Drift) -> Vec<String> {
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

fn segment(segment: &judge::history::Segment) -> Vec<String> {
    let machine = if segment.machine.is_empty() {
        "unknown"
    } else {
        &segment.machine
    };
    vec![text(machine), day(segment.started_at), segment.runs.to_string()]
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
