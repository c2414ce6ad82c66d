//! A comparison as Markdown, for a pull request's summary and comment: the decision first, then what moved and how certain that
//! is, then what a reviewer can do; what did not move is folded.
//!
//! A comparison may come from anybody's pull request, so nothing of it is [`own`] text but figures.

mod explanation;
mod machine;
mod probing;

pub use explanation::explanation_markdown;

use analyze::compare::gates::title;
use std::iter;

use analyze::compare::outcome::{App, Comparison, CrateSource, Decision, Dependency, Series, Side, Status};
use model::Metric;
use model::escape::{NAME, clean, shell};

use super::document::{Block, NONE, Rows, Text, joined, markdown, name, own, some_of, start_of, table_of, text};
use super::figure::significant;
use super::labels::count;

/// Dependencies of one app that are named; a bump of a workspace can move hundreds.
const MOST_DEPENDENCIES: usize = 20;
/// Undecided series that are named in brief.
const MOST_OPEN: usize = 5;
/// Longest commit that is shown: SHA-256.
const LONGEST_COMMIT: usize = 64;
/// What figures without a gate are worth.
const OTHERS: &str =
    "These decide nothing. Listed is what has a 95 % interval without zero; without any change, one in twenty has.";
/// Longest reason that is shown.
const LONGEST_REASON: usize = 600;

/// The comparison as Markdown.
pub fn comparison_markdown(comparison: &Comparison) -> String {
    markdown(&blocks(comparison, None, true))
}

/// The comparison with a paragraph below the headline, whole or in brief.
pub(super) fn blocks(comparison: &Comparison, lead: Option<Text>, is_whole: bool) -> Vec<Block> {
    let mut blocks = vec![Block::Heading(1, headline(comparison).into())];
    blocks.extend(lead.map(Block::Paragraph));
    let sides = text![side(&comparison.head), " against ", side(&comparison.base), "."];
    blocks.push(Block::Paragraph(sides));
    let warnings = comparison.warnings.iter().map(|warning| text!["⚠ ", reason(warning)]);
    blocks.extend(Block::list(warnings));
    blocks.extend(Block::list(comparison.apps.iter().filter_map(status_line)));
    blocks.extend(comparison.probes.iter().flat_map(probing::broken));
    let most_open = if is_whole { usize::MAX } else { MOST_OPEN };
    let open = judged(comparison, Decision::Inconclusive).map(series_line).collect();
    let why = is_whole.then(|| explanation::explanations(comparison));
    blocks.extend(Block::sections([
        ("Worse", moved(judged(comparison, Decision::Regression))),
        ("Better", moved(judged(comparison, Decision::Improvement))),
        ("Not told apart from noise", Block::list_of(most_open, open, " more")),
        ("Where the instructions went", why.unwrap_or_default()),
    ]));
    blocks.extend(comparison.probes.iter().flat_map(probing::others));
    let dependencies = Block::list(dependencies(comparison).filter(|_| is_whole));
    blocks.extend(Block::sections([
        ("Dependencies that moved", dependencies),
        ("What to do next", next_steps(comparison)),
    ]));
    if is_whole {
        let still: Vec<Text> = judged(comparison, Decision::NoChange).map(series_line).collect();
        let not_judged = comparison.series.iter().filter(|series| !series.judged);
        let not_judged: Vec<Text> = not_judged.map(series_line).collect();
        let without_zero = |series: &&Series| {
            let interval = series.interval;
            interval.is_some_and(|interval| interval.low > 0.0 || interval.high < 0.0)
        };
        let others: Vec<&Series> = comparison.others.iter().filter(without_zero).collect();
        let unjudged = format!("Not judged: {} series", not_judged.len());
        let which = format!("{} of {} figures", others.len(), comparison.others.len());
        let mut others = moved(others.into_iter());
        others.extend((!others.is_empty()).then(|| Block::paragraph(OTHERS)));
        blocks.extend(Block::folded([
            (format!("No change in {} series", still.len()), Block::list(still)),
            (unjudged, Block::list(not_judged)),
            (format!("What else moved: {which}"), others),
        ]));
        blocks.extend(Block::sections([("How it was measured", machine::how(comparison))]));
    }
    blocks
}

pub(super) fn judged(comparison: &Comparison, decision: Decision) -> impl Iterator<Item = &Series> {
    comparison
        .series
        .iter()
        .filter(move |series| series.judged && series.decision == decision)
}

