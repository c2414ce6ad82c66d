//! Servers that work alone.

use std::time::Duration;

use faulty::Serve;
use faulty::hostile::Hostile;
use faulty::plain::{Fault, Plain};
use model::Trial;
use servers::check::{hashes_elsewhere, sleeps_without_blocking};
use servers::contract::{self, Scope, Symptom, prove_request, prove_under_load};
use servers::workload::Workload;

use crate::{load, scenario, serving, verdict};

/// Fault, the scenario whose request shows it, and what must be said: the request, what was expected, what came.
const FAULTS: [(Fault, &str, &str, &str, &str); 7] = [
    (
        Fault::WrongBody,
        "plaintext",
        "GET /: ",
        "expected `Hello, World!`",
        "got `Hello, Wurld!`",
    ),
    (
        Fault::WrongContentType,
        "plaintext",
        "GET /: ",
        "expected content type text/plain",
        "got \"text/html\"",
    ),
    (
        Fault::FixedUuid,
        "hello",
        "GET /hello: ",
        "expected a new id for each answer",
        "00000000-0000-4000-8000-000000000000 twice",
    ),
    (
        Fault::ServerError,
        "simple",
        "POST /test/simple ",
        "expected status 200",
        "got status 500, `oh no`",
    ),
    (Fault::Nothing, "hello", "GET /hello: ", "expected an answer", "got "),
    (
        Fault::HalfAnAnswer,
        "hello",
        "GET /hello: ",
        "expected an answer",
        "status 200 and half a body",
    ),
    (
        Fault::Hangs,
        "hello",
        "GET /hello: ",
        "expected an answer",
        "got nothing within 1 s",
    ),
];

#[test]
fn a_wrong_answer_is_reported_with_request_expectation_and_answer() {
    for (fault, name, request, expected, got) in FAULTS {
        let (_server, client) = serving(Plain::new(fault));
        let client = client.with_patience(Duration::from_secs(1));
        let proven = prove_request(&scenario(name), &client, 1).unwrap();
        let reason = proven.unwrap_err().to_string();
        assert!(
            reason.starts_with(request) && reason.contains(expected) && reason.contains(got),
            "{fault:?}: {reason}"
        );
        let trial = Trial {
            reasons: vec![format!("under load, {reason}")],
            ..Trial::default()
        };
        assert_eq!(trial.is_unanswered(), fault == Fault::Hangs, "{reason}");
    }
}

/// Every violation of the contract, in words.
fn violations(fault: Fault) -> Vec<String> {
    let (_server, client) = serving(Plain::new(fault));
    let found = contract::violations(&client, 1).unwrap();
    found.iter().map(|breach| breach.violation.to_string()).collect()
}

#[test]
fn a_server_that_keeps_the_contract_violates_nothing() {
    assert_eq!(violations(Fault::None), [""; 0]);
}

#[test]
fn every_violation_is_listed_once() {
    let found = violations(Fault::ServerError);
    let [answer, refusal] = found.as_slice() else {
        panic!("{found:#?}")
    };
    assert!(
        answer.starts_with("POST /test/simple `{") && answer.contains("expected status 200"),
        "{answer}"
    );
    assert!(
        refusal.starts_with("POST /test/simple `{") && refusal.contains("a status 4xx with a body"),
        "{refusal}"
    );
    let large = violations(Fault::LargeBody);
    let [only] = large.as_slice() else { panic!("{large:#?}") };
    assert_eq!(
        only,
        "POST /test/bcrypt-inline with 100 kB: expected status 413 with a body, got status 500, `oh no`"
    );
}

#[test]
fn who_breaks_a_rule_of_one_endpoint_has_figures_elsewhere_and_who_answers_no_more_has_none() {
    fn touched(server: impl Serve) -> Vec<bool> {
        let (_server, client) = serving(server);
        let client = client.with_patience(Duration::from_secs(1));
        let found = contract::violations(&client, 1).unwrap();
        let scenarios = ["plaintext", "hello", "simple", "bcrypt-inline"].map(scenario);
        let touches = |scenario| found.iter().any(|breach| breach.scope.touches(scenario));
        scenarios.iter().map(touches).collect()
    }
    for (fault, found) in [
        (Fault::LargeBody, [false, false, false, true]),
        (Fault::ServerError, [false, false, true, false]),
        (Fault::Nothing, [false, true, false, false]),
        (Fault::Hangs, [false, true, false, false]),
    ] {
        assert_eq!(touched(Plain::new(fault)), found, "{fault:?}");
    }
    assert_eq!(touched(Hostile::new(Fault::FallsSilent, false)), [true; 4]);
}

