//! `bench compare`.

mod self_test;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use jiff::Timestamp;
use sha2::{Digest, Sha256};

use super::run::seconds;
use super::{Format, Outcome, prepare, print, split};
use measure::build::{Binary, BuildError, Request, build};
use measure::catalog::{App as Listed, Catalog, Variant};
use measure::compare::campaign::{Campaign, Found, Subject, series};
use measure::compare::changes::{Touched, between};
use judge::compare::gates::{Gates, Gauge};
use measure::compare::instructions::Counter;
use judge::compare::outcome::{App, Comparison, Decision, SCHEMA_VERSION, Status};
use measure::compare::sides::{Repository, Tree};
use measure::compare::slices::{Trouble, Which};
use measure::contract;
use measure::interrupt;
use measure::machine::cpus;
use measure::machine::cpus::Split;
use measure::machine::environment;
use measure::machine::environment::version_of;
use measure::machine::limits;
use measure::machine::load;
use measure::machine::lock::Lock;
use measure::machine::split::Wish;
use measure::server::{Servant, Server};
use measure::plan;
use measure::profile::Profiles;
use crate::progress::{Progress, under_actions};
use record::Environment;
use tell::report::comparison_markdown;
use record::scenario::{Protocol, Scenario};
use record::store;

/// Profile whose scenarios are compared.
const PROFILE: &str = "compare";
/// Where the result is written, below the repository's root.
const OUT: &str = "target/compare/comparison.json";

const EXAMPLES: &str = "\
Examples:
  bench compare                                    the working tree against its merge-base with main
  bench compare --base v1.0 --head my-branch       two revisions
  bench compare --app axum --scenario simple       one app, one scenario
  bench compare --metric instructions              only what valgrind counts: quick, and hardly any noise
  bench compare --self-test                        how often is this wrong on this machine?
  bench compare --self-test --replay FILE...       the same, from pairs that were recorded before

Only apps whose sources, dependencies, build profile or compiler differ are measured.
Exit status: 0 nothing is worse, 1 a proven regression (with --strict also: could not be told), 2 could not be measured.";

/// Does a change make an app slower?
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[allow(clippy::struct_excessive_bools)] // each is a switch of its own
pub struct Args {
    /// What to compare with [default: the merge-base of head and main]
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// What is proposed [default: the working tree]
    #[arg(long, value_name = "REV")]
    head: Option<String>,
    /// Of the apps that the change touches, only these
    #[arg(long, value_delimiter = ',', value_name = "ID")]
    app: Vec<String>,
    /// Scenarios [default: those of the profile `compare`]
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    scenario: Vec<String>,
    /// Metrics [default: all]
    #[arg(long, value_delimiter = ',', value_name = "METRIC")]
    metric: Vec<Gauge>,
    /// Make just so many pairs of base and head [default: as many as it takes]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pairs: Option<u32>,
    /// Longest time of measuring [default: 10m, or 4m for each app that the change touches if that is more]
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    time_budget: Option<f64>,
    /// Exit with 1 also if something could not be told
    #[arg(long)]
    strict: bool,
    /// Measure the same program on both sides, and say how often a comparison is wrong on this machine
    #[arg(long, conflicts_with_all = ["base", "head", "strict"])]
    self_test: bool,
    /// With --self-test: judge recordings, or comparisons of what does not differ, instead of measuring; the more, the surer
    #[arg(long, value_name = "FILE", requires = "self_test", num_args = 1..)]
    replay: Vec<PathBuf>,
    /// With --self-test: write what was measured or read to this file
    #[arg(long, value_name = "FILE", requires = "self_test")]
    record: Option<PathBuf>,
    /// With --self-test: file whose block between `<!-- self-test:begin -->` and `<!-- self-test:end -->` is written
    #[arg(long, value_name = "FILE", requires = "self_test")]
    readme: Option<PathBuf>,
    /// Another load generator than the one that Cargo.lock pins: a program that is oha
    #[arg(long, value_name = "PATH")]
    oha: Option<PathBuf>,
    /// Cargo profile that both sides are built by
    #[arg(long, value_name = "NAME", default_value = "release")]
    cargo_profile: String,
    /// File for the result as JSON [default: target/compare/comparison.json]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Cpus of server and load generator: how many, as in 1:3, or which, as in 0,1:2-3 (a single one as 0-0) [default: a core or a quarter
    /// of them for the server]
    #[arg(long, value_name = "SERVER:GENERATOR")]
    split: Option<Wish>,
    /// If another bench measures on this machine, wait for its end [default: fail and say who]
    #[arg(long)]
    wait: bool,
    /// How the result is printed: Markdown or JSON
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    interrupt::listen()?;
    if args.self_test {
        return self_test::run(args);
    }
    let began = Timestamp::now();
    let catalog = Catalog::find()?;
    let asked = asked(&args.scenario)?;
    let gates = Gates::built_in();
    let repository = Repository::at(&catalog.root)?;
    let head = repository.head(args.head.as_deref())?;
    let base = repository.base(args.base.as_deref(), &head)?;
    let base = repository.tree(base, "base", false)?;
    let head = repository.tree(head, "head", args.head.is_none())?;
    let (before, after) = (Catalog::of(&base.root)?, Catalog::of(&head.root)?);
    let (touched, untouched) = between(&before, &after);
    let touched = chosen(touched, &args.app, &before, &after)?;
    let _lock = Lock::take(args.wait)?;