fn headline(comparison: &Comparison) -> String {
    let failed = comparison.apps.iter().filter(|app| app.status.is_failure()).count();
    let worse = judged(comparison, Decision::Regression).count();
    let series = comparison.series.iter().filter(|series| series.judged).count();
    match comparison.decision {
        Decision::NothingToMeasure => {
            let is_patched = !comparison.head.patches.is_empty();
            let has = |status| comparison.apps.iter().any(|app| app.status == status);
            let why = match comparison.apps.as_slice() {
                [] if is_patched => "these apps are built from the same without the patch",
                [] => "this change touches no app",
                _ if has(Status::SameBinary) => "the programs are the same, byte for byte",
                _ if has(Status::New) => "there is nothing to compare a new app with",
                _ => "no app is left to measure",
            };
            format!("Nothing to measure: {why}")
        }
        Decision::NoChange => format!("No change in {series} series"),
        Decision::Improvement => {
            let better = judged(comparison, Decision::Improvement).count();
            format!("Improvement in {better} of {series} series, nothing worse")
        }
        Decision::Inconclusive => {
            let open = judged(comparison, Decision::Inconclusive).count();
            let open = (open > 0).then(|| format!("{open} of {series} series could not be told apart from noise"));
            let lost = comparison.lost().count();
            let lost = (lost > 0).then(|| format!("{} could not be measured", count(lost, "app")));
            let kind = if lost.is_some() { "Incomplete" } else { "Inconclusive" };
            let both: Vec<String> = lost.into_iter().chain(open).collect();
            format!("{kind}: {}, nothing was found worse", both.join(", "))
        }
        Decision::Regression if failed > 0 => format!("Regression: {} failed", count(failed, "app")),
        Decision::Regression => {
            let broken = match comparison.broken() {
                0 => None,
                1 => Some("1 case that must pass fails".to_owned()),
                broken => Some(format!("{broken} cases that must pass fail")),
            };
            match (worse, broken) {
                (0, broken) => format!("Regression: {}", broken.unwrap_or_default()),
                (_, None) => format!("Regression in {worse} of {series} series"),
                (_, Some(broken)) => format!("Regression in {worse} of {series} series, and {broken}"),
            }
        }
    }
}

fn side(side: &Side) -> Text {
    let dirty = side.dirty.then_some(", with uncommitted changes");
    let sources = side.sources.iter().map(Some).chain(iter::repeat(None));
    let patches = side.patches.iter().zip(sources);
    let patches = patches.map(|(patch, of)| text![" with ", source(patch, of)]);
    let (revision, commit) = (reason(&side.revision), start_of(&side.commit, 12));
    text![revision, " (", commit, dirty, ")", joined(patches, " and")]
}

/// `hyper 1.12.0 → ../hyper at abc1234, with uncommitted changes (1.11.0)`
fn source(patch: &str, of: Option<&CrateSource>) -> Text {
    let (Some((crate_name, written)), Some(of)) = (patch.split_once('='), of) else {
        return reason(patch).code();
    };
    let commit = of.commit.as_deref().filter(|commit| !written.ends_with(*commit));
    let commit = commit.map(|commit| text![" at ", start_of(commit, 9)]);
    let dirty = of.dirty.then_some(", with uncommitted changes");
    let versions = Some(of.after.join(" + ")).filter(|versions| !versions.is_empty() && versions != written);
    let versions = versions.map(|versions| text![" (", name(&versions), ")"]);
    let (before, after) = (name(&of.before.join(" + ")), reason(written).code());
    let moved = text![name(crate_name), " ", before, " → ", after];
    text![moved, commit, dirty, versions]
}

/// A reason or an error, which may be long here.
pub(super) fn reason(text: &str) -> Text {
    clean(text, LONGEST_REASON).into()
}

/// The state of an app that was not simply measured, and what is missing of one that was.
pub(super) fn status_line(app: &App) -> Option<Text> {
    let status = match app.status {
        Status::Measured if app.reason.is_none() => return None,
        Status::Measured => "measured",
        Status::SameBinary => "the same program on both sides, byte for byte",
        Status::New => "new: there is nothing to compare it with",
        Status::NotMeasured => "**could not be measured**",
        Status::Vanished => "**gone**",
        Status::BuildFailed => "**does not build**",
        Status::ContractFailed => "**answers wrongly**",
        Status::Crashed => "**crashes**",
    };
    let why = app.reason.as_deref().map(|why| text![": ", reason(why)]);
    Some(text![label(&app.id, &app.variant), " · ", status, why])
}

fn label(app: &str, variant: &str) -> Text {
    match variant {
        "default" => name(app),
        variant => text![name(app), " (", name(variant), ")"],
    }
}

/// A row for each that moved.
fn moved<'a>(series: impl Iterator<Item = &'a Series>) -> Vec<Block> {
    let figure = |figure: Option<f64>, of: &Series| Some(own(significant(figure? / of.metric.divisor())));
    let columns = |rows: Rows<&'a Series>| {
        rows.words("App", |series| label(&series.app, &series.variant))
            .words("Workload", |series| name(&series.scenario))
            .words("Figure", |series| match series.metric {
                Metric::InstructionsPerRequest => Text::from(title(series.metric)),
                metric => text![title(metric), ", ", metric.unit()],
            })
            .figures("Before", |series| figure(series.base, series))
            .figures("After", |series| figure(series.head, series))
            .figures("Change", |series| text![change(series), interval(series), why(series)])
            .figures("Pairs", |series| own(series.pairs.len().to_string()))
    };
    table_of(usize::MAX, series, columns, |_| String::new())
}

