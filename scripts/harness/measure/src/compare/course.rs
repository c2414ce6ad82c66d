//! The course of a comparison: finds what the change touches, builds both sides, probes them, and drives them in turns.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use jiff::Timestamp;
use judge::compare::gates::{Gates, Gauge};
use judge::compare::outcome::{Comparison, Decision, SCHEMA_VERSION};
use judge::compare::recording::{Recorded, Recording};
use judge::compare::sharding::MeasuredShard;
use record::{Part, count};

use super::built::{BuiltApps, hash, prove};
use super::campaign::{Campaign, CampaignResult, Contender, Tools, series};
use super::changes::Touched;
use super::probing;
use super::scenarios::{ComparedScenarios, scenarios};
use super::scope::{gauges, scope};
use super::shards::{ShardRequest, take_shard};
use super::slices::{PairFailure, SideName};
use crate::affinity;
use crate::catalog::Catalog;
use crate::catalog::hash::hex;
use crate::database::{Database, Programs};
use crate::machine::cpus::Split;
use crate::machine::lock::Lock;
use crate::machine::split::CpuSplitArg;
use crate::machine::{environment, limits, load};
use crate::progress::Reporter;
use crate::request_counts::instructions::{NO_VALGRIND, version};
use crate::run::requested_split;
use crate::supply::load_generator;
use crate::{build, plan};

/// Pairs that a self-test records: the most that a comparison makes.
const PAIRS: u32 = 45;
/// Seconds that a pair of an app takes on two cpus, with some left over: 14.5 were measured.
pub const PAIR_SECONDS: u32 = 18;
/// App of the self-test, unless one is named.
const APP: &str = "axum";

/// Options of a comparison.
#[derive(Debug, Clone)]
pub struct ComparisonRequest {
    /// Revision to compare with; `None` for the merge-base of head and main.
    pub base: Option<String>,
    /// Revision that is proposed; `None` for the working tree.
    pub head: Option<String>,
    /// Only these of the apps that the change touches; empty for all.
    pub apps: Vec<String>,
    /// Scenarios; empty for those of the profile `compare`.
    pub scenarios: Vec<String>,
    /// Metrics; empty for all.
    pub metrics: Vec<Gauge>,
    /// Only the apps of one shard; `None` for all.
    pub shard: Option<ShardRequest>,
    /// A fixed number of pairs; `None` for as many as needed.
    pub pairs: Option<u32>,
    /// Longest time of measuring, in seconds.
    pub time_budget: Option<f64>,
    /// Path of another oha.
    pub oha: Option<PathBuf>,
    /// Cargo profile of both sides.
    pub cargo_profile: String,
    /// Cpus of server and generator.
    pub split: Option<CpuSplitArg>,
    /// Folder of PostgreSQL's programs; `None` to look where distributions put them.
    pub postgres: Option<PathBuf>,
    /// Whether to wait for another bench on this machine.
    pub wait: bool,
}

/// Builds both sides of the touched apps and drives them in turns until every series is decided. Returns the comparison and the
/// root of the repository. `version` is that of this program.
pub fn run(
    request: &ComparisonRequest,
    version: &str,
    reporter: &dyn Reporter,
) -> anyhow::Result<(Comparison, PathBuf)> {
    let began = Timestamp::now();
    let catalog = Catalog::find()?;
    let mut scope = scope(request, &catalog)?;
    let sharding = request
        .shard
        .map(|shard| take_shard(&mut scope, shard))
        .transpose()?
        .flatten();
    let part = scope.scenarios.part;
    let _lock = Lock::take(request.wait)?;

    let (split, database) = place(request, part == Part::Database && !scope.touched.is_empty())?;
    let mut built = BuiltApps::default();
    for touched in &scope.touched {
        let place = (&split, database.as_ref());
        built.add(
            touched,
            &scope.base,
            &scope.head,
            place,
            &request.cargo_profile,
            reporter,
        )?;
    }
    let mut comparison = Comparison {
        schema_version: SCHEMA_VERSION,
        decision: Decision::NothingToMeasure,
        base: scope.base.side,
        head: scope.head.side,
        started_at: began,
        finished_at: began,
        harness: version.into(),
        environment: None,
        gates: Gates::built_in(),
        sharding,
        apps: built.apps,
        untouched: scope.untouched,
        series: Vec::new(),
        probes: None,
        budget_spent: false,
        warnings: Vec::new(),
    };
    if !built.subjects.is_empty() {
        let tools = tools(request, &catalog, (split, database), scope.scenarios, reporter)?;
        measure(request, tools, &built.subjects, &mut comparison, reporter)?;
    }
    comparison.warnings.extend(not_compared(&scope.others));
    comparison.decision = comparison.decide();
    comparison.finished_at = Timestamp::now();
    if let Some(sharding) = &mut comparison.sharding {
        sharding.measured = vec![MeasuredShard {
            number: sharding.number.unwrap_or_default(),
            environment: comparison.environment.clone(),
            started_at: comparison.started_at,
            finished_at: comparison.finished_at,
        }];
    }
    Ok((comparison, scope.root))
}

