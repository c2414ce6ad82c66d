//! What varying one property costs: for each scenario and each property that was varied, one table of apps and variations.
//! Protocols, numbers of connections, rates, containers and load generators are all shown like this.

use analyze::variations;
use analyze::variations::Family;
use model::escape::{NAME, clean};
use model::scenario::{Dimension, Isolation, LoadModel, Scenario};
use model::{AppRecord, Metric, Record};

use super::document::Medium::{Markdown, Terminal};
use super::document::{Block, Mark, Rows, Text, joined, name, own, text};
use super::table::Table;
use super::{figure, labels, table};

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
    let mut rows = Rows::of(table::apps(record)).words("App", |app| table::label(app));
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
        return Text::from(missing.map_or("not measured", table::Missing::word)).italic();
    };
    let plain = family.plain.filter(|plain| plain.id != scenario.id);
    // A ratio to an untrusted figure is not valid either.
    let is_trusted =
        |plain: &Scenario, metric| table(plain).and_then(|table| table.row(app)?.trusted(metric)).is_some();
    let line = |metric: Metric| {
        let summary = row.metric(metric)?;
        if !metric.is_known_in(scenario) {
            return None;
        }
        let unit = own(format!("\u{a0}{}", metric.unit())).only(Markdown);
        let value = text![own(figure::number(metric, summary.median)), unit].trusted(summary.trusted);
        let plain = plain.filter(|plain| summary.trusted && comparable(metric, plain, scenario));
        let plain = plain.filter(|plain| is_trusted(plain, metric));
        let added = plain.filter(|_| metric == Metric::InstructionsPerRequest);
        let added = added.and_then(|plain| variations::difference(record, app, metric, &scenario.id, &plain.id));
        let added = added.map(|added| own(more(added.median, scenario)).only(Markdown));
        let ratio = plain.and_then(|plain| variations::ratio(record, app, metric, &scenario.id, &plain.id));
        let ratio = ratio.map(|ratio| {
            let interval = format!(" {}", figure::ratio_interval(&ratio));
            let times = own(format!("×{}", figure::ratio(ratio.estimate)));
            text![" ", text![times, own(interval.trim_end()).only(Markdown)].small()]
        });
        let short = metric.short().map(|short| format!("{} ", labels::lower_first(short)));
        let line = text![own(short.unwrap_or_default()).only(Markdown), value, ratio, added];
        Some(line.marked_if(metric != Metric::ServerCpuUsPerRequest, Mark::Only(Markdown)))
    };
    let no_tails = labels::too_few_requests(scenario).map(|few| own(few).only(Markdown));
    let lines = metrics(family.by, scenario.load)
        .into_iter()
        .filter_map(line)
        .chain(no_tails);
    joined(lines, Text::from("\n").only(Markdown))
}

/// ` (500 more for each layer)`, ` (310 more)`: a count less the same in the plain scenario.
fn more(count: f64, varied: &Scenario) -> String {
    let layers = varied.service.map_or(0, |served| served.layers);
    let each = if layers > 0 { " for each layer" } else { "" };
    let word = if count < 0.0 { "fewer" } else { "more" };
    let count = count.abs() / f64::from(layers.max(1));
    format!(" ({} {word}{each})", figure::significant(count))
}

/// The metrics of a variation: the cost of a request, the headline of the load, and for containers memory and start-up.
fn metrics(by: Dimension, load: LoadModel) -> Vec<Metric> {
    let mut metrics = vec![Metric::ServerCpuUsPerRequest, Metric::headline(load)];
    if matches!(load, LoadModel::Open { .. }) {
        metrics.extend(Metric::ALL.into_iter().filter(|metric| metric.is_tail()));
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
        Dimension::Refusal => (
            "refusals",
            "Requests that must be refused, each with a status 4xx of the server's choice, next to a good one.",
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
        Dimension::Refusal if scenario.refused => clean(&scenario.title, 2 * NAME),
        Dimension::Refusal => "the good answer".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use model::scenario::Varies;
    use model::{Served, Service, Trial};

    use super::*;
    use crate::document::markdown;

    fn all(record: &Record) -> Vec<String> {
        let sections = sections(record, &table::tables(record));
        sections.iter().map(|section| markdown(section)).collect()
    }

    #[test]
    fn as_markdown() {
        insta::assert_snapshot!(all(&samples::varied()).join("\n"));
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

    #[test]
    fn a_layer_costs_the_difference_of_two_counts() {
        let mut record = samples::record();
        let old = record.scenarios[0].clone();
        let id = |layers: u32| format!("middleware-{layers}");
        let scenario = |layers: u32| Scenario {
            id: id(layers),
            service: Some(Served {
                kind: Service::Middleware,
                routes: 1,
                layers,
                message_bytes: None,
            }),
            varies: (layers > 0).then(|| Varies {
                like: id(0),
                by: Dimension::Layers,
            }),
            ..old.clone()
        };
        record.scenarios = [0, 20].map(scenario).to_vec();
        let is_of = |trial: &Trial| [&trial.app, &trial.variant, &trial.scenario] == ["actix-web", "default", &old.id];
        record.trials.retain(is_of);
        let trials = |layers: u32| {
            let counted = |trial: &Trial| Trial {
                scenario: id(layers),
                instructions_per_request: Some(2_000.0 + f64::from(500 * layers + trial.round)),
                ..trial.clone()
            };
            record.trials.iter().map(counted).collect::<Vec<_>>()
        };
        record.trials = [0, 20].map(trials).concat();
        record.apps[0].services = Some(model::Services {
            offers: [Service::Middleware].into(),
            ..model::Services::default()
        });
        record.summary = analyze::analysis::summary(&record.apps, &record.scenarios, &record.trials);
        let text = all(&record).concat();
        assert!(
            text.contains("instructions <sub>×") && text.contains(" (500 more for each layer)"),
            "{text}"
        );
    }
}
