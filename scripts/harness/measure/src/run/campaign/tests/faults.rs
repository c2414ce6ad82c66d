//! What servers do wrong: each has its verdict, and costs nobody else a figure.

use super::*;
use crate::run::fake::{answers, breaks};
use generator::GeneratorError;
use servers::contract::Scope;
use servers::failure::Lack;

#[test]
fn a_server_that_breaks_the_contract_is_not_started_again_and_costs_nobody_else_a_figure() {
    for mut run in Run::each(3, "wrong") {
        // Another scenario of the same protocol would break as well.
        let again = Scenario {
            id: "again".into(),
            ..run.plan.scenarios[0].clone()
        };
        run.plan.scenarios.push(again);
        let world = run.go(|now, event| match event {
            Event::Contract(_) if now.app == "wrong" => breaks(Verdict::ContractFailed, "GET /: no luck"),
            Event::Proof if now.app == "wrong" => panic!("the whole contract once"),
            _ => Ok(()),
        });
        assert_eq!(world.starts("wrong"), 1);
        let of: Vec<_> = run.trials.iter().filter(|trial| trial.app == "wrong").collect();
        assert_eq!(of.len(), 6);
        for trial in of {
            assert_eq!(trial.verdict, Verdict::ContractFailed);
            assert_eq!(trial.reasons, ["before the load, GET /: no luck"]);
        }
        assert_eq!((world.starts("good"), run.of("good").len()), (6, 6));
        assert!(run.valid("good") && run.valid("reference"), "{:?}", run.trials);
    }
}

#[test]
fn a_server_that_breaks_a_rule_of_one_endpoint_is_measured_at_the_others_and_says_what_it_lacks() {
    for mut run in Run::each(2, "partial") {
        let profiles = Profiles::built_in();
        let simple = profiles.scenario("simple", profiles.profile("quick").unwrap());
        let plaintext = run.plan.scenarios[0].clone();
        run.plan.scenarios.push(Scenario {
            id: "simple".into(),
            path: simple.unwrap().path,
            ..plaintext
        });
        let lack = |path, verdict, reason: &str| Lack {
            scope: Scope::Endpoint(path),
            verdict,
            reason: reason.to_owned(),
        };
        let world = run.go(move |now, event| {
            if let (Event::Contract(lacks), "partial") = (event, now.app) {
                lacks.push(lack(
                    "/test/simple",
                    Verdict::ContractFailed,
                    "POST /test/simple: no luck",
                ));
                lacks.push(lack(
                    "/test/bcrypt",
                    Verdict::ContractFailed,
                    "POST /test/bcrypt: no luck",
                ));
            }
            Ok(())
        });
        let of = |scenario: &str| {
            let trials = run
                .trials
                .iter()
                .filter(|trial| trial.app == "partial" && trial.scenario == scenario);
            trials
                .map(|trial| (trial.verdict, trial.reasons[0].as_str(), trial.goodput_rps.is_some()))
                .collect::<Vec<_>>()
        };
        let measured = (
            Verdict::Incomplete,
            "it fails POST /test/simple: no luck, and 1 other rule",
            true,
        );
        assert_eq!(of("plaintext"), [measured; 2]);
        let refused = (
            Verdict::ContractFailed,
            "before the load, POST /test/simple: no luck",
            false,
        );
        assert_eq!(of("simple"), [refused; 2]);
        assert_eq!(world.starts("partial"), 2, "not for what it is known to lack");
        assert!(run.valid("good") && run.valid("reference"), "{:?}", run.trials);
    }
}

#[test]
fn the_whole_contract_is_proven_once_and_each_load_is_between_two_proofs() {
    for mut run in Run::each(2, "other") {
        let proofs = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let seen = Arc::clone(&proofs);
        run.go(move |now, event| {
            let all = match event {
                Event::Contract(_) => true,
                Event::Proof => false,
                _ => return Ok(()),
            };
            if now.app == "good" {
                seen.lock().unwrap().push((now.start, now.load > 0, all));
            }
            Ok(())
        });
        let wanted = [
            (1, false, true), // by a server of its own, which nothing drives
            (1, false, false),
            (1, true, false),
            (2, false, false),
            (2, true, false),
        ];
        assert_eq!(*proofs.lock().unwrap(), wanted);
    }
}

