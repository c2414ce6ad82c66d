//! Accepts a comparison that was divided among machines only if its parts fit together.

use std::collections::BTreeSet;

use judge::compare::gates::Gates;
use judge::compare::outcome::{Comparison, Series, Status};
use judge::compare::sharding::{MOST_SHARDS, Sharding};

use super::check::{MOST_APPS, MOST_SERIES, environment, follows};
use super::field::{Checked, at_most, ensure, name};

/// What a series was judged by.
pub struct Level {
    /// The gates, with the share of false alarms of its shard.
    pub gates: Gates,
    /// Series among which they are divided.
    pub series: usize,
}

impl Level {
    /// That of one series.
    pub fn of(comparison: &Comparison, series: &Series, gates: &Gates) -> Self {
        let own = comparison.sharding.as_ref();
        let own = own.and_then(|sharding| Some((sharding, sharding.number_of(&series.app)?)));
        let Some((sharding, number)) = own else {
            return Self {
                gates: gates.clone(),
                series: comparison.series.len(),
            };
        };
        let beside = |other: &&Series| sharding.number_of(&other.app) == Some(number);
        Self {
            gates: gates.shared(sharding.share(number)),
            series: comparison.series.iter().filter(beside).count(),
        }
    }
}

/// Refuses shards that contradict each other or the apps of the comparison.
pub fn sharding(comparison: &Comparison) -> Checked {
    let Some(sharding) = &comparison.sharding else {
        return ensure(comparison.lost().next().is_none(), || {
            "an app of it was not measured, and it has no shards".into()
        });
    };
    plan(sharding)?;
    machines(sharding)?;
    let lost: BTreeSet<u32> = sharding.lost().map(|(number, _)| number).collect();
    let mut listed = BTreeSet::new();
    for (index, app) in comparison.apps.iter().enumerate() {
        let number = sharding.number_of(&app.id);
        let own = number.filter(|number| sharding.number.is_none_or(|own| own == *number));
        ensure(own.is_some(), || {
            format!("`apps[{index}]` is of no shard, or of another one")
        })?;
        let is_lost = own.is_some_and(|number| lost.contains(&number));
        ensure(is_lost == (app.status == Status::NotMeasured), || {
            format!("`apps[{index}]` has a status that contradicts what became of its shard")
        })?;
        listed.insert(&app.id);
    }
    let mut planned = sharding
        .numbered()
        .filter(|(number, _)| sharding.number.is_none_or(|own| own == *number))
        .flat_map(|(_, shard)| &shard.apps);
    ensure(planned.all(|app| listed.contains(app)), || {
        "an app of a shard is missing in `apps`".into()
    })
}

fn plan(sharding: &Sharding) -> Checked {
    let count = sharding.shards.len();
    ensure((2..=MOST_SHARDS as usize).contains(&count), || {
        format!("`sharding.shards` has {count} entries, and 2 to {MOST_SHARDS} can be")
    })?;
    let mut seen = BTreeSet::new();
    for (index, shard) in sharding.shards.iter().enumerate() {
        let place = format!("sharding.shards[{index}]");
        ensure(!shard.apps.is_empty(), || format!("`{place}` has no app"))?;
        for app in &shard.apps {
            name(&format!("{place}.apps"), app)?;
            ensure(seen.insert(app), || {
                format!("`{place}.apps` has an app that is there twice")
            })?;
        }
        let series = usize::try_from(shard.series).unwrap_or(usize::MAX);
        ensure((1..=MOST_SERIES).contains(&series), || {
            format!("`{place}.series` is an impossible number")
        })?;
    }
    at_most("sharding.shards", seen.len(), MOST_APPS)
}

fn machines(sharding: &Sharding) -> Checked {
    let numbers: Vec<u32> = sharding.measured.iter().map(|measured| measured.number).collect();
    let ascend = numbers.is_sorted_by(|one, next| one < next);
    let exist = numbers.iter().all(|number| sharding.shard(*number).is_some());
    let own = sharding.number.is_none_or(|own| numbers == [own]);
    ensure(ascend && exist && own && !numbers.is_empty(), || {
        "`sharding.measured` contradicts the shards".into()
    })?;
    for measured in &sharding.measured {
        follows(measured.started_at, measured.finished_at)?;
        measured.environment.as_ref().map_or(Ok(()), environment)?;
    }
    Ok(())
}
