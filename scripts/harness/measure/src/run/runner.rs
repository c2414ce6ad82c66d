//! The course of a run: plans, builds, measures round by round, and writes the record.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use jiff::Timestamp;
use nix::unistd::getpid;

use analyze::analysis;
use analyze::lost::mostly_lost;
use model::scenario::{GeneratorKind, Isolation};
use model::{AppRecord, Environment, Harness, Lane, Record, SCHEMA_VERSION, Stopped, Trial};
use model::{count, run_id, store};

use super::app_costs;
use super::calibration;
use super::campaign::Campaign;
use super::conditions;
use super::driver::drivers;
use super::load_machines;
use super::load_machines::LoadFrom;
use super::observer::RunObserver;
use super::preview;
use super::request_counts::RoundCounts;
use super::resume::ensure_same;
use crate::journal;
use crate::journal::{Head, Journal};
use crate::plan::{Plan, RunOptions};
use crate::progress::Reporter;
use crate::supply::{GeneratorPaths, Supply, Wanted};
use apps::build::BuiltApp;
use apps::profile::{Profiles, Widths};
use generator::Generators;
use machine::affinity;
use machine::cpus::{Split, Topology};
use machine::interrupt::Interrupted;
use machine::load::Ticks;
use machine::lock::Lock;
use machine::network::Network;
use machine::split::{CpuSplitArg, candidates};
use machine::{environment, limits, load};
use servers::container::{Engine, Images};
use servers::database::{self, Database, Programs, Source};

/// Options of a run.
#[derive(Debug)]
pub struct RunRequest {
    /// What to measure, and how long.
    pub options: RunOptions,
    /// Seed of the order; `None` for one from the clock.
    pub seed: Option<u64>,
    /// Folder of a handover; `None` to build.
    pub binaries: Option<PathBuf>,
    /// Folder of the results; `None` for that of the repository.
    pub results: Option<PathBuf>,
    /// The run to resume: its id, or an empty text for the only one.
    pub resume: Option<String>,
    /// Container engine; `None` for the first that answers.
    pub container_engine: Option<PathBuf>,
    /// The PostgreSQL of scenarios with a database.
    pub database: database::Wanted,
    /// Load generators that were named by their paths.
    pub programs: GeneratorPaths,
    /// Cargo profile of the apps; `None` for that of the profile.
    pub cargo_profile: Option<String>,
    /// Seconds within which to make as many rounds as possible, instead of a number of rounds.
    pub time_budget: Option<f64>,
    /// Where the run is made.
    pub lane: Lane,
    /// Cpus of server and generator; `None` to try which are best.
    pub split: Option<CpuSplitArg>,
    /// The other machines that make the load; `None` if this one does.
    pub load_from: Option<LoadFrom>,
    /// Whether to wait for another bench on this machine.
    pub wait: bool,
}

/// The state of an unfinished run.
struct OpenRun {
    head: Head,
    journal: Journal,
    trials: Vec<Trial>,
    subjects: Vec<BuiltApp>,
}