/// The cpus, and a database on its own if one is needed.
fn place(request: &ComparisonRequest, with_database: bool) -> anyhow::Result<(Split, Option<Arc<Database>>)> {
    let split = requested_split(request.split.as_ref())?;
    if !with_database {
        return Ok((split, None));
    }
    let split = split.with_database();
    let database = Database::start(&Programs::find(request.postgres.as_deref())?, &split.database)?;
    Ok((split, Some(Arc::new(database))))
}

/// What the change also touches, if anything: servers of other parts of the contract, one line for each part.
fn not_compared(others: &[(Part, Touched)]) -> Vec<String> {
    let parts = [
        (Part::Plain, "answer plainly: compare them without --scenario"),
        (Part::Database, "have a database: compare them with --scenario db"),
        (
            Part::Services,
            "offer service features: compare them with --scenario auth",
        ),
    ];
    let line = |(part, how): (Part, &str)| {
        let of_part = others.iter().filter(|(other, _)| *other == part);
        let names: Vec<&str> = of_part.map(|(_, touched)| touched.id.as_str()).collect();
        (!names.is_empty()).then(|| {
            format!(
                "also touched and not compared, because they {how}: {}",
                names.join(", ")
            )
        })
    };
    parts.into_iter().filter_map(line).collect()
}

fn tools(
    request: &ComparisonRequest,
    catalog: &Catalog,
    (split, database): (Split, Option<Arc<Database>>),
    scenarios: ComparedScenarios,
    reporter: &dyn Reporter,
) -> anyhow::Result<Tools> {
    let load_average = load::average(); // before the machine has to build
    let gauges = gauges(request);
    let generator = load_generator(request.oha.as_deref(), &catalog.root, &split.generator, reporter)?;
    let wanted = gauges.contains(&Gauge::InstructionsPerRequest);
    let valgrind = wanted.then(|| version(&catalog.root)).flatten();
    let mut warnings = Vec::new();
    if wanted && valgrind.is_none() {
        if gauges.len() == 1 {
            bail!("{NO_VALGRIND}, and no other metric is wanted");
        }
        warnings.push(NO_VALGRIND.to_owned());
    }
    if wanted && gauges.len() == 1 && scenarios.scenarios.iter().all(|scenario| scenario.counted.is_none()) {
        bail!(
            "instructions are counted of the endpoints over HTTP/1.1 in cleartext only: name one of them with --scenario"
        );
    }
    let driven = scenarios.scenarios.iter().take(scenarios.driven);
    let most = driven.map(|scenario| scenario.connections).max().unwrap_or(0);
    if let Some(reason) = limits::reason_against(most) {
        bail!("this machine cannot bear the load: {reason}");
    }
    let rustc = environment::rustc(&catalog.root)?;
    let mut environment = environment::describe(&split, load_average, rustc, generator.version.clone());
    environment.valgrind = valgrind;
    environment.database = database.as_ref().map(|database| database.describe()).transpose()?;
    let _ = affinity::pin(0, &split.generator); // the harness mostly waits, so little is lost if the kernel refuses
    Ok(Tools {
        scenarios,
        gauges,
        generator,
        split,
        database,
        environment,
        warnings,
    })
}

fn campaign(
    request: &ComparisonRequest,
    tools: &Tools,
    subjects: &[Contender],
    gates: &Gates,
    reporter: &dyn Reporter,
) -> anyhow::Result<CampaignResult> {
    let heading = format!(
        "comparing {}, {}",
        count(subjects.len(), "app"),
        count(tools.scenarios.scenarios.len(), "scenario")
    );
    let progress = reporter.begin(&heading, 1);
    let mut campaign = Campaign {
        subjects,
        tools,
        gates,
        pairs: request.pairs,
        budget: Duration::ZERO,
    };
    campaign.budget = budget(request.time_budget, subjects.len(), campaign.first_look());
    let mut last = None;
    let result = campaign.run(|app, made, look| {
        progress.doing(&format!("{app} · pair {} of {look}", made + 1));
        if made.is_multiple_of(5) && last != Some(made) {
            last = Some(made);
            progress.passed(&format!("{made} pairs of {look} made"));
        }
    });
    result.map_err(|error| match error {
        PairFailure::Interrupted(interrupted) => interrupted.into(),
        error => error.into(),
    })
}