    let split = split::wished(args.split.as_ref())?;
    let mut made = Made {
        apps: Vec::new(),
        subjects: Vec::new(),
    };
    for touched in touched {
        made.add(&touched, (&base, &before), (&head, &after), &split, &args.cargo_profile)?;
    }
    let mut comparison = Comparison {
        schema_version: SCHEMA_VERSION,
        decision: Decision::NothingToMeasure,
        base: base.side,
        head: head.side,
        started_at: began,
        finished_at: began,
        harness: env!("CARGO_PKG_VERSION").into(),
        environment: None,
        gates,
        apps: made.apps,
        untouched,
        series: Vec::new(),
        budget_spent: false,
        warnings: Vec::new(),
    };
    if !made.subjects.is_empty() {
        measure(args, &catalog, &split, &asked, &made.subjects, &mut comparison)?;
    }
    comparison.decision = comparison.decide();
    comparison.finished_at = Timestamp::now();
    finish(args, &catalog.root, &comparison)
}

/// What is asked of both sides.
struct Asked {
    scenarios: Vec<Scenario>,
    /// How many of them, the first, are driven; of the rest instructions are counted only.
    driven: usize,
}

/// What the user names, or the profile: what it drives first, then what it counts only.
fn asked(names: &[String]) -> anyhow::Result<Asked> {
    let profiles = Profiles::built_in();
    let profile = profiles.profile(PROFILE).context("the profile `compare` is built in")?;
    let mut names = names.to_vec();
    let mut driven = names.len();
    if names.is_empty() {
        names.clone_from(&profile.scenarios);
        driven = names.len();
        let counted = profile.counted.iter().filter(|name| !profile.scenarios.contains(name));
        names.extend(counted.cloned());
    }
    let known = names.iter().map(|name| {
        let known = profiles.scenario(name, profile);
        let scenario = known.ok_or_else(|| plan::unknown("scenario", name, profiles.scenario_names()))?;
        match &scenario.own_load {
            None => Ok(scenario),
            Some(reason) => bail!("`{name}` cannot be compared in slices: {reason}; name another scenario"),
        }
    });
    Ok(Asked {
        scenarios: known.collect::<Result<_, _>>()?,
        driven,
    })
}

/// Of what the change touches, what the user wants to know.
fn chosen(touched: Vec<Touched>, wanted: &[String], before: &Catalog, after: &Catalog) -> anyhow::Result<Vec<Touched>> {
    for name in wanted {
        if before.app(name).is_none() && after.app(name).is_none() {
            return Err(plan::unknown("app", name, after.apps.iter().map(|app| app.id.as_str())).into());
        }
    }
    Ok(touched
        .into_iter()
        .filter(|touched| wanted.is_empty() || wanted.contains(&touched.id))
        .collect())
}

/// What is known of the apps before anything is measured.
struct Made {
    apps: Vec<App>,
    subjects: Vec<Subject>,
}

impl Made {
    /// Builds an app on both sides and proves the contract.
    fn add(
        &mut self,
        touched: &Touched,
        base: (&Tree, &Catalog),
        head: (&Tree, &Catalog),
        split: &Split,
        profile: &str,
    ) -> anyhow::Result<()> {
        let (before, after) = (base.1.app(&touched.id), head.1.app(&touched.id));
        let mut names: Vec<String> = before
            .iter()
            .chain(&after)
            .flat_map(|app| &app.variants)
            .map(|variant| variant.name.clone())
            .collect();
        names.sort();
        names.dedup();
        for name in names {
            let of = |app: Option<&Listed>| Some((app?.clone(), app?.variant(&name)?.clone()));
            let (status, reason, subject) = match (of(before), of(after)) {
                (None, _) => (Status::New, None, None),
                (Some(_), None) => (
                    Status::Vanished,
                    Some("head does not have it any more".to_owned()),
                    None,
                ),
                (Some(before), Some(after)) => both((base.0, before), (head.0, after), split, profile)?,
            };
            self.subjects.extend(subject);
            self.apps.push(App {
                id: touched.id.clone(),
                variant: name,
                status,
                reason,
                causes: touched.causes.clone(),
                dependencies: touched.dependencies.clone(),
            });
        }
        Ok(())
    }
}

