//! What older benchmarks published next to what was measured here, where a run repeats their scenarios.

use analyze::analysis;
use model::older_benchmarks::{Figure, Source, sources};
use model::scenario::{Dimension, Scenario};
use model::{Metric, Record};

use super::document::{Block, Rows, Text, name, own, text};
use super::run::machine;
use super::view::{Row, Table};
use super::{figure, view};

const INTRODUCTION: &str = "The same set-ups, on other machines, with other versions and other load generators. Their absolute figures say \
    nothing about ours. What can be compared is the share: each server's requests per second ÷ the first \
    server's in its scenario, once as they published it and once as it was measured here.";

/// The section; nothing for a run that repeats no older benchmark.
pub fn section(record: &Record, tables: &[Table]) -> Vec<Block> {
    let sources = sources().iter();
    let mut repeated: Vec<Block> = sources
        .flat_map(|source| source_section(record, tables, source))
        .collect();
    if !repeated.is_empty() {
        repeated.insert(0, Block::paragraph(INTRODUCTION));
    }
    Block::section(2, "What others published", repeated)
}

/// One of their figures, the first server's in the same scenario, and our table of it.
type Compared<'a> = (&'a Figure, &'a Figure, &'a Table<'a>);

fn source_section(record: &Record, tables: &[Table], source: &Source) -> Vec<Block> {
    let mut rows = Vec::new();
    for table in tables {
        let figures = source.figures.iter();
        let figures = figures.filter(|figure| figure.scenario == repeated_by(table.scenario));
        let both = |figure: &&Figure| figure.rps.is_some() && measured(table, figure).is_some();
        let Some(first) = figures.clone().find(both) else {
            continue;
        };
        rows.extend(figures.map(|theirs| (theirs, first, table)));
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
    let ours = text![". Ours: ", machine(&record.environment), "."];
    let mut blocks = vec![
        Block::Heading(3, Text::from(repository.to_owned()).link(&source.repository)),
        Block::Paragraph(text!["Commit ", Text::from(commit).code(), " of ", theirs, ours]),
    ];
    blocks.extend(Block::list(source.differs.iter().map(|differs| differs.clone().into())));
    blocks.push(grid(record, &rows));
    blocks
}

fn grid(record: &Record, rows: &[Compared]) -> Block {
    let app = |(theirs, _, table): &Compared| {
        let row = measured(table, theirs);
        row.map_or_else(|| name(&theirs.app), |row| view::label(row.app).into())
    };
    let failed = |theirs: &Figure| theirs.failed.then(|| "failed".to_owned());
    let rps = |theirs: &Figure| failed(theirs).or(theirs.rps.map(figure::significant));
    let our = |of: &Figure, table: &Table, metric| ours(measured(table, of), metric);
    let our_rps = |of: &Figure, table: &Table| our(of, table, Metric::GoodputRps);
    let our_share = |(theirs, first, table): &Compared| {
        let (own, base) = (our_rps(theirs, table)?, our_rps(first, table)?);
        Some((own.0 / base.0, own.1 && base.1))
    };
    let our_latency = |of: &Figure, table: &Table| mean_latency(record, measured(table, of));
    let mebibytes = |bytes| figure::number(Metric::RssPeakBytes, bytes);
    Rows::of(rows)
        .words("Scenario", |(_, _, table)| name(&table.scenario.id).code())
        .words("App", |one| app(one))
        .figures("Theirs, req/s", |(theirs, ..)| rps(theirs))
        .figures("share", |(theirs, first, _)| {
            Some(figure::ratio(theirs.rps? / first.rps?))
        })
        .figures("Ours, req/s", |(theirs, _, table)| {
            shown(our_rps(theirs, table), figure::significant)
        })
        .figures("share", |one| shown(our_share(one), figure::ratio))
        .figures("Theirs, mean ms", |(theirs, ..)| {
            theirs.latency_ms.map(figure::significant)
        })
        .figures("Ours, mean ms", |(theirs, _, table)| {
            shown(our_latency(theirs, table), figure::significant)
        })
        .figures("Theirs, MiB", |(theirs, ..)| theirs.memory_mib.map(figure::significant))
        .figures("Ours, MiB", |(theirs, _, table)| {
            shown(our(theirs, table, Metric::RssPeakBytes), mebibytes)
        })
        .table()
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
    let mut rows = table.rows();
    rows.find(|row| row.app.id == id.app && row.app.variant == id.variant)
}

/// Median over the trials of the mean latency, which older benchmarks print. It is trusted where the median latency is.
fn mean_latency(record: &Record, row: Option<&Row>) -> Option<Ours> {
    let row = row?;
    let trials = analysis::usable_in(record, row.app, &row.cell.scenario);
    let means: Vec<f64> = trials.iter().filter_map(|trial| Some(trial.latency_ms?.mean)).collect();
    let trusted = row.metric(Metric::LatencyP50Ms).is_some_and(|summary| summary.trusted);
    Some((stats::estimate(&means)?.median, trusted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::markdown;
    use crate::view;

    #[test]
    fn a_run_that_repeats_nothing_has_no_section() {
        let record = samples::record();
        assert!(section(&record, &view::tables(&record)).is_empty());
    }

    #[test]
    fn theirs_stand_beside_ours_with_their_hardware() {
        let mut record = samples::record();
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
