//! `bench probe` on servers that are right, wrong and not there.

use jiff::Timestamp;
use model::probe::store;
use serde_json::Value;

use crate::common::Bench;

fn results<'a>(document: &'a Value, app: &str) -> Vec<&'a Value> {
    let all = document["results"].as_array().unwrap();
    all.iter().filter(|one| one["app"] == app).collect()
}

#[test]
fn cases_pass_or_fail_with_their_bytes_and_what_cannot_be_probed_is_said() {
    let bench = Bench::on_fixtures();
    let apps = "good,wrong-body,dies-at-once,unbuildable";
    let cases = "plain-get,pipelined-three,date,connection-close";
    let output = bench.call(&["probe", "--app", apps, "--case", cases, "--format", "json"]);
    assert_eq!(output.status, Some(1), "{output:#?}");
    for name in [
        "dies-at-once cannot be probed: the server died",
        "unbuildable cannot be probed: ",
    ] {
        assert!(output.stderr.contains(name), "{name}: {output:#?}");
    }
    let document = output.json();
    assert_eq!(document["cases"].as_array().unwrap().len(), 4);
    assert!(results(&document, "reference").is_empty(), "only what was named");
    let good = results(&document, "good");
    assert_eq!(good.len(), 4);
    let plain = good.iter().find(|one| one["case"] == "plain-get").unwrap();
    assert_eq!(plain["outcome"], "passed", "{plain}");
    assert_eq!(plain["got"], "200 open");
    let sent = document["cases"][0]["sent"].as_str().unwrap();
    assert!(sent.starts_with("GET / HTTP/1.1\\r\\nHost: localhost\\r\\n"), "{sent}");
    let dead = &document["apps"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["app"]["id"] == "dies-at-once")
        .unwrap();
    assert!(dead["not_probed"].as_str().unwrap().contains("died"), "{dead}");
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
    let output = bench
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
        assert!(output.stdout.contains(part), "{part}: {}", output.stdout);
    }
    let output = bench.call(&["probe", "--case", "host-twic"]);
    assert_eq!(output.status, Some(2));
    assert!(output.error().contains("host-twice"), "{output:#?}");
    let output = bench.call(&["probe", "--case", "nothing-like-it"]);
    assert!(output.error().contains("`bench probe --list` shows all"), "{output:#?}");
    let output = bench.call(&["probe", "--protocol", "http2-tls", "--group", "fields"]);
    assert!(
        output
            .error()
            .contains("no case is in these groups and over these protocols"),
        "{output:#?}"
    );
    let output = bench.call(&["probe", "--protocol", "http9"]);
    assert_eq!(output.status, Some(2));
    assert!(
        output
            .stderr
            .contains("[possible values: http1, http1-tls, http2, http2-tls]"),
        "{output:#?}"
    );
    let output = bench.call(&["probe", "--list", "--format", "json"]).fine();
    assert!(output.json().as_array().unwrap().len() >= 100);
}

#[test]
fn a_probe_is_kept_in_the_requested_folder_and_not_overwritten() {
    let bench = Bench::on_fixtures();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let output = bench
        .call(&["probe", "--app", "good", "--case", "date", "--out", out])
        .fine();
    let path = store::all(folder.path(), Timestamp::MAX).remove(0);
    assert!(
        output.stderr.contains(&format!("probes: {}", path.display())),
        "{output:#?}"
    );
    let probes = store::read(&path).unwrap();
    assert_eq!((probes.results.len(), probes.origin.whole), (1, false));
    let error = store::write(folder.path(), &probes).unwrap_err();
    assert!(error.to_string().contains("is not overwritten"), "{error}");
}
