//! The results block of README.md: one picture, what the run proves, one table, and how to read them.

use std::collections::BTreeMap;

use crate::report::chart;
use crate::report::conclusion;
use crate::report::figure;
use crate::report::markdown::reasons;
use crate::report::surroundings;
use crate::report::table;
use crate::report::view;
use crate::report::view::{Subject, Table};
use crate::report::words;
use judge::{analysis, probes};
use record::escape;
use record::escape::{NAME, clean, markdown_name as text};
use record::probe::{Level, Probes};
use record::{Metric, Record, Role, Tier, Verdict};

/// What the table is about.
const METRIC: Metric = Metric::ServerCpuUsPerRequest;
/// What stands beside it where there is a database.
const DATABASE: Metric = Metric::DatabaseCpuUsPerRequest;

/// What breaks, for a column beside the ranking.
#[derive(Debug, Clone, Copy)]
pub struct Breaks<'a> {
    /// The newest probes.
    pub probes: &'a Probes,
    /// Path of their summary, as it is to appear in links.
    pub path: &'a str,
}

impl Breaks<'_> {
    /// MUST cases that a server fails, by its label.
    fn column(&self) -> Column {
        let probed = probes::subjects(self.probes)
            .into_iter()
            .filter(|subject| subject.app.not_probed.is_none());
        Column {
            header: format!("[Fails]({})", escape::markdown_target(self.path)),
            cells: probed
                .map(|subject| (subject.label(), subject.tally(None).must))
                .collect(),
        }
    }
}

/// A column of counts.
struct Column {
    header: String,
    cells: BTreeMap<String, u32>,
}

/// The results for README.md; the paths are as they are to appear in links.
#[must_use]
pub fn readme_block(record: &Record, chart_path: &str, record_path: &str, breaks: Option<Breaks<'_>>) -> String {
    let tables = view::tables(record);
    let picture = format!(
        "![{}]({})",
        escape::markdown(chart::OVERVIEW_ALT),
        escape::markdown_target(chart_path)
    );
    let plain = view::plain(&tables);
    let mut frameworks = view::frameworks(record, &tables);
    // Apps without any figure are listed below the table.
    frameworks.retain(|&subject| plain.iter().any(|table| table.row(subject).is_some()));
    let mut blocks = vec![
        picture,
        found(&plain),
        how_to_read(&plain, breaks),
        grid(
            record,
            &plain,
            &frameworks,
            breaks.map(|breaks| breaks.column()).as_ref(),
        ),
    ];
    blocks.extend(failed(record, &plain));
    blocks.extend(left_out(&plain));
    blocks.extend(surroundings::idle(record).map(|line| format!("<sub>{}.</sub>", escape::markdown(&line))));
    blocks.extend(analysis::unsteady(record).map(|line| format!("⚠ In this run {}.", escape::markdown(&line))));
    blocks.push(origin(record, record_path));
    blocks.join("\n\n")
}

/// What was found: overall, and a line for each scenario.
fn found(tables: &[&Table]) -> String {
    let lines = tables.iter().map(|table| {
        let scenario = table.scenario;
        let found = conclusion::conclusion(table).map(|found| found.text(view::leading(scenario.load)));
        let found = found.unwrap_or_else(|| "no ranks".to_owned());
        format!(
            "- **{}** ({}, {}): {}.",
            text(&scenario.id),
            escape::markdown(&clean(&words::lower_first(&scenario.title), 2 * NAME)),
            escape::markdown_code(&words::request(scenario)),
            escape::markdown(&found)
        )
    });
    let lines = lines.collect::<Vec<_>>().join("\n");
    match conclusion::over_all(tables) {
        Some(over_all) => format!("**{}**\n\n{lines}", escape::markdown(&over_all)),
        None => lines,
    }
}

fn how_to_read(tables: &[&Table], breaks: Option<Breaks<'_>>) -> String {
    let memory = tables.first().map_or(String::new(), |table| {
        format!(
            " Memory: of the process before any load → at most during `{}`.",
            text(&table.scenario.id)
        )
    });
    let fails = breaks.map_or(String::new(), |breaks| {
        let must = breaks.probes.cases.iter().filter(|case| case.level == Level::Must);
        format!(
            " Fails: how many of {} it fails ([what breaks]({})); it decides no rank.",
            words::count(must.count(), "mandatory case"),
            escape::markdown_target(breaks.path)
        )
    });
    let has_database = |table: &&Table| table.rows().any(|row| row.metric(DATABASE).is_some());
    let database = if tables.iter().any(has_database) {
        ", what the database took for a request, which ranks nobody"
    } else {
        ""
    };
    format!(
        "Each cell is the server's CPU time per request ÷ that of the reference, with its 95 % interval (less is better); \
         small, its rank in this session and the time itself on this machine{database}, and the requests per second where the server and \
         not the load generator was the limit. **Bold**: no framework was ahead of it. Rows are in the order of the \
         geometric mean; frameworks, engines and legacy frameworks are ranked each among themselves.{memory}{fails}"
    )
}

