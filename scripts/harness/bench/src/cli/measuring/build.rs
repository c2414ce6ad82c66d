//! `bench build`.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use crate::cli::{Outcome, print, warn};
use crate::progress::OnStderr;
use apps::handover::{Handover, ensure_empty};
use apps::profile::Profiles;
use machine::interrupt;
use measure::plan;
use measure::plan::{Parts, Purpose};
use measure::programs::{Programs, load_generator};

/// This running program, even if another was built in its place meanwhile.
const THIS_PROGRAM: &str = "/proc/self/exe";

const EXAMPLES: &str = "\
Examples:
  bench build --out handover                     all apps, the load generator and bench
  bench build --out handover --app axum          axum, with reference and ceiling
  bench build --out handover --profile database  the apps with a database, no others
  tar -cf handover.tar handover                  for another machine of the same kind
  handover/bench run --binaries handover         measure there, without a compiler

All apps means all of their variants. tar keeps the modes of the programs.
An app that cannot be built is reported and handed over as such; a run then gives
it the verdict build_failed. Exit status 1 if no app could be built.";

/// Build the programs for another machine to measure
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Folder for the programs; empty or missing
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Apps to build [default: all]
    #[arg(long, value_delimiter = ',', value_name = "ID")]
    app: Vec<String>,
    /// Build only what this profile can measure: all apps of its part of the contract
    #[arg(long, value_name = "NAME", conflicts_with = "app")]
    profile: Option<String>,
    /// Variants to build [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    variant: Vec<String>,
    /// Link the apps with their sections in an order drawn from this seed [default: the linker's order]
    #[arg(long, value_name = "SEED")]
    layout: Option<NonZeroU32>,
    /// Path to an oha other than the one Cargo.lock pins
    #[arg(long, value_name = "PATH")]
    oha: Option<PathBuf>,
    /// Cargo profile of the apps; only `release` gives meaningful figures
    #[arg(long, value_name = "NAME", default_value = "release")]
    cargo_profile: String,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    interrupt::listen()?;
    // Reported before anything is built, which takes minutes.
    ensure_empty(&args.out)?;
    let programs = Programs::find(None)?.with_layout(args.layout);
    programs
        .warnings()
        .for_each(|warning| warn(&format!("warning: {warning}")));
    let catalog = &programs.catalog;
    let parts = match &args.profile {
        Some(profile) => Profiles::built_in().parts(profile)?,
        None => Parts::of_apps(&args.app, catalog),
    };
    let ids = plan::subjects(&args.app, &args.variant, Purpose::Build, &parts, catalog)?;
    let generator = load_generator(args.oha.as_deref(), &catalog.root, &[], &OnStderr)?;
    let subjects = programs.subjects(&ids, &args.cargo_profile, &OnStderr)?;
    let (generator, command) = (generator.program.path(), Path::new(THIS_PROGRAM));
    let handover = Handover::write(&args.out, catalog, &subjects, generator, command, &args.cargo_profile)?;
    let built = subjects.iter().filter(|subject| subject.binary.is_some()).count();
    print(&format!(
        "{}: {built} of {} programs for {}, with bench and oha\n",
        args.out.display(),
        subjects.len(),
        handover.architecture
    ))?;
    Ok(Outcome::failed_if(built == 0))
}
