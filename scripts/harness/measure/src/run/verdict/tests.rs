use super::*;
use crate::run::conditions::SHARED_CPUS;
use apps::profile::Profiles;
use model::Metric;

fn plaintext() -> Scenario {
    let profiles = Profiles::built_in();
    let mut scenario = profiles
        .scenario("plaintext", profiles.profile("quick").unwrap())
        .unwrap();
    scenario.seconds = 1.0;
    scenario.connections = 64;
    scenario
}

/// One second of load that keeps all 64 connections in use.
fn load(answered: u64) -> Load {
    let mean = 64.0 / answered as f64 * 1e3;
    Load {
        requests: BTreeMap::from([("200".into(), answered)]),
        seconds: 1.0,
        latency: Some([0.1, mean, mean, mean, mean, mean, mean, mean].into()),
        body_bytes: Some(13 * answered),
        ..Load::default()
    }
}

/// As many answers in so many seconds, after so many milliseconds each.
fn slow(answered: u64, seconds: f64, mean: f64) -> Load {
    let mut load = load(answered);
    load.seconds = seconds;
    load.latency.as_mut().unwrap().mean = mean;
    load
}

fn verdict(scenario: &Scenario, load: &Load, server_share: f64, generator_share: f64) -> (Verdict, String) {
    let shares = Shares {
        server: server_share,
        generator: generator_share,
        ..Shares::default()
    };
    let (verdict, reasons) = judge(scenario, load, shares);
    assert_eq!(verdict == Verdict::Valid, reasons.is_empty());
    (verdict, reasons.join("; "))
}

#[test]
fn a_busy_server_and_a_generator_with_air_are_valid() {
    assert_eq!(verdict(&plaintext(), &load(50_000), 0.97, 0.6).0, Verdict::Valid);
}

#[test]
fn a_busy_generator_is_the_limit() {
    let (verdict, reason) = verdict(&plaintext(), &load(50_000), 0.97, 0.93);
    assert_eq!(verdict, Verdict::ClientBound);
    assert_eq!(reason, "the load generator used more than 85 % of its cpus (93 %)");
}

#[test]
fn an_idle_server_is_unsaturated() {
    assert_eq!(verdict(&plaintext(), &load(3_000), 0.1, 0.1).0, Verdict::Unsaturated);
}

#[test]
fn answers_with_500_are_no_success() {
    let mut load = load(50_000);
    load.requests = BTreeMap::from([("200".into(), 49_999), ("500".into(), 1)]);
    let (verdict, reason) = verdict(&plaintext(), &load, 0.97, 0.6);
    assert_eq!(verdict, Verdict::ContractFailed);
    assert_eq!(reason, "1 answers with status 500 under load");
}

#[test]
fn what_must_be_refused_is_expected_as_a_refusal_only() {
    let judged = |requests: &[(&str, u64)]| {
        let requests = requests.iter().map(|(status, count)| ((*status).to_owned(), *count));
        let mut load = load(50_000);
        load.requests = model::as_refusals(requests.collect());
        let (verdict, reason) = verdict(&plaintext(), &load, 0.97, 0.6);
        (expected_answers(&load.requests), verdict, reason)
    };
    assert_eq!(judged(&[("404", 50_000)]).0, 50_000);
    assert_ne!(judged(&[("404", 50_000)]).1, Verdict::ContractFailed);
    for wrong in ["200", "500", "302", "4xx or 5xx"] {
        let (expected, verdict, reason) = judged(&[("404", 49_999), (wrong, 1)]);
        assert_eq!((expected, verdict), (49_999, Verdict::ContractFailed), "{wrong}");
        assert_eq!(reason, format!("1 answers with status not refused {wrong} under load"));
    }
    assert_eq!(
        judged(&[("200", 50_000)]).0,
        0,
        "who refuses nothing has done none of the work"
    );
}

#[test]
fn a_server_that_is_down_is_no_fast_server() {
    let mut load = load(50_000);
    load.requests.clear();
    load.latency = None;
    assert_eq!(verdict(&plaintext(), &load, 0.0, 0.5).0, Verdict::ContractFailed);
    load.errors.insert("Connection refused".into(), 12_600);
    let (_, reason) = verdict(&plaintext(), &load, 0.0, 0.5);
    assert!(reason.contains("12600 requests without an answer"), "{reason}");
}

