//! Comparisons for the tests of what is written of them.

use super::*;
use analyze::compare::explanation::{Explanation, Function};
use analyze::compare::gates::Gates;
use analyze::compare::inlining::Caller;
use analyze::compare::outcome::{Cause, Pair, SCHEMA_VERSION};
use analyze::compare::probing::{ProbedPair, ProbedSide, ProbedSides, Probing};
use model::probe::{Group, Level, ProbeCase, ProbeOutcome};
use model::{Interval, Metric};

fn series(scenario: &str, metric: Metric, decision: Decision, change: f64) -> Series {
    Series {
        app: "axum".into(),
        variant: "default".into(),
        scenario: scenario.into(),
        metric,
        decision,
        change: Some(change),
        interval: Some(Interval {
            low: change - 0.003,
            high: change + 0.002,
        }),
        p: Some(0.000_2),
        pairs: vec![
            Pair {
                base: 30_000.0,
                head: 30_000.0 * (1.0 + change)
            };
            13
        ],
        base: Some(30_000.0),
        head: Some(30_000.0 * (1.0 + change)),
        judged: true,
        reason: None,
        busy: Vec::new(),
    }
}

fn explanation() -> Explanation {
    let function = |name: &str, own: [f64; 2], inclusive: [f64; 2]| Function {
        name: name.into(),
        own: own.into(),
        inclusive: inclusive.into(),
        caller: None,
    };
    Explanation {
        app: "axum".into(),
        variant: "default".into(),
        scenario: "simple".into(),
        instructions: [30_012.4, 30_880.6].into(),
        allocations: [11.0, 13.0].into(),
        functions: vec![
            function(
                "<hyper::proto::h1::role::Server as T>::encode",
                [2_100.0, 2_905.2],
                [4_000.0, 4_900.0],
            ),
            function("malloc", [300.0, 350.0], [300.0, 350.0]),
            Function {
                caller: Some(Caller {
                    name: "hyper::proto::h1::role::parse".into(),
                    own: [900.0, 910.0].into(),
                    calls_the_same: false,
                }),
                ..function("bytes::Bytes::slice_ref", [0.0, 39.0], [0.0, 39.0])
            },
        ],
        ..Explanation::default()
    }
}

/// A case with each effect.
fn probes() -> Probing {
    use ProbeOutcome::{Failed, Flaky, Passed};
    let outcomes = [
        ("host-twice", Level::Must, Passed, Failed),
        ("date", Level::Should, Passed, Failed),
        ("bare-cr", Level::Must, Failed, Passed),
        ("host-missing", Level::Must, Failed, Failed),
        ("pipelined-three", Level::Must, Flaky, Failed),
    ];
    let side = |outcome| ProbedSide {
        outcome,
        got: "200 open".into(),
        received: r"HTTP/1.1 200 OK\r\n\r\n<script>@all".into(),
    };
    let (cases, results) = outcomes
        .into_iter()
        .map(|(id, level, base, head)| {
            let case = ProbeCase {
                id: id.into(),
                group: Group::Fields,
                title: "Title".into(),
                level,
                source: "RFC 9112, section 3.2".into(),
                demand: "What it demands.".into(),
                smuggles: false,
                sent: "GET".into(),
            };
            let sides = ProbedSides {
                case: id.into(),
                base: side(base),
                head: side(head),
            };
            (case, sides)
        })
        .unzip();
    let pair = |app: &str, not_probed: Option<&str>, results| ProbedPair {
        app: app.into(),
        variant: "default".into(),
        not_probed: not_probed.map(Into::into),
        results,
    };
    Probing {
        made: 118,
        cases,
        apps: vec![
            pair("axum", None, results),
            pair("rocket", Some("head: the server died"), Vec::new()),
        ],
    }
}

