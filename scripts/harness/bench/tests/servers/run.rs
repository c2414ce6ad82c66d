//! `bench run` from end to end: real servers, the real load generator, a record at the end.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use crate::common::{Bench, CommandOutput, words};
use record::{Lane, Metric, Record, Stopped, Trial, Verdict};

/// App, scenario and round of each planned trial, in the order in which they were made.
fn order(record: &Record) -> Vec<(&str, &str, u32)> {
    crate::common::planned(record)
        .map(|trial| (trial.app.as_str(), trial.scenario.as_str(), trial.round))
        .collect()
}

fn cell<'a>(record: &'a Record, app: &str) -> &'a record::Cell {
    record.summary.iter().find(|cell| cell.app == app).unwrap()
}

#[test]
fn a_run_ends_with_a_record_in_which_every_rule_was_kept() {
    let bench = Bench::on_fixtures();
    let arguments = words("--app good,good-two --scenario plaintext,simple --duration 100ms --connections 4");
    let told = bench
        .run(&[&arguments[..], &["--rounds", "5", "--seed", "42"]].concat())
        .fine();
    let record = bench.record();
    let path = bench.files().remove(0);
    assert!(
        told.stdout.ends_with(&format!("record: {}\n", path.display())),
        "{told:#?}"
    );
    assert_eq!(path, bench.results().join("local").join(format!("{}.json", record.id)));
    assert!(record.id.ends_with("Z-2a"), "{}", record.id);
    assert_eq!(
        (record.lane, record.seed, record.profile.as_str()),
        (Lane::Local, 42, "quick")
    );
    assert_eq!(
        (record.harness.rounds, record.harness.stopped),
        (5, Stopped::RoundsDone)
    );

    // Every app once per scenario in every round, reference and ceiling among them, in an order of its own.
    let mut seen: BTreeMap<u32, Vec<(&str, &str)>> = BTreeMap::new();
    for (app, scenario, round) in order(&record) {
        seen.entry(round).or_default().push((app, scenario));
    }
    assert_eq!(seen.len(), 5);
    let orders: Vec<_> = seen.values().cloned().collect();
    for mut round in seen.into_values() {
        round.sort_unstable();
        let apps = ["ceiling", "good", "good-two", "reference"];
        let all: Vec<_> = apps
            .iter()
            .flat_map(|app| [(*app, "plaintext"), (*app, "simple")])
            .collect();
        assert_eq!(round, all);
    }
    assert!(
        orders.iter().any(|order| *order != orders[0]),
        "the rounds are shuffled"
    );
    let places: Vec<u32> = record.trials.iter().map(|trial| trial.order).collect();
    assert!(
        places.iter().copied().eq(1..=u32::try_from(places.len()).unwrap()),
        "{places:?}"
    );

    let server_cpus = record.environment.server_cpus.len();
    let judged = || {
        record
            .trials
            .iter()
            .filter(|trial| trial.verdict != Verdict::EnvironmentFailed)
    };
    judged().for_each(|trial| complete(trial, server_cpus));
    follows_from_slices(&record);
    // Server and generator had cpus of their own.
    let environment = &record.environment;
    assert!(
        environment
            .server_cpus
            .iter()
            .all(|cpu| !environment.generator_cpus.contains(cpu))
    );
    assert_eq!(environment.oha, "1.16.0");

    // Ratios are to the reference; what is shown of it is 1.
    for cell in &record.summary {
        // At worst the machine spoilt it.
        let Some(cpu) = cell.metrics.get(&Metric::ServerCpuUsPerRequest) else {
            assert_eq!(cell.verdict, Verdict::EnvironmentFailed, "{cell:?}");
            continue;
        };
        // The last attempt of a round counts: where the machine disturbed one server, all of them are driven again.
        let rounds = |app: &str| -> BTreeSet<u32> {
            let of = |trial: &&Trial| trial.app == app && trial.scenario == cell.scenario;
            let last: BTreeMap<u32, Verdict> = record
                .trials
                .iter()
                .filter(of)
                .map(|trial| (trial.round, trial.verdict))
                .collect();
            last.into_iter()
                .filter(|(_, verdict)| *verdict != Verdict::EnvironmentFailed)
                .map(|(round, _)| round)
                .collect()
        };
        let own = rounds(&cell.app);
        assert_eq!(cpu.trials as usize, own.len());
        assert_eq!(cpu.interval.is_some(), own.len() >= 5);
        // The machine may have spoilt a trial twice, of this app or of the reference that it is divided by.
        if own.intersection(&rounds("reference")).count() < 5 {
            continue;
        }
        assert!(cpu.ratio.as_ref().unwrap().interval.is_some());
        let ratio = cpu.ratio.as_ref().unwrap().estimate;
        assert!(cell.app != "reference" || (ratio - 1.0).abs() < 1e-12);
        assert!(
            cell.metrics
                .values()
                .all(|summary| summary.rank.is_none() || cell.app.starts_with("good"))
        );
    }

    // The same seed, the same order.
    let again = bench
        .run(&[&arguments[..], &["--rounds", "5", "--seed", "42", "--format", "json"]].concat())
        .fine();
    let again: Record = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!(order(&again), order(&record));
}

