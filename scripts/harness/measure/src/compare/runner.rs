//! Makes a comparison: finds what the change touches, builds both sides, probes them, and drives them in turns.

use std::iter;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

use analyze::compare::decide::MOST_PAIRS;
use analyze::compare::gates::{COMPARED, Gates};
use analyze::compare::outcome::{App, Comparison, SCHEMA_VERSION, Side, Status};
use anyhow::{Context, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use model::{Environment, Metric, Part, RELEASE, count, label};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::built::{Builder, hash, prove, under_layouts};
use super::campaign::{Campaign, Candidate, Tools};
use super::changes::Touched;
use super::pair::{PairFailure, SideName};
use super::patch::{self, Patch};
use super::probing;
use super::scenarios::{ComparedScenarios, scenarios};
use super::scope::{metrics, scope};
use crate::plan;
use crate::progress::Reporter;
use crate::request_counts::instructions::{NO_VALGRIND, version as valgrind_version};
use crate::run::{requested_split, with_database};
use crate::supply::load_generator;
use apps::build;
use apps::cargo;
use apps::catalog::Catalog;
use apps::catalog::hash::hex;
use machine::affinity;
use machine::cpus::Split;
use machine::lock::Lock;
use machine::split::CpuSplitArg;
use machine::{clock, environment, essentials, limits, load};
use servers::database::{self, Database};
use servers::workload::unforeseen;

/// Pairs that a self-test records: as many as a comparison of thirteen series makes until its last look.
const PAIRS: u32 = 48;
/// The metric that needs no load, no order of sections and no quiet machine.
pub const COUNTS_ONLY: [Metric; 1] = [Metric::InstructionsPerRequest];
/// App of the self-test, unless one is named.
const APP: &str = "axum";

/// Options of a comparison.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ComparisonRequest {
    /// What to compare with [default: the merge-base of head and main]
    #[arg(long, value_name = "REV")]
    pub base: Option<String>,
    /// The proposed revision [default: the working tree]
    #[arg(long, value_name = "REV")]
    pub head: Option<String>,
    /// Compare the tree with itself, one crate taken from elsewhere: CRATE=SOURCE, with a folder (hyper=../hyper), a repository
    /// (axum=git+https://…#REV) or a version (hyper=1.11.0); several times for several crates
    #[arg(long, value_name = "CRATE=SOURCE", conflicts_with_all = ["head", "self_test"])]
    pub patch: Vec<Patch>,
    /// Where base takes a crate of --patch from [default: the merge-base with the main branch, of a git checkout that has changed since; else the
    /// release that is locked]
    #[arg(long, value_name = "CRATE=SOURCE", requires = "patch")]
    pub base_patch: Vec<Patch>,
    /// Only these of the apps that the change touches
    #[arg(long, value_delimiter = ',', value_name = "ID")]
    pub app: Vec<String>,
    /// Only these of their variants
    #[arg(long, value_delimiter = ',', value_name = "NAME", conflicts_with = "self_test")]
    pub variant: Vec<String>,
    /// Scenarios [default: from the profile `compare`, or `compare-database` if the change touches servers with a database only]
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    pub scenario: Vec<String>,
    /// Metrics [default: all]
    #[arg(long, value_delimiter = ',', value_name = "METRIC", value_parser = PossibleValuesParser::new(COMPARED.map(|(name, ..)| name)).map(|name| compared(&name)))]
    pub metric: Vec<Metric>,
    /// Make exactly this many pairs of base and head [default: as many as needed]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_PAIRS)))]
    pub pairs: Option<u32>,
    /// Longest time of measuring [default: 10m, or what the first look at each app takes if that is more]
    #[arg(long, value_name = "TIME", value_parser = plan::seconds)]
    pub time_budget: Option<f64>,
    /// Path to an oha other than the one Cargo.lock pins
    #[arg(long, value_name = "PATH")]
    pub oha: Option<PathBuf>,
    /// Cargo profile of both sides
    #[arg(long, value_name = "NAME", default_value = "release")]
    pub cargo_profile: String,
    /// Cpus of server and load generator: how many, such as 1:3, or which, such as 0,1:2-3 (a single one as 0-0) [default: one core or
    /// a quarter of them for the server]
    #[arg(long, value_name = "SERVER:GENERATOR")]
    pub split: Option<CpuSplitArg>,
    /// Folder of PostgreSQL's programs, for servers with a database
    /// [default: the first in PATH, or the newest where distributions put them]
    #[arg(long, value_name = "DIR")]
    pub postgres: Option<PathBuf>,
    /// If another bench measures on this machine, wait for its end [default: fail and name it]
    #[arg(long)]
    pub wait: bool,
}

