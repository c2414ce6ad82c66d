//! A comparison as Markdown, for a pull request's summary and comment: the decision first, then what moved and how certain that
//! is, then what a reviewer can do; what did not move is folded.
//!
//! A comparison may come from anybody's pull request: every string of it goes through `foreign` or [`escape::markdown_code`].

mod foreign;
mod machine;
mod probing;

use super::figure::significant;
use super::words::count;
use foreign::{name, text};
use judge::compare::outcome::{App, Comparison, Decision, Dependency, Series, Side, Status};
use record::{Metric, escape};

/// Dependencies of one app that are named; a bump of a workspace can move hundreds.
const MOST_DEPENDENCIES: usize = 20;
/// Longest commit that is shown: SHA-256.
const LONGEST_COMMIT: usize = 64;

/// How much of a comparison is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    Whole,
    /// Without what is folded away.
    Brief,
}

/// The comparison as Markdown.
pub fn comparison_markdown(comparison: &Comparison) -> String {
    markdown(comparison, None, Extent::Whole)
}

/// The comparison as Markdown, with a paragraph of the caller's own Markdown below the headline.
pub(super) fn markdown(comparison: &Comparison, lead: Option<&str>, extent: Extent) -> String {
    let mut parts = vec![format!("# {}\n", headline(comparison))];
    parts.extend(lead.map(|lead| format!("{lead}\n")));
    parts.push(format!(
        "{} against {}.\n",
        side(&comparison.head),
        side(&comparison.base)
    ));
    parts.push(list(
        comparison.warnings.iter().map(|warning| format!("⚠ {}", text(warning))),
    ));
    parts.push(list(comparison.apps.iter().filter_map(status_line)));
    parts.extend(comparison.probes.iter().map(probing::broken));
    for (title, decision) in [
        ("Worse", Decision::Regression),
        ("Better", Decision::Improvement),
        ("Not told apart from noise", Decision::Inconclusive),
    ] {
        let lines = judged(comparison, decision).map(|series| series_line(comparison, series));
        parts.push(section(title, lines));
    }
    parts.extend(comparison.probes.iter().map(probing::others));
    parts.push(section("Dependencies that moved", dependencies(comparison)));
    parts.push(next_steps(comparison));
    if extent == Extent::Whole {
        parts.push(folded(comparison));
    }
    parts.push(machine::how(comparison));
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

fn judged(comparison: &Comparison, decision: Decision) -> impl Iterator<Item = &Series> {
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
            let same = comparison.apps.iter().any(|app| app.status == Status::SameBinary);
            let new = comparison.apps.iter().any(|app| app.status == Status::New);
            let why = match (comparison.apps.is_empty(), same, new) {
                (true, _, _) => "this change touches no app",
                (_, true, _) => "the programs are the same, byte for byte",
                (_, _, true) => "there is nothing to compare a new app with",
                _ => "no app is left to measure",
            };
            format!("Nothing to measure: {why}")
        }
        Decision::NoChange => format!("No change in {series} series"),
        Decision::Improvement => {
            format!(
                "Improvement in {} of {series} series, nothing worse",
                judged(comparison, Decision::Improvement).count()
            )
        }
        Decision::Inconclusive => {
            let open = judged(comparison, Decision::Inconclusive).count();
            let open = (open > 0).then(|| format!("{open} of {series} series could not be told apart from noise"));
            let lost = comparison.lost().count();
            let lost = (lost > 0).then(|| format!("{} could not be measured", count(lost, "app")));
            let both: Vec<String> = lost.into_iter().chain(open).collect();
            format!("Inconclusive: {}, nothing was found worse", both.join(", "))
        }
        Decision::Regression if failed > 0 => format!("Regression: {} failed", count(failed, "app")),
        Decision::Regression => {
            let broken = match comparison.broken() {
                0 => None,
                1 => Some("1 case that must pass fails".to_owned()),
                broken => Some(format!("{broken} cases that must pass fail")),
            };
            let slower = (worse > 0).then(|| format!("in {worse} of {series} series"));
            match (slower, broken) {
                (Some(slower), Some(broken)) => format!("Regression {slower}, and {broken}"),
                (Some(slower), None) => format!("Regression {slower}"),
                (None, broken) => format!("Regression: {}", broken.unwrap_or_default()),
            }
        }
    }
}

fn side(side: &Side) -> String {
    let short: String = escape::clean(&side.commit, escape::NAME).chars().take(12).collect();
    let dirty = if side.dirty { ", with uncommitted changes" } else { "" };
    format!("{} ({}{dirty})", text(&side.revision), escape::markdown_code(&short))
}

/// The state of an app that was not simply measured.
fn status_line(app: &App) -> Option<String> {
    let status = match app.status {
        Status::Measured => return None,
        Status::SameBinary => "the same program on both sides, byte for byte",
        Status::New => "new: there is nothing to compare it with",
        Status::NotMeasured => "**could not be measured**",
        Status::Vanished => "**gone**",
        Status::BuildFailed => "**does not build**",
        Status::ContractFailed => "**answers wrongly**",
        Status::Crashed => "**crashes**",
    };
    let reason = app.reason.as_deref().map(|reason| format!(": {}", text(reason)));
    Some(format!(
        "{} · {status}{}",
        label(&app.id, &app.variant),
        reason.unwrap_or_default()
    ))
}

fn label(app: &str, variant: &str) -> String {
    if variant == "default" {
        name(app)
    } else {
        format!("{} ({})", name(app), name(variant))
    }
}

