//! Which apps each machine compares, where a comparison is divided among several.

use std::str::FromStr;

use analyze::compare::outcome::Side;
use analyze::compare::sharding::{MOST_SHARDS, Shard, Sharding, divide};
use anyhow::bail;
use model::count;
use serde::Serialize;

use super::runner::ComparisonRequest;
use super::scope::{Scope, scope};
use apps::catalog::Catalog;

/// One of the shards of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShardRequest {
    /// Its number, from 1.
    pub number: u32,
    /// How many there are at most.
    pub most: u32,
}

impl FromStr for ShardRequest {
    type Err = String;

    /// `2/10`: the second of at most ten.
    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/');
        let parsed = parts.and_then(|(number, most)| Some((number.parse().ok()?, most.parse().ok()?)));
        match parsed {
            Some((number, most)) if (1..=most).contains(&number) && most <= MOST_SHARDS => Ok(Self { number, most }),
            _ => Err(format!(
                "write the number and how many there are at most, such as 2/10; at most {MOST_SHARDS}"
            )),
        }
    }
}

/// What the shards of a comparison are.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparisonPlan {
    /// What it is compared with.
    pub base: Side,
    /// What is proposed.
    pub head: Side,
    /// The shards, in the order of their numbers from 1; empty if the change touches no app.
    pub shards: Vec<Shard>,
}

/// How many machines, at most `most`, a comparison would be divided among, and which apps each would measure. Nothing is built.
pub fn plan(request: &ComparisonRequest, most: u32) -> anyhow::Result<ComparisonPlan> {
    let scope = scope(request, &Catalog::find()?)?;
    Ok(ComparisonPlan {
        shards: shards(&scope, most),
        base: scope.base.side,
        head: scope.head.side,
    })
}

/// Leaves the apps of one shard. `None` if there is one shard only: that is the whole comparison.
pub fn take_shard(scope: &mut Scope, shard: ShardRequest) -> anyhow::Result<Option<Sharding>> {
    let sharding = Sharding {
        shards: shards(scope, shard.most),
        number: Some(shard.number),
        measured: Vec::new(),
    };
    let shards = sharding.shards.len().max(1);
    if shards == 1 && shard.number == 1 {
        return Ok(None);
    }
    let Some(own) = sharding.shard(shard.number) else {
        bail!(
            "there is no shard {} of this comparison: it has {}; `bench compare --plan --shards {}` shows them",
            shard.number,
            count(shards, "shard"),
            shard.most
        );
    };
    if scope.head.side.dirty {
        bail!(
            "a working tree with changes cannot be divided among machines, which would not know that theirs is the same; commit first"
        );
    }
    scope.touched.retain(|touched| own.apps.contains(&touched.id));
    Ok(Some(sharding))
}

fn shards(scope: &Scope, most: u32) -> Vec<Shard> {
    let apps = scope.touched.iter().map(|touched| {
        let (before, after) = (scope.base.catalog.app(&touched.id), scope.head.catalog.app(&touched.id));
        let on_both = before.into_iter().zip(after).flat_map(|(before, after)| {
            let variants = after.variants.iter();
            variants.filter(|variant| before.variant(&variant.name).is_some())
        });
        (touched.id.clone(), u32::try_from(on_both.count()).unwrap_or(u32::MAX))
    });
    divide(apps.collect(), most)
}
