//! The story of a lane as Markdown that can also be read in a terminal.

use judge::history::simulate::bridge::BridgeRates;
use judge::history::simulate::{Detection, Rates, Shared};
use judge::history::{Cause, Change, Common, Direction, Drift, Kind, Segment, SelfTest, State, Story};
use record::escape::{SENTENCE, clean};
use record::{Metric, label};

use super::document::{Block, NONE, Rows, Text, joined, name, own, padded_markdown, text};
use super::figure::significant;
use super::labels::count;
use super::runners::joints;

/// Changes that are shown; the story has them all.
const MOST: usize = 40;
/// Causes of one change that are named.
const MOST_CAUSES: usize = 6;

/// The whole story.
pub fn history_markdown(story: &Story) -> String {
    let mut blocks = vec![
        Block::Heading(1, text!["What moved in ", name(&story.lane)]),
        Block::Paragraph(headline(story)),
        Block::Paragraph(reading(story)),
    ];
    blocks.extend(Block::section(2, "Changes", changes(&story.changes)));
    blocks.extend(Block::section(2, "All apps at once", common(&story.common)));
    blocks.extend(Block::section(2, "A year before and now", drifts(&story.drifts)));
    blocks.extend(Block::section(2, "Machines", machines(&story.segments)));
    blocks.extend(Block::section(2, "Runners", joints(&story.joints)));
    padded_markdown(&blocks)
}

/// What the newest run adds to the story, as a section of a pull request's body.
pub fn history_news(news: &Story) -> String {
    let mut blocks = vec![Block::Heading(2, "Over all runs".into())];
    if news.changes.is_empty() && news.common.is_empty() {
        let (figures, runs) = (count(news.judged, "figure"), count(news.runs, "run"));
        blocks.push(Block::paragraph(format!(
            "Nothing new moved among {figures} over {runs}."
        )));
    }
    blocks.extend(changes(&news.changes));
    blocks.extend(Block::section(3, "All apps at once", common(&news.common)));
    blocks.extend(joints(&news.joints));
    blocks.push(Block::Paragraph(reading(news)));
    padded_markdown(&blocks)
}

