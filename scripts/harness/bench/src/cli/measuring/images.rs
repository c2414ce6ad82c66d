//! `bench images`.

use std::path::PathBuf;

use super::programs::ProgramArgs;
use crate::cli::{Outcome, print, warn};
use crate::progress::OnStderr;
use machine::interrupt;
use measure::plan;
use measure::plan::{Parts, Purpose};
use measure::programs::Programs;
use model::Part;
use servers::container::{Engine, compose, import_for_hand};

const EXAMPLES: &str = "\
Examples:
  bench images                                an image bench/APP:latest of every app
  bench images --app axum,rocket              two apps, and reference and ceiling
  bench images --binaries handover            programs of `bench build`; compiles nothing
  docker compose --file apps/compose.yaml up  start them all, each on its own port
  bench images --compose > apps/compose.yaml  after adding or removing an app

No base image is pulled. The images stay until you remove them, as with
`docker rmi bench/axum`. Exit status 1 if no image could be made.";

/// Make container images of the servers, to try them by hand
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Apps [default: all]
    #[arg(long, value_delimiter = ',', value_name = "ID")]
    app: Vec<String>,
    /// Variants; each except the default one has its own tag [default: default]
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    variant: Vec<String>,
    #[command(flatten)]
    programs: ProgramArgs,
    /// Container engine: docker, podman or a path [default: the first of the two that answers]
    #[arg(long, value_name = "PATH")]
    container_engine: Option<PathBuf>,
    /// Print the contents of apps/compose.yaml, and make no image
    #[arg(long, conflicts_with_all = ["app", "variant", "binaries", "container_engine"])]
    compose: bool,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    interrupt::listen()?;
    let programs = Programs::find(args.programs.binaries.as_deref())?;
    if args.compose {
        print(&compose(&programs.catalog.apps))?;
        return Ok(Outcome::Fine);
    }
    let ids = plan::subjects(
        &args.app,
        &args.variant,
        Purpose::Run(None),
        &Parts::only(Part::Plain),
        &programs.catalog,
    )?;
    let engine = Engine::find(args.container_engine.as_deref())?;
    let subjects = programs.subjects(&ids, programs.cargo_profile(&args.programs.cargo_profile), &OnStderr)?;
    let mut images = 0;
    for subject in &subjects {
        interrupt::check()?;
        let Some(binary) = &subject.binary else { continue };
        match import_for_hand(&engine, subject, binary.program.path()) {
            Ok(name) => {
                images += 1;
                print(&format!("{name}\n"))?;
            }
            Err(reason) => warn(&format!("warning: {}: {reason}", subject.app.id)),
        }
    }
    Ok(if images > 0 {
        Outcome::Fine
    } else {
        Outcome::CheckFailed
    })
}
