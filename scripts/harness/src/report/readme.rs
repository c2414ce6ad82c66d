//! The results block of README.md: one picture, one table, and what must be known to read them.
//!
//! The block stands between two comments, so that a program can replace it and leave the rest of the file alone.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::record::{Metric, Record, Role, Verdict};
use crate::report::chart;
use crate::report::escape::{self, NAME, clean};
use crate::report::figure;
use crate::report::markdown::MARK;
use crate::report::view::{self, Subject, Table};
use crate::report::words;

/// The comment before the block.
pub const BEGIN: &str = "<!-- results:begin -->";

/// The comment after the block.
pub const END: &str = "<!-- results:end -->";

/// Why the block could not be replaced.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BlockError {
    /// A comment is not there.
    #[error("the line `{0}` is missing: put `{BEGIN}` and `{END}` where the results are to stand")]
    Missing(&'static str),
    /// A comment is there more than once.
    #[error("the line `{0}` is there more than once: leave one, the results can stand in one place only")]
    Repeated(&'static str),
    /// The end comes first.
    #[error("`{END}` stands before `{BEGIN}`: exchange them")]
    Reversed,
    /// The new block holds one of the comments itself and could never be replaced again.
    #[error("the new results contain `{0}` themselves: nothing was replaced")]
    Nested(&'static str),
}

/// The results for README.md: both paths are as they are to stand in links.
#[must_use]
pub fn readme_block(record: &Record, chart_path: &str, record_path: &str) -> String {
    let tables = view::tables(record);
    let picture = format!(
        "![{}]({})",
        escape::markdown(chart::OVERVIEW_ALT),
        escape::markdown_target(chart_path)
    );
    let mut blocks = vec![picture, how_to_read().to_owned(), grid(record, &tables)];
    blocks.extend(not_trusted(record, &tables));
    blocks.push(origin(record, record_path));
    blocks.join("\n\n")
}

/// `readme` with `block` between the two comments, which must be there once each and in order. Doing it again with the
/// same block changes nothing.
pub fn replace_block(readme: &str, block: &str) -> Result<String, BlockError> {
    if let Some(marker) = [BEGIN, END].into_iter().find(|marker| block.contains(marker)) {
        return Err(BlockError::Nested(marker));
    }
    let (begin, end) = (only(readme, BEGIN)?, only(readme, END)?);
    if end < begin {
        return Err(BlockError::Reversed);
    }
    let (before, after) = (&readme[..begin + BEGIN.len()], &readme[end..]);
    Ok(format!("{before}\n{}\n{after}", block.trim()))
}

/// Where the one place of a comment is.
fn only(readme: &str, marker: &'static str) -> Result<usize, BlockError> {
    let mut places = readme.match_indices(marker);
    match (places.next(), places.next()) {
        (None, _) => Err(BlockError::Missing(marker)),
        (Some((place, _)), None) => Ok(place),
        (Some(_), Some(_)) => Err(BlockError::Repeated(marker)),
    }
}

fn how_to_read() -> &'static str {
    "Server CPU time per request (less is better) and, where the server and not the load generator was the limit, the \
     requests per second; both are medians over all rounds. **Bold** is the best tier of CPU time in its column: those \
     cannot be told apart."
}

fn grid(record: &Record, tables: &[Table]) -> String {
    let ids = tables.iter().map(|table| text(&table.scenario.id));
    let header: Vec<_> = std::iter::once("Framework".to_owned()).chain(ids).collect();
    let rule: Vec<_> = std::iter::once(":--").chain(tables.iter().map(|_| "--:")).collect();
    let frameworks = view::frameworks(record, tables).into_iter();
    let rows = frameworks.chain(anchors(record)).map(|subject| {
        let cells = tables.iter().map(|table| cell(table, subject));
        format!("| {} | {} |", name(subject), cells.collect::<Vec<_>>().join(" | "))
    });
    let head = [
        format!("| {} |", header.join(" | ")),
        format!("| {} |", rule.join(" | ")),
    ];
    head.into_iter().chain(rows).collect::<Vec<_>>().join("\n")
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
    let best = row.rank_tier(Metric::ServerCpuUsPerRequest) == Some(1);
    let cpu = trusted(Metric::ServerCpuUsPerRequest).map(|figure| if best { format!("**{figure}**") } else { figure });
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
fn not_trusted(record: &Record, tables: &[Table]) -> Option<String> {
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
    let failures = view::failures(record, tables);
    let failed = failures.iter().map(|failure| {
        let scenarios = failure
            .scenarios
            .iter()
            .map(|id| escape::markdown(id))
            .collect::<Vec<_>>()
            .join(", ");
        let place = if scenarios.is_empty() {
            "every scenario".to_owned()
        } else {
            scenarios
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
    fn only_the_block_is_replaced_and_only_once() {
        let readme = format!("# Title\n\n{BEGIN}\nbefore\n{END}\n\nend\n");
        let once = replace_block(&readme, &block()).expect("both comments are there");
        assert!(once.starts_with(&format!("# Title\n\n{BEGIN}\n![")) && once.ends_with(&format!("\n{END}\n\nend\n")));
        assert!(!once.contains("before\n"));
        assert_eq!(
            replace_block(&once, &block()).expect("both comments are still there"),
            once
        );
    }

    #[test]
    fn comments_must_be_there_once_and_in_order() {
        let error = |readme: &str| {
            replace_block(readme, "new")
                .expect_err("not to be replaced")
                .to_string()
        };
        let texts = [
            error(END),
            error(BEGIN),
            error(&format!("{BEGIN}{BEGIN}{END}")),
            error(&format!("{BEGIN}{END}{END}")),
            error(&format!("{END}{BEGIN}")),
            replace_block(&format!("{BEGIN}{END}"), END)
                .expect_err("could not be replaced again")
                .to_string(),
        ];
        insta::assert_snapshot!(texts.join("\n"));
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
