//! The course of a run: plans, builds, measures round by round, and writes the record.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use nix::unistd::getpid;

use analyze::analysis::Sessions;
use analyze::mostly_failed::mostly_failed;
use analyze::{analysis, machine_state};
use model::scenario::{GeneratorKind, Isolation};
use model::{Environment, Harness, Lane, Record, Role, SCHEMA_VERSION, Stopped};
use model::{count, run_id, store};

use super::app_costs;
use super::calibration;
use super::campaign::Campaign;
use super::conditions;
use super::driver::drivers;
use super::load_machines;
use super::observer::RunObserver;
use super::preview;
use super::request_counts::RoundCounts;
use super::resume::{again, ensure_same};
use crate::journal::{Head, Journal};
use crate::plan::{Plan, RunOptions};
use crate::progress::Reporter;
use crate::supply::{GeneratorPaths, Supply, Wanted};
use apps::profile::{Profiles, Widths};
use generator::{Destinations, Generators};
use machine::affinity;
use machine::cpus::{Split, Topology};
use machine::interrupt::Interrupted;
use machine::load::Ticks;
use machine::lock::Lock;
use machine::network::Network;
use machine::split::candidates;
use machine::{clock, environment, essentials, limits, load};
use servers::container::{Engine, Images};
use servers::database::{self, Database, Programs, Source};

/// Options of a run.
#[derive(Debug, Clone, clap::Args)]
pub struct RunRequest {
    #[command(flatten)]
    pub options: RunOptions,
    /// Container engine: docker, podman or a path [default: the first of the two that answers]
    #[arg(long, value_name = "PATH")]
    pub container_engine: Option<PathBuf>,
    /// Folder of PostgreSQL's programs, for scenarios with a database, such as /usr/lib/postgresql/16/bin
    /// [default: the first in PATH, or the newest where distributions put them]
    #[arg(long, value_name = "DIR")]
    pub postgres: Option<PathBuf>,
    /// Use an existing PostgreSQL server, local or remote, instead of a private one:
    /// postgres://ADMIN:PASSWORD@HOST:PORT/NAME. In it, bench makes a role and a schema, and removes them at the end
    #[arg(long, value_name = "URL", conflicts_with = "postgres")]
    pub database: Option<String>,
    /// Make role and schema in the PostgreSQL of --database without asking
    #[arg(long, requires = "database")]
    pub yes: bool,
    /// Where this run is made; series of different lanes are never mixed
    #[arg(long, default_value = "local", conflicts_with = "resume")]
    pub lane: Lane,
    /// Folder of the results [default: bench-results of the repository]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Use the programs that `bench build --out DIR` made, and compile nothing
    #[arg(long, value_name = "DIR", conflicts_with = "cargo_profile")]
    pub binaries: Option<PathBuf>,
    /// Path to an oha other than the one Cargo.lock pins
    #[arg(long, value_name = "PATH")]
    pub oha: Option<PathBuf>,
    /// Path of wrk [default: the one in PATH]
    #[arg(long, value_name = "PATH")]
    pub wrk: Option<PathBuf>,
    /// Path of h2load [default: the one in PATH]
    #[arg(long, value_name = "PATH")]
    pub h2load: Option<PathBuf>,
    /// Resume an unfinished run: its id, or nothing if there is only one
    #[arg(long, value_name = "RUN", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub resume: Option<String>,
    /// Other machines that make the load, by OpenSSH with your own configuration (keys only; host keys must be known): all cpus of this
    /// one then serve. @FILE has one in each line
    #[arg(
        long,
        value_name = "USER@HOST,...",
        env = "BENCH_LOAD_FROM",
        hide_env_values = true,
        conflicts_with_all = ["generators", "isolations"]
    )]
    pub load_from: Option<Destinations>,
    /// Address of this machine at which servers listen for --load-from [default: the one by which these machines know it]
    #[arg(long, value_name = "ADDRESS", requires = "load_from")]
    pub listen: Option<IpAddr>,
    /// Link all programs anew, with their sections in an order drawn from the run's seed; what shares a build otherwise is built by itself
    #[arg(long, conflicts_with_all = ["resume", "binaries"])]
    pub new_layouts: bool,
    /// If another bench measures on this machine, wait for its end [default: fail and name it]
    #[arg(long)]
    pub wait: bool,
}

