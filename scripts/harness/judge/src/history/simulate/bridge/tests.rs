use super::*;
use crate::history::common_mode::{Places, fit};
use crate::history::divisive::{ChangePoint, Values};
use crate::history::judgement::{SETTINGS, logarithms};
use crate::history::runners::Runners;
use crate::history::story::Joint;
use crate::history::timeline::machines;

fn joint(past: &Past) -> Joint {
    let [joint] = judge(past, &NoLockfiles).joints.try_into().unwrap();
    joint
}

/// Every figure moves with the runner, and the reference by another amount: nobody changed.
#[test]
fn a_runner_that_moves_every_figure_alarms_nobody() {
    for script in [
        Bridge::quiet(),
        Bridge {
            pairs: 1,
            ..Bridge::quiet()
        },
        Bridge {
            pairs: 0,
            ..Bridge::quiet()
        },
        Bridge {
            counted: true,
            ..Bridge::quiet()
        },
        Bridge {
            counted: true,
            pairs: 0,
            ..Bridge::quiet()
        },
    ] {
        let rates = bridge_rates(script, 6, &[]);
        assert_eq!(rates.false_alarms, 0, "{rates:?}");
        assert!(rates.false_changes <= 1, "{rates:?}");
    }
}

/// Five per cent in one app, two weeks after the bridge, where figures repeat to a hundredth.
#[test]
fn a_change_after_the_bridge_is_found() {
    let script = Bridge {
        own: 0.01,
        ..Bridge::quiet()
    };
    let found = detection(
        Bridge {
            change: Some((PAIRS + LATER, 1.05)),
            ..script
        },
        0.05,
        12,
    );
    assert!(found.total() >= 10, "{found:?}");
    let without = Bridge { pairs: 0, ..script };
    let found = detection(
        Bridge {
            change: Some((8, 1.10)),
            ..without
        },
        0.10,
        6,
    );
    assert!(found.total() >= 5, "it is found in what began again: {found:?}");
}

/// The cpu model is new in every pair, so that it is part of the offset and not of the level.
#[test]
fn another_machine_is_joined_as_another_image_is() {
    let script = Bridge {
        own: 0.01,
        other_machine: true,
        ..Bridge::quiet()
    };
    let past = bridged(script, 3);
    assert_eq!(joint(&past).joined[0].begun_again, 0);
    let rates = bridge_rates(script, 6, &[]);
    assert_eq!((rates.false_alarms, rates.false_changes), (0, 0), "{rates:?}");
    let change = Some((PAIRS + LATER, 1.05));
    let found = detection(Bridge { change, ..script }, 0.05, 12);
    assert!(found.total() >= 10, "{found:?}");
}

/// Half of the runs are on a model that the old runner never had: what is known of the others joins the series, and nobody is blamed.
#[test]
fn a_model_that_is_new_with_the_runner_is_another_level() {
    for seed in 0..6 {
        let mut past = bridged(Bridge::quiet(), seed);
        let on_new = past.runs.iter_mut().filter(|run| run.runner == "new");
        for (number, run) in on_new.enumerate() {
            if number % 2 == 1 {
                "never seen before".clone_into(&mut run.machine);
            }
        }
        let story = judge(&past, &NoLockfiles);
        assert_eq!(
            (story.alarms().count(), story.shared_alarms().count()),
            (0, 0),
            "seed {seed}"
        );
        assert_eq!(story.joints[0].joined[0].begun_again, 0, "two of three pairs count");
    }
}

#[test]
fn a_change_in_the_weeks_of_the_bridge_is_found() {
    let script = Bridge {
        own: 0.01,
        change: Some((1, 1.05)),
        ..Bridge::quiet()
    };
    let found = detection(script, 0.05, 12);
    assert!(found.total() >= 11, "{found:?}");
    let counted = Bridge {
        counted: true,
        change: Some((1, 1.01)),
        ..script
    };
    let found = detection(counted, 0.01, 6);
    assert_eq!(found.total(), 6, "{found:?}");
}

#[test]
fn a_joint_says_how_many_runs_made_it_and_how_uncertain_it_is() {
    let joint_of = |script| joint(&bridged(script, 5));
    let three = joint_of(Bridge::quiet());
    assert_eq!(
        (three.before.as_str(), three.after.as_str(), three.pairs),
        ("old", "new", 3)
    );
    assert!(three.run.starts_with("week-030-new"), "{three:?}");
    let [of_cpu] = three.joined.as_slice() else {
        panic!("{three:?}")
    };
    assert_eq!((of_cpu.figures, of_cpu.begun_again), (17, 0));
    // A mean of three differences of two values each: 1.96 × 3 % × √(2 ÷ 3) = 4.8 %, and Student's t of some thirty runs is wider.
    assert!((0.04..0.065).contains(&of_cpu.uncertainty), "{of_cpu:?}");
    let one = joint_of(Bridge {
        pairs: 1,
        ..Bridge::quiet()
    });
    assert!(one.joined[0].uncertainty > 1.4 * of_cpu.uncertainty, "{one:?}");
    let none = joint_of(Bridge {
        pairs: 0,
        ..Bridge::quiet()
    });
    assert_eq!((none.pairs, none.joined), (0, Vec::new()));
    let counted = joint_of(Bridge {
        counted: true,
        ..Bridge::quiet()
    });
    let of_counts = &counted.joined[0];
    assert!(
        of_counts.uncertainty < 0.002 && (0.0..0.1).contains(&of_counts.size),
        "{of_counts:?}"
    );
}

/// Where only the runner changed, no more than one step at the joint in twenty has a p-value below 5 %, and not many fewer: the error that a
/// joint adds is about the one that it has.
#[test]
fn a_step_at_a_joint_is_as_likely_as_its_p_value_says() {
    let share_below_a_twentieth = |script: Bridge, joints_count: bool| {
        let (mut below, mut count) = (0, 0);
        for seed in 0..40 {
            let past = bridged(script, seed);
            let runners = Runners::new(&past);
            let machines = machines(&past);
            let series = &past.series[0];
            let rows: Vec<Vec<Option<f64>>> = series.rows.values().map(|row| logarithms(row)).collect();
            let places = Places {
                machines: &machines,
                runners: &runners.of,
                successions: vec![runners.successions.clone(); rows.len()],
            };
            for row in fit(&rows, &places, SETTINGS).rows {
                let at = row.joints[0].place(0..row.values.len()).unwrap();
                let searched = Values {
                    joints: if joints_count { &row.joints } else { &[] },
                    ..row.searched()
                };
                let step = ChangePoint::between(searched, (0, at, row.values.len()), 0.0);
                below += usize::from(step.p < 0.05);
                count += 1;
            }
        }
        1000 * below / count
    };
    for pairs in [1, 3] {
        let script = Bridge {
            pairs,
            ..Bridge::quiet()
        };
        let share = share_below_a_twentieth(script, true);
        assert!((10..=60).contains(&share), "{share} ‰ with {pairs} pairs");
        let share = share_below_a_twentieth(script, false);
        assert!(
            share >= 25,
            "without the error of the joint: {share} % with {pairs} pairs"
        );
    }
}
