//! Accepts what `bench compare` could have written about one commit by the rules of this checkout, and refuses everything else.
//!
//! A pull request may contain an app that this checkout does not know: that is how a framework is added, and the effect of the same
//! change on other apps must still be reported. Such an app is accepted only with the status "new", and under a neutral name.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::field::{Checked, at_most, ensure, line, name, reason, version};
use super::probing::probing;
use super::sharding::{Level, sharding};
use super::{ArtifactError, CommitId, refused};
use jiff::Timestamp;
use judge::compare::decide;
use judge::compare::decide::MOST_PAIRS;
use judge::compare::figures;
use judge::compare::figures::Figures;
use judge::compare::gates::Gates;
use judge::compare::outcome::{App, Comparison, Decision, SCHEMA_VERSION, Series, Status};
use record::DEFAULT_VARIANT;
use record::escape;
use record::escape::SENTENCE;
use record::probe::ProbeCase;
use record::{DatabaseServer, Environment};

/// The name in a comment for an app or variant that this checkout does not have.
pub const UNKNOWN_APP: &str = "an app or variant that is new to main";

/// Most apps and variants in each list.
pub const MOST_APPS: usize = 200;
/// Most series: more than an artifact of 4 MiB could fill with pairs.
pub const MOST_SERIES: usize = 1000;
/// Most dependencies of one app; the largest of today has 300.
const MOST_DEPENDENCIES: usize = 2000;
/// Most versions of one dependency.
const MOST_VERSIONS: usize = 20;
/// Most warnings.
const MOST_WARNINGS: usize = 20;
/// Most labels of a runner.
const MOST_LABELS: usize = 20;
/// Most cpus of a machine.
const MOST_CPUS: usize = 4096;
/// Most settings of a database that are not the defaults; PostgreSQL has 360 in all.
const MOST_SETTINGS: usize = 400;
/// Largest value of a metric: a thousand times what any server reaches.
const LARGEST_VALUE: f64 = 1e12;
/// Longest comparison, in seconds: a job of GitHub ends after six hours.
const LONGEST_TIME: i64 = 24 * 3600;

/// Fails if a time is before another, or more than a day after it.
pub fn follows(began: Timestamp, ended: Timestamp) -> Checked {
    let seconds = ended.as_second() - began.as_second();
    ensure((0..=LONGEST_TIME).contains(&seconds), || {
        "it ends before it begins, or after more than a day".into()
    })
}

/// What this checkout knows.
#[derive(Debug)]
pub struct Known {
    /// Apps, with their variants.
    pub apps: BTreeMap<String, Vec<String>>,
    /// Those of them that are probed: they answer plainly.
    pub probed: BTreeSet<String>,
    /// Scenarios.
    pub scenarios: BTreeSet<String>,
    /// The quick cases of `bench probe`.
    pub cases: Vec<ProbeCase>,
    /// The rules of a decision.
    pub gates: Gates,
}

impl Known {
    fn has(&self, app: &str, variant: &str) -> bool {
        self.apps
            .get(app)
            .is_some_and(|variants| variants.iter().any(|known| known == variant))
    }
}

/// A comparison of which only the format was checked.
#[derive(Debug)]
pub struct Unchecked(Comparison);

/// The part of the document that names its version.
#[derive(Deserialize)]
struct Version {
    schema_version: u64,
}

impl Unchecked {
    /// Reads the document, which must have no unknown field and no number that is not finite.
    pub fn parse(bytes: &[u8]) -> Result<Self, ArtifactError> {
        let invalid = |error: serde_json::Error| {
            // The error may quote the document.
            refused(format!(
                "it is not a comparison: {}",
                escape::clean(&error.to_string(), SENTENCE)
            ))
        };
        let version: Version = serde_json::from_slice(bytes).map_err(invalid)?;
        if version.schema_version != u64::from(SCHEMA_VERSION) {
            return Err(refused(format!(
                "it has schema version {}, and this checkout writes {SCHEMA_VERSION}; update the branch of the pull request",
                version.schema_version
            )));
        }
        serde_json::from_slice(bytes).map(Self).map_err(invalid)
    }

    /// The comparison, if it can be one of `head` by the rules of this checkout. The sides, and apps that this checkout does not know,
    /// get neutral names.
    pub fn check(self, head: &CommitId, known: &Known) -> Result<Comparison, ArtifactError> {
        let mut comparison = self.0;
        document(&comparison, head, known).map_err(refused)?;
        if comparison
            .sharding
            .as_ref()
            .is_some_and(|sharding| sharding.number.is_some())
        {
            return Err(refused("it is one shard of a comparison, and not all of it"));
        }
        comparison.base.revision = "its base".into();
        comparison.head.revision = "This pull request".into();
        let is_known = |app: &App| known.has(&app.id, &app.variant);
        let (mut apps, unknown): (Vec<App>, Vec<App>) = comparison.apps.into_iter().partition(is_known);
        if !unknown.is_empty() {
            let is_lost = unknown.iter().any(|app| app.status == Status::NotMeasured);
            apps.push(App {
                id: UNKNOWN_APP.into(),
                variant: DEFAULT_VARIANT.into(),
                status: if is_lost { Status::NotMeasured } else { Status::New },
                reason: None,
                causes: Vec::new(),
                dependencies: Vec::new(),
            });
        }
        comparison.apps = apps;
        Ok(comparison)
    }