/// What maintainers must look at, as the body of an issue; `None` if there is nothing.
pub fn history_alarm(story: &Story) -> Option<String> {
    let alarms: Vec<&Change> = story.alarms().collect();
    let shared: Vec<&Common> = story.shared_alarms().collect();
    let number = alarms.len() + shared.len();
    if number == 0 {
        return None;
    }
    let lane = name(&story.lane);
    let worse = text![
        count(number, "figure"),
        " of lane ",
        lane,
        " became worse, and later runs confirmed it."
    ];
    let mut blocks = vec![Block::Paragraph(worse)];
    blocks.extend(changes(alarms));
    if !shared.is_empty() {
        blocks.push(Block::paragraph("Most apps at once, and not the reference:"));
        blocks.extend(common(shared));
    }
    blocks.extend(joints(&story.joints));
    blocks.push(Block::Paragraph(reading(story)));
    blocks.push(Block::paragraph(
        "What to do: look at the causes. If it is a dependency or a framework, tell its maintainers, or hold the version back. If \
         it is our own source, fix it. If nothing is known, look at the trend before blaming anyone. After eight more runs on the \
         new level this issue closes by itself; the history keeps the change.",
    ));
    Some(padded_markdown(&blocks))
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
pub fn self_test_markdown(result: &SelfTest) -> String {
    let intro = format!(
        "{} apps and the reference, one run a week: shared noise of 10 %, one week in seven on a machine that is 1.45 times \
         as fast, a change of the first app in week 30. Judged again every week.",
        result.machine_told.apps
    );
    let real = result.real.as_ref().map_or_else(
        || "No two records here can be compared, so each app's own noise on this machine is unknown.".to_owned(),
        |real| {
            format!(
                "Own noise in the records here: {:.1} %, from {} of {}. That is little data: rely on the grid rather than on one line of it.",
                real.sd * 100.0,
                count(real.pairs, "pair"),
                count(real.runs, "run")
            )
        },
    );
    let mut blocks = vec![Block::paragraph(intro), Block::paragraph(real)];
    let sections = [
        ("Own noise of 3 %, runs name their machine", rates(&result.machine_told)),
        (
            "Own noise of 3 %, runs do not name their machine",
            rates(&result.machine_not_told),
        ),
        (
            "By own noise and correlation with the week before",
            vec![grid(&result.grid)],
        ),
        (
            "A change that most apps share",
            result.shared.iter().map(shared).collect(),
        ),
        ("Instructions, on four cpu models in turn", rates(&result.counts)),
        ("A change of the runner", vec![bridges(&result.bridges)]),
    ];
    blocks.extend(
        sections
            .into_iter()
            .flat_map(|(title, inside)| Block::section(2, title, inside)),
    );
    padded_markdown(&blocks)
}

fn share_of(found: usize, histories: usize) -> String {
    format!("{:.0} %", 100.0 * found as f64 / histories as f64)
}

/// A line for each cell: changes found within two and within four runs, and false changes.
fn grid(cells: &[Rates]) -> Block {
    let own_noise = |cell: &Rates| format!("{:.0} %", cell.own_noise.unwrap_or_default() * 100.0);
    let mut rows = Rows::of(cells)
        .words("Own noise", |cell| own_noise(cell))
        .words("Correlation", |cell| {
            cell.autocorrelation.unwrap_or_default().to_string()
        });
    for (place, size) in cells.first().map_or(&[][..], |cell| &cell.found).iter().enumerate() {
        let title = format!("{:.0} %: 2, 4 runs", size.size * 100.0);
        rows = rows.words(title, |cell| {
            let found = &cell.found[place];
            let early = found.after_runs.iter().take(2).sum();
            [early, found.total()]
                .map(|found| share_of(found, cell.histories))
                .join(", ")
        });
    }
    rows.words("False in 500", |cell| in_500(cell)).table()
}

/// A line for each cell: how a joint is wrong, and how a change after it is found within four and within eight weeks.
fn bridges(cells: &[BridgeRates]) -> Block {
    let found = |cell: &'_ BridgeRates| cell.found.clone().into_iter().enumerate();
    let rows = cells
        .iter()
        .flat_map(|cell| found(cell).map(move |(number, found)| (cell, number, found)));
    let within = |cell: &BridgeRates, found: &Detection| {
        let found = [4, 8].map(|weeks| found.after_runs.iter().take(weeks).sum::<usize>());
        let [early, late] = found.map(|found| share_of(found, cell.histories));
        format!("{}, {late}", early.trim_end_matches(" %"))
    };
    let percent = |share: f64| format!("{} %", significant(100.0 * share));
    let joint = |share| format!("±{}", percent(share));
    Rows::of(rows)
        .words(
            "Figure",
            |(cell, ..)| if cell.counted { "instructions" } else { "CPU time" },
        )
        .words("Own noise", |(cell, ..)| percent(cell.own_noise))
        .words("Correlation", |(cell, ..)| cell.autocorrelation.to_string())
        .words("Pairs", |(cell, ..)| cell.pairs.to_string())
        .words("Joint", |(cell, ..)| {
            cell.uncertainty.map_or("begins again".to_owned(), joint)
        })
        .words("False alarms", |(cell, ..)| {
            format!("{} of {} histories", cell.false_alarms, cell.histories)
        })
        .words("False changes", |(cell, ..)| {
            format!("{} of {} series", cell.false_changes, cell.histories * cell.apps)
        })
        .words("Change", |(.., found)| percent(found.size))
        .words("Found within 4, 8 weeks", |(cell, _, found)| within(cell, found))
        .figures("Found in the bridge", |(cell, number, _)| {
            Some(within(cell, cell.found_within.get(*number)?))
        })
        .table()
}

fn shared(result: &Shared) -> Block {
    let within = cumulative(&result.after_runs, result.histories);
    let sum: usize = result.after_runs.iter().sum();
    Block::paragraph(format!(
        "{} of {} apps become {:.0} % slower, own noise {:.0} %, {} histories: attributed to them within 1 to {} runs in {}; then {} of {} \
         of them are named, and {} of {} others. {} of {} others were ever reported as improved. Where the reference becomes slower \
         too, the apps are blamed in {} histories, and {} of {} single apps are.",
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
    ))
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
    significant(rates.false_changes as f64 * 500.0 / rates.app_weeks as f64)
}

fn rates(rates: &Rates) -> Vec<Block> {
    let steps = rates.false_steps.unwrap_or_default();
    let false_changes = format!(
        "False changes: {} in {} app-weeks",
        rates.false_changes, rates.app_weeks
    );
    let in_500 = format!(
        " ({} in 500), false steps of all apps against the reference: {steps}.",
        in_500(rates)
    );
    let percent = |found: &&Detection| format!("{} %", significant(found.size * 100.0));
    let mut rows = Rows::of(&rates.found).words("Change", percent);
    for (runs, title) in ["1 run", "2 runs", "3 runs", "4 runs"].into_iter().enumerate() {
        let within = |found: &&Detection| cumulative(&found.after_runs, rates.histories).get(runs).cloned();
        rows = rows.words(title, within);
    }
    let histories = format!("Found in {} simulated histories of each size.", rates.histories);
    let summary = text![own(false_changes).bold(), own(in_500)];
    vec![Block::Paragraph(summary), rows.table(), Block::paragraph(histories)]
}

fn headline(story: &Story) -> Text {
    let profile = story.profile.as_ref().map(|profile| text![", profile ", name(profile)]);
    let of = |state: State| story.changes.iter().filter(|change| change.state == state).count();
    let found = format!(
        ": {} followed, {} confirmed, {} suspected.",
        count(story.judged, "figure"),
        count(of(State::Confirmed), "change"),
        of(State::Suspected),
    );
    text![count(story.runs, "run"), profile, found]
}

fn reading(story: &Story) -> Text {
    if story.judged == 0 {
        return "Nothing can be judged: it takes two servers with trusted figures in the same runs; one may be the reference.".into();
    }
    let relative = match story.changes.iter().find_map(|change| change.relative_to.as_ref()) {
        None => "the median of all apps of the same run, so a slower machine does not count as a change".into(),
        Some(other) => {
            text![
                name(other),
                ": with two servers it is unknown which of them moved, except that the reference never does"
            ]
        }
    };
    let rest = "; for counts, relative to the app's previous level. The last column lists what else was different: a reason to look there, \
                not proof.";
    text!["A change is of one app relative to ", relative, rest]
}

/// A table of the first things, and how many more there are; nothing without any.
fn table<'t, T: 't>(
    things: impl IntoIterator<Item = &'t T>,
    columns: impl FnOnce(Rows<&'t T>) -> Rows<&'t T>,
) -> Vec<Block> {
    let mut things: Vec<&T> = things.into_iter().collect();
    if things.is_empty() {
        return Vec::new();
    }
    let more = things.len().saturating_sub(MOST);
    things.truncate(MOST);
    let more = (more > 0).then(|| Block::Paragraph(own(format!("… and {more} more, which `--format json` has."))));
    let rows = columns(Rows::of(things));
    std::iter::once(rows.table()).chain(more).collect()
}

fn changes<'t>(changes: impl IntoIterator<Item = &'t Change>) -> Vec<Block> {
    let state = |change: &Change| match (change.state, change.verdict) {
        (State::Suspected, _) => "suspected".into(),
        (State::Confirmed, Direction::Regression) => own("regression").bold(),
        (State::Confirmed, Direction::Improvement) => "improvement".into(),
        (State::Confirmed, Direction::Change) => "change".into(),
    };
    let size = |change: &Change| match change.state {
        State::Confirmed => interval(change.size, change.low, change.high),
        State::Suspected => percent(change.size).into(),
    };
    table(changes, |rows| {
        rows.words("Since", |change| day(change.started_at))
            .words("App", |change| name(&label(&change.app, &change.variant)))
            .words("Figure", |change| figure_of(&change.scenario, &change.metric))
            .words("Change", |change| size(change))
            .words("Runs", |change| {
                format!("{} + {}", change.runs_before, change.runs_after)
            })
            .words("State", |change| state(change))
            .words("What else was different", |change| causes(&change.causes))
    })
}

fn common<'t>(common: impl IntoIterator<Item = &'t Common>) -> Vec<Block> {
    let reference = |one: &Common| match &one.theirs {
        Some(theirs) => format!("stayed; {} shared it", count(theirs.apps.len(), "app")),
        None => one.reference.map_or_else(|| NONE.to_owned(), percent),
    };
    table(common, |rows| {
        rows.words("Since", |one| day(one.started_at))
            .words("Figure", |one| figure_of(&one.scenario, &one.metric))
            .words("All apps", |one| percent(one.size))
            .words("Reference", |one| reference(one))
            .words("What else was different", |one| causes(&one.causes))
    })
}

