//! What older benchmarks published beside what was measured here, where a run repeats their scenarios.

use judge::{analysis, stats};
use record::older_benchmarks::{Figure, Source, sources};
use record::scenario::{Dimension, Scenario};
use record::{Metric, Record};

use super::document::{self, Block, Text, name, own, text};
use super::run::cpu;
use super::view::{Row, Table};
use super::{figure, labels};

const INTRODUCTION: &str = "The same set-ups, on other machines, with other versions and other load generators. Their absolute figures say \
    nothing about ours. What can be compared is the share: each server's requests per second ÷ those of the first \
    server in its scenario, once as they published it and once as it was measured here.";

/// The section; nothing for a run that repeats no older benchmark.
pub fn section(record: &Record, tables: &[Table]) -> Vec<Block> {
    let repeated: Vec<Block> = sources()
        .iter()
        .flat_map(|source| source_section(record, tables, source))
        .collect();
    if repeated.is_empty() {
        return repeated;
    }
    let blocks = [vec![Block::paragraph(INTRODUCTION)], repeated].concat();
    Block::section(2, "What others published", blocks)
}

/// One of their figures, and ours.
struct Compared<'a> {
    scenario: &'a str,
    theirs: &'a Figure,
    ours: Option<&'a Row<'a>>,
    /// Of the first server in the scenario.
    base: (&'a Figure, Option<&'a Row<'a>>),
}

fn source_section(record: &Record, tables: &[Table], source: &Source) -> Vec<Block> {
    let mut rows = Vec::new();
    for table in tables {
        let figures = source
            .figures
            .iter()
            .filter(|figure| figure.scenario == repeated_by(table.scenario));
        let both = |figure: &&Figure| figure.rps.is_some() && measured(table, figure).is_some();
        let Some(first) = figures.clone().find(both) else {
            continue;
        };
        rows.extend(figures.map(|theirs| Compared {
            scenario: &table.scenario.id,
            theirs,
            ours: measured(table, theirs),
            base: (first, measured(table, first)),
        }));
    }
    if rows.is_empty() {
        return Vec::new();
    }
    let repository = source.repository.trim_start_matches("https://github.com/");
    let commit: String = source.commit.chars().take(12).collect();
    let theirs = format!(
        "{}. Theirs: {}; {}; {}",
        source.date, source.hardware, source.generator, source.versions
    );
    let cpus = labels::count(record.environment.logical_cpus as usize, "logical cpu");
    let ours = text![". Ours: ", cpu(&record.environment.cpu_model), ", ", cpus, "."];
    let mut blocks = vec![
        Block::Heading(3, Text::from(repository.to_owned()).link(&source.repository)),
        Block::Paragraph(text!["Commit ", Text::from(commit).code(), " of ", theirs, ours]),
    ];
    blocks.extend(Block::list(source.differs.iter().map(|differs| differs.clone().into())));
    blocks.push(Block::Table(grid(record, &rows)));
    blocks
}

fn grid(record: &Record, rows: &[Compared]) -> document::Table {
    let each = || rows.iter();
    let app = |one: &Compared| {
        one.ours
            .map_or_else(|| name(&one.theirs.app), |row| row.subject.label().into())
    };
    let rps = |one: &Compared| {
        if one.theirs.failed {
            Some("failed".to_owned())
        } else {
            one.theirs.rps.map(figure::significant)
        }
    };
    let their_share = |one: &Compared| Some(figure::ratio(one.theirs.rps? / one.base.0.rps?));
    let our_share = |one: &Compared| {
        let (own, base) = (
            ours(one.ours, Metric::GoodputRps)?,
            ours(one.base.1, Metric::GoodputRps)?,
        );
        shown(Some((own.0 / base.0, own.1 && base.1)), figure::ratio)
    };
    let memory = |one: &Compared| {
        let bytes = |bytes| figure::number(Metric::RssPeakBytes, bytes);
        shown(ours(one.ours, Metric::RssPeakBytes), bytes)
    };
    let goodput = |one: &Compared| shown(ours(one.ours, Metric::GoodputRps), figure::significant);
    let latency = |one: &Compared| shown(mean_latency(record, one.ours?), figure::significant);
    let mut table = document::Table::default();
    table.words("Scenario", each().map(|one| name(one.scenario).code()));
    table.words("App", each().map(app));
    table.figures("Theirs, req/s", each().map(rps));
    table.figures("share", each().map(their_share));
    table.figures("Ours, req/s", each().map(goodput));
    table.figures("share", each().map(our_share));
    table.figures(
        "Theirs, mean ms",
        each().map(|one| one.theirs.latency_ms.map(figure::significant)),
    );
    table.figures("Ours, mean ms", each().map(latency));
    table.figures(
        "Theirs, MiB",
        each().map(|one| one.theirs.memory_mib.map(figure::significant)),
    );
    table.figures("Ours, MiB", each().map(memory));
    table
}

/// A figure of ours, and whether it is trusted.
type Ours = (f64, bool);

fn ours(row: Option<&Row>, metric: Metric) -> Option<Ours> {
    let summary = row?.metric(metric)?;
    Some((summary.median, summary.trusted))
}

fn shown(figure: Option<Ours>, text: impl Fn(f64) -> String) -> Option<Text> {
    figure.map(|(value, trusted)| own(text(value)).trusted(trusted))
}

/// Name of the scenario whose figures this one repeats, also where another load generator drives it.
fn repeated_by(scenario: &Scenario) -> &str {
    match &scenario.varies {
        Some(varies) if varies.by == Dimension::Generator => &varies.like,
        _ => &scenario.id,
    }
}

/// Our row of a figure's app.
fn measured<'a>(table: &'a Table, figure: &Figure) -> Option<&'a Row<'a>> {
    let id = figure.subject();
    table
        .rows()
        .find(|row| row.subject.id == id.app && row.subject.variant == id.variant)
}

/// Median over the trials of the mean latency, which older benchmarks print. It is trusted where the median latency is.
fn mean_latency(record: &Record, row: &Row) -> Option<Ours> {
    let trials = analysis::usable_in(record, row.subject.app?, &row.cell.scenario);
    let means: Vec<f64> = trials.iter().filter_map(|trial| Some(trial.latency_ms?.mean)).collect();
    let trusted = row.metric(Metric::LatencyP50Ms).is_some_and(|summary| summary.trusted);
    Some((stats::estimate(&means)?.median, trusted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::document::markdown;
    use crate::report::view;
    use judge::sample;

    #[test]
    fn a_run_that_repeats_nothing_has_no_section() {
        let record = sample::record();
        assert!(section(&record, &view::tables(&record)).is_empty());
    }

    #[test]
    fn theirs_stand_beside_ours_with_their_hardware() {
        let mut record = sample::record();
        record.scenarios[0].id = "classic-light".into();
        for cell in &mut record.summary {
            if cell.scenario == "plaintext" {
                cell.scenario = "classic-light".into();
            }
        }
        for trial in &mut record.trials {
            if trial.scenario == "plaintext" {
                trial.scenario = "classic-light".into();
            }
        }
        insta::assert_snapshot!(markdown(&section(&record, &view::tables(&record))));
    }
}
