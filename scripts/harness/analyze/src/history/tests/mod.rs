//! How often history is right, by simulation.

use super::simulate::{NEAR, Rates, Script, YEAR, counts, history, kept, rates, shared, theirs};
use super::{NoLockfiles, judge};

fn script(machine_known: bool, own: f64, rho: f64) -> Script {
    Script {
        machine_known,
        own,
        rho,
        ..Script::quiet(YEAR, 17)
    }
}

/// What the project promises of its histories. The rates with more histories are in docs/history.md.
fn hardly_ever_wrong(rates: &Rates) {
    assert!(
        rates.false_changes * 500 <= rates.app_weeks,
        "{} false changes in {} app-weeks",
        rates.false_changes,
        rates.app_weeks
    );
}

#[test]
fn a_tenth_is_found_within_four_runs_and_hardly_ever_where_nothing_is() {
    for machine_known in [true, false] {
        let rates = rates(history, script(machine_known, 0.03, 0.0), 40, 3, &[0.10]);
        let found = rates.found[0].after_runs.iter().sum::<usize>();
        assert!(
            found * 10 >= rates.histories * 7,
            "found {found} of {}",
            rates.histories
        );
        hardly_ever_wrong(&rates);
    }
}

#[test]
fn weeks_that_follow_each_other_make_no_changes() {
    let rates = rates(history, script(true, 0.03, 0.5), 1, 4, &[]);
    hardly_ever_wrong(&rates);
}

#[test]
fn what_most_apps_share_is_theirs_and_what_the_reference_shares_is_the_machines() {
    let shared = shared(script(true, 0.03, 0.0), 15, 0.10, 8);
    let found: usize = shared.after_runs.iter().sum();
    assert!(found >= 7, "{shared:?}");
    assert!(shared.named * 100 >= found * shared.touched * 95, "{shared:?}");
    assert_eq!(shared.bystanders_better, 0, "{shared:?}");
    assert!(shared.machine_blamed == 0 && shared.apps_blamed <= 1, "{shared:?}");
}

/// From figures alone: nothing says what the apps were built from.
#[test]
fn an_episode_that_most_apps_share_is_told_as_one_and_other_steps_are_not() {
    let quiet = |own| Script {
        weeks: 48,
        ..script(true, own, 0.0)
    };
    let told = |script: Script| {
        let near = |week: usize| week.abs_diff(20) <= 2 * NEAR;
        let told = |seed: &u64| {
            let timeline = history(script, *seed);
            theirs(&timeline, &judge(&timeline, &NoLockfiles)).any(near)
        };
        (0..5).filter(told).count()
    };
    for (own, apps, expected) in [
        (0.015, 15, 5),
        (0.015, 9, 5),
        (0.03, 15, 5),
        (0.03, 12, 4),
        (0.03, 2, 0),
    ] {
        let episode = Script {
            change: Some((20, 1.1, apps)),
            phases: &[(8, 1.0), (1, 0.0)],
            ..quiet(own)
        };
        let told = told(episode);
        assert!(
            told >= expected && (apps > 2 || told == 0),
            "{told} of 5: {apps} apps, {own}"
        );
    }
    let machines = Script {
        step: Some((20, 1.1)),
        ..quiet(0.03)
    };
    assert_eq!(told(machines), 0);
    assert_eq!(told(quiet(0.03)), 0);
}

#[test]
fn a_percent_more_instructions_is_found_by_the_second_run_and_never_where_none_is() {
    let rates = rates(counts, script(true, 0.0, 0.0), 10, 1, &[0.01]);
    assert!(rates.found[0].after_runs[..2].iter().sum::<usize>() == 10, "{rates:?}");
    assert_eq!(rates.false_changes, 0, "{rates:?}");
}

#[test]
fn what_was_mended_stays_known() {
    let script = |own, from, size, phases| Script {
        change: Some((from, 1.0 + size, 1)),
        phases,
        ..script(true, own, 0.0)
    };
    let mended: &[(usize, f64)] = &[(8, 1.0), (1, 0.0)];
    let turns: &[(usize, f64)] = &[(7, 1.0), (6, 0.0), (1, 1.0)];
    for later in [0, 8, 30] {
        let kept = kept("", script(0.03, 20, 0.10, mended), &[20, 28], later, 20);
        assert!(kept.kept >= 18, "{kept:?}");
    }
    let kept = kept("", script(0.03, 8, 0.20, turns), &[8, 15, 21], 6, 20);
    assert!(kept.kept >= 18 && kept.ended >= 18, "{kept:?}");
}

#[test]
fn whom_a_shared_change_did_not_touch_is_not_praised() {
    for reference in [true, false] {
        for touched in [9, 12, 15] {
            let script = Script {
                reference,
                ..script(true, 0.03, 0.0)
            };
            let shared = shared(script, touched, 0.10, 8);
            assert_eq!(shared.bystanders_better, 0, "{shared:?}");
        }
    }
}