/// Makes the whole run and writes its record; returns the record and its path. `version` is that of this program.
pub fn run(request: &RunRequest, version: &str, reporter: &dyn Reporter) -> anyhow::Result<(Record, PathBuf)> {
    let load_average = load::average(); // before the machine has to build
    let supply = Supply::find(request.binaries.as_deref())?;
    let usual = || supply.catalog.root.join("bench-results");
    let results = request.results.clone().unwrap_or_else(usual);
    let profiles = Profiles::built_in();
    // Wrong names are reported before anything is built.
    let named = request.resume.as_deref();
    let resumed = named
        .map(|name| Journal::resume(&results, Some(name).filter(|n| !n.is_empty())))
        .transpose()?;
    let plan = if let Some((_, head, _)) = &resumed {
        head.plan.clone()
    } else {
        let seed = request.seed.unwrap_or_else(seed_of_the_clock);
        Plan::new(&request.options, &supply.catalog, &profiles, seed)?
    };
    let (split, chosen, plan) = on_cpus(request, plan, &profiles, resumed.as_ref().map(|(_, head, _)| head))?;
    // From here on this run compiles and measures, which would disturb another run.
    let _lock = Lock::take(request.wait)?;
    if profiles.profile(&plan.profile).is_some_and(|profile| profile.costs) {
        return app_costs::run(request, plan, &split, &supply, &results, version, reporter);
    }
    // A missing engine, a missing database and a kernel that cannot delay packets are reported before anything is built.
    let engine = engine_for(&plan, request)?;
    let source = database_for(&plan, request)?;
    let network = Network::wanted_by(&plan.scenarios)?;
    let kinds = plan.scenarios.iter().map(|scenario| scenario.generator).collect();
    let cargo_profile = match &resumed {
        Some((_, head, _)) => &head.cargo_profile,
        None => supply.cargo_profile(profiles.built_by(&plan.profile, request.cargo_profile.as_deref())),
    };
    let wanted = Wanted {
        kinds: &kinds,
        programs: &request.programs,
        installed_oha: request.load_from.is_none() && plan.scenarios.iter().all(|scenario| scenario.service.is_none()),
        cpus: &split.generator,
        subjects: &plan.subjects,
        cargo_profile,
    };
    let (generators, subjects) = supply.everything(&wanted, reporter, |oha, built| {
        preview::show(&plan, built, oha, &split, reporter);
    })?;
    let versions = generators.iter();
    let mut versions: BTreeMap<_, _> = versions
        .map(|(kind, generator)| (*kind, generator.version.clone()))
        .collect();
    let oha = versions.remove(&GeneratorKind::Oha).unwrap_or_default();
    let connections = plan.scenarios.iter().map(|scenario| scenario.connections);
    let _ = limits::allow_files(limits::files_needed(connections.max().unwrap_or(0))); // each trial checks again and reports it
    let images = engine
        .as_ref()
        .map(|engine| Images::make(engine, &subjects))
        .transpose()?;

    let (generators, machines) = load_machines::connect(request.load_from.as_ref(), network, generators, reporter)?;
    let (split, tried) = calibration::choose_split(chosen, split, &subjects, &generators, reporter)?;
    let (split, database) = with_database(split, source.as_ref())?;
    let generators = generators
        .into_iter()
        .map(|(kind, generator)| (kind, generator.with_cpus(&split.generator)))
        .collect();
    let mut machine = environment::describe(&split, load_average, supply.rustc()?, oha);
    machine.splits = tried;
    machine.generators = versions;
    load_machines::describe(&mut machine, machines.as_deref());
    machine.container_engine = engine.as_ref().map(|engine| engine.version.clone());
    conditions::complete(&mut machine, &plan, database.as_deref(), &split, cargo_profile, &supply)?;
    let mut open_run = if let Some((journal, head, trials)) = resumed {
        ensure_same(&head, &subjects, &machine).with_context(|| format!("run {} cannot go on", head.id))?;
        OpenRun {
            head,
            journal,
            trials,
            subjects,
        }
    } else {
        let apps = subjects.iter().map(|subject| subject.app.clone()).collect();
        let head = head(request, plan, apps, machine, cargo_profile);
        OpenRun {
            journal: Journal::create(&results, &head)?,
            head,
            trials: Vec::new(),
            subjects,
        }
    };
    let (stopped, steal) = drive(
        &mut open_run,
        &generators,
        images.as_ref(),
        database.as_ref(),
        &split,
        reporter,
    )?;
    open_run.head.environment.steal_share = steal;
    let record = record(open_run.head, open_run.trials, stopped, &supply, version);
    let path = store::write(&results, &record)?;
    open_run.journal.finished()?;
    Ok((record, path))
}

