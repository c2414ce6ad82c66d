//! The scenarios of a comparison.

use anyhow::{Context, bail};
use record::scenario::Scenario;

use crate::plan;
use crate::plan::Backed;
use crate::profile::Profiles;

/// Profiles whose scenarios are compared: of servers that work alone, and of those with a database.
const ALONE: &str = "compare";
const WITH_DATABASE: &str = "compare-database";

/// The scenarios that both sides are measured in.
#[derive(Debug)]
pub struct ComparedScenarios {
    /// All of them.
    pub scenarios: Vec<Scenario>,
    /// How many of them, from the first on, are driven; for the rest only instructions are counted.
    pub driven: usize,
}

/// Those that the user names, or those of the profile for servers `with_database` or without: first those that it drives, then those
/// that it only counts.
pub fn scenarios(names: &[String], with_database: bool) -> anyhow::Result<ComparedScenarios> {
    let profiles = Profiles::built_in();
    let profile = if with_database { WITH_DATABASE } else { ALONE };
    let profile = profiles.profile(profile).context("the profile is built in")?;
    let mut names = names.to_vec();
    let mut driven = names.len();
    if names.is_empty() {
        names.clone_from(&profile.scenarios);
        driven = names.len();
        let counted = profile.counted.iter().filter(|name| !profile.scenarios.contains(name));
        names.extend(counted.cloned());
    }
    let known = names.iter().map(|name| {
        let known = profiles.scenario(name, profile);
        let scenario = known.ok_or_else(|| plan::unknown("scenario", name, profiles.scenario_names()))?;
        match &scenario.own_load {
            None => Ok(scenario),
            Some(reason) => bail!("`{name}` cannot be compared in slices: {reason}; name another scenario"),
        }
    });
    let scenarios: Vec<Scenario> = known.collect::<Result<_, _>>()?;
    if Backed::by_scenarios(&scenarios) == Backed::Mixed {
        bail!("scenarios with a database are compared by themselves: name them, or the others");
    }
    Ok(ComparedScenarios { scenarios, driven })
}

impl ComparedScenarios {
    /// Whether they need a database.
    pub fn need_database(&self) -> bool {
        self.scenarios.iter().any(|scenario| scenario.database.is_some())
    }
}
