//! Whether a journal can be gone on with. Somebody else may have written it, or half of it: what is measured from here on, and the
//! record that it ends in, are made of its numbers.

use record::store;
use record::store::MOST_ROUNDS;
use record::{Harness, Record, SCHEMA_VERSION, Stopped, Trial, run_id};

use super::Head;

/// Longest time that a run may have measured, or may measure, in seconds: a year.
pub(super) const LONGEST: f64 = 366.0 * 24.0 * 3600.0;

/// The first thing that is wrong.
pub(super) fn check(head: &Head, trials: &[Trial]) -> Result<(), String> {
    let plan = &head.plan;
    let id = run_id(head.started_at, plan.seed);
    if head.id != id {
        return Err(format!(
            "its id is {:?}, and by its start and seed it would be {id}",
            head.id
        ));
    }
    if !(1..=MOST_ROUNDS).contains(&plan.rounds) {
        return Err(format!(
            "it plans {} rounds, and can plan from 1 to {MOST_ROUNDS}",
            plan.rounds
        ));
    }
    if let Some(budget) = head
        .time_budget_seconds
        .filter(|budget| !(*budget > 0.0 && *budget <= LONGEST))
    {
        return Err(format!("its time budget is {budget} s"));
    }
    let is_app = |app: &str, variant: &str| {
        head.apps
            .iter()
            .any(|known| (known.id.as_str(), known.variant.as_str()) == (app, variant))
    };
    if let Some(subject) = plan
        .subjects
        .iter()
        .find(|subject| !is_app(&subject.app, &subject.variant))
    {
        return Err(format!(
            "it plans to measure {:?}, which is none of its apps",
            subject.label()
        ));
    }
    let is_planned = |trial: &&Trial| {
        let of = |subject: &record::SubjectId| (&subject.app, &subject.variant) == (&trial.app, &trial.variant);
        plan.subjects.iter().any(of)
    };
    if let Some(trial) = trials.iter().find(|trial| !is_planned(trial)) {
        return Err(format!(
            "trial {} is of {:?}, which it does not plan to measure",
            trial.order, trial.app
        ));
    }
    let record = unfinished(head, trials);
    store::check(&record)
}

/// What there is of the record.
fn unfinished(head: &Head, trials: &[Trial]) -> Record {
    let last = trials.iter().map(|trial| trial.started_at).max();
    Record {
        schema_version: SCHEMA_VERSION,
        id: head.id.clone(),
        lane: head.lane,
        profile: head.plan.profile.clone(),
        seed: head.plan.seed,
        started_at: head.started_at,
        finished_at: last.unwrap_or(head.started_at),
        harness: Harness {
            version: String::new(),
            commit: None,
            dirty: None,
            rounds: head.plan.rounds,
            cargo_profile: head.cargo_profile.clone(),
            stopped: Stopped::TimeBudgetSpent,
            whole: false,
        },
        environment: head.environment.clone(),
        apps: head.apps.clone(),
        scenarios: head.plan.scenarios.clone(),
        trials: trials.to_vec(),
        summary: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use judge::sample;
    use serde_json::{Value, json};

    use crate::journal::{VERSION, parse};
    use crate::plan::Plan;

    /// The lines of a journal that was left after two rounds.
    fn lines() -> Vec<Value> {
        let record = sample::sensible();
        let plan = Plan::of_sample(&record);
        let head = json!({
            "journal_version": VERSION,
            "id": record.id,
            "lane": record.lane,
            "started_at": record.started_at,
            "plan": plan,
            "time_budget_seconds": 60.0,
            "cargo_profile": "release",
            "environment": record.environment,
            "apps": record.apps,
        });
        let trials = record.trials.iter().filter(|trial| trial.round <= 2);
        let trials = trials.map(|trial| json!({"spent_seconds": 1.5, "trial": trial}));
        [head].into_iter().chain(trials).collect()
    }

    fn text(lines: &[Value]) -> String {
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        lines.join("\n")
    }

    #[test]
    fn a_journal_whose_numbers_make_no_sense_is_refused_before_anything_is_measured() {
        parse(&text(&lines())).unwrap();
        let attacks: [(&str, Value, &str); 18] = [
            ("/0/plan/rounds", json!(0), "it plans 0 rounds"),
            ("/0/plan/rounds", json!(u32::MAX), "it plans 4294967295 rounds"),
            ("/0/plan/scenarios/0/seconds", json!(1e300), "its `seconds`"),
            ("/0/plan/scenarios/0/seconds", json!(-1.0), "`seconds` is -1.0"),
            (
                "/0/plan/scenarios/0/warmup_seconds",
                json!(1e19),
                "its `warmup_seconds`",
            ),
            ("/0/plan/scenarios/0/slice_seconds", json!(0.0), "its `slice_seconds`"),
            ("/0/plan/scenarios/0/connections", json!(0), "its `connections`"),
            ("/0/plan/scenarios/0/connections", json!(u32::MAX), "its `connections`"),
            ("/0/plan/scenarios/0/path", json!("@evil.example/"), "its `path`"),
            (
                "/0/plan/subjects/0/app",
                json!("best"),
                "\"best\", which is none of its apps",
            ),
            ("/0/time_budget_seconds", json!(-1.0), "its time budget is -1 s"),
            ("/0/time_budget_seconds", json!(1e300), "its time budget is 1"),
            ("/0/id", json!("../../20261121T110000Z-2a"), "its id is "),
            ("/1/spent_seconds", json!(-1.0), "line 2: `spent_seconds` is -1"),
            ("/1/spent_seconds", json!(1e19), "line 2: `spent_seconds` is 1"),
            ("/2/trial/round", json!(u32::MAX), "is of round 4294967295"),
            (
                "/2/trial/order",
                json!(u32::MAX),
                "trial 2 says that it is trial 4294967295",
            ),
            (
                "/2/trial/attempt",
                json!(u32::MAX),
                "has attempt 4294967295 where attempt 2 is missing",
            ),
        ];
        for (place, value, told) in attacks {
            let mut journal = Value::from(lines());
            let there = journal.pointer_mut(place);
            match there {
                Some(there) => *there = value,
                None => journal[0]["plan"]["scenarios"][0]["slice_seconds"] = value,
            }
            let error = parse(&text(journal.as_array().unwrap())).unwrap_err();
            assert!(error.contains(told), "{place}: {error}");
        }
        let mut twice = lines();
        twice.push(twice[1].clone());
        let deep = format!("{}{}\n", "[".repeat(100_000), "]".repeat(100_000));
        for (journal, told) in [
            (text(&twice), "trial 29 says that it is trial 1"),
            (deep, "recursion limit exceeded"),
        ] {
            let error = parse(&journal).unwrap_err();
            assert!(error.contains(told), "{told}: {error}");
        }
    }
}