/// The database, and the cpus with some for it if it runs here.
pub fn with_database(
    split: Split,
    source: Option<&Source<Programs>>,
) -> anyhow::Result<(Split, Option<Arc<Database>>)> {
    let (split, database) = match source {
        None => return Ok((split, None)),
        Some(Source::Private(programs)) => {
            let split = split.with_database();
            let database = Database::start(programs, &split.database)?;
            (split, database)
        }
        Some(Source::External(external)) => (split, Database::at(external)?),
    };
    Ok((split, Some(Arc::new(database))))
}

/// Makes the remaining rounds. Returns why they ended, and the share of time that the hypervisor took meanwhile.
fn drive(
    open_run: &mut OpenRun,
    generators: &Generators,
    images: Option<&Images>,
    database: Option<&Arc<Database>>,
    split: &Split,
    reporter: &dyn Reporter,
) -> anyhow::Result<(Stopped, f64)> {
    let machine = Topology::of_this_machine();
    // The harness must not take time from the servers.
    let _ = affinity::pin_all(getpid().as_raw(), &split.generator); // it mostly waits, so little is lost if the kernel refuses
    let ticks = Ticks::now(&split.cpus());
    let time_budget = time_budget(&open_run.head)?;
    let campaign = Campaign {
        plan: &open_run.head.plan,
        subjects: &open_run.subjects,
        drivers: drivers(generators),
        clock: &(),
        images,
        database,
        split,
        machine: &machine,
        time_budget,
        spent: open_run.journal.spent(),
    };
    open_run.journal.measuring();
    let has_valgrind = open_run.head.environment.valgrind.is_some();
    let mut counting = RoundCounts::new(&open_run.head.plan, &open_run.subjects, split, has_valgrind);
    let mut observer = RunObserver::new(
        &mut open_run.journal,
        &open_run.head.plan,
        &open_run.head.apps,
        open_run.trials.len(),
        reporter,
    );
    let ended = campaign.run(&mut open_run.trials, &mut counting, &mut observer);
    drop(observer);
    let stopped = match ended {
        Ok(stopped) => stopped,
        Err(error) if error.is::<Interrupted>() => {
            let id = &open_run.head.id;
            bail!(
                "interrupted; {} kept, resume with: bench run --resume={id}",
                count(open_run.trials.len(), "trial")
            );
        }
        Err(error) => return Err(error),
    };
    let steal = Ticks::now(&split.cpus()).steal_share_since(ticks);
    for (id, reason) in counting.into_reasons() {
        let mut apps = open_run.head.apps.iter_mut();
        if let Some(app) = apps.find(|app| app.id == id.app && app.variant == id.variant) {
            app.instructions_not_counted = Some(reason);
        }
    }
    Ok((stopped, steal))
}

/// The container engine, if a scenario needs one.
fn engine_for(plan: &Plan, request: &RunRequest) -> anyhow::Result<Option<Engine>> {
    let needs_one = plan
        .scenarios
        .iter()
        .any(|scenario| scenario.isolation != Isolation::Native);
    let found = needs_one.then(|| Engine::find(request.container_engine.as_deref()));
    found.transpose()
}

/// PostgreSQL, if a scenario needs one.
fn database_for(plan: &Plan, request: &RunRequest) -> anyhow::Result<Option<Source<Programs>>> {
    let needs_one = plan.scenarios.iter().any(|scenario| scenario.database.is_some());
    ensure!(
        needs_one || matches!(request.database, database::Wanted::Private(_)),
        "--database is of no use here: none of these scenarios needs a database; `--scenario db` does"
    );
    needs_one.then(|| request.database.find()).transpose()
}

/// The whole time budget, if there is one.
fn time_budget(head: &Head) -> anyhow::Result<Option<Duration>> {
    let budget = head.time_budget_seconds.map(Duration::try_from_secs_f64).transpose();
    budget.with_context(|| format!("the time budget of run {} is not a time", head.id))
}

