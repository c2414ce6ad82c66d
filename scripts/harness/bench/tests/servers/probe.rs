//! `bench probe` on a server that is wrong. Results and their places are in `smoke/contract.rs`.

use crate::common::Bench;

#[test]
fn a_failed_case_is_a_result_and_shown_with_its_source() {
    let bench = Bench::on_fixtures();
    let said = bench.call("probe --app wrong-body --case plain-get").fine().stdout;
    for part in [
        "fails",
        "1 of 1",
        "wrong-body must plain-get: 200 open, with another body",
        "RFC 9112, section 2.1",
        "sent",
        "came",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}
