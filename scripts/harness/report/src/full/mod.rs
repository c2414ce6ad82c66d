//! The full report of a run.
//!
//! Failures come before any number. A figure that is not trusted is marked, and the reason is given below the table, once for all
//! apps that it applies to.

use analyze::caveats;
use model::{AppRecord, DEFAULT_VARIANT, Record, Stopped};

use super::document::Medium::{Markdown, Terminal};
use super::document::{Block, Rows, Text, name, own, sentence, start_of, text};
use super::publish::Published;
use super::table::findings;
use super::terminal::{Style, terminal};
use super::{chart, conditions, costs, document, figure, instructions, labels, matrix, rank_reversals, scaling, table};

/// Characters of a hash that are shown: enough to find it by.
const HASH: usize = 12;

/// The report in Markdown. `charts` is the folder of [`super::charts`], as it is to appear in links; without it there are no pictures.
pub fn full_markdown(record: &Record, charts: Option<&str>) -> String {
    document::markdown(&report(record, charts, None))
}

/// The same for a record that is published elsewhere, with one picture, the overview.
pub fn published_markdown(record: &Record, charts: &str, published: &Published) -> String {
    document::markdown(&report(record, Some(charts), Some(published)))
}

/// The report for a terminal.
pub fn full_terminal(record: &Record, style: Style) -> String {
    terminal(&report(record, None, None), style)
}

fn report(record: &Record, charts: Option<&str>, published: Option<&Published>) -> Vec<Block> {
    let tables = table::tables(record);
    let has_load = !record.measures_costs();
    let picture = |file: &str, alt: Text| {
        let is_there = has_load && (published.is_none() || file == chart::OVERVIEW);
        let folder = charts.filter(|_| is_there)?.trim_end_matches('/');
        Some(Block::Image(format!("{folder}/{file}.svg"), alt))
    };
    let mut blocks = head(record, published);
    let failures = table::failures(record, &tables);
    let failures = failures.iter().map(|failure| failure.line().bad());
    blocks.extend(Block::section(2, "Failed", Block::list(failures)));
    blocks.extend(Block::section(2, "About these servers", Block::list(notes(record))));
    blocks.extend(picture(chart::OVERVIEW, chart::OVERVIEW_ALT.into()));
    blocks.push(Block::Only(Markdown, table::all_scenarios(record, &tables)));
    let sections = tables.iter().map(|table| {
        let picture = picture(&chart::name(table), chart::scenario_alt(table).into());
        (table.scenario.varies.is_some(), table::section(table, picture))
    });
    let (varied, plain): (Vec<_>, Vec<_>) = sections.partition(|(varied, _)| *varied);
    blocks.extend(plain.into_iter().flat_map(|(_, section)| section));
    blocks.extend(matrix::sections(record, &tables).into_iter().flatten());
    blocks.extend(scaling::sections(record));
    let reversals = Block::list(rank_reversals::rank_reversals(record, &tables));
    blocks.extend(Block::section(2, "At a rate that is common to all", reversals));
    let varied = varied.into_iter().flat_map(|(_, section)| section);
    blocks.extend(Block::folded([("Each variation by itself", varied.collect())]));
    blocks.extend(instructions::section(record, &tables));
    blocks.extend(costs::section(record));
    if has_load {
        let idle = conditions::idle(record).map(Block::paragraph);
        blocks.push(Block::Only(Terminal, idle.into_iter().collect()));
        let sessions = tables
            .iter()
            .map(|table| (&*table.scenario.id, findings::sessions(table)));
        blocks.push(Block::Only(Markdown, how_to_read(findings::covered(sessions))));
    }
    blocks.push(Block::Only(Markdown, vec![provenance(record)]));
    blocks
}

/// What a reader should know besides the figures of some apps.
pub fn notes(record: &Record) -> impl Iterator<Item = Text> {
    let apps = table::apps(record).into_iter();
    apps.filter(|app| app.variant == DEFAULT_VARIANT).filter_map(note)
}

/// What a reader should know of one app.
pub fn note(app: &AppRecord) -> Option<Text> {
    let note = with_source(app.note.as_ref()?);
    Some(text![Text::from(table::label(app)).bold(), ": ", note])
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
    let address = sentence(&address).only(Terminal);
    text![sentence(claim), " (", link, address, ")", sentence(rest)]
}

fn how_to_read(covered: String) -> Vec<Block> {
    let text = text![
        "\"÷ reference\" is the ratio to the reference, a frozen server that runs in every round, with its 95 % interval, which covers ",
        covered,
        ". It is paired within the rounds, so it says more than the figure itself, which belongs to this machine. A rank is the range of \
         places that these intervals allow: `2–5` means anything from second to fifth. Rows are in the order of the estimate. \
         \"Busy\" is the share of its cpus that the server used, \"in flight\" the requests under way on average: CPU time per request is \
         a fair comparison where these are alike. A figure ",
        own("like this").trusted(false),
        " is not valid: the reason is below the table, and it is not ranked. In a closed loop, p50 says how long the queue was.",
    ];
    vec![Block::Heading(2, "How to read this".into()), Block::Paragraph(text)]
}

