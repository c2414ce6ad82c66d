//! `bench compare`.

mod self_test;
mod shards;

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use judge::compare::decide::MOST_PAIRS;
use judge::compare::gates::COMPARED;
use judge::compare::outcome::{Comparison, Decision};
use judge::compare::sharding::MOST_SHARDS;
use measure::compare::{ComparisonRequest, ShardRequest};
use measure::interrupt;
use measure::machine::split::CpuSplitArg;
use record::Metric;
use tell::report::comparison_markdown;

use super::run::seconds;
use super::{Format, Outcome, print, write_files};
use crate::progress::{OnStderr, under_actions};

/// Where the result is written, below the repository's root.
const OUT: &str = "target/compare/comparison.json";

const EXAMPLES: &str = "\
Examples:
  bench compare                               the working tree against its merge-base with main
  bench compare --base v1.0 --head my-branch  two revisions
  bench compare --app axum --scenario simple  one app, one scenario
  bench compare --scenario db                 only servers with a database
  bench compare --metric instructions         only what valgrind counts: quick, hardly any noise
  bench compare --plan --shards 4             which apps would each of four machines compare?
  bench compare --shard 2/4 --out two.json    what the second of them compares
  bench compare --merge *.json                one comparison of what they found
  bench compare --self-test                   how often is this wrong on this machine?
  bench compare --self-test --replay FILE...  the same, from pairs that were recorded before

Only apps whose sources, dependencies, build profile or compiler differ are
measured. Both sides also run the quick cases of `bench probe`: if only head fails
one that must pass, that is a regression.

A comparison of many apps can be divided among machines, an app wholly on one of them.
Each machine needs the repository with both commits and computes the same plan; all of
them together are wrong as rarely as one would be. --merge tells which shards are
missing, and refuses one that is there twice or is of another comparison.
Exit status: 0 nothing is worse, 1 a regression (with --strict also an
undecided one), 2 could not be measured, or a shard is missing.";

