//! The words of the site, which has none of its own: what metrics, verdicts, protocols and tiers are called, what they mean, and
//! by which thresholds. `docs/published/words.json` has them; the site is built with that file.

use serde::Serialize;
use serde_json::{Value, json};

use crate::labels;
use model::probe::{Group, ProbeFigure};
use model::scenario::Protocol;
use model::{Metric, Role, Tier, Verdict};

/// All words, each list in the order in which it is shown, each with its id as it stands in a record.
pub fn words() -> Value {
    json!({
        "metrics": Metric::ALL.map(metric),
        "verdicts": Verdict::ALL.iter().copied().map(verdict).collect::<Vec<_>>(),
        "protocols": named(&Protocol::ALL, labels::protocol),
        // Of frameworks.
        "tiers": named(Tier::ALL, |tier| labels::group(Role::Framework, tier)),
        // Of the cases that probe what breaks, and what they measure.
        "groups": named(Group::ALL, Group::title),
        "probe_figures": named(ProbeFigure::ALL, ProbeFigure::title),
    })
}

fn named<T: Copy + Serialize>(ids: &[T], label: impl Fn(T) -> &'static str) -> Vec<Value> {
    ids.iter().map(|id| json!({"id": id, "label": label(*id)})).collect()
}

fn metric(id: Metric) -> Value {
    json!({
        "id": id,
        "label": id.label(),
        "unit": id.unit(),
        // Where a trial has it.
        "field": id.field(),
        // Divides the figure of a record to get that unit.
        "divisor": id.divisor(),
        "better": if id.more_is_better() { "more" } else { "less" },
        "reading": id.reading(),
    })
}

fn verdict(id: Verdict) -> Value {
    let happened = format!("{}{}.", id.what_happened(), id.details());
    json!({
        "id": id,
        "label": id.name(),
        "happened": labels::upper_first(&happened),
        "counts": counts(id),
    })
}

/// Which figures count all the same.
fn counts(verdict: Verdict) -> String {
    let (kept, lost): (Vec<Metric>, _) = Metric::ALL.into_iter().partition(|metric| metric.stands_under(verdict));
    let named = |metrics: Vec<Metric>| {
        let names = metrics.into_iter().map(|metric| labels::lower_first(metric.name()));
        labels::list(&names.collect::<Vec<_>>())
    };
    match (kept.len(), lost.len()) {
        (_, 0) => "everything".to_owned(),
        (0, _) => "nothing".to_owned(),
        (kept_number, lost_number) if kept_number < lost_number => named(kept),
        _ => format!("all but {}", named(lost)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_metric_is_where_a_trial_has_it() {
        let trials = samples::full().trials;
        for metric in Metric::ALL {
            let trial = trials.iter().find(|trial| metric.value(trial).is_some()).unwrap();
            let fields = serde_json::to_value(trial).unwrap();
            let path = format!("/{}", metric.field().replace('.', "/"));
            let found = fields.pointer(&path).and_then(Value::as_f64);
            assert_eq!(found, metric.value(trial), "{metric:?}");
        }
    }
}
