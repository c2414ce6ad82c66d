//! What more workers are worth: for each request one table of apps and widths, with the law that they follow.

use crate::report::table::{NAME_WIDTH, wrapped};
use crate::report::{figure, table, words};
use judge::scaling::{Curve, Law, NoLaw, Point, curves};
use judge::stats::Estimate;
use record::escape::{NAME, clean, cut, markdown as text};
use record::{Metric, Ratio, Record};

const ABOUT: &str = "Speed-up: what the server answered with so many workers ÷ what it answered with one, paired within the rounds, with its \
    95 % interval; without any loss it is the number of workers. σ is the share of the work that only one worker can do at a time \
    (contention), κ what each pair of workers costs (coherency): the Universal Scalability Law, \
    goodput(n) = λn ÷ (1 + σ(n − 1) + κn(n − 1)), with 95 % intervals; of two widths Amdahl's law, which has no κ.";

/// All curves of one request.
#[derive(Debug)]
pub struct Section<'a> {
    like: &'a str,
    curves: Vec<Curve<'a>>,
    /// Numbers of workers, ascending.
    widths: Vec<u32>,
    /// Cores of the servers, where some workers share one.
    shared: Option<u32>,
}

/// The sections of a run, in the order of its scenarios; none where no server was measured at several widths.
pub fn sections(record: &Record) -> Vec<Section<'_>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    for curve in curves(record) {
        let known = sections.iter_mut().find(|section| section.like == curve.like);
        match known {
            Some(section) => section.curves.push(curve),
            None => sections.push(Section {
                like: curve.like,
                widths: Vec::new(),
                shared: None,
                curves: vec![curve],
            }),
        }
    }
    for section in &mut sections {
        let points = || section.curves.iter().flat_map(|curve| &curve.points);
        let mut widths: Vec<u32> = points().map(|point| point.workers).collect();
        widths.sort_unstable();
        widths.dedup();
        let shared = points().any(|point| !point.own_cores);
        (section.widths, section.shared) = (widths, record.environment.server_cores.filter(|_| shared));
    }
    sections
}

impl Section<'_> {
    fn title(&self) -> String {
        format!("{} by workers", clean(self.like, NAME))
    }

    /// What is to be known of single apps and widths.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(cores) = self.shared {
            let shared = self.widths.iter().filter(|workers| **workers > cores);
            let shared: Vec<String> = shared.map(ToString::to_string).collect();
            notes.push(format!(
                "With {} workers, some share one of {cores} cores, and two threads of a core are not worth two cores: shown, and not \
                 fitted.",
                words::list(&shared)
            ));
        }
        let mut grouped: Vec<(LeftOut, Vec<String>)> = Vec::new();
        for curve in &self.curves {
            let Some(left_out) = left_out(curve) else { continue };
            match grouped.iter_mut().find(|(known, _)| *known == left_out) {
                Some((_, labels)) => labels.push(label(curve)),
                None => grouped.push((left_out, vec![label(curve)])),
            }
        }
        let note = |(LeftOut { what, why }, labels): &(LeftOut, Vec<String>)| {
            format!("{what} of {}: {why}.", words::list(labels))
        };
        notes.extend(grouped.iter().map(note));
        notes
    }
}

/// What is missing of an app, and why.
#[derive(Debug, PartialEq, Eq)]
struct LeftOut {
    what: String,
    why: &'static str,
}

/// Widths of an app that are left out of its law, or all of it.
fn left_out(curve: &Curve<'_>) -> Option<LeftOut> {
    let all = |why| LeftOut {
        what: "Neither σ nor κ".to_owned(),
        why,
    };
    match curve.law {
        // Failures are listed with their reasons.
        Err(NoLaw::NoStart(verdict)) if words::is_failure(verdict) => None,
        Err(NoLaw::NoStart(verdict)) => Some(LeftOut {
            what: "No goodput of one worker, and so no speed-up,".to_owned(),
            why: words::meaning(verdict),
        }),
        Err(NoLaw::TooFewWidths) => Some(all(
            "fewer than two widths with a core for each worker have a goodput that is trusted",
        )),
        Err(NoLaw::NoRound) => Some(all("no round has all widths")),
        Ok(_) => {
            let lost = |point: &&Point<'_>| point.own_cores && point.trusted(Metric::GoodputRps).is_none();
            let lost: Vec<&Point<'_>> = curve.points.iter().filter(lost).collect();
            let why = words::meaning(lost.first()?.cell.verdict);
            let widths: Vec<String> = lost.iter().map(|point| point.workers.to_string()).collect();
            Some(LeftOut {
                what: format!("Without {} workers in the fit", words::list(&widths)),
                why,
            })
        }
    }
}