/// The metric of this name, which is one of those that are compared.
fn compared(name: &str) -> Metric {
    let mut all = COMPARED.into_iter();
    all.find_map(|(known, metric, _)| (known == name).then_some(metric))
        .unwrap_or(Metric::GoodputRps)
}

impl ComparisonRequest {
    /// The options by which the same comparison is made again, but for the sides: word by word.
    pub fn options(&self) -> Vec<String> {
        let metrics = COMPARED.iter().filter(|(_, metric, _)| self.metric.contains(metric));
        let metrics = metrics.map(|(name, ..)| (*name).to_owned()).collect::<Vec<_>>();
        let profile = (self.cargo_profile != RELEASE).then(|| self.cargo_profile.clone());
        let all = [
            ("--head", self.head.iter().cloned().collect()),
            ("--app", self.app.clone()),
            ("--variant", self.variant.clone()),
            ("--scenario", self.scenario.clone()),
            ("--metric", metrics),
            ("--pairs", self.pairs.iter().map(ToString::to_string).collect()),
            ("--cargo-profile", profile.into_iter().collect()),
        ];
        let given = all.into_iter().filter(|(_, values)| !values.is_empty());
        given
            .flat_map(|(option, values)| [option.to_owned(), values.join(",")])
            .collect()
    }
}

/// Builds both sides of the touched apps and drives them in turns until every series is decided. Returns the comparison and the
/// root of the repository. `version` is this program's.
pub fn run(
    request: &ComparisonRequest,
    version: &str,
    reporter: &dyn Reporter,
) -> anyhow::Result<(Comparison, PathBuf)> {
    let began = clock::now();
    let catalog = Catalog::find()?;
    let scope = scope(request, &catalog, reporter)?;
    let part = scope.scenarios.part;
    let _lock = Lock::take(request.wait)?;
    essentials::check()?;

    let (split, database) = place(request, part == Part::Database && !scope.touched.is_empty())?;
    let untouched = request.app.iter().map(String::as_str);
    let untouched = untouched.filter(|id| !scope.touched.iter().any(|touched| touched.id == **id));
    let mut warnings = patch::unchanged(&request.patch, &scope.base.catalog, untouched);
    let layouts = layouts(&metrics(request), &mut warnings);
    let builder = Builder {
        scope: &scope,
        variants: &request.variant,
        split: &split,
        database: database.as_ref(),
        profile: &request.cargo_profile,
        layouts: &layouts,
        reporter,
    };
    let mut comparison = Comparison {
        started_at: began,
        untouched: scope.untouched.clone(),
        warnings,
        ..begun(request, [&scope.base.side, &scope.head.side], version)
    };
    let mut candidates = Vec::new();
    for touched in &scope.touched {
        for (app, candidate) in builder.build(touched)? {
            // It may be the patch's fault, but says nothing about what the patch costs.
            if !request.patch.is_empty() && app.status == Status::BuildFailed {
                let patches: Vec<String> = request.patch.iter().map(ToString::to_string).collect();
                let (with, why) = (patches.join(" and "), app.reason.unwrap_or_default());
                bail!("{} does not build with {with}: {why}", label(&app.id, &app.variant));
            }
            comparison.apps.push(app);
            candidates.extend(candidate);
        }
    }
    if !candidates.is_empty() {
        let settings = cargo::foreign_settings(&catalog.root).join(", ");
        let settings = (!settings.is_empty()).then_some(settings);
        comparison.warnings.extend(settings.map(|settings| {
            format!("settings from outside of the repository reached the build of both sides: {settings}")
        }));
        let place = (split, database);
        let tools = tools(request, &catalog, place, scope.scenarios, &mut comparison, reporter)?;
        if part == Part::Plain {
            let progress = reporter.begin("probing base and head", candidates.len() as u64);
            comparison.probes = Some(probing::probe(&candidates, &tools.split, &*progress)?);
        }
        measure(request, &tools, &candidates, &mut comparison, reporter)?;
    }
    comparison.warnings.extend(not_compared(&scope.others));
    // What touches a crate may be about one app of those that are built from it.
    if scope.left_out > 0 && request.patch.is_empty() {
        comparison.warnings.push(stands_for(&request.app, scope.left_out));
    }
    comparison.warnings.extend(clock::set_meanwhile());
    Ok((comparison.ended(clock::now()), scope.root))
}

