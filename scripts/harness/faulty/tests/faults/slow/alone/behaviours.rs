//! The behaviours of `bench probe`, whole, on servers that break them and on servers that try to hold them up.

use std::time::{Duration, Instant};

use faulty::plain::Fault;
use machine::cpus::Split;
use machine::parallel_map::parallel_map;
use machine::program::Program;
use measure::probe::{Attempt, Case, Target};
use measure::run::memory::{forget_peak, peak};
use model::probe::{Group, ProbeOutcome};
use model::scenario::Protocol;

use crate::Programs;

/// The server that a case fails on, where that is not [`SILENT`].
const BROKEN_BY: [(&str, Fault); 9] = [
    ("sigterm-busy", Fault::IgnoresSigterm),
    ("sigterm-half-body", Fault::IgnoresSigterm),
    ("sigint", Fault::IgnoresSigterm),
    // It panics on a port that is taken.
    ("port-taken", Fault::None),
    ("restart-same-port", Fault::BindsAlone),
    ("clients-leave-in-head", Fault::KeepsFiles),
    ("clients-leave-in-body", Fault::KeepsFiles),
    ("clients-leave-after-request", Fault::KeepsFiles),
    // It ends where it can accept no more.
    ("few-files", Fault::None),
];
/// It answers the check for readiness, and nothing afterwards.
const SILENT: Fault = Fault::FallsSilent;
/// They do so much that a client without bounds would never be done.
const ENDLESS: [Fault; 3] = [Fault::AnswersWithoutEnd, Fault::FieldsWithoutEnd, Fault::Drips];
/// No case takes longer on any server: twice the longest that one waits for something, with the machine busy meanwhile.
const LIMIT: Duration = Duration::from_secs(90);
/// Starts of a server at most.
const START_ATTEMPTS: usize = 3;
/// Memory that all cases together may take: some keep 4 MiB of what comes, of eight at once. Other tests, in the same process at the
/// same time, take less than what this leaves.
const MEMORY: u64 = 256 << 20;

/// Behaviours whose servers are here. TLS and databases have their own tests, which let each behaviour fail.
fn behaviours() -> Vec<Case> {
    let mut cases = Case::built_in();
    cases.retain(|case| {
        !case.is_exchange() && case.about.id != "h2spec" && !matches!(case.about.group, Group::Tls | Group::Database)
    });
    cases
}

/// One attempt at each case on each server, many at once, and what came of it.
fn made<'a>(tasks: &[(&'a Case, Fault)]) -> Vec<(&'a str, Fault, Attempt)> {
    let (programs, split) = (Programs::new(), Split::of_this_machine().unwrap());
    let mut started: Vec<(Fault, Program)> = Vec::new();
    for (_, fault) in tasks {
        if started.iter().all(|(known, _)| known != fault) {
            started.push((*fault, programs.with("", fault)));
        }
    }
    let made = parallel_map(&[(); 8], tasks, |(), (case, server)| {
        let target = Target {
            program: &started.iter().find(|(fault, _)| fault == server).unwrap().1,
            split: &split,
            protocol: case.protocols[0],
            connections: None,
            database: None,
            services: None,
            ordinary: "/",
        };
        let id = case.about.id.as_str();
        // On a busy machine, the only right answer may come too late to be seen.
        let mut attempts = (0..START_ATTEMPTS).map(|_| {
            let began = Instant::now();
            (case.attempt(&target), began.elapsed())
        });
        let (attempt, took) = attempts
            .find_map(|(made, took)| Some((made.ok()?, took)))
            .unwrap_or_else(|| panic!("{id} cannot be put to {server:?}"));
        assert!(took < LIMIT, "{id} takes {took:?} on {server:?}: {attempt:?}");
        Ok::<_, ()>((id, *server, attempt))
    });
    made.unwrap()
}

#[test]
fn each_behaviour_fails_on_a_server_that_breaks_it() {
    let cases = behaviours();
    let breaks = |case: &Case| {
        let broken = BROKEN_BY.iter().find(|(id, _)| *id == case.about.id);
        broken.map_or(SILENT, |(_, server)| *server)
    };
    let tasks: Vec<(&Case, Fault)> = cases.iter().map(|case| (case, breaks(case))).collect();
    let made = made(&tasks);
    let without_a_breaking_server: Vec<_> = made
        .iter()
        .filter(|(_, _, attempt)| attempt.outcome != ProbeOutcome::Failed)
        .collect();
    assert!(without_a_breaking_server.is_empty(), "{without_a_breaking_server:#?}");
    // It goes on as if nothing had been said.
    let (_, _, busy) = made.iter().find(|(id, ..)| *id == "sigterm-busy").unwrap();
    assert!(busy.got.contains(" answered, 0 refused, 0 dropped"), "{busy:?}");
}

#[test]
fn no_server_holds_a_behaviour_up() {
    let cases = behaviours();
    let tasks: Vec<(&Case, Fault)> = cases
        .iter()
        .flat_map(|case| ENDLESS.map(|server| (case, server)))
        .collect();
    let own = [i32::try_from(std::process::id()).unwrap()];
    forget_peak(&own).unwrap();
    let before = peak(&own).unwrap();
    // That each ends within its time is seen to where it is made.
    let made = made(&tasks);
    let grown = peak(&own).unwrap().saturating_sub(before);
    assert!(grown < MEMORY, "{} MiB", grown >> 20);
    for (id, server, attempt) in &made {
        assert!(
            attempt.received.len() < 16 << 10,
            "{id} on {server:?} keeps all that comes"
        );
    }
    let protocols = cases.iter().map(|case| case.protocols[0]);
    assert!(protocols.clone().any(|one| one == Protocol::Http1) && { protocols }.any(|one| one == Protocol::Http2));
}

#[test]
fn who_keeps_the_memory_of_connections_is_told_from_who_gives_it_back() {
    let mut cases = behaviours();
    cases.retain(|case| case.about.id == "idle-1000");
    let made = made(&[(&cases[0], Fault::None), (&cases[0], Fault::KeepsMemory)]);
    let kept: Vec<u64> = made
        .iter()
        .map(|(_, _, attempt)| {
            let [before, with, after] = attempt.memory[..] else {
                panic!("{attempt:?}")
            };
            assert_eq!([before, with, after].map(|look| look.connections), [0, 1000, 0]);
            after.bytes.saturating_sub(before.bytes) >> 20
        })
        .collect();
    assert!(
        kept[0] < 30 && kept[1] >= 60,
        "MiB that are kept of 1,000 connections: {kept:?}"
    );
}