/// Everything that design asks of a trial is there, and fits together.
fn complete(trial: &Trial, server_cpus: usize) {
    assert_eq!(trial.verdict == Verdict::Valid, trial.reasons.is_empty(), "{trial:?}");
    assert!(
        !matches!(
            trial.verdict,
            Verdict::ContractFailed | Verdict::Crashed | Verdict::BuildFailed
        ),
        "{trial:?}"
    );
    let seconds = trial.seconds.unwrap();
    let answered = trial.requests["200"];
    let slices = trial.slices.as_ref().unwrap();
    assert!(answered > 0 && slices.answers.iter().sum::<u64>() == answered);
    let sum = |column: &[u64]| column.iter().sum::<u64>() as f64 / 1e6;
    assert!((sum(&slices.length_us) - seconds).abs() < 1e-3);
    let latency = trial.latency_ms.unwrap();
    assert!(latency.min <= latency.p50 && latency.p50 <= latency.p99 && latency.p99 <= latency.max);
    let cpu = sum(&slices.server_cpu_us);
    let share = trial.server_cpu_share.unwrap();
    assert!(cpu > 0.0 && (cpu / seconds / server_cpus as f64 - share).abs() < 1e-3);
    assert!(trial.goodput_rps.unwrap() > 0.0 && trial.server_cpu_us_per_request.unwrap() > 0.0);
    assert!(trial.idle_cpu_share.unwrap() >= 0.0 && trial.other_cpu_share.unwrap() >= 0.0);
    assert!(trial.generator_cpu_share.unwrap() > 0.0);
    let rss = trial.rss_bytes.unwrap();
    assert!(rss.peak >= rss.after && rss.idle > 100_000, "{rss:?}");
    assert!(trial.startup_ms.unwrap() > 0.0);
}

/// What a trial says is what the slices of its round come to, and can be computed again from the record.
fn follows_from_slices(record: &Record) {
    let rounds: BTreeSet<(&str, u32, u32)> = record
        .trials
        .iter()
        .map(|trial| (trial.scenario.as_str(), trial.round, trial.attempt))
        .collect();
    for (scenario, round, attempt) in rounds {
        let together: Vec<&Trial> = record
            .trials
            .iter()
            .filter(|trial| (trial.scenario.as_str(), trial.round, trial.attempt) == (scenario, round, attempt))
            .filter(|trial| !trial.apart && trial.slices.is_some())
            .collect();
        let rows: Vec<Vec<Option<f64>>> = together
            .iter()
            .map(|trial| {
                let slices = trial.slices.as_ref().unwrap();
                let mut row = vec![None; slices.sub_round.iter().copied().max().unwrap_or(0) as usize];
                for (index, sub_round) in slices.sub_round.iter().enumerate() {
                    let cpu = slices.server_cpu_us[index] as f64 / slices.answers[index] as f64;
                    row[*sub_round as usize - 1] = Some(cpu.ln());
                }
                row
            })
            .collect();
        for (trial, level) in together.iter().zip(judge::stats::polish(&rows)) {
            let cpu = trial.server_cpu_us_per_request.unwrap();
            assert!((level.unwrap().exp() / cpu - 1.0).abs() < 1e-2, "{trial:?}: {level:?}");
        }
    }
}

#[test]
fn a_server_that_works_when_nobody_asks_is_driven_apart_and_says_so() {
    let bench = Bench::on_fixtures();
    let arguments = words("--app good,restless --scenario plaintext --duration 200ms --connections 4 --rounds 2");
    bench.run(&arguments).fine();
    let record = bench.record();
    let of = |app: &str| -> Vec<&Trial> { record.trials.iter().filter(|trial| trial.app == app).collect() };
    for trial in of("restless") {
        assert!(trial.apart, "{trial:?}");
        // It works two fifths of the time; how much of that it gets is the machine's.
        assert!(trial.idle_cpu_share.is_some_and(|share| share > 0.01), "{trial:?}");
    }
    assert_eq!(of("restless").len(), of("good").len(), "in each round");
    assert!(of("reference").iter().all(|trial| !trial.apart));
    let restless = cell(&record, "restless");
    assert!(
        // At worst the machine spoilt it.
        restless.verdict == Verdict::EnvironmentFailed || restless.metrics.contains_key(&Metric::ServerCpuUsPerRequest),
        "{restless:?}"
    );
}