#[test]
fn a_server_that_dies_under_load_ends_only_its_own_part_and_is_started_again() {
    for mut run in Run::each(2, "dying") {
        let world = run.go(loads(|now, loaded| {
            if now.app == "dying" && now.load == 1 {
                loaded.end = Some("exit status 3".into());
                loaded.result = Err(GeneratorError::ServerDied);
            }
        }));
        assert_eq!(run.of("dying"), [(1, 1, Verdict::Crashed), (2, 1, Verdict::Crashed)]);
        assert_eq!(
            run.first("dying").reasons,
            ["the server died under load: exit status 3"]
        );
        assert_eq!(run.first("dying").server_cpu_us_per_request, None);
        assert_eq!(world.starts("dying"), 2);
        assert!(run.valid("good") && run.valid("reference"), "{:?}", run.trials);
        let slices = run.first("good").slices.as_ref().map(|slices| slices.sub_round.len());
        assert!(slices.is_none_or(|slices| slices == 4), "{slices:?}");
    }
}

#[test]
fn what_was_not_built_is_said_in_each_round_and_never_started() {
    for mut run in Run::each(2, "unbuildable") {
        let built = &mut run.subjects[2];
        (built.binary, built.app.build_error) = (None, Some("error[E0308]".into()));
        let world = run.go(loads(fine));
        assert_eq!(
            run.of("unbuildable"),
            [(1, 1, Verdict::BuildFailed), (2, 1, Verdict::BuildFailed)]
        );
        assert!(
            run.first("unbuildable").reasons[0].contains("E0308"),
            "{:?}",
            run.trials
        );
        assert_eq!((world.starts("unbuildable"), run.valid("good")), (0, true));
    }
}

#[test]
fn a_wrong_answer_under_load_is_never_lost() {
    for mut run in Run::each(1, "wrong") {
        run.go(|now, event| {
            match event {
                Event::Load(loaded) if now.app == "wrong" && now.load == 1 => {
                    loaded.load().requests.insert("500".into(), 2);
                    loaded.disturb(); // not even in a slice that does not count
                }
                // Nor by what fails after it.
                Event::Proof if now.app == "wrong" && now.load > 0 => {
                    return breaks(Verdict::Crashed, "no luck");
                }
                _ => {}
            }
            Ok(())
        });
        let trial = run.first("wrong");
        assert_eq!(trial.verdict, Verdict::Crashed);
        assert_eq!(
            trial.reasons,
            ["2 answers with status 500 under load", "after the load, no luck"]
        );
        assert_eq!(run.of("wrong").len(), 1, "it is not the machine's fault");
        assert!(run.valid("good"));
    }
}

#[test]
fn a_lost_load_machine_spoils_a_slice_and_no_more() {
    let mut run = Run::of_slices(1, "other");
    run.go(loads(|now, loaded| {
        if now.app == "other" && now.load == 2 {
            loaded.result = Err(GeneratorError::Lost("it is gone".into()));
        }
    }));
    assert!(run.valid("other"), "{:?}", run.trials);
    assert_eq!(run.first("other").slices.as_ref().unwrap().sub_round, [1, 3, 4]);
}

#[test]
fn the_witness_is_heard_and_its_answers_count() {
    for mut run in Run::each(1, "wrong") {
        run.go(|now, event| match event {
            Event::Witness if now.app == "wrong" => breaks(Verdict::ContractFailed, "`Hello, Wurld!`"),
            _ => Ok(()),
        });
        let trial = run.first("wrong");
        assert_eq!(trial.verdict, Verdict::ContractFailed);
        assert_eq!(
            trial.reasons,
            ["under load, GET /: expected `Hello, World!`, got `Hello, Wurld!`"]
        );
        // What it was answered, the server has worked for.
        let good = run.first("good");
        let by_generator = answers(good.seconds.unwrap());
        assert!(good.requests["200"] > by_generator, "{good:?}");
        assert!(run.valid("good"));
    }
}
