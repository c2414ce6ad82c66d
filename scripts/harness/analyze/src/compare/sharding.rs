//! A comparison that is divided among machines, an app wholly on one of them.
//!
//! The plan follows from what the change touches and from the number of machines alone. So each shard computes the same one from
//! the same two commits, and nothing has to be handed to it.
//!
//! A shard may spend a share of the false alarms equal to its share of all variants. By Bonferroni's inequality, all shards together
//! then name a change that is none in at most `false_alarms` of comparisons, and a series needs as many pairs until it can be named
//! as on one machine.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::outcome::{App, Comparison, Status};
use model::{DEFAULT_VARIANT, Environment};

/// Most shards: GitHub starts at most as many jobs of a matrix.
pub const MOST_SHARDS: u32 = 256;

/// How a comparison was divided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sharding {
    /// All shards, in the order of their numbers, which begin with 1.
    pub shards: Vec<Shard>,
    /// Number of this document's shard; `None` if it merges all shards.
    pub number: Option<u32>,
    /// The machines that measured, in the order of their shards. A shard that is missing here was lost.
    pub measured: Vec<MeasuredShard>,
}

/// What one machine is to measure.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shard {
    /// Its apps by id, sorted.
    pub apps: Vec<String>,
    /// Variants that they have on both sides.
    pub variants: u32,
}

/// A shard that was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeasuredShard {
    /// Its number.
    pub number: u32,
    /// Its machine; `None` if it found nothing to measure.
    pub environment: Option<Environment>,
    /// When it began, UTC.
    pub started_at: Timestamp,
    /// When it ended, UTC.
    pub finished_at: Timestamp,
}

/// Divides apps, with their variants, among at most `most` machines so that the last is done early: the longest app first, each to the
/// machine with the least to do (R. L. Graham, SIAM Journal on Applied Mathematics 17, 1969: at most a third above the best division).
pub fn divide(mut apps: Vec<(String, u32)>, most: u32) -> Vec<Shard> {
    let count = apps.len().min(usize::try_from(most).unwrap_or(usize::MAX));
    let mut shards = vec![Shard::default(); count];
    apps.sort_by_key(|(id, variants)| (Reverse(*variants), id.clone()));
    for (id, variants) in apps {
        if let Some(free) = shards.iter_mut().min_by_key(|shard| shard.variants) {
            free.apps.push(id);
            free.variants += variants;
        }
    }
    for shard in &mut shards {
        shard.apps.sort_unstable();
    }
    shards
}

impl Sharding {
    /// The share of the false alarms that a shard may spend; 0 for one that does not exist.
    pub fn share(&self, number: u32) -> f64 {
        // An app that is on one side only has no variant, and yet is to be measured by somebody.
        let weight = |shard: &Shard| f64::from(shard.variants.max(1));
        let all: f64 = self.shards.iter().map(weight).sum();
        self.shard(number).map_or(0.0, weight) / all
    }

    /// The shard of this number.
    pub fn shard(&self, number: u32) -> Option<&Shard> {
        self.numbered()
            .find_map(|(own, shard)| (own == number).then_some(shard))
    }

    /// The shards with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (u32, &Shard)> {
        (1..).zip(&self.shards)
    }

    /// The number of the shard of an app.
    pub fn number_of(&self, app: &str) -> Option<u32> {
        let mut all = self.numbered();
        all.find_map(|(number, shard)| shard.apps.iter().any(|own| own == app).then_some(number))
    }

    /// Shards that sent no result, with their numbers.
    pub fn lost(&self) -> impl Iterator<Item = (u32, &Shard)> {
        let has_come = |number| self.measured.iter().any(|measured| measured.number == number);
        self.numbered().filter(move |(number, _)| !has_come(*number))
    }
}

