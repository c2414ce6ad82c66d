//! The full report of a run in GitHub's Markdown.
//!
//! Failures come before any number. A figure that is not trusted is struck through, and the reason is given below the table,
//! once for all apps that it applies to.

use crate::report::chart;
use crate::report::conclusion;
use crate::report::costs;
use crate::report::figure;
use crate::report::instructions;
use crate::report::matrix;
use crate::report::older_benchmarks;
use crate::report::orders;
use crate::report::scaling;
use crate::report::steps;
use crate::report::surroundings;
use crate::report::table;
use crate::report::view;
use crate::report::view::{AppFailure, Note, Row, Table};
use crate::report::words;
use judge::analysis;
use record::escape;
use record::escape::{NAME, SENTENCE, clean, markdown_id as code};
use record::scenario::LoadModel;
use record::{AppRecord, Metric, Record, Role, Stopped};

/// Characters of a hash that are shown: enough to find it by.
const HASH: usize = 12;

/// Columns of a scenario's table.
const COLUMNS: usize = 13;

/// The report. `charts` is the folder of [`super::charts`], as it is to appear in links; without it there are no pictures.
#[must_use]
pub fn markdown(record: &Record, charts: Option<&str>) -> String {
    let tables = view::tables(record);
    let mut blocks = head(record);
    blocks.extend(failures(&view::failures(record, &tables)));
    let pictures = chart::names(record);
    if let Some(folder) = charts.filter(|_| !record.is_of_costs()) {
        blocks.push(picture(folder, chart::OVERVIEW, chart::OVERVIEW_ALT));
    }
    let sections = tables.iter().zip(&pictures).map(|(table, name)| {
        let picture = charts.map(|folder| picture(folder, name, &chart::bars_alt(table)));
        (table.scenario.varies.is_some(), section(table, picture))
    });
    let (varied, plain): (Vec<_>, Vec<_>) = sections.partition(|(varied, _)| *varied);
    blocks.extend(plain.into_iter().flat_map(|(_, section)| section));
    blocks.extend(matrix::matrices(record, &tables).iter().map(matrix::markdown));
    blocks.extend(scaling::sections(record).iter().map(scaling::markdown));
    blocks.extend(orders(record, &tables));
    blocks.extend(folded(varied.into_iter().flat_map(|(_, section)| section).collect()));
    blocks.extend(steps::markdown(record));
    blocks.extend(instructions::markdown(record, &tables));
    blocks.extend(older_benchmarks::section(record, &tables));
    blocks.extend(costs::markdown(record));
    if !record.is_of_costs() {
        blocks.push(HOW_TO_READ.to_owned());
    }
    blocks.push(provenance(record));
    blocks.join("\n\n") + "\n"
}

/// The variations one by one; most readers need only the tables before.
fn folded(sections: Vec<String>) -> Vec<String> {
    if sections.is_empty() {
        return sections;
    }
    let begin = "<details>\n<summary>Each variation by itself</summary>".to_owned();
    [vec![begin], sections, vec!["</details>".to_owned()]].concat()
}

/// Where the order at a common rate contradicts the one at full load.
fn orders(record: &Record, tables: &[Table]) -> Option<String> {
    let orders = orders::orders(record, tables);
    let lines: Vec<_> = orders
        .iter()
        .map(|line| format!("- {}", escape::markdown(line)))
        .collect();
    (!lines.is_empty()).then(|| format!("## At a rate that is common to all\n\n{}", lines.join("\n")))
}

const HOW_TO_READ: &str = "## How to read this\n\n\
    \"÷ ref.\" is the ratio to the reference, a frozen server that runs in every round, with its 95 % interval. It is paired \
    within the rounds, so it says more than the figure below it, which belongs to this machine. A rank is the range of places \
    that the differences of this session allow: `2–5` means anything from second to fifth. Rows are in the order of the estimate. \"Busy\" is \
    the share of its cpus that the server used, \"in flight\" the requests under way on average: CPU time per request is a fair \
    comparison where these are alike. A figure that is ~~struck through~~ is not valid: the reason is below the table, and \
    it is not ranked. In a closed loop, p50 and p99 say how long the queue was.";

fn head(record: &Record) -> Vec<String> {
    let lane = record.lane.name();
    let date = record.started_at.strftime("%Y-%m-%d");
    let partial = words::partial(record);
    let kind = if partial.is_some() { " (partial)" } else { "" };
    let title = format!("# {}{kind} on {lane}, {date}", text(&record.profile, NAME));
    let mut blocks = vec![title];
    blocks.extend(partial.map(|why| format!("A partial run: {}.", escape::markdown(&why))));
    blocks.push(facts(record));
    let warnings = record.environment.warnings.iter().cloned();
    let warnings = warnings.chain(analysis::unsteady(record));
    let list: Vec<String> = warnings
        .map(|warning| format!("> - {}", text(&warning, SENTENCE)))
        .collect();
    if !list.is_empty() {
        let list = list.join("\n");
        blocks.push(format!("> **Warnings about this machine**\n>\n{list}"));
    }
    blocks
}

