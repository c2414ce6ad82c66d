//! Accepts what `bench compare` could have measured of one commit by the rules of this checkout, refuses everything else, and computes
//! what follows from it.
//!
//! A pull request may contain an app that this checkout does not know: that is how a framework is added, and the effect of the same
//! change on other apps must still be reported. Such an app is accepted only with the status "new", and under a neutral name.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{anyhow, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{ArtifactError, CommitId};
use analyze::compare::decide::MOST_PAIRS;
use analyze::compare::explanation::MOST_FUNCTIONS;
use analyze::compare::gates::{COMPARED, Gates};
use analyze::compare::outcome::{App, Comparison, SCHEMA_VERSION, Status};
use model::escape::SENTENCE;
use model::probe::ProbeCase;
use model::{DEFAULT_VARIANT, Metric, escape};

/// The name in a comment for an app or variant that this checkout does not have.
pub const UNKNOWN_APP: &str = "an app or variant that is new to main";
/// What to do about what this checkout does not know.
const UPDATE: &str = "that this checkout does not have; update the branch of the pull request";

/// Most entries of a list: more than the dependencies of any app, the cpus of a machine, or the series of an artifact of 4 MiB.
const MOST_ENTRIES: usize = 1_000;
/// Longest text, in bytes: what a compiler or a dying server said.
const LONGEST_TEXT: usize = 64 << 10;
/// Largest number besides the values of pairs: the memory of a machine in bytes.
const LARGEST_NUMBER: f64 = 1e15;

/// Options that choose what is compared.
const OPTIONS: [&str; 7] = [
    "--head",
    "--app",
    "--variant",
    "--scenario",
    "--metric",
    "--pairs",
    "--seed",
];

/// What this checkout knows.
#[derive(Debug)]
pub struct Known {
    /// Apps, with their variants.
    pub apps: BTreeMap<String, Vec<String>>,
    /// The apps that are probed: they answer plainly.
    pub probed: BTreeSet<String>,
    /// Scenarios.
    pub scenarios: BTreeSet<String>,
    /// The quick cases of `bench probe`.
    pub cases: Vec<ProbeCase>,
}

impl Known {
    fn has(&self, app: &str, variant: &str) -> bool {
        let variants = self.apps.get(app);
        variants.is_some_and(|variants| variants.iter().any(|known| known == variant))
    }