#[test]
fn after_a_missing_answer_nothing_more_is_requested_of_what_gave_none() {
    fn only(server: impl Serve) -> (Symptom, Scope, u64) {
        let (_server, client) = serving(server);
        let client = client.with_patience(Duration::from_secs(1));
        let mut found = contract::violations(&client, 1).unwrap();
        assert_eq!(found.len(), 1, "{found:#?}");
        let only = found.remove(0);
        (only.violation.symptom, only.scope, client.answered())
    }
    let silent = only(Hostile::new(Fault::FallsSilent, false));
    assert_eq!(silent, (Symptom::Silence, Scope::Server, 0));
    let (symptom, scope, answered) = only(Plain::new(Fault::Hangs));
    assert_eq!((symptom, scope), (Symptom::Silence, Scope::Endpoint("/hello")));
    assert!(answered > 20, "{answered}: the other endpoints are proven");
}

#[test]
fn hashes_must_not_hold_up_other_requests() {
    let (server, _client) = serving(Plain::new(Fault::None));
    hashes_elsewhere(server.address).unwrap();
    let (server, _client) = serving(Plain::new(Fault::HashesOnWorker));
    let (_, reason) = verdict(hashes_elsewhere(server.address));
    assert!(
        reason.starts_with(
            "GET / after 6 of POST /test/bcrypt at once with WORKERS=1: expected its answer before the hashes are done"
        ) && reason.contains("got it after "),
        "{reason}"
    );
}

#[test]
fn a_worker_that_waits_must_serve_others() {
    let (server, _client) = serving(Plain::new(Fault::None));
    sleeps_without_blocking(server.address).unwrap();
    let (server, _client) = serving(Plain::new(Fault::BlocksTimed));
    let (_, reason) = verdict(sleeps_without_blocking(server.address));
    assert!(
        reason.starts_with(
            "POST /test/timed 50 times at once with WORKERS=1: expected all answers within 500 ms, because"
        ) && reason.contains("got them after "),
        "{reason}"
    );
}

#[test]
fn answers_that_are_wrong_under_load_only_are_found_by_a_witness_or_by_their_size() {
    let plaintext = scenario("plaintext");
    let workload = Workload::of(&plaintext);
    for (fault, size, got) in [
        (Fault::WrongUnderLoad, 13.0, "`Hello, Wurld!`"),
        (Fault::EmptyUnderLoad, 0.0, "no body"),
    ] {
        let (server, client) = serving(Plain::new(fault));
        prove_request(&plaintext, &client, 1).unwrap().unwrap();
        assert_eq!(contract::answer_size(&workload, &client, 1), Ok(13.0));
        let _load = load(server.address);
        assert_eq!(contract::answer_size(&workload, &client, 1), Ok(size));
        let violation = prove_under_load(&workload, &client, 1).unwrap().unwrap_err();
        assert_eq!(
            violation.to_string(),
            format!("GET /: expected `Hello, World!`, got {got}")
        );
    }
}

#[test]
fn a_server_that_keeps_answers_is_found_by_a_body_that_it_has_seen() {
    for (name, reason) in [
        ("timed", "`: expected an answer after 20 ms, got one after "),
        (
            "bcrypt",
            "`: expected another hash for each answer, for each has a new salt, got the same one twice",
        ),
    ] {
        let scenario = scenario(name);
        let workload = Workload::of(&scenario);
        let (server, client) = serving(Plain::new(Fault::KeepsAnswers));
        prove_request(&scenario, &client, 1).unwrap().unwrap();
        let _load = load(server.address);
        let message = prove_under_load(&workload, &client, 1)
            .unwrap()
            .unwrap_err()
            .to_string();
        assert!(
            message.starts_with(&format!("POST /test/{name} `{{\"payload\":\"")) && message.contains(reason),
            "{message}"
        );
        // It goes on when the load is over.
        prove_request(&scenario, &client, 2).unwrap().unwrap_err();
    }
}
