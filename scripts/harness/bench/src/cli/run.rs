//! `bench run`.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use jiff::{SignedDuration, Timestamp};

use super::supply::{Programs, Supply};
use super::{Format, Outcome, costs, print, split};
use measure::container::{Engine, Images};
use measure::count::instructions;
use measure::journal::{Head, Journal};
use measure::machine::cpus;
use measure::machine::cpus::{Split, Topology};
use measure::machine::environment;
use measure::machine::limits;
use measure::machine::load;
use measure::machine::load::Ticks;
use measure::machine::lock::Lock;
use measure::machine::split::Wish;
use measure::generator::Generators;
use measure::run::{Campaign, CampaignError, Counting, Events, Subject, counted};
use measure::plan::{Plan, Wishes};
use measure::profile::Profiles;
use crate::progress::{Progress, in_words};
use record::{Environment, Harness, Lane, Record, SCHEMA_VERSION, Stopped, Trial};
use tell::report::terminal;
use record::scenario::{GeneratorKind, Isolation, Scenario};
use judge::analysis;
use measure::interrupt;
use record::store;

const EXAMPLES: &str = "\
Examples:
  bench run                                        the quick profile
  bench run --app axum,rocket --scenario hello     two frameworks, one scenario
  bench run --rounds 10 --seed 7                   narrower intervals, a known order
  bench run --time-budget 15m                      as many rounds as a quarter of an hour allows
  bench run --app axum --isolation docker,docker-bridge
                                                   native, in a container, and in one behind a bridge, in turns
  bench run --binaries handover                    what `bench build` made on another machine; compiles nothing
  bench run --load-generator wrk --scenario hello  driven by wrk instead of oha
  bench run --profile costs --app axum             size, build times, dependencies, instructions and system calls
  bench run --split 1:3                            one cpu serves, three load; tries nothing before
  bench run --resume                               go on with the run that was interrupted

Reference and ceiling are part of every run: all ratios are to the reference.
One machine measures once at a time: beside another run or comparison this fails at once, or waits with --wait.
A server that fails does not fail the run: its verdict is in the table and in the record, and the exit status is 0.";

/// Build, prove, measure; write a record and print its table.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Set of scenarios with durations and rounds
    #[arg(long, default_value = "quick", conflicts_with = "resume")]
    profile: String,
    /// Apps to measure [default: those of the profile]
    #[arg(long, value_delimiter = ',', value_name = "ID", conflicts_with = "resume")]
    app: Vec<String>,
    /// Variants to measure [default: default]
    #[arg(long, value_delimiter = ',', value_name = "NAME", conflicts_with = "resume")]
    variant: Vec<String>,
    /// Scenarios to measure [default: those of the profile]
    #[arg(long, value_delimiter = ',', value_name = "NAME", conflicts_with = "resume")]
    scenario: Vec<String>,
    /// Rounds; fewer than 5 carry no interval and rank nothing [default: that of the profile]
    #[arg(long, value_name = "N", conflicts_with = "resume")]
    rounds: Option<u32>,
    /// Length of each measured load, as in 750ms or 2s; where requests are counted, it only lengthens the time that they may take
    /// [default: that of the profile]
    #[arg(long, value_name = "TIME", value_parser = seconds, conflicts_with = "resume")]
    pub(super) duration: Option<f64>,
    /// Measure also in containers, beside native in the same rounds [default: native]
    #[arg(long, value_delimiter = ',', value_name = "KIND", conflicts_with = "resume")]
    isolation: Vec<Isolation>,
    /// Container engine: docker, podman or a path [default: the first of the two that answers]
    #[arg(long, value_name = "PATH")]
    container_engine: Option<PathBuf>,
    /// Connections [default: those of the scenario]
    #[arg(long, value_name = "N", conflicts_with = "resume")]
    pub(super) connections: Option<u32>,
    /// Seed of the order of the trials [default: taken from the clock, and recorded]
    #[arg(long, value_name = "N", conflicts_with = "resume")]
    seed: Option<u64>,
    /// Make as many rounds as this time allows, as in 15m, instead of a number of rounds
    #[arg(long, value_name = "TIME", value_parser = seconds, conflicts_with = "resume")]
    pub(super) time_budget: Option<f64>,
    /// Where this run is made; series of different lanes are never mixed
    #[arg(long, default_value = "local", conflicts_with = "resume")]
    pub(super) lane: Lane,
    /// Folder of the results [default: bench-results of the repository]
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Take the programs that `bench build --out DIR` made, and compile nothing
    #[arg(long, value_name = "DIR", conflicts_with = "cargo_profile")]
    pub(super) binaries: Option<PathBuf>,
    /// Another load generator than the one that Cargo.lock pins: a program that is oha
    #[arg(long, value_name = "PATH")]
    oha: Option<PathBuf>,
    /// Other load generators than oha, in a closed loop: wrk (whole seconds; lengths are rounded up) or h2load
    #[arg(
        long,
        visible_alias = "with",
        value_delimiter = ',',
        value_name = "NAME",
        conflicts_with = "resume"
    )]
    pub(super) load_generator: Vec<GeneratorKind>,
    /// The program that is wrk [default: the one in PATH]
    #[arg(long, value_name = "PATH")]
    wrk: Option<PathBuf>,
    /// The program that is h2load [default: the one in PATH]
    #[arg(long, value_name = "PATH")]
    h2load: Option<PathBuf>,
    /// Cargo profile that the apps are built by; only `release` gives figures worth reading
    #[arg(long, value_name = "NAME", default_value = "release", conflicts_with = "resume")]
    pub(super) cargo_profile: String,
    /// Go on with an unfinished run: its id, or nothing if there is only one
    #[arg(long, value_name = "RUN", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    resume: Option<String>,
    /// Cpus of server and load generator: how many, as in 1:3, or which, as in 0,1:2-3 (a single one as 0-0) [default: the first under
    /// which the ceiling, not the generator, is the limit]
    #[arg(long, value_name = "SERVER:GENERATOR", conflicts_with = "resume")]
    split: Option<Wish>,
    /// If another bench measures on this machine, wait for its end [default: fail and say who]
    #[arg(long)]
    wait: bool,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
}