type Standing = (Status, Option<String>, Option<Subject>);

fn both(
    (base, before): (&Tree, (Listed, Variant)),
    (head, after): (&Tree, (Listed, Variant)),
    split: &Split,
    profile: &str,
) -> anyhow::Result<Standing> {
    let built = build_side(base, &before, profile, "base")?;
    let built = built.map_err(|error| anyhow::anyhow!("base ({}) does not build: {error}", base.side.revision))?;
    prove(&built.path, split, Which::Base)?;
    let proposed = match build_side(head, &after, profile, "head")? {
        Ok(proposed) => proposed,
        Err(error) => return Ok((Status::BuildFailed, Some(error), None)),
    };
    match prove(&proposed.path, split, Which::Head) {
        Ok(()) => {}
        Err(Trouble::Head(status, reason)) => return Ok((status, Some(reason), None)),
        Err(other) => return Err(other.into()),
    }
    if hash(&built.path)? == hash(&proposed.path)? {
        return Ok((Status::SameBinary, None, None));
    }
    let (app, variant) = (after.0.id, after.1.name);
    Ok((
        Status::Measured,
        None,
        Some(Subject {
            app,
            variant,
            base: built.path,
            head: proposed.path,
        }),
    ))
}

/// The program, or the compiler's first error.
fn build_side(
    tree: &Tree,
    (app, variant): &(Listed, Variant),
    profile: &str,
    name: &str,
) -> anyhow::Result<Result<Binary, String>> {
    let progress = Progress::new(&format!("building {} of {name}", app.id), 1);
    let request = Request {
        target: Some(&tree.target),
        ..Request::of_app(app, variant, profile)
    };
    match build(request, |done| progress.doing(done)) {
        Ok(binary) => Ok(Ok(binary)),
        Err(BuildError::Refused(error)) => Ok(Err(error)),
        Err(error) => Err(error.into()),
    }
}

fn prove(program: &Path, split: &Split, which: Which) -> Result<(), Trouble> {
    let mut server = Server::start(Servant::Program(program), &split.server, Protocol::Http1)
        .map_err(|error| which.failed(error.into()))?;
    let proven = server.prove(|client| contract::whole(client, 1));
    proven.map_err(|trouble| which.failed(trouble))
}

fn hash(program: &Path) -> anyhow::Result<Vec<u8>> {
    let bytes = fs::read(program).with_context(|| format!("cannot read {}", program.display()))?;
    Ok(Sha256::digest(bytes).to_vec())
}

/// What everything is measured with.
struct Tools {
    generator: measure::generator::Generator,
    counter: Option<Counter>,
    gauges: Vec<Gauge>,
    environment: Environment,
    warnings: Vec<String>,
}

fn tools(args: &Args, catalog: &Catalog, split: &Split, asked: &Asked) -> anyhow::Result<Tools> {
    let load_average = load::average(); // before the machine has to build
    let all = [
        Gauge::InstructionsPerRequest,
        Gauge::ServerCpuUsPerRequest,
        Gauge::GoodputRps,
    ];
    let gauges: Vec<Gauge> = all
        .into_iter()
        .filter(|gauge| args.metric.is_empty() || args.metric.contains(gauge))
        .collect();
    let generator = prepare::generator(args.oha.as_deref(), &catalog.root, &split.generator)?;
    let wanted = gauges.contains(&Gauge::InstructionsPerRequest);
    let counter = Counter::find(&catalog.root).filter(|_| wanted);
    let mut warnings = Vec::new();
    if wanted && counter.is_none() {
        let told =
            "valgrind is not installed: instructions were not counted (Debian and Ubuntu: apt-get install valgrind)";
        if gauges.len() == 1 {
            bail!("{told}, and no other metric is wanted");
        }
        warnings.push(told.to_owned());
    }
    if wanted && gauges.len() == 1 && asked.scenarios.iter().all(|scenario| scenario.counted.is_none()) {
        bail!(
            "instructions are counted of the endpoints over HTTP/1.1 in cleartext only: name one of them with --scenario"
        );
    }
    let driven = asked.scenarios.iter().take(asked.driven);
    let most = driven.map(|scenario| scenario.connections).max().unwrap_or(0);
    if let Some(reason) = limits::forbids(most) {
        bail!("this machine cannot bear the load: {reason}");
    }
    let rustc = version_of("rustc".as_ref(), &catalog.root).context("rustc does not say its version")?;
    let mut environment = environment::describe(split, load_average, rustc, generator.version.clone());
    environment.valgrind = counter.as_ref().map(|counter| counter.version.clone());
    let _ = cpus::pin(0, &split.generator); // the harness waits nearly always; nothing is lost if the kernel refuses
    Ok(Tools {
        generator,
        counter,
        gauges,
        environment,
        warnings,
    })
}

