//! The full report of a run.
//!
//! Failures come before any number. A figure that is not trusted is marked, and the reason is given below the table, once for all
//! apps that it applies to.

use analyze::analysis;
use analyze::disturbance::disturbance;
use model::escape::NAME;
use model::scenario::LoadModel;
use model::{AppRecord, DEFAULT_VARIANT, Environment, Metric, Record, Role, Stopped, Verdict};

use super::document::Medium::{Markdown, Terminal};
use super::document::{Block, Cell, Mark, NONE, Rows, Text, joined, listed, name, own, sentence, text};
use super::publish::Published;
use super::terminal::Style;
use super::view::{AppFailure, Note, Row};
use super::{chart, conclusion, costs, document, figure, instructions, labels, matrix, middleware_cost, overview};
use super::{rank_reversals, run_conditions, scaling, view};

/// Characters of a hash that are shown: enough to find it by.
const HASH: usize = 12;

/// In place of a p99 of so few requests that it says nothing.
pub const TOO_FEW_FOR_P99: &str = "too few requests for p99";

/// The report in Markdown. `charts` is the folder of [`super::charts`], as it is to appear in links; without it there are no pictures.
pub fn markdown(record: &Record, charts: Option<&str>) -> String {
    document::markdown(&report(record, charts, None))
}

/// The same for a record that is published elsewhere, with one picture, the overview.
pub fn summary(record: &Record, charts: &str, published: &Published) -> String {
    document::markdown(&report(record, Some(charts), Some(published)))
}

/// The report for a terminal.
pub fn terminal(record: &Record, style: Style) -> String {
    super::terminal::terminal(&report(record, None, None), style)
}

fn report(record: &Record, charts: Option<&str>, published: Option<&Published>) -> Vec<Block> {
    let tables = view::tables(record);
    let has_load = !record.measures_costs();
    let picture = |file: &str, alt: Text| {
        let is_there = has_load && (published.is_none() || file == chart::OVERVIEW);
        let folder = charts.filter(|_| is_there)?.trim_end_matches('/');
        Some(Block::Image(format!("{folder}/{file}.svg"), alt))
    };
    let mut blocks = head(record, published);
    let failures = view::failures(record, &tables.iter().collect::<Vec<_>>());
    let failures = failures.iter().map(|failure| failure_line(failure).bad());
    blocks.extend(Block::section(2, "Failed", Block::list(failures)));
    blocks.extend(Block::section(2, "About these servers", Block::list(notes(record))));
    blocks.extend(picture(chart::OVERVIEW, chart::OVERVIEW_ALT.into()));
    blocks.push(Block::Only(Markdown, overview::section(record, &tables)));
    let sections = tables.iter().map(|table| {
        let picture = picture(&chart::name(table), chart::scenario_alt(table).into());
        (table.scenario.varies.is_some(), scenario(table, picture))
    });
    let (varied, plain): (Vec<_>, Vec<_>) = sections.partition(|(varied, _)| *varied);
    blocks.extend(plain.into_iter().flat_map(|(_, section)| section));
    blocks.extend(matrix::sections(record, &tables).into_iter().flatten());
    blocks.extend(scaling::sections(record));
    let reversals = rank_reversals::rank_reversals(record, &tables).into_iter();
    let reversals = Block::list(reversals.map(Text::from));
    blocks.extend(Block::section(2, "At a rate that is common to all", reversals));
    if !varied.is_empty() {
        let varied = varied.into_iter().flat_map(|(_, section)| section);
        blocks.push(Block::Details("Each variation by itself".into(), varied.collect()));
    }
    blocks.push(Block::Only(Markdown, middleware_cost::section(record)));
    blocks.extend(instructions::section(record, &tables));
    blocks.extend(costs::section(record));
    if has_load {
        let idle = run_conditions::idle(record).map(Block::paragraph);
        blocks.push(Block::Only(Terminal, idle.into_iter().collect()));
        let sessions = tables
            .iter()
            .map(|table| (&*table.scenario.id, conclusion::sessions(table)));
        blocks.extend(how_to_read(conclusion::covered(sessions)));
    }
    blocks.push(Block::Only(Markdown, vec![provenance(record)]));
    blocks
}

