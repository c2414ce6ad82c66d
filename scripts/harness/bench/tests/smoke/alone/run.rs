//! `bench run`, and `bench report` of what it found.

use std::collections::{BTreeMap, BTreeSet};

use analyze::machine_state;
use model::{Cell, Lane, Metric, Record, Stopped, Trial, Verdict};

use crate::common::{Bench, cell, planned};

/// The framework, and who only is compared with.
const APPS: [&str; 3] = ["axum", "ceiling", "reference"];

/// App, scenario and round of each planned trial, in the order in which they were made.
fn order(record: &Record) -> Vec<(&str, &str, u32)> {
    planned(record)
        .map(|trial| (&*trial.app, &*trial.scenario, trial.round))
        .collect()
}

/// Not where the machine disturbed it, or was in no good state in its round.
fn is_measured(trial: &Trial, record: &Record) -> bool {
    let has_figures = |trial: &Trial| trial.server_cpu_us_per_request.is_some();
    // One that was driven apart has no state of its own, and figures only where the others of its round have.
    let shares_round =
        |other: &&Trial| !other.apart && (other.round, &other.scenario) == (trial.round, &trial.scenario);
    let is_in_good_state = match (trial.apart, trial.state) {
        (true, _) => record.trials.iter().filter(shares_round).any(has_figures),
        (false, state) => state.is_none() || has_figures(trial),
    };
    trial.verdict != Verdict::EnvironmentFailed && is_in_good_state
}

#[test]
fn a_framework_is_measured_by_every_rule_and_reported() {
    let bench = Bench::on_the_apps();
    let line = "--verbose --app axum --scenario plaintext,simple --duration 100ms --connections 4 --rounds 5 --seed 42";
    let ran = bench.run(line).fine();
    let record = bench.record();
    let path = bench.files().remove(0);
    assert!(
        ran.stdout.ends_with(&format!("record: {}\n", path.display())),
        "{ran:#?}"
    );
    assert_eq!(path, bench.results().join(format!("local/{}.json", record.id)));
    assert!(record.id.ends_with("Z-2a"), "{}", record.id);
    let begun_as = (record.lane, record.seed, &*record.profile);
    assert_eq!(begun_as, (Lane::Local, 42, "first-look"));
    let ended_as = (record.harness.rounds, record.harness.stopped);
    assert_eq!(ended_as, (5, Stopped::RoundsDone));

    rounds_are_whole_and_shuffled(&record);
    let (server, generator) = (&record.environment.server_cpus, &record.environment.generator_cpus);
    assert!(
        server.iter().all(|cpu| !generator.contains(cpu)),
        "each has its own cpus"
    );
    assert_eq!(record.environment.oha, "1.16.0");
    for trial in record.trials.iter().filter(|trial| is_measured(trial, &record)) {
        trial_is_complete(trial, server.len());
    }
    figures_follow_from_slices(&record);
    for cell in &record.summary {
        cell_follows_from_trials(cell, &record);
    }

    let line = format!("report latest --results {}", bench.results().display());
    let report = bench.call(&line).fine();
    for name in ["Axum", "Reference", "Ceiling"] {
        assert!(
            report.stdout.contains(name) && ran.stdout.contains(name),
            "{name}: {report:#?}"
        );
    }
}

/// Every app once per scenario in every round, reference and ceiling among them, in an order of its own.
fn rounds_are_whole_and_shuffled(record: &Record) {
    let mut orders: BTreeMap<u32, Vec<(&str, &str)>> = BTreeMap::new();
    for (app, scenario, round) in order(record) {
        orders.entry(round).or_default().push((app, scenario));
    }
    assert!(orders.keys().copied().eq(1..=5));
    assert!(orders.values().any(|order| *order != orders[&1]), "they are shuffled");
    let all: Vec<_> = APPS
        .into_iter()
        .flat_map(|app| [(app, "plaintext"), (app, "simple")])
        .collect();
    for mut round in orders.into_values() {
        round.sort_unstable();
        assert_eq!(round, all);
    }
    let of_controls = record.controls.iter().flat_map(|control| &control.trials);
    let mut places: Vec<u32> = record
        .trials
        .iter()
        .chain(of_controls)
        .map(|trial| trial.order)
        .collect();
    places.sort_unstable();
    assert!(
        places.iter().copied().eq(1..=u32::try_from(places.len()).unwrap()),
        "{places:?}"
    );
}

