//! The plan of a run: its trials and their order, made from arguments, catalog and profiles. Starts nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::{anyhow, bail, ensure};
use jiff::{SignedDuration, Timestamp};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use apps::catalog::{App, Catalog, Variant};
pub use apps::contract_parts::Parts;
use apps::profile::{Profile, Profiles};
pub use apps::suggest::{unknown, unknown_in};
use machine::split::CpuSplitArg;
use model::scenario::{Dimension, GeneratorKind, Isolation, LoadModel, Scenario, Varies};
use model::store::MOST_ROUNDS;
use model::{DEFAULT_VARIANT, FIRST_LOOK, SubjectId};
use model::{Part, Role};

/// What a run measures, and how long.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, clap::Args)]
pub struct RunOptions {
    /// Apps to measure [default: the profile's]
    #[arg(long = "app", value_delimiter = ',', value_name = "ID")]
    pub apps: Vec<String>,
    /// Scenarios to measure [default: the profile's]
    #[arg(long = "scenario", value_delimiter = ',', value_name = "NAME")]
    pub scenarios: Vec<String>,
    /// Rounds; fewer than 5 give no intervals and no ranks [default: the profile's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_ROUNDS)))]
    pub rounds: Option<u32>,
    /// Make as many rounds as this time allows, such as 15m, instead of a number of rounds
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub time_budget: Option<f64>,
    /// Set of scenarios with durations and rounds [default: first-look]
    #[arg(long)]
    pub profile: Option<String>,
    /// Variants to measure [default: default]
    #[arg(long = "variant", value_delimiter = ',', value_name = "NAME")]
    pub variants: Vec<String>,
    /// Length of each measured load, such as 750ms or 2s; a load of counted requests is never shortened
    /// [default: the profile's]
    #[arg(long = "duration", value_name = "TIME", value_parser = seconds)]
    pub seconds: Option<f64>,
    /// Also measure in containers, in the same rounds as native [default: native]
    #[arg(long = "isolation", value_delimiter = ',', value_name = "KIND")]
    pub isolations: Vec<Isolation>,
    /// Connections, with the profile scaling for each worker [default: the scenario's]
    #[arg(long, value_name = "N")]
    pub connections: Option<u32>,
    /// Other load generators than oha, for closed loops: wrk (whole seconds; lengths are rounded up) or h2load
    #[arg(
        long = "load-generator",
        visible_alias = "with",
        value_delimiter = ',',
        value_name = "NAME"
    )]
    pub generators: Vec<GeneratorKind>,
    /// Seed of the order of the trials [default: from the clock; it is recorded]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Cargo profile of the apps: `release` is what is published, `first-look` is built in minutes [default: the profile's]
    #[arg(long, value_name = "NAME")]
    pub cargo_profile: Option<String>,
    /// Cpus of server and load generator: how many, such as 1:3, or which, such as 0,1:2-3 (a single one as 0-0) [default: the first
    /// split under which the ceiling, not the generator, is the limit]. With --load-from, only the server's cpus count
    #[arg(long, value_name = "SERVER:GENERATOR")]
    pub split: Option<CpuSplitArg>,
}

impl RunOptions {
    /// The profile that is named, or the default one.
    fn profile(&self) -> &str {
        self.profile.as_deref().unwrap_or(FIRST_LOOK)
    }

    /// How long measuring may take, if that is limited.
    pub fn time_budget(&self) -> Option<Duration> {
        self.time_budget.map(Duration::from_secs_f64)
    }
}

/// What a run will do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Name of the profile.
    pub profile: String,
    /// Seed of the order.
    pub seed: u64,
    /// Rounds; the fewest, where there is a time budget.
    pub rounds: u32,
    /// Apps and variants, sorted.
    pub subjects: Vec<SubjectId>,
    /// Scenarios, in the order of the reports.
    pub scenarios: Vec<Scenario>,
    /// Who is measured in each of them.
    pub asked: BTreeMap<String, Vec<SubjectId>>,
}

const NO_APP: &str = "there is no app to measure; `bench list` shows all";

