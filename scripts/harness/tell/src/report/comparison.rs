//! A comparison as Markdown, for a pull request's summary and comment: the decision first, then what moved and how sure that
//! is, then what a reviewer can do; what did not move is folded away.
//!
//! A comparison may come from anybody's pull request: every string of it goes through `text`, `named` or
//! [`escape::markdown_code`].

use super::figure::significant;
use super::words::count;
use judge::compare::gates::Gauge;
use judge::compare::outcome::{App, Cause, Comparison, Decision, Dependency, Series, Side, Status};
use record::escape;

/// Dependencies of one app that are named; a bump of a workspace can move hundreds.
const MOST_DEPENDENCIES: usize = 20;
/// Longest reason that is shown.
const LONGEST_REASON: usize = 600;

/// Longest commit that is shown: SHA-256.
const LONGEST_COMMIT: usize = 64;
/// Shortest word of hexadecimal digits that GitHub may take for a commit.
const SHORTEST_COMMIT: usize = 7;

/// How much of a comparison is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    Whole,
    /// Without what is folded away.
    Brief,
}

/// The comparison as Markdown.
pub fn comparison_markdown(comparison: &Comparison) -> String {
    told(comparison, None, Extent::Whole)
}

/// The comparison as Markdown, with a paragraph of the caller's own Markdown below the headline.
pub(super) fn told(comparison: &Comparison, lead: Option<&str>, extent: Extent) -> String {
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
    parts.push(list(comparison.apps.iter().filter_map(standing)));
    for (title, decision) in [
        ("Worse", Decision::Regression),
        ("Better", Decision::Improvement),
        ("Not told apart from noise", Decision::Inconclusive),
    ] {
        let lines = of(comparison, decision).map(|series| moved(comparison, series));
        parts.push(section(title, lines));
    }
    parts.push(section("Dependencies that moved", dependencies(comparison)));
    parts.push(next(comparison));
    if extent == Extent::Whole {
        parts.push(folded(comparison));
    }
    parts.push(machine(comparison));
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

/// Foreign text as Markdown that means nothing: one line, bounded, no markup, no mention, no link.
fn text(foreign: &str) -> String {
    commits_as_code(&escape::markdown(&escape::clean(foreign, LONGEST_REASON)))
}

/// A foreign name, version or unit.
fn named(foreign: &str) -> String {
    commits_as_code(&escape::markdown(&escape::clean(foreign, escape::NAME)))
}

/// Words that GitHub would link to a commit, of this repository or of any fork, are set as code: there it does not.
fn commits_as_code(escaped: &str) -> String {
    let mut told = String::with_capacity(escaped.len());
    let mut rest = escaped;
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        let (word, after) = rest.split_at(word.max(first.len_utf8()));
        if word.len() >= SHORTEST_COMMIT && word.chars().all(|c| c.is_ascii_hexdigit()) {
            told.extend(["`", word, "`"]);
        } else {
            told.push_str(word);
        }
        rest = after;
    }
    told
}

fn of(comparison: &Comparison, decision: Decision) -> impl Iterator<Item = &Series> {
    comparison
        .series
        .iter()
        .filter(move |series| series.judged && series.decision == decision)
}

fn headline(comparison: &Comparison) -> String {
    let failed = comparison.apps.iter().filter(|app| app.status.is_failure()).count();
    let worse = of(comparison, Decision::Regression).count();
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
                of(comparison, Decision::Improvement).count()
            )
        }
        Decision::Inconclusive => {
            let open = of(comparison, Decision::Inconclusive).count();
            format!(
                "Inconclusive: {open} of {series} series could not be told apart from noise, nothing is proven worse"
            )
        }
        Decision::Regression if failed > 0 => format!("Regression: {} failed", count(failed, "app")),
        Decision::Regression => format!("Regression in {worse} of {series} series"),
    }
}

