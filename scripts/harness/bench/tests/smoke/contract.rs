//! `bench check` and `bench probe`.

use analyze::reading;
use apps::catalog::Catalog;
use jiff::Timestamp;
use model::store;
use serde_json::{Value, json};

use crate::common::Bench;

#[test]
fn a_framework_keeps_the_contract_in_every_protocol() {
    let bench = Bench::on_the_apps();
    let line = "check --app axum --variant default --cargo-profile dev --format json";
    let output = bench.call(line).fine();
    let catalog = Catalog::read(bench.root()).unwrap();
    let spoken = catalog.app("axum").unwrap().protocols.iter();
    let claimed: Vec<Value> = spoken.map(|protocol| json!([protocol.id(), "valid"])).collect();
    assert_eq!(claimed.len(), 4, "HTTP/1.1 and HTTP/2, with and without TLS");
    let text = |found: &Value| json!([found["protocol"], found["verdict"]]);
    let found: Vec<Value> = output.json().as_array().unwrap().iter().map(text).collect();
    assert_eq!(found, claimed);
}

#[test]
fn probes_pass_or_fail_with_their_bytes_and_are_kept() {
    let bench = Bench::on_fixtures();
    let line = "probe --app good,wrong-body,dies-at-once,unbuildable --cargo-profile dev --case plain-get,pipelined-three,date,connection-close --format json";
    let output = bench.call(&format!("{line} --out {}", bench.results().display()));
    assert_eq!(output.status, Some(1), "{output:#?}");
    for reason in [
        "dies-at-once cannot be probed: the server died",
        "unbuildable cannot be probed: ",
    ] {
        assert!(output.stderr.contains(reason), "{reason}: {output:#?}");
    }
    let record = output.json();
    let sent = record["cases"][0]["sent"].as_str().unwrap();
    assert!(sent.starts_with("GET / HTTP/1.1\\r\\nHost: localhost\\r\\n"), "{sent}");
    let results = |app: &'static str| {
        let all = record["probed"].as_array().unwrap().iter();
        all.filter(move |one| one["app"] == app)
    };
    let counts = ["good", "wrong-body", "reference"].map(|app| results(app).count());
    assert_eq!(counts, [4, 4, 0], "only what was named");
    let plain = |app| results(app).find(|one| one["case"] == "plain-get").unwrap();
    for (app, outcome, got, body) in [
        ("good", "passed", "200 open", "Hello, World!"),
        ("wrong-body", "failed", "200 open, with another body", "Hello, Wurld!"),
    ] {
        let plain = plain(app);
        assert_eq!((&plain["outcome"], &plain["got"]), (&json!(outcome), &json!(got)));
        assert!(plain["received"].as_str().unwrap().ends_with(body), "{plain}");
    }
    let path = store::of_probes(bench.results(), Timestamp::MAX).remove(0);
    assert!(
        output.stderr.contains(&format!("probes: {}", path.display())),
        "{output:#?}"
    );
    let kept = reading::read(&path).unwrap();
    assert_eq!((kept.probed.len(), kept.harness.whole), (8, false));
    let dead = kept.app("dies-at-once", "default").unwrap();
    assert!(dead.not_probed.as_ref().unwrap().contains("died"), "{dead:?}");
    let error = store::write(bench.results(), &kept).unwrap_err();
    assert!(error.to_string().contains("is not overwritten"), "{error}");
}
