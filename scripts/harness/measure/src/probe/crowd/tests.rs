use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::*;
use crate::probe::behaviour::{fake, http2_server};
use crate::probe::case::{Case, Course};
use model::probe::ProbeOutcome::{Failed, Passed};

/// The crowd of a case, with fewer clients.
fn crowd(id: &str, count: usize) -> Crowd {
    let case = Case::built_in().into_iter().find(|case| case.about.id == id).unwrap();
    let Course::Crowd(crowd) = case.course else {
        panic!("{id} is no crowd")
    };
    Crowd { count, ..*crowd }
}

fn come(crowd: &Crowd, address: SocketAddr, protocol: Protocol) -> Attempt {
    crowd.come(Watched {
        protocol,
        ..fake::watched(address)
    })
}

/// One that stays for two ticks: a client that reads notices an end behind an answer at the second.
fn short(id: &str) -> Crowd {
    Crowd {
        stay_ms: 2500,
        ..crowd(id, 3)
    }
}

const SLOW: [&str; 5] = ["silent", "slow-header", "slow-body", "slow-reading", "unread"];

#[test]
fn others_must_be_served_despite_slow_clients() {
    thread::scope(|scope| {
        for id in SLOW {
            scope.spawn(move || {
                let served = come(&short(id), fake::each_by_a_thread(), Protocol::Http1);
                assert_eq!(served.outcome, Passed, "{id}: {}", served.got);
                let stuck = come(&crowd(id, 3), fake::one_at_a_time(), Protocol::Http1);
                assert_eq!(stuck.outcome, Failed, "{id}: {}", stuck.got);
            });
        }
    });
    let served = come(&short("unread-http2"), http2_server::start(), Protocol::Http2);
    assert_eq!(served.outcome, Passed, "{}", served.got);
    let silent = come(&crowd("unread-http2", 3), fake::settings_only(), Protocol::Http2);
    assert_eq!(silent.outcome, Failed, "{}", silent.got);
}

#[test]
fn when_a_server_gives_up_is_measured() {
    // It closes each connection after half a second.
    for id in ["silent", "slow-header", "slow-reading", "unread"] {
        let impatient = come(&short(id), fake::impatient(), Protocol::Http1);
        let after = impatient.figures.get(&GaveUpAfterMs);
        assert!(after.is_some_and(|after| *after >= 500.0), "{id}: {impatient:?}");
    }
    let patient = come(&short("silent"), fake::each_by_a_thread(), Protocol::Http1);
    assert_eq!(patient.figures.get(&GaveUpAfterMs), None);
}

#[test]
fn idle_connections_must_be_answered() {
    let outcome = |address| come(&crowd("idle-1000", 3), address, Protocol::Http1).outcome;
    assert_eq!(outcome(fake::each_by_a_thread()), Passed);
    assert_eq!(outcome(fake::one_at_a_time()), Failed);
    assert_eq!(outcome(fake::none()), Failed);
    let over_http2 = |address| come(&crowd("idle-1000-http2", 3), address, Protocol::Http2).outcome;
    assert_eq!(over_http2(http2_server::start()), Passed);
    assert_eq!(over_http2(fake::settings_only()), Failed);
}

#[test]
fn what_clients_held_must_be_given_back() {
    let crowd = crowd("clients-leave-after-request", 20);
    let address = fake::each_by_a_thread();
    assert_eq!(come(&crowd, address, Protocol::Http1).outcome, Passed);
    let files = AtomicUsize::new(0);
    let leaking = Watched {
        held: &|| (files.fetch_add(100, Ordering::Relaxed), 3),
        ..fake::watched(address)
    };
    assert_eq!(crowd.come(leaking).outcome, Failed);
}

#[test]
fn a_server_must_answer_when_the_crowd_is_gone() {
    let outcome = |address| come(&crowd("few-files", 200), address, Protocol::Http1).outcome;
    assert_eq!(outcome(fake::each_by_a_thread()), Passed);
    assert_eq!(outcome(fake::none()), Failed);
}

#[test]
fn stalled_handshakes_must_not_keep_others_waiting() {
    // Nobody there speaks TLS.
    let stuck = come(&crowd("tls-stalled", 3), fake::each_by_a_thread(), Protocol::Http1Tls);
    assert_eq!(stuck.outcome, Failed, "{}", stuck.got);
}

#[test]
fn memory_is_seen_before_with_and_after_each_crowd() {
    let twice = Crowd {
        times: 2,
        after_seconds: 1,
        ..crowd("idle-10000", 3)
    };
    let made = come(&twice, fake::each_by_a_thread(), Protocol::Http1);
    let connections = |made: &Attempt| made.memory.iter().map(|look| look.connections).collect::<Vec<_>>();
    assert_eq!(connections(&made), [0, 3, 0, 0, 3, 0], "{made:?}");
    assert_eq!((made.outcome, made.figures[&Connections]), (Passed, 3.0));
    // Who fails is not waited for.
    let stuck = come(&twice, fake::one_at_a_time(), Protocol::Http1);
    assert_eq!((stuck.outcome, connections(&stuck).len()), (Failed, 2), "{stuck:?}");
}