/// What a reader should know besides the figures of some apps.
pub fn notes(record: &Record) -> impl Iterator<Item = Text> {
    let apps = view::apps(record)
        .into_iter()
        .filter(|app| app.variant == DEFAULT_VARIANT);
    let noted = apps.filter_map(|app| Some((app, app.note.as_ref()?)));
    noted.map(|(app, note)| text![Text::from(view::label(app)).bold(), ": ", with_source(note)])
}

/// A note, whose address in parentheses is a link where there are links.
fn with_source(note: &str) -> Text {
    let parts = note
        .split_once(" (https://")
        .and_then(|(claim, rest)| Some((claim, rest.split_once(')')?)));
    let Some((claim, (address, rest))) = parts else {
        return sentence(note);
    };
    let address = format!("https://{address}");
    let link = own("source").link(&address).only(Markdown);
    text![
        sentence(claim),
        " (",
        link,
        sentence(&address).only(Terminal),
        ")",
        sentence(rest)
    ]
}

fn how_to_read(covered: String) -> [Block; 2] {
    let text = text![
        "\"÷ reference\" is the ratio to the reference, a frozen server that runs in every round, with its 95 % interval, ",
        covered,
        ". It is paired within the rounds, so it says more than the figure itself, which belongs to this machine. A rank is the range of \
         places that these intervals allow: `2–5` means anything from second to fifth. Rows are in the order of the estimate. \
         \"Busy\" is the share of its cpus that the server used, \"in flight\" the requests under way on average: CPU time per request is \
         a fair comparison where these are alike. A figure ",
        own("like this").trusted(false),
        " is not valid: the reason is below the table, and it is not ranked. In a closed loop, p50 says how long the queue was.",
    ];
    [Block::Heading(2, "How to read this".into()), Block::Paragraph(text)]
}

fn head(record: &Record, published: Option<&Published>) -> Vec<Block> {
    let partial = labels::partial(record);
    let kind = partial.as_ref().map(|_| " (partial)");
    let date = record.started_at.strftime("%Y-%m-%d").to_string();
    let title = text![name(&record.profile), kind, " on ", record.lane.name(), ", ", date];
    let mut blocks = vec![Block::Heading(1, title)];
    blocks.extend(partial.map(|why| Block::Paragraph(text!["A partial run: ", why, "."])));
    blocks.push(Block::List(
        published.map(source).into_iter().chain(facts(record)).collect(),
    ));
    let warnings = record.environment.warnings.iter().cloned();
    let disturbed = disturbance(record).map(|found| found.what);
    let warnings = warnings.chain(disturbed).chain(analysis::unsteady(record));
    let warnings = Block::list(warnings.map(|warning| sentence(&warning)));
    blocks.extend(Block::section(2, "Warnings about this machine", warnings));
    blocks
}

/// Where every trial is.
pub fn source(published: &Published) -> Text {
    let record = own("The record with every trial").link(&published.url);
    text![record, ", SHA-256 ", own(published.sha256.clone()).code()]
}

/// Rounds beyond the plan. With a time budget they are expected.
fn more_rounds(record: &Record) -> String {
    let made = record.trials.iter().map(|trial| trial.round).max().unwrap_or(0);
    match made.checked_sub(record.harness.rounds) {
        Some(more @ 1..) if record.harness.stopped == Stopped::RoundsDone => {
            format!(", and {more} more because the machine had disturbed too many trials")
        }
        Some(more @ 1..) => format!(", after {more} more"),
        _ => String::new(),
    }
}

