//! `bench probe` on servers that are right, wrong and not there.

use jiff::Timestamp;
use model::probe::store;

use crate::common::Bench;

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