/// A time above zero, in seconds.
pub fn seconds(text: &str) -> Result<f64, String> {
    let time: SignedDuration = text
        .parse()
        .map_err(|_| format!("`{text}` is no time; write 750ms, 2s or 15m"))?;
    if time > SignedDuration::ZERO {
        Ok(time.as_secs_f64())
    } else {
        Err("a time above 0 is needed".into())
    }
}

/// Where an unfinished run stands.
struct Begun {
    head: Head,
    journal: Journal,
    trials: Vec<Trial>,
    subjects: Vec<Subject>,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let (record, path) = measure(args, &args.load_generator)?;
    show(&record, &path, args.format)?;
    Ok(Outcome::Fine)
}

/// Makes the whole run, driven by these `generators` or by oha alone, and writes its record.
pub(super) fn measure(args: &Args, generators: &[GeneratorKind]) -> anyhow::Result<(Record, PathBuf)> {
    interrupt::listen()?;
    let load_average = load::average(); // before the machine has to build
    let supply = Supply::of(args.binaries.as_deref())?;
    let results = args
        .out
        .clone()
        .unwrap_or_else(|| supply.catalog.root.join("bench-results"));
    let profiles = Profiles::built_in();
    // Wrong names are told before anything is built.
    let resumed = args
        .resume
        .as_deref()
        .map(|name| Journal::resume(&results, Some(name).filter(|n| !n.is_empty())));
    let resumed = resumed.transpose()?;
    let plan = match &resumed {
        Some((_, head, _)) => head.plan.clone(),
        None => planned(args, generators, &profiles, &supply)?,
    };
    let split = first_split(args, resumed.as_ref().map(|(_, head, _)| head))?;
    // From here on this run compiles and drives, which would disturb another.
    let _lock = Lock::take(args.wait)?;
    if profiles.profile(&plan.profile).is_some_and(|profile| profile.costs) {
        return costs::measure(args, plan, &split, &supply, &results);
    }
    // So is an engine that is missing.
    let contained = |scenario: &Scenario| scenario.isolation != Isolation::Native;
    let engine = plan.scenarios.iter().any(contained);
    let engine = engine
        .then(|| Engine::find(args.container_engine.as_deref()))
        .transpose()?;
    let programs = Programs {
        oha: args.oha.as_deref(),
        wrk: args.wrk.as_deref(),
        h2load: args.h2load.as_deref(),
    };
    let kinds = plan.scenarios.iter().map(|scenario| scenario.generator).collect();
    let generators = supply.generators(&kinds, programs, &split.generator)?;
    let mut versions = versions(&generators);
    let oha = versions.remove(&GeneratorKind::Oha).unwrap_or_default();
    let cargo_profile = resumed
        .as_ref()
        .map_or(supply.cargo_profile(&args.cargo_profile), |(_, head, _)| {
            &head.cargo_profile
        });
    let subjects = supply.subjects(&plan.subjects, cargo_profile)?;
    make_room(&plan);
    let images = engine
        .as_ref()
        .map(|engine| Images::make(engine, &subjects))
        .transpose()?;

    let chosen = resumed.is_some() || args.split.is_some();
    let (split, tried) = split::settled(chosen, split, &subjects, &generators)?;
    let generators = split::moved(generators, &split)?;
    let mut begun = if let Some((journal, head, trials)) = resumed {
        same_as_before(&head, &subjects, &split, &oha)?;
        same_generators(&head, &versions)?;
        same_engine(&head, engine.as_ref())?;
        Begun {
            head,
            journal,
            trials,
            subjects,
        }
    } else {
        let mut machine = environment::describe(&split, load_average, supply.rustc()?, oha);
        machine.splits = tried;
        if !counted(&plan).is_empty() {
            counts_with_valgrind(&mut machine, &supply);
        }
        machine.generators = versions;
        machine.container_engine = engine.as_ref().map(|engine| engine.version.clone());
        begin(args, plan, subjects, machine, &supply, &results)?
    };
    let (stopped, steal) = drive(&mut begun, &generators, images.as_ref(), &split)?;
    let record = record(begun.head, begun.subjects, begun.trials, stopped, steal, &supply);
    let path = store::write(&results, &record)?;
    begun.journal.finished()?;
    Ok((record, path))
}

