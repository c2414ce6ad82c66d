//! `bench probe` on servers that are right, wrong and not there.

use serde_json::Value;

use crate::common::Bench;

fn results<'a>(document: &'a Value, app: &str) -> Vec<&'a Value> {
    let all = document["probed"].as_array().unwrap();
    all.iter().filter(|one| one["app"] == app).collect()
}

#[test]
fn cases_pass_or_fail_with_their_bytes_and_what_cannot_be_probed_is_said() {
    let bench = Bench::on_fixtures();
    let apps = "good,wrong-body,dies-at-once,unbuildable";
    let cases = "plain-get,pipelined-three,date,connection-close";
    let told = bench.call(&["probe", "--app", apps, "--case", cases, "--format", "json"]);
    assert_eq!(told.status, Some(1), "{told:#?}");
    for name in [
        "dies-at-once cannot be probed: the server died",
        "unbuildable cannot be probed: ",
    ] {
        assert!(told.stderr.contains(name), "{name}: {told:#?}");
    }
    let document = told.json();
    assert_eq!(document["cases"].as_array().unwrap().len(), 4);
    assert!(results(&document, "reference").is_empty(), "only what was named");
    let good = results(&document, "good");
    assert_eq!(good.len(), 4);
    let plain = good.iter().find(|one| one["case"] == "plain-get").unwrap();
    assert_eq!(plain["outcome"], "passed", "{plain}");
    assert_eq!(plain["got"], "200 open");
    assert!(
        plain["sent"]
            .as_str()
            .unwrap()
            .starts_with("GET / HTTP/1.1\\r\\nHost: localhost\\r\\n"),
        "{plain}"
    );
    assert!(
        plain["received"].as_str().unwrap().ends_with("Hello, World!"),
        "{plain}"
    );
    let wrong = results(&document, "wrong-body");
    let plain = wrong.iter().find(|one| one["case"] == "plain-get").unwrap();
    assert_eq!(
        (&plain["outcome"], &plain["got"]),
        (&"failed".into(), &"200 open, with another body".into())
    );
}

#[test]
fn a_failed_case_is_a_result_and_shown_with_its_source() {
    let bench = Bench::on_fixtures();
    let told = bench
        .call(&["probe", "--app", "wrong-body", "--case", "plain-get"])
        .fine();
    for part in [
        "fails",
        "1 of 1",
        "wrong-body must plain-get: 200 open, with another body",
        "RFC 9112, section 2.1",
        "sent",
        "came",
    ] {
        assert!(told.stdout.contains(part), "{part}: {}", told.stdout);
    }
    let told = bench.call(&["probe", "--case", "host-twic"]);
    assert_eq!(told.status, Some(2));
    assert!(told.error().contains("host-twice"), "{told:#?}");
    let told = bench.call(&["probe", "--case", "nothing-like-it"]);
    assert!(told.error().contains("`bench probe --list` shows all"), "{told:#?}");
    let told = bench.call(&["probe", "--list", "--format", "json"]).fine();
    assert!(told.json().as_array().unwrap().len() >= 100);
}
