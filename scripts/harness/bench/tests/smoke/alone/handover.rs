//! `bench build` on one machine, `bench run --binaries` on another that has no compiler.

use std::fs;
use std::num::NonZeroU32;

use crate::common::{Bench, CommandOutput, elsewhere, oha};

#[test]
fn what_was_built_here_is_measured_where_there_is_no_compiler() {
    let bench = Bench::on_fixtures();
    let handover = bench.results().join("handover");
    let mut build = bench.command("build --app good,unbuildable --cargo-profile dev --layout 7 --out");
    build.arg(&handover).arg("--oha").arg(oha());
    let output = CommandOutput::run(build).fine();
    // Reference and ceiling belong to every run.
    assert!(output.stdout.contains("3 of 4 programs"), "{output:#?}");
    assert!(output.stderr.contains("unbuildable could not be built"), "{output:#?}");
    let files = || fs::read_dir(&handover).unwrap().count();
    let before = files();

    let run = "run --app good,unbuildable --scenario plaintext --duration 100ms --connections 4 --rounds 1 --split 1:1";
    elsewhere(&handover, &format!("{run} --lane self-hosted --out results")).fine();
    let mut records = fs::read_dir(bench.results().join("results/self-hosted")).unwrap();
    let record = analyze::reading::read(&records.next().unwrap().unwrap().path()).unwrap();
    assert!(records.next().is_none(), "one record");
    assert_eq!(record.harness.cargo_profile, "dev");
    let mut warnings = record.environment.warnings.iter();
    assert!(warnings.any(|warning| warning.contains("cargo profile `dev`")));
    let rustc = &record.environment.rustc;
    assert!(rustc.starts_with("rustc "), "of the machine that built: {rustc}");
    assert_eq!(record.apps.len(), 4);
    for app in &record.apps {
        assert_eq!(app.build_error.is_some(), app.id == "unbuildable", "{app:?}");
        assert_ne!(app.build_error.is_some(), app.binary_bytes.is_some(), "{app:?}");
        assert_eq!(app.layout_seed, NonZeroU32::new(7));
    }
    assert_eq!(files(), before, "it is only read");
}