fn facts(record: &Record) -> Vec<Text> {
    let (harness, machine) = (&record.harness, &record.environment);
    let start = record.started_at.strftime("%Y-%m-%d %H:%M");
    let end = record.finished_at.strftime("%Y-%m-%d %H:%M UTC");
    let load = match machine.load_machines.len() {
        0 => format!("load generator on cpu {}", cpus(&machine.generator_cpus)),
        many => format!("load from {}", labels::count(many, "other machine")),
    };
    let (memory, servers) = (figure::gibibytes(machine.memory_bytes), cpus(&machine.server_cpus));
    let parts = format!(", {memory}; servers on cpu {servers}, {load}");
    let generator = if record.measures_costs() {
        "; "
    } else {
        "; load generator: "
    };
    let rounds = format!(
        "Rounds: {}, {}{}; order of the trials shuffled with seed {}",
        labels::count(harness.rounds as usize, "round"),
        labels::stopped(harness.stopped),
        more_rounds(record),
        record.seed
    );
    // Without a load there are no rounds, and `costs` gives the number of builds.
    let rounds = Some(rounds).filter(|_| !record.measures_costs());
    vec![
        text!["Run ", name(&record.id).code(), format!(", {start} to {end}")],
        text!["Machine: ", self::machine(machine), parts],
        text!["Compiler: ", cpu(&machine.rustc), generator, labels::driven_by(record)],
        rounds.into(),
    ]
}

/// The model and number of the cpus.
pub fn machine(machine: &Environment) -> Text {
    let cpus = labels::count(machine.logical_cpus as usize, "logical cpu");
    text![cpu(&machine.cpu_model), ", ", cpus]
}

/// The model of a cpu or a compiler, which may be as long as two names.
pub fn cpu(model: &str) -> Text {
    model::escape::clean(model, 2 * NAME).into()
}

fn cpus(cpus: &[u32]) -> String {
    let cpus: Vec<String> = cpus.iter().map(u32::to_string).collect();
    Some(cpus.join(", "))
        .filter(|cpus| !cpus.is_empty())
        .unwrap_or("any".into())
}

/// `**axum**: crashed in plaintext, simple: the server died`
pub fn failure_line(failure: &AppFailure) -> Text {
    let place = match failure.scenarios.as_slice() {
        [] => "every scenario".into(),
        some => joined(some.iter().map(|id| name(id).code()), ", "),
    };
    let verdict = failure.verdict.name();
    let label = Text::from(failure.label.clone()).bold();
    text![label, ": ", verdict, " in ", place, reasons(failure)]
}

/// `: the server died; …`; empty without reasons.
pub fn reasons(failure: &AppFailure) -> Text {
    let reasons = joined(failure.reasons.iter().cloned(), "; ");
    let colon = (!reasons.is_empty()).then_some(": ");
    text![colon, reasons]
}

fn scenario(table: &view::Table, picture: Option<Block>) -> Vec<Block> {
    let scenario = table.scenario;
    let request = Text::from(labels::request(scenario)).code();
    let load = text![request, " ", labels::load(scenario)];
    let mut blocks = vec![
        Block::Heading(2, text![name(&scenario.id), ": ", cpu(&scenario.title)]),
        Block::Paragraph(load),
    ];
    blocks.extend(picture);
    if table.rows().next().is_some() {
        blocks.push(grid(table));
    }
    let found = conclusion::conclusion(table).map(Text::from);
    let notes = view::notes(table).into_iter().map(|one| note(one).only(Markdown));
    let caveats = view::caveats(table, &view::SHOWN).into_iter();
    let notes = notes.chain(caveats.map(|one| note(one).only(Terminal)));
    let too_few = matches!(scenario.load, LoadModel::Open { .. }) && !scenario.has_p99();
    let too_few = too_few.then_some(TOO_FEW_FOR_P99.into());
    blocks.extend(Block::list(
        found.into_iter().chain(notes).chain(no_figures(table)).chain(too_few),
    ));
    blocks
}