    /// The comparison, if it can be a shard by the rules of this checkout, whichever commits and apps it is about. Those are checked
    /// when all shards are read merged.
    pub fn check_shard(self, cases: Vec<ProbeCase>, scenarios: BTreeSet<String>) -> Result<Comparison, ArtifactError> {
        let comparison = self.0;
        let mut apps: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for app in &comparison.apps {
            apps.entry(app.id.clone()).or_default().push(app.variant.clone());
        }
        for id in &comparison.untouched {
            apps.entry(id.clone()).or_default();
        }
        let known = Known {
            probed: comparison.probes.iter().flat_map(|_| apps.keys().cloned()).collect(),
            apps,
            scenarios,
            cases,
            gates: Gates::built_in(),
        };
        let head = comparison.head.commit.parse();
        let head: CommitId = head.map_err(|_| refused("`head.commit` is not a commit"))?;
        document(&comparison, &head, &known).map_err(refused)?;
        Ok(comparison)
    }
}

fn document(comparison: &Comparison, head: &CommitId, known: &Known) -> Checked {
    ensure(comparison.head.commit == head.as_str(), || {
        "it is about another commit than the event names".into()
    })?;
    ensure(!comparison.head.dirty && !comparison.base.dirty, || {
        "it is about a working tree with changes, not a commit".into()
    })?;
    ensure(comparison.base.commit.parse::<CommitId>().is_ok(), || {
        "`base.commit` is not a commit".into()
    })?;
    ensure(comparison.gates == known.gates, || {
        "it was judged by other rules than those of this checkout (gates.toml); update the branch of the pull request"
            .into()
    })?;
    line("base.revision", &comparison.base.revision)?;
    line("head.revision", &comparison.head.revision)?;
    line("harness", &comparison.harness)?;
    follows(comparison.started_at, comparison.finished_at)?;
    at_most("warnings", comparison.warnings.len(), MOST_WARNINGS)?;
    for warning in &comparison.warnings {
        reason("warnings", warning)?;
    }
    apps(comparison, known)?;
    sharding(comparison)?;
    all_series(comparison, known)?;
    probing(comparison, known)?;
    if let Some(machine) = &comparison.environment {
        environment(machine)?;
    }
    ensure(comparison.environment.is_some() || comparison.series.is_empty(), || {
        "it has series and no `environment`".into()
    })?;
    ensure(comparison.decision == comparison.decide(), || {
        "its `decision` does not follow from its apps, series and probes".into()
    })
}

fn apps(comparison: &Comparison, known: &Known) -> Checked {
    at_most("apps", comparison.apps.len(), MOST_APPS)?;
    at_most("untouched", comparison.untouched.len(), MOST_APPS)?;
    let mut seen = BTreeSet::new();
    for (index, app) in comparison.apps.iter().enumerate() {
        let place = format!("apps[{index}]");
        name(&format!("{place}.id"), &app.id)?;
        name(&format!("{place}.variant"), &app.variant)?;
        ensure(seen.insert((&app.id, &app.variant)), || {
            format!("`{place}` is there twice")
        })?;
        let may_be_unknown = matches!(app.status, Status::New | Status::NotMeasured);
        ensure(may_be_unknown || known.has(&app.id, &app.variant), || {
            format!(
                "`{place}` is an app or variant that this checkout does not have, and is not new; update the branch of the \
                 pull request"
            )
        })?;
        said_of(&place, app)?;
    }
    let mut seen = BTreeSet::new();
    for (index, id) in comparison.untouched.iter().enumerate() {
        ensure(known.apps.contains_key(id), || {
            format!(
                "`untouched[{index}]` is an app that this checkout does not have; update the branch of the pull request"
            )
        })?;
        let touched = comparison.apps.iter().any(|app| app.id == *id);
        ensure(seen.insert(id) && !touched, || {
            format!("`untouched[{index}]` is there twice")
        })?;
    }
    Ok(())
}

fn said_of(place: &str, app: &App) -> Checked {
    if let Some(text) = &app.reason {
        reason(&format!("{place}.reason"), text)?;
    }
    let causes: BTreeSet<_> = app.causes.iter().collect();
    ensure(causes.len() == app.causes.len(), || {
        format!("`{place}.causes` repeats itself")
    })?;
    at_most(
        &format!("{place}.dependencies"),
        app.dependencies.len(),
        MOST_DEPENDENCIES,
    )?;
    for dependency in &app.dependencies {
        let place = format!("{place}.dependencies");
        name(&place, &dependency.name)?;
        at_most(
            &place,
            dependency.before.len().max(dependency.after.len()),
            MOST_VERSIONS,
        )?;
        for found in dependency.before.iter().chain(&dependency.after) {
            version(&place, found)?;
        }
    }
    Ok(())
}

