//! Profiles and scenarios, read from `profiles.toml`.

use std::collections::BTreeMap;

use anyhow::{Context as _, ensure};
use serde::Deserialize;
use toml::Table;

use crate::contract_parts::Parts;
use crate::suggest::unknown;
use model::scenario::{Counted, Scenario};
use model::{RELEASE, Tier};

/// The file, as it was when this program was built.
const FILE: &str = include_str!("../../profiles.toml");

/// All scenarios and profiles.
#[derive(Debug, Clone)]
#[allow(clippy::struct_field_names)] // they are the tables of the file
pub struct Profiles {
    scenarios: BTreeMap<String, Scenario>,
    unrecorded: BTreeMap<String, String>,
    counts: BTreeMap<String, Counted>,
    profiles: BTreeMap<String, Profile>,
}

/// A named set of scenarios with durations and rounds.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// A description for people.
    pub title: String,
    /// Apps that it measures; `None` for all of its tiers.
    pub apps: Option<Vec<String>>,
    /// Tiers that it measures; `None` for all.
    pub tiers: Option<Vec<Tier>>,
    /// Variants that it measures; `None` for the default one.
    pub variants: Option<Vec<String>>,
    /// Names of its scenarios, in the order in which they are shown.
    pub scenarios: Vec<String>,
    /// Names of the scenarios whose instructions are counted, all by one server, in this order. Those that are not in
    /// `scenarios` are counted but not driven.
    #[serde(default)]
    pub counted: Vec<String>,
    /// Whether that is done before the first round only: enough to order servers, and no interval.
    #[serde(default)]
    pub counted_once: bool,
    /// What costs it measures instead of driving loads; `None` if it drives them.
    pub costs: Option<CostsOf>,
    /// That every scenario is measured at each width of the server; `None` where servers have all of their cpus.
    pub widths: Option<Widths>,
    /// Cargo profile by which its programs are built; `None` for `release`.
    pub cargo_profile: Option<String>,
    /// Rounds.
    pub rounds: u32,
    /// Seconds of warm-up of each trial.
    pub warmup_seconds: f64,
    /// Seconds of measured load of each trial.
    pub seconds: f64,
    /// Other lengths for some scenarios.
    #[serde(default)]
    pub lengths: BTreeMap<String, Length>,
}

/// What costs are measured of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CostsOf {
    /// Of the requests of the scenarios, which are counted.
    Requests,
    /// Of the builds as well; rounds are repetitions of those after a change.
    Builds,
    /// Of the requests, by each release of a crate.
    Releases,
}

/// How scenarios are measured at several widths ([`machine::widths`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Widths {
    /// Connections for each worker of the server, at least 1; instead of the scenario's.
    pub connections_per_worker: u32,
}

/// How long one scenario is driven.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Length {
    /// Seconds of warm-up.
    pub warmup_seconds: f64,
    /// Seconds of measured load.
    pub seconds: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Each is complete, or `like` another, from which it takes what it does not say.
    scenarios: BTreeMap<String, Table>,
    #[serde(default)]
    counts: BTreeMap<String, Counted>,
    profiles: BTreeMap<String, Profile>,
}

impl Profiles {
    /// The profiles that this program carries.
    ///
    /// # Panics
    /// Never in a program that passed its tests: the file is compiled in, and a test reads it.
    pub fn built_in() -> Self {
        Self::parse(FILE).expect("profiles.toml is checked by a test")
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let File {
            scenarios,
            counts,
            profiles,
        } = toml::from_str(text)?;
        let mut unrecorded = BTreeMap::new();
        let scenarios = scenarios.keys().map(|name| {
            let read = read_scenario(name, &scenarios);
            let (scenario, why) = read.with_context(|| format!("scenario {name}"))?;
            unrecorded.extend(why.map(|why| (name.clone(), why)));
            Ok((name.clone(), scenario))
        });
        let scenarios = scenarios.collect::<anyhow::Result<BTreeMap<_, _>>>()?;
        Ok(Self {
            scenarios,
            unrecorded,
            counts,
            profiles,
        })
    }

