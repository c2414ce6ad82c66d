//! What a route and a layer of middleware cost: how many more instructions a request takes than with one route and no layer.

use analyze::analysis::usable_in;
use analyze::variations;
use model::scenario::{Dimension, Scenario};
use model::{AppRecord, Metric, Record};

use super::document::{Block, Rows};
use super::{figure, view};

const METRIC: Metric = Metric::InstructionsPerRequest;

const ABOUT: &str = "How many more instructions in user space a request takes than with one route and no layer. \
    The figure of a layer is divided by the number of layers. *Repeats within* is the largest deviation of a count of these \
    requests from its median over the rounds.";

/// A scenario with more routes or layers than the one that it varies.
struct Step<'a> {
    plain: &'a Scenario,
    varied: &'a Scenario,
    /// What its cost is divided by.
    layers: Option<u32>,
}

impl Step<'_> {
    fn heading(&self) -> String {
        let routes = self.varied.service.map_or(0, |served| served.routes);
        match self.layers {
            Some(layers) => format!("A layer of {layers}"),
            None => format!("Among {routes} routes"),
        }
    }

    fn cost(&self, record: &Record, app: &AppRecord) -> Option<f64> {
        let found = variations::difference(record, app, METRIC, &self.varied.id, &self.plain.id)?;
        Some(found.median / f64::from(self.layers.unwrap_or(1)))
    }
}

/// The section of the report; nothing where no routes or layers were counted.
pub fn section(record: &Record) -> Vec<Block> {
    let steps = steps(record);
    let apps = view::apps(record);
    let costs = |app| steps.iter().map(|step| step.cost(record, app)).collect::<Vec<_>>();
    let rows = apps.iter().map(|app| (*app, costs(app)));
    let rows: Vec<_> = rows.filter(|(_, costs)| costs.iter().any(Option::is_some)).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let mut table = Rows::of(rows).words("App", |(app, _)| view::label(app));
    for (place, step) in steps.iter().enumerate() {
        let cost = |cost| figure::number(METRIC, cost);
        table = table.figures(step.heading(), |(_, costs)| costs[place].map(cost));
    }
    let repeats = |app| figure::significant(deviation(record, app, &steps) * 100.0);
    let table = table.figures("Repeats within", |(app, _)| format!("{} %", repeats(app)));
    let heading = Block::Heading(2, "What a route and a layer cost".into());
    vec![heading, Block::paragraph(ABOUT), table.table()]
}

fn steps(record: &Record) -> Vec<Step<'_>> {
    let mut steps = Vec::new();
    for family in variations::families(&record.scenarios) {
        let Some(plain) = family.plain else { continue };
        for varied in family.variations {
            let layers = varied.service.map_or(0, |served| served.layers);
            let layers = match family.by {
                Dimension::Routes => None,
                Dimension::Layers if layers > 0 => Some(layers),
                _ => continue,
            };
            steps.push(Step { plain, varied, layers });
        }
    }
    steps
}

/// The largest deviation of a count from its median, as a share of it.
fn deviation(record: &Record, app: &AppRecord, steps: &[Step<'_>]) -> f64 {
    let scenarios = steps.iter().flat_map(|step| [&step.plain.id, &step.varied.id]);
    let of_scenario = |id: &String| {
        let trials = usable_in(record, app, id);
        let counts: Vec<f64> = trials.iter().filter_map(|trial| METRIC.value(trial)).collect();
        let median = stats::median(&counts)?;
        counts.iter().map(|count| (count / median - 1.0).abs()).reduce(f64::max)
    };
    scenarios.filter_map(of_scenario).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use model::scenario::Varies;
    use model::{Served, Service};

    use super::*;

    #[test]
    fn a_layer_costs_the_difference_of_two_counts() {
        let mut record = samples::record();
        assert!(section(&record).is_empty());
        let served = |kind, layers| {
            Some(Served {
                kind,
                routes: 1,
                layers,
                message_bytes: None,
            })
        };
        let mut plain = record.scenarios[0].clone();
        plain.service = served(Service::Middleware, 0);
        plain.id = "middleware-0".into();
        let varied = Scenario {
            id: "middleware-20".into(),
            service: served(Service::Middleware, 20),
            varies: Some(Varies {
                like: "middleware-0".into(),
                by: Dimension::Layers,
            }),
            ..plain.clone()
        };
        let old = record.scenarios[0].id.clone();
        record
            .trials
            .retain(|trial| trial.app == "actix-web" && trial.variant == "default" && trial.scenario == old);
        let more = record.trials.iter().cloned().map(|mut trial| {
            trial.scenario = "middleware-20".into();
            trial.instructions_per_request = Some(12_000.0 + f64::from(trial.round));
            trial
        });
        let more: Vec<_> = more.collect();
        for trial in &mut record.trials {
            trial.scenario = "middleware-0".into();
            trial.instructions_per_request = Some(2_000.0 + f64::from(trial.round));
        }
        record.trials.extend(more);
        record.scenarios = vec![plain, varied];
        let table = crate::document::markdown(&section(&record));
        assert!(table.contains("| App | A layer of 20 | Repeats within |"), "{table}");
        assert!(table.contains("actix-web | 500 |"), "{table}");
    }
}