pub fn comparison() -> Comparison {
    let side = |revision: &str, dirty| Side {
        dirty,
        ..Side::new(revision, "0123456789abcdef".repeat(2))
    };
    let app = |id: &str, status, reason: Option<&str>| App {
        id: id.into(),
        variant: "default".into(),
        status,
        reason: reason.map(Into::into),
        causes: vec![Cause::Dependencies],
        dependencies: vec![Dependency {
            name: "tokio".into(),
            before: vec!["1.50.0".into()],
            after: vec!["1.52.1".into()],
        }],
        layouts: Vec::new(),
    };
    let not_judged = Series {
        judged: false,
        reason: Some("the load generator was the limit".into()),
        ..series("plaintext", Metric::GoodputRps, Decision::Inconclusive, -0.01)
    };
    Comparison {
        schema_version: SCHEMA_VERSION,
        decision: Decision::Regression,
        base: side("merge-base with main", false),
        head: side("the working tree", true),
        started_at: "2026-11-21T11:00:00Z".parse().unwrap(),
        finished_at: "2026-11-21T11:02:30Z".parse().unwrap(),
        harness: "0.1.0".into(),
        environment: Some(samples::record().environment),
        gates: Gates::built_in(),
        pairs: None,
        options: ["--scenario", "simple,hello,plaintext"].map(str::to_owned).into(),
        apps: vec![
            app("axum", Status::Measured, None),
            app("rocket", Status::Crashed, Some("GET /: the server died <script>@all")),
        ],
        untouched: vec!["actix-web".into(), "hyper".into()],
        series: vec![
            series("simple", Metric::InstructionsPerRequest, Decision::Regression, 0.029),
            series("hello", Metric::InstructionsPerRequest, Decision::NoChange, 0.0),
            series("hello", Metric::ServerCpuUsPerRequest, Decision::Improvement, -0.041),
            series("simple", Metric::ServerCpuUsPerRequest, Decision::Inconclusive, 0.018),
            not_judged,
        ],
        explanations: vec![explanation()],
        probes: Some(probes()),
        budget_spent: true,
        warnings: Vec::new(),
    }
}

/// Texts with which an attacker may try to make a comment do more than inform.
pub fn attacks() -> Vec<String> {
    let mut attacks: Vec<String> = [
        "@org/team",
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![x](http://example.org/x.png)",
        "[x](https://example.org)",
        "<https://example.org>",
        "#1",
        "GH-1",
        "owner/name#1",
        "a\u{202e}b\u{2066}c\u{200b}d",
        "`` ` ```\n# code\n```",
        "https://example.org/x",
        "www.example.org",
        "me@example.org",
        "\n\n# heading\n\n| a | b |\n| - | - |",
        "--> <!-- told: improvement -->",
        "</details><h1>x</h1>",
        "\u{1b}[31mred\u{0}\u{7}",
        "$\\frac{1}{2}$ ~~x~~ **y**",
        "0123456789abcdef0123456789abcdef01234567",
        "&lt;b&gt; &#64;org",
        "\\<b>\\@org",
    ]
    .map(str::to_owned)
    .to_vec();
    attacks.push("<b>@x ".repeat(20_000 / 6));
    attacks
}

/// A comparison in which everything that is a string is this one.
pub fn all_strings(attack: &str) -> Comparison {
    let attack = || attack.to_owned();
    let mut comparison = comparison();
    for side in [&mut comparison.base, &mut comparison.head] {
        (side.revision, side.commit) = (attack(), attack());
        side.patches = vec![attack(), attack()];
        side.sources = vec![CrateSource {
            before: vec![attack()],
            after: vec![attack(), attack()],
            commit: Some(attack()),
            dirty: true,
        }];
    }
    comparison.harness = attack();
    comparison.options = vec![attack()];
    for app in &mut comparison.apps {
        (app.id, app.variant, app.reason) = (attack(), attack(), Some(attack()));
        for dependency in &mut app.dependencies {
            dependency.name = attack();
            (dependency.before, dependency.after) = (vec![attack()], vec![attack(), attack()]);
        }
    }
    comparison.untouched = vec![attack(), attack()];
    for series in &mut comparison.series {
        (series.app, series.variant, series.scenario) = (attack(), attack(), attack());
        series.reason = Some(attack());
    }
    for explanation in &mut comparison.explanations {
        (explanation.app, explanation.variant, explanation.scenario) = (attack(), attack(), attack());
        for function in &mut explanation.functions {
            function.name = attack();
            function.caller = function.caller.take().map(|caller| Caller {
                name: attack(),
                ..caller
            });
        }
    }
    if let Some(probes) = &mut comparison.probes {
        for case in &mut probes.cases {
            (case.source, case.demand, case.title, case.sent) = (attack(), attack(), attack(), attack());
        }
        for pair in &mut probes.apps {
            (pair.app, pair.variant) = (attack(), attack());
            pair.not_probed = pair.not_probed.as_ref().map(|_| attack());
            for side in pair
                .results
                .iter_mut()
                .flat_map(|sides| [&mut sides.base, &mut sides.head])
            {
                (side.got, side.received) = (attack(), attack());
            }
        }
    }
    if let Some(environment) = &mut comparison.environment {
        (environment.cpu_model, environment.rustc, environment.oha) = (attack(), attack(), attack());
        (environment.kernel, environment.os) = (attack(), attack());
        environment.warnings = vec![attack()];
    }
    comparison.warnings = vec![attack()];
    comparison
}