/// Makes what is left of the rounds. Returns why no more are made, and the share of time that the hypervisor took meanwhile.
fn drive(
    begun: &mut Begun,
    generators: &Generators,
    images: Option<&Images>,
    split: &Split,
) -> anyhow::Result<(Stopped, f64)> {
    // The harness must not take time from the servers.
    let _ = cpus::pin(0, &split.generator); // it waits nearly always, so nothing is lost if the kernel refuses
    let ticks = Ticks::now(&split.cpus());
    let time_budget = time_budget(&begun.head)?;
    let campaign = Campaign {
        plan: &begun.head.plan,
        subjects: &begun.subjects,
        generators,
        images,
        split,
        time_budget,
        spent: begun.journal.spent(),
    };
    begun.journal.measuring();
    let mut counting = Counting::new(&begun.head.plan, &begun.subjects, split);
    if begun.head.environment.valgrind.is_none() {
        counting = counting.without();
    }
    let mut audience = Audience::new(&mut begun.journal, &begun.head.plan, begun.trials.len());
    let ended = campaign.run(&mut begun.trials, &mut counting, &mut audience);
    drop(audience);
    let stopped = match ended {
        Ok(stopped) => stopped,
        Err(CampaignError::Interrupted(_)) => {
            let id = &begun.head.id;
            bail!(
                "interrupted; {} trials are kept, go on with: bench run --resume={id}",
                begun.trials.len()
            );
        }
        Err(error) => return Err(error.into()),
    };
    let steal = Ticks::now(&split.cpus()).steal_share_since(ticks);
    for (id, reason) in counting.into_reasons() {
        let app = begun.subjects.iter_mut().map(|subject| &mut subject.app);
        if let Some(app) = app
            .into_iter()
            .find(|app| app.id == id.app && app.variant == id.variant)
        {
            app.instructions_not_counted = Some(reason);
        }
    }
    Ok((stopped, steal))
}

/// The run counts instructions, if there is something to count with.
fn counts_with_valgrind(machine: &mut Environment, supply: &Supply) {
    machine.valgrind = instructions::version(&supply.catalog.root);
    if machine.valgrind.is_none() {
        let told =
            "valgrind is not installed: instructions were not counted (Debian and Ubuntu: apt-get install valgrind)";
        machine.warnings.push(told.into());
    }
}

/// The whole time budget, if there is one.
fn time_budget(head: &Head) -> anyhow::Result<Option<Duration>> {
    let budget = head.time_budget_seconds.map(Duration::try_from_secs_f64).transpose();
    budget.with_context(|| format!("the time budget of run {} is no time", head.id))
}

/// Raises the limit of open files to what the largest scenario needs.
fn make_room(plan: &Plan) {
    let connections = plan.scenarios.iter().map(|scenario| scenario.connections);
    let _ = limits::allow_files(limits::files_needed(connections.max().unwrap_or(0))); // each trial looks again, and tells
}

