//! The body of the pull request with a lane's new record: what a reviewer must know in two minutes, the bad news first, then
//! what moved since the run before, then possible causes.

use std::collections::{BTreeMap, BTreeSet};

use analyze::analysis::{KNOWN_FAULT, is_same_kind};
use analyze::caveat::Caveat;
use analyze::caveats;
use analyze::history::{Cause, Lockfiles};
use analyze::releases::Releases;
use analyze::run_diff::{Moved, RunDiff, SMALLEST, run_diff};
use model::escape::markdown_target;
use model::{Cell, Metric, Ratio, Record, Verdict};

use super::document::{Block, Rows, Text, joined, markdown, name, own, some_of, table_of, text};
use super::figure::signed;
use super::history::cause;
use super::publish::{Published, site_of};
use super::table::{self, AppFailure};
use super::{chart, figure, full, labels};

/// Most lines of one list: GitHub accepts 65,536 characters, and the record has everything.
const MOST_LINES: usize = 25;
const OTHERS: &str = " more in the record";
/// Most crates that moved in the same apps that are named; of more, the number.
const MOST_NAMED: usize = 3;
/// Runs that a sparkline shows.
const RUNS_SHOWN: usize = 8;
/// Most apps that are named. Of many, what they share is the cause.
const MOST_APPS: usize = 8;

/// What the body links to.
#[derive(Debug, Clone, Copy, Default)]
pub struct Links<'a> {
    /// Address of the folder with summary and chart in the pull request's branch.
    pub base_url: Option<&'a str>,
    /// Where the record is.
    pub published: Option<&'a Published>,
}

/// The body. Its first sentence, in bold, is the news of the title. `previous` is the run to compare with, `earlier` are those before of the
/// same lane and profile, the last first. Figures of another kind of machine are not compared: they differ by what no framework did. What
/// `releases` have of a crate that moved stands with the causes.
pub fn pull_request(
    record: &Record,
    previous: Option<&Record>,
    earlier: &[Record],
    links: Links<'_>,
    lockfiles: &dyn Lockfiles,
    releases: &Releases,
) -> String {
    let alike = previous.filter(|previous| is_same_kind(previous, record));
    let since = alike.map(|previous| (previous, run_diff(previous, record, lockfiles)));
    let failed = failures(record);
    let before = previous.map(failures).unwrap_or_default();
    let is_known = |failure: &AppFailure| {
        let mut before = before.iter();
        let is_known_fault = |reason: &String| reason.ends_with(KNOWN_FAULT);
        !failure.reasons.is_empty() && failure.reasons.iter().all(is_known_fault)
            || before.any(|other| (&other.label, other.verdict) == (&failure.label, failure.verdict))
    };
    let (known, new): (Vec<AppFailure>, Vec<AppFailure>) = failed.into_iter().partition(is_known);
    let news = news(&new, previous, since.as_ref(), earlier.first());
    let news = text![news, details(record, &known, since.as_ref())];
    let mut blocks = vec![Block::Paragraph(news), Block::Paragraph(origin(record))];
    let listed = |failures: &[AppFailure]| {
        let all = failures.iter().map(AppFailure::line).collect();
        Block::list_of(MOST_LINES, all, OTHERS)
    };
    let title = if previous.is_some() { "New failures" } else { "Failures" };
    blocks.extend(Block::section(2, title, listed(&new)));
    match &since {
        Some((previous, since)) => blocks.extend(changes(record, previous, (since, earlier), links.published, releases)),
        None => blocks.push(Block::paragraph(match previous {
            Some(previous) => text![
                "No earlier run of this lane and profile was made on this kind of machine, and figures of two kinds are not compared: the last was on ",
                labels::machine(&previous.environment),
                ".",
            ],
            None => "There is no earlier run of this lane and profile to compare with.".into(),
        })),
    }
    let before = previous.map(caveats::of_machine).unwrap_or_default();
    let (as_before, warned): (Vec<Caveat>, Vec<Caveat>) = caveats::of_machine(record)
        .into_iter()
        .partition(|caveat| before.contains(caveat));
    let list = |caveats: &[Caveat]| Block::list(caveats.iter().map(labels::caveat));
    blocks.extend(Block::section(2, "Warnings about the machine", list(&warned)));
    blocks.extend(links.base_url.into_iter().flat_map(|url| chart(record, url)));
    let known_names = joined(known.iter().map(|failure| failure.label.clone()), ", ");
    let warned_before = format!("Warnings about the machine, as before: {}", as_before.len());
    blocks.extend(Block::folded([
        (text!["Known failures: ", known_names], listed(&known)),
        (own(warned_before), list(&as_before)),
        ("What each figure is worth".into(), vec![verdicts(record, previous)]),
    ]));
    let source = links.published.map(full::source);
    blocks.extend(source.map(Block::Paragraph));
    markdown(&blocks)
}

fn failures(record: &Record) -> Vec<AppFailure> {
    table::failures(record, &table::tables(record))
}