#[test]
fn what_fails_becomes_a_verdict_and_stops_nobody_else() {
    let bench = Bench::on_fixtures();
    let apps = "good,dies-under-load,fails-under-load,unbuildable,wrong-body,dies-at-once";
    let told = bench.run(&[
        "--app",
        apps,
        "--scenario",
        "plaintext",
        "--duration",
        "300ms",
        "--connections",
        "4",
        "--rounds",
        "2",
    ]);
    let told = told.fine();
    let record = bench.record();
    for (app, verdict, reason) in [
        ("dies-under-load", Verdict::Crashed, "out of luck after"),
        // Counted by the generator, or seen by the witness where it asks first.
        ("fails-under-load", Verdict::ContractFailed, "status 500"),
        ("unbuildable", Verdict::BuildFailed, "mismatched types"),
        (
            "wrong-body",
            Verdict::ContractFailed,
            "GET /: expected `Hello, World!`, got `Hello, Wurld!`",
        ),
        ("dies-at-once", Verdict::Crashed, "no luck today"),
    ] {
        let cell = cell(&record, app);
        assert_eq!(cell.verdict, verdict, "{cell:?}");
        assert!(cell.reasons.iter().any(|told| told.contains(reason)), "{cell:?}");
        assert!(
            app != "fails-under-load" || cell.reasons.iter().all(|told| told.contains("under load")),
            "{cell:?}"
        );
        assert!(cell.metrics.is_empty(), "what failed has no figures: {cell:?}");
        assert!(told.stdout.contains(app), "{told:#?}");
    }
    let good = cell(&record, "good");
    assert!(
        // At worst the machine spoilt it.
        good.verdict == Verdict::EnvironmentFailed || good.metrics.contains_key(&Metric::GoodputRps),
        "{good:?}"
    );
    assert!(
        record
            .apps
            .iter()
            .any(|app| app.build_error.as_deref().is_some_and(|error| error.contains("E0308")))
    );
    assert!(bench.children().is_empty());
}

/// `bench` below a limit of open files that `set` makes.
fn under(set: &str, bench: &Bench, arguments: &[&str]) -> CommandOutput {
    let inner = bench.run_command(arguments);
    let mut command = Command::new("bash");
    command
        .arg("-c")
        .arg(format!("{set}; exec \"$0\" \"$@\""))
        .arg(inner.get_program())
        .args(inner.get_args());
    let own = inner.get_envs().filter_map(|(name, value)| Some((name, value?)));
    command.envs(own).env_remove("GITHUB_ACTIONS");
    CommandOutput::run(command)
}

#[test]
fn a_soft_limit_of_open_files_is_raised_and_a_hard_one_is_the_machines_fault() {
    let arguments = words("--app good --scenario plaintext --duration 100ms --connections 100 --rounds 1");
    let bench = Bench::on_fixtures();
    under("ulimit -Sn 256", &bench, &arguments).fine();
    let record = bench.record();
    let reasons = record.trials.iter().flat_map(|trial| &trial.reasons);
    assert!(
        reasons.clone().all(|reason| !reason.contains("open files")),
        "{:?}",
        reasons.collect::<Vec<_>>()
    );
    drop(bench);

    let bench = Bench::on_fixtures();
    let told = under("ulimit -n 256", &bench, &arguments);
    // Nothing at all could be measured.
    assert_eq!(told.status, Some(2), "{told:#?}");
    assert!(
        told.error()
            .starts_with("error: 3 of 3 cells could not be measured: 464 open files are needed, the hard limit is 256"),
        "{told:#?}"
    );
    let record = bench.record();
    let cell = cell(&record, "good");
    assert_eq!(cell.verdict, Verdict::EnvironmentFailed);
    assert!(
        cell.reasons[0].contains("464 open files are needed, the hard limit is 256"),
        "{cell:?}"
    );
    assert_eq!(record.harness.whole, Some(false));
    // It was tried again, and both attempts are kept.
    let attempts: Vec<u32> = record
        .trials
        .iter()
        .filter(|t| t.app == "good")
        .map(|t| t.attempt)
        .collect();
    assert_eq!(attempts, [1, 2]);
}