/// The table in Markdown, under a heading.
pub fn markdown(section: &Section<'_>) -> String {
    let widths = section
        .widths
        .iter()
        .map(|width| words::count(*width as usize, "worker"));
    let header: Vec<String> = std::iter::once("App".to_owned())
        .chain(widths)
        .chain(["σ", "κ"].map(ToOwned::to_owned))
        .collect();
    let rows = section.curves.iter().map(|curve| {
        let widths = section.widths.iter().map(|width| cell(at(curve, *width)));
        let law = parameters(curve).map(|[estimate, interval]| format!("{estimate}<br><sub>{interval}</sub>"));
        std::iter::once(text(&curve.app.label()))
            .chain(widths)
            .chain(law.map(|law| law.replace("<br><sub></sub>", "")))
            .collect::<Vec<String>>()
    });
    let notes: Vec<String> = section.notes().iter().map(|note| format!("- {}", text(note))).collect();
    let mut blocks = vec![
        format!("## {}", text(&section.title())),
        ABOUT.to_owned(),
        table::markdown(&header, &[0], rows),
    ];
    blocks.extend((!notes.is_empty()).then(|| notes.join("\n")));
    blocks.join("\n\n")
}

fn at<'a, 'b>(curve: &'b Curve<'a>, workers: u32) -> Option<&'b Point<'a>> {
    curve.points.iter().find(|point| point.workers == workers)
}

/// Speed-up, goodput and CPU time of a width.
fn cell(point: Option<&Point<'_>>) -> String {
    let Some(point) = point else {
        return figure::NONE.to_owned();
    };
    let of = |metric: Metric| {
        let found = point.figure(metric)?;
        let value = figure::value(metric, found.median).replace(' ', "&nbsp;");
        Some(figure::struck_unless(found.trusted, value))
    };
    let (goodput, cpu) = (of(Metric::GoodputRps), of(Metric::ServerCpuUsPerRequest));
    let ratio = point
        .cpu_ratio
        .as_ref()
        .map(|ratio| format!("&nbsp;×{}", figure::ratio(ratio.estimate)));
    let cpu = cpu.map(|cpu| cpu + &ratio.unwrap_or_default());
    let figures: Vec<String> = [goodput, cpu].into_iter().flatten().collect();
    if figures.is_empty() {
        return format!("*{}*", words::verdict(point.cell.verdict));
    }
    format!("{}<br><sub>{}</sub>", speed_up(point), figures.join("<br>"))
}

/// The speed-up of a width with its interval, or the verdict that leaves none.
fn speed_up(point: &Point<'_>) -> String {
    match &point.speed_up {
        Some(ratio) => format!(
            "**{}** {}",
            figure::ratio(ratio.estimate),
            figure::ratio_interval(ratio)
        ),
        None if point.trusted(Metric::GoodputRps).is_none() => format!("*{}*", words::verdict(point.cell.verdict)),
        None if point.workers == 1 => "**1**".to_owned(),
        None => figure::NONE.to_owned(),
    }
    .trim_end()
    .to_owned()
}

/// σ and κ, each with its interval.
fn parameters(curve: &Curve<'_>) -> [[String; 2]; 2] {
    let written = |of: Estimate| {
        let interval = of.interval.map(|interval| {
            let [low, high] = [interval.low, interval.high].map(figure::significant);
            format!("[{low}, {high}]")
        });
        [figure::significant(of.median), interval.unwrap_or_default()]
    };
    let none = || [figure::NONE.to_owned(), String::new()];
    match curve.law {
        Ok(Law { contention, coherency }) => [written(contention), coherency.map_or_else(none, written)],
        Err(_) => [none(), none()],
    }
}

