//! `bench cross-check`.

use std::path::PathBuf;

use anyhow::ensure;
use serde_json::json;

use super::run;
use crate::cli::{Format, Outcome, results_folder};
use analyze::cross_check::{Agreement, TOLERANCE, cross_check};
use analyze::reading;
use measure::run::RunRequest;
use model::scenario::GeneratorKind;
use report::cross_check_table;

const EXAMPLES: &str = "\
Examples:
  bench cross-check --app axum --scenario plaintext  oha and wrk in turns, five rounds
  bench cross-check --with h2load,wrk --duration 3s  both of them
  bench cross-check --with h2load --scenario plaintext-http2 --rounds 12
  bench cross-check --record latest                  from a record; measures nothing

Every scenario is measured with oha and with the other generator in one interleaved
run, which leaves a record like any other. Goodput is compared if both were limited
by the server, otherwise the server's CPU time per request.
Do both agree? They do if the whole 95 % interval of their ratio lies within 5 % of
1 (they do not send the same bytes), and differ if all of it lies outside.
Otherwise it is undecided, and more --rounds may help.

Exit status: 0 all agree or are undecided, 1 some differ, 2 could not be carried out.";

/// Options of a run, which would have no effect with `--record`.
const OF_A_RUN: &str =
    "generators profile apps scenarios variants rounds seconds connections seed isolations time_budget split resume";

/// Do oha and another load generator agree?
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Use this record and measure nothing: its path, the id of the run, or `latest` for the newest
    #[arg(long, value_name = "RUN", conflicts_with_all = OF_A_RUN.split(' '))]
    record: Option<String>,
    #[command(flatten)]
    request: RunRequest,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let (record, path) = if let Some(name) = &args.record {
        let path: PathBuf = crate::cli::find_newest(&results_folder(args.request.out.as_deref()), name)?;
        (reading::read(&path)?, path)
    } else {
        let mut request = args.request.clone();
        let generators = &mut request.options.generators;
        if request.resume.is_none() || !generators.is_empty() {
            *generators = with_oha(generators);
        }
        run::measure(&request)?
    };
    let checks = cross_check(&record);
    ensure!(
        !checks.is_empty(),
        "{}: no scenario of this record was driven by two load generators; bench cross-check --app APP makes one",
        path.display()
    );
    let result = json!({ "record": path, "tolerance": TOLERANCE, "checks": checks });
    let text = || format!("{}\nrecord: {}\n", cross_check_table(&checks), path.display());
    args.format.print(&result, text)?;
    let some_differ = checks.iter().any(|check| check.agreement == Agreement::Differ);
    Ok(Outcome::failed_if(some_differ))
}

/// oha, and the named ones, or wrk if none was named.
fn with_oha(named: &[GeneratorKind]) -> Vec<GeneratorKind> {
    let mut generators = vec![GeneratorKind::Oha];
    let others = named.iter().copied().filter(|kind| *kind != GeneratorKind::Oha);
    generators.extend(others);
    if generators.len() == 1 {
        generators.push(GeneratorKind::Wrk);
    }
    generators
}
