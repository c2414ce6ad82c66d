//! What is decided about a comparison, or a self-test, before anything is built.

use std::num::NonZeroU32;
use std::sync::Arc;

use anyhow::{bail, ensure};
use model::{Metric, Part};

use super::candidate::Candidate;
use super::pair::Sides;
use super::request::ComparisonRequest;
use super::scenarios::ComparedScenarios;
use crate::request_counts::instructions::{NO_VALGRIND, version as valgrind_version};
use crate::run::requested_split;
use apps::build;
use apps::catalog::Catalog;
use machine::cpus::Split;
use machine::lock::Lock;
use machine::{essentials, limits, load};
use servers::database::{Database, Source};

/// What pairs are measured by.
pub struct Setup<'a> {
    /// The options.
    pub request: &'a ComparisonRequest,
    /// The apps of the working tree.
    pub catalog: &'a Catalog,
    /// The requests.
    pub scenarios: ComparedScenarios,
    /// The figures that are wanted, and that this machine can measure.
    pub metrics: Vec<Metric>,
    /// Cpus of server and generator.
    pub split: Split,
    /// The database behind both sides, if the scenarios need one.
    pub database: Option<Arc<Database>>,
    /// Seeds of the orders of sections that both sides have besides the linker's.
    pub layouts: Vec<NonZeroU32>,
    /// Version of valgrind, if instructions are counted.
    pub valgrind: Option<String>,
    /// What is missing here.
    pub warnings: Vec<String>,
    /// From before the machine has to build.
    pub load_average: f64,
    _lock: Lock,
}

impl<'a> Setup<'a> {
    /// Decides it, and waits for the machine if the request says so. `is_empty` where there is nothing to compare, which needs nothing.
    pub fn resolve(
        request: &'a ComparisonRequest,
        catalog: &'a Catalog,
        scenarios: ComparedScenarios,
        is_empty: bool,
    ) -> anyhow::Result<Self> {
        let load_average = load::average();
        let lock = Lock::take(request.wait)?;
        essentials::check()?;
        let (mut metrics, mut warnings) = (request.metrics(), Vec::new());
        let is_counted = !is_empty && metrics.contains(&Metric::InstructionsPerRequest);
        let valgrind = is_counted.then(|| valgrind_version(&catalog.root)).flatten();
        if is_counted && valgrind.is_none() {
            ensure!(!request.counts_only(), "{NO_VALGRIND}, and no other metric is wanted");
            warnings.push(NO_VALGRIND.to_owned());
            metrics.retain(|metric| *metric != Metric::InstructionsPerRequest);
        }
        if is_counted && request.counts_only() {
            ensure!(
                scenarios.scenarios.iter().any(|scenario| scenario.counted.is_some()),
                "instructions are counted of the endpoints over HTTP/1.1 in cleartext only: name one of them with --scenario"
            );
        }
        let driven = scenarios.scenarios.iter().take(scenarios.driven);
        let most = driven.map(|scenario| scenario.connections).max().unwrap_or(0);
        if let Some(reason) = limits::reason_against(most).filter(|_| !is_empty) {
            bail!("this machine cannot bear the load: {reason}");
        }
        let has_database = !is_empty && scenarios.part == Part::Database;
        let source = has_database.then(|| Source::find(None, request.postgres.as_deref()));
        let split = requested_split(request.split.as_ref())?;
        let (split, database) = Database::open(source.transpose()?.as_ref(), split)?;
        Ok(Self {
            request,
            catalog,
            scenarios,
            metrics,
            split,
            database,
            layouts: layouts(request, &mut warnings),
            valgrind,
            warnings,
            load_average,
            _lock: lock,
        })
    }

    /// Both sides of a candidate, as they are measured here.
    pub fn sides<'c>(&'c self, candidate: &'c Candidate) -> Sides<'c> {
        Sides {
            candidate,
            database: self.database.as_ref(),
            split: &self.split,
        }
    }
}

/// Seeds of the orders of sections besides the linker's: none where only instructions are counted, which do not depend on them. Three orders in
/// all: each costs a link of both sides, and the first look is at fourteen pairs.
fn layouts(request: &ComparisonRequest, warnings: &mut Vec<String>) -> Vec<NonZeroU32> {
    if request.counts_only() {
        return Vec::new();
    }
    if let Err(error) = build::can_shuffle() {
        warnings.push(format!(
            "what the layout of a build costs is not in the spread of pairs: {error}"
        ));
        return Vec::new();
    }
    [1, 2].into_iter().filter_map(NonZeroU32::new).collect()
}