/// The cpus to begin with, whether they are chosen already, and the plan: with its scenarios at every width that the cpus which serve
/// allow, if its profile asks for that. Unless these are chosen, as many serve as splits of whole cores have: fewer, under which the
/// server is the limit, would leave nothing to compare.
fn on_cpus(
    request: &RunRequest,
    plan: Plan,
    profiles: &Profiles,
    resumed: Option<&Head>,
) -> anyhow::Result<(Split, bool, Plan)> {
    let (split, chosen) = first_split(request, &plan, resumed)?;
    let asked = profiles.profile(&plan.profile).and_then(|profile| profile.widths);
    // A plan that is resumed has its widths.
    let (Some(Widths { connections_per_worker }), None) = (asked, resumed) else {
        return Ok((split, chosen, plan));
    };
    let machine = Topology::of_this_machine();
    let split = if chosen {
        split
    } else {
        candidates(&machine)?.swap_remove(0)
    };
    // A database of our own takes cpus of the server where the load comes from elsewhere.
    let has_database = plan.scenarios.iter().any(|scenario| scenario.database.is_some());
    let serving = match request.database {
        database::Wanted::Private(_) if has_database => split.clone().with_database().server,
        _ => split.server.clone(),
    };
    let connections = request.options.connections.unwrap_or(connections_per_worker);
    let plan = plan.at_widths(&machine.widths(&serving)?, connections)?;
    Ok((split, true, plan))
}

fn seed_of_the_clock() -> u64 {
    // 16 bits: enough for a different order each time, short enough to be typed again.
    u64::from(Timestamp::now().subsec_nanosecond().unsigned_abs() / 1000) & 0xffff
}

/// The head of a run that begins now.
pub(super) fn head(
    request: &RunRequest,
    plan: Plan,
    apps: Vec<AppRecord>,
    environment: Environment,
    cargo_profile: &str,
) -> Head {
    let started_at = Timestamp::now();
    Head {
        journal_version: journal::VERSION,
        id: run_id(started_at, plan.seed),
        lane: request.lane,
        started_at,
        plan,
        time_budget_seconds: request.time_budget,
        cargo_profile: cargo_profile.to_owned(),
        environment,
        apps,
    }
}

/// The split of a resumed run, whose earlier trials were made with it; otherwise the one that the user wants, or the default
/// one. And whether it stands, or others are tried.
fn first_split(request: &RunRequest, plan: &Plan, resumed: Option<&Head>) -> anyhow::Result<(Split, bool)> {
    let wish = request.split.as_ref();
    load_machines::ensure_one_network(plan, request.load_from.as_ref())?;
    if let Some(load_from) = &request.load_from
        && let Some(split) = load_machines::reach(load_from, plan, wish, resumed)?
    {
        return Ok((split, true));
    }
    let Some(head) = resumed else {
        return Ok((calibration::requested_split(wish)?, wish.is_some()));
    };
    let before = &head.environment;
    let split = Topology::of_this_machine().listed(&before.server_cpus, &before.generator_cpus);
    let mut split = split.with_context(|| format!("run {} cannot go on: it was begun with other cpus", head.id))?;
    if let Some(database) = &before.database {
        split.database.clone_from(&database.cpus);
    }
    Ok((split, true))
}

/// The record of a run that ends now.
pub(super) fn record(head: Head, trials: Vec<Trial>, stopped: Stopped, supply: &Supply, version: &str) -> Record {
    let (commit, dirty) = supply.commit().unzip();
    let summary = analysis::summary(&head.apps, &head.plan.scenarios, &trials);
    let whole = supply.is_whole(&head.plan, &Profiles::built_in(), &head.cargo_profile);
    Record {
        schema_version: SCHEMA_VERSION,
        id: head.id,
        lane: head.lane,
        profile: head.plan.profile,
        seed: head.plan.seed,
        started_at: head.started_at,
        finished_at: Timestamp::now(),
        harness: Harness {
            version: version.into(),
            commit,
            dirty,
            rounds: head.plan.rounds,
            cargo_profile: head.cargo_profile,
            stopped,
            whole: whole && mostly_lost(&summary).is_none(),
        },
        environment: head.environment,
        summary,
        apps: head.apps,
        scenarios: head.plan.scenarios,
        trials,
    }
}
