//! The story of a lane as Markdown that can also be read in a terminal.

use judge::history::simulate::bridge::BridgeRates;
use judge::history::simulate::{Detection, Rates, Shared};
use judge::history::{Cause, Change, Common, Direction, Drift, Kind, Segment, SelfTest, State, Story};
use record::escape::{SENTENCE, clean};
use record::{Metric, label};

use super::document::{Block, NONE, Table, Text, joined, name, own, padded_markdown, text};
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
    blocks.extend(Block::section(
        2,
        "Changes",
        changes(&story.changes.iter().collect::<Vec<_>>()),
    ));
    blocks.extend(Block::section(
        2,
        "All apps at once",
        common(&story.common.iter().collect::<Vec<_>>()),
    ));
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
    blocks.extend(changes(&news.changes.iter().collect::<Vec<_>>()));
    blocks.extend(Block::section(
        3,
        "All apps at once",
        common(&news.common.iter().collect::<Vec<_>>()),
    ));
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
    blocks.extend(changes(&alarms));
    if !shared.is_empty() {
        blocks.push(Block::paragraph("Most apps at once, and not the reference:"));
        blocks.extend(common(&shared));
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
            vec![Block::Table(grid(&result.grid))],
        ),
        (
            "A change that most apps share",
            result.shared.iter().map(shared).collect(),
        ),
        ("Instructions, on four cpu models in turn", rates(&result.counts)),
        ("A change of the runner", vec![Block::Table(bridges(&result.bridges))]),
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
fn grid(cells: &[Rates]) -> Table {
    let each = || cells.iter();
    let mut table = Table::default();
    let own_noise = |cell: &Rates| format!("{:.0} %", cell.own_noise.unwrap_or_default() * 100.0);
    table.words("Own noise", each().map(own_noise));
    table.words(
        "Correlation",
        each().map(|cell| cell.autocorrelation.unwrap_or_default().to_string()),
    );
    for (place, size) in cells.first().map_or(&[][..], |cell| &cell.found).iter().enumerate() {
        let found = each().map(|cell| {
            let found = &cell.found[place];
            let early = found.after_runs.iter().take(2).sum();
            [early, found.total()]
                .map(|found| share_of(found, cell.histories))
                .join(", ")
        });
        table.words(format!("{:.0} %: 2, 4 runs", size.size * 100.0), found);
    }
    table.words("False in 500", each().map(in_500));
    table
}

