//! Which apps each machine compares, where a comparison is divided among several.

use anyhow::bail;
use judge::compare::decide::looks;
use judge::compare::gates::Gates;
use judge::compare::outcome::Side;
use judge::compare::sharding::{PlannedApp, Shard, Sharding, divide};
use record::count;
use record::scenario::Scenario;
use serde::Serialize;

use super::changes::Touched;
use super::course::{ComparisonRequest, PAIR_SECONDS};
use super::scope::{Scope, scope};
use crate::catalog::{App, Catalog};

/// Seconds that both builds of a variant take, with link-time optimisation, on two cpus.
const BUILD_SECONDS: u32 = 240;

/// One of the shards of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShardRequest {
    /// Its number, from 1.
    pub number: u32,
    /// How many there are at most.
    pub most: u32,
}

/// How many machines, at most `most`, a comparison would be divided among, and which apps each would measure. Nothing is built.
pub fn plan(request: &ComparisonRequest, most: u32) -> anyhow::Result<ComparisonPlan> {
    let scope = scope(request, &Catalog::find()?)?;
    Ok(ComparisonPlan {
        shards: divide(&planned(&scope), most),
        base: scope.base.side,
        head: scope.head.side,
    })
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

/// Leaves the apps of one shard. `None` if there is one shard only: that is the whole comparison.
pub fn take_shard(scope: &mut Scope, shard: ShardRequest) -> anyhow::Result<Option<Sharding>> {
    let sharding = Sharding {
        shards: divide(&planned(scope), shard.most),
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

/// What the touched apps cost to compare.
fn planned(scope: &Scope) -> Vec<PlannedApp> {
    let cost = |touched: &Touched| {
        let (before, after) = (scope.base.catalog.app(&touched.id), scope.head.catalog.app(&touched.id));
        let (Some(before), Some(after)) = (before, after) else {
            return (0, 0); // nothing to compare it with
        };
        let variants = after
            .variants
            .iter()
            .filter(|variant| before.variant(&variant.name).is_some());
        let variants = u32::try_from(variants.count()).unwrap_or(u32::MAX);
        (variants, series_of(scope, before, after))
    };
    let costs: Vec<(u32, u32)> = scope.touched.iter().map(cost).collect();
    let all = costs.iter().map(|(variants, series)| variants * series).sum::<u32>();
    let each = looks(all as usize, &Gates::built_in())[0];
    let planned = scope
        .touched
        .iter()
        .zip(&costs)
        .map(|(touched, (variants, series))| PlannedApp {
            id: touched.id.clone(),
            // An app that is on one side only has none, and yet is the business of somebody.
            series: (variants * series).max(1),
            seconds: variants * (BUILD_SECONDS + each * PAIR_SECONDS),
        });
    planned.collect()
}

/// Series of one variant of an app, if everything can be measured.
fn series_of(scope: &Scope, before: &App, after: &App) -> u32 {
    let offered = |scenario: &&Scenario| {
        scenario.is_offered_by(before.services.as_ref()) && scenario.is_offered_by(after.services.as_ref())
    };
    let all = scope.scenarios.scenarios.iter().enumerate();
    let series = all.filter(|(_, scenario)| offered(scenario)).map(|(index, _)| {
        let gauges = scope.gauges.iter();
        gauges.filter(|gauge| scope.scenarios.measures(index, **gauge)).count()
    });
    u32::try_from(series.sum::<usize>()).unwrap_or(u32::MAX)
}
