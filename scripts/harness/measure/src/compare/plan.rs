//! What a comparison is going to take: which programs, and about how long, before anything is built.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::thread;

use analyze::compare::decide::looks;
use analyze::compare::gates::Gates;
use analyze::compare::outcome::Side;
use model::{Metric, Part};
use serde::Serialize;

use super::campaign::PAIR_SECONDS;
use super::request::ComparisonRequest;
use super::scope::{Scope, scope};
use crate::progress::Reporter;
use apps::catalog::Catalog;

/// Seconds of a cpu that a crate takes, by those of hyper's server, and those of a program's last link with fat LTO.
const CRATE_SECONDS: usize = 1;
const LINK_SECONDS: usize = 25;
/// Seconds that the cases of `bench probe` take on both sides of a program.
const PROBE_SECONDS: usize = 6;
/// Seconds of a pair in which instructions are counted: two starts under valgrind, with the requests of two scenarios each.
const COUNT_SECONDS: usize = 2;

/// What a comparison is going to take.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparisonPlan {
    /// What it is compared with.
    pub base: Side,
    /// What is proposed.
    pub head: Side,
    /// The apps that it compares, by id, sorted; none if the change touches none.
    pub apps: Vec<String>,
    /// Their variants that both sides have, as far as they are wanted.
    pub variants: usize,
    /// Crates that are to be compiled, about.
    pub crates: usize,
    /// Seconds to build both sides, about.
    pub build_seconds: usize,
    /// Seconds to measure until the first look, about: what has changed, and what is restless, takes more.
    pub measure_seconds: usize,
}

/// What a comparison would take. Nothing is built.
pub fn plan(request: &ComparisonRequest, reporter: &dyn Reporter) -> anyhow::Result<ComparisonPlan> {
    let scope = scope(request, &Catalog::find()?, reporter)?;
    let Scope {
        base, head, touched, ..
    } = &scope;
    let metrics = request.metrics();
    let both = touched
        .iter()
        .filter_map(|one| Some((base.catalog.app(&one.id)?, head.catalog.app(&one.id)?)));
    let variants = both.flat_map(|(before, after)| {
        let names = after.variants.iter().map(|variant| variant.name.as_str());
        names.filter(|name| request.has_variant(name) && before.variant(name).is_some())
    });
    let variants = variants.count();

    let apps = || touched.iter().filter_map(|one| base.catalog.app(&one.id));
    let of_base: BTreeSet<&String> = apps().flat_map(|app| app.dependencies.keys()).collect();
    let moved = touched.iter().flat_map(|one| &one.dependencies);
    let of_head: BTreeSet<&String> = moved.map(|moved| &moved.name).collect();
    // What was compiled before is there, and head begins with what base has compiled.
    let left = |is_there: bool, crates: usize| if is_there { 0 } else { crates };
    let crates = left(base.target.exists(), of_base.len()) + left(head.target.exists(), of_head.len());
    let cpus = thread::available_parallelism().map_or(1, NonZero::get);
    let links = if request.counts_only() { 2 } else { 6 };

    let scenarios = &scope.scenarios;
    let measured = |metric| (0..scenarios.scenarios.len()).filter(move |at| scenarios.measures(*at, metric));
    let series = variants * metrics.iter().map(|metric| measured(*metric).count()).sum::<usize>();
    let pairs = |metric| looks(metric, series, &Gates::built_in(), request.pairs)[0] as usize;
    let seconds = metrics.iter().map(|metric| match metric {
        Metric::InstructionsPerRequest => pairs(*metric) * COUNT_SECONDS * measured(*metric).count().div_ceil(2),
        // Both figures are of the same loads.
        Metric::GoodputRps if metrics.contains(&Metric::ServerCpuUsPerRequest) => 0,
        metric => pairs(*metric) * PAIR_SECONDS as usize,
    });
    let probes = if scenarios.part == Part::Plain {
        PROBE_SECONDS
    } else {
        0
    };
    Ok(ComparisonPlan {
        apps: touched.iter().map(|one| one.id.clone()).collect(),
        variants,
        crates,
        build_seconds: crates * CRATE_SECONDS / cpus + links * variants * LINK_SECONDS,
        measure_seconds: variants * (probes + seconds.sum::<usize>()),
        base: scope.base.side,
        head: scope.head.side,
    })
}