#[test]
fn bad_input_is_one_clear_line_and_nothing_is_written() {
    let bench = Bench::on_fixtures_beside_others();
    for (arguments, told) in [
        (&["--app", "axmu"][..], "there is no app `axmu`"),
        (
            &["--scenario", "plaintxt"],
            "there is no scenario `plaintxt`; did you mean `plaintext`",
        ),
        (
            &["--profile", "quik"],
            "there is no profile `quik`; did you mean `quick`",
        ),
        (&["--variant", "tuned", "--app", "good"], "there is no variant `tuned`"),
        (&["--rounds", "0"], "--rounds takes 1 to 10000"),
        (&["--connections", "0"], "0 connections"),
        (&["--duration", "0s"], "a time above 0 is needed"),
        (&["--duration", "soon"], "`soon` is not a time"),
        (&["--lane", "moon"], "moon"),
        (&["--rounds", "-1"], "-1"),
        (&["--resume"], "there is no unfinished run"),
        (&["--resume=nobody"], "there is no unfinished run `nobody`"),
    ] {
        let answer = bench.run(arguments);
        assert_eq!(answer.status, Some(2), "{arguments:?}: {answer:#?}");
        assert!(
            answer.stderr.lines().next().unwrap_or_default().starts_with("error: "),
            "{answer:#?}"
        );
        assert!(answer.stderr.contains(told), "{arguments:?}: {answer:#?}");
        assert!(bench.files().is_empty(), "{arguments:?}");
    }
    let mut command = bench.command(&["run", "--app", "good", "--oha", "/no/such/oha", "--out"]);
    command.arg(bench.results());
    let answer = CommandOutput::run(command);
    assert!(
        answer.error().contains("/no/such/oha is not a working load generator"),
        "{answer:#?}"
    );
    let mut command = bench.command(&["run", "--app", "good", "--oha", "/bin/true", "--out"]);
    command.arg(bench.results());
    let answer = CommandOutput::run(command);
    assert!(
        answer.error().contains("is not a working load generator"),
        "{answer:#?}"
    );
    assert!(bench.files().is_empty());
}

#[test]
fn a_time_budget_ends_the_run_and_says_so() {
    let bench = Bench::on_fixtures();
    let arguments = words("--app good --scenario plaintext --duration 50ms --connections 2");
    bench
        .run(&[&arguments[..], &["--rounds", "1000", "--time-budget", "4s"]].concat())
        .fine();
    let record = bench.record();
    assert_eq!(record.harness.stopped, Stopped::TimeBudgetSpent);
    let rounds = record.trials.iter().map(|trial| trial.round).max().unwrap();
    assert!((1..1000).contains(&rounds));
    assert_eq!(order(&record).len(), 3 * rounds as usize, "no round is left half done");
}

#[test]
fn a_result_folder_that_cannot_be_written_is_told() {
    let bench = Bench::on_fixtures_beside_others();
    let file = bench.results().join("local");
    fs::write(&file, "in the way").unwrap();
    let answer = bench.run(&["--app", "good", "--scenario", "plaintext", "--rounds", "1"]);
    assert_eq!(answer.status, Some(2));
    assert!(answer.error().contains("local"), "{answer:#?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "in the way");
}

#[test]
fn who_serves_is_tried_where_there_is_a_choice() {
    let bench = Bench::on_fixtures();
    let mut command = bench.command(&["run", "--app", "good", "--scenario", "plaintext", "--rounds", "1"]);
    command.args(["--duration", "100ms", "--out"]).arg(bench.results());
    command.arg("--oha").arg(crate::common::oha());
    CommandOutput::run(command).fine();
    let environment = bench.record().environment;
    let splits = &environment.splits;
    if environment.logical_cpus == 2 {
        assert_eq!(splits.len(), 0);
    } else {
        assert!(splits.len() > 1, "{splits:?}");
        let chosen = (&splits[0].server_cpus, &splits[0].generator_cpus);
        assert_eq!(chosen, (&environment.server_cpus, &environment.generator_cpus));
        assert!(
            splits
                .iter()
                .all(|tried| tried.goodput_rps > 0.0 && tried.server_cpu_share > 0.0)
        );
    }
}

#[test]
fn the_user_says_who_serves_and_is_told_what_cannot_be() {
    let bench = Bench::on_fixtures();
    let run = |split: &str| {
        let command = [
            "run",
            "--app",
            "good",
            "--scenario",
            "plaintext",
            "--rounds",
            "1",
            "--split",
            split,
        ];
        bench.call(&command)
    };
    let told = run("1:100000");
    assert_eq!(told.status, Some(2));
    assert!(told.error().contains("the split asks for 100001 cpus"), "{told:#?}");
    let told = run("99999-99999:0");
    assert!(told.error().contains("may not use cpu 99999"), "{told:#?}");
    let told = run("1-3");
    assert!(told.stderr.contains("there is no `:`"), "{told:#?}");
}
