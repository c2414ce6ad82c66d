use super::*;
use crate::run::fake::{BUSY, Loaded, Moment, RATE, World, loads, split};
use apps::profile::Profiles;
use generator::GeneratorError;
use machine::program::Program;
use servers::server::Launch;

/// The trial of a scenario in a world where `act` says what goes wrong.
fn tried(load: LoadModel, act: impl Fn(&Moment<'_>, &mut Loaded) + Send + Sync + 'static) -> Trial {
    let profiles = Profiles::built_in();
    let known = profiles.scenario("plaintext", profiles.profile("quick").unwrap());
    let scenario = Scenario {
        load,
        seconds: 0.02,
        slice_seconds: None,
        warmup_seconds: 0.02,
        ..known.unwrap()
    };
    let world = World::new(loads(act));
    let program = Program::at(std::path::Path::new("/dev/null")).unwrap();
    let round = Round {
        scenario: &scenario,
        slices: 1,
        driver: &world,
        clock: &world,
        split: &split(),
        seek_restless: false,
    };
    let entry = Entry {
        launch: Launch::alone(&program),
        seed: 1,
    };
    run(&round, &entry, Trial::default()).unwrap()
}

#[test]
fn a_load_that_fails_is_the_fault_of_the_server_the_machine_or_the_load_machine() {
    type Fault = fn() -> GeneratorError;
    let cases: [(Fault, Option<&str>, Verdict, &str); 7] = [
        (
            || GeneratorError::ServerDied,
            Some("signal 9"),
            Verdict::Crashed,
            "the server died under load: signal 9",
        ),
        (
            || GeneratorError::Hung,
            None,
            Verdict::ContractFailed,
            "requests were never answered",
        ),
        (
            || GeneratorError::Unfinished {
                requests: 10,
                seconds: 1.0,
            },
            None,
            Verdict::ContractFailed,
            "not all of the 10 requests were answered",
        ),
        (
            || GeneratorError::Lost("it is gone".into()),
            None,
            Verdict::EnvironmentFailed,
            "it is gone",
        ),
        (
            || GeneratorError::Failed("killed".into()),
            None,
            Verdict::EnvironmentFailed,
            "the load generator failed: killed",
        ),
        // Some generators fail if the server no longer listens.
        (
            || GeneratorError::Failed("refused".into()),
            Some("status 1"),
            Verdict::Crashed,
            "the server died under load: status 1",
        ),
        (
            || std::io::Error::other("no").into(),
            None,
            Verdict::EnvironmentFailed,
            "cannot run the load generator: no",
        ),
    ];
    for (fault, end, verdict, reason) in cases {
        for failing in [0, 1] {
            let trial = tried(LoadModel::Closed, move |now, loaded| {
                if now.load == failing {
                    (loaded.result, loaded.end) = (Err(fault()), end.map(str::to_owned));
                }
            });
            assert_eq!(trial.verdict, verdict, "{trial:?}");
            assert!(
                trial.reasons.len() == 1 && trial.reasons[0].contains(reason),
                "{trial:?}"
            );
            assert_eq!(trial.goodput_rps, None);
        }
    }
}

#[test]
fn requests_without_an_answer_break_the_contract_unless_the_server_died() {
    for (end, verdict) in [(None, Verdict::ContractFailed), (Some("status 1"), Verdict::Crashed)] {
        let trial = tried(LoadModel::Closed, move |now, loaded| {
            if now.load == 1 {
                loaded.load().errors.insert("connection closed".into(), 3);
                loaded.end = end.map(str::to_owned);
            }
        });
        assert_eq!(trial.verdict, verdict, "{trial:?}");
    }
}

#[test]
fn answers_of_another_size_than_the_proven_one_are_wrong() {
    let trial = tried(LoadModel::Closed, |_, loaded| loaded.load().body_bytes = Some(0));
    assert_eq!(trial.verdict, Verdict::ContractFailed);
    assert!(trial.reasons[0].contains("answers had 0 bytes on average"), "{trial:?}");
}

#[test]
fn a_load_that_nothing_disturbs_has_all_figures() {
    let trial = tried(LoadModel::Closed, |_, _| {});
    assert_eq!((trial.verdict, &trial.reasons[..]), (Verdict::Valid, &[][..]));
    let is = |found: Option<f64>, wanted: f64| assert!((found.unwrap() / wanted - 1.0).abs() < 0.01, "{trial:?}");
    is(trial.goodput_rps, RATE);
    is(trial.server_cpu_us_per_request, 12.0);
    is(trial.server_cpu_share, 0.96);
    is(trial.system_cpu_share, 0.25);
    is(trial.generator_cpu_share, BUSY + 0.1); // with its start and its report
    is(trial.startup_ms, 3.0);
}

#[test]
fn a_search_finds_the_highest_rate_that_is_answered_in_time() {
    let trial = tried(LoadModel::Capacity { p99_ms: 20.0 }, |_, loaded| {
        let load = loaded.load();
        if load.requests["200"] as f64 / load.seconds > 0.7 * RATE {
            load.latency = Some([21.0; 8].into());
        }
    });
    assert_eq!(trial.verdict, Verdict::Valid, "{trial:?}");
    let found = trial.capacity_rps.unwrap() / RATE;
    assert!((0.67..=0.7).contains(&found), "{found}");
}