/// Rounds beyond the plan. With a time budget they are expected.
fn more_rounds(record: &Record) -> String {
    let made = record.trials.iter().map(|trial| trial.round).max().unwrap_or(0);
    match made.checked_sub(record.harness.rounds) {
        Some(more @ 1..) if record.harness.stopped == Stopped::RoundsDone => {
            format!(", and {more} more because the machine had spoilt too many trials")
        }
        Some(more @ 1..) => format!(", after {more} more"),
        _ => String::new(),
    }
}

fn facts(record: &Record) -> String {
    let environment = &record.environment;
    let (start, end) = (
        record.started_at.strftime("%Y-%m-%d %H:%M"),
        record.finished_at.strftime("%Y-%m-%d %H:%M UTC"),
    );
    let cpus = words::count(environment.logical_cpus as usize, "logical cpu");
    let memory = figure::gibibytes(environment.memory_bytes);
    let pins = match environment.load_machines.len() {
        0 => format!(
            "servers on cpu {}, load generator on cpu {}",
            list(&environment.server_cpus),
            list(&environment.generator_cpus)
        ),
        many => format!(
            "servers on cpu {}, load from {}",
            list(&environment.server_cpus),
            words::count(many, "other machine")
        ),
    };
    let rounds = format!(
        "{}, {}{}",
        words::count(record.harness.rounds as usize, "round"),
        words::stopped(record.harness.stopped),
        more_rounds(record)
    );
    let lines = [
        format!("Run {}, {start} to {end}", code(&record.id)),
        format!(
            "Machine: {}, {cpus}, {memory}; {pins}",
            text(&environment.cpu_model, 2 * NAME)
        ),
        format!(
            "Compiler: {}; {}{}",
            text(&environment.rustc, 2 * NAME),
            if record.is_of_costs() { "" } else { "load generator: " },
            escape::markdown(&words::driven_by(record))
        ),
        format!(
            "Rounds: {rounds}; order of the trials shuffled with seed {}",
            record.seed
        ),
    ];
    // Without a load there are no rounds, and `costs` gives the number of builds.
    let shown = lines.len() - usize::from(record.is_of_costs());
    lines[..shown]
        .iter()
        .map(|line| format!("- {line}"))
        .collect::<Vec<_>>()
        .join("\n")
}

fn list(cpus: &[u32]) -> String {
    if cpus.is_empty() {
        "any".to_owned()
    } else {
        cpus.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
    }
}

fn failures(failures: &[AppFailure]) -> Option<String> {
    let lines: Vec<_> = failures.iter().map(failure_line).collect();
    (!lines.is_empty()).then(|| format!("## Failed\n\n{}", lines.join("\n")))
}

/// `- **axum**: crashed in plaintext, simple: the server died`
pub(super) fn failure_line(failure: &AppFailure) -> String {
    let place = match failure.scenarios.as_slice() {
        [] => "every scenario".to_owned(),
        scenarios => scenarios
            .iter()
            .map(|id| escape::markdown_code(id))
            .collect::<Vec<_>>()
            .join(", "),
    };
    let verdict = words::verdict(failure.verdict);
    let reasons = reasons(&failure.reasons);
    format!(
        "- **{}**: {verdict} in {place}{reasons}",
        escape::markdown(&failure.label)
    )
}

/// `: the server died; …`; empty without reasons.
pub(super) fn reasons(reasons: &[String]) -> String {
    let escaped: Vec<_> = reasons.iter().map(|reason| escape::markdown(reason)).collect();
    if escaped.is_empty() {
        String::new()
    } else {
        format!(": {}", escaped.join("; "))
    }
}

fn picture(folder: &str, name: &str, alt: &str) -> String {
    let path = format!("{}/{name}.svg", folder.trim_end_matches('/'));
    format!("![{}]({})", escape::markdown(alt), escape::markdown_target(&path))
}