fn planned(args: &Args, generators: &[GeneratorKind], profiles: &Profiles, supply: &Supply) -> anyhow::Result<Plan> {
    let wishes = Wishes {
        generators: generators.to_vec(),
        ..wishes(args)
    };
    let seed = args.seed.unwrap_or_else(seed_of_the_clock);
    Ok(Plan::new(&wishes, &supply.catalog, profiles, seed)?)
}

fn wishes(args: &Args) -> Wishes {
    Wishes {
        profile: args.profile.clone(),
        apps: args.app.clone(),
        variants: args.variant.clone(),
        scenarios: args.scenario.clone(),
        rounds: args.rounds,
        seconds: args.duration,
        connections: args.connections,
        isolations: isolations(&args.isolation),
        generators: Vec::new(),
    }
}

/// Whoever asks for a container wants to know what it costs: native is measured beside it.
fn isolations(asked: &[Isolation]) -> Vec<Isolation> {
    if asked.iter().all(|isolation| *isolation == Isolation::Native) {
        return Vec::new();
    }
    let mut all = [asked, &[Isolation::Native]].concat();
    all.sort_unstable();
    all.dedup();
    all
}

fn seed_of_the_clock() -> u64 {
    // 16 bits: enough for a different order each time, short enough to be typed again.
    u64::from(Timestamp::now().subsec_nanosecond().unsigned_abs() / 1000) & 0xffff
}

/// `20261121T123408Z-1`: when it began, and its seed.
pub(super) fn run_id(started_at: Timestamp, seed: u64) -> String {
    format!("{}-{seed:x}", started_at.strftime("%Y%m%dT%H%M%SZ"))
}

fn begin(
    args: &Args,
    plan: Plan,
    subjects: Vec<Subject>,
    environment: Environment,
    supply: &Supply,
    results: &std::path::Path,
) -> anyhow::Result<Begun> {
    let started_at = Timestamp::now();
    let head = Head {
        journal_version: Head::VERSION,
        id: run_id(started_at, plan.seed),
        lane: args.lane,
        started_at,
        plan,
        time_budget_seconds: args.time_budget,
        cargo_profile: supply.cargo_profile(&args.cargo_profile).to_owned(),
        environment,
        apps: subjects.iter().map(|subject| subject.app.clone()).collect(),
    };
    let journal = Journal::create(results, &head)?;
    Ok(Begun {
        head,
        journal,
        trials: Vec::new(),
        subjects,
    })
}

/// The split that a resumed run was begun with, because its trials stand beside those from before the interrupt; else the one that
/// the user wishes, or the usual one.
fn first_split(args: &Args, resumed: Option<&Head>) -> anyhow::Result<Split> {
    let Some(head) = resumed else {
        return Ok(split::wished(args.split.as_ref())?);
    };
    let before = &head.environment;
    let split = Topology::of_this_machine().listed(&before.server_cpus, &before.generator_cpus);
    split.with_context(|| format!("run {} cannot go on: it was begun with other cpus", head.id))
}

/// A run that goes on must go on with the same programs on the same machine.
fn same_as_before(head: &Head, subjects: &[Subject], split: &Split, oha: &str) -> anyhow::Result<()> {
    let id = &head.id;
    for subject in subjects {
        let now = &subject.app;
        let before = head
            .apps
            .iter()
            .find(|app| app.id == now.id && app.variant == now.variant);
        let same = before.is_some_and(|before| {
            (&before.source_hash, &before.lockfile_hash) == (&now.source_hash, &now.lockfile_hash)
        });
        ensure!(
            same,
            "run {id} cannot go on: {} has changed since; start a new run",
            now.id
        );
    }
    let machine = environment::describe(split, 0.0, String::new(), String::new());
    let before = &head.environment;
    ensure!(
        before.cpu_model == machine.cpu_model,
        "run {id} cannot go on: it was begun on another machine"
    );
    ensure!(
        before.oha == oha,
        "run {id} cannot go on: it was begun with {}, this is {oha}",
        before.oha
    );
    Ok(())
}

/// The other load generators too.
fn same_generators(head: &Head, versions: &BTreeMap<GeneratorKind, String>) -> anyhow::Result<()> {
    for (kind, before) in &head.environment.generators {
        let (id, program) = (&head.id, kind.program());
        let now = versions.get(kind).map_or("none", String::as_str);
        ensure!(
            before == now,
            "run {id} cannot go on: it was begun with {program} {before}, this is {now}"
        );
    }
    Ok(())
}

