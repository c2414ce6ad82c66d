//! Accepts what `bench compare` could have measured of one commit by the rules of this checkout, refuses everything else, and computes
//! what follows from it.
//!
//! A pull request may contain an app that this checkout does not know: that is how a framework is added, and the effect of the same
//! change on other apps must still be reported. Such an app is accepted only with the status "new", and under a neutral name.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;

use super::{ArtifactError, CommitId, refused};
use analyze::compare::decide::MOST_PAIRS;
use analyze::compare::gates::Gates;
use analyze::compare::outcome::{App, Comparison, SCHEMA_VERSION, Status};
use analyze::compare::sharding::MOST_SHARDS;
use model::escape::SENTENCE;
use model::probe::ProbeCase;
use model::{DEFAULT_VARIANT, Metric, escape};

/// The name in a comment for an app or variant that this checkout does not have.
pub const UNKNOWN_APP: &str = "an app or variant that is new to main";

/// Most entries of a list: more than the dependencies of any app, or the cpus of a machine.
const MOST_ENTRIES: usize = 5_000;
/// Most series: more than an artifact of 4 MiB could fill with pairs.
const MOST_SERIES: usize = 1000;
/// Longest text, in bytes: what a compiler or a dying server said.
const LONGEST_TEXT: usize = 64 << 10;
/// Largest number besides the values of pairs: the memory of a machine in bytes.
const LARGEST_NUMBER: f64 = 1e15;

type Checked = Result<(), String>;

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

/// The part of the document that names its version.
#[derive(Deserialize)]
struct Version {
    schema_version: u64,
}

/// The comparison in `text`, if it can be one of `head` by the rules of this checkout. Decisions and figures are computed from its pairs,
/// whatever it says of them. The sides, and apps that this checkout does not know, get neutral names.
pub fn check(text: &[u8], head: &CommitId, known: &Known) -> Result<Comparison, ArtifactError> {
    let invalid = |error: serde_json::Error| {
        // The error may quote the document.
        refused(format!(
            "it is not a comparison: {}",
            escape::clean(&error.to_string(), SENTENCE)
        ))
    };
    let version: Version = serde_json::from_slice(text).map_err(invalid)?;
    if version.schema_version != u64::from(SCHEMA_VERSION) {
        return Err(refused(format!(
            "it has schema version {}, and this checkout writes {SCHEMA_VERSION}; update the branch of the pull request",
            version.schema_version
        )));
    }
    let mut comparison: Comparison = serde_json::from_slice(text).map_err(invalid)?;
    bounded("", &serde_json::to_value(&comparison).map_err(invalid)?).map_err(refused)?;
    sides(&comparison, head, known)
        .and_then(|()| measured(&comparison, known))
        .and_then(|()| probed(&comparison, known))
        .map_err(refused)?;
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
    Ok(comparison.decided())
}

/// Fails if a text, a list or a number is larger than `bench compare` writes, or if a text has control characters: line ends and colours
/// of a program's output are allowed, and removed where they are shown. The error names the place, and never quotes the document.
fn bounded(place: &str, value: &Value) -> Checked {
    let refuse = |what: &str| Err(format!("`{place}` {what}"));
    let is_text = |c: char| !c.is_control() || matches!(c, '\n' | '\r' | '\t' | '\u{1b}');
    match value {
        Value::String(text) if text.len() > LONGEST_TEXT || !text.chars().all(is_text) => {
            refuse("is too long, or not text")
        }
        Value::Number(number) if number.as_f64().is_none_or(|number| number.abs() > LARGEST_NUMBER) => {
            refuse("is an impossible number")
        }
        Value::Array(entries) if entries.len() > MOST_ENTRIES => {
            refuse(&format!("has more than {MOST_ENTRIES} entries"))
        }
        Value::Array(entries) => entries.iter().try_for_each(|entry| bounded(place, entry)),
        // The keys of a map are the document's: it is their place that is named.
        Value::Object(fields) => fields.iter().try_for_each(|(name, field)| {
            bounded(place, &Value::from(name.as_str()))?;
            let is_field = place.is_empty() && !name.is_empty();
            bounded(if is_field { name } else { place }, field)
        }),
        _ => Ok(()),
    }
}

fn ensure(holds: bool, what: &str) -> Checked {
    if holds { Ok(()) } else { Err(what.to_owned()) }
}