/// Seeds of the orders of sections besides the linker's: none where only instructions are counted, which do not depend on them. Three orders in
/// all: each costs a link of both sides, and the first look is at fourteen pairs.
fn layouts(metrics: &[Metric], warnings: &mut Vec<String>) -> Vec<NonZeroU32> {
    if metrics == COUNTS_ONLY {
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

/// So many seeds that no self-test had before.
fn drawn(seeds: usize) -> Vec<NonZeroU32> {
    let mut rng = ChaCha8Rng::seed_from_u64(unforeseen());
    let drawn = iter::repeat_with(|| NonZeroU32::new(rng.next_u32()));
    drawn.flatten().take(seeds).collect()
}

/// Base and head of a self-test, from the program as the linker orders it and under so many other orders: half of these each, or the program
/// itself on both sides if there are none.
fn sides<T: Clone>(mut linked: Vec<T>) -> [Vec<T>; 2] {
    let head = linked.split_off(linked.len().div_ceil(2));
    if head.is_empty() {
        return [linked.clone(), linked];
    }
    linked.remove(0);
    [linked, head]
}

/// A comparison of these sides, of which nothing is known yet.
fn begun(request: &ComparisonRequest, [base, head]: [&Side; 2], version: &str) -> Comparison {
    Comparison {
        schema_version: SCHEMA_VERSION,
        base: base.clone(),
        head: head.clone(),
        started_at: clock::now(),
        harness: version.into(),
        gates: Gates::built_in(),
        pairs: request.pairs,
        options: request.options(),
        ..Comparison::default()
    }
}

/// The cpus, and a database on its own if one is needed.
fn place(request: &ComparisonRequest, needs_database: bool) -> anyhow::Result<(Split, Option<Arc<Database>>)> {
    let split = requested_split(request.split.as_ref())?;
    let wanted = database::Wanted::Private(request.postgres.clone());
    with_database(split, needs_database.then(|| wanted.find()).transpose()?.as_ref())
}

/// What the change also touches, if anything: servers of other parts of the contract, one line for each part.
fn not_compared(others: &[(Part, Touched)]) -> impl Iterator<Item = String> {
    let parts = [
        (Part::Plain, "answer plainly: compare them without --scenario"),
        (Part::Database, "have a database: compare them with --scenario db"),
        (
            Part::Services,
            "offer service features: compare them with --scenario auth",
        ),
    ];
    parts.into_iter().filter_map(|(part, how)| {
        let of_part = others.iter().filter(|(other, _)| *other == part);
        let names: Vec<&str> = of_part.map(|(_, touched)| touched.id.as_str()).collect();
        let names = (!names.is_empty()).then(|| names.join(", "))?;
        Some(format!("also touched and not compared, because they {how}: {names}"))
    })
}

/// `axum stands for 34 apps …`: how far a comparison reaches.
fn stands_for(named: &[String], left_out: usize) -> String {
    format!(
        "{} for all that the change touches: {} not compared (--app, or /bench app=NAME in a pull request, compares others)",
        match named {
            [one] => format!("{one} stands"),
            several => format!("{} stand", several.join(", ")),
        },
        match left_out {
            1 => "1 app is".to_owned(),
            several => format!("{several} apps are"),
        }
    )
}

/// What pairs are measured with; the comparison learns on what, and what is missing here.
fn tools(
    request: &ComparisonRequest,
    catalog: &Catalog,
    (split, database): (Split, Option<Arc<Database>>),
    scenarios: ComparedScenarios,
    comparison: &mut Comparison,
    reporter: &dyn Reporter,
) -> anyhow::Result<Tools> {
    let load_average = load::average(); // before the machine has to build
    let mut metrics = metrics(request);
    let counts = metrics.contains(&Metric::InstructionsPerRequest);
    let counts_only = metrics == COUNTS_ONLY;
    let oha = || load_generator(request.oha.as_deref(), &catalog.root, &split.generator, reporter);
    let generator = (!counts_only).then(oha).transpose()?;
    let version = generator.as_ref().map(|generator| generator.version.clone());
    let valgrind = counts.then(|| valgrind_version(&catalog.root)).flatten();
    if counts && valgrind.is_none() {
        if counts_only {
            bail!("{NO_VALGRIND}, and no other metric is wanted");
        }
        comparison.warnings.push(NO_VALGRIND.to_owned());
        metrics.retain(|metric| *metric != Metric::InstructionsPerRequest);
    }
    if counts_only && scenarios.scenarios.iter().all(|scenario| scenario.counted.is_none()) {
        bail!(
            "instructions are counted of the endpoints over HTTP/1.1 in cleartext only: name one of them with --scenario"
        );
    }
    let driven = scenarios.scenarios.iter().take(scenarios.driven);
    let most = driven.map(|scenario| scenario.connections).max().unwrap_or(0);
    if let Some(reason) = limits::reason_against(most) {
        bail!("this machine cannot bear the load: {reason}");
    }
    let rustc = cargo::rustc(&catalog.root)?;
    comparison.environment = Some(Environment {
        valgrind,
        database: database.as_ref().map(|database| database.describe()).transpose()?,
        ..environment::describe(&split, load_average, rustc, version.unwrap_or_default())
    });
    let _ = affinity::pin(0, &split.generator); // the harness mostly waits, so little is lost if the kernel refuses
    Ok(Tools {
        scenarios,
        metrics,
        generator,
        split,
        database,
    })
}

/// Measures the candidates and adds what was found.
fn measure(
    request: &ComparisonRequest,
    tools: &Tools,
    candidates: &[Candidate],
    comparison: &mut Comparison,
    reporter: &dyn Reporter,
) -> anyhow::Result<()> {
    let heading = format!(
        "comparing {}, {}",
        count(candidates.len(), "app"),
        count(tools.scenarios.scenarios.len(), "scenario")
    );
    let progress = reporter.begin(&heading, 1);
    let mut campaign = Campaign {
        candidates,
        tools,
        time_budget: request.time_budget,
        progress: &*progress,
        comparison,
        disturbed: Vec::new(),
    };
    campaign.run().map_err(PairFailure::into_error)?;
    if let Some(last) = campaign.disturbed.last() {
        let disturbed = count(campaign.disturbed.len(), "measurement");
        let warning = format!("the machine disturbed {disturbed}, which took place again; the last time: {last}");
        comparison.warnings.push(warning);
    }
    Ok(())
}

/// Compares one app with itself, by the most pairs that a comparison makes. Both sides are linked from the same objects under orders of their
/// sections that are drawn anew, so each self-test compares another pair of builds, and neither side is preferred.
pub fn record_itself(
    request: &ComparisonRequest,
    version: &str,
    reporter: &dyn Reporter,
) -> anyhow::Result<Comparison> {
    let catalog = Catalog::find()?;
    let name = match request.app.as_slice() {
        [] => APP,
        [name] => name,
        _ => bail!("--self-test measures one app; name one with --app"),
    };
    let app = catalog
        .app(name)
        .ok_or_else(|| plan::unknown("app", name, catalog.apps.iter().map(|app| app.id.as_str())))?;
    let scenarios = scenarios(&request.scenario, app.part())?;
    let _lock = Lock::take(request.wait)?;
    essentials::check()?;
    let (split, database) = place(request, scenarios.part == Part::Database)?;
    let progress = reporter.begin(&format!("building {name}"), 1);
    let variant = app.variants.first().context("every app has a default variant")?;
    let wanted = build::BuildRequest::for_variant(app, variant, &request.cargo_profile);
    let program = build::build(wanted, |left| progress.goes_on(left))?.program;
    let mut warnings = Vec::new();
    let orders = match layouts(&metrics(request), &mut warnings).len() {
        0 => Vec::new(),
        seeded => drawn(2 * (1 + seeded)),
    };
    let linked = under_layouts(wanted, program.clone(), &orders, |left| progress.goes_on(left))?;
    let [base, head] = sides(linked);
    drop(progress);
    let proven = prove(
        (&program, app.services.as_ref()),
        &split,
        database.as_ref(),
        SideName::Base,
    );
    proven.map_err(PairFailure::into_error)?;
    // Which builds they are: comparisons of the same ones are not independent.
    let [of_base, of_head] = [&base[0], &head[0]].map(|program| hash(program.path()));
    let side = |hash: Vec<u8>| Side::new("the same sources", hex(&hash));
    let mut comparison = begun(request, [&side(of_base?), &side(of_head?)], version);
    comparison.pairs.get_or_insert(PAIRS);
    comparison.warnings = warnings;
    let place = (split, database);
    let tools = tools(request, &catalog, place, scenarios, &mut comparison, reporter)?;
    comparison.apps = vec![App {
        id: app.id.clone(),
        variant: variant.name.clone(),
        layouts: orders,
        ..App::default()
    }];
    let candidate = Candidate {
        app: app.id.clone(),
        variant: variant.name.clone(),
        role: app.role,
        services: app.services.clone(),
        base,
        head,
    };
    measure(request, &tools, &[candidate], &mut comparison, reporter)?;
    Ok(comparison.ended(clock::now()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_says_how_many_apps_it_leaves_out() {
        let said = |named: &[&str], left_out| {
            stands_for(
                &named.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(),
                left_out,
            )
        };
        assert!(
            said(&["axum"], 33).starts_with("axum stands for all that the change touches: 33 apps are not compared (")
        );
        assert!(
            said(&["axum", "viz"], 1)
                .starts_with("axum, viz stand for all that the change touches: 1 app is not compared (")
        );
    }

    #[test]
    fn the_sides_of_a_self_test_share_no_order_of_sections() {
        assert_eq!(sides(vec!["linker"]), [["linker"], ["linker"]]);
        let linked = vec!["linker", "1", "2", "3", "4", "5", "6"];
        assert_eq!(sides(linked), [["1", "2", "3"], ["4", "5", "6"]]);
        let mut seeds = drawn(6);
        seeds.extend(drawn(6));
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 12);
    }
}