/// And what runs the containers.
fn same_engine(head: &Head, engine: Option<&Engine>) -> anyhow::Result<()> {
    let before = head.environment.container_engine.as_deref().unwrap_or("none");
    let now = engine.map_or("none", |engine| engine.version.as_str());
    ensure!(
        before == now,
        "run {} cannot go on: its containers were run by {before}, and these would be by {now}; --container-engine names another",
        head.id
    );
    Ok(())
}

fn versions(generators: &Generators) -> BTreeMap<GeneratorKind, String> {
    let versions = generators.iter();
    versions
        .map(|(kind, generator)| (*kind, generator.version.clone()))
        .collect()
}

fn record(
    head: Head,
    subjects: Vec<Subject>,
    trials: Vec<Trial>,
    stopped: Stopped,
    steal_share: f64,
    supply: &Supply,
) -> Record {
    let whole = supply.is_whole(&head.plan, &Profiles::built_in(), &head.cargo_profile);
    let (commit, dirty) = supply.commit().unzip();
    let mut apps: Vec<_> = subjects.into_iter().map(|subject| subject.app).collect();
    for app in &mut apps {
        // What was built before the interrupt took its time then.
        if let Some(before) = head
            .apps
            .iter()
            .find(|before| before.id == app.id && before.variant == app.variant)
        {
            app.build_seconds = before.build_seconds;
        }
    }
    let mut environment = head.environment;
    environment.steal_share = steal_share;
    Record {
        schema_version: SCHEMA_VERSION,
        id: head.id,
        lane: head.lane,
        profile: head.plan.profile,
        seed: head.plan.seed,
        started_at: head.started_at,
        finished_at: Timestamp::now(),
        harness: Harness {
            version: env!("CARGO_PKG_VERSION").into(),
            commit,
            dirty,
            rounds: head.plan.rounds,
            cargo_profile: head.cargo_profile,
            stopped,
            whole: Some(whole),
        },
        environment,
        summary: analysis::summary(&apps, &head.plan.scenarios, &trials),
        apps,
        scenarios: head.plan.scenarios,
        trials,
    }
}

pub(super) fn show(record: &Record, path: &std::path::Path, format: Format) -> anyhow::Result<()> {
    if format == Format::Json {
        print(&format!("{}\n", serde_json::to_string_pretty(record)?))?;
        eprintln!("record: {}", path.display());
        return Ok(());
    }
    print(&terminal(record, super::style()))?;
    print(&format!("\nrecord: {}\n", path.display()))
}

/// Keeps every trial in the journal and shows how far the run is.
struct Audience<'a> {
    journal: &'a mut Journal,
    progress: Progress,
    began: Instant,
    made: usize,
    planned: usize,
    rounds: u32,
}

impl<'a> Audience<'a> {
    fn new(journal: &'a mut Journal, plan: &Plan, made: usize) -> Self {
        let planned = (plan.round_length() * plan.rounds as usize).saturating_sub(made);
        let heading = format!(
            "measuring {} scenarios, {} apps, {} rounds, seed {}",
            plan.scenarios.len(),
            plan.subjects.len(),
            plan.rounds,
            plan.seed
        );
        let progress = Progress::new(&heading, planned as u64);
        Self {
            journal,
            progress,
            began: Instant::now(),
            made: 0,
            planned,
            rounds: plan.rounds,
        }
    }
}

impl Events for Audience<'_> {
    fn more(&mut self, trials: usize) {
        self.planned += trials;
        self.progress.more(trials as u64);
    }

    fn doing(&mut self, what: &str) {
        self.progress.doing(what);
    }

    fn made(&mut self, trial: &Trial) -> io::Result<()> {
        self.journal.add(trial)?;
        if trial.attempt == 1 {
            self.made += 1;
            self.progress.step();
        }
        Ok(())
    }

    fn round_done(&mut self, round: u32) {
        let left = self.planned.saturating_sub(self.made);
        let each = self.began.elapsed() / u32::try_from(self.made.max(1)).unwrap_or(u32::MAX);
        let left = each * u32::try_from(left).unwrap_or(u32::MAX);
        if !io::stderr().is_terminal() {
            let of = self.rounds.max(round);
            self.progress
                .line(&format!("round {round} of {of} done, about {} left", in_words(left)));
        }
    }
}
