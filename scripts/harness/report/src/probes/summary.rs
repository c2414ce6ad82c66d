//! The result of a probe as Markdown: servers by groups of cases, and every fault once.

use std::collections::BTreeSet;

use analyze::probes::{
    Fault, KeptMemory, ProbeChange, ProbeStory, Subject, Tally, faults, figures_of, judged, kept_memory, subjects,
};
use model::probe::{Group, MemoryAt, ProbeCase, ProbeFigure, ProbeOutcome};
use model::{Record, count, label};

use crate::chart::{MEMORY_ALT, memory_chart};
use crate::document::{Block, Rows, Text, joined, markdown, name, own, sentence, table_of, text};
use crate::figure::{in_mebibytes, percent};
use crate::history::causes;
use crate::labels::{self, day, version};

/// Most changes that are listed.
const MOST_CHANGES: usize = 50;

const ABOUT: &str = "Each cell is the number of failed cases and of cases. Rows are in the order of failed MUST cases. \
    *of its engine* counts failures that the engine without a framework has too.";

const OF_MEMORY: &str = "Resident memory in MiB: before, with all connections and when they were gone for a while, each time that they came. \
    *Given back* is a share of what the last of them had added.";

/// The chart of what memory servers keep, where probes have seen that.
pub fn chart(probes: &Record) -> Option<String> {
    let kept = kept_memory([probes]);
    (!kept.is_empty()).then(|| memory_chart(&kept))
}

/// Everything that a record says of cases, with its chart in a file, where there is one.
pub fn probes_markdown(probes: &Record, chart: Option<&str>) -> String {
    let title = Block::Heading(1, "What breaks".into());
    let mut blocks = vec![title, Block::Paragraph(introduction(probes))];
    if !subjects(probes).is_empty() {
        blocks.extend([matrix(probes), Block::paragraph(ABOUT)]);
    }
    let measured = probes.cases.iter().filter_map(|case| figures(probes, case)).collect();
    blocks.extend(Block::section(2, "Figures", measured));
    blocks.extend(memory(&kept_memory([probes]), chart));
    let faults = faults(probes);
    blocks.extend(Block::sections(Group::ALL.iter().map(|&group| {
        let lines = faults.iter().filter(|fault| fault.case.group == group).map(fault_line);
        (group.title(), Block::list(lines))
    })));
    blocks.extend(super::clients::section(probes));
    let flaky = probes.probed.iter().filter(|one| one.outcome == ProbeOutcome::Flaky);
    let flaky = flaky.filter(|one| judged(probes).any(|case| case.id == one.case));
    let flaky = flaky.map(|one| text![app(&one.app, &one.variant), " in ", name(&one.case)]);
    let flaky = joined(flaky, "; ");
    let flaky = (!flaky.is_empty()).then(|| text!["Now one thing, now another, and no fault: ", flaky, "."]);
    let flaky = flaky.map(Block::Paragraph).into_iter().collect();
    blocks.extend(Block::section(2, "Not certain", flaky));
    markdown(&blocks)
}

fn app(id: &str, variant: &str) -> Text {
    name(&label(id, variant))
}

fn introduction(probes: &Record) -> Text {
    let machine = &probes.environment;
    let tools = machine.tools.iter();
    let tools = tools.map(|(tool, version)| text![", ", name(tool), " ", name(version)]);
    let tools = joined(tools, "");
    let (cases, servers) = (count(probes.cases.len(), "case"), count(probes.apps.len(), "server"));
    let made = format!("{cases} on {servers}, probed on {} (", day(probes.started_at));
    text![
        own(made),
        labels::machine(machine),
        tools,
        "). A failure happened on three fresh servers. `./scripts/bench probe --app APP --case CASE` shows the bytes of both sides. \
         What a case demands has its source; what the server was set up to do is in its folder below `apps/`.",
    ]
}

fn matrix(probes: &Record) -> Block {
    let mut rows = subjects(probes);
    rows.sort_by_key(|subject| (subject.app.not_probed.is_some(), subject.tally(None).must));
    let server = |subject: &Subject| {
        let server = subject.app;
        let version = version(&server.framework_version);
        text![app(&server.name, &server.variant), " ", version]
    };
    let if_probed = |subject: &Subject, cell: Option<String>| match &subject.app.not_probed {
        Some(_) => Text::from(" "),
        None => cell.into(),
    };
    let must = |subject: &Subject| {
        if let Some(reason) = &subject.app.not_probed {
            return sentence(reason);
        }
        let (failed, of) = subject.must(|_| true);
        text![own(failed.to_string()).bold(), own(format!(" of {of}"))]
    };
    let is_used = |group: &Group| *group != Group::Clients && probes.cases.iter().any(|case| case.group == *group);
    let mut table = Rows::of(rows).words("Server", server).figures("MUST", must);
    for group in Group::ALL.iter().copied().filter(is_used) {
        table = table.figures(group.title(), |subject| {
            let tally = subject.tally(Some(group));
            let failed = format!("{} of {}", tally.failed, tally.made);
            if_probed(subject, (tally.made > 0).then_some(failed))
        });
    }
    let all = |subject: &Subject, of: fn(&Tally) -> u32| if_probed(subject, Some(of(&subject.tally(None)).to_string()));
    table
        .figures("of its engine", |subject| all(subject, |tally| tally.of_engine))
        .figures("smuggling", |subject| all(subject, |tally| tally.smuggles))
        .table()
}