/// Everything that the design requires of a trial is there, and fits together.
fn trial_is_complete(trial: &Trial, server_cpus: usize) {
    assert_eq!(trial.verdict == Verdict::Valid, trial.reasons.is_empty(), "{trial:?}");
    assert!(trial.verdict < Verdict::EnvironmentFailed, "{trial:?}");
    let (seconds, answered) = (trial.seconds.unwrap(), trial.requests["200"]);
    let slices = trial.slices.as_ref().unwrap();
    assert!(answered > 0 && slices.answers.iter().sum::<u64>() == answered);
    let sum = |column: &[u64]| column.iter().sum::<u64>() as f64 / 1e6;
    assert!((sum(&slices.length_us) - seconds).abs() < 1e-3);
    let latency = trial.latency_ms.unwrap();
    assert!(latency.min <= latency.p50 && latency.p50 <= latency.p99 && latency.p99 <= latency.max);
    let (cpu, share) = (sum(&slices.server_cpu_us), trial.server_cpu_share.unwrap());
    assert!(cpu > 0.0 && (cpu / seconds / server_cpus as f64 - share).abs() < 1e-3);
    assert!((0.0..=1.0).contains(&trial.system_cpu_share.unwrap()));
    assert!(trial.goodput_rps.unwrap() > 0.0 && trial.server_cpu_us_per_request.unwrap() > 0.0);
    assert!(trial.idle_cpu_share.unwrap() >= 0.0 && trial.other_cpu_share.unwrap() >= 0.0);
    assert!(trial.generator_cpu_share.unwrap() > 0.0);
    let memory = trial.rss_bytes.unwrap();
    assert!(memory.peak >= memory.after && memory.idle > 100_000, "{memory:?}");
    assert!(trial.startup_ms.unwrap() > 0.0);
}

/// What a trial says is what the slices of its round come to, and can be computed again from the record.
fn figures_follow_from_slices(record: &Record) {
    let mut again = record.clone();
    // An attempt that was repeated is left out.
    let is_settled = |trial: &Trial| !trial.apart && trial.state.is_some();
    for trial in again.trials.iter_mut().filter(|trial| is_settled(trial)) {
        trial.server_cpu_us_per_request = trial.server_cpu_us_per_request.map(|_| 1.0);
    }
    machine_state::figures_in_good_state(&mut again);
    let figure = |trial: &Trial| trial.server_cpu_us_per_request.unwrap_or_default();
    for (trial, again) in record
        .trials
        .iter()
        .zip(&again.trials)
        .filter(|(trial, _)| !trial.apart)
    {
        assert!((figure(trial) - figure(again)).abs() < 1e-9, "{trial:?}");
    }
}

/// Five rounds make an interval. Ratios are to the reference, and who only is compared with gets no rank.
fn cell_follows_from_trials(cell: &Cell, record: &Record) {
    // At worst the machine disturbed it.
    let Some(cpu) = cell.metrics.get(&Metric::ServerCpuUsPerRequest) else {
        assert_eq!(cell.verdict, Verdict::EnvironmentFailed, "{cell:?}");
        return;
    };
    // The last attempt of a round counts: where the machine disturbed one server, all of them are driven again.
    let rounds = |app: &str| -> BTreeSet<u32> {
        let of = |trial: &&Trial| trial.app == app && trial.scenario == cell.scenario;
        let trials = record.trials.iter().filter(of);
        let last: BTreeMap<u32, &Trial> = trials.map(|trial| (trial.round, trial)).collect();
        last.into_values()
            .filter(|trial| is_measured(trial, record))
            .map(|trial| trial.round)
            .collect()
    };
    let own = rounds(&cell.app);
    assert_eq!(cpu.trials as usize, own.len(), "{cell:?}");
    assert_eq!(cpu.interval.is_some(), own.len() >= 5);
    // The machine may have disturbed a trial twice, of this app or of the reference that it is divided by.
    if own.intersection(&rounds("reference")).count() < 5 {
        return;
    }
    let ratio = cpu.ratio.as_ref().unwrap();
    assert!(ratio.interval.is_some());
    assert!(cell.app != "reference" || (ratio.estimate - 1.0).abs() < 1e-12);
    let mut metrics = cell.metrics.values();
    assert!(metrics.all(|summary| summary.rank.is_none() || cell.app == "axum"));
}

#[test]
fn what_fails_becomes_a_verdict_and_stops_nobody() {
    let bench = Bench::on_fixtures();
    let fails = [
        ("dies-under-load", Verdict::Crashed, "out of luck after"),
        ("unbuildable", Verdict::BuildFailed, "mismatched types"),
        (
            "wrong-body",
            Verdict::ContractFailed,
            "GET /: expected `Hello, World!`, got `Hello, Wurld!`",
        ),
    ];
    let apps = "good,dies-under-load,unbuildable,wrong-body";
    let line = format!("--verbose --app {apps} --scenario plaintext --duration 300ms --connections 4 --rounds 2");
    let output = bench.run(&line).fine();
    let record = bench.record();
    let cell = |app| cell(&record, app, "plaintext");
    for (app, verdict, expected) in fails {
        let cell = cell(app);
        assert_eq!(cell.verdict, verdict, "{cell:?}");
        assert!(cell.reasons.iter().any(|reason| reason.contains(expected)), "{cell:?}");
        assert!(cell.metrics.is_empty(), "what failed has no figures: {cell:?}");
        assert!(output.stdout.contains(app), "{output:#?}");
    }
    let good = cell("good");
    let unmeasured = |trial: &Trial| trial.app == "good" && !is_measured(trial, &record);
    let is_spoilt = good.verdict == Verdict::EnvironmentFailed || record.trials.iter().any(unmeasured); // at worst
    assert!(is_spoilt || good.metrics.contains_key(&Metric::GoodputRps), "{good:?}");
    let mut errors = record.apps.iter().filter_map(|app| app.build_error.as_deref());
    assert!(errors.any(|error| error.contains("E0308")));
    assert!(bench.children().is_empty());
}
