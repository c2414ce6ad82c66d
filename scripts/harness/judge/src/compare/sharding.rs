//! A comparison that is divided among machines, an app wholly on one of them.
//!
//! The plan follows from what the change touches and from the number of machines alone. So each shard computes the same one from
//! the same two commits, and nothing has to be handed to it.
//!
//! A shard may spend the share of the false alarms that its series are of all series. By Bonferroni's inequality, all shards together
//! then name a change that is none in at most `false_alarms` of comparisons, and a series needs as many pairs until it can be named
//! as on one machine.

use std::cmp::Reverse;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use record::Environment;

/// Most shards: GitHub starts at most as many jobs of a matrix.
pub const MOST_SHARDS: u32 = 256;

/// How a comparison was divided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sharding {
    /// All shards, in the order of their numbers, which begin with 1.
    pub shards: Vec<Shard>,
    /// Number of the shard that this document is of; `None` if it is of all, merged.
    pub number: Option<u32>,
    /// The machines that measured, in the order of their shards. A shard that is missing here was lost.
    pub measured: Vec<MeasuredShard>,
}

/// What one machine is to measure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shard {
    /// Its apps by id, sorted.
    pub apps: Vec<String>,
    /// Series that they have at most: metrics of scenarios of variants.
    pub series: u32,
    /// Seconds that building and measuring take, estimated.
    pub seconds: u32,
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

/// An app that is to be measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedApp {
    /// Its id.
    pub id: String,
    /// Series that it has at most.
    pub series: u32,
    /// Seconds that building and measuring take, estimated.
    pub seconds: u32,
}

/// Divides apps among at most `most` machines so that the last is done early: the longest app first, each to the machine with the
/// least to do (R. L. Graham, SIAM Journal on Applied Mathematics 17, 1969: at most a third above the best division).
pub fn divide(apps: &[PlannedApp], most: u32) -> Vec<Shard> {
    let count = apps.len().min(usize::try_from(most).unwrap_or(usize::MAX));
    let empty = Shard {
        apps: Vec::new(),
        series: 0,
        seconds: 0,
    };
    let mut shards = vec![empty; count];
    let mut longest_first: Vec<&PlannedApp> = apps.iter().collect();
    longest_first.sort_by_key(|app| (Reverse(app.seconds), &app.id));
    for app in longest_first {
        let Some(free) = shards.iter_mut().min_by_key(|shard| shard.seconds) else {
            break;
        };
        free.apps.push(app.id.clone());
        free.series += app.series;
        free.seconds += app.seconds;
    }
    for shard in &mut shards {
        shard.apps.sort_unstable();
    }
    shards
}

impl Sharding {
    /// The share of the false alarms that a shard may spend; 0 for one that does not exist.
    pub fn share(&self, number: u32) -> f64 {
        let all: f64 = self.shards.iter().map(|shard| f64::from(shard.series)).sum();
        self.shard(number).map_or(0.0, |shard| f64::from(shard.series) / all)
    }

    /// The shard of this number.
    pub fn shard(&self, number: u32) -> Option<&Shard> {
        let index = usize::try_from(number.checked_sub(1)?).ok()?;
        self.shards.get(index)
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

    /// Shards of a merged comparison that sent no result, with their numbers.
    pub fn lost(&self) -> impl Iterator<Item = (u32, &Shard)> {
        let has_come = |number| self.measured.iter().any(|measured| measured.number == number);
        let is_merged = self.number.is_none();
        self.numbered()
            .filter(move |(number, _)| is_merged && !has_come(*number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app(id: &str, variants: u32) -> PlannedApp {
        PlannedApp {
            id: id.into(),
            series: 13 * variants,
            seconds: 500 * variants,
        }
    }

    #[test]
    fn every_app_is_in_one_shard_and_no_machine_waits_for_long() {
        let apps: Vec<PlannedApp> = (0..22).map(|n| app(&format!("app-{n:02}"), 1 + n % 3)).collect();
        let shards = divide(&apps, 10);
        assert_eq!(shards.len(), 10);
        let mut all: Vec<&String> = shards.iter().flat_map(|shard| &shard.apps).collect();
        all.sort();
        assert_eq!(all.len(), 22);
        all.dedup();
        assert_eq!(all.len(), 22);
        assert_eq!(shards.iter().map(|shard| shard.series).sum::<u32>(), 13 * 43);
        let seconds = || shards.iter().map(|shard| shard.seconds);
        assert!(seconds().max().unwrap() <= 500 * 5, "{shards:?}");
        assert_eq!(divide(&apps, 10), shards, "the same on each machine");
        assert!(shards.iter().all(|shard| shard.apps.is_sorted()));
    }

    #[test]
    fn there_are_no_more_shards_than_apps() {
        assert_eq!(divide(&[], 10), []);
        assert_eq!(divide(&[app("axum", 3)], 10).len(), 1);
        assert_eq!(divide(&[app("axum", 3), app("viz", 1)], 10).len(), 2);
    }

    #[test]
    fn the_shares_of_all_shards_are_one() {
        let shards = divide(&[app("axum", 3), app("viz", 1), app("warp", 1)], 2);
        let sharding = Sharding {
            shards,
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
