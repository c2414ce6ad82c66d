//! The commands that build and start servers.

mod build;
mod check;
mod ci;
mod comment;
mod compare;
mod consent;
mod cross_check;
mod doctor;
mod explain;
mod new_app;
mod probe;
mod releases;
mod run;
mod upstream;

use std::path::Path;

use anyhow::Context as _;
use model::store;

use super::Outcome;

#[derive(Debug, clap::Subcommand)]
pub enum Command {
    Run(run::Args),
    Build(build::Args),
    Check(check::Args),
    Probe(probe::Args),
    Compare(compare::Args),
    Explain(explain::Args),
    Upstream(upstream::Args),
    Releases(releases::Args),
    /// Do oha and another load generator agree?
    CrossCheck(cross_check::Args),
    Comment(comment::Args),
    NewApp(new_app::Args),
    Doctor(doctor::Args),
    Ci(ci::Args),
}

impl Command {
    pub fn run(&self) -> anyhow::Result<Outcome> {
        match self {
            Self::Run(args) => run::run(args),
            Self::Build(args) => build::run(args),
            Self::Check(args) => check::run(args),
            Self::Probe(args) => probe::run(args),
            Self::Compare(args) => compare::run(args),
            Self::Explain(args) => explain::run(args),
            Self::Upstream(args) => upstream::run(args),
            Self::Releases(args) => releases::run(args),
            Self::CrossCheck(args) => cross_check::run(args),
            Self::Comment(args) => comment::run(args),
            Self::NewApp(args) => new_app::run(args),
            Self::Doctor(args) => doctor::run(args),
            Self::Ci(args) => ci::run(args),
        }
    }
}

/// Fails if no file can be written to `folder`, which is made: a check before long work whose result goes there.
fn writable(folder: &Path) -> anyhow::Result<()> {
    let written = store::temporary(&folder.join("result"), b"");
    written
        .map(drop)
        .with_context(|| format!("cannot write to {}", folder.display()))
}