impl Plan {
    /// The plan for `options`.
    pub fn new(options: &RunOptions, catalog: &Catalog, profiles: &Profiles) -> anyhow::Result<Self> {
        let name = options.profile();
        let profile = profiles.profile(name);
        let profile = profile.ok_or_else(|| unknown("profile", name, profiles.names()))?;
        ensure!(
            options.connections != Some(0),
            "0 connections send no request: --connections takes 1 or more"
        );
        ensure!(
            options.seconds.is_none_or(|seconds| seconds >= 0.01),
            "--duration takes 10ms or more"
        );
        let names = if options.scenarios.is_empty() {
            &profile.scenarios
        } else {
            &options.scenarios
        };
        let mut scenarios: Vec<Scenario> = Vec::new();
        for name in names {
            let known = profiles.scenario(name, profile);
            let mut scenario = known.ok_or_else(|| unknown("scenario", name, profiles.scenario_names()))?;
            scenario.connections = options.connections.unwrap_or(scenario.connections);
            // A load that counts its requests does not get shorter with less time; it would only fail.
            let least = scenario.requests.map_or(0.0, |_| scenario.seconds);
            scenario.seconds = options.seconds.map_or(scenario.seconds, |seconds| seconds.max(least));
            for variation in variations(&scenario, options) {
                if scenarios.iter().all(|known| known.id != variation.id) {
                    scenarios.push(variation);
                }
            }
        }
        for scenario in &scenarios {
            scenario
                .check()
                .map_err(|reason| anyhow!("scenario {}: {reason}", scenario.id))?;
        }
        if let Some(scenario) = scenarios.iter().find(|scenario| !can_drive(scenario)) {
            ensure!(scenario.service.is_none(), "only oha can drive `{}`", scenario.id);
            let (generator, id) = (scenario.generator.program(), &scenario.id);
            let also = match scenario.generator {
                GeneratorKind::Oha => "",
                GeneratorKind::Wrk => ", HTTP/1.1 and a length in seconds",
                GeneratorKind::H2load => " and kept connections",
            };
            bail!("{generator} cannot make the load of `{id}`; name scenarios with a closed loop{also}");
        }
        let parts = Parts::by_scenarios(&scenarios);
        let subjects = subjects(&options.apps, &options.variants, Purpose::Run(profile), &parts, catalog)?;
        let mut by_scenario = BTreeMap::new();
        for scenario in &scenarios {
            let can = |app: &App| app.protocols.contains(&scenario.protocol) && app.does(scenario);
            let takes_part = |id: &&SubjectId| catalog.app(&id.app).is_some_and(can);
            let of_scenario: Vec<SubjectId> = subjects.iter().filter(takes_part).cloned().collect();
            by_scenario.insert(scenario.id.clone(), of_scenario);
        }
        let mut wanted = options.apps.iter().filter_map(|name| catalog.app(name));
        if let Some(app) = wanted.find(|app| app.part() == Part::Services && !scenarios.iter().any(|one| app.does(one)))
        {
            bail!(not_offered(app, &scenarios));
        }
        let plan = Self {
            profile: name.to_owned(),
            seed: options.seed.unwrap_or_else(|| seed_of_the_clock().into()),
            rounds: options.rounds.unwrap_or(profile.rounds),
            subjects,
            scenarios,
            asked: by_scenario,
        };
        Ok(plan.with_controls(catalog, profile))
    }

    /// Whether this is a whole run of its profile: at least its apps, scenarios and rounds, with the scenarios unchanged.
    pub fn is_whole(&self, catalog: &Catalog, profiles: &Profiles) -> bool {
        let options = RunOptions {
            profile: Some(self.profile.clone()),
            ..RunOptions::default()
        };
        let widths = profiles.profile(&self.profile).and_then(|profile| profile.widths);
        let usual = Self::new(&options, catalog, profiles).and_then(|usual| match widths {
            // Which widths there are is the machine's; that a scenario lacks one of them is not.
            Some(wanted) => usual.at_widths(&self.widths(), wanted.connections_per_worker),
            None => Ok(usual),
        });
        let ours = self.round(1);
        usual.is_ok_and(|usual| {
            let all = usual.round(1);
            self.rounds >= usual.rounds && !all.is_empty() && all.iter().all(|trial| ours.contains(trial))
        })
    }

    /// The trials of one round, each a subject and a scenario: every subject once per scenario.
    ///
    /// Scenarios are in shuffled order, and so are the subjects of each: a subject and the reference are then at most one
    /// scenario's trials apart, however fast the machine drifts.
    pub fn round(&self, round: u32) -> Vec<(&SubjectId, &Scenario)> {
        // Each round has a stream of its own, so that its order does not depend on how many rounds there are.
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(u64::from(round));
        let mut scenarios: Vec<&Scenario> = self.scenarios.iter().collect();
        scenarios.shuffle(&mut rng);
        let mut trials = Vec::new();
        for scenario in scenarios {
            let mut subjects: Vec<&SubjectId> = self.subjects.iter().collect();
            subjects.shuffle(&mut rng);
            // After the shuffle, so that a new protocol of one app does not change the order of the others.
            subjects.retain(|subject| self.measures(subject, scenario));
            trials.extend(subjects.into_iter().map(|subject| (subject, scenario)));
        }
        trials
    }