fn grid(table: &view::Table) -> Block {
    let load = table.scenario.load;
    let (first, second) = (view::leading(load), view::second(load));
    let has_database = table
        .rows()
        .any(|row| row.metric(Metric::DatabaseCpuUsPerRequest).is_some());
    let title = |metric: Metric| {
        let (name, unit) = match metric {
            Metric::ServerCpuUsPerRequest if has_database => ("CPU", "µs/req + DB"),
            Metric::ServerCpuUsPerRequest => ("CPU", "µs/req"),
            other => (other.name(), other.unit()),
        };
        Cell::new(text![name, " ÷ reference"], unit)
    };
    let of_latency = (second == Metric::LatencyP50Ms).then_some("p50, ");
    let unit = Cell::new(text![of_latency, second.unit()], "±");
    let group = |row: &&Row| labels::group(row.app.role, row.app.tier);
    let rows = Rows::of(table.rows())
        .figures("Rank", |row| rank(row, first))
        .words("App", |row| app(row.app))
        .words(title(first), |row| ratio(row, first))
        .figures("Rank", |row| rank(row, second))
        .spare()
        .words(title(second), |row| ratio(row, second))
        .only(Markdown)
        .figures(unit, |row| Cell::new(figure(row, second), spread(row, second)))
        .only(Terminal)
        .spare()
        .figures("Busy", |row| row.server_share.map(|share| figure::percent(share, 0)))
        .spare()
        .figures("In flight", |row| row.in_flight.map(figure::significant))
        .spare()
        .figures("p50, ms", |row| figure(row, Metric::LatencyP50Ms))
        .only(Markdown)
        .figures("p99, ms", |row| {
            figure(row, Metric::LatencyP99Ms).filter(|_| table.scenario.has_p99())
        })
        .figures("Peak, MiB", |row| figure(row, Metric::RssPeakBytes))
        .figures("Start-up, ms", |row| figure(row, Metric::StartupMs))
        .only(Markdown)
        .figures("Rounds", |row| {
            row.rounds().or(Some(row.metric(first)?.trials.to_string()))
        })
        .only(Markdown)
        .words("", |row| row.rounds())
        .only(Terminal)
        .words("Verdict", |row| row.cell.verdict.name())
        .only(Markdown);
    let begin = table.rows().next().map_or("", |row| group(&row));
    rows.groups(begin, group).table()
}

/// The rank, bold for an app that may be first.
fn rank(row: &Row, metric: Metric) -> Option<Text> {
    let rank = row.rank(metric)?;
    Some(own(rank.to_string()).marked_if(rank.best == 1, Mark::Bold))
}

/// An app with its version and its standing below it.
pub fn app(app: &AppRecord) -> Cell {
    let label = view::label(app);
    let standing = labels::standing(app.role, app.tier).filter(|standing| *standing != label);
    let below = [name(&app.framework_version), standing.into()];
    let below = joined(below.into_iter().filter(|part| !part.is_empty()), ", ");
    Cell::new(
        Text::from(label).marked_if(app.role != Role::Framework, Mark::Italic),
        below,
    )
}

fn figure(row: &Row, metric: Metric) -> Option<Text> {
    let summary = row.metric(metric)?;
    Some(own(figure::number(metric, summary.median)).trusted(summary.trusted))
}

fn spread(row: &Row, metric: Metric) -> Option<String> {
    let summary = row.metric(metric).filter(|summary| summary.trusted)?;
    Some(figure::spread(summary.median, summary.interval))
}

