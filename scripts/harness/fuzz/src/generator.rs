//! What load generators report of a server under test.

use std::sync::LazyLock;
use std::time::Duration;

use apps::profile::Profiles;
use model::scenario::{GeneratorKind, Scenario};
use serde_json::{Value, json};

use crate::surgery;

/// The report of a load generator, whose kind the first byte says, and behind a line of `---` the file of requests that h2load writes.
pub fn generator(data: &[u8]) {
    const LINE: &[u8] = b"\n---\n";
    let Some((kind, data)) = data.split_first() else { return };
    let (kind, data) = match kind {
        b'w' => (GeneratorKind::Wrk, data.to_vec()),
        b'h' => (GeneratorKind::H2load, data.to_vec()),
        _ => (GeneratorKind::Oha, surgery::document(data, &OHA)),
    };
    let line = data.windows(LINE.len()).position(|window| window == LINE);
    let (stdout, log) = line.map_or((&*data, &[][..]), |at| (&data[..at], &data[at + LINE.len()..]));
    if let Ok(load) = generator::parse(kind, &PLAINTEXT, 0.0, stdout, log, Duration::ZERO) {
        assert!(load.seconds > 0.0 && load.seconds.is_finite());
        if let Some(latency) = load.latency {
            assert!(latency.min.is_finite() && latency.max.is_finite());
        }
    }
}

static PLAINTEXT: LazyLock<Scenario> = LazyLock::new(|| {
    let profiles = Profiles::built_in();
    let profile = profiles.profile("smoke").expect("a profile");
    profiles.scenario("plaintext", profile).expect("a scenario")
});

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
