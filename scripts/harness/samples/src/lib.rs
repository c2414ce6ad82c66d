//! Records and probes for tests, with every verdict that a report must distinguish, and hostile strings.

mod apps;
mod full;
mod probes;
mod releases;
mod summed;

use std::collections::BTreeMap;

use analyze::analysis;
use model::scenario::{Dimension, Isolation, LoadModel, Protocol, Scenario, Varies};
use model::{
    AppRecord, Cell, Environment, Harness, Interval, Lane, Metric, Rank, Ratio, Record, Role, SCHEMA_VERSION, Summary,
    Tier, Trial, Verdict,
};

pub use apps::framework;
pub use full::full;
pub use probes::{client_probes, probes};
pub use releases::releases;
pub use summed::{disturbed, scaled, sensible, with_database};

/// A name that tries every format: a table's cell, HTML, XML, a comment, a mention, a terminal, a direction of writing.
pub const HOSTILE_NAME: &str = "<script>|`x`\n@octocat\u{1b}[31m\u{202e}--> &\"'";

/// A reason that does the same, and forges the end of the results block.
pub const HOSTILE_REASON: &str =
    "thread 'main' panicked | see https://evil.example <!-- results:end -->\n# Best: ours\u{7}\u{9b}2J";

const MIB: f64 = 1_048_576.0;

/// Three frameworks (one of them in two variants, one that crashed once), an engine, one that was not built, the
/// reference and the ceiling, in three scenarios.
#[must_use]
pub fn record() -> Record {
    Record {
        schema_version: SCHEMA_VERSION,
        id: "20261121T110000Z-2a".to_owned(),
        lane: Lane::HostedX64,
        profile: "weekly".to_owned(),
        seed: 42,
        started_at: "2026-11-21T11:00:00Z".parse().expect("a time"),
        finished_at: "2026-11-21T11:42:30Z".parse().expect("a time"),
        harness: harness(),
        environment: environment(),
        apps: apps(),
        scenarios: vec![
            scenario("plaintext", "Smallest answer", "/", LoadModel::Closed),
            scenario("json", "Small JSON | with <markup>", "/hello", LoadModel::Closed),
            scenario(
                "cpu-open",
                "Work at a fixed rate",
                "/cpu?n=30",
                LoadModel::Open { rate_rps: 2000.0 },
            ),
        ],
        trials: (1..=3).map(trial).collect(),
        summary: [plaintext(), json(), cpu_open()].concat(),
        ..Record::default()
    }
}

/// The same apps in one scenario that is varied: in containers, over another protocol, and one whose plain scenario is not in
/// the run. Five rounds, in which the machine becomes slower and slower.
#[must_use]
pub fn varied() -> Record {
    let mut record = record();
    let plain = record.scenarios.remove(0);
    let vary = |id: &str, like: &str, by| Scenario {
        id: id.to_owned(),
        varies: Some(Varies {
            like: like.to_owned(),
            by,
        }),
        ..plain.clone()
    };
    record.scenarios = vec![
        plain.clone(),
        Scenario {
            isolation: Isolation::Docker,
            ..vary("plaintext-docker", "plaintext", Dimension::Isolation)
        },
        Scenario {
            isolation: Isolation::DockerBridge,
            ..vary("plaintext-docker-bridge", "plaintext", Dimension::Isolation)
        },
        Scenario {
            protocol: Protocol::Http2,
            connections: 8,
            streams: 8,
            ..vary("plaintext-http2", "plaintext", Dimension::Protocol)
        },
        Scenario {
            load: LoadModel::Open { rate_rps: 1000.0 },
            ..vary("hello-r1000", "hello", Dimension::Rate)
        },
    ];
    for app in record.apps.iter_mut().filter(|app| app.id != "rocket") {
        app.protocols.push(Protocol::Http2);
    }
    record.trials.clear();
    for (scenario, cost) in [
        ("plaintext", 1.0),
        ("plaintext-docker", 1.1),
        ("plaintext-docker-bridge", 2.5),
        ("plaintext-http2", 1.6),
    ] {
        for round in 1..=5 {
            let first = trial(round);
            let cpu = 8.0 * cost * (1.0 + f64::from(round) / 10.0);
            record.trials.push(Trial {
                scenario: scenario.to_owned(),
                server_cpu_us_per_request: Some(cpu),
                goodput_rps: Some(1e6 / cpu),
                startup_ms: Some(3.0 * cost * cost),
                ..first
            });
        }
    }
    summed(record)
}

/// With the summary of its trials.
fn summed(mut record: Record) -> Record {
    record.summary = analysis::summary(&record.apps, &record.scenarios, &record.trials);
    record
}

fn harness() -> Harness {
    Harness {
        whole: true,
        version: "0.1.0".to_owned(),
        commit: Some("3aeac8c0ffee3aeac8c0ffee3aeac8c0ffee3aea".to_owned()),
        dirty: Some(true),
        rounds: 15,
        cargo_profile: "release".to_owned(),
        ..Harness::default()
    }
}

