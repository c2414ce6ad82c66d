//! What a run takes from outside: programs that another machine built, and what load generators print.

use std::sync::LazyLock;

use measure::generator;
use measure::handover::Handover;
use record::scenario::GeneratorKind;
use serde_json::{Value, json};

use crate::{Parts, surgery};

/// A handover, as `bench run --binaries` takes it.
pub fn handover(data: &[u8], _: Parts) {
    static GOOD: LazyLock<Value> =
        LazyLock::new(|| serde_json::from_str(include_str!("../corpus/handover/good.json")).expect("JSON"));
    let bytes = surgery::document(data, &GOOD);
    let Ok(text) = str::from_utf8(&bytes) else { return };
    if let Ok(handover) = Handover::parse(text) {
        let again = serde_json::to_string(&handover).expect("a handover is JSON");
        assert!(Handover::parse(&again).is_ok_and(|again| again == handover));
    }
}

/// The report of a load generator, whose kind the first byte says, and behind a line of `---` the file of requests that h2load writes; or what
/// the agent on another machine says of its load.
pub fn generator(data: &[u8], _: Parts) {
    let Some((kind, data)) = data.split_first() else { return };
    match kind {
        b'w' => report(GeneratorKind::Wrk, data),
        b'h' => report(GeneratorKind::H2load, data),
        b'a' => look_at(generator::parse_from_elsewhere(&surgery::document(data, &AGENT))),
        _ => report(GeneratorKind::Oha, &surgery::document(data, &OHA)),
    }
}

fn report(kind: GeneratorKind, data: &[u8]) {
    const LINE: &[u8] = b"\n---\n";
    let line = data.windows(LINE.len()).position(|window| window == LINE);
    let (stdout, log) = line.map_or((data, &[][..]), |at| (&data[..at], &data[at + LINE.len()..]));
    look_at(generator::parse(kind, stdout, log));
}

fn look_at(load: Result<generator::Load, String>) {
    if let Ok(load) = load {
        assert!(load.elsewhere.is_none_or(|elsewhere| !elsewhere.link_share.is_nan()));
        assert!(load.seconds > 0.0 && load.seconds.is_finite());
        if let Some(latency) = load.latency {
            assert!(latency.min.is_finite() && latency.max.is_finite());
        }
    }
}

/// As oha 1.16.0 reports.
static OHA: LazyLock<Value> = LazyLock::new(|| {
    json!({
        "summary": {"successRate": 1.0, "total": 0.2, "slowest": 0.01, "fastest": 0.0001, "average": 0.001,
                    "requestsPerSec": 1000.0, "totalData": 2600, "sizePerRequest": 13, "sizePerSec": 13000.0},
        "latencyPercentiles": {"p10": 0.0002, "p50": 0.0005, "p90": 0.002, "p95": 0.003, "p99": 0.005, "p99.9": 0.01},
        "statusCodeDistribution": {"200": 199, "500": 1},
        "errorDistribution": {"connection refused": 2},
    })
});

/// As an agent says it.
static AGENT: LazyLock<Value> = LazyLock::new(|| {
    json!({
        "answer": "load", "started_ns": 5, "report": {"Ok": OHA.to_string()}, "cpu_us": 150_000, "known_us": 160_000,
        "wall_us": 210_000, "stat": ["cpu0 10 0 10 80 0 0 0 0 0 0", "cpu0 50 0 20 120 0 0 0 10 7 0"],
        "received": 20_000, "sent": 9_000, "latencies": [[100, 150], [10_000, 50]],
    })
});