fn drifts(drifts: &[Drift]) -> Vec<Block> {
    table(drifts, |rows| {
        rows.words("App", |drift| name(&label(&drift.app, &drift.variant)))
            .words("Figure", |drift| figure_of(&drift.scenario, &drift.metric))
            .words("Change in a year", |drift| interval(drift.size, drift.low, drift.high))
    })
}

fn machines(segments: &[Segment]) -> Vec<Block> {
    table(segments, |rows| {
        rows.words("Machine", |segment| known(&segment.machine, "unknown"))
            .words("Since", |segment| day(segment.started_at))
            .words("Runs", |segment| segment.runs.to_string())
    })
}

fn figure_of(scenario: &str, metric: &str) -> Text {
    let metric = Metric::from_id(metric).map_or_else(|| name(metric), |metric| metric.name().into());
    text![name(scenario), ", ", metric]
}

/// What else was different, in one cell.
pub(super) fn causes(causes: &[Cause]) -> Text {
    let more = causes.len().saturating_sub(MOST_CAUSES);
    let more = (more > 0).then(|| format!("{more} more").into());
    joined(causes.iter().take(MOST_CAUSES).map(cause).chain(more), "; ")
}

fn cause(cause: &Cause) -> Text {
    match cause.kind {
        Kind::Environment => "nothing known: the environment".into(),
        Kind::Source => "the app's own sources".into(),
        _ if cause.before.is_empty() && cause.after.is_empty() => text![name(&cause.name), " is another"],
        _ => text![
            name(&cause.name),
            " ",
            known(&cause.before, "none"),
            " → ",
            known(&cause.after, "none")
        ],
    }
}

fn known(value: &str, otherwise: &'static str) -> Text {
    if value.is_empty() {
        otherwise.into()
    } else {
        name(value)
    }
}

fn percent(share: f64) -> String {
    format!("{:+.1} %", share * 100.0)
}

fn interval(size: f64, low: f64, high: f64) -> Text {
    own(format!("{} [{} … {}]", percent(size), percent(low), percent(high)))
}

pub(super) fn day(at: jiff::Timestamp) -> String {
    at.strftime("%Y-%m-%d").to_string()
}