fn section(table: &Table, picture: Option<String>) -> Vec<String> {
    let scenario = table.scenario;
    let mut blocks = vec![
        format!("## {}: {}", text(&scenario.id, NAME), text(&scenario.title, 2 * NAME)),
        format!(
            "{} {}",
            escape::markdown_code(&words::request(scenario)),
            words::load(scenario)
        ),
    ];
    blocks.extend(picture);
    if table.rows().next().is_some() {
        let rows = table.rows().map(|row| cells(row, scenario.load));
        blocks.push(table::markdown(&header(table), &[1, COLUMNS - 1], rows));
    }
    let found = conclusion::conclusion(table);
    let found = found.map(|found| found.text(view::leading(scenario.load)));
    let found = found.map(|text| format!("- {}", escape::markdown(&text)));
    let notes = view::notes(table);
    let notes: Vec<_> = found
        .into_iter()
        .chain(notes.iter().map(note))
        .chain(no_figures(table))
        .collect();
    if !notes.is_empty() {
        blocks.push(notes.join("\n"));
    }
    blocks
}

fn header(table: &Table) -> [String; COLUMNS] {
    let load = table.scenario.load;
    let with_database = table
        .rows()
        .any(|row| row.metric(Metric::DatabaseCpuUsPerRequest).is_some());
    let title = |metric| match metric {
        Metric::ServerCpuUsPerRequest if with_database => "CPU ÷ ref.<br><sub>µs/req + database's</sub>".to_owned(),
        Metric::ServerCpuUsPerRequest => "CPU ÷ ref.<br><sub>µs/req</sub>".to_owned(),
        other => format!("{} ÷ ref.<br><sub>{}</sub>", other.name(), other.unit()),
    };
    let (first, second) = (title(view::leading(load)), title(view::second(load)));
    [
        "Rank",
        "App",
        &first,
        "Rank",
        &second,
        "Busy",
        "In flight",
        "p50, ms",
        "p99, ms",
        "Peak, MiB",
        "Start-up, ms",
        "Rounds",
        "Verdict",
    ]
    .map(str::to_owned)
}

fn cells(row: &Row, load: LoadModel) -> [String; COLUMNS] {
    let (first, second) = (view::leading(load), view::second(load));
    let known = |text: Option<String>| text.unwrap_or(figure::NONE.to_owned());
    [
        rank(row, first),
        app(row),
        ratio(row, first),
        rank(row, second),
        ratio(row, second),
        known(row.trials.server_share.map(figure::share)),
        known(row.trials.in_flight.map(figure::significant)),
        bare_figure(row, Metric::LatencyP50Ms),
        bare_figure(row, Metric::LatencyP99Ms),
        bare_figure(row, Metric::RssPeakBytes),
        bare_figure(row, Metric::StartupMs),
        row.trials.rounds().or(rounds(row, first)).unwrap_or_default(),
        words::verdict(row.cell.verdict).to_owned(),
    ]
}

fn rounds(row: &Row, metric: Metric) -> Option<String> {
    Some(row.metric(metric)?.trials.to_string())
}

/// The rank, bold for an app that may be first; `–` for a framework without one.
fn rank(row: &Row, metric: Metric) -> String {
    match (row.subject.role(), row.rank(metric)) {
        (Role::Framework, Some(rank)) if rank.best == 1 => format!("**{rank}**"),
        (Role::Framework, Some(rank)) => rank.to_string(),
        (Role::Framework, None) => figure::NONE.to_owned(),
        (Role::Reference | Role::Ceiling, _) => String::new(),
    }
}

fn app(row: &Row) -> String {
    let name = escape::markdown(&row.subject.label());
    let name = if row.subject.role() == Role::Framework {
        name
    } else {
        format!("*{name}*")
    };
    let version = escape::markdown(&row.subject.version());
    let standing = row
        .subject
        .standing()
        .filter(|standing| *standing != row.subject.label());
    let below: Vec<_> = [version.as_str(), standing.unwrap_or_default()]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect();
    if below.is_empty() {
        name
    } else {
        format!("{name}<br><sub>{}</sub>", below.join(", "))
    }
}

fn bare_figure(row: &Row, metric: Metric) -> String {
    let summary = row.metric(metric);
    summary.map_or(figure::NONE.to_owned(), |summary| {
        figure::struck_unless(summary.trusted, figure::number(metric, summary.median))
    })
}

/// The ratio to the reference with its interval, and below it the figure itself; beside CPU time that of the database.
fn ratio(row: &Row, metric: Metric) -> String {
    let Some(summary) = row.metric(metric) else {
        return figure::NONE.to_owned();
    };
    let mut number = figure::number(metric, summary.median);
    let database = Metric::DatabaseCpuUsPerRequest;
    if let Some(beside) = row.metric(database).filter(|_| metric == Metric::ServerCpuUsPerRequest) {
        number = format!("{number}&nbsp;+&nbsp;{}", figure::number(database, beside.median));
    }
    match (row.ratio(metric), &summary.ratio) {
        (Some(ratio), _) => {
            let interval = figure::ratio_interval(&ratio).replace(", ", ",&nbsp;");
            let ratio = format!("{} {interval}", figure::ratio(ratio.estimate));
            format!("{}<br><sub>{number}</sub>", ratio.trim_end().replace(' ', "&nbsp;"))
        }
        (None, Some(ratio)) => format!("~~{}~~<br><sub>~~{number}~~</sub>", figure::ratio(ratio.estimate)),
        (None, None) => figure::struck_unless(summary.trusted, number),
    }
}

