//! The results block of README.md: one picture, one table, and what must be known to read them.

use std::collections::BTreeMap;

use crate::record::{Metric, Record, Role, Tier, Verdict};
use crate::report::chart;
use crate::report::escape::{self, NAME, clean};
use crate::report::figure;
use crate::report::markdown::MARK;
use crate::report::view::{self, Subject, Table};
use crate::report::words;

/// The results for README.md: both paths are as they are to stand in links.
#[must_use]
pub fn readme_block(record: &Record, chart_path: &str, record_path: &str) -> String {
    let tables = view::tables(record);
    let picture = format!(
        "![{}]({})",
        escape::markdown(chart::OVERVIEW_ALT),
        escape::markdown_target(chart_path)
    );
    let plain = view::plain(&tables);
    let frameworks = view::frameworks(record, &tables);
    let mut blocks = vec![picture, how_to_read(&plain), grid(record, &plain, &frameworks)];
    blocks.extend(not_trusted(record, &plain));
    blocks.push(origin(record, record_path));
    blocks.join("\n\n")
}

fn how_to_read(tables: &[&Table]) -> String {
    let memory = tables.first().map_or(String::new(), |table| {
        format!(
            " Memory is that of the process before any load → at most during `{}`.",
            text(&table.scenario.id)
        )
    });
    format!(
        "Server CPU time per request (less is better) with its rank tier in parentheses and, where the server and not the \
         load generator was the limit, the requests per second; all are medians over all rounds. Those of one tier cannot be \
         told apart, **bold** is the best one; frameworks, engines and legacy frameworks are ranked each among \
         themselves.{memory}"
    )
}

fn grid(record: &Record, tables: &[&Table], frameworks: &[Subject]) -> String {
    let ids = tables.iter().map(|table| text(&table.scenario.id));
    let header = std::iter::once("Framework".to_owned()).chain(ids);
    let header: Vec<_> = header.chain(std::iter::once("Memory, MiB".to_owned())).collect();
    let rule: Vec<_> = std::iter::once(":--")
        .chain(header[1..].iter().map(|_| "--:"))
        .collect();
    let mut lines = vec![
        format!("| {} |", header.join(" | ")),
        format!("| {} |", rule.join(" | ")),
    ];
    let mut before = Tier::Maintained;
    for &subject in frameworks {
        if subject.tier() != before {
            before = subject.tier();
            lines.push(group(before, header.len()));
        }
        lines.push(row(subject, tables));
    }
    let anchors = anchors(record);
    if !anchors.is_empty() {
        let blank = vec![""; header.len() - 1];
        lines.push(format!("| *To compare with* | {} |", blank.join(" | ")));
    }
    lines.extend(anchors.into_iter().map(|subject| row(subject, tables)));
    lines.join("\n")
}

/// A line between the groups of a table.
fn group(tier: Tier, columns: usize) -> String {
    let name = match tier {
        Tier::Maintained => "Frameworks",
        Tier::Engine => "Engines, no framework",
        Tier::Legacy => "Legacy, no longer moved",
    };
    format!("| *{name}* | {} |", vec![""; columns - 1].join(" | "))
}

fn row(subject: Subject, tables: &[&Table]) -> String {
    let cells = tables.iter().map(|table| cell(table, subject));
    let cells: Vec<_> = cells.chain(std::iter::once(memory(tables, subject))).collect();
    format!("| {} | {} |", name(subject), cells.join(" | "))
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
    let (label, version) = (escape::markdown(&subject.label()), escape::markdown(&subject.version()));
    match subject.role() {
        Role::Framework => format!("{label} {version}").trim_end().to_owned(),
        _ => format!("*{label}*"),
    }
}