    /// Whether the subject is measured in this scenario.
    pub fn measures(&self, subject: &SubjectId, scenario: &Scenario) -> bool {
        let subjects = self.asked.get(&scenario.id);
        subjects.is_none_or(|subjects| subjects.contains(subject))
    }
}

/// A seed for what nobody has named one.
pub(crate) fn seed_of_the_clock() -> u32 {
    // 16 bits: enough for a different order each time, short enough to be typed again.
    (Timestamp::now().subsec_nanosecond().unsigned_abs() / 1000) & 0xffff
}

/// The scenario with each of the wished load generators, and in each of the wished containers.
fn variations(scenario: &Scenario, options: &RunOptions) -> Vec<Scenario> {
    let varied = |by, suffix: &str| Scenario {
        id: format!("{}{suffix}", scenario.id),
        varies: (!suffix.is_empty())
            .then(|| Varies {
                like: scenario.id.clone(),
                by,
            })
            .or_else(|| scenario.varies.clone()),
        ..scenario.clone()
    };
    // Native is measured along with containers, which are compared with it.
    let mut isolations: BTreeSet<Isolation> = options.isolations.iter().copied().collect();
    isolations.insert(Isolation::Native);
    let isolated = isolations
        .iter()
        .filter(|_| isolations.len() > 1)
        .map(|isolation| Scenario {
            isolation: *isolation,
            cpu_quota: false, // a container is in a control group of its engine
            ..varied(Dimension::Isolation, isolation.suffix())
        });
    // Load generators are compared by whole loads, because not all of them can make slices.
    let driven = options.generators.iter().map(|generator| Scenario {
        generator: *generator,
        slice_seconds: None,
        own_load: Some("load generators are compared by whole loads".into()),
        ..varied(Dimension::Generator, generator.suffix())
    });
    let mut variations: Vec<Scenario> = isolated.chain(driven).collect();
    if variations.is_empty() {
        variations.push(scenario.clone());
    }
    // wrk takes only whole seconds, and loads that are compared with it get the same length.
    if options.generators.contains(&GeneratorKind::Wrk) {
        for variation in &mut variations {
            variation.seconds = variation.seconds.ceil();
            variation.warmup_seconds = variation.warmup_seconds.ceil();
        }
    }
    variations
}

/// Whether the load generator of the scenario can make its load. Requests to services have no place in the arguments of others than oha.
fn can_drive(scenario: &Scenario) -> bool {
    let closed = scenario.load == LoadModel::Closed && scenario.service.is_none();
    match scenario.generator {
        GeneratorKind::Oha => true,
        GeneratorKind::Wrk => closed && !scenario.protocol.is_http2() && scenario.requests.is_none(),
        GeneratorKind::H2load => closed && scenario.keep_alive,
    }
}

/// The name for all apps, including reference and ceiling.
const ALL: &str = "all";

/// What subjects are chosen for.
#[derive(Debug, Clone, Copy)]
pub enum Purpose<'a> {
    /// A run of a profile: its variants or the default one, if none are named. Reference and ceiling are always part of it.
    Run(&'a Profile),
    /// Programs that are built for later runs: the same in all variants, if none are named.
    Build,
    /// Looking at single apps: all variants, if none are named; reference and ceiling only where they or all are named.
    Inspect,
}

