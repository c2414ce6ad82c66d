//! The words of the site, which has none of its own: what metrics, verdicts, protocols and tiers are called, what they mean, and
//! by which thresholds. `docs/published/words.json` has them; the site is built with that file.

use schemars::JsonSchema;
use serde::Serialize;

use crate::labels;
use model::probe::{Group, ProbeFigure};
use model::scenario::Protocol;
use model::{Metric, Role, Tier, Verdict};

/// All words, each list in the order in which it is shown.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// Of metrics.
    pub metrics: Vec<MetricWords>,
    /// Of verdicts, the best first.
    pub verdicts: Vec<VerdictWords>,
    /// Of protocols.
    pub protocols: Vec<Named<Protocol>>,
    /// Of the tiers of frameworks.
    pub tiers: Vec<Named<Tier>>,
    /// Of the groups of cases that probe what breaks.
    pub groups: Vec<Named<Group>>,
    /// Of what those cases measure.
    pub probe_figures: Vec<Named<ProbeFigure>>,
}

/// The words of a metric.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MetricWords {
    /// As it stands in a record.
    pub id: Metric,
    /// What it is called.
    pub label: String,
    /// Unit in which it is shown.
    pub unit: String,
    /// Divides the figure of a record to get that unit.
    pub divisor: f64,
    /// Which way it is better.
    pub better: Better,
    /// How to read it, in a sentence or two.
    pub reading: String,
}

/// Which way a metric is better.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// Less is better.
    Less,
    /// More is better.
    More,
}

/// The words of a verdict.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerdictWords {
    /// As it stands in a record.
    pub id: Verdict,
    /// What it is called.
    pub label: String,
    /// What happened, in a sentence.
    pub happened: String,
    /// Which figures count all the same.
    pub counts: String,
}

/// What something is called.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Named<T> {
    /// As it stands in a record.
    pub id: T,
    /// What it is called.
    pub label: String,
}

impl Words {
    /// All of them.
    pub fn all() -> Self {
        fn named<T: Copy>(ids: &[T], label: impl Fn(T) -> &'static str) -> Vec<Named<T>> {
            let label = |id: &T| Named {
                id: *id,
                label: label(*id).to_owned(),
            };
            ids.iter().map(label).collect()
        }
        Self {
            metrics: Metric::ALL.map(of_metric).into(),
            verdicts: Verdict::ALL.iter().copied().map(of_verdict).collect(),
            protocols: named(&Protocol::ALL, labels::protocol),
            tiers: named(&Tier::ALL, |tier| labels::group(Role::Framework, tier)),
            groups: named(Group::ALL, Group::title),
            probe_figures: named(ProbeFigure::ALL, ProbeFigure::title),
        }
    }
}

fn of_metric(id: Metric) -> MetricWords {
    MetricWords {
        id,
        label: match id {
            Metric::LatencyP50Ms | Metric::LatencyP99Ms => format!("Latency {}", id.name()),
            _ => id.name().to_owned(),
        },
        unit: id.unit().to_owned(),
        divisor: id.divisor(),
        better: if id.more_is_better() {
            Better::More
        } else {
            Better::Less
        },
        reading: id.reading(),
    }
}

fn of_verdict(id: Verdict) -> VerdictWords {
    let (first, rest) = id.what_happened().split_at(1);
    VerdictWords {
        id,
        label: id.name().to_owned(),
        happened: format!("{}{rest}{}.", first.to_uppercase(), id.details()),
        counts: counts(id),
    }
}

fn counts(verdict: Verdict) -> String {
    let lost = Metric::ALL.into_iter().filter(|metric| !metric.stands_under(verdict));
    let lost: Vec<String> = lost.map(|metric| labels::lower_first(metric.name())).collect();
    match lost.len() {
        0 => "everything".to_owned(),
        all if all == Metric::ALL.len() => "nothing".to_owned(),
        _ => format!("all but {}", labels::list(&lost)),
    }
}