/// The ratio to the reference with its interval, and below it the figure itself; with CPU time also what the database took.
fn ratio(row: &Row, metric: Metric) -> Cell {
    let Some(summary) = row.metric(metric) else {
        return NONE.into();
    };
    let mut number = figure::number(metric, summary.median);
    let database = Metric::DatabaseCpuUsPerRequest;
    if let Some(other) = row.metric(database).filter(|_| metric == Metric::ServerCpuUsPerRequest) {
        number = format!("{number}\u{a0}+\u{a0}{}", figure::number(database, other.median));
    }
    let number = own(number).trusted(summary.trusted);
    match (row.ratio(metric), &summary.ratio) {
        (Some(ratio), _) => {
            let ratio = figure::ratio_and_interval(&ratio).replace(' ', "\u{a0}");
            Cell::new(own(ratio), number)
        }
        (None, Some(ratio)) => {
            let is_disturbed = row.cell.verdict == Verdict::EnvironmentFailed && row.app.role != Role::Reference;
            let interval = is_disturbed.then(|| figure::ratio_and_interval(ratio).replace(' ', "\u{a0}"));
            let ratio = interval.unwrap_or_else(|| figure::ratio(ratio.estimate));
            Cell::new(own(ratio).trusted(false), number)
        }
        (None, None) => Cell::new(NONE, number),
    }
}

fn note(note: Note) -> Text {
    let metrics = note.metrics.iter().map(|metric| labels::lower_first(metric.name()));
    let metrics = listed(metrics);
    let of = if metrics.is_empty() { "" } else { " of " };
    text![note.verdict.name(), ": ", metrics, of, note.who, ": ", note.reason]
}

fn no_figures(table: &view::Table) -> Option<Text> {
    let named = table.missing.iter().map(|missing| {
        let reason = missing.reasons.first().filter(|_| missing.not_offered).cloned();
        let reason = reason.map(|reason| text![": ", reason].only(Markdown));
        text![view::label(missing.app), " (", missing.word(), reason, ")"]
    });
    let named = joined(named, ", ");
    (!named.is_empty()).then(|| text!["No figures: ", named])
}

fn provenance(record: &Record) -> Block {
    let seconds = |seconds| format!("{} s", figure::significant(seconds));
    let apps = Rows::of(view::apps(record))
        .words("App", |app| Text::from(view::label(app)).link(&app.link))
        .words("Crate", |app| name(&app.framework))
        .words("Version", |app| name(&app.framework_version))
        .words("Sources", |app| hash(&app.source_hash))
        .words("Dependencies", |app| hash(&app.lockfile_hash))
        .figures("Program", |app| app.binary_bytes.map(figure::mebibytes))
        .figures("Build", |app| app.build_seconds.map(seconds));
    Block::Details("Provenance".into(), vec![Block::List(origin(record)), apps.table()])
}

fn origin(record: &Record) -> Vec<Text> {
    let (harness, machine) = (&record.harness, &record.environment);
    let known = |value: &Option<String>| value.as_deref().map_or("unknown".into(), name);
    let commit = harness.commit.as_deref().map(|commit| text!["commit ", hash(commit)]);
    let commit = commit.unwrap_or("an unknown commit".into());
    let dirty = (harness.dirty == Some(true)).then_some(" with uncommitted changes");
    let built = text![
        ", apps built by the cargo profile ",
        name(&harness.cargo_profile).code()
    ];
    let system = text![name(&machine.os), ", kernel ", name(&machine.kernel)];
    let turbo = machine.turbo.map_or("unknown", |on| if on { "on" } else { "off" });
    let clock = text!["Governor ", known(&machine.governor), ", turbo ", turbo];
    let stolen = format!(
        "Cpu time stolen by the hypervisor {}, load average at the start {:.2}",
        figure::percent(machine.steal_share, 1),
        machine.load_average
    );
    let lines = [
        text!["Harness ", name(&harness.version), " at ", commit, dirty, built],
        text![system, ", runner image ", known(&machine.runner_image)],
        text![clock, ", virtualisation ", known(&machine.virtualisation)],
        stolen.into(),
    ];
    let conditions = run_conditions::environment(record).into_iter();
    let conditions = conditions.chain(run_conditions::idle(record)).map(Text::from);
    lines.into_iter().chain(conditions).collect()
}

fn hash(hash: &str) -> Text {
    let start: String = model::escape::clean(hash, NAME).chars().take(HASH).collect();
    Text::from(start).code()
}

#[cfg(test)]
mod tests;
