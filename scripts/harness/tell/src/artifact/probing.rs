//! Accepts what `bench compare` could have seen of the cases of this checkout.

use std::collections::BTreeSet;

use judge::compare::outcome::{App, Comparison, Status};
use judge::compare::probing::{ProbedPair, Probing, effect};

use super::check::Known;
use super::field::{Checked, at_most, bytes, ensure, reason};

/// Refuses probes that contradict the apps of the comparison, or that are not of the quick cases of this checkout.
pub fn probing(comparison: &Comparison, checkout: &Known) -> Checked {
    let known = checkout.cases.as_slice();
    let is_measured = |app: &App| app.status == Status::Measured && checkout.probed.contains(&app.id);
    let Some(probing) = &comparison.probes else {
        return ensure(!comparison.apps.iter().any(is_measured), || {
            "an app was measured but not probed".into()
        });
    };
    ensure(usize::try_from(probing.made) == Ok(known.len()), || {
        "it probed other cases than those of this checkout; update the branch of the pull request".into()
    })?;
    at_most("probes.cases", probing.cases.len(), known.len())?;
    let mut seen = BTreeSet::new();
    for (index, case) in probing.cases.iter().enumerate() {
        ensure(known.contains(case) && seen.insert(&case.id), || {
            format!(
                "`probes.cases[{index}]` is there twice, or is not a case of this checkout; update the branch of the pull \
                 request"
            )
        })?;
    }
    // Both sides of these kept the contract before they were probed.
    let was_started = |app: &&App| matches!(app.status, Status::Measured | Status::ContractFailed | Status::Crashed);
    at_most("probes.apps", probing.apps.len(), comparison.apps.len())?;
    let mut seen = BTreeSet::new();
    for (index, pair) in probing.apps.iter().enumerate() {
        let place = format!("probes.apps[{index}]");
        let is_it = |app: &&App| app.id == pair.app && app.variant == pair.variant;
        let is_listed = comparison.apps.iter().filter(was_started).any(|app| is_it(&app));
        ensure(is_listed && seen.insert((&pair.app, &pair.variant)), || {
            format!("`{place}` is there twice, or is of an app that was not started")
        })?;
        one(&place, pair, probing)?;
    }
    let mut measured = comparison.apps.iter().filter(|app| is_measured(app));
    ensure(measured.all(|app| seen.contains(&(&app.id, &app.variant))), || {
        "an app was measured but not probed".into()
    })
}

fn one(place: &str, pair: &ProbedPair, probing: &Probing) -> Checked {
    if let Some(text) = &pair.not_probed {
        reason(&format!("{place}.not_probed"), text)?;
    }
    ensure(pair.not_probed.is_none() || pair.results.is_empty(), || {
        format!("`{place}` was not probed, and has results")
    })?;
    at_most(&format!("{place}.results"), pair.results.len(), probing.cases.len())?;
    let mut seen = BTreeSet::new();
    for (index, sides) in pair.results.iter().enumerate() {
        let place = format!("{place}.results[{index}]");
        let case = probing.cases.iter().find(|case| case.id == sides.case);
        ensure(case.is_some() && seen.insert(&sides.case), || {
            format!("`{place}` is there twice, or is of no case of `probes.cases`")
        })?;
        // Both passed: such a case is only counted.
        let affected = case.and_then(|case| effect(case.level, sides.base.outcome, sides.head.outcome));
        ensure(affected.is_some(), || format!("`{place}` passed on both sides"))?;
        for (name, side) in [("base", &sides.base), ("head", &sides.head)] {
            reason(&format!("{place}.{name}.got"), &side.got)?;
            bytes(&format!("{place}.{name}.received"), &side.received)?;
        }
    }
    Ok(())
}