impl RunRequest {
    /// The load generators that are named by their paths.
    fn programs(&self) -> GeneratorPaths {
        let named = [
            (GeneratorKind::Oha, &self.oha),
            (GeneratorKind::Wrk, &self.wrk),
            (GeneratorKind::H2load, &self.h2load),
        ];
        let named = named.into_iter();
        named.filter_map(|(kind, path)| Some((kind, path.clone()?))).collect()
    }
}

/// Makes the whole run and writes its record; returns the record and its path. `wanted` is the PostgreSQL of scenarios with a database,
/// and `version` this program's.
pub fn run(
    request: &RunRequest,
    wanted: &database::Wanted,
    version: &str,
    reporter: &dyn Reporter,
) -> anyhow::Result<(Record, PathBuf)> {
    let load_average = load::average(); // before the machine has to build
    let supply = Supply::find(request.binaries.as_deref())?;
    let results = request.out.clone();
    let results = results.unwrap_or_else(|| supply.catalog.root.join("bench-results"));
    let profiles = Profiles::built_in();
    // Wrong names are reported before anything is waited for, or built.
    let new = || Plan::new(&request.options, &supply.catalog, &profiles);
    let planned = request.resume.is_none().then(new).transpose()?;
    // From here on this run compiles and measures, which would disturb another run, or goes on with it.
    let _lock = Lock::take(request.wait)?;
    essentials::check()?;
    let named = request.resume.as_deref();
    let resumed = named.map(|name| Journal::resume(&results, Some(name).filter(|name| !name.is_empty())));
    let resumed = resumed.transpose()?;
    let begun = resumed.as_ref().map(|(_, head)| &head.record);
    let plan = planned.or(resumed.as_ref().map(|(_, head)| head.plan.clone()));
    let plan = plan.context("a run that is not resumed has a plan")?;
    let supply = supply.with_layout(layout(request.new_layouts, plan.seed, begun));
    let (split, chosen, plan) = on_cpus(request, wanted, plan, &profiles, begun)?;
    if let Some(costs) = profiles.profile(&plan.profile).and_then(|profile| profile.costs) {
        return app_costs::run(request, (plan, costs), &split, &supply, &results, version, reporter);
    }
    // A missing engine, a missing database and a kernel that cannot delay packets are reported before anything is built.
    let engine = engine_for(&plan, request)?;
    let source = database_for(&plan, request, wanted)?;
    let network = Network::wanted_by(&plan.scenarios)?;
    let kinds = plan.scenarios.iter().map(|scenario| scenario.generator).collect();
    let requested = profiles.built_by(&plan.profile, request.options.cargo_profile.as_deref());
    let begun = begun.map(|begun| begun.harness.cargo_profile.clone());
    let cargo_profile = begun.unwrap_or_else(|| supply.cargo_profile(requested).to_owned());
    let wanted = Wanted {
        kinds: &kinds,
        programs: &request.programs(),
        installed_oha: request.load_from.is_none() && plan.scenarios.iter().all(|scenario| scenario.service.is_none()),
        cpus: &split.generator,
        subjects: &plan.subjects,
        cargo_profile: &cargo_profile,
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

    let (generators, machines) = load_machines::connect(request, network, generators, reporter)?;
    let (split, tried) = calibration::choose_split(chosen, split, &subjects, &generators, reporter)?;
    let split = calibration::with_quota(split, &tried, resumed.as_ref().map(|(_, head)| &head.record));
    let (split, database) = with_database(split, source.as_ref())?;
    let generators = generators.into_iter();
    let generators = generators.map(|(kind, generator)| (kind, generator.with_cpus(&split.generator)));
    let generators: Generators = generators.collect();
    let mut machine = environment::describe(&split, load_average, supply.rustc()?, oha);
    machine.splits = tried;
    machine.generators = versions;
    load_machines::describe(&mut machine, machines.as_deref());
    machine.container_engine = engine.as_ref().map(|engine| engine.version.clone());
    conditions::complete(
        &mut machine,
        &plan,
        database.as_deref(),
        &split,
        &cargo_profile,
        &supply,
    )?;
    let (mut journal, head) = if let Some((journal, head)) = resumed {
        let id = &head.record.id;
        ensure_same(&head.record, &subjects, &machine).with_context(|| format!("run {id} cannot go on"))?;
        (journal, head)
    } else {
        let mut head = begin(request, plan, machine, cargo_profile, &supply, version);
        head.record.apps = subjects.iter().map(|subject| subject.app.clone()).collect();
        (Journal::create(&results, &head)?, head)
    };
    let Head {
        mut record,
        plan,
        time_budget,
    } = head;
    let campaign = Campaign {
        plan: &plan,
        subjects: &subjects,
        drivers: drivers(&generators),
        clock: &(),
        images: images.as_ref(),
        database: database.as_ref(),
        split: &split,
        machine: &Topology::of_this_machine(),
        time_budget,
        spent: journal.spent(),
    };
    let stopped = drive(&campaign, &mut journal, &mut record, &again(request), reporter)?;
    let record = end(record, &plan, stopped, &supply);
    let path = store::write(&results, &record)?;
    journal.finished()?;
    Ok((record, path))
}

/// The seed of the order of sections: the begun run's or, if new ones are requested, one that follows from the run's seed. Never
/// 0, by which the linker would choose.
fn layout(is_new: bool, seed: u64, begun: Option<&Record>) -> Option<NonZeroU32> {
    if let Some(begun) = begun {
        let mut apps = begun.apps.iter().filter(|app| app.role != Role::Control);
        return apps.find_map(|app| app.layout_seed);
    }
    let seed = u32::try_from(seed % u64::from(u32::MAX)).unwrap_or_default();
    is_new.then(|| NonZeroU32::MIN.saturating_add(seed))
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

/// Makes the remaining rounds. Returns why they ended; who interrupts them reads that `again` are the options to resume with.
fn drive(
    campaign: &Campaign<'_>,
    journal: &mut Journal,
    record: &mut Record,
    again: &str,
    reporter: &dyn Reporter,
) -> anyhow::Result<Stopped> {
    let Campaign {
        plan, subjects, split, ..
    } = *campaign;
    // The harness must not take time from the servers.
    let usual = affinity::allowed();
    let _ = affinity::pin_all(getpid().as_raw(), &split.generator); // it mostly waits, so little is lost if the kernel refuses
    let ticks = Ticks::now(&split.cpus());
    journal.measuring();
    let has_valgrind = record.environment.valgrind.is_some();
    let mut counting = RoundCounts::new(plan, subjects, split, has_valgrind);
    let shown = record.apps.iter().filter(|app| app.role != Role::Control).cloned();
    let shown: Vec<_> = shown.collect();
    let mut observer = RunObserver::new(journal, plan, &shown, record.trials.len(), reporter);
    let ended = campaign.run(&mut record.trials, &mut counting, &mut observer);
    record.environment.other_programs.extend(observer.into_others());
    let _ = affinity::pin_all(getpid().as_raw(), &usual); // what is built next, for another session, takes all cpus
    let stopped = match ended {
        Err(error) if error.is::<Interrupted>() => bail!(
            "interrupted; {} kept, resume with: bench run --resume={}{again}",
            count(record.trials.len(), "trial"),
            record.id
        ),
        ended => ended?,
    };
    record.environment.steal_share = Ticks::now(&split.cpus()).steal_share_since(ticks);
    for (id, reason) in counting.into_reasons() {
        let mut apps = record.apps.iter_mut();
        if let Some(app) = apps.find(|app| app.id == id.app && app.variant == id.variant) {
            app.instructions_not_counted = Some(reason);
        }
    }
    Ok(stopped)
}

/// The container engine, if a scenario needs one.
fn engine_for(plan: &Plan, request: &RunRequest) -> anyhow::Result<Option<Engine>> {
    let mut isolations = plan.scenarios.iter().map(|scenario| scenario.isolation);
    let needs_one = isolations.any(|isolation| isolation != Isolation::Native);
    let found = needs_one.then(|| Engine::find(request.container_engine.as_deref()));
    found.transpose()
}

/// PostgreSQL, if a scenario needs one.
fn database_for(
    plan: &Plan,
    request: &RunRequest,
    wanted: &database::Wanted,
) -> anyhow::Result<Option<Source<Programs>>> {
    let needs_one = plan.scenarios.iter().any(|scenario| scenario.database.is_some());
    ensure!(
        needs_one || request.database.is_none(),
        "--database does nothing here: none of these scenarios needs a database; `--scenario db` does"
    );
    needs_one.then(|| wanted.find()).transpose()
}

/// The cpus to begin with, whether they are chosen already, and the plan: with its scenarios at every width that the cpus which serve
/// allow, if its profile wants that. Unless these are chosen, as many serve as splits of whole cores have: fewer, under which the
/// server is the limit, would leave nothing to compare.
fn on_cpus(
    request: &RunRequest,
    wanted: &database::Wanted,
    plan: Plan,
    profiles: &Profiles,
    begun: Option<&Record>,
) -> anyhow::Result<(Split, bool, Plan)> {
    let (split, chosen) = first_split(request, &plan, begun)?;
    let widths = profiles.profile(&plan.profile).and_then(|profile| profile.widths);
    // A plan that is resumed has its widths.
    let (Some(Widths { connections_per_worker }), None) = (widths, begun) else {
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
    let serving = match wanted {
        database::Wanted::Private(_) if has_database => split.clone().with_database().server,
        _ => split.server.clone(),
    };
    let connections = request.options.connections.unwrap_or(connections_per_worker);
    let plan = plan.at_widths(&machine.widths(&serving)?, connections)?;
    Ok((split, true, plan))
}

/// The split of a resumed run, whose earlier trials were made with it; otherwise the one that the user wants, or the default
/// one. And whether it stands, or others are tried.
fn first_split(request: &RunRequest, plan: &Plan, begun: Option<&Record>) -> anyhow::Result<(Split, bool)> {
    let (machine, wish) = (Topology::of_this_machine(), request.options.split.as_ref());
    let all_serve = load_machines::all_cpus_serve(request.load_from.as_ref(), plan, &machine)?;
    let Some(Record { id, environment, .. }) = begun else {
        if !all_serve {
            return Ok((calibration::requested_split(wish)?, wish.is_some()));
        }
        let mut split = machine.all_serving();
        if let Some(wish) = wish {
            split.server = wish.resolve(&machine)?.server;
        }
        return Ok((split, true));
    };
    let mut split = if all_serve {
        let server = environment.server_cpus.clone();
        Split {
            server,
            ..machine.all_serving()
        }
    } else {
        let split = machine.listed(&environment.server_cpus, &environment.generator_cpus);
        split.with_context(|| format!("run {id} cannot go on: it was begun with other cpus"))?
    };
    if let Some(database) = &environment.database {
        split.database.clone_from(&database.cpus);
    }
    Ok((split, true))
}

/// A run that begins now, whose record has no apps yet.
pub(super) fn begin(
    request: &RunRequest,
    plan: Plan,
    mut environment: Environment,
    cargo_profile: String,
    supply: &Supply,
    version: &str,
) -> Head {
    let started_at = clock::now();
    let (commit, dirty) = supply.commit().unzip();
    environment.warnings.extend(supply.warnings());
    let record = Record {
        schema_version: SCHEMA_VERSION,
        id: run_id(started_at, plan.seed),
        lane: request.lane,
        profile: plan.profile.clone(),
        seed: plan.seed,
        started_at,
        finished_at: started_at,
        harness: Harness {
            version: version.into(),
            commit,
            dirty,
            rounds: plan.rounds,
            cargo_profile,
            foreign_settings: supply.foreign_settings.clone(),
            stopped: Stopped::RoundsDone,
            whole: false,
        },
        environment,
        apps: Vec::new(),
        scenarios: plan.scenarios.clone(),
        trials: Vec::new(),
        controls: Vec::new(),
        summary: Vec::new(),
    };
    Head {
        record,
        plan,
        time_budget: request.options.time_budget.map(Duration::from_secs_f64),
    }
}

/// The record of a run that ends now.
pub(super) fn end(mut record: Record, plan: &Plan, stopped: Stopped, supply: &Supply) -> Record {
    // The clock may have been set back while the run was interrupted.
    record.finished_at = clock::now().max(record.started_at);
    record.environment.warnings.extend(clock::set_meanwhile());
    record.set_controls_apart();
    machine_state::settle(&mut record);
    record.summary = analysis::summary_among(&record, &Sessions::default());
    let whole = supply.is_whole(plan, &Profiles::built_in(), &record.harness.cargo_profile);
    record.harness.whole = whole && mostly_failed(&record).is_none();
    record.harness.stopped = stopped;
    record
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_keeps_its_layout_and_a_control_has_its_own() {
        assert_eq!(layout(false, 7, None), None);
        let seeds = [0, 7, u64::from(u32::MAX), u64::MAX].map(|seed| layout(true, seed, None).map(NonZeroU32::get));
        assert_eq!(seeds, [Some(1), Some(8), Some(1), Some(1)]);
        let mut begun = samples::record();
        let control = samples::full().controls.remove(0).app;
        assert!(control.layout_seed.is_some());
        begun.apps.insert(0, control);
        assert_eq!(layout(false, 7, Some(&begun)), None);
        begun.apps[1].layout_seed = NonZeroU32::new(5);
        assert_eq!(layout(false, 7, Some(&begun)), NonZeroU32::new(5));
    }
}