/// The news, in a few words: what failed, and what moved since when.
fn news(
    new: &[AppFailure],
    previous: Option<&Record>,
    since: Option<&(&Record, RunDiff)>,
    last: Option<&Record>,
) -> Text {
    let kind = if previous.is_some() { "new failure" } else { "failure" };
    let failed = match new.len() {
        0 => "No new failure".to_owned(),
        number => labels::count(number, kind),
    };
    let moved = match (since, previous) {
        (Some((previous, since)), _) => {
            let moved = match since.moved.len() {
                0 => "nothing moved".to_owned(),
                number => format!("{} moved", labels::count(number, "figure")),
            };
            let other = last.filter(|last| !is_same_kind(last, previous));
            let day = labels::day(previous.started_at);
            let other = other.map(|_| format!("another machine: compared with {day}, "));
            format!("{}{moved}", other.unwrap_or_default())
        }
        (None, Some(_)) => "another machine: not compared".to_owned(),
        (None, None) => "first run of its series".to_owned(),
    };
    own(format!("{failed}, {moved}.")).bold()
}

/// What else there is to know in a line.
fn details(record: &Record, known: &[AppFailure], since: Option<&(&Record, RunDiff)>) -> Text {
    let known = match known.len() {
        0 => String::new(),
        number => format!("{}; ", labels::count(number, "known failure")),
    };
    // What is client-bound has its costs, and is no failure.
    let is_trusted = |cell: &&Cell| cell.trusted(Metric::ServerCpuUsPerRequest).is_some();
    let trusted = record.summary.iter().filter(is_trusted).count();
    let rest = format!(" {known}CPU time trusted in {trusted} of {}.", record.summary.len());
    let largest = since.and_then(|(_, since)| since.moved.first()).map(|moved| {
        let app = label(record, &moved.cell.app, &moved.cell.variant);
        let metric = labels::lower_first(moved.metric.name());
        let change = format!(", {metric} {:+.1} %;", moved.change * 100.0);
        text![own(" Most: "), app, " in ", name(&moved.cell.scenario), own(change)]
    });
    text![largest, own(rest)]
}

fn origin(record: &Record) -> Text {
    let machine = &record.environment;
    let time = format!(", {}: ", labels::time(record));
    let rounds = labels::count(record.harness.rounds as usize, "round");
    let on = text![name(&record.profile), " on ", record.lane.name(), own(time)];
    let machine = text![labels::machine(machine), "; ", name(&machine.rustc)];
    text![on, machine, "; ", labels::driven_by(record), "; ", rounds, "."]
}

fn changes(
    record: &Record,
    previous: &Record,
    (since, earlier): (&RunDiff, &[Record]),
    published: Option<&Published>,
    releases: &Releases,
) -> Vec<Block> {
    let (day, run) = (labels::day(previous.started_at), name(&previous.id).code());
    let title = text!["Moved since ", day, " (", run, ")"];
    let mut blocks = vec![Block::Heading(2, title)];
    blocks.extend(moved(record, since, earlier));
    blocks.push(if since.moved.is_empty() {
        let compared = labels::count(since.compared, "figure");
        Block::paragraph(format!("Nothing among {compared} that were compared."))
    } else {
        Block::Paragraph(own(caution(since)))
    });
    blocks.extend(published.and_then(|record| site_of(&record.url)).map(|site| {
        let lane = format!("{}:{}", record.lane.name(), record.profile);
        let runs = format!("{site}#/compare?lane={lane}&of=runs&a={}&b={}", previous.id, record.id);
        Block::Paragraph(own("Both runs side by side").link(&runs))
    }));
    let is_mended = |(cell, before): &&(&Cell, Verdict)| before.is_failure() && !cell.verdict.is_failure();
    let mended = since.verdicts.iter().filter(is_mended).map(|(cell, before)| {
        let app = label(record, &cell.app, &cell.variant);
        text![app, " in ", name(&cell.scenario), ": ", before.name(), " before"]
    });
    let list = |lines| Block::list_of(MOST_LINES, lines, OTHERS);
    blocks.extend(Block::sections([
        ("Fails no more", list(mended.collect())),
        ("Possible causes", list(causes(since, releases))),
    ]));
    blocks
}

