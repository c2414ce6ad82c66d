//! Preliminary figures of a run in progress: CPU time per request after one round.

use model::escape::{NAME, clean};
use model::{Cell, Metric, label};

use super::labels::grouped;
use super::terminal::{Style, wrapped};

const HEADING: &str = "first figures, from one round: CPU time per request ÷ reference; no ranks yet";

/// In place of spaces in an app's label and before its figure, so that no line ends there.
const TOGETHER: &str = "\u{a0}";

/// One line for each scenario, wrapped; the cheapest app first.
pub fn first_figures(cells: &[Cell]) -> String {
    let metric = Metric::ServerCpuUsPerRequest;
    let figures = cells.iter().filter_map(|cell| {
        let summary = cell.metrics.get(&metric)?;
        let ratio = summary.ratio.as_ref()?.estimate;
        let app = clean(&label(&cell.app, &cell.variant), NAME);
        Some((clean(&cell.scenario, NAME), (ratio, app, summary.trusted)))
    });
    let scenarios = grouped(figures);
    let width = scenarios.iter().map(|(scenario, _)| scenario.len()).max().unwrap_or(0);
    let mut lines = vec![HEADING.to_owned()];
    for (scenario, mut figures) in scenarios {
        figures.sort_by(|a, b| a.0.total_cmp(&b.0));
        let figures = figures.iter();
        let figures = figures.map(|(ratio, app, trusted)| {
            let figure = if *trusted {
                format!("{app} {ratio:.2}")
            } else {
                format!("{app} ({ratio:.2})")
            };
            figure.replace(' ', TOGETHER)
        });
        let figures = figures.collect::<Vec<_>>().join(", ");
        lines.extend(wrapped(Style::PLAIN.width, &format!("  {scenario:width$}  "), &figures));
    }
    lines.join("\n").replace(TOGETHER, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_scenario_has_its_apps_in_order_and_fits_the_terminal() {
        let mut cells = samples::record().summary;
        for cell in &mut cells {
            cell.app = format!("{}-by-another-name", cell.app);
        }
        let text = first_figures(&cells);
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        let ends_with_a_figure = |line: &str| {
            line.trim_end_matches([',', ')'])
                .ends_with(|end: char| end.is_ascii_digit())
        };
        assert!(text.lines().skip(1).all(ends_with_a_figure), "{text}");
        let (_, plaintext) = text.split_once("  plaintext").unwrap();
        let (plaintext, _) = plaintext.split_once("\n  json").unwrap();
        let ratios: Vec<f64> = plaintext
            .split([' ', ',', '\n', '(', ')'])
            .filter_map(|word| word.parse().ok())
            .collect();
        assert!(
            ratios.len() > 2 && ratios.is_sorted() && ratios.contains(&1.0),
            "{text}"
        );
    }
}