fn all_series(comparison: &Comparison, known: &Known) -> Checked {
    at_most("series", comparison.series.len(), MOST_SERIES)?;
    let is_measured = |app: &App| app.status == Status::Measured;
    let mut seen = BTreeSet::new();
    for (index, series) in comparison.series.iter().enumerate() {
        let place = format!("series[{index}]");
        let of = |app: &&App| app.id == series.app && app.variant == series.variant;
        ensure(comparison.apps.iter().find(of).is_some_and(is_measured), || {
            format!("`{place}` is about an app that was not measured")
        })?;
        ensure(known.scenarios.contains(&series.scenario), || {
            format!(
                "`{place}.scenario` is a scenario that this checkout does not have; update the branch of the pull request"
            )
        })?;
        let key = (&series.app, &series.variant, &series.scenario, series.gauge);
        ensure(seen.insert(key), || format!("`{place}` is there twice"))?;
        one_series(&place, series, &Level::of(comparison, series, &known.gates))?;
    }
    let has_series = |app: &&App| {
        comparison
            .series
            .iter()
            .any(|series| series.app == app.id && series.variant == app.variant)
    };
    ensure(
        comparison
            .apps
            .iter()
            .filter(|app| is_measured(app))
            .all(|app| has_series(&app)),
        || "an app was measured but has no series".into(),
    )
}

/// Recomputes everything that follows from its pairs.
fn one_series(place: &str, series: &Series, level: &Level) -> Checked {
    at_most(&format!("{place}.pairs"), series.pairs.len(), MOST_PAIRS as usize)?;
    let is_value = |value: f64| value > 0.0 && value <= LARGEST_VALUE;
    ensure(
        series
            .pairs
            .iter()
            .all(|pair| is_value(pair.base) && is_value(pair.head)),
        || format!("`{place}.pairs` holds an impossible value"),
    )?;
    if let Some(text) = &series.reason {
        reason(&format!("{place}.reason"), text)?;
    }
    let found = figures::test(&series.pairs);
    ensure(
        Figures::from_pairs(&series.pairs, found.as_ref()).agree(&Figures::from_series(series)),
        || format!("the figures of `{place}` do not follow from its pairs"),
    )?;
    let possible = decide::is_possible(
        series.decision,
        series.gauge,
        series.judged,
        found.as_ref(),
        level.series,
        &level.gates,
    );
    // If another metric could be left unjudged, it could hide a regression.
    let may_be_left = series.judged || series.gauge == judge::compare::gates::Gauge::GoodputRps;
    ensure(
        possible && may_be_left && series.decision != Decision::NothingToMeasure,
        || format!("the decision of `{place}` does not follow from its pairs"),
    )
}

pub fn environment(machine: &Environment) -> Checked {
    let lines = [
        ("cpu_model", Some(&machine.cpu_model)),
        ("kernel", Some(&machine.kernel)),
        ("os", Some(&machine.os)),
        ("governor", machine.governor.as_ref()),
        ("virtualisation", machine.virtualisation.as_ref()),
        ("runner_image", machine.runner_image.as_ref()),
        ("rustc", Some(&machine.rustc)),
        ("oha", Some(&machine.oha)),
        ("valgrind", machine.valgrind.as_ref()),
    ];
    for (field, text) in lines {
        line(&format!("environment.{field}"), text.map_or("", String::as_str))?;
    }
    at_most("environment.runner", machine.runner.len(), MOST_LABELS)?;
    for label in &machine.runner {
        line("environment.runner", label)?;
    }
    at_most("environment.warnings", machine.warnings.len(), MOST_WARNINGS)?;
    for warning in &machine.warnings {
        reason("environment.warnings", warning)?;
    }
    at_most("environment.server_cpus", machine.server_cpus.len(), MOST_CPUS)?;
    at_most("environment.generator_cpus", machine.generator_cpus.len(), MOST_CPUS)?;
    at_most("environment.load_machines", machine.load_machines.len(), 0)?;
    machine.database.as_ref().map_or(Ok(()), database)?;
    let cpus = usize::try_from(machine.logical_cpus).unwrap_or(usize::MAX);
    let sensible = (1..=MOST_CPUS).contains(&cpus)
        && (0.0..=1.0).contains(&machine.steal_share)
        && (0.0..=1e6).contains(&machine.load_average);
    ensure(sensible, || "`environment` holds an impossible number".into())
}

fn database(database: &DatabaseServer) -> Checked {
    line("environment.database.version", &database.version)?;
    line(
        "environment.database.file_system",
        database.file_system.as_deref().unwrap_or_default(),
    )?;
    at_most("environment.database.cpus", database.cpus.len(), MOST_CPUS)?;
    at_most("environment.database.settings", database.settings.len(), MOST_SETTINGS)?;
    for (name, value) in &database.settings {
        line("environment.database.settings", name)?;
        line("environment.database.settings", value)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_that_ended_at_its_last_look_is_not_too_long() {
        let last = decide::looks(MOST_SERIES, &Gates::built_in())[decide::LOOKS - 1];
        assert!(last <= MOST_PAIRS, "{last}");
    }
}
