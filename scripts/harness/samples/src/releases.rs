//! What `bench releases` finds.

use model::{AnswerHead, AppRecord, Cost, CostTools, Costs, DEFAULT_VARIANT, Record, Release, RequestCosts, Syscalls};

use crate::{HOSTILE_REASON, record};

/// A run of a day (`2026-11-21`) with the releases of a crate beneath axum, the newest first: version, day of its publication, and the
/// instructions of a request in plaintext; json takes twice as many. One without them did not build. 0.8.7 was taken back, and made a fourth
/// system call out of three. A version that ends with ` then` stands on the crates of its day. Counts of
/// ntex differ by 4 % among themselves.
#[must_use]
pub fn releases(day: &str, of: &str, releases: &[(&str, &str, Option<f64>)]) -> Record {
    let sample = record();
    let axum = sample
        .apps
        .iter()
        .find(|app| (&*app.id, &*app.variant) == ("axum", DEFAULT_VARIANT));
    let axum = axum.expect("a sample has axum");
    let apps = releases.iter().map(|(version, published, instructions)| {
        let then = version.strip_suffix(" then");
        let (version, of_its_day) = (then.unwrap_or(version), then.is_some());
        let request = |scenario: &str, instructions: f64| RequestCosts {
            scenario: scenario.to_owned(),
            head: Cost::Measured(AnswerHead {
                bytes: 129,
                fields: ["content-type", "date"].map(str::to_owned).into(),
            }),
            instructions: Cost::Measured(instructions),
            instructions_each: vec![instructions, instructions * if of == "ntex" { 1.04 } else { 1.001 }],
            syscalls: Cost::Measured(Syscalls {
                total: if version == "0.8.7" { 4.02 } else { 3.04 },
                by_name: [("recvfrom".to_owned(), 1.0)].into(),
            }),
        };
        let requests = instructions.map(|count| vec![request("plaintext", count), request("json", 2.0 * count)]);
        AppRecord {
            variant: version.replace('.', "-"),
            framework_version: version.to_owned(),
            build_error: instructions
                .is_none()
                .then(|| format!("error[E0308]: {HOSTILE_REASON}")),
            costs: Some(Costs {
                with: CostTools {
                    jobs: 2,
                    valgrind: Some("valgrind-3.19.0".to_owned()),
                    strace: Some("strace 6.1".to_owned()),
                    strip: None,
                },
                build: None,
                requests: requests.unwrap_or_default(),
                release: Some(Release {
                    of: of.to_owned(),
                    version: version.to_owned(),
                    published: format!("{published}T12:00:00Z").parse().ok(),
                    yanked: version == "0.8.7",
                    of_its_day,
                    together_with: Vec::new(),
                }),
            }),
            ..axum.clone()
        }
    });
    Record {
        id: format!("{}T110000Z-2a", day.replace('-', "")),
        profile: "releases".to_owned(),
        started_at: format!("{day}T11:00:00Z").parse().expect("a day"),
        finished_at: format!("{day}T11:42:00Z").parse().expect("a day"),
        apps: apps.collect(),
        scenarios: sample.scenarios[..2].to_vec(),
        trials: Vec::new(),
        summary: Vec::new(),
        ..sample
    }
}