/// Figures of a case that measures something.
fn figures(probes: &Record, case: &ProbeCase) -> Option<Block> {
    let results = probes.probed.iter().filter(|one| one.case == case.id);
    let results = results.map(|one| (one, figures_of(one)));
    let results: Vec<_> = results.filter(|(_, figures)| !figures.is_empty()).collect();
    let kinds = results.iter().flat_map(|(_, figures)| figures.keys().copied());
    let kinds: BTreeSet<ProbeFigure> = kinds.collect();
    if kinds.is_empty() {
        return None;
    }
    let mut table = Rows::of(results)
        .words("Server", |(one, _)| app(&one.app, &one.variant))
        .words("protocol", |(one, _)| one.protocol.id());
    for kind in kinds {
        table = table.figures(kind.title(), |(_, figures)| Some(own(number(*figures.get(&kind)?))));
    }
    Some(Block::Details(sentence(&case.title), vec![table.table()]))
}

/// What servers keep of connections that came and left several times.
fn memory(servers: &[KeptMemory], chart: Option<&str>) -> Vec<Block> {
    if servers.is_empty() {
        return Vec::new();
    }
    let mib = |look: &MemoryAt| own(in_mebibytes(look.bytes));
    let mut table = Rows::of(servers)
        .words("Server", |server| app(&server.app, &server.variant))
        .figures("before", |server| server.looks.first().map(mib));
    for wave in 0..servers.iter().map(|server| server.waves.len()).max().unwrap_or(0) {
        table = table
            .figures("with", |server| server.waves.get(wave).map(|[with, _]| mib(with)))
            .figures("after", |server| server.waves.get(wave).map(|[_, after]| mib(after)));
    }
    let table = table.figures("given back", |server| percent(server.given_back, 0));
    let image = chart.map(|path| Block::Image(path.to_owned(), MEMORY_ALT.into()));
    let mut blocks = vec![Block::paragraph(OF_MEMORY)];
    blocks.extend(image);
    blocks.push(table.table());
    Block::section(2, "Does it give memory back?", blocks)
}

/// Three digits, which is more than these repeat by.
fn number(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

fn fault_line(fault: &Fault<'_>) -> Text {
    let case = fault.case;
    let (first, others) = fault.apps.split_first().expect("a fault has a server");
    let others = joined(others.iter().map(|app| name(app)), ", ");
    let sharing = (!others.is_empty()).then(|| text![" and, on it, ", others]);
    let smuggles = case.smuggles.then_some(", can smuggle");
    let kind = text![" (", case.level.word(), smuggles, "), ", fault.probed.protocol.id()];
    let [got, demand, source] = [&fault.probed.got, &case.demand, &case.source].map(|text| sentence(text));
    let title = text![name(&case.id).bold(), kind, ": ", name(first), sharing];
    text![title, ": ", got, ". ", demand, " (", source, ")"]
}

/// Which cases began or ceased to fail.
pub fn changes(story: &ProbeStory) -> String {
    let heading = format!("What breaks, over {}", count(story.runs.len(), "probe"));
    if story.changes.is_empty() {
        return format!("{heading}: nothing began or ceased to fail.\n");
    }
    let what = |change: &ProbeChange| {
        let got = change.fails.then(|| text!["fails now: ", sentence(&change.got)]);
        got.unwrap_or("passes now".into())
    };
    let case = |change: &ProbeChange| text![name(&change.case), " (", change.level.word(), ")"];
    let columns = |rows: Rows<_>| {
        rows.words("since", |change: &&ProbeChange| day(change.started_at))
            .words("app", |change| app(&change.app, &change.variant))
            .words("case", |change| case(change))
            .words("protocol", |change| change.protocol.id())
            .words("what", |change| what(change))
            .words("what else was different", |change| causes(&change.causes))
    };
    let others = |more| format!("{more} older ones are left out.");
    let mut blocks = vec![Block::Paragraph(text![heading, ":"])];
    blocks.extend(table_of(MOST_CHANGES, &story.changes, columns, others));
    markdown(&blocks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use analyze::history::NoLockfiles;
    use analyze::probes::story;

    #[test]
    fn a_probe_as_markdown() {
        insta::assert_snapshot!(probes_markdown(&samples::probes(), Some("charts/memory.svg")));
    }

    #[test]
    fn changes_of_probes() {
        let first = samples::probes();
        let mut second = first.clone();
        second.started_at = "2026-11-28T11:00:00Z".parse().unwrap();
        second.id = "20261128T110000Z-1".into();
        for one in &mut second.probed {
            one.outcome = match one.outcome {
                ProbeOutcome::Passed => ProbeOutcome::Failed,
                ProbeOutcome::Failed => ProbeOutcome::Passed,
                other => other,
            };
        }
        assert!(changes(&story(std::slice::from_ref(&first), &NoLockfiles)).contains("nothing began"));
        insta::assert_snapshot!(changes(&story(&[first, second], &NoLockfiles)));
    }
}