fn head(record: &Record, published: Option<&Published>) -> Vec<Block> {
    let partial = caveats::partial(record);
    let kind = partial.as_ref().map(|_| " (partial)");
    let day = labels::day(record.started_at);
    let title = text![name(&record.profile), kind, " on ", record.lane.name(), ", ", own(day)];
    let mut blocks = vec![Block::Heading(1, title)];
    blocks.extend(partial.map(|why| Block::Paragraph(text![labels::upper_first(&why.to_string()), "."])));
    blocks.push(Block::List(
        published.map(source).into_iter().chain(facts(record)).collect(),
    ));
    let warnings = Block::list(caveats::of_machine(record).iter().map(labels::caveat));
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
    let made = labels::rounds_made(record).unwrap_or(0);
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
    let load = match machine.load_machines.len() {
        0 => format!("load generator on cpu {}", cpus(&machine.generator_cpus)),
        many => format!("load from {}", labels::count(many, "other machine")),
    };
    let (memory, servers) = (figure::gibibytes(machine.memory_bytes), cpus(&machine.server_cpus));
    let parts = format!(", {memory}; servers on cpu {servers}, {load}");
    let costs = record.measures_costs();
    let generator = if costs { "; " } else { "; load generator: " };
    let rustc = labels::cpu(&machine.rustc);
    let rounds = labels::count(harness.rounds as usize, "round");
    let (stopped, more, seed) = (labels::stopped(harness.stopped), more_rounds(record), record.seed);
    let rounds = format!("Rounds: {rounds}, {stopped}{more}; order of the trials shuffled with seed {seed}");
    // Without a load there are no rounds, and `costs` gives the number of builds.
    let rounds = Some(rounds).filter(|_| !costs);
    vec![
        text!["Run ", name(&record.id).code(), ", ", own(labels::time(record))],
        text!["Machine: ", labels::machine(machine), parts],
        text!["Compiler: ", rustc, generator, labels::driven_by(record)],
        rounds.into(),
    ]
}

fn cpus(cpus: &[u32]) -> String {
    let cpus: Vec<String> = cpus.iter().map(u32::to_string).collect();
    if cpus.is_empty() { "any".into() } else { cpus.join(", ") }
}

fn provenance(record: &Record) -> Block {
    let apps = Rows::of(table::apps(record))
        .words("App", |app| Text::from(table::label(app)).link(&app.link))
        .words("Crate", |app| name(&app.framework))
        .words("Version", |app| labels::version(&app.framework_version))
        .words("Sources", |app| start_of(&app.source_hash, HASH))
        .words("Dependencies", |app| start_of(&app.lockfile_hash, HASH))
        .figures("Program", |app| app.binary_bytes.map(figure::mebibytes));
    Block::Details("Provenance".into(), vec![Block::List(origin(record)), apps.table()])
}

fn origin(record: &Record) -> Vec<Text> {
    let (harness, machine) = (&record.harness, &record.environment);
    let known = |value: &Option<String>| value.as_deref().map_or("unknown".into(), name);
    let commit = match &harness.commit {
        Some(commit) => text!["commit ", start_of(commit, HASH)],
        None => "an unknown commit".into(),
    };
    let dirty = (harness.dirty == Some(true)).then_some(" with uncommitted changes");
    let profile = name(&harness.cargo_profile).code();
    let built = text![", apps built by the cargo profile ", profile];
    let system = text![name(&machine.os), ", kernel ", name(&machine.kernel)];
    let turbo = machine.turbo.map_or("unknown", |on| if on { "on" } else { "off" });
    let clock = text!["Governor ", known(&machine.governor), ", turbo ", turbo];
    let (stolen, load) = (figure::percent(machine.steal_share, 1), machine.load_average);
    let stolen = format!("Cpu time stolen by the hypervisor {stolen}, load average at the start {load:.2}");
    let lines = [
        text!["Harness ", name(&harness.version), " at ", commit, dirty, built],
        text![system, ", runner image ", known(&machine.runner_image)],
        text![clock, ", virtualisation ", known(&machine.virtualisation)],
        stolen.into(),
    ];
    let conditions = conditions::environment(record).into_iter();
    let conditions = conditions.chain(conditions::idle(record)).map(Text::from);
    lines.into_iter().chain(conditions).collect()
}

#[cfg(test)]
mod tests;
