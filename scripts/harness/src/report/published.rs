//! What older benchmarks published beside what was measured here, where a run repeats their scenarios.

use crate::published::{Figure, Source, sources};
use crate::record::{Metric, Record};
use crate::report::escape::{self, NAME, SENTENCE, clean};
use crate::report::figure;
use crate::report::markdown::MARK;
use crate::report::view::{self, Row, Table};
use crate::report::words;

/// The section; nothing for a run that repeats no older benchmark.
pub fn section(record: &Record, tables: &[Table]) -> Option<String> {
    let repeated: Vec<String> = sources()
        .iter()
        .filter_map(|source| of_source(record, tables, source))
        .collect();
    (!repeated.is_empty()).then(|| format!("{INTRODUCTION}\n\n{}", repeated.join("\n\n")))
}

const INTRODUCTION: &str = "## What others published\n\n\
    The same set-ups, on other machines, with other versions and other load generators. An absolute figure of theirs says \
    nothing about one of ours. What may be compared is the share: each server's requests per second ÷ those of the first \
    server in its scenario, once as they published it and once as it was measured here.";

fn of_source(record: &Record, tables: &[Table], source: &Source) -> Option<String> {
    let mut rows = Vec::new();
    for table in tables {
        let figures: Vec<&Figure> = source
            .figures
            .iter()
            .filter(|figure| figure.scenario == table.scenario.id)
            .collect();
        let Some(first) = figures.iter().find(|figure| measured(record, table, figure).is_some()) else {
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
        "### [{}]({})\n\nCommit {} of {}. Theirs: {}; {}; {}. Ours: {}.\n\n{}\n\n| Scenario | App | Theirs, req/s | share | Ours, \
         req/s | share | Theirs, mean ms | Ours, mean ms | Theirs, MiB | Ours, MiB |\n| :-- | :-- | --: | --: | --: | --: \
         | --: | --: | --: | --: |\n{}",
        escape::markdown(name),
        escape::markdown_target(&source.repository),
        escape::markdown_code(&commit),
        source.date,
        escape::markdown(&source.hardware),
        escape::markdown(&source.generator),
        escape::markdown(&source.versions),
        escape::markdown(&ours),
        differs.collect::<Vec<_>>().join("\n"),
        rows.join("\n")
    ))
}

/// Our row of the app that a figure is of.
fn measured<'a>(record: &Record, table: &'a Table, figure: &Figure) -> Option<&'a Row<'a>> {
    let id = figure.subject();
    let subject = view::subjects(record)
        .into_iter()
        .find(|subject| subject.id == id.app && subject.variant == id.variant)?;
    let (id, variant) = (subject.id.to_owned(), subject.variant.to_owned());
    table
        .rows()
        .find(|row| row.subject.id == id && row.subject.variant == variant)
}

fn row(record: &Record, table: &Table, figure: &Figure, first: &Figure) -> String {
    let ours = measured(record, table, figure);
    let goodput = |row: Option<&Row>| {
        row.and_then(|row| row.metric(Metric::GoodputRps))
            .map(|summary| summary.median)
    };
    let base = goodput(measured(record, table, first));
    let share = |value: Option<f64>, base: Option<f64>| {
        let share = value.zip(base).map(|(value, base)| figure::ratio(value / base));
        share.unwrap_or_else(|| figure::NONE.to_owned())
    };
    let trusted = ours
        .and_then(|row| row.metric(Metric::GoodputRps))
        .is_some_and(|summary| summary.trusted);
    let marked = |text: String| {
        if trusted || text == figure::NONE {
            text
        } else {
            format!("{text} {MARK}")
        }
    };
    let number = |value: Option<f64>| value.map_or(figure::NONE.to_owned(), figure::significant);
    let theirs = if figure.failed {
        "failed".to_owned()
    } else {
        number(figure.rps)
    };
    let mean = ours.and_then(|row| mean_latency(record, row));
    let memory = ours
        .and_then(|row| row.metric(Metric::RssPeakBytes))
        .map(|summary| summary.median);
    let label = ours.map_or_else(|| clean(&figure.app, NAME), |row| row.subject.label());
    let cells = [
        escape::markdown_code(&clean(&table.scenario.id, SENTENCE)),
        escape::markdown(&label),
        theirs,
        share(figure.rps, first.rps),
        marked(number(goodput(ours))),
        marked(share(goodput(ours), base)),
        number(figure.latency_ms),
        number(mean),
        number(figure.memory_mib),
        memory.map_or(figure::NONE.to_owned(), |bytes| {
            figure::number(Metric::RssPeakBytes, bytes)
        }),
    ];
    format!("| {} |", cells.join(" | "))
}

/// Median over the trials of the mean latency, which is what older benchmarks print.
fn mean_latency(record: &Record, row: &Row) -> Option<f64> {
    let trials = record.trials.iter().filter(|trial| {
        trial.app == row.cell.app && trial.variant == row.cell.variant && trial.scenario == row.cell.scenario
    });
    let mut means: Vec<f64> = trials.filter_map(|trial| Some(trial.latency_ms?.mean)).collect();
    means.sort_by(f64::total_cmp);
    means.get(means.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

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
