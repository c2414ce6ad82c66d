//! The plan of a run: what is tried, in which order. Made from arguments, catalog and profiles; nothing is started.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::catalog::{Catalog, DEFAULT_VARIANT};
use crate::profile::Profiles;
use crate::record::Role;
use crate::scenario::Scenario;

/// What the user asked for, as it stands on the command line.
#[derive(Debug, Clone, Default)]
pub struct Wishes {
    /// Name of the profile.
    pub profile: String,
    /// Apps; empty for those of the profile.
    pub apps: Vec<String>,
    /// Variants; empty for the default one.
    pub variants: Vec<String>,
    /// Scenarios; empty for those of the profile.
    pub scenarios: Vec<String>,
    /// Rounds, instead of the profile's.
    pub rounds: Option<u32>,
    /// Seconds of each load, instead of the profile's.
    pub seconds: Option<f64>,
    /// Connections, instead of the scenario's.
    pub connections: Option<u32>,
}

/// What a run will do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Name of the profile.
    pub profile: String,
    /// Seed of the order.
    pub seed: u64,
    /// Rounds; the fewest, where there is a time budget.
    pub rounds: u32,
    /// Apps and variants, sorted.
    pub subjects: Vec<SubjectId>,
    /// Scenarios, as the reports show them.
    pub scenarios: Vec<Scenario>,
}

/// An app in a variant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubjectId {
    /// Name of the app.
    pub app: String,
    /// Name of the variant.
    pub variant: String,
}

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A name that is not known.
    #[error("there is no {kind} `{name}`; {}`bench list` shows all", did_you_mean(near))]
    Unknown {
        /// What it should name.
        kind: &'static str,
        /// As it was given.
        name: String,
        /// Names that are close to it.
        near: Vec<String>,
    },
    /// A number that makes no sense.
    #[error("{0}")]
    Number(&'static str),
    /// No app is left.
    #[error("there is no app to measure; `bench list` shows all")]
    Nothing,
}

fn did_you_mean(near: &[String]) -> String {
    match near {
        [] => String::new(),
        names => format!("did you mean `{}`? ", names.join("` or `")),
    }
}

impl Plan {
    /// The plan for `wishes`.
    pub fn new(wishes: &Wishes, catalog: &Catalog, profiles: &Profiles, seed: u64) -> Result<Self, PlanError> {
        let profile = profiles
            .profile(&wishes.profile)
            .ok_or_else(|| unknown("profile", &wishes.profile, profiles.names()))?;
        if wishes.rounds == Some(0) {
            return Err(PlanError::Number("0 rounds measure nothing: --rounds takes 1 or more"));
        }
        if wishes.connections == Some(0) {
            return Err(PlanError::Number(
                "0 connections ask nothing: --connections takes 1 or more",
            ));
        }
        if wishes.seconds.is_some_and(|seconds| seconds.is_nan() || seconds < 0.01) {
            return Err(PlanError::Number("--duration takes 10ms or more"));
        }
        let names = if wishes.scenarios.is_empty() {
            &profile.scenarios
        } else {
            &wishes.scenarios
        };
        let mut scenarios: Vec<Scenario> = Vec::new();
        for name in names {
            let known = profiles.scenario(name, profile);
            let mut scenario = known.ok_or_else(|| unknown("scenario", name, profiles.scenario_names()))?;
            scenario.connections = wishes.connections.unwrap_or(scenario.connections);
            scenario.seconds = wishes.seconds.unwrap_or(scenario.seconds);
            if scenarios.iter().all(|known| known.id != scenario.id) {
                scenarios.push(scenario);
            }
        }
        let subjects = subjects(&wishes.apps, &wishes.variants, profile.apps.as_deref(), catalog)?;
        let rounds = wishes.rounds.unwrap_or(profile.rounds);
        Ok(Self {
            profile: wishes.profile.clone(),
            seed,
            rounds,
            subjects,
            scenarios,
        })
    }

    /// The trials of one round, each a subject and a scenario: every subject once per scenario.
    ///
    /// The scenarios come in a shuffled order, and within each the subjects do: a subject and the reference that it is
    /// divided by are then at most one scenario's trials apart, however fast the machine drifts.
    pub fn round(&self, round: u32) -> Vec<(&SubjectId, &Scenario)> {
        // Each round has a stream of its own, so that its order does not depend on how many rounds there are.
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(u64::from(round));
        let mut scenarios: Vec<&Scenario> = self.scenarios.iter().collect();
        scenarios.shuffle(&mut rng);
        let mut trials = Vec::new();
        for scenario in scenarios {
            let mut subjects: Vec<&SubjectId> = self.subjects.iter().collect();
            subjects.shuffle(&mut rng);
            trials.extend(subjects.into_iter().map(|subject| (subject, scenario)));
        }
        trials
    }

    /// Trials in each round.
    pub fn round_length(&self) -> usize {
        self.subjects.len() * self.scenarios.len()
    }
}

/// The subjects that `apps` and `variants` name. Reference and ceiling are always among them where there are any.
pub fn subjects(
    apps: &[String],
    variants: &[String],
    usual: Option<&[String]>,
    catalog: &Catalog,
) -> Result<Vec<SubjectId>, PlanError> {
    let ids = || catalog.apps.iter().map(|app| app.id.as_str());
    if let Some(name) = apps.iter().find(|name| catalog.app(name).is_none()) {
        return Err(unknown("app", name, ids()));
    }
    let chosen = |id: &str| match (apps, usual) {
        ([], Some(usual)) => usual.iter().any(|name| name == id),
        ([], None) => true,
        (named, _) => named.iter().any(|name| name == id),
    };
    let usual_variant = [DEFAULT_VARIANT.to_owned()];
    let wanted = if variants.is_empty() {
        usual_variant.as_slice()
    } else {
        variants
    };
    let mut found = Vec::new();
    let mut frameworks = 0;
    for app in &catalog.apps {
        let is_measure = app.role != Role::Framework && !apps.contains(&app.id);
        let wanted = if is_measure { usual_variant.as_slice() } else { wanted };
        if !is_measure && !chosen(&app.id) {
            continue;
        }
        for variant in app.variants.iter().filter(|variant| wanted.contains(&variant.name)) {
            found.push(SubjectId {
                app: app.id.clone(),
                variant: variant.name.clone(),
            });
            frameworks += u32::from(!is_measure);
        }
    }
    if let Some(name) = wanted
        .iter()
        .find(|name| found.iter().all(|subject| subject.variant != **name))
    {
        let known = catalog
            .apps
            .iter()
            .filter(|app| chosen(&app.id))
            .flat_map(|app| &app.variants);
        return Err(unknown("variant", name, known.map(|variant| variant.name.as_str())));
    }
    if frameworks == 0 {
        return Err(PlanError::Nothing);
    }
    Ok(found)
}

/// Similarity from which on a name may have been meant.
const NEAR: f64 = 0.7;

/// A name that is not known, with the near ones.
pub fn unknown<'a>(kind: &'static str, name: &str, known: impl Iterator<Item = &'a str>) -> PlanError {
    let mut near: Vec<(f64, &str)> = known
        .map(|known| (strsim::jaro_winkler(name, known), known))
        .filter(|(similarity, _)| *similarity >= NEAR)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    near.dedup_by_key(|(_, known)| *known);
    PlanError::Unknown {
        kind,
        name: name.chars().take(60).flat_map(char::escape_debug).collect(),
        near: near.into_iter().take(3).map(|(_, known)| known.to_owned()).collect(),
    }
}
