//! What varying one property costs: for each scenario and each property that was varied, one table of apps and variations.
//! Protocols, numbers of connections, rates, containers and load generators are all shown like this.

use analyze::variations;
use analyze::variations::Family;
use model::scenario::{Dimension, Isolation, LoadModel, Scenario};
use model::{AppRecord, Metric, Record};

use super::document::Medium::{Markdown, Terminal};
use super::document::{Block, Rows, Text, joined, name, own, text};
use super::run::TOO_FEW_FOR_P99;
use super::view::Table;
use super::{figure, labels, view};

/// A heading, how to read it, and a table for each family of variations; nothing where nothing was varied. A terminal has room for one
/// figure, CPU time per request.
pub fn sections(record: &Record, tables: &[Table<'_>]) -> Vec<[Block; 3]> {
    // A run of costs has scenarios but no trials.
    if tables.is_empty() {
        return Vec::new();
    }
    let families = variations::families(&record.scenarios).into_iter();
    // Scaling with workers has tables of its own.
    let families = families.filter(|family| family.by != Dimension::Workers);
    families.map(|family| section(record, tables, &family)).collect()
}

fn section(record: &Record, tables: &[Table<'_>], family: &Family<'_>) -> [Block; 3] {
    let (by, about) = described(family.by);
    let mut rows = Rows::of(view::apps(record)).words("App", |app| view::label(app));
    for scenario in family.scenarios() {
        let title = column(family.by, scenario);
        rows = rows.figures(title, |app| cell(record, tables, family, scenario, app));
    }
    let unit = Text::from(": CPU µs/req").only(Terminal);
    let how_to_read = match family.scenarios().next().filter(|_| family.plain.is_some()) {
        None => "The scenario that these vary is not part of this run, so there is no ratio.".into(),
        Some(first) => {
            let rest = "\", paired within the rounds, with its 95 % interval where there are enough rounds.";
            text!["\"×\" is the ratio to the column \"", column(family.by, first), rest]
        }
    };
    let about = Block::Paragraph(text![about, " ", how_to_read]);
    [
        Block::Heading(2, text![name(family.like), " by ", by, unit]),
        Block::Only(Markdown, vec![about]),
        rows.table(),
    ]
}

/// What an app did in one variation: its figures, CPU per request first, or why there are none.
fn cell(record: &Record, tables: &[Table<'_>], family: &Family<'_>, scenario: &Scenario, app: &AppRecord) -> Text {
    if !app.offers(scenario) {
        return own("not offered").italic();
    }
    let table = |scenario: &Scenario| tables.iter().find(|table| table.scenario.id == scenario.id);
    let Some(row) = table(scenario).and_then(|table| table.row(app)) else {
        let missing = table(scenario).and_then(|table| table.missing(app));
        return Text::from(missing.map_or("not measured", view::Missing::word)).italic();
    };
    let plain = family.plain.filter(|plain| plain.id != scenario.id);
    // A ratio to an untrusted figure is not valid either.
    let is_trusted =
        |plain: &Scenario, metric| table(plain).and_then(|table| table.row(app)?.trusted(metric)).is_some();
    let line = |metric: Metric| {
        let summary = row.metric(metric)?;
        if metric == Metric::LatencyP99Ms && !scenario.has_p99() {
            return Some(own(TOO_FEW_FOR_P99).only(Markdown));
        }
        let unit = own(format!("\u{a0}{}", metric.unit())).only(Markdown);
        let value = text![own(figure::number(metric, summary.median)), unit].trusted(summary.trusted);
        let plain = plain.filter(|plain| summary.trusted && comparable(metric, plain, scenario));
        let plain = plain.filter(|plain| is_trusted(plain, metric));
        let ratio = plain.and_then(|plain| variations::ratio(record, app, metric, &scenario.id, &plain.id));
        let ratio = ratio.map(|ratio| {
            let interval = format!(" {}", figure::ratio_interval(&ratio));
            let times = own(format!("×{}", figure::ratio(ratio.estimate)));
            text![" ", text![times, own(interval.trim_end()).only(Markdown)].small()]
        });
        let line = text![Text::from(short(metric)).only(Markdown), value, ratio];
        Some(if metric == Metric::ServerCpuUsPerRequest {
            line
        } else {
            line.only(Markdown)
        })
    };
    let lines = metrics(family.by, scenario.load).into_iter().filter_map(line);
    joined(lines, Text::from("\n").only(Markdown))
}

fn short(metric: Metric) -> &'static str {
    match metric {
        Metric::ServerCpuUsPerRequest => "CPU ",
        Metric::LatencyP50Ms => "p50 ",
        Metric::LatencyP99Ms => "p99 ",
        Metric::RssPeakBytes => "peak ",
        Metric::StartupMs => "start ",
        _ => "",
    }
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

/// What is varied, and what that means.
fn described(by: Dimension) -> (&'static str, &'static str) {
    match by {
        Dimension::Protocol => (
            "protocol",
            "The same request and the same number of requests in flight.",
        ),
        Dimension::Connections => ("connections", "The same request over more connections or fewer."),
        Dimension::Rate => (
            "rate",
            "The same request at rates that are the same for all; latencies can be compared here.",
        ),
        Dimension::KeepAlive => (
            "keep-alive",
            "The same request over kept connections, or over a new one for each.",
        ),
        Dimension::Isolation => (
            "isolation",
            "The same program on the same cpus, natively and in containers. Start-up lasts until the first answer, including \
             the engine's time. Behind the bridge, requests go to the published port on 127.0.0.1, as the engine is \
             configured; the CPU time of Docker's proxy, where it passes them on, is counted with the server's.",
        ),
        Dimension::Generator => ("load generator", "The same request, sent by another program."),
        Dimension::Pool => (
            "connections to the database",
            "The same request by servers with more connections to their database or fewer.",
        ),
        Dimension::Routes => (
            "routes",
            "Random paths of a server with that many routes, a third of which have a parameter.",
        ),
        Dimension::Layers => (
            "layers of middleware",
            "The same request through that many layers of middleware, each of which counts itself.",
        ),
        Dimension::Workers => (
            "workers",
            "The same request to a server with that many workers, each with a cpu of its own.",
        ),
        Dimension::RoundTrip => (
            "round-trip time",
            "The same request over a network that adds so much to the way to the server and back.",
        ),
    }
}

/// A short name of a variation.
fn column(by: Dimension, scenario: &Scenario) -> String {
    let served = scenario.service;
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
        Dimension::Routes => labels::count(served.map_or(0, |served| served.routes as usize), "route"),
        Dimension::Layers => labels::count(served.map_or(0, |served| served.layers as usize), "layer"),
        Dimension::Workers => labels::count(scenario.workers.unwrap_or_default() as usize, "worker"),
        Dimension::RoundTrip => {
            let added = f64::from(scenario.round_trip_us.unwrap_or_default()) / 1e3;
            format!("{} ms", figure::significant(added))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::markdown;

    fn all(record: &Record) -> Vec<String> {
        let sections = sections(record, &view::tables(record));
        sections.iter().map(|section| markdown(section)).collect()
    }

    #[test]
    fn as_markdown() {
        insta::assert_snapshot!(all(&samples::varied()).join("\n"));
    }

    #[test]
    fn every_row_has_every_column() {
        for text in all(&samples::varied()) {
            let rows = text.lines().filter(|line| line.starts_with('|'));
            let columns: Vec<_> = rows.map(|line| line.matches(" | ").count()).collect();
            assert!(columns.iter().all(|count| *count == columns[0]), "{text}");
        }
    }

    #[test]
    fn who_lacks_a_protocol_does_not_offer_it() {
        let text = all(&samples::varied()).remove(1);
        assert!(text.contains("| rocket | *not measured* | *not offered* |"), "{text}");
    }

    #[test]
    fn a_ratio_to_a_figure_that_does_not_hold_is_not_shown() {
        let ratios = |record: &Record| all(record).remove(0).matches("req/s <sub>×").count();
        let mut record = samples::varied();
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
        assert!(all(&samples::record()).is_empty());
    }
}