fn grid(record: &Record, tables: &[&Table], frameworks: &[Subject], breaks: Option<&Column>) -> String {
    let ids = tables.iter().map(|table| text(&table.scenario.id));
    let mut header = vec!["Framework".to_owned()];
    header.extend(ids);
    header.extend(["Mean".to_owned(), "Memory, MiB".to_owned()]);
    header.extend(breaks.map(|breaks| breaks.header.clone()));
    let group = |name: &str| [vec![format!("*{name}*")], vec![String::new(); header.len() - 1]].concat();
    let mut rows = Vec::new();
    let mut before = Tier::Maintained;
    for &subject in frameworks {
        if subject.tier() != before {
            before = subject.tier();
            rows.push(group(words::group(subject.role(), before)));
        }
        rows.push(row(subject, tables, breaks));
    }
    let anchors = anchors(record);
    if !anchors.is_empty() {
        rows.push(group(words::group(Role::Reference, Tier::Engine)));
    }
    rows.extend(anchors.into_iter().map(|subject| row(subject, tables, breaks)));
    table::markdown(&header, &[0], rows)
}

fn row(subject: Subject, tables: &[&Table], breaks: Option<&Column>) -> Vec<String> {
    let mean = view::mean_ratio(subject, tables, METRIC).map_or(figure::NONE.to_owned(), figure::ratio);
    let cells = tables.iter().map(|table| cell(table, subject));
    let cells = std::iter::once(name(subject)).chain(cells);
    let fails = breaks.map(|breaks| {
        let app = subject.app.map(record::AppRecord::label).unwrap_or_default();
        breaks
            .cells
            .get(&app)
            .map_or(figure::NONE.to_owned(), ToString::to_string)
    });
    cells.chain([mean, memory(tables, subject)]).chain(fails).collect()
}

/// Memory before any load and at most during the first scenario.
fn memory(tables: &[&Table], subject: Subject) -> String {
    let row = tables.first().and_then(|table| table.row(subject));
    let figure = |metric| {
        let summary = row?.metric(metric).filter(|summary| summary.trusted)?;
        Some(figure::number(metric, summary.median))
    };
    match (figure(Metric::RssIdleBytes), figure(Metric::RssPeakBytes)) {
        (Some(idle), Some(peak)) => format!("{idle} → {peak}"),
        _ => figure::NONE.to_owned(),
    }
}

/// The reference, then the ceiling.
fn anchors(record: &Record) -> Vec<Subject<'_>> {
    let mut anchors = view::subjects(record);
    anchors.retain(|subject| subject.role() != Role::Framework);
    anchors.sort_by_key(Subject::role);
    anchors
}

fn name(subject: Subject) -> String {
    let (label, version) = (subject.label(), escape::markdown(&subject.version()));
    match subject.role() {
        Role::Framework => {
            let link = subject.app.map_or("", |app| app.link.as_str());
            format!("{} {version}", escape::markdown_link(&label, link))
                .trim_end()
                .to_owned()
        }
        _ => format!("*{}*", escape::markdown(&label)),
    }
}

/// The ratio with its interval, and details below it in small print; only trusted figures, or the verdict where there are none.
fn cell(table: &Table, subject: Subject) -> String {
    let Some(row) = table.row(subject) else {
        let missing = table.missing(subject);
        return missing.map_or(figure::NONE.to_owned(), |missing| missing.word().to_owned());
    };
    let trusted = |metric| row.metric(metric).filter(|summary| summary.trusted);
    let Some(cpu) = trusted(METRIC) else {
        return words::verdict(row.cell.verdict).to_owned();
    };
    let rank = row.rank(METRIC);
    let ratio = row.ratio(METRIC).map(|ratio| {
        let number = figure::ratio(ratio.estimate);
        let number = match rank {
            Some(rank) if rank.best == 1 => format!("**{number}**"),
            _ => number,
        };
        format!("{number} {}", figure::ratio_spread(&ratio))
            .trim_end()
            .to_owned()
    });
    let small = [
        rank.map(|rank| format!("rank {rank}")),
        Some(figure::value(METRIC, cpu.median)),
        trusted(DATABASE).map(|summary| format!("database {}", figure::value(DATABASE, summary.median))),
        trusted(Metric::GoodputRps).map(|summary| figure::value(Metric::GoodputRps, summary.median)),
        row.trials.rounds(),
    ];
    // A line may break only between its parts.
    let whole = |text: String| text.replace(' ', "&nbsp;");
    let small: Vec<_> = small.into_iter().flatten().map(whole).collect();
    let lines = ratio
        .map(whole)
        .into_iter()
        .chain([format!("<sub>{}</sub>", small.join(" · "))]);
    lines.collect::<Vec<_>>().join("<br>")
}

