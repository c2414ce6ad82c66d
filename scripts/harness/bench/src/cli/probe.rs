//! `bench probe`.

use super::programs::Programs;
use super::{Format, Outcome, complain, print, print_json};
use crate::progress::OnStderr;
use measure::interrupt;
use measure::machine::cpus::Split;
use measure::plan;
use measure::probe::{Case, probe};
use measure::progress::Reporter as _;
use measure::supply::Supply;
use record::label;
use record::probe::{ProbeCase, Probed};
use serde::Serialize;
use tell::report::probes;

const EXAMPLES: &str = "\
Examples:
  bench probe                               all apps, all cases
  bench probe --app axum,rocket             two of them
  bench probe --app axum --case host-twice  one case, with the bytes of both sides
  bench probe --list                        the cases, what they demand and where it stands
  bench probe --format json                 for programs

A failed case is a result. Exit status 1 means that an app could not be probed at all; the others still are.";

/// Show how the servers take unusual requests: conformance to HTTP/1.1, case by case
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Apps to probe [default: all]
    #[arg(long, value_delimiter = ',', value_name = "ID")]
    app: Vec<String>,
    /// Variants to probe
    #[arg(long, value_delimiter = ',', value_name = "NAME", default_value = "default")]
    variant: Vec<String>,
    /// Cases [default: all]
    #[arg(long, value_delimiter = ',', value_name = "ID")]
    case: Vec<String>,
    /// List the cases and probe nothing
    #[arg(long, conflicts_with_all = ["app", "variant", "binaries", "cargo_profile"])]
    list: bool,
    #[command(flatten)]
    programs: Programs,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// What `--format json` prints.
#[derive(Serialize)]
struct Document {
    cases: Vec<ProbeCase>,
    probed: Vec<Probed>,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let cases = chosen(&args.case)?;
    let about: Vec<ProbeCase> = cases.iter().map(Case::about).collect();
    if args.list {
        return list(args.format, &about);
    }
    interrupt::listen()?;
    let supply = Supply::find(args.programs.binaries.as_deref())?;
    let catalog = &supply.catalog;
    let subjects = plan::subjects_by_themselves(&args.app, &args.variant, catalog)?;
    let split = Split::of_this_machine()?;
    let built = supply.subjects(&subjects, &args.programs.cargo_profile, &OnStderr)?;
    let progress = OnStderr.begin("probing", built.len() as u64);
    let (mut probed, mut is_fine) = (Vec::new(), true);
    for subject in &built {
        progress.begins(&subject.app.id);
        let results = match &subject.binary {
            None => Err(subject.app.why_not_built().unwrap_or("it was not built").to_owned()),
            Some(binary) => match probe(subject, &binary.program, &cases, &split) {
                Ok(results) => Ok(results),
                Err(failure) => Err(failure.into_verdict()?.1),
            },
        };
        match results {
            Ok(results) => probed.extend(results),
            Err(reason) => {
                is_fine = false;
                let name = label(&subject.app.id, &subject.app.variant);
                complain(&anyhow::anyhow!("{name} cannot be probed: {reason}"));
            }
        }
        progress.step();
    }
    drop(progress);
    match args.format {
        Format::Json => print_json(&Document { cases: about, probed })?,
        Format::Text => print(&probes(&about, &probed, args.case.len() == 1))?,
    }
    Ok(if is_fine { Outcome::Fine } else { Outcome::CheckFailed })
}

/// The cases with these ids; all if none is named.
fn chosen(ids: &[String]) -> anyhow::Result<Vec<Case>> {
    let all = Case::built_in();
    for id in ids {
        if !all.iter().any(|case| case.id == *id) {
            let known = all.iter().map(|case| case.id.as_str());
            return Err(plan::unknown_in("bench probe --list", "case", id, known));
        }
    }
    Ok(all
        .into_iter()
        .filter(|case| ids.is_empty() || ids.contains(&case.id))
        .collect())
}

fn list(format: Format, about: &[ProbeCase]) -> anyhow::Result<Outcome> {
    match format {
        Format::Json => print_json(&about)?,
        Format::Text => {
            let lines = about
                .iter()
                .map(|case| format!("{}\n    {}. {} ({})\n", case.id, case.title, case.demand, case.source));
            print(&lines.collect::<String>())?;
        }
    }
    Ok(Outcome::Fine)
}
