//! Scaling with workers: for each request a table of speed-ups, the law that they follow, and CPU time by apps and widths.

use std::collections::BTreeSet;

use analyze::scaling::{Curve, NoLaw, Point, curves};
use model::{Metric, Record};
use stats::Estimate;

use super::document::Medium::{Markdown, Terminal};
use super::document::{Block, Cell, NONE, Rows, Text, name, own, text};
use super::{figure, labels};

const CPU: Metric = Metric::ServerCpuUsPerRequest;

const ABOUT: &str = "Speed-up: what the server answered with so many workers ÷ what it answered with one, paired within the rounds, with its \
    95 % interval; without any loss it is the number of workers. σ is the share of the work that only one worker can do at a time \
    (contention), κ what each pair of workers costs (coherency): the Universal Scalability Law, \
    goodput(n) = λn ÷ (1 + σ(n − 1) + κn(n − 1)), with 95 % intervals; of two widths Amdahl's law, which has no κ.";

/// The sections of a run, in the order of its scenarios; none where no server was measured at several widths.
pub fn sections(record: &Record) -> Vec<Block> {
    let requests = labels::grouped(curves(record).into_iter().map(|curve| (curve.like, curve)));
    let sections = requests.iter().map(|(like, curves)| section(record, like, curves));
    sections.flatten().collect()
}