/// `axum · simple · +2.9 % instructions [2.6, 3.1]`
fn series_line(comparison: &Comparison, series: &Series) -> String {
    let gate = comparison.gates.gate.get(&series.metric);
    let title = gate.map_or_else(|| format!("{:?}", series.metric), |gate| gate.title.clone());
    let change = series
        .change
        .map_or_else(|| "?".to_owned(), |change| signed(change, series.metric));
    let interval = series
        .interval
        .map(|i| format!(" [{}, {}]", share(i.low, series.metric), share(i.high, series.metric)));
    let values = series.base.zip(series.head).map(|(base, head)| {
        let unit = gate.map(|gate| name(&gate.unit)).unwrap_or_default();
        format!(", {} → {} {unit}", significant(base), significant(head))
    });
    let reason = series.reason.as_deref().map(|reason| format!(" ({})", text(reason)));
    format!(
        "{} · {} · {change} % {}{}{}, {}{}",
        label(&series.app, &series.variant),
        name(&series.scenario),
        name(&title),
        interval.unwrap_or_default(),
        values.unwrap_or_default(),
        count(series.pairs.len(), "pair"),
        reason.unwrap_or_default()
    )
}

/// A change in per cent, with the digits that its metric supports.
fn share(change: f64, metric: Metric) -> String {
    match metric {
        Metric::InstructionsPerRequest => format!("{:.2}", change * 100.0),
        _ => format!("{:.1}", change * 100.0),
    }
}

fn signed(change: f64, metric: Metric) -> String {
    let sign = if change >= 0.0 { "+" } else { "" };
    format!("{sign}{}", share(change, metric))
}

fn dependencies(comparison: &Comparison) -> impl Iterator<Item = String> {
    // Variants of an app share its dependencies.
    let mut apps: Vec<&App> = comparison.apps.iter().collect();
    apps.dedup_by_key(|app| &app.id);
    apps.into_iter().filter(|app| !app.dependencies.is_empty()).map(|app| {
        let some: Vec<String> = app
            .dependencies
            .iter()
            .take(MOST_DEPENDENCIES)
            .map(dependency)
            .collect();
        let more = app.dependencies.len().saturating_sub(MOST_DEPENDENCIES);
        let more = if more > 0 {
            format!(", and {more} more")
        } else {
            String::new()
        };
        format!("{}: {}{more}", name(&app.id), some.join(", "))
    })
}

fn dependency(dependency: &Dependency) -> String {
    let versions = |versions: &[String]| match versions {
        [] => "–".to_owned(),
        versions => name(&versions.join(" + ")),
    };
    format!(
        "{} {} → {}",
        name(&dependency.name),
        versions(&dependency.before),
        versions(&dependency.after)
    )
}

/// What a reviewer can do.
fn next_steps(comparison: &Comparison) -> String {
    let base = escape::clean(&comparison.base.commit, LONGEST_COMMIT);
    let lines =
        match comparison.decision {
            Decision::Regression => vec![
            "Look at the changes above. If the loss is the price of something valuable, say so in the pull request: \
             a maintainer can accept it with the label `accept-regression`, which counts until the next push."
                .to_owned(),
            format!("Try it yourself: {}", escape::markdown_code(&format!("./scripts/bench compare --base {base}"))),
        ],
            Decision::Inconclusive if comparison.lost().next().is_some() => {
                vec!["Run the failed jobs again: what they were to measure is not known.".to_owned()]
            }
            Decision::Inconclusive => vec![format!(
                "This decides nothing. A longer comparison may: {}",
                escape::markdown_code(&format!("./scripts/bench compare --base {base} --time-budget 30m"))
            )],
            Decision::NothingToMeasure | Decision::NoChange | Decision::Improvement => Vec::new(),
        };
    section("What to do next", lines.into_iter())
}

/// What did not move, and what cannot be judged.
fn folded(comparison: &Comparison) -> String {
    let still: Vec<String> = judged(comparison, Decision::NoChange)
        .map(|series| series_line(comparison, series))
        .collect();
    let apart = comparison
        .series
        .iter()
        .filter(|series| !series.judged)
        .map(|series| series_line(comparison, series));
    let mut parts = Vec::new();
    if !still.is_empty() {
        parts.push(details(
            &format!("No change in {} series", still.len()),
            &list(still.into_iter()),
        ));
    }
    let apart: Vec<String> = apart.collect();
    if !apart.is_empty() {
        let title = format!("Not judged: {} series", apart.len());
        parts.push(details(&title, &list(apart.into_iter())));
    }
    if !comparison.untouched.is_empty() {
        let names: Vec<String> = comparison.untouched.iter().map(|id| name(id)).collect();
        parts.push(details(
            &format!("Not touched: {}", count(names.len(), "app")),
            &format!("{}\n", names.join(", ")),
        ));
    }
    parts.join("\n")
}

fn section(title: &str, lines: impl Iterator<Item = String>) -> String {
    let list = list(lines);
    if list.is_empty() {
        list
    } else {
        format!("## {title}\n\n{list}")
    }
}

fn list(lines: impl Iterator<Item = String>) -> String {
    lines.fold(String::new(), |text, line| text + "- " + &line + "\n")
}

fn details(title: &str, inside: &str) -> String {
    format!("<details><summary>{title}</summary>\n\n{inside}\n</details>\n")
}

#[cfg(test)]
pub(super) mod sample;
#[cfg(test)]
mod tests;