fn campaign(
    args: &Args,
    tools: &Tools,
    split: &Split,
    asked: &Asked,
    subjects: &[Subject],
    gates: &Gates,
    pairs: Option<u32>,
) -> anyhow::Result<Found> {
    let heading = format!("comparing {} apps, {} scenarios", subjects.len(), asked.scenarios.len());
    let progress = Progress::new(&heading, 1);
    let campaign = Campaign {
        subjects,
        scenarios: &asked.scenarios,
        driven: asked.driven,
        gauges: &tools.gauges,
        gates,
        generator: &tools.generator,
        counter: tools.counter.as_ref(),
        split,
        pairs,
        budget: budget(args.time_budget, subjects.len()),
    };
    let mut last = None;
    let found = campaign.run(|app, made, look| {
        progress.doing(&format!("{app} · pair {} of {look}", made + 1));
        if made.is_multiple_of(5) && last != Some(made) {
            last = Some(made);
            progress.plain(&format!("{made} pairs of {look} made"));
        }
    });
    match found {
        Ok(found) => Ok(found),
        Err(Trouble::Interrupted(interrupted)) => Err(interrupted.into()),
        Err(error) => Err(error.into()),
    }
}

/// An app takes two and a half minutes on two cpus if all is decided at the first look.
fn budget(wanted: Option<f64>, subjects: usize) -> Duration {
    const LEAST: Duration = Duration::from_mins(10);
    const EACH: Duration = Duration::from_mins(4);
    let each = EACH.saturating_mul(u32::try_from(subjects).unwrap_or(u32::MAX));
    wanted.map_or(LEAST.max(each), Duration::from_secs_f64)
}

fn measure(
    args: &Args,
    catalog: &Catalog,
    split: &Split,
    asked: &Asked,
    subjects: &[Subject],
    comparison: &mut Comparison,
) -> anyhow::Result<()> {
    let tools = tools(args, catalog, split, asked)?;
    let found = campaign(args, &tools, split, asked, subjects, &comparison.gates, args.pairs)?;
    comparison.series = found
        .tracks
        .iter()
        .map(|track| series(track, subjects, &asked.scenarios))
        .collect();
    comparison.budget_spent = found.budget_spent;
    for (subject, (status, reason)) in found.failed {
        let Subject { app, variant, .. } = &subjects[subject];
        for listed in comparison
            .apps
            .iter_mut()
            .filter(|listed| listed.id == *app && listed.variant == *variant)
        {
            (listed.status, listed.reason) = (status, Some(reason.clone()));
        }
    }
    comparison.warnings = tools.warnings;
    comparison.environment = Some(tools.environment);
    Ok(())
}

fn finish(args: &Args, root: &Path, comparison: &Comparison) -> anyhow::Result<Outcome> {
    let out = args.out.clone().unwrap_or_else(|| root.join(OUT));
    let json = format!("{}\n", serde_json::to_string_pretty(comparison)?);
    store::write_whole(&out, json.as_bytes()).with_context(|| format!("cannot write {}", out.display()))?;
    match args.format {
        Format::Json => print(&json)?,
        Format::Text => print(&comparison_markdown(comparison))?,
    }
    Ok(match comparison.decision {
        Decision::Regression => Outcome::CheckFailed,
        Decision::Inconclusive => {
            let told = "some changes could not be told from noise; a longer --time-budget may tell";
            if under_actions() {
                eprintln!("::warning::{told}");
            } else {
                eprintln!("warning: {told}");
            }
            if args.strict {
                Outcome::CheckFailed
            } else {
                Outcome::Fine
            }
        }
        Decision::NothingToMeasure | Decision::NoChange | Decision::Improvement => Outcome::Fine,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_grows_with_the_apps_unless_it_is_named() {
        let minutes = Duration::from_mins;
        assert_eq!(budget(None, 1), minutes(10));
        assert_eq!(budget(None, 5), minutes(20));
        assert_eq!(budget(Some(60.0), 5), minutes(1));
    }
}
