//! Profiles and scenarios, read from `profiles.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::scenario::{LoadModel, Method, Protocol, Scenario};

/// The file, as it was when this program was built.
const FILE: &str = include_str!("../profiles.toml");

/// Everything that can be asked of a server.
#[derive(Debug, Clone)]
pub struct Profiles {
    scenarios: BTreeMap<String, Request>,
    profiles: BTreeMap<String, Profile>,
}

/// A named set of scenarios with durations and rounds.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// What it is for, for people.
    pub title: String,
    /// Apps that it measures; `None` for all.
    #[serde(default)]
    pub apps: Option<Vec<String>>,
    /// Names of its scenarios, in the order in which they are shown.
    pub scenarios: Vec<String>,
    /// Rounds.
    pub rounds: u32,
    /// Seconds of warm-up of each trial.
    pub warmup_seconds: f64,
    /// Seconds of measured load of each trial.
    pub seconds: f64,
    /// Scenarios that take other times.
    #[serde(default)]
    pub lengths: BTreeMap<String, Length>,
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

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    title: String,
    method: Method,
    path: String,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    protocol: Protocol,
    connections: u32,
    #[serde(default)]
    load: LoadModel,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    scenarios: BTreeMap<String, Request>,
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
        let File { scenarios, profiles } = toml::from_str(text)?;
        for (name, profile) in &profiles {
            anyhow::ensure!(profile.rounds > 0, "profile {name}: rounds is 0");
            for scenario in profile.scenarios.iter().chain(profile.lengths.keys()) {
                anyhow::ensure!(
                    scenarios.contains_key(scenario),
                    "profile {name}: no scenario {scenario}"
                );
            }
            let lengths = profile.lengths.values().map(|length| length.seconds);
            anyhow::ensure!(
                lengths.chain([profile.seconds]).all(|seconds| seconds > 0.0),
                "profile {name}: seconds must be above 0"
            );
        }
        Ok(Self { scenarios, profiles })
    }

    /// Names of all profiles.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.profiles.keys().map(String::as_str)
    }

    /// Names of all scenarios.
    pub fn scenario_names(&self) -> impl Iterator<Item = &str> {
        self.scenarios.keys().map(String::as_str)
    }

    /// The profile of this name.
    pub fn profile(&self, name: &str) -> Option<&Profile> {
        self.profiles.get(name)
    }

    /// The scenario of this name, with the lengths that `profile` gives it.
    pub fn scenario(&self, name: &str, profile: &Profile) -> Option<Scenario> {
        let request = self.scenarios.get(name)?.clone();
        let usual = Length {
            warmup_seconds: profile.warmup_seconds,
            seconds: profile.seconds,
        };
        let length = profile.lengths.get(name).copied().unwrap_or(usual);
        Some(Scenario {
            id: name.to_owned(),
            title: request.title,
            method: request.method,
            path: request.path,
            body: request.body,
            protocol: request.protocol,
            connections: request.connections,
            load: request.load,
            warmup_seconds: length.warmup_seconds,
            seconds: length.seconds,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::MIN_FOR_INTERVAL;

    #[test]
    fn quick_is_what_it_promises() {
        let profiles = Profiles::built_in();
        let quick = profiles.profile("quick").unwrap();
        assert_eq!(quick.scenarios, ["plaintext", "hello", "simple", "timed", "bcrypt"]);
        assert!(quick.rounds as usize >= MIN_FOR_INTERVAL);
        let seconds = |name| profiles.scenario(name, quick).unwrap().seconds;
        assert!(seconds("bcrypt") > seconds("hello"), "a length of its own");
    }

    #[test]
    fn every_request_asks_for_a_path() {
        let profiles = Profiles::built_in();
        for name in profiles.scenario_names() {
            assert!(profiles.scenarios[name].path.starts_with('/'), "{name}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (change, told) in [
            (("rounds = 5", "rounds = 0"), "rounds is 0"),
            (
                ("\"timed\", \"bcrypt\"]\nrounds", "\"tmied\"]\nrounds"),
                "no scenario tmied",
            ),
            (("seconds = 1.6", "seconds = 0.0"), "above 0"),
            (("connections = 4", "conections = 4"), "conections"),
        ] {
            let text = FILE.replacen(change.0, change.1, 1);
            assert_ne!(text, FILE, "{change:?}");
            let error = Profiles::parse(&text).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }
}