/// The tables for a terminal: speed-ups, the law, and CPU time per request. Goodput stands in the tables of the widths.
pub fn terminal(section: &Section<'_>) -> [Vec<String>; 3] {
    let widths: Vec<String> = section.widths.iter().map(ToString::to_string).collect();
    let by_width = |title: &str, field: &dyn Fn(&Point<'_>) -> String| {
        let row = |curve: &Curve<'_>| {
            let fields = section
                .widths
                .iter()
                .map(|width| at(curve, *width).map_or(figure::NONE.to_owned(), field));
            std::iter::once(label(curve)).chain(fields).collect()
        };
        let header = std::iter::once("").chain(widths.iter().map(String::as_str));
        let mut lines = vec![format!("{}: {title}", section.title())];
        lines.extend(table::terminal(header, &[0], section.curves.iter().map(row)));
        lines
    };
    let law = |curve: &Curve<'_>| [vec![label(curve)], parameters(curve).concat()].concat();
    let fitted = section.curves.iter().filter(|curve| curve.law.is_ok()).map(law);
    let mut laws = vec![format!(
        "{}: contention σ and coherency κ, with 95 % intervals",
        section.title()
    )];
    let fitted: Vec<Vec<String>> = fitted.collect();
    if !fitted.is_empty() {
        laws.extend(table::terminal(["", "σ", "", "κ", ""], &[0, 2, 4], fitted));
    }
    laws.extend(section.notes().iter().flat_map(|note| wrapped("", note)));
    [
        by_width(
            "speed-up over one worker, ± the longer side of its 95 % interval",
            &short,
        ),
        laws,
        by_width("CPU µs/req, × that of one worker", &cost),
    ]
}

fn label(curve: &Curve<'_>) -> String {
    cut(&clean(&curve.app.label(), NAME), NAME_WIDTH)
}

fn short(point: &Point<'_>) -> String {
    match &point.speed_up {
        Some(ratio) => format!("{:.2} {}", ratio.estimate, half(ratio)).trim_end().to_owned(),
        None if words::is_failure(point.cell.verdict) => words::verdict(point.cell.verdict).to_owned(),
        None if point.workers == 1 && point.trusted(Metric::GoodputRps).is_some() => "1".to_owned(),
        None => figure::NONE.to_owned(),
    }
}

/// The longer side of the interval of a speed-up.
fn half(ratio: &Ratio) -> String {
    let interval = ratio.interval.map(|interval| {
        let half = (interval.high - ratio.estimate).max(ratio.estimate - interval.low);
        format!("±{half:.2}")
    });
    interval.unwrap_or_default()
}

fn cost(point: &Point<'_>) -> String {
    let metric = Metric::ServerCpuUsPerRequest;
    let Some(found) = point.figure(metric) else {
        return figure::NONE.to_owned();
    };
    let value = figure::number(metric, found.median);
    match &point.cpu_ratio {
        _ if !found.trusted => format!("({value})"),
        Some(ratio) => format!("{value} ×{}", figure::ratio(ratio.estimate)),
        None => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::sample;

    #[test]
    fn as_markdown() {
        let record = sample::scaled();
        let all: Vec<String> = sections(&record).iter().map(markdown).collect();
        insta::assert_snapshot!(all.join("\n\n"));
    }

    #[test]
    fn in_a_terminal() {
        let record = sample::scaled();
        let all: Vec<String> = sections(&record)
            .iter()
            .flat_map(terminal)
            .map(|lines| lines.join("\n"))
            .collect();
        assert!(
            all.iter()
                .flat_map(|text| text.lines())
                .all(|line| line.chars().count() <= 100),
            "{all:?}"
        );
        insta::assert_snapshot!(all.join("\n\n"));
    }

    #[test]
    fn both_reports_have_it_and_no_table_of_variations() {
        let record = sample::scaled();
        let reports = [
            crate::report::markdown(&record, None),
            crate::report::terminal(&record, crate::report::Style::Plain),
        ];
        for report in reports {
            assert_eq!(
                report.matches("plaintext by workers").count(),
                if report.starts_with('#') { 1 } else { 3 }
            );
            assert!(!report.contains("there is no ratio"), "{report}");
        }
    }

    #[test]
    fn a_run_of_one_width_for_all_has_none() {
        assert!(sections(&sample::varied()).is_empty());
    }
}
