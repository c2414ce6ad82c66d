//! `bench run --profile costs` from end to end: real builds, real servers, valgrind and strace. The tests check which figures
//! there are and how these relate, never how large they are on this machine.

use std::fs;
use std::path::Path;

use crate::common::{Bench, CommandOutput};
use model::{AppRecord, Record, Syscalls};

fn app<'a>(record: &'a Record, id: &str) -> &'a AppRecord {
    record.apps.iter().find(|app| app.id == id).unwrap()
}

/// Names of all that lies below `folder`, and when it was changed.
fn seen(folder: &Path) -> Vec<(std::path::PathBuf, std::time::SystemTime)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            if entry.file_name() != "target" {
                found.extend(seen(&path));
            }
        } else {
            found.push((path.clone(), path.metadata().unwrap().modified().unwrap()));
        }
    }
    found.sort();
    found
}

#[test]
fn what_servers_cost_is_found_and_nothing_is_left_behind() {
    let bench = Bench::on_fixtures();
    let before = seen(bench.root());
    // The fixtures depend on a crate outside of their root, which lies as many folders above a copy in this one.
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("target");
    let line = "--profile costs --app good,wrong-body,unbuildable --scenario plaintext,plaintext-http2 --rounds 2";
    let mut command = bench.run_command(line);
    command.env("CARGO_TARGET_DIR", &target);
    let output = CommandOutput::run(command).fine();
    assert_eq!(seen(bench.root()), before, "nothing of the user's is touched");
    let record = bench.record();
    assert!(record.measures_costs() && record.trials.is_empty());
    // What follows from no trials: that one of them could not be built.
    assert!(
        record.summary.iter().all(|cell| cell.app == "unbuildable"),
        "{:?}",
        record.summary
    );
    assert_eq!((record.profile.as_str(), record.harness.rounds), ("costs", 2));

    let good = app(&record, "good");
    let costs = good.costs.as_ref().unwrap();
    let build = costs.build.as_ref().unwrap();
    let clean = *build.clean_build_seconds.figure().unwrap();
    let again = build.incremental_build_seconds.figure().unwrap();
    assert_eq!(again.each.len(), 2);
    assert!(
        again.median > 0.0 && again.median < clean,
        "dependencies are not built again"
    );
    assert!(*build.stripped_bytes.figure().unwrap() < good.binary_bytes.unwrap());
    // All crates that the lockfile knows beneath it, less what other systems and unused features need.
    let crates = build.dependencies.figure().unwrap();
    let catalog = apps::catalog::Catalog::read(bench.root()).unwrap();
    let locked = &catalog.app("good").unwrap().dependencies;
    assert!(
        crates.names > 4 && crates.names as usize <= locked.len(),
        "{crates:?} of {}",
        locked.len()
    );
    assert!(crates.versions >= crates.names);
    assert!(costs.with.jobs > 0 && costs.with.valgrind.is_some() && costs.with.strace.is_some());

    let [plaintext, http2] = costs.requests.as_slice() else {
        panic!("two scenarios: {costs:#?}")
    };
    assert!(*plaintext.instructions.figure().unwrap() > 100.0);
    reads_and_writes(plaintext.syscalls.figure().unwrap());
    // The fixtures speak HTTP/1.1 only; no request is made in another protocol, and the reason is given.
    assert!(http2.instructions.reason().unwrap().contains("HTTP/1.1"), "{http2:?}");

    // Neither a server that answers wrongly nor one that cannot be built costs the others their figures.
    let wrong = app(&record, "wrong-body").costs.as_ref().unwrap();
    let reason = wrong.requests[0].syscalls.reason().unwrap();
    assert!(reason.starts_with("it breaks the contract"), "{reason}");
    assert!(wrong.build.as_ref().unwrap().clean_build_seconds.figure().is_some());
    let unbuildable = app(&record, "unbuildable");
    assert!(unbuildable.costs.is_none() && unbuildable.build_error.is_some());
    for expected in ["Rebuild, s", "For each request of", "unbuildable could not be built"] {
        assert!(output.stdout.contains(expected), "{expected}: {output:#?}");
    }
    assert!(output.stderr.contains("good: clean build"), "{output:#?}");

    // Nothing runs on, and gigabytes of builds are gone.
    bench.wait_for_no_children(crate::common::PATIENCE);
    let left = fs::read_dir(target).unwrap().flatten();
    let left: Vec<_> = left
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("costs-"))
        .collect();
    assert!(left.is_empty(), "{left:?}");

    let path = bench.files().remove(0);
    let line = format!("report {} --format markdown", path.display());
    let report = bench.call(&line).fine();
    assert!(
        report.stdout.contains("## Costs") && !report.stdout.contains("## plaintext"),
        "{report:#?}"
    );
}

/// The fixtures read a request and write its answer, by blocking calls: at least one of each, and hardly more.
fn reads_and_writes(found: &Syscalls) {
    let count = |names: &[&str]| -> f64 { names.iter().filter_map(|name| found.by_name.get(*name)).sum() };
    let (reads, writes) = (
        count(&["read", "recvfrom"]),
        count(&["write", "writev", "sendto", "sendmsg"]),
    );
    assert!(
        (0.99..20.0).contains(&reads) && (0.99..20.0).contains(&writes),
        "{found:?}"
    );
    let sum: f64 = found.by_name.values().sum();
    assert!((sum - found.total).abs() < 1e-6, "{found:?}");
}
