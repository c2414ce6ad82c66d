//! One comparison of what the shards of a comparison have found.

use std::collections::BTreeMap;

use super::outcome::{App, Comparison, Status};
use super::probing::Probing;
use super::sharding::Sharding;
use record::DEFAULT_VARIANT;

/// Merges shards of one comparison. Each has a name for messages, such as that of its file.
///
/// A shard that is missing is no error: its apps are `not_measured`. One that is there twice, or that is of another comparison, is:
/// the message names it.
pub fn merge(shards: Vec<(String, Comparison)>) -> Result<Comparison, String> {
    let mut by_number: BTreeMap<u32, (String, Comparison, Sharding)> = BTreeMap::new();
    for (name, mut comparison) in shards {
        let own = comparison.sharding.take();
        let Some((number, sharding)) = own.and_then(|own| Some((own.number?, own))) else {
            return Err(format!("{name} is no shard of a comparison"));
        };
        if let Some((first, other, planned)) = by_number.values().next()
            && let Some(differs) = differs((other, planned), (&comparison, &sharding))
        {
            return Err(format!(
                "{name} is a shard of another comparison than {first}: {differs}"
            ));
        }
        if sharding.shard(number).is_none() {
            return Err(format!(
                "{name} is shard {number}, and there are {} only",
                sharding.shards.len()
            ));
        }
        if let Some((earlier, ..)) = by_number.insert(number, (name.clone(), comparison, sharding)) {
            return Err(format!("shard {number} is there twice: {earlier} and {name}"));
        }
    }
    let mut all = by_number.into_values();
    let Some((_, mut merged, mut sharding)) = all.next() else {
        return Err("there is no shard to merge".into());
    };
    for (_, shard, own) in all {
        sharding.measured.extend(own.measured);
        merged.started_at = merged.started_at.min(shard.started_at);
        merged.finished_at = merged.finished_at.max(shard.finished_at);
        merged.environment = merged.environment.or(shard.environment);
        merged.apps.extend(shard.apps);
        merged.series.extend(shard.series);
        merged.probes = both(merged.probes, shard.probes);
        merged.budget_spent |= shard.budget_spent;
        // What all shards warn of is said once.
        let new = shard.warnings.into_iter();
        let new: Vec<String> = new.filter(|warning| !merged.warnings.contains(warning)).collect();
        merged.warnings.extend(new);
    }
    sharding.number = None;
    let lost = sharding.lost().flat_map(|(number, shard)| {
        let app = move |id: &String| App {
            id: id.clone(),
            variant: DEFAULT_VARIANT.into(),
            status: Status::NotMeasured,
            reason: Some(format!("shard {number} sent no result")),
            causes: Vec::new(),
            dependencies: Vec::new(),
        };
        shard.apps.iter().map(app)
    });
    merged.apps.extend(lost);
    merged.apps.sort_by(|a, b| a.id.cmp(&b.id));
    merged.series.sort_by(|a, b| a.app.cmp(&b.app));
    merged.sharding = Some(sharding);
    merged.decision = merged.decide();
    Ok(merged)
}

/// What differs, if two shards are not of one comparison.
fn differs(one: (&Comparison, &Sharding), other: (&Comparison, &Sharding)) -> Option<&'static str> {
    let ((one, planned), (other, differently)) = (one, other);
    let same = [
        ("another base", one.base == other.base),
        ("another head", one.head == other.head),
        ("another version of the harness", one.harness == other.harness),
        ("another schema version", one.schema_version == other.schema_version),
        ("other rules (gates.toml)", one.gates == other.gates),
        ("another plan", planned.shards == differently.shards),
        ("other apps are untouched", one.untouched == other.untouched),
    ];
    same.into_iter().find_map(|(what, same)| (!same).then_some(what))
}

fn both(one: Option<Probing>, other: Option<Probing>) -> Option<Probing> {
    let (mut one, other) = match (one, other) {
        (Some(one), Some(other)) => (one, other),
        (one, other) => return one.or(other),
    };
    for case in other.cases {
        if !one.cases.iter().any(|known| known.id == case.id) {
            one.cases.push(case);
        }
    }
    one.apps.extend(other.apps);
    Some(one)
}