/// From a published table: 2.83 rps at 1.33 s with 20 connections. The generator had dropped the slow answers.
#[test]
fn dropped_answers_are_seen_by_littles_law() {
    let mut scenario = plaintext();
    (scenario.connections, scenario.seconds) = (20, 60.0);
    let load = slow(170, 60.0, 1330.0);
    let (verdict, reason) = verdict(&scenario, &load, 1.0, 0.1);
    assert_eq!(verdict, Verdict::ClientBound);
    assert!(reason.contains("only 3.8 of 20 connections"), "{reason}");
}

/// The wait for the last answers after the deadline is no fault: 4 connections, 200 ms each, 0.2 s of running dry.
#[test]
fn running_dry_after_the_deadline_is_no_violation() {
    let mut scenario = plaintext();
    (scenario.connections, scenario.seconds) = (4, 1.6);
    let load = slow(34, 1.8, 200.0);
    assert_eq!(verdict(&scenario, &load, 0.99, 0.02).0, Verdict::Valid);
}

/// wrk and h2load do not count what is under way at their deadline.
#[test]
fn what_is_dropped_at_the_deadline_is_no_idle_connection() {
    let mut scenario = plaintext();
    (scenario.connections, scenario.generator) = (4, model::scenario::GeneratorKind::Wrk);
    let load = slow(16, 1.0, 220.0);
    assert_eq!(verdict(&scenario, &load, 0.99, 0.02).0, Verdict::Valid);
    scenario.generator = model::scenario::GeneratorKind::Oha;
    assert_eq!(verdict(&scenario, &load, 0.99, 0.02).0, Verdict::ClientBound);
}

/// 500 requests on 50 connections are ten turns, and the last one is no idle connection.
#[test]
fn running_dry_after_the_last_of_counted_requests_is_no_violation() {
    use model::scenario::GeneratorKind::{H2load, Oha};
    let mut scenario = plaintext();
    (scenario.connections, scenario.seconds, scenario.requests) = (50, 60.0, Some(500));
    let mut load = load(500);
    load.seconds = 0.22;
    let latency = load.latency.as_mut().unwrap();
    (latency.mean, latency.max) = (20.0, 35.0);
    for generator in [Oha, H2load] {
        scenario.generator = generator;
        load.seconds = 0.22;
        assert_eq!(verdict(&scenario, &load, 0.99, 0.02).0, Verdict::Valid);
        // Half of the connections were in use, and nothing was dropped that could have filled them.
        load.seconds = 0.4;
        let (verdict, reason) = verdict(&scenario, &load, 0.99, 0.02);
        assert_eq!(verdict, Verdict::ClientBound);
        assert!(reason.contains("only 27.4 of 50 connections"), "{reason}");
    }
}

/// Four connections get 24 hashes, one after the other; meanwhile the prover gets two, and makes the load as much longer.
#[test]
fn what_the_prover_gets_is_no_answer_on_the_connections_of_the_load() {
    let mut scenario = plaintext();
    scenario.connections = 4;
    scenario.seconds = 1.5;
    let mut load = slow(26, 1.51, 251.0);
    load.body_bytes = Some(24 * 81);
    load.verifier_requests = 2;
    assert_eq!(verdict(&scenario, &load, 0.99, 0.01).0, Verdict::Valid);
    assert_eq!(reason_against_bodies(&load, 81.0), None);
    // As many on the connections themselves would be more than these can carry.
    load.verifier_requests = 0;
    assert_eq!(verdict(&scenario, &load, 0.99, 0.01).0, Verdict::EnvironmentFailed);
}

#[test]
fn without_latencies_nobody_knows_how_many_were_in_flight() {
    let mut scenario = plaintext();
    scenario.generator = model::scenario::GeneratorKind::Wrk;
    let mut load = load(50_000);
    load.latency = None;
    let (verdict, reason) = verdict(&scenario, &load, 0.97, 0.6);
    assert_eq!(verdict, Verdict::ClientBound);
    assert!(reason.starts_with("wrk reported no latencies"), "{reason}");
}

#[test]
fn a_server_with_a_quota_is_not_saturated_because_of_it() {
    let shares = Shares {
        server: 0.5,
        generator: 0.7,
        quota: true,
        ..Shares::default()
    };
    let mut scenario = plaintext();
    let of = |scenario: &Scenario| judge(scenario, &load(50_000), shares);
    let names_quota = |reasons: &[String]| reasons.concat().contains("had 50 % of its cpus' time");
    let (verdict, reasons) = of(&scenario);
    assert!(verdict == Verdict::Unsaturated && names_quota(&reasons), "{reasons:?}");
    // Widths are compared by answers per second, and take none.
    scenario.workers = Some(1);
    let (verdict, reasons) = of(&scenario);
    assert!(verdict == Verdict::Unsaturated && !names_quota(&reasons), "{reasons:?}");
}

