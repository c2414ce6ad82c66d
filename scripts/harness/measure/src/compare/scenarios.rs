//! The scenarios of a comparison.

use anyhow::{Context, bail};
use record::scenario::Scenario;

use crate::plan;
use crate::profile::Profiles;

/// Profile whose scenarios are compared.
const PROFILE: &str = "compare";

/// The scenarios that both sides are measured in.
#[derive(Debug)]
pub struct ComparedScenarios {
    /// All of them.
    pub scenarios: Vec<Scenario>,
    /// How many of them, from the first on, are driven; for the rest only instructions are counted.
    pub driven: usize,
}

/// Those that the user names, or those of the profile: first those that it drives, then those that it only counts.
pub fn scenarios(names: &[String]) -> anyhow::Result<ComparedScenarios> {
    let profiles = Profiles::built_in();
    let profile = profiles.profile(PROFILE).context("the profile `compare` is built in")?;
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
    Ok(ComparedScenarios {
        scenarios: known.collect::<Result<_, _>>()?,
        driven,
    })
}