fn moved(record: &Record, since: &RunDiff, earlier: &[Record]) -> Vec<Block> {
    let ratio = |ratio: &Ratio| own(figure::ratio_and_interval(ratio));
    let change = |moved: &Moved| {
        let is_better = (moved.change > 0.0) == moved.metric.more_is_better();
        let word = if is_better { "better," } else { "**worse,**" };
        text![word, own(format!(" {:+.1} %", moved.change * 100.0))]
    };
    let alike = earlier.iter().filter(|earlier| is_same_kind(earlier, record));
    let mut shown: Vec<&Record> = [record].into_iter().chain(alike).take(RUNS_SHOWN).collect();
    shown.reverse();
    let runs = |moved: &&Moved| {
        let ratio = |record: &&Record| {
            let cell = record.cell(&moved.cell.app, &moved.cell.variant, &moved.cell.scenario)?;
            Some(cell.metrics.get(&moved.metric)?.ratio.as_ref()?.estimate)
        };
        // Two runs are before and after.
        (shown.len() > 2).then(|| own(figure::sparkline(&shown.iter().map(ratio).collect::<Vec<_>>())))
    };
    let columns = |rows: Rows<_>| {
        rows.words("App", |moved: &&Moved| {
            label(record, &moved.cell.app, &moved.cell.variant)
        })
        .words("Scenario", |moved| name(&moved.cell.scenario))
        .words("Metric", |moved| moved.metric.name())
        .figures("Before", |moved| ratio(moved.before))
        .figures("After", |moved| ratio(moved.now))
        .figures("Change", |moved| change(moved))
        .words("Last runs", runs)
    };
    table_of(MOST_LINES, &since.moved, columns, |more| {
        format!("And {more} that moved less.")
    })
}

/// What the table says and what it does not.
fn caution(since: &RunDiff) -> String {
    let cover = if since.moved.iter().all(Moved::is_beyond_sessions) {
        "Their intervals cover another session, so hardly any is listed by chance."
    } else {
        "Not all of their intervals cover another session, so some may have moved by that alone."
    };
    let (smallest, compared) = (SMALLEST * 100.0, labels::count(since.compared, "figure"));
    format!(
        "Ratios to the reference, with 95 % intervals that do not overlap, and that differ by {smallest:.0} % or more. {compared} were \
         compared. {cover} `./scripts/bench compare` of the two commits measures both side by side."
    )
}

fn causes(since: &RunDiff, releases: &Releases) -> Vec<Text> {
    let named = |apps: &BTreeSet<&str>| match apps.len() {
        many if many > MOST_APPS => labels::count(many, "app").into(),
        _ => joined(apps.iter().map(|app| name(app)), ", "),
    };
    // One app may gain or lose dozens: what the same apps share is in one line.
    let counted = since.own.iter().flat_map(|(moved, _)| released(moved, releases));
    let own = labels::grouped(since.own.iter().map(|(moved, apps)| (apps, moved)));
    let own = own
        .into_iter()
        .map(|(apps, moved)| text![some_of(MOST_NAMED, moved.into_iter().map(cause)), " in ", named(apps)]);
    let apps = since.apps.iter().filter(|(_, apps)| !apps.is_empty());
    let apps = apps.map(|(what, apps)| text![*what, ": ", named(apps)]);
    let shared = since.shared.iter().map(cause);
    shared.chain(own).chain(counted).chain(apps).collect()
}

/// What the releases that moved a crate changed of a request, where they were counted.
fn released<'a>(moved: &'a Cause, releases: &'a Releases) -> impl Iterator<Item = Text> {
    let counted = releases.crates.iter().filter(|one| one.of == moved.name);
    counted.filter_map(|one| {
        let changes = one.between(&moved.before, &moved.after)?;
        let changes = one.scenarios.iter().zip(changes);
        let changes =
            changes.filter_map(|(scenario, change)| Some(text![own(signed(change?)), " in ", name(scenario)]));
        let of = text![cause(moved), ", instructions of ", name(&one.name), " by release: "];
        Some(text![of, joined(changes, ", ")])
    })
}

/// How many cells have which verdict, in the run before and now.
fn verdicts(record: &Record, previous: Option<&Record>) -> Block {
    let now = labels::verdicts(record);
    let before = previous.map(labels::verdicts).unwrap_or_default();
    let all: BTreeSet<Verdict> = now.keys().chain(before.keys()).copied().collect();
    let count = |verdict: &Verdict, of: &BTreeMap<Verdict, u32>| of.get(verdict).unwrap_or(&0).to_string();
    Rows::of(all)
        .words("Verdict", |verdict| verdict.name())
        .figures("Cells before", |verdict| previous.map(|_| count(verdict, &before)))
        .figures("Cells now", |verdict| count(verdict, &now))
        .words("Means", |verdict| verdict.what_happened())
        .table()
}

fn chart(record: &Record, url: &str) -> [Block; 2] {
    let url = url.trim_end_matches('/');
    let summary = format!("{url}/summary.md");
    let chart = format!("{url}/charts/{}.svg?raw=true&run={}", chart::OVERVIEW, record.id);
    let chart = own(format!("![{}]({})", chart::OVERVIEW_ALT, markdown_target(&chart)));
    [
        Block::Heading(2, "The figures".into()),
        Block::Paragraph(text![chart.link(&summary), " ", own("All tables").link(&summary)]),
    ]
}

/// An app's name for people, with its variant if that is not the default one.
fn label(record: &Record, app: &str, variant: &str) -> Text {
    record
        .app(app, variant)
        .map_or_else(|| name(app), |app| table::label(app).into())
}

#[cfg(test)]
mod tests;
