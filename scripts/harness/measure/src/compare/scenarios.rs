//! The scenarios of a comparison.

use anyhow::{Context, bail};
use model::scenario::Scenario;
use model::{Metric, Part};

use crate::plan;
use crate::plan::Parts;
use apps::profile::Profiles;

/// The profile whose scenarios are compared.
fn profile_of(part: Part) -> &'static str {
    match part {
        Part::Plain => "compare",
        Part::Database => "compare-database",
        Part::Services => "compare-services",
    }
}

/// The scenarios that both sides are measured in.
#[derive(Debug, Clone)]
pub struct ComparedScenarios {
    /// All of them.
    pub scenarios: Vec<Scenario>,
    /// How many of them, from the first on, are driven; for the rest only instructions are counted.
    pub driven: usize,
    /// The part of the contract that they exercise.
    pub part: Part,
}

impl ComparedScenarios {
    /// Whether a metric is measured in the scenario of this index.
    pub fn measures(&self, index: usize, metric: Metric) -> bool {
        match metric {
            Metric::InstructionsPerRequest => self.scenarios[index].counted.is_some(),
            _ => index < self.driven,
        }
    }
}

/// The scenarios that the user names, or the profile's for servers of this `part` of the contract: first those that it drives, then those
/// that it only counts.
pub fn scenarios(names: &[String], part: Part) -> anyhow::Result<ComparedScenarios> {
    let profiles = Profiles::built_in();
    let profile = profiles.profile(profile_of(part)).context("the profile is built in")?;
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
    if Parts::by_scenarios(&scenarios).are_mixed() {
        bail!("database scenarios and service scenarios are compared by themselves: name these, or the others");
    }
    let part = scenarios.first().map_or(part, Scenario::part);
    Ok(ComparedScenarios {
        scenarios,
        driven,
        part,
    })
}