/// A line for each cell: how a joint is wrong, and how a change after it is found within four and within eight weeks.
fn bridges(cells: &[BridgeRates]) -> Table {
    let rows = cells.iter().flat_map(|cell| {
        cell.found
            .iter()
            .enumerate()
            .map(move |(number, found)| (cell, number, found))
    });
    let rows: Vec<(&BridgeRates, usize, &Detection)> = rows.collect();
    let within = |cell: &BridgeRates, found: &Detection| {
        let found = [4, 8].map(|weeks| found.after_runs.iter().take(weeks).sum::<usize>());
        let [early, late] = found.map(|found| share_of(found, cell.histories));
        format!("{}, {late}", early.trim_end_matches(" %"))
    };
    let cell = || rows.iter().map(|(cell, ..)| *cell);
    let percent = |share: f64| format!("{} %", significant(100.0 * share));
    let joint = |cell: &BridgeRates| {
        cell.uncertainty
            .map_or("begins again".into(), |share| format!("±{}", percent(share)))
    };
    let mut table = Table::default();
    table.words(
        "Figure",
        cell().map(|cell| if cell.counted { "instructions" } else { "CPU time" }),
    );
    table.words("Own noise", cell().map(|cell| percent(cell.own_noise)));
    table.words("Correlation", cell().map(|cell| cell.autocorrelation.to_string()));
    table.words("Pairs", cell().map(|cell| cell.pairs.to_string()));
    table.words("Joint", cell().map(joint));
    table.words(
        "False alarms",
        cell().map(|cell| format!("{} of {} histories", cell.false_alarms, cell.histories)),
    );
    let false_changes = |cell: &BridgeRates| format!("{} of {} series", cell.false_changes, cell.histories * cell.apps);
    table.words("False changes", cell().map(false_changes));
    table.words("Change", rows.iter().map(|(.., found)| percent(found.size)));
    table.words(
        "Found within 4, 8 weeks",
        rows.iter().map(|(cell, _, found)| within(cell, found)),
    );
    let bridge = |cell: &BridgeRates, number: usize| Some(within(cell, cell.found_within.get(number)?));
    table.figures(
        "Found in the bridge",
        rows.iter().map(|(cell, number, _)| bridge(cell, *number)),
    );
    table
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
    let false_changes = own(format!(
        "False changes: {} in {} app-weeks",
        rates.false_changes, rates.app_weeks
    ))
    .bold();
    let in_500 = own(format!(
        " ({} in 500), false steps of all apps against the reference: {steps}.",
        in_500(rates)
    ));
    let mut table = Table::default();
    table.words(
        "Change",
        rates
            .found
            .iter()
            .map(|found| format!("{} %", significant(found.size * 100.0))),
    );
    for (runs, title) in ["1 run", "2 runs", "3 runs", "4 runs"].into_iter().enumerate() {
        let found = rates.found.iter();
        table.words(
            title,
            found.map(|found| cumulative(&found.after_runs, rates.histories).get(runs).cloned()),
        );
    }
    let histories = format!("Found in {} simulated histories of each size.", rates.histories);
    vec![
        Block::Paragraph(text![false_changes, in_500]),
        Block::Table(table),
        Block::paragraph(histories),
    ]
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
fn table<T>(things: &[T], write: impl Fn(&[T], &mut Table)) -> Vec<Block> {
    let mut table = Table::default();
    write(&things[..things.len().min(MOST)], &mut table);
    let more = things.len().saturating_sub(MOST);
    let more = (more > 0).then(|| Block::paragraph(format!("… and {more} more, which `--format json` has.")));
    let table = (!things.is_empty()).then_some(Block::Table(table));
    table.into_iter().chain(more).collect()
}

fn changes(changes: &[&Change]) -> Vec<Block> {
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
    table(changes, |changes, table| {
        let each = || changes.iter().copied();
        table.words("Since", each().map(|change| day(change.started_at)));
        table.words("App", each().map(|change| name(&label(&change.app, &change.variant))));
        table.words(
            "Figure",
            each().map(|change| figure_of(&change.scenario, &change.metric)),
        );
        table.words("Change", each().map(size));
        table.words(
            "Runs",
            each().map(|change| format!("{} + {}", change.runs_before, change.runs_after)),
        );
        table.words("State", each().map(state));
        table.words("What else was different", each().map(|change| causes(&change.causes)));
    })
}

fn common(common: &[&Common]) -> Vec<Block> {
    let reference = |one: &Common| match &one.theirs {
        Some(theirs) => format!("stayed; {} shared it", count(theirs.apps.len(), "app")),
        None => one.reference.map_or_else(|| NONE.to_owned(), percent),
    };
    table(common, |common, table| {
        let each = || common.iter().copied();
        table.words("Since", each().map(|one| day(one.started_at)));
        table.words("Figure", each().map(|one| figure_of(&one.scenario, &one.metric)));
        table.words("All apps", each().map(|one| percent(one.size)));
        table.words("Reference", each().map(reference));
        table.words("What else was different", each().map(|one| causes(&one.causes)));
    })
}

fn drifts(drifts: &[Drift]) -> Vec<Block> {
    table(drifts, |drifts, table| {
        table.words(
            "App",
            drifts.iter().map(|drift| name(&label(&drift.app, &drift.variant))),
        );
        table.words(
            "Figure",
            drifts.iter().map(|drift| figure_of(&drift.scenario, &drift.metric)),
        );
        let size = |drift: &Drift| interval(drift.size, drift.low, drift.high);
        table.words("Change in a year", drifts.iter().map(size));
    })
}

fn machines(segments: &[Segment]) -> Vec<Block> {
    table(segments, |segments, table| {
        table.words(
            "Machine",
            segments.iter().map(|segment| known(&segment.machine, "unknown")),
        );
        table.words("Since", segments.iter().map(|segment| day(segment.started_at)));
        table.words("Runs", segments.iter().map(|segment| segment.runs.to_string()));
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
