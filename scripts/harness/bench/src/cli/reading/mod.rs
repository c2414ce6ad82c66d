//! The commands that read records and write what is shown of them. They start no server and are built without what does.

mod export;
mod history;
mod list;
mod moving;
mod plausibility;
mod prune;
mod publish;
mod report;
mod site;

use super::Outcome;

#[derive(Debug, clap::Subcommand)]
pub enum Command {
    Report(report::Args),
    Export(export::Args),
    Publish(publish::Args),
    Prune(prune::Args),
    Site(site::Args),
    History(history::Args),
    List(list::Args),
    Moving(moving::Args),
}

impl Command {
    pub fn run(&self) -> anyhow::Result<Outcome> {
        match self {
            Self::Report(args) => report::run(args),
            Self::Export(args) => export::run(args),
            Self::Publish(args) => publish::run(args),
            Self::Prune(args) => prune::run(args),
            Self::Site(args) => site::run(args),
            Self::History(args) => history::run(args),
            Self::List(args) => list::run(args),
            Self::Moving(args) => moving::run(args),
        }
    }
}