fn sides(comparison: &Comparison, head: &CommitId, known: &Known) -> Checked {
    let Comparison { base, head: own, .. } = comparison;
    ensure(
        own.commit == head.as_str(),
        "it is about another commit than the event names",
    )?;
    ensure(
        !own.dirty && !base.dirty,
        "it is about a working tree with changes, not a commit",
    )?;
    ensure(base.commit.parse::<CommitId>().is_ok(), "`base.commit` is not a commit")?;
    ensure(
        comparison.gates == known.gates,
        "it was judged by other rules than those of this checkout (gates.toml); update the branch of the pull request",
    )?;
    let sharding = comparison.sharding.as_ref();
    ensure(
        sharding.is_none_or(|sharding| sharding.number.is_none()),
        "it is one shard of a comparison, and not all of it",
    )?;
    let possible = sharding.is_none_or(|sharding| {
        let measured = sharding.measured.iter().map(|measured| measured.number);
        sharding.shards.len() <= MOST_SHARDS as usize && { measured }.all(|number| sharding.shard(number).is_some())
    });
    ensure(possible, "`sharding` contradicts itself")
}

fn measured(comparison: &Comparison, known: &Known) -> Checked {
    let update = "that this checkout does not have; update the branch of the pull request";
    for (index, app) in comparison.apps.iter().enumerate() {
        let may_be_unknown = matches!(app.status, Status::New | Status::NotMeasured);
        ensure(
            may_be_unknown || known.has(&app.id, &app.variant),
            &format!("`apps[{index}]` is not new, and an app or variant {update}"),
        )?;
    }
    for (index, id) in comparison.untouched.iter().enumerate() {
        ensure(
            known.apps.contains_key(id),
            &format!("`untouched[{index}]` is an app {update}"),
        )?;
    }
    comparison.possible()?;
    ensure(
        comparison.series.len() <= MOST_SERIES,
        &format!("`series` has more than {MOST_SERIES} entries"),
    )?;
    let is_measured = |app: &&App| app.status == Status::Measured;
    let mut seen = BTreeSet::new();
    for (index, series) in comparison.series.iter().enumerate() {
        let place = format!("`series[{index}]`");
        let is_its = |app: &App| (&app.id, &app.variant) == (&series.app, &series.variant);
        ensure(
            comparison.apps.iter().filter(is_measured).any(is_its),
            &format!("{place} is about an app that was not measured"),
        )?;
        ensure(
            known.scenarios.contains(&series.scenario),
            &format!("{place} is of a scenario {update}"),
        )?;
        let key = (&series.app, &series.variant, &series.scenario, series.metric);
        ensure(seen.insert(key), &format!("{place} is there twice"))?;
        ensure(
            series.pairs.len() <= MOST_PAIRS as usize,
            &format!("{place} has more than {MOST_PAIRS} pairs"),
        )?;
        // If another metric could be left unjudged, it could hide a regression.
        ensure(
            series.judged || series.metric == Metric::GoodputRps,
            &format!("{place} is not judged"),
        )?;
    }
    let has_series = |app: &App| {
        seen.iter()
            .any(|(id, variant, ..)| (*id, *variant) == (&app.id, &app.variant))
    };
    ensure(
        comparison.apps.iter().filter(is_measured).all(has_series),
        "an app was measured but has no series",
    )?;
    ensure(
        comparison.environment.is_some() || comparison.series.is_empty(),
        "it has series and no `environment`",
    )
}

/// Refuses what is not of the quick cases of this checkout, and probes that leave out an app.
fn probed(comparison: &Comparison, known: &Known) -> Checked {
    let probes = comparison.probes.as_ref();
    let is_probed = |app: &App| {
        let mut pairs = probes.iter().flat_map(|probes| &probes.apps);
        pairs.any(|pair| (&pair.app, &pair.variant) == (&app.id, &app.variant))
    };
    let to_probe = |app: &&App| app.status == Status::Measured && known.probed.contains(&app.id);
    ensure(
        comparison.apps.iter().filter(to_probe).all(is_probed),
        "an app was measured but not probed",
    )?;
    let Some(probes) = probes else { return Ok(()) };
    let all = probes.cases.iter().all(|case| known.cases.contains(case));
    ensure(
        all && usize::try_from(probes.made) == Ok(known.cases.len()),
        "it probed other cases than those of this checkout; update the branch of the pull request",
    )?;
    ensure(
        probes.apps.iter().all(|pair| known.has(&pair.app, &pair.variant)),
        "`probes` holds an app that this checkout does not have",
    )?;
    let mut results = probes.apps.iter().flat_map(|pair| &pair.results);
    ensure(
        results.all(|sides| probes.cases.iter().any(|case| case.id == sides.case)),
        "`probes` holds a result of no case",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use analyze::compare::decide;

    #[test]
    fn a_comparison_that_ended_at_its_last_look_is_not_too_long() {
        let last = decide::looks(MOST_SERIES, &Gates::built_in())[decide::LOOKS - 1];
        assert!(last <= MOST_PAIRS, "{last}");
    }
}
