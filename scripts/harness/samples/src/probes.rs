//! Probes of servers, for tests.

use std::collections::BTreeMap;

use super::{HOSTILE_NAME, HOSTILE_REASON, apps};
use model::probe::{Engine, Group, Level, MemoryAt, PROBES, ProbeCase, ProbeFigure, ProbeOutcome, Probed};
use model::scenario::Protocol;
use model::{AppRecord, Environment, Harness, PLAIN, Record, SCHEMA_VERSION};

/// What the guide's own servers of two frameworks do.
#[must_use]
pub fn client_probes() -> Record {
    let seen = [
        (
            "asked-head",
            "HEAD / HTTP/1.1",
            "200, content-length 13, kept",
            "200, no content-length, kept",
        ),
        ("asked-post", "POST / HTTP/1.1", "200, kept", "405, kept"),
        ("slash-behind", "GET /hello/ HTTP/1.1", "404, kept", "200, kept"),
        (
            "not-found",
            "GET /x HTTP/1.1",
            "404, no body, kept",
            "500, body <b>, kept",
        ),
        ("same", "GET / HTTP/1.1", "200, kept", "200, kept"),
        (
            "largest-json",
            "",
            "2 MiB taken, 413 at 4 MiB",
            "1 MiB taken, 413 at 2 MiB; or closed at 2 MiB",
        ),
    ];
    let apps = [("axum", "Axum"), ("rocket", "Rocket")].map(|(id, name)| AppRecord {
        id: id.to_owned(),
        variant: PLAIN.to_owned(),
        name: name.to_owned(),
        ..apps().swap_remove(0)
    });
    let probed = seen.iter().flat_map(|(case, _, axum, rocket)| {
        [("axum", axum), ("rocket", rocket)].map(|(app, got)| Probed {
            app: app.to_owned(),
            variant: PLAIN.to_owned(),
            protocol: Protocol::Http1,
            case: (*case).to_owned(),
            outcome: if got.contains("; or ") {
                ProbeOutcome::Flaky
            } else {
                ProbeOutcome::Passed
            },
            got: (*got).to_owned(),
            received: String::new(),
            milliseconds: 1.0,
            figures: BTreeMap::new(),
            memory: Vec::new(),
        })
    });
    let cases = seen.iter().map(|(id, sent, ..)| ProbeCase {
        id: (*id).to_owned(),
        group: Group::Clients,
        title: format!("Title of {id}"),
        level: Level::Observed,
        source: "left open".to_owned(),
        demand: "Nothing is demanded.".to_owned(),
        smuggles: false,
        sent: (*sent).to_owned(),
    });
    Record {
        probed: probed.collect(),
        cases: cases.collect(),
        apps: apps.into(),
        ..probes()
    }
}

/// Probes of three servers: one on the engine of another, and one that flickers.
#[must_use]
pub fn probes() -> Record {
    let case = |id: &str, group, level| ProbeCase {
        id: id.to_owned(),
        group,
        title: format!("Title of {id}"),
        level,
        source: "RFC 9112, section 3.2".to_owned(),
        demand: format!("What {id} demands."),
        smuggles: id == "host-twice",
        sent: "GET / HTTP/1.1\\r\\n\\r\\n".to_owned(),
    };
    let app = |id: &str, engine: Option<&str>| AppRecord {
        id: id.to_owned(),
        name: id.to_owned(),
        engine: engine.map(|engine| Engine {
            app: engine.to_owned(),
            version: "1.8.0".to_owned(),
        }),
        ..apps().swap_remove(0)
    };
    let result = |app: &str, case: &str, outcome| Probed {
        app: app.to_owned(),
        variant: "default".to_owned(),
        protocol: Protocol::Http1,
        case: case.to_owned(),
        outcome,
        got: if outcome == ProbeOutcome::Passed {
            "400 closed".to_owned()
        } else {
            HOSTILE_REASON.to_owned()
        },
        received: HOSTILE_NAME.to_owned(),
        milliseconds: 1.5,
        figures: BTreeMap::from([(ProbeFigure::ExitAfterMs, 12.5)]),
        memory: match (app, case) {
            ("rocket", "exits") => saw_tooth(85, 5),
            ("hyper", "exits") => saw_tooth(105, 105),
            _ => Vec::new(),
        },
    };
    Record {
        schema_version: SCHEMA_VERSION,
        id: "20261121T110000Z-2a".to_owned(),
        profile: PROBES.to_owned(),
        started_at: "2026-11-21T11:00:00Z".parse().expect("a time"),
        finished_at: "2026-11-21T11:20:00Z".parse().expect("a time"),
        harness: Harness {
            rounds: 0,
            ..super::harness()
        },
        environment: Environment {
            cpu_model: "A cpu".to_owned(),
            logical_cpus: 2,
            kernel: "6.8.0".to_owned(),
            open_files: Some(65536),
            ..Environment::default()
        },
        apps: vec![app("axum", Some("hyper")), app("rocket", None), app("hyper", None)],
        cases: vec![
            case("host-twice", Group::Fields, Level::Must),
            case("date", Group::Fields, Level::Should),
            case("exits", Group::Lifecycle, Level::Must),
        ],
        probed: vec![
            result("axum", "host-twice", ProbeOutcome::Failed),
            result("axum", "date", ProbeOutcome::Passed),
            result("axum", "exits", ProbeOutcome::Failed),
            result("rocket", "host-twice", ProbeOutcome::Passed),
            result("rocket", "date", ProbeOutcome::Flaky),
            result("rocket", "exits", ProbeOutcome::Passed),
            result("hyper", "host-twice", ProbeOutcome::Failed),
            result("hyper", "date", ProbeOutcome::NotApplicable),
            result("hyper", "exits", ProbeOutcome::Passed),
        ],
        ..Record::default()
    }
}

/// Twice 10,000 connections that add 100 MiB to 5; in MiB what is left at the first look when they are gone, and at the second.
fn saw_tooth(soon: u64, after: u64) -> Vec<MemoryAt> {
    let wave = |start, before| {
        [
            (start, 0, before),
            (start + 1, 10_000, 105),
            (start + 6, 0, soon),
            (start + 61, 0, after),
        ]
    };
    let looks = [wave(0, 5), wave(62, after)].into_iter().flatten();
    let looks = looks.map(|(seconds, connections, mebibytes)| MemoryAt {
        seconds: f64::from(seconds),
        connections,
        bytes: mebibytes << 20,
    });
    looks.collect()
}
