//! Makes a comparison: finds what the change touches, builds both sides, probes them, and drives them in turns.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use jiff::Timestamp;
use judge::compare::gates::Gates;
use judge::compare::outcome::{App, Comparison, Decision, SCHEMA_VERSION, Side, Status};
use judge::compare::sharding::MeasuredShard;
use record::{Metric, Part, count};

use super::built::{BuiltApps, hash, prove};
use super::campaign::{Campaign, Candidate, Found, Tools};
use super::changes::Touched;
use super::pair::{PairFailure, SideName};
use super::probing;
use super::scenarios::{ComparedScenarios, scenarios};
use super::scope::{metrics, scope};
use super::shards::{ShardRequest, take_shard};
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
const PAIR_SECONDS: u32 = 18;
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
    pub metrics: Vec<Metric>,
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
        sharding,
        apps: built.apps,
        untouched: scope.untouched,
        ..unmeasured(request, scope.base.side, scope.head.side, version)
    };
    comparison.started_at = began;
    if !built.candidates.is_empty() {
        let tools = tools(request, &catalog, (split, database), scope.scenarios, reporter)?;
        if tools.scenarios.part == Part::Plain {
            // What breaks is asked of the plain endpoints.
            let progress = reporter.begin("probing base and head", built.candidates.len() as u64);
            comparison.probes = Some(probing::probe(&built.candidates, &tools.split, &*progress)?);
        }
        measure(request, tools, &built.candidates, &mut comparison, reporter)?;
    }
    comparison.warnings.extend(not_compared(&scope.others));
    comparison.finished_at = Timestamp::now();
    if let Some(sharding) = &mut comparison.sharding {
        sharding.measured = vec![MeasuredShard {
            number: sharding.number.unwrap_or_default(),
            environment: comparison.environment.clone(),
            started_at: comparison.started_at,
            finished_at: comparison.finished_at,
        }];
    }
    Ok((comparison.decided(), scope.root))
}