fn environment() -> Environment {
    Environment {
        cpu_model: "AMD EPYC 7763 64-Core Processor | <b>fast</b>".to_owned(),
        logical_cpus: 4,
        memory_bytes: 16_777_216_000,
        kernel: "6.11.0-1018-azure".to_owned(),
        os: "Ubuntu 24.04.3 LTS".to_owned(),
        virtualisation: Some("microsoft".to_owned()),
        steal_share: 0.004,
        load_average: 0.31,
        runner_image: Some("ubuntu24 20261116.1".to_owned()),
        runner: vec!["ubuntu-24.04".to_owned()],
        rustc: "rustc 1.95.0 (59807616e 2026-04-14)".to_owned(),
        oha: "1.16.0".to_owned(),
        server_cpus: vec![0],
        server_cores: Some(1),
        generator_cpus: vec![1, 2, 3],
        tuning: BTreeMap::from([("smt".to_owned(), "on".to_owned())]),
        warnings: vec!["the machine is virtual: neighbours may slow it @everyone".to_owned()],
        ..Environment::default()
    }
}

fn apps() -> Vec<AppRecord> {
    vec![
        app("actix-web", "default", "actix-web", "4.12.1"),
        app("axum", "default", "axum", "0.8.7"),
        app("axum", "tuned", "axum", "0.8.7"),
        AppRecord {
            role: Role::Ceiling,
            ..app("ceiling", "default", "ceiling", "0.1.0")
        },
        AppRecord {
            tier: Tier::Engine,
            ..app("hyper", "default", "hyper", "1.8.1")
        },
        AppRecord {
            role: Role::Reference,
            ..app("reference", "default", "reference", "1.6.0")
        },
        app("rocket", "default", "rocket", "0.5.2"),
        AppRecord {
            name: HOSTILE_NAME.to_owned(),
            link: "javascript:alert(1)".to_owned(),
            framework_version: "1.0|<i>".to_owned(),
            source_hash: "not a hash |".to_owned(),
            binary_bytes: None,
            build_seconds: None,
            build_error: Some("error[E0425]: cannot find value `x`\n --> src/main.rs:1:1\n|\n| x".to_owned()),
            ..app("zz-hostile", "default", "zz", "1")
        },
    ]
}

fn app(id: &str, variant: &str, framework: &str, version: &str) -> AppRecord {
    AppRecord {
        id: id.to_owned(),
        variant: variant.to_owned(),
        name: id.to_owned(),
        link: format!("https://github.com/example/{id}"),
        framework: framework.to_owned(),
        framework_version: version.to_owned(),
        source_hash: "5f".repeat(32),
        lockfile_hash: "a1".repeat(32),
        binary_bytes: Some(5_043_200),
        build_seconds: Some(31.4),
        protocols: vec![Protocol::Http1],
        ..AppRecord::default()
    }
}

fn scenario(id: &str, title: &str, path: &str, load: LoadModel) -> Scenario {
    Scenario {
        id: id.to_owned(),
        title: title.to_owned(),
        path: path.to_owned(),
        connections: 64,
        streams: 1,
        keep_alive: true,
        load,
        warmup_seconds: 2.0,
        seconds: 10.0,
        ..Scenario::default()
    }
}

fn plaintext() -> Vec<Cell> {
    let bound = "the load generator used 93 % of its cpus";
    let bound = |cell| apart(cell, Verdict::ClientBound, bound, &[Metric::GoodputRps]);
    vec![
        cell(("actix-web", "default", "plaintext"), (123_456.0, 1), (8.12, 2)),
        bound(cell(("axum", "default", "plaintext"), (131_000.0, 1), (7.61, 2))),
        bound(cell(("axum", "tuned", "plaintext"), (133_500.0, 1), (7.4, 1))),
        bound(cell(("ceiling", "default", "plaintext"), (188_000.0, 1), (4.9, 1))),
        apart(
            cell(("hyper", "default", "plaintext"), (140_000.0, 1), (7.42, 1)),
            Verdict::ClientBound,
            "goodput was above 80 % of the ceiling's",
            &[Metric::GoodputRps],
        ),
        cell(("reference", "default", "plaintext"), (118_000.0, 1), (8.42, 1)),
        larger(cell(("rocket", "default", "plaintext"), (61_200.0, 2), (16.3, 3))),
        not_built("plaintext"),
    ]
}

/// The cell of a server that takes more memory than the first app, and perhaps no more than the others.
fn larger(mut cell: Cell) -> Cell {
    if let Some(memory) = cell.metrics.get_mut(&Metric::RssPeakBytes) {
        (memory.rank, memory.behind) = (Some(Rank { best: 2, worst: 4 }), vec![0]);
    }
    cell
}

fn json() -> Vec<Cell> {
    let everything = [
        Metric::GoodputRps,
        Metric::ServerCpuUsPerRequest,
        Metric::LatencyP50Ms,
        Metric::LatencyP99Ms,
    ];
    vec![
        cell(("actix-web", "default", "json"), (98_700.0, 1), (10.1, 1)),
        cell(("axum", "default", "json"), (97_900.0, 1), (10.2, 1)),
        cell(("axum", "tuned", "json"), (95_100.0, 2), (10.6, 2)),
        cell(("ceiling", "default", "json"), (187_000.0, 1), (4.95, 1)),
        cell(("hyper", "default", "json"), (99_900.0, 1), (10.0, 1)),
        cell(("reference", "default", "json"), (90_400.0, 1), (11.0, 1)),
        apart(
            cell(("rocket", "default", "json"), (51_000.0, 3), (19.7, 3)),
            Verdict::Unstable,
            "goodput of the 15 trials spread by 31 %",
            &everything,
        ),
        not_built("json"),
    ]
}