/// Does a change make an app slower? Base and head, measured in turns
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[allow(clippy::struct_excessive_bools)] // each is a switch of its own
pub struct Args {
    /// What to compare with [default: the merge-base of head and main]
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// The proposed revision [default: the working tree]
    #[arg(long, value_name = "REV")]
    head: Option<String>,
    /// Only these of the apps that the change touches
    #[arg(long, value_delimiter = ',', value_name = "ID")]
    app: Vec<String>,
    /// Scenarios [default: those of the profile `compare`, or of `compare-database` if the change touches servers with a database only]
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    scenario: Vec<String>,
    /// Metrics [default: all]
    #[arg(long, value_delimiter = ',', value_name = "METRIC", value_parser = PossibleValuesParser::new(COMPARED.map(|(name, _)| name)).map(|name| compared(&name)))]
    metric: Vec<Metric>,
    /// Build and measure nothing: show which apps each machine would compare
    #[arg(long, requires = "shards", conflicts_with_all = ["pairs", "time_budget", "strict", "self_test", "out", "split", "oha", "postgres", "wait"])]
    plan: bool,
    /// With --plan: divide among at most this many machines
    #[arg(long, value_name = "N", requires = "plan", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_SHARDS)))]
    shards: Option<u32>,
    /// Only the apps of this machine: its number, and how many machines there are at most, such as 2/10
    #[arg(long, value_name = "K/N", value_parser = shards::shard, conflicts_with_all = ["plan", "self_test"])]
    shard: Option<ShardRequest>,
    /// Make one comparison of these shards, the files that `--shard` wrote; nothing is measured
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = [
        "base", "head", "app", "scenario", "metric", "plan", "shard", "pairs", "time_budget", "self_test", "split", "oha", "postgres", "wait"
    ])]
    merge: Vec<PathBuf>,
    /// Make exactly this many pairs of base and head [default: as many as needed]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_PAIRS)))]
    pairs: Option<u32>,
    /// Longest time of measuring [default: 10m, or what the first look at each app takes if that is more]
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    time_budget: Option<f64>,
    /// Also exit with 1 if something is undecided
    #[arg(long)]
    strict: bool,
    /// Measure the same program on both sides, and say how often a comparison is wrong on this machine
    #[arg(long, conflicts_with_all = ["base", "head", "strict"])]
    self_test: bool,
    /// With --self-test: judge recordings, or comparisons of identical programs, instead of measuring; more of them are more certain
    #[arg(long, value_name = "FILE", requires = "self_test", num_args = 1..)]
    replay: Vec<PathBuf>,
    /// With --self-test: write what was measured or read to this file
    #[arg(long, value_name = "FILE", requires = "self_test")]
    record: Option<PathBuf>,
    /// With --self-test: file whose block between `<!-- self-test:begin -->` and `<!-- self-test:end -->` is replaced
    #[arg(long, value_name = "FILE", requires = "self_test")]
    readme: Option<PathBuf>,
    /// Path to an oha other than the one Cargo.lock pins
    #[arg(long, value_name = "PATH")]
    oha: Option<PathBuf>,
    /// Cargo profile of both sides
    #[arg(long, value_name = "NAME", default_value = "release")]
    cargo_profile: String,
    /// File for the result as JSON [default: target/compare/comparison.json]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Cpus of server and load generator: how many, such as 1:3, or which, such as 0,1:2-3 (a single one as 0-0) [default: one core or
    /// a quarter of them for the server]
    #[arg(long, value_name = "SERVER:GENERATOR")]
    split: Option<CpuSplitArg>,
    /// Folder of PostgreSQL's programs, for servers with a database
    /// [default: the first in PATH, or the newest where distributions put them]
    #[arg(long, value_name = "DIR")]
    postgres: Option<PathBuf>,
    /// If another bench measures on this machine, wait for its end [default: fail and name it]
    #[arg(long)]
    wait: bool,
    /// How the result is printed: Markdown or JSON
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The metric of this name, which is one of those that are compared.
fn compared(name: &str) -> Metric {
    let mut all = COMPARED.into_iter();
    all.find_map(|(known, metric)| (known == name).then_some(metric))
        .unwrap_or(Metric::GoodputRps)
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    interrupt::listen()?;
    if args.self_test {
        return self_test::run(args);
    }
    if let Some(most) = args.shards {
        return shards::plan(args, most);
    }
    if !args.merge.is_empty() {
        return shards::merge(args);
    }
    let (comparison, root) = measure::compare::run(&request(args), env!("CARGO_PKG_VERSION"), &OnStderr)?;
    finish(args, &root, &comparison)
}

fn request(args: &Args) -> ComparisonRequest {
    ComparisonRequest {
        base: args.base.clone(),
        head: args.head.clone(),
        apps: args.app.clone(),
        scenarios: args.scenario.clone(),
        metrics: args.metric.clone(),
        shard: args.shard,
        pairs: args.pairs,
        time_budget: args.time_budget,
        oha: args.oha.clone(),
        cargo_profile: args.cargo_profile.clone(),
        split: args.split.clone(),
        postgres: args.postgres.clone(),
        wait: args.wait,
    }
}

fn finish(args: &Args, root: &Path, comparison: &Comparison) -> anyhow::Result<Outcome> {
    let out = args.out.clone().unwrap_or_else(|| root.join(OUT));
    let json = format!("{}\n", serde_json::to_string_pretty(comparison)?);
    write_files([(out, json.clone())])?;
    match args.format {
        Format::Json => print(&json)?,
        Format::Text => print(&comparison_markdown(comparison))?,
    }
    Ok(match comparison.decision {
        Decision::Regression => Outcome::CheckFailed,
        Decision::Inconclusive if comparison.lost().next().is_some() => Outcome::Fine,
        Decision::Inconclusive => {
            let message = "some changes could not be distinguished from noise; try a longer --time-budget";
            if under_actions() {
                eprintln!("::warning::{message}");
            } else {
                eprintln!("warning: {message}");
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