/// Time enough for the first look at all subjects, after `pairs` pairs each: before it, nothing can be named.
fn budget(wanted: Option<f64>, subjects: usize, pairs: u32) -> Duration {
    const LEAST: Duration = Duration::from_mins(10);
    let each = Duration::from_secs(u64::from(PAIR_SECONDS) * u64::from(pairs));
    let all = each.saturating_mul(u32::try_from(subjects).unwrap_or(u32::MAX));
    wanted.map_or(LEAST.max(all), Duration::from_secs_f64)
}

fn measure(
    request: &ComparisonRequest,
    tools: Tools,
    subjects: &[Contender],
    comparison: &mut Comparison,
    reporter: &dyn Reporter,
) -> anyhow::Result<()> {
    let progress = reporter.begin("probing base and head", subjects.len() as u64);
    // What breaks is asked of the plain endpoints.
    if tools.scenarios.part == Part::Plain {
        comparison.probes = Some(probing::probe(subjects, &tools.split, &*progress)?);
    }
    drop(progress);
    let sharding = comparison.sharding.as_ref();
    let share = sharding.map_or(1.0, |sharding| sharding.share(sharding.number.unwrap_or_default()));
    let result = campaign(request, &tools, subjects, &comparison.gates.shared(share), reporter)?;
    comparison.series = result
        .tracks
        .iter()
        .map(|track| series(track, subjects, &tools.scenarios.scenarios))
        .collect();
    comparison.budget_spent = result.budget_spent;
    for (subject, (status, reason)) in result.failed {
        let Contender { app, variant, .. } = &subjects[subject];
        for listed in comparison
            .apps
            .iter_mut()
            .filter(|listed| listed.id == *app && listed.variant == *variant)
        {
            (listed.status, listed.reason) = (status, Some(reason.clone()));
        }
    }
    comparison.warnings = tools.warnings;
    if let Some(last) = result.spoilt.last() {
        comparison.warnings.push(format!(
            "the machine spoilt {}, which took place again; the last time: {last}",
            count(result.spoilt.len(), "measurement")
        ));
    }
    comparison.environment = Some(tools.environment);
    Ok(())
}

/// Measures one program of one app as both sides, for the most pairs that a comparison makes.
pub fn record_itself(
    request: &ComparisonRequest,
    catalog: &Catalog,
    gates: &Gates,
    reporter: &dyn Reporter,
) -> anyhow::Result<Recording> {
    let names = if request.apps.is_empty() {
        vec![APP.to_owned()]
    } else {
        request.apps.clone()
    };
    let [name] = names.as_slice() else {
        bail!("--self-test measures one app; name one with --app")
    };
    let app = catalog
        .app(name)
        .ok_or_else(|| plan::unknown("app", name, catalog.apps.iter().map(|app| app.id.as_str())))?;
    let scenarios = scenarios(&request.scenarios, app.part())?;
    let _lock = Lock::take(request.wait)?;
    let (split, database) = place(request, scenarios.part == Part::Database)?;
    let progress = reporter.begin(&format!("building {name}"), 1);
    let variant = app.variants.first().context("every app has a default variant")?;
    let built = build::build(
        build::BuildRequest::for_variant(app, variant, &request.cargo_profile),
        |done| {
            progress.doing(done);
        },
    )?;
    drop(progress);
    let services = app.services.as_ref();
    prove((&built.program, services), &split, database.as_ref(), SideName::Base)?;
    let tools = tools(request, catalog, (split, database), scenarios, reporter)?;
    let (app, variant, role) = (app.id.clone(), variant.name.clone(), app.role);
    let builds = hex(&hash(built.program.path())?);
    let subjects = [Contender {
        app: app.clone(),
        variant,
        role,
        services: services.cloned(),
        base: built.program.clone(),
        head: built.program,
    }];
    let request = ComparisonRequest {
        pairs: request.pairs.or(Some(PAIRS)),
        ..request.clone()
    };
    let result = campaign(&request, &tools, &subjects, gates, reporter)?;
    let series = result.tracks.iter().map(|track| {
        let scenario = &tools.scenarios.scenarios[track.scenario].id;
        Recorded::new(scenario, track.progress.gauge, track.progress.judged, &track.pairs)
    });
    Recording::new(&app, tools.environment, builds, series.collect()).map_err(|reason| anyhow::anyhow!("{reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_grows_with_the_apps_unless_it_is_named() {
        let minutes = Duration::from_mins;
        assert_eq!(budget(None, 1, 14), minutes(10));
        assert_eq!(budget(None, 5, 20), minutes(30));
        assert_eq!(budget(Some(60.0), 5, 20), minutes(1));
    }
}