/// The subjects that `apps` and `variants` name, or the default ones for this purpose.
pub fn subjects(
    apps: &[String],
    variants: &[String],
    purpose: Purpose<'_>,
    parts: &Parts,
    catalog: &Catalog,
) -> anyhow::Result<Vec<SubjectId>> {
    let ids = || catalog.apps.iter().map(|app| app.id.as_str());
    let all = apps.iter().any(|name| name == ALL);
    if let Some(name) = apps.iter().find(|name| catalog.app(name).is_none() && *name != ALL) {
        return Err(unknown("app", name, ids().chain([ALL])));
    }
    let mut named = apps.iter().filter_map(|name| catalog.app(name));
    if let Some(app) = named.find(|app| !parts.includes(app.part())) {
        bail!(other_part(app, parts, catalog));
    }
    let profile = match purpose {
        Purpose::Run(profile) => Some(profile),
        Purpose::Build | Purpose::Inspect => None,
    };
    let usual = |app: &App| {
        let Some(profile) = profile else { return true };
        let named = profile.apps.as_ref().is_none_or(|names| names.contains(&app.id));
        named && profile.tiers.as_ref().is_none_or(|tiers| tiers.contains(&app.tier))
    };
    let chosen = |app: &App| match apps {
        [] => usual(app),
        named => all || named.contains(&app.id),
    };
    let default = [DEFAULT_VARIANT.to_owned()];
    let wanted = match (variants, purpose) {
        ([], Purpose::Run(profile)) => Some(profile.variants.as_deref().unwrap_or(&default)),
        ([], _) => None,
        (named, _) => Some(named),
    };
    let mut subjects = Vec::new();
    let mut frameworks = 0;
    for app in &catalog.apps {
        let is_measure = app.role != Role::Framework && !apps.contains(&app.id);
        let is_needed = is_measure && !matches!(purpose, Purpose::Inspect);
        if !parts.includes(app.part()) || !is_needed && !chosen(app) {
            continue;
        }
        let wanted = if is_measure { Some(default.as_slice()) } else { wanted };
        let is_wanted = |variant: &&Variant| wanted.is_none_or(|names| names.contains(&variant.name));
        for variant in app.variants.iter().filter(is_wanted) {
            subjects.push(SubjectId::new(&app.id, &variant.name));
            frameworks += u32::from(!is_measure);
        }
    }
    // Default variants may be missing; variants that the user names may not.
    let missing = |name: &&String| subjects.iter().all(|subject| subject.variant != **name);
    if let Some(name) = variants.iter().find(missing) {
        let known = catalog
            .apps
            .iter()
            .filter(|app| chosen(app))
            .flat_map(|app| &app.variants);
        return Err(unknown("variant", name, known.map(|variant| variant.name.as_str())));
    }
    ensure!(frameworks > 0, NO_APP);
    if matches!(purpose, Purpose::Build) && parts.includes(Part::Plain) {
        subjects.extend(catalog.control_ids());
    }
    Ok(subjects)
}

/// Why an app cannot be measured: the scenarios need another part of the contract than it keeps.
fn other_part(app: &App, parts: &Parts, catalog: &Catalog) -> String {
    let id = &app.id;
    let own = match app.part() {
        Part::Plain => None,
        Part::Database => Some(("has a database behind it", "db")),
        Part::Services => Some(("offers service features", "auth")),
    };
    // Apps that keep the needed part are called after the framework.
    let framework = own
        .and_then(|_| id.rsplit_once('-'))
        .map_or(id.as_str(), |(framework, _)| framework);
    let (lacks, suffix) = if parts.includes(Part::Database) {
        ("has no database, which these scenarios need", "postgres")
    } else if parts.includes(Part::Services) {
        ("has none of the services that these scenarios need", "services")
    } else {
        let (what, scenario) = own.unwrap_or(("keeps another part of the contract", "plaintext"));
        return format!("`{id}` {what}, and is measured only for that, as by `bench run --scenario {scenario}`");
    };
    let other = format!("{framework}-{suffix}");
    let hint = match catalog.app(&other) {
        Some(_) => format!("did you mean `{other}`?"),
        None => "`bench list` shows those that do".into(),
    };
    format!("`{id}` {lacks}; {hint}")
}

/// Why an app offers none of the services that these scenarios need.
fn not_offered(app: &App, scenarios: &[Scenario]) -> String {
    let reasons = app.services.as_ref().map(|services| &services.not_offered);
    let mut needed = scenarios.iter().filter_map(|scenario| scenario.service);
    let reason = needed.find_map(|service| reasons?.get(&service.kind));
    let reason = reason.map_or(String::new(), |reason| format!(": {reason}"));
    format!(
        "`{}` does not offer this{reason}; `bench list` shows those that do",
        app.id
    )
}

mod controls;
mod widths;

/// Longest time that an option takes.
const LONGEST: SignedDuration = SignedDuration::from_hours(366 * 24);

/// A time above zero, in seconds.
pub fn seconds(text: &str) -> Result<f64, String> {
    let time: SignedDuration = text
        .parse()
        .map_err(|_| format!("`{text}` is not a time; write 750ms, 2s or 15m"))?;
    if time > LONGEST {
        return Err("that is longer than a year".into());
    }
    if time > SignedDuration::ZERO {
        Ok(time.as_secs_f64())
    } else {
        Err("a time above 0 is needed".into())
    }
}

#[cfg(test)]
impl Plan {
    /// The plan of a sample record, which does not say all of it, in five rounds.
    pub(crate) fn of_sample(record: &model::Record) -> Self {
        let apps = record.apps.iter();
        Self {
            profile: record.profile.clone(),
            seed: record.seed,
            rounds: 5,
            subjects: apps.map(model::AppRecord::subject).collect(),
            asked: BTreeMap::new(),
            scenarios: record.scenarios.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
