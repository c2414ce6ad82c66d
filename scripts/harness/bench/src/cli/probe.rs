//! `bench probe`.

use std::path::PathBuf;

use super::programs::ProgramArgs;
use super::{Format, Outcome, complain, print, print_json};
use crate::progress::OnStderr;
use measure::interrupt;
use measure::probe::{ProbeRequest, chosen, run as probe};
use record::label;
use record::probe::{Group, ProbeCase, store};
use record::scenario::Protocol;
use tell::report::probes;

const EXAMPLES: &str = "\
Examples:
  bench probe                               all apps, all cases
  bench probe --app axum,rocket             two of them
  bench probe --app axum --case host-twice  one case, with the bytes of both sides
  bench probe --group lifecycle             the cases of one group
  bench probe --group database              servers whose database fails
  bench probe --list                        the cases, what each requires, and its source
  bench probe --out bench-results           keep the result, as bench-results/probes/ID.json
  bench probe --format json                 for programs

A failed case is a result. Exit status 1 means that something could not be probed at
all; the rest still is.
Cases that measure something need the machine to themselves: during a run or
comparison they fail at once, or wait with --wait.";

/// Show what breaks the servers: conformance, abuse and lifecycle, case by case
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Apps to probe [default: all; those with a database only for the cases of `--group database`]
    #[arg(long, value_delimiter = ',', value_name = "ID")]
    app: Vec<String>,
    /// Variants to probe
    #[arg(long, value_delimiter = ',', value_name = "NAME", default_value = "default")]
    variant: Vec<String>,
    /// Cases [default: all]
    #[arg(long, value_delimiter = ',', value_name = "ID")]
    case: Vec<String>,
    /// Groups of cases [default: all]
    #[arg(long, value_delimiter = ',', value_name = "GROUP")]
    group: Vec<Group>,
    /// Protocols, of those that a case is for and an app speaks [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAME", value_parser = protocol)]
    protocol: Vec<Protocol>,
    /// List the cases and probe nothing
    #[arg(long, conflicts_with_all = ["app", "variant", "binaries", "cargo_profile", "postgres", "out"])]
    list: bool,
    #[command(flatten)]
    programs: ProgramArgs,
    /// Folder of the results in which the result is kept [default: it is only printed]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Folder of PostgreSQL's programs, for cases with a database [default: the first in PATH, or the newest that is installed]
    #[arg(long, value_name = "DIR")]
    postgres: Option<PathBuf>,
    /// If another bench measures on this machine, wait for its end [default: fail and name it]
    #[arg(long)]
    wait: bool,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

fn protocol(text: &str) -> Result<Protocol, String> {
    let known = Protocol::ALL.into_iter().find(|protocol| protocol.id() == text);
    known.ok_or_else(|| {
        let all = Protocol::ALL.map(Protocol::id);
        format!("there is no protocol `{text}`; there are {}", all.join(", "))
    })
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let request = ProbeRequest {
        apps: args.app.clone(),
        variants: args.variant.clone(),
        cases: args.case.clone(),
        groups: args.group.clone(),
        protocols: args.protocol.clone(),
        binaries: args.programs.binaries.clone(),
        cargo_profile: args.programs.cargo_profile.clone(),
        postgres: args.postgres.clone(),
        wait: args.wait,
    };
    if args.list {
        let cases = chosen(&request)?;
        return list(
            args.format,
            &cases.into_iter().map(|case| case.about).collect::<Vec<_>>(),
        );
    }
    interrupt::listen()?;
    let (document, skipped) = probe(&request, env!("CARGO_PKG_VERSION"), &OnStderr)?;
    for one in &skipped {
        let case = one
            .case
            .as_ref()
            .map_or(String::new(), |case| format!(" in case {case}"));
        let name = label(&one.app, &one.variant);
        complain(&anyhow::anyhow!("{name} cannot be probed{case}: {}", one.reason));
    }
    match args.format {
        Format::Json => print_json(&document)?,
        Format::Text => print(&probes(&document, args.case.len() == 1))?,
    }
    if let Some(folder) = &args.out {
        eprintln!("probes: {}", store::write(folder, &document)?.display());
    }
    Ok(if skipped.is_empty() {
        Outcome::Fine
    } else {
        Outcome::CheckFailed
    })
}

fn list(format: Format, about: &[ProbeCase]) -> anyhow::Result<Outcome> {
    match format {
        Format::Json => print_json(&about)?,
        Format::Text => {
            let lines = about.iter().map(|case| {
                format!(
                    "{}\n    {}. {} ({}, {})\n",
                    case.id,
                    case.title,
                    case.demand,
                    case.level.word(),
                    case.source
                )
            });
            print(&lines.collect::<String>())?;
        }
    }
    Ok(Outcome::Fine)
}