    /// Names of all profiles.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.profiles.keys().map(String::as_str)
    }

    /// Names of all scenarios.
    pub fn scenario_names(&self) -> impl Iterator<Item = &str> {
        self.scenarios.keys().map(String::as_str)
    }

    /// Why no committed record has this scenario.
    pub fn unrecorded(&self, scenario: &str) -> Option<&str> {
        self.unrecorded.get(scenario).map(String::as_str)
    }

    /// The profile of this name.
    pub fn profile(&self, name: &str) -> Option<&Profile> {
        self.profiles.get(name)
    }

    /// The cargo profile for the profile of this name: the `named` one, its own, or `release`.
    pub fn built_by<'a>(&'a self, name: &str, named: Option<&'a str>) -> &'a str {
        let own = self.profile(name).and_then(|profile| profile.cargo_profile.as_deref());
        named.or(own).unwrap_or(RELEASE)
    }

    /// The parts of the contract that the profile of this name needs.
    pub fn parts(&self, name: &str) -> anyhow::Result<Parts> {
        let profile = self
            .profile(name)
            .ok_or_else(|| unknown("profile", name, self.names()))?;
        let scenarios = profile.scenarios.iter().filter_map(|name| self.scenarios.get(name));
        Ok(Parts::by_scenarios(scenarios))
    }

    /// The scenario of this name, with its lengths in `profile`, and how it is counted if the profile does that.
    pub fn scenario(&self, name: &str, profile: &Profile) -> Option<Scenario> {
        let scenario = self.scenarios.get(name)?;
        let usual = Length {
            warmup_seconds: profile.warmup_seconds,
            seconds: profile.seconds,
        };
        // A variation has the length of the scenario that it is like, unless it has its own.
        let like = scenario.varies.as_ref().map(|varies| varies.like.as_str());
        let mut own = [Some(name), like].into_iter().flatten();
        let length = own.find_map(|name| profile.lengths.get(name)).copied().unwrap_or(usual);
        let is_counted = profile.counted.iter().any(|counted| counted == name);
        Some(Scenario {
            warmup_seconds: length.warmup_seconds,
            seconds: length.seconds,
            counted: is_counted.then(|| self.counts.get(name).copied().unwrap_or_default()),
            ..scenario.clone()
        })
    }
}