fn section(record: &Record, like: &str, curves: &[Curve<'_>]) -> Vec<Block> {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let widths: BTreeSet<u32> = points().map(|point| point.workers).collect();
    let by_width = |field: &dyn Fn(&Point<'_>) -> Cell| {
        let mut rows = Rows::of(curves).words("App", |curve| curve.app.label());
        for width in &widths {
            let title = labels::count(*width as usize, "worker");
            let point = |curve: &&Curve<'_>| curve.points.iter().find(|point| point.workers == *width).map(field);
            rows = rows.figures(title, |curve| point(curve).unwrap_or_default());
        }
        rows.table()
    };
    let mut blocks = vec![
        Block::Heading(2, text![name(like), " by workers"]),
        Block::Only(Markdown, vec![Block::paragraph(ABOUT)]),
        Block::paragraph("Speed-up over one worker:"),
        by_width(&speed_up),
    ];
    let fitted = curves.iter().filter_map(|curve| Some((curve.app, curve.law?)));
    let fitted: Vec<_> = fitted.collect();
    if !fitted.is_empty() {
        let laws = Rows::of(fitted)
            .words("App", |(app, _)| app.label())
            .figures(Cell::new("σ", "95 % interval"), |(_, law)| parameter(law.contention))
            .figures(Cell::new("κ", "95 % interval"), |(_, law)| {
                law.coherency.map(parameter).unwrap_or_default()
            });
        blocks.extend([Block::paragraph("Contention σ and coherency κ:"), laws.table()]);
    }
    let shared = shared_cores(record, &widths).map(Text::from);
    let left_out = curves
        .iter()
        .filter_map(|curve| Some((left_out(curve)?, curve.app.label())));
    let left_out = labels::grouped(left_out).into_iter();
    let left_out = left_out.map(|((what, why), apps)| text![what, " of ", labels::list(&apps), ": ", why, "."]);
    blocks.extend(Block::list(shared.into_iter().chain(left_out)));
    if points().any(|point| point.cell.metrics.contains_key(&CPU)) {
        let title = Block::paragraph("CPU time per request, × one worker's:");
        blocks.extend([title, by_width(&cost)]);
    }
    blocks
}

/// Which widths have more workers than cores.
fn shared_cores(record: &Record, widths: &BTreeSet<u32>) -> Option<String> {
    let cores = record.environment.server_cores?;
    let shared: Vec<String> = widths.range(cores + 1..).map(ToString::to_string).collect();
    (!shared.is_empty()).then(|| {
        format!(
            "With {} workers, some share one of {cores} cores, and two threads of a core are not worth two cores: shown, and not fitted.",
            labels::list(&shared)
        )
    })
}

/// Widths of an app that are left out of its law, or all of it; and why.
fn left_out(curve: &Curve<'_>) -> Option<(String, &'static str)> {
    let first = curve.points[0].cell.verdict;
    let (what, why) = match curve.no_law {
        // Failures are listed with their reasons.
        Some(NoLaw::NoStart) if first.is_failure() => return None,
        Some(NoLaw::NoStart) => ("No goodput of one worker, and so no speed-up,", first.what_happened()),
        Some(NoLaw::TooFewWidths) => (
            "Neither σ nor κ",
            "fewer than two widths with a core for each worker have a goodput that is trusted",
        ),
        Some(NoLaw::NoRound) => ("Neither σ nor κ", "no round has all widths"),
        None => {
            let lost = |point: &&Point<'_>| point.own_cores && point.cell.trusted(Metric::GoodputRps).is_none();
            let lost: Vec<&Point<'_>> = curve.points.iter().filter(lost).collect();
            let why = lost.first()?.cell.verdict.what_happened();
            let widths: Vec<String> = lost.iter().map(|point| point.workers.to_string()).collect();
            return Some((format!("Without {} workers in the fit", labels::list(&widths)), why));
        }
    };
    Some((what.to_owned(), why))
}

/// The speed-up of a width with its interval, or the verdict that leaves none; and the goodput.
fn speed_up(point: &Point<'_>) -> Cell {
    let goodput = point.cell.metrics.get(&Metric::GoodputRps);
    let verdict = Text::from(point.cell.verdict.name()).italic();
    let main = match &point.speed_up {
        Some(ratio) => {
            let interval = format!(" {}", figure::ratio_interval(ratio));
            let interval = own(interval.trim_end()).only(Markdown);
            let half = figure::longer_side(ratio).map(|half| own(format!(" ±{half:.2}")).only(Terminal));
            text![own(figure::ratio(ratio.estimate)).bold(), interval, half]
        }
        None if point.cell.verdict.is_failure() => verdict,
        None if point.cell.trusted(Metric::GoodputRps).is_none() => {
            text![verdict.only(Markdown), Text::from(NONE).only(Terminal)]
        }
        None if point.workers == 1 => own("1").bold(),
        None => NONE.into(),
    };
    let rate = goodput.map(|found| {
        let rate = figure::value(Metric::GoodputRps, found.median).replace(' ', "\u{a0}");
        own(rate).trusted(found.trusted)
    });
    Cell::new(main, rate)
}

/// σ or κ.
fn parameter(of: Estimate) -> Cell {
    let interval = of.interval.map(|interval| {
        let [low, high] = [interval.low, interval.high].map(figure::significant);
        own(format!("[{low}, {high}]"))
    });
    Cell::new(own(figure::significant(of.median)), interval)
}

/// CPU time per request, and its ratio to one worker's.
fn cost(point: &Point<'_>) -> Cell {
    let Some(found) = point.cell.metrics.get(&CPU) else {
        return Cell::default();
    };
    let unit = Text::from("\u{a0}µs").only(Markdown);
    let value = text![own(figure::number(CPU, found.median)), unit].trusted(found.trusted);
    let ratio = point.cpu_ratio.as_ref().filter(|_| found.trusted);
    let ratio = ratio.map(|ratio| own(format!("\u{a0}×{}", figure::ratio(ratio.estimate))));
    text![value, ratio].into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::markdown;
    use crate::terminal::{Style, terminal};

    #[test]
    fn as_markdown() {
        let record = samples::scaled();
        insta::assert_snapshot!(markdown(&sections(&record)));
    }

    #[test]
    fn in_a_terminal() {
        let text = terminal(&sections(&samples::scaled()), Style::PLAIN);
        insta::assert_snapshot!(text);
    }

    #[test]
    fn both_reports_have_it_and_no_table_of_variations() {
        let record = samples::scaled();
        let reports = [
            crate::full_markdown(&record, None),
            crate::full_terminal(&record, crate::Style::PLAIN),
        ];
        for report in reports {
            assert_eq!(report.matches("plaintext by workers").count(), 1);
            assert!(!report.contains("there is no ratio"), "{report}");
        }
    }

    #[test]
    fn without_any_figure_there_is_no_table_of_cpu_time() {
        let mut record = samples::scaled();
        for cell in &mut record.summary {
            cell.metrics.clear();
        }
        let text = terminal(&sections(&record), Style::PLAIN);
        assert!(text.contains("Speed-up") && !text.contains("CPU time"), "{text}");
    }

    #[test]
    fn a_run_of_one_width_for_all_has_none() {
        assert!(sections(&samples::varied()).is_empty());
    }
}