fn side(side: &Side) -> String {
    let short: String = escape::clean(&side.commit, escape::NAME).chars().take(12).collect();
    let dirty = if side.dirty { ", with uncommitted changes" } else { "" };
    format!("{} ({}{dirty})", text(&side.revision), escape::markdown_code(&short))
}

/// Apps about which there is more to say than numbers.
fn standing(app: &App) -> Option<String> {
    let told = match app.status {
        Status::Measured => return None,
        Status::SameBinary => "the same program on both sides, byte for byte",
        Status::New => "new: there is nothing to compare it with",
        Status::Vanished => "**gone**",
        Status::BuildFailed => "**does not build**",
        Status::ContractFailed => "**answers wrongly**",
        Status::Crashed => "**crashes**",
    };
    let reason = app.reason.as_deref().map(|reason| format!(": {}", text(reason)));
    Some(format!(
        "{} · {told}{}",
        name(&app.id, &app.variant),
        reason.unwrap_or_default()
    ))
}

fn name(app: &str, variant: &str) -> String {
    if variant == "default" {
        named(app)
    } else {
        format!("{} ({})", named(app), named(variant))
    }
}

/// `axum · simple · +2.9 % instructions [2.6, 3.1]`
fn moved(comparison: &Comparison, series: &Series) -> String {
    let gate = comparison.gates.gate.get(&series.gauge);
    let title = gate.map_or_else(|| format!("{:?}", series.gauge), |gate| gate.title.clone());
    let change = series
        .change
        .map_or_else(|| "?".to_owned(), |change| signed(change, series.gauge));
    let interval = series
        .interval
        .map(|i| format!(" [{}, {}]", share(i.low, series.gauge), share(i.high, series.gauge)));
    let values = series.base.zip(series.head).map(|(base, head)| {
        let unit = gate.map(|gate| named(&gate.unit)).unwrap_or_default();
        format!(", {} → {} {unit}", significant(base), significant(head))
    });
    let reason = series.reason.as_deref().map(|reason| format!(" ({})", text(reason)));
    format!(
        "{} · {} · {change} % {}{}{}, {}{}",
        name(&series.app, &series.variant),
        named(&series.scenario),
        named(&title),
        interval.unwrap_or_default(),
        values.unwrap_or_default(),
        count(series.pairs.len(), "pair"),
        reason.unwrap_or_default()
    )
}

/// A change in per cent, with as many digits as its metric deserves.
fn share(change: f64, gauge: Gauge) -> String {
    match gauge {
        Gauge::InstructionsPerRequest => format!("{:.2}", change * 100.0),
        Gauge::ServerCpuUsPerRequest | Gauge::GoodputRps => format!("{:.1}", change * 100.0),
    }
}

fn signed(change: f64, gauge: Gauge) -> String {
    let sign = if change >= 0.0 { "+" } else { "" };
    format!("{sign}{}", share(change, gauge))
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
        format!("{}: {}{more}", named(&app.id), some.join(", "))
    })
}

fn dependency(dependency: &Dependency) -> String {
    let versions = |versions: &[String]| match versions {
        [] => "–".to_owned(),
        versions => named(&versions.join(" + ")),
    };
    format!(
        "{} {} → {}",
        named(&dependency.name),
        versions(&dependency.before),
        versions(&dependency.after)
    )
}

/// What a reviewer can do.
fn next(comparison: &Comparison) -> String {
    let base = escape::clean(&comparison.base.commit, LONGEST_COMMIT);
    let lines = match comparison.decision {
        Decision::Regression => vec![
            "Look at what changed above. If the loss is the price of something worth having, say so in the pull request: \
             a maintainer can accept it with the label `accept-regression`."
                .to_owned(),
            format!("Try it yourself: {}", escape::markdown_code(&format!("./scripts/bench compare --base {base}"))),
        ],
        Decision::Inconclusive => vec![format!(
            "This is no proof of anything. A longer look may tell: {}",
            escape::markdown_code(&format!("./scripts/bench compare --base {base} --time-budget 30m"))
        )],
        Decision::NothingToMeasure | Decision::NoChange | Decision::Improvement => Vec::new(),
    };
    section("What to do next", lines.into_iter())
}

