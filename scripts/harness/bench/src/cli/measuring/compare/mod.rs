//! `bench compare`.

mod plan;
mod self_test;

use std::path::{Path, PathBuf};

use analyze::compare::outcome::{Comparison, Decision};
use anyhow::ensure;
use machine::interrupt;
use measure::compare::ComparisonRequest;
use report::comparison_markdown;

use super::explain;
use super::writable;
use crate::cli::{Format, Outcome, json, warn, write_files};
use crate::progress::OnStderr;
use crate::workflow_commands::under_actions;

/// Where the result is written, below the repository's root.
const OUT: &str = "target/compare/comparison.json";
/// Where flame graphs are drawn, below it.
const FLAME_GRAPHS: &str = "target/compare";

const EXAMPLES: &str = "\
Examples:
  bench compare                               the working tree against its merge-base with main
  bench compare --base v1.0 --head my-branch  two revisions
  bench compare --app axum --scenario simple  one app, one scenario
  bench compare --scenario db                 only servers with a database
  bench compare --metric instructions         only what valgrind counts: quick, hardly any noise
  bench compare --plan                        what would be measured, and how long does it take?
  bench compare --patch hyper=../hyper --app axum --variant default --metric instructions
                                              what does my change of hyper cost axum?
  bench compare --self-test                   how often is this wrong on this machine?
  bench compare --self-test --replay FILE...  the same, from earlier recordings

Only apps whose sources, dependencies, build profile or compiler differ are
measured. Both sides also run the quick cases of `bench probe`: a mandatory case that
only head fails is a regression.
If an app's instructions change, the functions that changed most are named, and
target/compare gets a differential flame graph.

Exit status: 0 nothing is worse, 1 a regression (with --strict also an
undecided series), 2 could not be measured.";

/// Does a change make an app slower? Base and head in turns
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[allow(clippy::struct_excessive_bools)] // each is a switch of its own
pub struct Args {
    #[command(flatten)]
    request: ComparisonRequest,
    /// Print what would be compared and roughly how long it would take; build nothing
    #[arg(long, conflicts_with_all = ["time_budget", "strict", "self_test", "out", "split", "oha", "postgres", "wait"])]
    plan: bool,
    /// Also exit with 1 if something is undecided
    #[arg(long)]
    strict: bool,
    /// Compare a program with itself, to find how often a comparison is wrong on this machine
    #[arg(long, conflicts_with_all = ["base", "head", "strict"])]
    self_test: bool,
    /// With --self-test: judge earlier recordings, or comparisons of identical programs, instead of measuring
    #[arg(long, value_name = "FILE", requires = "self_test", num_args = 1..)]
    replay: Vec<PathBuf>,
    /// With --self-test: write what was measured or read to this file
    #[arg(long, value_name = "FILE", requires = "self_test")]
    record: Option<PathBuf>,
    /// With --self-test: file whose block between `<!-- self-test:begin -->` and `<!-- self-test:end -->` is replaced
    #[arg(long, value_name = "FILE", requires = "self_test")]
    readme: Option<PathBuf>,
    /// File for the result as JSON [default: target/compare/comparison.json]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How the result is printed: Markdown or JSON
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    interrupt::listen()?;
    if args.self_test {
        return self_test::run(args);
    }
    if args.plan {
        return plan::run(args);
    }
    args.out.as_deref().and_then(Path::parent).map(writable).transpose()?;
    let (comparison, root) = measure::compare::run(&args.request, env!("CARGO_PKG_VERSION"), &OnStderr)?;
    finish(args, &root, &comparison)
}

fn finish(args: &Args, root: &Path, comparison: &Comparison) -> anyhow::Result<Outcome> {
    let out = args.out.clone().unwrap_or_else(|| root.join(OUT));
    let analyzed = comparison.analyzed();
    write_files([(out, json(&analyzed)?)])?;
    explain::draw(&comparison.explanations, &root.join(FLAME_GRAPHS))?;
    args.format.print(&analyzed, || comparison_markdown(comparison))?;
    let lost = comparison.lost().map(|app| {
        let reason = app.reason.as_deref().unwrap_or_default();
        format!("{} ({reason})", app.id)
    });
    let lost: Vec<String> = lost.collect();
    ensure!(lost.is_empty(), "could not be measured: {}", lost.join(", "));
    Ok(match comparison.decision {
        Decision::Regression => Outcome::CheckFailed,
        Decision::Inconclusive => {
            let message = "some changes could not be distinguished from noise; try a longer --time-budget";
            if under_actions() {
                warn(&format!("::warning::{message}"));
            } else {
                warn(&format!("warning: {message}"));
            }
            Outcome::failed_if(args.strict)
        }
        Decision::NothingToMeasure | Decision::NoChange | Decision::Improvement => Outcome::Fine,
    })
}
