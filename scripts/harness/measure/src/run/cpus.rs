//! The cpus of a run, before anything is tried.

use anyhow::Context as _;

use super::load_machines::all_cpus_serve;
use super::request::RunRequest;
use crate::plan::Plan;
use machine::cpus::{Split, Topology};
use machine::split::{CpuSplitArg, candidates};
use model::Record;

/// A split of the cpus, and whether it stands.
#[derive(Debug)]
pub enum Cpus {
    /// A resumed run's, whose earlier trials were made with it.
    Begun(Split),
    /// The user's, or the only one that fits.
    Named(Split),
    /// The default one: others are tried.
    Usual(Split),
}

impl Cpus {
    /// Those of a run that begins.
    pub fn of_new(request: &RunRequest, plan: &Plan) -> anyhow::Result<Self> {
        let (machine, wish) = (Topology::of_this_machine(), request.options.split.as_ref());
        if all_cpus_serve(request.load_from.as_ref(), plan, &machine)? {
            let mut split = machine.all_serving();
            if let Some(wish) = wish {
                split.server = wish.resolve(&machine)?.server;
            }
            return Ok(Self::Named(split));
        }
        let split = requested_split(wish)?;
        Ok(if wish.is_some() {
            Self::Named(split)
        } else {
            Self::Usual(split)
        })
    }

    /// Those of a run that goes on.
    pub fn of_begun(request: &RunRequest, plan: &Plan, begun: &Record) -> anyhow::Result<Self> {
        let (machine, before) = (Topology::of_this_machine(), &begun.environment);
        let split = if all_cpus_serve(request.load_from.as_ref(), plan, &machine)? {
            let server = before.server_cpus.clone();
            Split {
                server,
                ..machine.all_serving()
            }
        } else {
            let split = machine.listed(&before.server_cpus, &before.generator_cpus);
            split.with_context(|| format!("run {} cannot go on: it was begun with other cpus", begun.id))?
        };
        let database = before.database.as_ref();
        Ok(Self::Begun(Split {
            database: database.map_or(Vec::new(), |database| database.cpus.clone()),
            quota: before.server_cpu_quota.is_some(),
            ..split
        }))
    }

    /// Those on which servers of several widths are compared: unless they are named, as many serve as splits of whole cores have. Fewer,
    /// under which the server is the limit, would leave nothing to compare.
    pub fn for_widths(self) -> anyhow::Result<Self> {
        Ok(match self {
            Self::Usual(_) => Self::Named(candidates(&Topology::of_this_machine())?.swap_remove(0)),
            stands => stands,
        })
    }

    /// The split to begin with.
    pub fn split(&self) -> &Split {
        match self {
            Self::Begun(split) | Self::Named(split) | Self::Usual(split) => split,
        }
    }
}

/// The split that the user wants, or the default one.
pub fn requested_split(wish: Option<&CpuSplitArg>) -> anyhow::Result<Split> {
    let machine = Topology::of_this_machine();
    wish.map_or_else(|| machine.usual(), |wish| wish.resolve(&machine))
}