#[test]
fn a_server_that_waits_for_its_database_is_not_the_limit() {
    let mut scenario = plaintext();
    scenario.database = Some(model::scenario::Database {
        connections_per_worker: 8,
    });
    let of = |server, generator, database| {
        let shares = Shares {
            server,
            generator,
            database: Some(database),
            ..Shares::default()
        };
        let (verdict, reasons) = judge(&scenario, &load(50_000), shares);
        (verdict, reasons.join("; "))
    };
    let (verdict, reason) = of(0.5, 0.4, 0.55);
    assert_eq!(verdict, Verdict::DatabaseBound);
    assert_eq!(
        reason,
        "the server used less than 90 % of its cpus and waited for its database (50 %, the database 55 %)"
    );
    assert_eq!(of(0.95, 0.4, 0.5).0, Verdict::Valid);
    assert_eq!(of(0.5, 0.9, 0.1).0, Verdict::ClientBound);
}

#[test]
fn stolen_time_is_the_machines_fault() {
    let shares = Shares {
        server: 0.97,
        generator: 0.6,
        steal: 0.2,
        ..Shares::default()
    };
    let (verdict, reasons) = judge(&plaintext(), &load(50_000), shares);
    assert_eq!(
        (verdict, reasons[0].as_str()),
        (Verdict::EnvironmentFailed, "the hypervisor took 20 % of the time")
    );
}

fn with_generator(generator: f64) -> Shares {
    Shares {
        server: 0.9,
        generator,
        ..Shares::default()
    }
}

#[test]
fn a_rate_is_sustained_if_all_of_it_is_answered_in_time() {
    let in_time = |answered| {
        let mut load = load(answered);
        load.latency.as_mut().unwrap().p99 = 9.9;
        load
    };
    assert!(sustained(&in_time(1000), 1000.0, 10.0));
    assert!(!sustained(&in_time(980), 1000.0, 10.0), "2 % are lost");
    let mut late = in_time(1000);
    late.latency.as_mut().unwrap().p99 = 10.1;
    assert!(!sustained(&late, 1000.0, 10.0));
    let mut wrong = in_time(1000);
    wrong.requests.insert("500".into(), 1);
    assert!(!sustained(&wrong, 1000.0, 10.0));
}

#[test]
fn a_capacity_is_the_servers_only_if_the_generator_had_air() {
    let load = load(1000);
    let at = |generator| Some(with_generator(generator));
    let judged = |sustained, refused| judge_capacity(&load.requests, sustained, refused, 10.0);
    assert_eq!(judged(at(0.6), at(0.7)).0, Verdict::Valid);
    assert_eq!(judged(at(0.6), at(0.9)).0, Verdict::ClientBound);
    assert_eq!(judged(at(0.6), None).0, Verdict::Unsaturated);
    let (verdict, reasons) = judged(None, at(0.7));
    assert_eq!(verdict, Verdict::Unstable);
    assert_eq!(reasons, ["at no rate 99 % of the requests were answered within 10 ms"]);
}

#[test]
fn a_wrong_answer_is_one_at_any_rate_of_a_search() {
    let at = |generator| Some(with_generator(generator));
    let answered = BTreeMap::from([("200".into(), 9_000), ("503".into(), 7)]);
    let (verdict, reasons) = judge_capacity(&answered, at(0.6), at(0.9), 10.0);
    assert_eq!(verdict, Verdict::ContractFailed);
    assert_eq!(reasons, ["7 answers with status 503 under load"]);
}

#[test]
fn where_nothing_is_answered_there_is_no_rate_to_begin_at() {
    assert_eq!(judge_unanswered(&load(1)), None);
    let mut nothing = load(1);
    nothing.requests = BTreeMap::from([("500".into(), 3)]);
    let wrong = (
        Verdict::ContractFailed,
        vec!["3 answers with status 500 under load".into()],
    );
    assert_eq!(judge_unanswered(&nothing), Some(wrong));
    nothing.requests.clear();
    let silent = (Verdict::ContractFailed, vec!["no answer under load".into()]);
    assert_eq!(judge_unanswered(&nothing), Some(silent));
}