/// `axum · simple · +2.9 % instructions [2.6, 3.1], 30,000 → 30,900 instructions, 13 pairs`
fn series_line(series: &Series) -> Text {
    let values = series.base.zip(series.head).map(|(base, head)| {
        let values = own(format!(", {} → {} ", significant(base), significant(head)));
        text![values, series.metric.unit()]
    });
    let (app, scenario) = (label(&series.app, &series.variant), name(&series.scenario));
    let pairs = count(series.pairs.len(), "pair");
    let moved = text![change(series), " ", title(series.metric), interval(series), values];
    text![app, " · ", scenario, " · ", moved, ", ", pairs, why(series)]
}

/// `+2.9 %`
fn change(series: &Series) -> Text {
    let signed = |change: f64| format!("{:+.*} %", digits(series), change * 100.0);
    own(series.change.map_or("? %".to_owned(), signed))
}

/// ` [2.6, 3.1]`
fn interval(series: &Series) -> Option<Text> {
    let share = |change: f64| format!("{:.*}", digits(series), change * 100.0);
    let interval = series.interval?;
    Some(own(format!(" [{}, {}]", share(interval.low), share(interval.high))))
}

fn why(series: &Series) -> Option<Text> {
    let open = series.is_open().then_some("more pairs are needed to tell");
    Some(text![" (", reason(series.reason.as_deref().or(open)?), ")"])
}

/// The digits that the metric supports.
fn digits(series: &Series) -> usize {
    1 + usize::from(series.metric == Metric::InstructionsPerRequest)
}

fn dependencies(comparison: &Comparison) -> impl Iterator<Item = Text> {
    // Variants of an app share its dependencies.
    let mut apps: Vec<&App> = comparison.apps.iter().collect();
    apps.dedup_by_key(|app| &app.id);
    apps.into_iter().filter(|app| !app.dependencies.is_empty()).map(|app| {
        let moved = some_of(MOST_DEPENDENCIES, app.dependencies.iter().map(dependency));
        text![name(&app.id), ": ", moved]
    })
}

pub(super) fn dependency(dependency: &Dependency) -> Text {
    let versions = |versions: &[String]| match versions {
        [] => NONE.into(),
        versions => name(&versions.join(" + ")),
    };
    let (before, after) = (versions(&dependency.before), versions(&dependency.after));
    text![name(&dependency.name), " ", before, " → ", after]
}

/// What a reviewer can do.
fn next_steps(comparison: &Comparison) -> Vec<Block> {
    let base = clean(&comparison.base.commit, LONGEST_COMMIT);
    let head = &comparison.head;
    let of_head = head.patches.iter().flat_map(|patch| ["--patch", patch]);
    let of_base = comparison.base.patches.iter().flat_map(|patch| ["--base-patch", patch]);
    let options = comparison.options.iter().map(String::as_str);
    let words = of_head.chain(of_base).chain(options);
    let words = words.map(|word| format!(" {}", shell(&clean(word, LONGEST_REASON))));
    let words = words.collect::<Vec<_>>().concat();
    let command = |more: &str| Text::from(format!("./scripts/bench compare --base {base}{words}{more}")).code();
    match comparison.decision {
        Decision::Regression => {
            let is_wrong = |app: &&App| app.status.is_failure() && app.status != Status::Vanished;
            let wrong = comparison.apps.iter().filter(is_wrong);
            let mut wrong: Vec<String> = wrong.map(|app| clean(&app.id, NAME)).collect();
            wrong.dedup();
            let check = || text!["Mend what fails. It is shown by ", check_command(&wrong), "."];
            let accept = "Look at the changes above. If the loss is the price of something valuable, say so in the pull request: \
                          a maintainer can accept it with the label `accept-regression`, which counts until the next push.";
            let is_worse = wrong.is_empty() || judged(comparison, Decision::Regression).next().is_some();
            Block::list([
                (!wrong.is_empty()).then(check),
                (wrong.is_empty() && head.patches.is_empty()).then(|| accept.into()),
                is_worse.then(|| text!["Try it yourself: ", command("")]),
            ])
        }
        Decision::Inconclusive if comparison.lost().next().is_some() => {
            Block::list(["Measure again what is missing: in a pull request, by *Re-run failed jobs* of its check."])
        }
        Decision::Inconclusive => {
            let longer = command(" --time-budget 30m");
            Block::list([text!["This decides nothing. A longer comparison may: ", longer]])
        }
        Decision::NothingToMeasure | Decision::NoChange | Decision::Improvement => Vec::new(),
    }
}

fn check_command(apps: &[String]) -> Text {
    Text::from(format!("./scripts/bench check --app {}", shell(&apps.join(",")))).code()
}

#[cfg(test)]
pub(super) mod tests;