/// What did not move, and what cannot be judged.
fn folded(comparison: &Comparison) -> String {
    let still: Vec<String> = of(comparison, Decision::NoChange)
        .map(|series| moved(comparison, series))
        .collect();
    let apart = comparison
        .series
        .iter()
        .filter(|series| !series.judged)
        .map(|series| moved(comparison, series));
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
        let names: Vec<String> = comparison.untouched.iter().map(|id| named(id)).collect();
        parts.push(details(
            &format!("Not touched: {}", count(names.len(), "app")),
            &format!("{}\n", names.join(", ")),
        ));
    }
    parts.join("\n")
}

fn machine(comparison: &Comparison) -> String {
    let mut lines = Vec::new();
    let causes: std::collections::BTreeSet<&str> = comparison
        .apps
        .iter()
        .flat_map(|app| &app.causes)
        .map(|cause| word(*cause))
        .collect();
    if !causes.is_empty() {
        lines.push(format!(
            "Differs: {}",
            causes.into_iter().collect::<Vec<_>>().join(", ")
        ));
    }
    if let Some(environment) = &comparison.environment {
        lines.push(format!(
            "Machine: {}, {} logical cpus; {}; oha {}",
            text(&environment.cpu_model),
            environment.logical_cpus,
            text(&environment.rustc),
            named(&environment.oha)
        ));
        let gates = comparison.gates.gate.values();
        let gates = gates.map(|gate| format!("{} {:.1} %", named(&gate.title), gate.minimum_effect * 100.0));
        lines.push(format!(
            "Named: what is proven to differ from zero and estimated at no less than {}; at most {:.0} in 100 comparisons \
             without a change name one; intervals are of 95 %",
            gates.collect::<Vec<_>>().join(", "),
            comparison.gates.false_alarms * 100.0
        ));
    }
    let seconds = comparison.finished_at.duration_since(comparison.started_at).as_secs();
    let budget = if comparison.budget_spent {
        ", and the time budget was spent"
    } else {
        ""
    };
    lines.push(format!("Took {seconds} s{budget}"));
    section("How it was measured", lines.into_iter())
}

fn word(cause: Cause) -> &'static str {
    match cause {
        Cause::Sources => "sources",
        Cause::Dependencies => "dependencies",
        Cause::Profile => "build profile",
        Cause::Toolchain => "compiler",
    }
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
pub(super) mod sample {
    //! Comparisons to tell.

    use super::*;
    use judge::compare::gates::Gates;
    use judge::compare::outcome::{Pair, SCHEMA_VERSION};
    use judge::sample;
    use record::Interval;

    fn series(scenario: &str, gauge: Gauge, decision: Decision, change: f64) -> Series {
        Series {
            app: "axum".into(),
            variant: "default".into(),
            scenario: scenario.into(),
            gauge,
            decision,
            change: Some(change),
            interval: Some(Interval {
                low: change - 0.003,
                high: change + 0.002,
            }),
            p: Some(0.000_2),
            pairs: vec![
                Pair {
                    base: 30_000.0,
                    head: 30_000.0 * (1.0 + change)
                };
                13
            ],
            base: Some(30_000.0),
            head: Some(30_000.0 * (1.0 + change)),
            judged: true,
            reason: None,
        }
    }