#[test]
fn the_end_of_a_load_whose_answers_the_clock_makes_is_not_counted() {
    let profiles = apps::profile::Profiles::built_in();
    let mut events = profiles
        .scenario("events", profiles.profile("services").unwrap())
        .unwrap();
    (events.seconds, events.load) = (1.0, LoadModel::Open { rate_rps: 500.0 });
    // The last answers come 200 ms after the last request.
    let late = |answered| Load {
        seconds: 1.2,
        ..load(answered)
    };
    assert_eq!(verdict(&events, &late(500), 0.2, 0.2).0, Verdict::Valid);
    assert_eq!(verdict(&events, &late(450), 0.2, 0.2).0, Verdict::Unstable);
}

#[test]
fn an_open_loop_that_is_not_kept_says_nothing_of_latency() {
    let mut scenario = plaintext();
    scenario.load = LoadModel::Open { rate_rps: 1000.0 };
    assert_eq!(verdict(&scenario, &load(1_000), 0.2, 0.2).0, Verdict::Valid);
    assert_eq!(verdict(&scenario, &load(900), 0.2, 0.2).0, Verdict::Unstable);
}

#[test]
fn bodies_of_another_size_than_the_proven_one_are_no_answers() {
    let good = load(100); // 13 bytes each
    assert_eq!(reason_against_bodies(&good, 13.0), None);
    assert_eq!(
        reason_against_bodies(&good, 14.0),
        None,
        "times have more or fewer digits"
    );
    for proven in [11.0, 15.0] {
        assert!(reason_against_bodies(&good, proven).is_some(), "{proven}");
    }
    let mut other = load(100);
    other.requests.insert("500".into(), 1);
    assert_eq!(reason_against_bodies(&other, 60.0), None, "the status is the reason");
    let mut silent = load(100);
    silent.body_bytes = None;
    assert_eq!(reason_against_bodies(&silent, 60.0), None, "nothing is known");
}

#[test]
fn what_a_run_is_warned_of_on_shared_cpus_is_what_its_verdicts_say() {
    let mut scenario = plaintext();
    scenario.database = Some(model::scenario::Database {
        connections_per_worker: 4,
    });
    let judged = |scenario: &Scenario, server, offered: f64| {
        let mut load = load(50_000);
        load.seconds = 50_000.0 / offered;
        let shares = Shares {
            server,
            generator: 0.35,
            database: Some(0.4),
            ..Shares::default()
        };
        judge(scenario, &load, shares).0
    };
    let stands = |metric: Metric, verdict| metric.stands_under(verdict);
    // A closed loop whose server waits for the database: neither its rate nor its latency is shown as the server's.
    let waits = judged(&scenario, 0.5, 50_000.0);
    assert!(!stands(Metric::GoodputRps, waits) && !stands(Metric::LatencyP50Ms, waits));
    assert!(stands(Metric::ServerCpuUsPerRequest, waits));
    // At a fixed rate latencies are compared.
    scenario.load = LoadModel::Open { rate_rps: 1000.0 };
    let fixed = judged(&scenario, 0.1, 1000.0);
    assert!(stands(Metric::LatencyP50Ms, fixed), "{fixed:?}");
    assert!(SHARED_CPUS.contains("a rate is the server's only where its verdict is valid, and latencies include"));
}

#[test]
fn a_failure_after_the_load_is_reported_after_wrong_answers_and_in_place_of_anything_less() {
    let failure = || (Verdict::EnvironmentFailed, "no memory".to_owned());
    let after = |judged| with_failure(judged, failure());
    let said = |verdict, reason: &str| Some((verdict, vec![reason.to_owned()]));
    let (verdict, reasons) = after(said(Verdict::ContractFailed, "3 answers with status 500 under load"));
    assert_eq!(verdict, Verdict::ContractFailed);
    assert_eq!(reasons, ["3 answers with status 500 under load", "no memory"]);
    for nothing_wrong in [None, said(Verdict::Unsaturated, "connections request no more")] {
        assert_eq!(after(nothing_wrong), (failure().0, vec![failure().1]));
    }
}

#[test]
fn more_streams_than_a_server_allows_are_not_the_load_that_was_asked_for() {
    let scenario = Scenario {
        connections: 1,
        streams: 64,
        ..plaintext()
    };
    let allowed = |streams_allowed| {
        let load = Load {
            streams_allowed,
            ..load(1000)
        };
        verdict(&scenario, &load, 0.95, 0.5)
    };
    for enough in [None, Some(64), Some(u32::MAX)] {
        assert_eq!(allowed(enough).0, Verdict::Valid);
    }
    let reason = "the server allows 63 streams at once on a connection, and the scenario has 64";
    assert_eq!(allowed(Some(63)), (Verdict::ClientBound, reason.into()));
}
