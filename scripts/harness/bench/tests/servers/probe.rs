//! `bench probe` on a server that is wrong. Results and their places are in `smoke/contract.rs`.

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