    /// Whether a word of a command says nothing but names of this checkout, numbers, and `head`: readers may run it.
    fn understands(&self, word: &str, head: &CommitId) -> bool {
        let names = self.scenarios.iter().chain(self.apps.keys());
        let names = names.chain(self.apps.values().flatten()).map(String::as_str);
        let names = names.chain(COMPARED.map(|(name, ..)| name));
        let names: BTreeSet<&str> = names.chain(["HEAD", head.as_str()]).chain(OPTIONS).collect();
        word.split(',')
            .all(|part| names.contains(part) || part.parse::<u32>().is_ok())
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
    refusing(|| {
        let mut comparison = accepted(text, head, known)?;
        ensure!(comparison.head.patches.is_empty(), "it takes crates from elsewhere");
        comparison.head.sources.clear();
        comparison.base.revision = "its base".into();
        comparison.head.revision = "This pull request".into();
        Ok(comparison)
    })
}

/// The same of one app of this checkout, whose framework head takes from `upstream`, as in `axum=git+https://…#`, at some commit.
pub fn check_upstream(
    text: &[u8],
    checkout: &CommitId,
    (app, upstream): (&str, &str),
    known: &Known,
) -> Result<Comparison, ArtifactError> {
    refusing(|| {
        let mut comparison = accepted(text, checkout, known)?;
        let patches = &comparison.head.patches;
        let is_commit = |patch: &String| patch.strip_prefix(upstream)?.parse::<CommitId>().ok();
        let is_one = patches.len() <= 1 && patches.iter().all(|patch| is_commit(patch).is_some());
        ensure!(is_one, "it is not about a commit of {upstream}");
        let is_alone = comparison.apps.iter().all(|one| one.id == app);
        ensure!(is_alone, "it is not about `{app}` alone");
        let is_checkout = comparison.base.commit == checkout.as_str();
        ensure!(is_checkout, "its base is another commit");
        for side in [&mut comparison.base, &mut comparison.head] {
            side.revision = "the benchmark".into();
        }
        Ok(comparison)
    })
}

fn refusing(check: impl FnOnce() -> anyhow::Result<Comparison>) -> Result<Comparison, ArtifactError> {
    check().map_err(|reason| ArtifactError::Refused(reason.to_string()))
}

fn accepted(text: &[u8], head: &CommitId, known: &Known) -> anyhow::Result<Comparison> {
    let Version { schema_version } = parsed(text)?;
    ensure!(
        schema_version == u64::from(SCHEMA_VERSION),
        "it has schema version {schema_version}, and this checkout writes {SCHEMA_VERSION}; update the branch of the pull request"
    );
    let mut comparison: Comparison = parsed(text)?;
    bounded("", &serde_json::to_value(&comparison)?)?;
    sides(&comparison, head)?;
    measured(&comparison, known)?;
    probed(&comparison, known)?;
    comparison.base.sources.clear();
    if !(comparison.options.iter()).all(|word| known.understands(word, head)) {
        comparison.options.clear();
    }
    let unknown = comparison.apps.extract_if(.., |app| !known.has(&app.id, &app.variant));
    let unknown: Vec<Status> = unknown.map(|app| app.status).collect();
    let lost = unknown.iter().find(|status| **status == Status::NotMeasured);
    comparison.apps.extend(lost.or(unknown.first()).map(|status| App {
        id: UNKNOWN_APP.into(),
        variant: DEFAULT_VARIANT.into(),
        status: *status,
        ..App::default()
    }));
    Ok(comparison.decided())
}

fn parsed<T: DeserializeOwned>(text: &[u8]) -> anyhow::Result<T> {
    serde_json::from_slice(text).map_err(|error| {
        // It may quote the document.
        let error = escape::clean(&error.to_string(), SENTENCE);
        anyhow!("it is not a comparison: {error}")
    })
}

/// Fails if a text, a list or a number is larger than `bench compare` writes, or if a text has control characters: line ends and colours
/// of a program's output are allowed, and removed where they are shown. The error names the field, and never quotes the document.
fn bounded(field: &str, value: &Value) -> anyhow::Result<()> {
    match value {
        Value::String(text) => {
            let is_text = |c: char| !c.is_control() || matches!(c, '\n' | '\r' | '\t' | '\u{1b}');
            let is_possible = text.len() <= LONGEST_TEXT && text.chars().all(is_text);
            ensure!(is_possible, "`{field}` is too long, or not text");
        }
        Value::Number(number) => {
            let is_possible = number.as_f64().is_some_and(|number| number.abs() <= LARGEST_NUMBER);
            ensure!(is_possible, "`{field}` is an impossible number");
        }
        Value::Array(entries) => {
            let is_possible = entries.len() <= MOST_ENTRIES;
            ensure!(is_possible, "`{field}` has more than {MOST_ENTRIES} entries");
            entries.iter().try_for_each(|entry| bounded(field, entry))?;
        }
        Value::Object(entries) => {
            for (name, entry) in entries {
                // The keys of a map are the document's.
                bounded(field, &Value::from(name.as_str()))?;
                bounded(if field.is_empty() { name } else { field }, entry)?;
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
    Ok(())
}

fn sides(comparison: &Comparison, head: &CommitId) -> anyhow::Result<()> {
    let Comparison { base, head: own, .. } = comparison;
    let is_head = own.commit == head.as_str();
    ensure!(is_head, "it is about another commit than the event names");
    let is_clean = !own.dirty && !base.dirty;
    ensure!(is_clean, "it is about a working tree with changes, not a commit");
    ensure!(base.commit.parse::<CommitId>().is_ok(), "`base.commit` is not a commit");
    ensure!(base.patches.is_empty(), "its base takes crates from elsewhere");
    ensure!(
        comparison.gates == Gates::built_in(),
        "it was judged by other rules than this checkout's (gates.toml); update the branch of the pull request"
    );
    Ok(())
}

fn measured(comparison: &Comparison, known: &Known) -> anyhow::Result<()> {
    for (index, app) in comparison.apps.iter().enumerate() {
        let may_be_unknown = matches!(app.status, Status::New | Status::NotMeasured);
        let may_be = may_be_unknown || known.has(&app.id, &app.variant);
        ensure!(may_be, "`apps[{index}]` is not new, and an app or variant {UPDATE}");
    }
    for (index, id) in comparison.untouched.iter().enumerate() {
        ensure!(known.apps.contains_key(id), "`untouched[{index}]` is an app {UPDATE}");
    }
    comparison.possible().map_err(anyhow::Error::msg)?;
    let measured = comparison.apps.iter().filter(|app| app.status == Status::Measured);
    let mut without_series: BTreeSet<_> = measured.map(|app| (&app.id, &app.variant)).collect();
    let subjects = without_series.clone();
    let mut seen = BTreeSet::new();
    let series = (0..).map(|index| format!("`series[{index}]`")).zip(&comparison.series);
    let others = (0..).map(|index| format!("`others[{index}]`")).zip(&comparison.others);
    for (place, series) in series.chain(others) {
        let subject = (&series.app, &series.variant);
        let is_measured = subjects.contains(&subject);
        ensure!(is_measured, "{place} is about an app that was not measured");
        let is_known = known.scenarios.contains(&series.scenario);
        ensure!(is_known, "{place} names a scenario {UPDATE}");
        let is_first = seen.insert((subject, &series.scenario, series.metric));
        ensure!(is_first, "{place} is there twice");
        let is_possible = series.pairs.len() <= MOST_PAIRS as usize;
        ensure!(is_possible, "{place} has more than {MOST_PAIRS} pairs");
        if !comparison.gates.minimum_effect.contains_key(&series.metric) {
            continue; // it is one of the others, which decide nothing
        }
        // If another metric could be left unjudged, it could hide a regression.
        let may_be = series.judged || series.metric == Metric::GoodputRps;
        ensure!(may_be, "{place} is not judged");
        without_series.remove(&subject);
    }
    ensure!(without_series.is_empty(), "an app was measured but has no series");
    let mut explained = BTreeSet::new();
    for (index, explanation) in comparison.explanations.iter().enumerate() {
        let of = ((&explanation.app, &explanation.variant), &explanation.scenario);
        let is_of_series = seen.contains(&(of.0, of.1, Metric::InstructionsPerRequest));
        ensure!(
            is_of_series && explained.insert(of) && explanation.functions.len() <= MOST_FUNCTIONS,
            "`explanations[{index}]` explains no series, explains it twice, or by more than {MOST_FUNCTIONS} functions"
        );
    }
    let has_machine = comparison.environment.is_some() || comparison.series.is_empty();
    ensure!(has_machine, "it has series and no `environment`");
    Ok(())
}

/// Refuses cases that are not among this checkout's quick ones, and probes that leave out an app.
fn probed(comparison: &Comparison, known: &Known) -> anyhow::Result<()> {
    let subjects = comparison.probes.iter().flat_map(|probes| &probes.apps);
    let subjects: BTreeSet<_> = subjects.map(|pair| (&pair.app, &pair.variant)).collect();
    for app in &comparison.apps {
        let is_to_be = app.status == Status::Measured && known.probed.contains(&app.id);
        let is_lost = is_to_be && !subjects.contains(&(&app.id, &app.variant));
        ensure!(!is_lost, "an app was measured but not probed");
    }
    let Some(probes) = &comparison.probes else {
        return Ok(());
    };
    let all = probes.cases.iter().all(|case| known.cases.contains(case));
    ensure!(
        all && usize::try_from(probes.made) == Ok(known.cases.len()),
        "it probed other cases than this checkout's; update the branch of the pull request"
    );
    let all = subjects.iter().all(|(app, variant)| known.has(app, variant));
    ensure!(all, "`probes` holds an app that this checkout does not have");
    let mut results = probes.apps.iter().flat_map(|pair| &pair.results);
    let all = results.all(|sides| probes.cases.iter().any(|case| case.id == sides.case));
    ensure!(all, "`probes` holds a result of no case");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use analyze::compare::decide;

    #[test]
    fn a_comparison_that_ended_at_its_last_look_is_not_too_long() {
        let gates = Gates::built_in();
        for (_, metric, _) in COMPARED {
            let last = decide::looks(metric, MOST_ENTRIES, &gates, None).pop();
            assert!(last.is_some_and(|last| last <= MOST_PAIRS), "{last:?}");
        }
    }
}