    pub fn comparison() -> Comparison {
        let side = |revision: &str, dirty| Side {
            revision: revision.into(),
            commit: "0123456789abcdef".repeat(2),
            dirty,
        };
        let app = |id: &str, status, reason: Option<&str>| App {
            id: id.into(),
            variant: "default".into(),
            status,
            reason: reason.map(Into::into),
            causes: vec![Cause::Dependencies],
            dependencies: vec![Dependency {
                name: "tokio".into(),
                before: vec!["1.50.0".into()],
                after: vec!["1.52.1".into()],
            }],
        };
        let not_judged = Series {
            judged: false,
            reason: Some("the load generator was the limit".into()),
            ..series("plaintext", Gauge::GoodputRps, Decision::Inconclusive, -0.01)
        };
        Comparison {
            schema_version: SCHEMA_VERSION,
            decision: Decision::Regression,
            base: side("merge-base with main", false),
            head: side("the working tree", true),
            started_at: "2026-11-21T11:00:00Z".parse().unwrap(),
            finished_at: "2026-11-21T11:02:30Z".parse().unwrap(),
            harness: "0.1.0".into(),
            environment: Some(sample::record().environment),
            gates: Gates::built_in(),
            apps: vec![
                app("axum", Status::Measured, None),
                app("rocket", Status::Crashed, Some("GET /: the server died <script>@all")),
            ],
            untouched: vec!["actix-web".into(), "hyper".into()],
            series: vec![
                series("simple", Gauge::InstructionsPerRequest, Decision::Regression, 0.029),
                series("hello", Gauge::InstructionsPerRequest, Decision::NoChange, 0.0),
                series("hello", Gauge::ServerCpuUsPerRequest, Decision::Improvement, -0.041),
                series("simple", Gauge::ServerCpuUsPerRequest, Decision::Inconclusive, 0.018),
                not_judged,
            ],
            budget_spent: true,
            warnings: Vec::new(),
        }
    }

    /// What somebody may write who wants a comment to do more than to tell.
    pub fn attacks() -> Vec<String> {
        let mut attacks: Vec<String> = [
            "@org/team",
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "![x](http://example.org/x.png)",
            "[x](https://example.org)",
            "<https://example.org>",
            "#1",
            "GH-1",
            "owner/name#1",
            "a\u{202e}b\u{2066}c\u{200b}d",
            "`` ` ```\n# code\n```",
            "https://example.org/x",
            "www.example.org",
            "me@example.org",
            "\n\n# heading\n\n| a | b |\n| - | - |",
            "--> <!-- told: improvement -->",
            "</details><h1>x</h1>",
            "\u{1b}[31mred\u{0}\u{7}",
            "$\\frac{1}{2}$ ~~x~~ **y**",
            "0123456789abcdef0123456789abcdef01234567",
            "&lt;b&gt; &#64;org",
            "\\<b>\\@org",
        ]
        .map(str::to_owned)
        .to_vec();
        attacks.push("<b>@x ".repeat(20_000 / 6));
        attacks
    }

    /// A comparison in which everything that is a string is this one.
    pub fn all_strings(attack: &str) -> Comparison {
        let attack = || attack.to_owned();
        let mut comparison = comparison();
        for side in [&mut comparison.base, &mut comparison.head] {
            (side.revision, side.commit) = (attack(), attack());
        }
        comparison.harness = attack();
        for gate in comparison.gates.gate.values_mut() {
            (gate.title, gate.unit, gate.why) = (attack(), attack(), attack());
        }
        for app in &mut comparison.apps {
            (app.id, app.variant, app.reason) = (attack(), attack(), Some(attack()));
            for dependency in &mut app.dependencies {
                dependency.name = attack();
                (dependency.before, dependency.after) = (vec![attack()], vec![attack(), attack()]);
            }
        }
        comparison.untouched = vec![attack(), attack()];
        for series in &mut comparison.series {
            (series.app, series.variant, series.scenario) = (attack(), attack(), attack());
            series.reason = Some(attack());
        }
        if let Some(environment) = &mut comparison.environment {
            (environment.cpu_model, environment.rustc, environment.oha) = (attack(), attack(), attack());
            (environment.kernel, environment.os) = (attack(), attack());
            environment.warnings = vec![attack()];
        }
        comparison.warnings = vec![attack()];
        comparison
    }
}

#[cfg(test)]
mod tests;