fn cpu_open() -> Vec<Cell> {
    let crashed = Cell {
        verdict: Verdict::Crashed,
        reasons: vec![HOSTILE_REASON.to_owned()],
        metrics: BTreeMap::new(),
        ..cell(("rocket", "default", "cpu-open"), (0.0, 1), (0.0, 1))
    };
    vec![
        cell(("actix-web", "default", "cpu-open"), (1_999.0, 1), (412.0, 1)),
        cell(("axum", "default", "cpu-open"), (1_998.0, 1), (415.0, 1)),
        cell(("axum", "tuned", "cpu-open"), (1_999.5, 1), (414.0, 1)),
        cell(("ceiling", "default", "cpu-open"), (1_999.0, 1), (405.0, 1)),
        cell(("hyper", "default", "cpu-open"), (1_999.0, 1), (411.0, 1)),
        cell(("reference", "default", "cpu-open"), (1_999.0, 1), (413.0, 1)),
        crashed,
        not_built("cpu-open"),
    ]
}

fn not_built(scenario: &str) -> Cell {
    Cell {
        verdict: Verdict::BuildFailed,
        reasons: vec!["error[E0425]: cannot find value `x`".to_owned()],
        metrics: BTreeMap::new(),
        ..cell(("zz-hostile", "default", scenario), (0.0, 1), (0.0, 1))
    }
}

/// A valid cell of (app, variant, scenario) with goodput and CPU per request and the ranks of both.
fn cell((app, variant, scenario): (&str, &str, &str), goodput: (f64, u32), cpu: (f64, u32)) -> Cell {
    let (goodput_of_reference, cpu_of_reference) = match scenario {
        "plaintext" => (118_000.0, 8.42),
        "json" => (90_400.0, 11.0),
        _ => (1_999.0, 413.0),
    };
    let metrics = [
        (
            Metric::GoodputRps,
            summary(goodput.0, goodput.0 / goodput_of_reference, Some(goodput.1)),
        ),
        (
            Metric::ServerCpuUsPerRequest,
            summary(cpu.0, cpu.0 / cpu_of_reference, Some(cpu.1)),
        ),
        (Metric::LatencyP50Ms, summary(0.51, 1.0, None)),
        (Metric::LatencyP99Ms, summary(1.24, 1.0, None)),
        (Metric::RssIdleBytes, summary(4.2 * MIB, 1.0, Some(1))),
        (Metric::RssPeakBytes, summary(12.3 * MIB, 1.0, Some(1))),
        (Metric::RssAfterBytes, summary(11.9 * MIB, 1.0, None)),
        (Metric::StartupMs, summary(3.1, 1.0, Some(1))),
    ];
    Cell {
        app: app.to_owned(),
        variant: variant.to_owned(),
        scenario: scenario.to_owned(),
        verdict: Verdict::Valid,
        reasons: Vec::new(),
        metrics: BTreeMap::from(metrics),
    }
}

fn summary(median: f64, ratio: f64, rank: Option<u32>) -> Summary {
    let around = |value: f64| {
        Some(Interval {
            low: value * 0.97,
            high: value * 1.04,
        })
    };
    let ratio = Some(Ratio {
        estimate: ratio,
        interval: around(ratio),
        ..Ratio::default()
    });
    Summary {
        median,
        interval: around(median),
        trials: 15,
        ratio,
        rank: rank.map(|place| Rank {
            best: place,
            worst: place,
        }),
        trusted: true,
        ..Summary::default()
    }
}

/// The cell with a verdict against it, and with the metrics that this verdict does not leave standing.
fn apart(mut cell: Cell, verdict: Verdict, reason: &str, metrics: &[Metric]) -> Cell {
    cell.verdict = verdict;
    cell.reasons = vec![reason.to_owned()];
    for metric in metrics {
        if let Some(summary) = cell.metrics.get_mut(metric) {
            (summary.trusted, summary.rank) = (false, None);
        }
    }
    cell
}

/// One of the trials of the first cell. Reports show the summary, so a few are enough.
fn trial(round: u32) -> Trial {
    Trial {
        app: "actix-web".into(),
        variant: "default".into(),
        scenario: "plaintext".into(),
        round,
        order: round,
        attempt: 1,
        started_at: "2026-11-21T11:00:00Z".parse().expect("a time"),
        requests: BTreeMap::from([("200".into(), 1_234_560)]),
        seconds: Some(10.0),
        goodput_rps: Some(123_456.0),
        server_cpu_us_per_request: Some(8.1),
        server_cpu_share: Some(0.99),
        generator_cpu_share: Some(0.6),
        steal_share: Some(0.0),
        startup_ms: Some(3.1),
        ..Trial::default()
    }
}
