//! What varying one property costs: for each scenario and each property that was varied, one table of apps and variations.
//! Protocols, numbers of connections, rates, containers and load generators are all shown like this.

use judge::variations;
use judge::variations::Family;
use record::scenario::{Dimension, Isolation, LoadModel, Scenario};
use record::{Metric, Ratio, Record, Summary};

use super::document::Medium::{Markdown, Terminal};
use super::document::{self, Block, Text, joined, name, own, text};
use super::view::{Subject, Table};
use super::{figure, labels, view};

/// One table.
#[derive(Debug)]
pub struct Matrix {
    /// `plaintext by isolation`.
    pub title: Text,
    /// What is varied, and how to read the figures.
    pub about: &'static str,
    /// The variation in each column, the plain scenario first.
    pub columns: Vec<String>,
    /// Whether the others are divided by the first column.
    pub has_plain: bool,
    /// The apps, by name.
    pub rows: Vec<(String, Vec<Field>)>,
}

/// What an app did in one variation.
#[derive(Debug)]
pub enum Field {
    /// Why there is no figure: `not offered`, `crashed`.
    Nothing(&'static str),
    /// Its figures, CPU per request first.
    Figures(Vec<VariedFigure>),
}

/// One figure.
#[derive(Debug)]
pub struct VariedFigure {
    /// The metric.
    pub metric: Metric,
    /// Median.
    pub median: f64,
    /// Whether it is trusted.
    pub trusted: bool,
    /// Ratio to the same app's figure in the first column.
    pub ratio: Option<Ratio>,
}

/// All tables of a run; none where nothing was varied.
pub fn matrices(record: &Record, tables: &[Table<'_>]) -> Vec<Matrix> {
    // A run of costs has scenarios but no trials.
    if tables.is_empty() {
        return Vec::new();
    }
    let families = variations::families(&record.scenarios);
    families
        .iter()
        // What more workers are worth has tables of its own: `super::scaling`.
        .filter(|family| family.by != Dimension::Workers)
        .map(|family| matrix(record, tables, family))
        .collect()
}

fn matrix(record: &Record, tables: &[Table<'_>], family: &Family<'_>) -> Matrix {
    let row = |subject: Subject<'_>| {
        let fields = family
            .scenarios()
            .map(|scenario| field(record, tables, family, scenario, subject));
        (subject.label(), fields.collect())
    };
    Matrix {
        title: text![name(family.like), " by ", dimension(family.by)],
        about: about(family.by),
        columns: family.scenarios().map(|scenario| column(family.by, scenario)).collect(),
        has_plain: family.plain.is_some(),
        rows: view::subjects(record).into_iter().map(row).collect(),
    }
}

fn field(
    record: &Record,
    tables: &[Table<'_>],
    family: &Family<'_>,
    scenario: &Scenario,
    subject: Subject<'_>,
) -> Field {
    if subject.app.is_some_and(|app| !app.offers(scenario)) {
        return Field::Nothing("not offered");
    }
    let table = tables.iter().find(|table| table.scenario.id == scenario.id);
    let Some(row) = table.and_then(|table| table.row(subject)) else {
        let missing = table.and_then(|table| table.missing(subject));
        return Field::Nothing(missing.map_or("not measured", view::Missing::word));
    };
    let figure = |metric: Metric| {
        let Summary { median, trusted, .. } = *row.metric(metric)?;
        let plain = family.plain.filter(|plain| plain.id != scenario.id);
        let ratio = plain
            .zip(subject.app)
            .filter(|(plain, _)| comparable(metric, plain, scenario))
            // A ratio to an untrusted figure is not valid either.
            .filter(|(plain, _)| is_trusted(tables, plain, subject, metric))
            .and_then(|(plain, app)| variations::ratio(record, app, metric, &scenario.id, &plain.id));
        Some(VariedFigure {
            metric,
            median,
            trusted,
            ratio,
        })
    };
    Field::Figures(
        metrics(family.by, scenario.load)
            .into_iter()
            .filter_map(figure)
            .collect(),
    )
}

fn is_trusted(tables: &[Table<'_>], scenario: &Scenario, subject: Subject<'_>, metric: Metric) -> bool {
    let table = tables.iter().find(|table| table.scenario.id == scenario.id);
    table
        .and_then(|table| table.row(subject)?.metric(metric))
        .is_some_and(|summary| summary.trusted)
}

/// The metrics of a variation: the cost of a request, the headline of the load, and for containers memory and start-up.
fn metrics(by: Dimension, load: LoadModel) -> Vec<Metric> {
    let mut metrics = vec![Metric::ServerCpuUsPerRequest, Metric::headline(load)];
    if matches!(load, LoadModel::Open { .. }) {
        metrics.push(Metric::LatencyP99Ms);
    }
    if matches!(by, Dimension::Routes | Dimension::Layers) {
        metrics.push(Metric::InstructionsPerRequest);
    }
    if by == Dimension::Isolation {
        metrics.extend([Metric::RssPeakBytes, Metric::StartupMs]);
    }
    metrics
}

/// Whether the ratio makes sense: the headline of a load can be divided only where the load is the same.
fn comparable(metric: Metric, plain: &Scenario, varied: &Scenario) -> bool {
    matches!(metric, Metric::ServerCpuUsPerRequest | Metric::InstructionsPerRequest) || plain.load == varied.load
}

fn dimension(by: Dimension) -> &'static str {
    match by {
        Dimension::Protocol => "protocol",
        Dimension::Connections => "connections",
        Dimension::Rate => "rate",
        Dimension::KeepAlive => "keep-alive",
        Dimension::Isolation => "isolation",
        Dimension::Generator => "load generator",
        Dimension::Pool => "connections to the database",
        Dimension::Routes => "routes",
        Dimension::Layers => "layers of middleware",
        Dimension::Workers => "workers",
        Dimension::RoundTrip => "round-trip time",
    }
}

fn about(by: Dimension) -> &'static str {
    match by {
        Dimension::Protocol => "The same request and the same number of requests in flight.",
        Dimension::Connections => "The same request over more connections or fewer.",
        Dimension::Rate => "The same request at rates that are the same for all; latencies can be compared here.",
        Dimension::KeepAlive => "The same request over kept connections, or over a new one for each.",
        Dimension::Isolation => {
            "The same program on the same cpus, natively and in containers. Start-up lasts until the first answer, including \
             the engine's time. Behind the bridge, requests go to the published port on 127.0.0.1, as the engine is \
             configured; the CPU time of Docker's proxy, where it passes them on, is counted with the server's."
        }
        Dimension::Generator => "The same request, asked by another program.",
        Dimension::Pool => "The same request by servers with more connections to their database or fewer.",
        Dimension::Routes => "Random paths of a server with that many routes, a third of which have a parameter.",
        Dimension::Layers => "The same request through that many layers of middleware, each of which counts itself.",
        Dimension::Workers => "The same request to a server with that many workers, each with a cpu of its own.",
        Dimension::RoundTrip => "The same request over a network that adds so much to the way to the server and back.",
    }
}

/// A short name of a variation.
fn column(by: Dimension, scenario: &Scenario) -> String {
    match by {
        Dimension::Protocol => match scenario.streams {
            1 => labels::protocol(scenario.protocol).to_owned(),
            streams => {
                let (protocol, connections) = (labels::protocol(scenario.protocol), scenario.connections);
                format!("{protocol}, {connections} × {streams} streams")
            }
        },
        Dimension::Connections => labels::count(scenario.connections as usize, "connection"),
        Dimension::Rate => match scenario.load {
            LoadModel::Closed => "closed loop".to_owned(),
            LoadModel::Open { rate_rps } => format!("{} req/s", figure::significant(rate_rps)),
            LoadModel::Capacity { p99_ms } => format!("capacity within {} ms", figure::significant(p99_ms)),
        },
        Dimension::KeepAlive if scenario.keep_alive => "kept".to_owned(),
        Dimension::KeepAlive => "a new one for each request".to_owned(),
        Dimension::Isolation => match scenario.isolation {
            Isolation::Native => "native",
            Isolation::Docker => "container",
            Isolation::DockerBridge => "container, bridge",
        }
        .to_owned(),
        Dimension::Generator => scenario.generator.program().to_owned(),
        Dimension::Pool => {
            let pooled = scenario.database.map_or(0, |database| database.connections_per_worker);
            format!("{pooled} for each worker")
        }
        Dimension::Routes => labels::count(served(scenario).0, "route"),
        Dimension::Layers => labels::count(served(scenario).1, "layer"),
        Dimension::Workers => labels::count(scenario.workers.unwrap_or_default() as usize, "worker"),
        Dimension::RoundTrip => {
            let added = f64::from(scenario.round_trip_us.unwrap_or_default()) / 1e3;
            format!("{} ms", figure::significant(added))
        }
    }
}

/// Routes and layers of the server.
fn served(scenario: &Scenario) -> (usize, usize) {
    let served = scenario
        .service
        .map(|served| (served.routes as usize, served.layers as usize));
    served.unwrap_or_default()
}

/// The table and how to read it. A terminal has room for one figure, CPU time per request.
pub fn section(matrix: &Matrix) -> Vec<Block> {
    let mut table = document::Table::default();
    table.words("App", matrix.rows.iter().map(|(label, _)| label.clone()));
    for (place, column) in matrix.columns.iter().enumerate() {
        let fields = matrix.rows.iter().map(|(_, fields)| cell(&fields[place]));
        table.figures(column.clone(), fields);
    }
    let unit = Text::from(": CPU µs/req").only(Terminal);
    vec![
        Block::Heading(2, text![matrix.title.clone(), unit]),
        Block::Only(
            Markdown,
            vec![Block::Paragraph(text![matrix.about, " ", how_to_read(matrix)])],
        ),
        Block::Table(table),
    ]
}

fn how_to_read(matrix: &Matrix) -> Text {
    if !matrix.has_plain {
        return "The scenario that these vary is not part of this run, so there is no ratio.".into();
    }
    let rest = "\", paired within the rounds, with its 95 % interval where there are enough rounds.";
    text![
        "\"×\" is the ratio to the column \"",
        matrix.columns.first().cloned(),
        rest
    ]
}

fn cell(field: &Field) -> Text {
    match field {
        Field::Nothing(why) => Text::from(*why).italic(),
        Field::Figures(figures) => {
            let is_cpu = |found: &VariedFigure| found.metric == Metric::ServerCpuUsPerRequest;
            let cpu = figures.iter().find(|found| is_cpu(found)).map(line);
            let cpu = cpu.map(|cpu| cpu.only(Terminal));
            text![joined(figures.iter().map(line), "\n").only(Markdown), cpu]
        }
    }
}

fn line(found: &VariedFigure) -> Text {
    let name = match found.metric {
        Metric::ServerCpuUsPerRequest => "CPU ",
        Metric::LatencyP50Ms => "p50 ",
        Metric::LatencyP99Ms => "p99 ",
        Metric::RssPeakBytes => "peak ",
        Metric::StartupMs => "start ",
        _ => "",
    };
    let unit = own(format!("\u{a0}{}", found.metric.unit())).only(Markdown);
    let value = text![own(figure::number(found.metric, found.median)), unit].trusted(found.trusted);
    // An untrusted figure has no valid ratio.
    let ratio = found.ratio.as_ref().filter(|_| found.trusted).map(|ratio| {
        let interval = format!(" {}", figure::ratio_interval(ratio));
        let interval = own(interval.trim_end()).only(Markdown);
        text![
            " ",
            text![own(format!("×{}", figure::ratio(ratio.estimate))), interval].small()
        ]
    });
    text![Text::from(name).only(Markdown), value, ratio]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::document::markdown;
    use judge::sample;

    fn all() -> Vec<Matrix> {
        let record = sample::varied();
        matrices(&record, &view::tables(&record))
    }

    #[test]
    fn as_markdown() {
        let text: Vec<Block> = all().iter().flat_map(section).collect();
        insta::assert_snapshot!(markdown(&text));
    }

    #[test]
    fn every_row_has_every_column() {
        for matrix in all() {
            let text = markdown(&section(&matrix));
            let columns: Vec<_> = text
                .lines()
                .filter(|line| line.starts_with('|'))
                .map(|line| line.matches(" | ").count())
                .collect();
            assert!(columns.iter().all(|count| *count == matrix.columns.len()), "{text}");
        }
    }

    #[test]
    fn who_lacks_a_protocol_does_not_offer_it() {
        let matrix = all().remove(1);
        let row = matrix.rows.iter().find(|(label, _)| label == "rocket").unwrap();
        assert!(matches!(row.1[1], Field::Nothing("not offered")), "{row:?}");
    }

    #[test]
    fn a_ratio_to_a_figure_that_does_not_hold_is_not_shown() {
        let ratios = |record: &Record| {
            let matrix = matrices(record, &view::tables(record)).remove(0);
            let fields = matrix.rows.into_iter().flat_map(|(_, fields)| fields);
            let figures = fields.flat_map(|field| match field {
                Field::Figures(figures) => figures,
                Field::Nothing(_) => Vec::new(),
            });
            let of_goodput = figures.filter(|figure| figure.metric == Metric::GoodputRps);
            of_goodput.filter(|figure| figure.ratio.is_some()).count()
        };
        let mut record = sample::varied();
        assert!(ratios(&record) > 0);
        for cell in record.summary.iter_mut().filter(|cell| cell.scenario == "plaintext") {
            if let Some(summary) = cell.metrics.get_mut(&Metric::GoodputRps) {
                summary.trusted = false;
            }
        }
        assert_eq!(ratios(&record), 0);
    }

    #[test]
    fn a_run_that_varies_nothing_has_no_table() {
        let record = sample::record();
        assert!(matrices(&record, &view::tables(&record)).is_empty());
    }
}
