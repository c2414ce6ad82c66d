//! What older benchmarks published beside what was measured here, where a run repeats their scenarios.

use crate::report::figure;
use crate::report::table;
use crate::report::view::{Row, Table};
use crate::report::words;
use judge::analysis;
use judge::stats;
use record::escape;
use record::escape::{NAME, SENTENCE, clean};
use record::older_benchmarks::{Figure, Source, sources};
use record::scenario::{Dimension, Scenario};
use record::{Metric, Record};

/// The section; nothing for a run that repeats no older benchmark.
pub fn section(record: &Record, tables: &[Table]) -> Option<String> {
    let repeated: Vec<String> = sources()
        .iter()
        .filter_map(|source| source_section(record, tables, source))
        .collect();
    (!repeated.is_empty()).then(|| format!("{INTRODUCTION}\n\n{}", repeated.join("\n\n")))
}

const INTRODUCTION: &str = "## What others published\n\n\
    The same set-ups, on other machines, with other versions and other load generators. Their absolute figures say \
    nothing about ours. What can be compared is the share: each server's requests per second ÷ those of the first \
    server in its scenario, once as they published it and once as it was measured here.";

const HEADER: [&str; 10] = [
    "Scenario",
    "App",
    "Theirs, req/s",
    "share",
    "Ours, req/s",
    "share",
    "Theirs, mean ms",
    "Ours, mean ms",
    "Theirs, MiB",
    "Ours, MiB",
];

fn source_section(record: &Record, tables: &[Table], source: &Source) -> Option<String> {
    let mut rows = Vec::new();
    for table in tables {
        let figures: Vec<&Figure> = source
            .figures
            .iter()
            .filter(|figure| figure.scenario == repeated_by(table.scenario))
            .collect();
        let both = |figure: &&&Figure| figure.rps.is_some() && measured(table, figure).is_some();
        let Some(first) = figures.iter().find(both) else {
            continue;
        };
        rows.extend(figures.iter().map(|figure| row(record, table, figure, first)));
    }
    if rows.is_empty() {
        return None;
    }
    let name = source.repository.trim_start_matches("https://github.com/");
    let commit: String = source.commit.chars().take(12).collect();
    let ours = format!(
        "{}, {}",
        clean(&record.environment.cpu_model, 2 * NAME),
        words::count(record.environment.logical_cpus as usize, "logical cpu")
    );
    let differs = source
        .differs
        .iter()
        .map(|text| format!("- {}", escape::markdown(text)));
    Some(format!(
        "### [{}]({})\n\nCommit {} of {}. Theirs: {}; {}; {}. Ours: {}.\n\n{}\n\n{}",
        escape::markdown(name),
        escape::markdown_target(&source.repository),
        escape::markdown_code(&commit),
        source.date,
        escape::markdown(&source.hardware),
        escape::markdown(&source.generator),
        escape::markdown(&source.versions),
        escape::markdown(&ours),
        differs.collect::<Vec<_>>().join("\n"),
        table::markdown(&HEADER, &[0, 1], rows)
    ))
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

/// A figure of ours, and whether it is trusted.
#[derive(Clone, Copy)]
struct Ours {
    value: f64,
    trusted: bool,
}

impl Ours {
    fn from_row(row: Option<&Row>, metric: Metric) -> Option<Self> {
        let summary = row?.metric(metric)?;
        Some(Self {
            value: summary.median,
            trusted: summary.trusted,
        })
    }

    fn text(found: Option<Self>, text: impl Fn(f64) -> String) -> String {
        found.map_or(figure::NONE.to_owned(), |found| {
            figure::struck_unless(found.trusted, text(found.value))
        })
    }
}

fn row(record: &Record, table: &Table, figure: &Figure, first: &Figure) -> [String; 10] {
    let ours = measured(table, figure);
    let goodput = Ours::from_row(ours, Metric::GoodputRps);
    let base = Ours::from_row(measured(table, first), Metric::GoodputRps);
    let our_share = goodput.zip(base).map(|(own, base)| Ours {
        value: own.value / base.value,
        trusted: own.trusted && base.trusted,
    });
    let their_share = figure.rps.zip(first.rps).map(|(own, base)| own / base);
    let number = |value: Option<f64>| value.map_or(figure::NONE.to_owned(), figure::significant);
    let theirs = if figure.failed {
        "failed".to_owned()
    } else {
        number(figure.rps)
    };
    let label = ours.map_or_else(|| clean(&figure.app, NAME), |row| row.subject.label());
    [
        escape::markdown_code(&clean(&table.scenario.id, SENTENCE)),
        escape::markdown(&label),
        theirs,
        their_share.map_or(figure::NONE.to_owned(), figure::ratio),
        Ours::text(goodput, figure::significant),
        Ours::text(our_share, figure::ratio),
        number(figure.latency_ms),
        Ours::text(ours.and_then(|row| mean_latency(record, row)), figure::significant),
        number(figure.memory_mib),
        Ours::text(Ours::from_row(ours, Metric::RssPeakBytes), |bytes| {
            figure::number(Metric::RssPeakBytes, bytes)
        }),
    ]
}

/// Median over the trials of the mean latency, which older benchmarks print. It is trusted where the median latency is.
fn mean_latency(record: &Record, row: &Row) -> Option<Ours> {
    let trials = analysis::usable_in(record, row.subject.app?, &row.cell.scenario);
    let means: Vec<f64> = trials.iter().filter_map(|trial| Some(trial.latency_ms?.mean)).collect();
    Some(Ours {
        value: stats::estimate(&means)?.median,
        trusted: row.metric(Metric::LatencyP50Ms).is_some_and(|summary| summary.trusted),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::view;
    use judge::sample;

    #[test]
    fn a_run_that_repeats_nothing_has_no_section() {
        let record = sample::record();
        assert_eq!(section(&record, &view::tables(&record)), None);
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
        insta::assert_snapshot!(section(&record, &view::tables(&record)).unwrap());
    }
}
