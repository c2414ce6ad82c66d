//! Probes of servers, for tests.

use std::collections::BTreeMap;

use super::{HOSTILE_NAME, HOSTILE_REASON, apps};
use model::probe::{
    Engine, Group, Level, Origin, PROBES_VERSION, ProbeCase, ProbeFigure, ProbeOutcome, Probed, ProbedApp, Probes,
};
use model::scenario::Protocol;

/// Probes of three servers: one on the engine of another, and one that flickers.
#[must_use]
pub fn probes() -> Probes {
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
    let app = |id: &str, engine: Option<&str>| {
        let mut app = apps().swap_remove(0);
        id.clone_into(&mut app.id);
        id.clone_into(&mut app.name);
        ProbedApp {
            app,
            engine: engine.map(|engine| Engine {
                app: engine.to_owned(),
                version: "1.8.0".to_owned(),
            }),
            not_probed: None,
        }
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
    };
    Probes {
        schema_version: PROBES_VERSION,
        id: "20261121T110000Z-2a".to_owned(),
        started_at: "2026-11-21T11:00:00Z".parse().expect("a time"),
        finished_at: "2026-11-21T11:20:00Z".parse().expect("a time"),
        origin: Origin {
            version: "0.1.0".to_owned(),
            commit: Some("0123456789abcdef0123456789abcdef01234567".to_owned()),
            dirty: Some(false),
            cargo_profile: "release".to_owned(),
            whole: true,
            tools: BTreeMap::new(),
            cpu_model: "A cpu".to_owned(),
            logical_cpus: 2,
            kernel: "6.8.0".to_owned(),
            open_files: 65536,
        },
        apps: vec![app("axum", Some("hyper")), app("rocket", None), app("hyper", None)],
        cases: vec![
            case("host-twice", Group::Fields, Level::Must),
            case("date", Group::Fields, Level::Should),
            case("exits", Group::Lifecycle, Level::Must),
        ],
        results: vec![
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
    }
}
