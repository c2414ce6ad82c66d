//! What is decided about a run before anything is built: everything that the rest of it only reads.

use std::num::NonZeroU32;
use std::path::PathBuf;

use anyhow::{Context as _, ensure};

use super::cpus::Cpus;
use super::journal::{Head, Journal};
use super::request::RunRequest;
use crate::new_record::new_record;
use crate::plan::Plan;
use crate::programs::Programs;
use analyze::analysis::Sessions;
use analyze::mostly_failed::mostly_failed;
use analyze::{analysis, machine_state};
use apps::catalog::results_folder;
use apps::profile::{CostsOf, Profiles};
use machine::cpus::Topology;
use machine::lock::Lock;
use machine::network::Network;
use machine::{clock, essentials, load};
use model::scenario::Isolation;
use model::{AppRecord, Environment, Lane, RELEASE, Record, Stopped};
use servers::container::Engine;
use servers::database;
use servers::database::{External, Source};

/// A run, as it was requested or, if it is resumed, as it was begun.
pub struct Setup {
    /// The options.
    pub request: RunRequest,
    /// What is measured.
    pub plan: Plan,
    /// What costs are measured instead of loads; `None` if loads are.
    pub costs: Option<CostsOf>,
    /// The source of the programs.
    pub programs: Programs,
    /// How they are built.
    pub cargo_profile: String,
    /// Who serves and who loads.
    pub cpus: Cpus,
    /// The container engine, if a scenario needs one.
    pub engine: Option<Engine>,
    /// PostgreSQL, if a scenario needs one.
    pub database: Option<Source<database::Programs>>,
    /// The network of its own that a scenario wants.
    pub network: Option<Network>,
    /// Its journal and what it has found, if it is resumed.
    pub begun: Option<(Journal, Record)>,
    /// Folder of the results.
    pub results: PathBuf,
    /// From before the machine has to build.
    pub load_average: f64,
    /// Version of this program.
    version: String,
    /// From here on this process compiles and measures, which would disturb another run.
    _lock: Lock,
}

impl Setup {
    /// Decides it all, and waits for the machine if the request says so; a database of the user's is `external`. What is wrong or missing
    /// is reported by this, and not after minutes of building.
    pub fn resolve(request: &RunRequest, external: Option<&External>, version: &str) -> anyhow::Result<Self> {
        let load_average = load::average();
        let profiles = Profiles::built_in();
        let results = results_folder(request.out.as_deref());
        let (request, programs, mut plan, begun, lock) = if let Some(name) = &request.resume {
            let lock = Lock::take(request.wait)?;
            let (journal, head) = Journal::resume(&results, Some(name.as_str()).filter(|name| !name.is_empty()))?;
            let Head {
                record,
                plan,
                request: begun,
            } = head;
            let repeated = request.repeating(begun);
            let repeated = repeated.with_context(|| format!("run {} cannot go on", record.id))?;
            let programs = Programs::find(repeated.binaries.as_deref())?;
            (repeated, programs, plan, Some((journal, record)), lock)
        } else {
            let programs = Programs::find(request.binaries.as_deref())?;
            // Wrong names are reported before anything is waited for.
            let plan = Plan::new(&request.options, &programs.catalog, &profiles)?;
            (request.clone(), programs, plan, None, Lock::take(request.wait)?)
        };
        essentials::check()?;
        let profile = profiles.profile(&plan.profile);
        let has_database = plan.scenarios.iter().any(|scenario| scenario.database.is_some());
        let has_containers = plan
            .scenarios
            .iter()
            .any(|scenario| scenario.isolation != Isolation::Native);
        let mut cpus = match &begun {
            Some((_, record)) => Cpus::of_begun(&request, &plan, record)?,
            None => Cpus::of_new(&request, &plan)?,
        };
        // A plan that is resumed has its widths.
        if let (Some(widths), None) = (profile.and_then(|profile| profile.widths), &begun) {
            cpus = cpus.for_widths()?;
            // A database of our own takes cpus of the server where the load comes from elsewhere.
            let serving = match cpus.split().clone() {
                split if has_database && external.is_none() => split.with_database().server,
                split => split.server,
            };
            let connections = request.options.connections.unwrap_or(widths.connections_per_worker);
            plan = plan.at_widths(&Topology::of_this_machine().widths(&serving)?, connections)?;
        }
        ensure!(
            has_database || external.is_none(),
            "--database does nothing here: none of these scenarios needs a database; `--scenario db` does"
        );
        let engine = has_containers.then(|| Engine::find(request.container_engine.as_deref()));
        let database = has_database.then(|| Source::find(external, request.postgres.as_deref()));
        let built_by = profiles.built_by(&plan.profile, request.options.cargo_profile.as_deref());
        let layout = request.new_layouts.then(|| layout(plan.seed));
        Ok(Self {
            costs: profile.and_then(|profile| profile.costs),
            cargo_profile: programs.cargo_profile(built_by).to_owned(),
            programs: programs.with_layout(layout),
            cpus,
            engine: engine.transpose()?,
            database: database.transpose()?,
            network: Network::wanted_by(&plan.scenarios)?,
            request,
            plan,
            begun,
            results,
            load_average,
            version: version.to_owned(),
            _lock: lock,
        })
    }

    /// The record of a run that begins now, without trials.
    pub fn begin(&self, environment: Environment, apps: Vec<AppRecord>) -> Record {
        let plan = &self.plan;
        let by = (self.version.as_str(), plan.seed);
        let mut record = new_record(&self.programs, &self.cargo_profile, by, environment);
        record.harness.rounds = plan.rounds;
        Record {
            lane: self.request.lane.unwrap_or(Lane::Local),
            profile: plan.profile.clone(),
            apps,
            scenarios: plan.scenarios.clone(),
            ..record
        }
    }

    /// The record of a run that ends now.
    pub fn end(&self, mut record: Record, stopped: Stopped) -> Record {
        // The clock may have been set back while the run was interrupted.
        record.finished_at = clock::now().max(record.started_at);
        record.environment.warnings.extend(clock::set_meanwhile());
        record.set_controls_apart();
        machine_state::figures_in_good_state(&mut record);
        record.summary = analysis::summary_among(&record, &Sessions::default());
        let Self { plan, programs, .. } = self;
        record.harness.whole = self.cargo_profile == RELEASE
            && programs.foreign_settings.is_empty()
            && programs.has_all_apps()
            && plan.is_whole(&programs.catalog, &Profiles::built_in())
            && mostly_failed(&record).is_none();
        record.harness.stopped = stopped;
        record
    }
}

/// The seed of an order of sections that follows from the run's. Never 0, by which the linker would choose.
fn layout(seed: u64) -> NonZeroU32 {
    let seed = u32::try_from(seed % u64::from(u32::MAX)).unwrap_or_default();
    NonZeroU32::MIN.saturating_add(seed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_follows_from_the_seed_and_is_never_the_linkers() {
        let seeds = [0, 7, u64::from(u32::MAX), u64::MAX].map(|seed| layout(seed).get());
        assert_eq!(seeds, [1, 8, 1, 1]);
    }
}