/// Failures: app, scenarios and reason.
fn failed(record: &Record, tables: &[&Table]) -> Option<String> {
    let failures = view::failures(record, tables);
    let lines = failures.iter().map(|failure| {
        let scenarios: Vec<_> = failure.scenarios.iter().map(|id| escape::markdown(id)).collect();
        let place = match scenarios.as_slice() {
            [] => "every scenario".to_owned(),
            some => words::list(some),
        };
        let reasons = reasons(&failure.reasons);
        format!(
            "- **{}** failed in {place}, because {}{reasons}.",
            escape::markdown(&failure.label),
            words::meaning(failure.verdict)
        )
    });
    let lines: Vec<_> = lines.collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// How many figures are left out of the table and why; the report names the apps.
fn left_out(tables: &[&Table]) -> Option<String> {
    let sentences = [METRIC, Metric::GoodputRps].into_iter().filter_map(|metric| {
        let mut reasons: BTreeMap<Verdict, Vec<String>> = BTreeMap::new();
        for table in tables {
            for note in view::doubts(table, &[metric]) {
                let place = format!("{} in {}", escape::markdown(&note.count), text(&table.scenario.id));
                reasons.entry(note.verdict).or_default().push(place);
            }
        }
        let reasons = reasons
            .into_iter()
            .map(|(verdict, places)| format!("where {} ({})", words::meaning(verdict), places.join(", ")));
        let reasons: Vec<_> = reasons.collect();
        (!reasons.is_empty()).then(|| format!("{} is left out {}.", metric.name(), words::list(&reasons)))
    });
    let sentences: Vec<_> = sentences.collect();
    (!sentences.is_empty()).then(|| format!("<sub>{}</sub>", sentences.join(" ")))
}

fn origin(record: &Record, record_path: &str) -> String {
    let environment = &record.environment;
    let date = record.started_at.strftime("%Y-%m-%d");
    let rounds = words::count(record.harness.rounds as usize, "round");
    let cpus = words::count(environment.logical_cpus as usize, "logical cpu");
    let cpu = escape::markdown(&clean(&environment.cpu_model, 2 * NAME));
    let (lane, rustc) = (record.lane.name(), text(&environment.rustc));
    let path = escape::markdown_target(record_path);
    let warnings = match environment.warnings.len() {
        0 => String::new(),
        number => format!(" It has {} about the machine.", words::count(number, "warning")),
    };
    format!(
        "Measured on {date} ({lane}: {cpu}, {cpus}; {rustc}; {rounds}). [The whole record]({path}) has every trial and \
         every reason.{warnings}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::sample;

    fn block() -> String {
        readme_block(
            &sample::record(),
            "bench-results/overview.svg",
            "bench-results/hosted-x64/20261121T110000Z-2a.json",
            None,
        )
    }

    #[test]
    fn what_breaks_is_a_column_of_its_own() {
        let probes = sample::probes();
        let breaks = Breaks {
            probes: &probes,
            path: "bench-results/probes/summary.md",
        };
        let block = readme_block(&sample::record(), "overview.svg", "record.json", Some(breaks));
        assert!(
            block.contains("| [Fails](bench-results/probes/summary.md) |"),
            "{block}"
        );
        assert!(block.contains("how many of 2 mandatory cases it fails"), "{block}");
        let ends = |name: &str, end: &str| block.lines().any(|line| line.contains(name) && line.ends_with(end));
        assert!(ends("axum", "| 2 |"), "{block}");
        assert!(ends("*ceiling*", "| – |"), "{block}");
    }

    #[test]
    fn what_the_database_took_is_small_beside_what_the_server_took() {
        let block = readme_block(&sample::with_database(), "overview.svg", "record.json", None);
        assert_eq!(block.matches(" · database&nbsp;38.2&nbsp;µs · ").count(), 1, "{block}");
        assert!(block.contains("on this machine, what the database took for a request, which ranks nobody, and"));
    }

    #[test]
    fn results_block() {
        insta::assert_snapshot!(block());
    }

    #[test]
    fn an_untrusted_figure_is_not_there() {
        assert!(!block().contains("131,000"));
    }

    #[test]
    fn hostile_strings_stay_strings() {
        for harm in [
            "<script",
            "<b>",
            "<!--",
            "@octocat",
            "https://evil",
            "\u{1b}",
            "\u{202e}",
        ] {
            assert!(!block().contains(harm), "{harm:?} got through");
        }
    }
}
