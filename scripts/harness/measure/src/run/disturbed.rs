//! Extra rounds for trials that the machine disturbed.
//!
//! A neighbour on the host may take cpu time for minutes: a trial that is repeated at once is disturbed as well, and the few
//! remaining rounds give no interval. An extra round, later, measures all servers of the scenarios concerned, so that each app
//! can be compared with the reference of the same round. Where waiting has not helped, nothing is made again: five disturbed rounds show
//! what more of them would.

use std::collections::BTreeMap;

use crate::plan::Plan;
use analyze::disturbance::is_disturbed;
use model::SubjectId;
use model::scenario::Scenario;
use model::{Trial, Verdict};
use stats::MIN_FOR_INTERVAL;

/// The most extra rounds: a run does not wait for a machine that is always busy.
pub fn most_extra_rounds(plan: &Plan) -> u32 {
    plan.rounds.div_ceil(2)
}

/// Whether the machine disturbed at least half of some trials.
pub fn are_lost<'a>(trials: impl IntoIterator<Item = &'a Trial>) -> bool {
    let (lost, all) = trials.into_iter().fold((0, 0), |(lost, all), trial| {
        (lost + usize::from(trial.verdict == Verdict::EnvironmentFailed), all + 1)
    });
    all > 0 && 2 * lost >= all
}

/// Whether the machine disturbed at least half of a round, even where it was tried twice.
pub fn is_lost(round: u32, trials: &[Trial]) -> bool {
    let mut last: BTreeMap<(&str, &str, &str), &Trial> = BTreeMap::new();
    for trial in trials.iter().filter(|trial| trial.round == round) {
        last.insert((&trial.app, &trial.variant, &trial.scenario), trial);
    }
    are_lost(last.into_values())
}

/// Whether waiting has not helped: the last two of the rounds that are `done`, or the only one, were lost.
pub fn stays(done: u32, trials: &[Trial]) -> bool {
    (done.saturating_sub(1).max(1)..=done).all(|round| is_lost(round, trials))
}

/// Whether a subject has too few trials in this scenario, because the machine disturbed the others.
pub fn needs_more_trials(plan: &Plan, scenario: &Scenario, trials: &[Trial]) -> bool {
    let wanted = (plan.rounds as usize).min(MIN_FOR_INTERVAL);
    // Attempts are in the order in which they were made; the last one counts.
    let mut last: BTreeMap<(SubjectId, u32), bool> = BTreeMap::new();
    for trial in trials.iter().filter(|trial| trial.scenario == scenario.id) {
        let subject = SubjectId::new(&trial.app, &trial.variant);
        last.insert((subject, trial.round), is_disturbed(trial));
    }
    let mut good: BTreeMap<&SubjectId, usize> = BTreeMap::new();
    for ((subject, _), disturbed) in &last {
        *good.entry(subject).or_default() += usize::from(!disturbed);
    }
    good.values().any(|good| *good < wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(rounds: u32, scenario: &Scenario) -> Plan {
        Plan {
            profile: "quick".into(),
            seed: 1,
            rounds,
            subjects: Vec::new(),
            scenarios: vec![scenario.clone()],
            asked: BTreeMap::new(),
        }
    }

    /// Whether an app lacks trials that has one of each verdict, in rounds of their own, after `change`.
    fn lacks_after(rounds: u32, verdicts: &[Verdict], change: impl FnOnce(&mut Vec<Trial>)) -> bool {
        let record = samples::record();
        let template = &record.trials[0];
        let scenario = record.scenarios.iter().find(|one| one.id == template.scenario).unwrap();
        let trials = (1..).zip(verdicts).map(|(round, verdict)| Trial {
            round,
            attempt: 1,
            verdict: *verdict,
            ..template.clone()
        });
        let mut trials = trials.collect();
        change(&mut trials);
        needs_more_trials(&plan(rounds, scenario), scenario, &trials)
    }

    const GOOD: Verdict = Verdict::ClientBound;
    const DISTURBED: Verdict = Verdict::EnvironmentFailed;

    #[test]
    fn whoever_has_too_few_trials_for_an_interval_gets_more() {
        for (rounds, verdicts, lacking) in [
            (5, vec![GOOD; 5], false),
            (5, vec![GOOD, GOOD, DISTURBED, GOOD, GOOD], true),
            (6, vec![GOOD, GOOD, DISTURBED, GOOD, GOOD, GOOD], false),
            (1, vec![DISTURBED], true),
            // What a server does wrong is not made better by trying again.
            (1, vec![Verdict::Crashed], false),
        ] {
            assert_eq!(lacks_after(rounds, &verdicts, |_| {}), lacking, "{verdicts:?}");
        }
    }

    #[test]
    fn the_second_attempt_counts() {
        let again = |trials: &mut Vec<Trial>| {
            trials.push(Trial {
                attempt: 2,
                verdict: GOOD,
                ..trials[0].clone()
            });
        };
        assert!(!lacks_after(1, &[DISTURBED], again));
    }

    #[test]
    fn what_was_refused_before_any_load_is_not_tried_again() {
        assert!(!lacks_after(1, &[DISTURBED], |trials| trials[0].steal_share = None));
    }

    #[test]
    fn waiting_has_not_helped_where_the_last_two_rounds_were_lost() {
        let template = &samples::record().trials[0];
        let stays = |rounds: &[[Verdict; 2]]| {
            let trials = (1..).zip(rounds).flat_map(|(round, verdicts)| {
                ["one", "other"]
                    .into_iter()
                    .zip(verdicts)
                    .map(move |(app, verdict)| Trial {
                        app: app.to_owned(),
                        round,
                        verdict: *verdict,
                        ..template.clone()
                    })
            });
            stays(u32::try_from(rounds.len()).unwrap(), &trials.collect::<Vec<_>>())
        };
        let (lost, half, good) = ([DISTURBED; 2], [GOOD, DISTURBED], [GOOD; 2]);
        assert!(stays(&[lost]) && stays(&[good, lost, half]));
        assert!(!stays(&[good]) && !stays(&[lost, good]) && !stays(&[lost, lost, good, lost]));
    }

    #[test]
    fn a_machine_that_is_always_busy_is_not_waited_for() {
        let scenario = &samples::record().scenarios[0];
        let most = |rounds| most_extra_rounds(&plan(rounds, scenario));
        assert_eq!([1, 5, 6].map(most), [1, 3, 3]);
    }
}