/// Reads a scenario, and why no record has it; its lengths belong to a profile and are 0.
fn read_scenario(name: &str, all: &BTreeMap<String, Table>) -> anyhow::Result<(Scenario, Option<String>)> {
    let mut table = all[name].clone();
    let (like, by) = (table.remove("like"), table.remove("varies"));
    ensure!(like.is_some() == by.is_some(), "`like` and `varies` belong together");
    if let Some((like, by)) = like.zip(by) {
        let like: String = like.try_into()?;
        let mut other = all
            .get(&like)
            .with_context(|| format!("no scenario {like} to be like"))?
            .clone();
        ensure!(!other.contains_key("like"), "{like} is a variation itself");
        // How it is driven is one thing: a load of its own has no slices.
        if table.contains_key("slice_seconds") || table.contains_key("own_load") {
            other.retain(|key, _| key != "slice_seconds" && key != "own_load");
        }
        other.extend(table);
        table = other;
        let varies = [("like".to_owned(), like.into()), ("by".to_owned(), by)];
        table.insert("varies".into(), Table::from_iter(varies).into());
    }
    let unrecorded = table.remove("unrecorded").map(toml::Value::try_into).transpose()?;
    table.insert("id".into(), name.into());
    table.extend(["warmup_seconds", "seconds"].map(|length| (length.into(), 0.0.into())));
    Ok((table.try_into()?, unrecorded))
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;
    use model::Part;

    use super::*;
    use stats::MIN_FOR_INTERVAL;

    #[test]
    fn every_scenario_of_ours_says_what_it_stands_for_in_words_that_the_site_takes() {
        /// As many letters as `scripts/dashboard` reads of a text.
        const LONGEST: usize = 400;
        for scenario in Profiles::built_in().scenarios.values() {
            let text = scenario.stands_for.as_deref();
            assert_eq!(text.is_none(), scenario.id.starts_with("classic-"), "{}", scenario.id);
            assert!(
                text.is_none_or(|text| text.chars().count() <= LONGEST),
                "{}",
                scenario.id
            );
        }
    }

    #[test]
    fn quick_is_what_it_promises() {
        let profiles = Profiles::built_in();
        let quick = profiles.profile("quick").unwrap();
        assert_eq!(quick.scenarios, ["plaintext", "hello", "simple", "timed", "bcrypt"]);
        assert!(quick.rounds as usize >= MIN_FOR_INTERVAL);
        let seconds = |name| profiles.scenario(name, quick).unwrap().seconds;
        assert!(seconds("bcrypt") < seconds("hello"), "a length of its own");
    }

    #[test]
    fn every_path_of_the_contract_is_counted() {
        let profiles = Profiles::built_in();
        for name in ["weekly", "compare"] {
            let profile = profiles.profile(name).unwrap();
            let scenario = |name: &String| profiles.scenario(name, profile).unwrap();
            let counted: Vec<Scenario> = profile.counted.iter().map(scenario).collect();
            assert!(counted.iter().all(|scenario| scenario.counted.is_some()));
            let paths: Vec<&str> = counted.iter().map(|scenario| scenario.path.as_str()).collect();
            // All but other benchmarks' scenarios, which request the same with other arguments, and the other parts of the contract.
            let all = profiles.scenarios.values().filter(|scenario| {
                !scenario.id.starts_with("classic") && !scenario.refused && scenario.part() == Part::Plain
            });
            for scenario in all {
                assert!(paths.contains(&scenario.path.as_str()), "{name}: {}", scenario.path);
            }
        }
        let weekly = profiles.profile("weekly").unwrap();
        // A count has its place in a trial.
        assert!(weekly.counted.iter().all(|name| weekly.scenarios.contains(name)));
        let counted = |name| profiles.scenario(name, weekly).unwrap().counted;
        let requests = ["plaintext", "bcrypt", "capacity"].map(|name| Some(counted(name)?.requests));
        assert_eq!(requests, [Some(100), Some(1), None]);
    }

    /// What the types leave open.
    fn checked(text: &str) -> anyhow::Result<()> {
        let all = Profiles::parse(text)?;
        for (name, scenario) in &all.scenarios {
            ensure!(scenario.path.starts_with('/'), "{name}: its path begins with /");
            ensure!(
                scenario.slice_seconds.is_some() != scenario.own_load.is_some(),
                "{name}: either slice_seconds, or own_load with the reason"
            );
            ensure!(
                scenario.streams == 1 || scenario.protocol.is_http2(),
                "{name}: only HTTP/2 has streams"
            );
        }
        for name in all.counts.keys() {
            ensure!(all.scenarios.contains_key(name), "counts: no scenario {name}");
        }
        for (name, profile) in &all.profiles {
            let named = profile.scenarios.iter().chain(&profile.counted);
            for scenario in named.chain(profile.lengths.keys()) {
                let scenario = all
                    .scenario(scenario, profile)
                    .with_context(|| format!("profile {name}: no scenario {scenario}"))?;
                let checked = scenario.check();
                checked.map_err(|reason| anyhow!("profile {name}: scenario {}: {reason}", scenario.id))?;
            }
        }
        Ok(())
    }

    #[test]
    fn the_file_has_no_mistake_and_mistakes_are_named() {
        checked(FILE).unwrap();
        for (from, to, expected) in [
            (
                "\"timed\", \"bcrypt\"]\nrounds",
                "\"tmied\"]\nrounds",
                "no scenario tmied",
            ),
            ("seconds = 1.6", "seconds = 0.0", "its `seconds` describes no load"),
            ("seconds = 1.6", "seconds = inf", "its `seconds` describes no load"),
            (
                "warmup_seconds = ",
                "warmup_seconds = -",
                "its `warmup_seconds` describes no load",
            ),
            (
                "connections = 4",
                "connections = 4000000000",
                "its `connections` describes no load",
            ),
            ("connections = 4", "conections = 4", "conections"),
            (
                "title = \"Fibonacci of 30 by recursion\"\n",
                "",
                "scenario cpu: missing field `title`",
            ),
            ("like = \"plaintext\"", "like = \"plantext\"", "no scenario plantext"),
            ("streams = 8\n", "streams = 0\n", "its `streams` describes no load"),
            ("requests = 40", "requests = 0", "its `counted` describes no load"),
            ("\nram = {", "\nrom = {", "counts: no scenario rom"),
            (
                "counted = [\"plaintext\"",
                "counted = [\"plantext\"",
                "no scenario plantext",
            ),
        ] {
            let text = FILE.replacen(from, to, 1);
            assert_ne!(text, FILE, "{from}");
            let error = format!("{:#}", checked(&text).unwrap_err());
            assert!(error.contains(expected), "{error}");
        }
    }
}
