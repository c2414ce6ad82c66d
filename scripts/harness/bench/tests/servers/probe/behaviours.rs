//! The behaviours of `bench probe`, whole, on servers that break them and on servers that try to hold them up.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use measure::build::{BuildRequest, build};
use measure::catalog::Catalog;
use measure::machine::cpus::Split;
use measure::probe::{Attempt, Case, Place};
use measure::program::Program;
use measure::run::memory::{forget_peak, peak};
use measure::side_by_side::side_by_side;
use record::probe::{Group, ProbeOutcome};
use record::scenario::Protocol;

use crate::common::Bench;

/// The server that a case fails on, where that is not [`SILENT`].
const BROKEN_BY: [(&str, &str); 9] = [
    ("sigterm-busy", "ignores-sigterm"),
    ("sigterm-half-body", "ignores-sigterm"),
    ("sigint", "ignores-sigterm"),
    // It panics on a port that is taken.
    ("port-taken", "good"),
    ("restart-same-port", "binds-alone"),
    ("clients-leave-in-head", "keeps-files"),
    ("clients-leave-in-body", "keeps-files"),
    ("clients-leave-after-request", "keeps-files"),
    // It ends where it can accept no more.
    ("few-files", "good"),
];
/// It answers when it is asked whether it is ready, and nothing afterwards.
const SILENT: &str = "falls-silent";
/// They do so much that a client without bounds would never be done.
const ENDLESS: [&str; 3] = ["answers-without-end", "fields-without-end", "drips"];
/// No case takes longer on any server: twice the longest that one waits for something, with the machine busy meanwhile.
const LIMIT: Duration = Duration::from_secs(90);
/// Starts of a server at most.
const START_ATTEMPTS: usize = 3;
/// Memory that all cases together may take: some keep 4 MiB of what comes, of eight at once. The tests beside them, in the same process,
/// take less than what this leaves.
const MEMORY: u64 = 256 << 20;

/// Behaviours whose servers are here. Those of TLS and of databases have their own tests, which let each of them fail.
fn behaviours() -> Vec<Case> {
    let mut cases = Case::built_in();
    cases.retain(|case| case.act().is_some() && !matches!(case.about.group, Group::Tls | Group::Database));
    cases
}

fn programs(bench: &Bench, names: &[&'static str]) -> BTreeMap<&'static str, Program> {
    let catalog = Catalog::read(bench.root()).unwrap();
    let built = names.iter().map(|name| {
        let app = catalog.app(name).unwrap();
        let binary = build(BuildRequest::for_variant(app, &app.variants[0], "release"), |_| {}).unwrap();
        (*name, binary.program)
    });
    built.collect()
}

/// One attempt at each case on each server, many at once, and what came of it.
fn made<'a>(tasks: &[(&'a Case, &'a str)], programs: &BTreeMap<&str, Program>) -> Vec<(&'a str, &'a str, Attempt)> {
    let split = Split::of_this_machine().unwrap();
    let made = side_by_side(&[(); 8], tasks, |(), (case, server)| {
        let place = Place {
            program: &programs[server],
            split: &split,
            protocol: case.protocols[0],
            connections: None,
            database: None,
        };
        let id = case.about.id.as_str();
        // On a busy machine, the only right answer may come too late to be seen.
        let mut attempts = (0..START_ATTEMPTS).map(|_| {
            let began = Instant::now();
            (case.act().unwrap()(&place), began.elapsed())
        });
        let (attempt, took) = attempts
            .find_map(|(made, took)| Some((made.ok()?, took)))
            .unwrap_or_else(|| panic!("{id} cannot be put to {server}"));
        assert!(took < LIMIT, "{id} takes {took:?} on {server}: {attempt:?}");
        Ok::<_, ()>((id, *server, attempt))
    });
    made.unwrap()
}

#[test]
fn each_behaviour_fails_on_a_server_that_breaks_it() {
    let bench = Bench::on_fixtures_beside_others();
    let cases = behaviours();
    let breaks = |case: &Case| {
        let broken = BROKEN_BY.iter().find(|(id, _)| *id == case.about.id);
        broken.map_or(SILENT, |(_, server)| server)
    };
    let programs = programs(
        &bench,
        &[SILENT, "ignores-sigterm", "good", "binds-alone", "keeps-files"],
    );
    let tasks: Vec<(&Case, &str)> = cases.iter().map(|case| (case, breaks(case))).collect();
    let made = made(&tasks, &programs);
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
    let bench = Bench::on_fixtures_beside_others();
    let cases = behaviours();
    let programs = programs(&bench, &ENDLESS);
    let tasks: Vec<(&Case, &str)> = cases
        .iter()
        .flat_map(|case| ENDLESS.map(|server| (case, server)))
        .collect();
    let own = [i32::try_from(std::process::id()).unwrap()];
    forget_peak(&own).unwrap();
    let before = peak(&own).unwrap();
    // That each ends within its time is seen to where it is made.
    let made = made(&tasks, &programs);
    let grown = peak(&own).unwrap().saturating_sub(before);
    assert!(grown < MEMORY, "{} MiB", grown >> 20);
    for (id, server, attempt) in &made {
        assert!(
            attempt.received.len() < 16 << 10,
            "{id} on {server} keeps all that comes"
        );
    }
    let protocols = cases.iter().map(|case| case.protocols[0]);
    assert!(protocols.clone().any(|one| one == Protocol::Http1) && { protocols }.any(|one| one == Protocol::Http2));
}