/// CPU per request and goodput, each only if it is trusted; a word if there is neither.
fn cell(table: &Table, subject: Subject) -> String {
    let Some(row) = table.row(subject) else {
        let missing = table.missing(subject);
        return missing.map_or(figure::NONE.to_owned(), |missing| format!("{MARK} {}", missing.word()));
    };
    let trusted = |metric| {
        let summary = row.metric(metric).filter(|summary| summary.trusted)?;
        Some(figure::value(metric, summary.median))
    };
    let tier = row.rank(Metric::ServerCpuUsPerRequest);
    let cpu = trusted(Metric::ServerCpuUsPerRequest).map(|figure| match tier {
        Some(rank) if rank.best == 1 => format!("**{figure}** ({rank})"),
        Some(tier) => format!("{figure} ({tier})"),
        None => figure,
    });
    // Goodput is never bold: the quickest may be those that the load generator holds back, and they are not ranked.
    let goodput = trusted(Metric::GoodputRps).map(|figure| format!("<sub>{figure}</sub>"));
    let figures: Vec<_> = cpu.into_iter().chain(goodput).collect();
    match (figures.is_empty(), row.cell.verdict) {
        (false, _) => figures.join("<br>"),
        (true, Verdict::Valid) => figure::NONE.to_owned(),
        (true, verdict) => format!("{MARK} {}", words::verdict(verdict)),
    }
}

/// What is left out of the table and why: one line for each verdict and metric.
fn not_trusted(record: &Record, tables: &[&Table]) -> Option<String> {
    let mut left_out: BTreeMap<(Verdict, Metric), Vec<String>> = BTreeMap::new();
    for metric in [Metric::GoodputRps, Metric::ServerCpuUsPerRequest] {
        for table in tables {
            for (verdict, labels) in doubtful(table, metric) {
                let place = format!("{} in {}", labels.join(", "), text(&table.scenario.id));
                left_out.entry((verdict, metric)).or_default().push(place);
            }
        }
    }
    let untrusted = left_out.into_iter().map(|((verdict, metric), places)| {
        let (word, meaning, metric) = (words::verdict(verdict), words::meaning(verdict), figure::name(metric));
        format!("- {MARK} {metric} left out, {word} ({meaning}): {}", places.join("; "))
    });
    // The reasons are left to the report: without them, failures of one kind are one.
    let mut failures: Vec<view::Failure> = Vec::new();
    for failure in view::failures(record, tables) {
        let alike = |known: &&mut view::Failure| (&known.label, known.verdict) == (&failure.label, failure.verdict);
        match failures.iter_mut().find(alike) {
            Some(known) => known.scenarios.extend(failure.scenarios),
            None => failures.push(failure),
        }
    }
    let failed = failures.iter().map(|failure| {
        let scenarios: Vec<_> = failure.scenarios.iter().map(|id| escape::markdown(id)).collect();
        let place = if scenarios.is_empty() || scenarios.len() == tables.len() {
            "every scenario".to_owned()
        } else {
            scenarios.join(", ")
        };
        format!(
            "- {MARK} {}: {} in {place}",
            escape::markdown(&failure.label),
            words::verdict(failure.verdict)
        )
    });
    let lines: Vec<_> = failed.chain(untrusted).collect();
    (!lines.is_empty()).then(|| format!("Not trusted, not ranked:\n\n{}", lines.join("\n")))
}

fn doubtful(table: &Table, metric: Metric) -> BTreeMap<Verdict, Vec<String>> {
    let mut doubtful: BTreeMap<Verdict, Vec<String>> = BTreeMap::new();
    for row in table
        .rows()
        .filter(|row| row.metric(metric).is_some_and(|summary| !summary.trusted))
    {
        doubtful
            .entry(row.cell.verdict)
            .or_default()
            .push(escape::markdown(&row.subject.label()));
    }
    doubtful
}

fn origin(record: &Record, record_path: &str) -> String {
    let environment = &record.environment;
    let date = record.started_at.strftime("%Y-%m-%d");
    let rounds = words::count(record.harness.rounds as usize, "round");
    let cpus = words::count(environment.logical_cpus as usize, "logical cpu");
    let cpu = escape::markdown(&clean(&environment.cpu_model, 2 * NAME));
    let (lane, rustc) = (words::lane(record.lane), text(&environment.rustc));
    let path = escape::markdown_target(record_path);
    let warnings = match environment.warnings.len() {
        0 => String::new(),
        number => format!(" It has {} about the machine.", words::count(number, "warning")),
    };
    format!(
        "Measured on {date} ({lane}: {cpu}, {cpus}; {rustc}; {rounds}). [The whole record]({path}) has every trial, \
         every interval and every reason.{warnings}"
    )
}

fn text(raw: &str) -> String {
    escape::markdown(&clean(raw, NAME))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    fn block() -> String {
        readme_block(
            &sample::record(),
            "bench-results/overview.svg",
            "bench-results/hosted-x64/20261121T110000Z-2a.json",
        )
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