fn note(note: &Note) -> String {
    let metrics: Vec<_> = note
        .metrics
        .iter()
        .map(|&metric| words::lower_first(metric.name()))
        .collect();
    let metrics = if metrics.is_empty() {
        String::new()
    } else {
        format!("{} of ", words::list(&metrics))
    };
    let (verdict, reason) = (words::verdict(note.verdict), escape::markdown(&note.reason));
    format!("- {verdict}: {metrics}{}: {reason}", escape::markdown(&note.who))
}

fn no_figures(table: &Table) -> Option<String> {
    let missing = table.missing.iter();
    let names: Vec<_> = missing
        .map(|missing| {
            let reason = missing.reasons.first().filter(|_| missing.not_offered);
            let reason = reason.map_or(String::new(), |reason| format!(": {}", escape::markdown(reason)));
            let label = escape::markdown(&missing.subject.label());
            format!("{label} ({}{reason})", missing.word())
        })
        .collect();
    (!names.is_empty()).then(|| format!("- No figures: {}", names.join(", ")))
}

fn provenance(record: &Record) -> String {
    let header = ["App", "Crate", "Version", "Sources", "Dependencies", "Program", "Build"];
    let subjects = view::subjects(record);
    let rows = subjects
        .iter()
        .filter_map(|subject| Some(built(&subject.label(), subject.app?)));
    let table = table::markdown(&header, &[0, 1, 2, 3, 4], rows);
    format!(
        "<details>\n<summary>Provenance</summary>\n\n{}\n\n{table}\n\n</details>",
        origin(record)
    )
}

fn built(label: &str, app: &AppRecord) -> [String; 7] {
    let size = app.binary_bytes.map_or(figure::NONE.to_owned(), figure::mebibytes);
    let seconds = app.build_seconds.map_or(figure::NONE.to_owned(), |seconds| {
        format!("{} s", figure::significant(seconds))
    });
    [
        escape::markdown_link(label, &app.link),
        text(&app.framework, NAME),
        text(&app.framework_version, NAME),
        hash(&app.source_hash),
        hash(&app.lockfile_hash),
        size,
        seconds,
    ]
}

fn origin(record: &Record) -> String {
    let (harness, environment) = (&record.harness, &record.environment);
    let known = |value: &Option<String>| value.as_ref().map_or("unknown".to_owned(), |value| text(value, NAME));
    let turbo = environment.turbo.map_or("unknown", |on| if on { "on" } else { "off" });
    let commit = harness
        .commit
        .as_ref()
        .map_or("an unknown commit".to_owned(), |commit| {
            format!("commit {}", hash(commit))
        });
    let dirty = if harness.dirty == Some(true) {
        " with uncommitted changes"
    } else {
        ""
    };
    let lines = [
        format!(
            "Harness {} at {commit}{dirty}, apps built by the cargo profile {}",
            text(&harness.version, NAME),
            code(&harness.cargo_profile)
        ),
        format!(
            "{}, kernel {}, runner image {}",
            text(&environment.os, NAME),
            text(&environment.kernel, NAME),
            known(&environment.runner_image)
        ),
        format!(
            "Governor {}, turbo {turbo}, virtualisation {}",
            known(&environment.governor),
            known(&environment.virtualisation)
        ),
        format!(
            "Cpu time stolen by the hypervisor {}, load average at the start {:.2}",
            figure::percent(environment.steal_share),
            environment.load_average
        ),
    ];
    let beside = surroundings::environment(record)
        .into_iter()
        .chain(surroundings::idle(record));
    let beside: Vec<_> = beside.map(|line| escape::markdown(&line)).collect();
    let lines = lines.iter().chain(&beside).map(|line| format!("- {line}"));
    lines.collect::<Vec<_>>().join("\n")
}

fn hash(hash: &str) -> String {
    let start: String = clean(hash, NAME).chars().take(HASH).collect();
    escape::markdown_code(&start)
}

fn text(raw: &str, longest: usize) -> String {
    escape::markdown(&clean(raw, longest))
}

#[cfg(test)]
mod tests;