/// Merges shards of one comparison. Each has a name for messages, such as its file's.
///
/// A missing shard is no error: its apps are `not_measured`. One that is there twice, or that belongs to another comparison, is:
/// the message names it.
pub fn merge(shards: Vec<(String, Comparison)>) -> Result<Comparison, String> {
    let mut by_number: BTreeMap<u32, (String, Comparison, Sharding)> = BTreeMap::new();
    for (name, mut one) in shards {
        let own = one.sharding.take().and_then(|own| Some((own.number?, own)));
        let Some((number, own)) = own.filter(|(number, own)| own.shard(*number).is_some()) else {
            return Err(format!("{name} is no shard of a comparison"));
        };
        if let Some((first, other, planned)) = by_number.values().next() {
            let same = [
                ("another base", one.base == other.base),
                ("another head", one.head == other.head),
                ("another version of the harness", one.harness == other.harness),
                ("other rules (gates.toml)", one.gates == other.gates),
                ("another plan", own.shards == planned.shards),
            ];
            if let Some((differs, _)) = same.into_iter().find(|(_, same)| !same) {
                return Err(format!(
                    "{name} is a shard of another comparison than {first}: {differs}"
                ));
            }
        }
        if let Some((earlier, ..)) = by_number.insert(number, (name.clone(), one, own)) {
            return Err(format!("shard {number} is there twice: {earlier} and {name}"));
        }
    }
    let mut all = by_number.into_values();
    let (_, mut merged, mut sharding) = all.next().ok_or("there is no shard to merge")?;
    for (_, shard, own) in all {
        sharding.measured.extend(own.measured);
        merged.started_at = merged.started_at.min(shard.started_at);
        merged.finished_at = merged.finished_at.max(shard.finished_at);
        merged.environment = merged.environment.or(shard.environment);
        merged.apps.extend(shard.apps);
        merged.series.extend(shard.series);
        merged.explanations.extend(shard.explanations);
        match (&mut merged.probes, shard.probes) {
            (Some(probes), Some(more)) => probes.add(more),
            (probes, more) => *probes = probes.take().or(more),
        }
        merged.budget_spent |= shard.budget_spent;
        // What all shards warn of is said once.
        let new = shard.warnings.into_iter();
        let new: Vec<String> = new.filter(|warning| !merged.warnings.contains(warning)).collect();
        merged.warnings.extend(new);
    }
    sharding.number = None;
    for (number, shard) in sharding.lost() {
        merged.apps.extend(shard.apps.iter().map(|id| App {
            id: id.clone(),
            variant: DEFAULT_VARIANT.into(),
            status: Status::NotMeasured,
            reason: Some(format!("shard {number} sent no result")),
            ..App::default()
        }));
    }
    merged.apps.sort_by(|a, b| a.id.cmp(&b.id));
    merged.sharding = Some(sharding);
    Ok(merged.decided())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_app_is_in_one_shard_and_no_machine_waits_for_long() {
        let apps: Vec<(String, u32)> = (0..22).map(|n| (format!("app-{n:02}"), 1 + n % 3)).collect();
        let shards = divide(apps.clone(), 10);
        assert_eq!(shards.len(), 10);
        let mut all: Vec<&String> = shards.iter().flat_map(|shard| &shard.apps).collect();
        all.sort();
        assert_eq!(all.len(), 22);
        all.dedup();
        assert_eq!(all.len(), 22);
        assert_eq!(shards.iter().map(|shard| shard.variants).sum::<u32>(), 43);
        assert!(shards.iter().all(|shard| shard.variants <= 5), "{shards:?}");
        assert_eq!(divide(apps, 10), shards, "the same on each machine");
        assert!(shards.iter().all(|shard| shard.apps.is_sorted()));
    }

    #[test]
    fn there_are_no_more_shards_than_apps() {
        assert_eq!(divide(Vec::new(), 10), []);
        assert_eq!(divide(vec![("axum".into(), 3)], 10).len(), 1);
        assert_eq!(divide(vec![("axum".into(), 3), ("viz".into(), 1)], 10).len(), 2);
    }

    #[test]
    fn the_shares_of_all_shards_are_one() {
        let apps = [("axum", 3), ("viz", 1), ("warp", 1)].map(|(id, variants)| (id.to_owned(), variants));
        let sharding = Sharding {
            shards: divide(apps.into(), 2),
            number: None,
            measured: Vec::new(),
        };
        assert!((sharding.share(1) + sharding.share(2) - 1.0).abs() < 1e-12);
        assert!((sharding.share(1) - 0.6).abs() < 1e-12, "{sharding:?}");
        assert_eq!((sharding.share(0), sharding.share(3)), (0.0, 0.0));
        assert_eq!(sharding.number_of("warp"), Some(2));
        assert_eq!(sharding.number_of("rocket"), None);
        assert_eq!(sharding.lost().count(), 2);
    }
}