/// A comparison of these sides, of which nothing is known yet.
fn unmeasured(request: &ComparisonRequest, base: Side, head: Side, version: &str) -> Comparison {
    Comparison {
        schema_version: SCHEMA_VERSION,
        decision: Decision::NothingToMeasure,
        base,
        head,
        started_at: Timestamp::now(),
        finished_at: Timestamp::now(),
        harness: version.into(),
        environment: None,
        gates: Gates::built_in(),
        pairs: request.pairs,
        sharding: None,
        apps: Vec::new(),
        untouched: Vec::new(),
        series: Vec::new(),
        probes: None,
        budget_spent: false,
        warnings: Vec::new(),
    }
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
    let metrics = metrics(request);
    let generator = load_generator(request.oha.as_deref(), &catalog.root, &split.generator, reporter)?;
    let wanted = metrics.contains(&Metric::InstructionsPerRequest);
    let valgrind = wanted.then(|| version(&catalog.root)).flatten();
    let mut warnings = Vec::new();
    if wanted && valgrind.is_none() {
        if metrics.len() == 1 {
            bail!("{NO_VALGRIND}, and no other metric is wanted");
        }
        warnings.push(NO_VALGRIND.to_owned());
    }
    if wanted && metrics.len() == 1 && scenarios.scenarios.iter().all(|scenario| scenario.counted.is_none()) {
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
        metrics,
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
    candidates: &[Candidate],
    gates: &Gates,
    reporter: &dyn Reporter,
) -> anyhow::Result<Found> {
    let heading = format!(
        "comparing {}, {}",
        count(candidates.len(), "app"),
        count(tools.scenarios.scenarios.len(), "scenario")
    );
    let progress = reporter.begin(&heading, 1);
    let mut campaign = Campaign {
        candidates,
        tools,
        gates,
        pairs: request.pairs,
        budget: Duration::ZERO,
    };
    campaign.budget = budget(request.time_budget, candidates.len(), campaign.first_look());
    let mut last = None;
    let found = campaign.run(|app, made, look| {
        progress.doing(&format!("{app} · pair {} of {look}", made + 1));
        if made.is_multiple_of(5) && last != Some(made) {
            last = Some(made);
            progress.passed(&format!("{made} pairs of {look} made"));
        }
    });
    found.map_err(|error| match error {
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

/// Measures the candidates and adds what was found.
fn measure(
    request: &ComparisonRequest,
    tools: Tools,
    candidates: &[Candidate],
    comparison: &mut Comparison,
    reporter: &dyn Reporter,
) -> anyhow::Result<()> {
    let sharding = comparison.sharding.as_ref();
    let share = sharding.map_or(1.0, |sharding| sharding.share(sharding.number.unwrap_or_default()));
    let found = campaign(request, &tools, candidates, &comparison.gates.shared(share), reporter)?;
    for (index, (verdict, reason)) in found.failed {
        let Candidate { app, variant, .. } = &candidates[index];
        let mut apps = comparison.apps.iter_mut();
        if let Some(listed) = apps.find(|listed| listed.id == *app && listed.variant == *variant) {
            (listed.status, listed.reason) = (verdict.into(), Some(reason));
        }
    }
    comparison.series = found.series;
    comparison.budget_spent = found.budget_spent;
    comparison.warnings = tools.warnings;
    if let Some(last) = found.disturbed.last() {
        comparison.warnings.push(format!(
            "the machine disturbed {}, which took place again; the last time: {last}",
            count(found.disturbed.len(), "measurement")
        ));
    }
    comparison.environment = Some(tools.environment);
    Ok(())
}

/// Compares one program of one app with itself, by the most pairs that a comparison makes.
pub fn record_itself(
    request: &ComparisonRequest,
    version: &str,
    reporter: &dyn Reporter,
) -> anyhow::Result<Comparison> {
    let catalog = Catalog::find()?;
    let name = match request.apps.as_slice() {
        [] => APP,
        [name] => name,
        _ => bail!("--self-test measures one app; name one with --app"),
    };
    let app = catalog
        .app(name)
        .ok_or_else(|| plan::unknown("app", name, catalog.apps.iter().map(|app| app.id.as_str())))?;
    let scenarios = scenarios(&request.scenarios, app.part())?;
    let _lock = Lock::take(request.wait)?;
    let (split, database) = place(request, scenarios.part == Part::Database)?;
    let progress = reporter.begin(&format!("building {name}"), 1);
    let variant = app.variants.first().context("every app has a default variant")?;
    let wanted = build::BuildRequest::for_variant(app, variant, &request.cargo_profile);
    let built = build::build(wanted, |done| progress.doing(done))?;
    drop(progress);
    let services = app.services.as_ref();
    prove((&built.program, services), &split, database.as_ref(), SideName::Base)?;
    let tools = tools(request, &catalog, (split, database), scenarios, reporter)?;
    // Which build it is: comparisons of the same one are not independent.
    let side = Side {
        revision: "the same program".into(),
        commit: hex(&hash(built.program.path())?),
        dirty: false,
    };
    let candidate = Candidate {
        app: app.id.clone(),
        variant: variant.name.clone(),
        role: app.role,
        services: services.cloned(),
        base: built.program.clone(),
        head: built.program,
    };
    let request = ComparisonRequest {
        pairs: request.pairs.or(Some(PAIRS)),
        ..request.clone()
    };
    let mut comparison = unmeasured(&request, side.clone(), side, version);
    comparison.apps = vec![App {
        id: candidate.app.clone(),
        variant: candidate.variant.clone(),
        status: Status::Measured,
        reason: None,
        causes: Vec::new(),
        dependencies: Vec::new(),
    }];
    measure(&request, tools, &[candidate], &mut comparison, reporter)?;
    comparison.finished_at = Timestamp::now();
    Ok(comparison.decided())
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
