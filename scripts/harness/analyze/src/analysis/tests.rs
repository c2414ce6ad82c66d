use super::*;
use model::{Rss, Tier};

fn plaintext() -> Scenario {
    samples::record().scenarios.remove(0)
}

/// Goodput of each round, and the verdict of each.
type Rounds<'a> = &'a [(f64, Verdict)];

fn app(id: &str, role: Role) -> AppRecord {
    AppRecord {
        id: id.into(),
        variant: "default".into(),
        role,
        tier: if id == "engine" { Tier::Engine } else { Tier::Maintained },
        protocols: vec![model::scenario::Protocol::Http1],
        ..AppRecord::default()
    }
}

fn trial(app: &str, round: u32, goodput: f64, verdict: Verdict) -> Trial {
    let failed = format!("{verdict:?} it was (in round {round})");
    Trial {
        app: app.into(),
        variant: "default".into(),
        scenario: "plaintext".into(),
        round,
        order: round,
        attempt: 1,
        verdict,
        reasons: (verdict != Verdict::Valid).then_some(failed).into_iter().collect(),
        seconds: Some(1.0),
        goodput_rps: Some(goodput),
        latency_ms: Some([64_000.0 / goodput; 8].into()),
        server_cpu_us_per_request: Some(1e6 / goodput),
        rss_bytes: Some(Rss {
            idle: 1 << 20,
            peak: 2 << 20,
            after: 2 << 20,
        }),
        startup_ms: Some(3.0),
        ..Trial::default()
    }
}

fn analysed(apps: &[(&str, Role, Rounds<'_>)]) -> Vec<Cell> {
    let scenario = plaintext();
    let records: Vec<AppRecord> = apps.iter().map(|(id, role, _)| app(id, *role)).collect();
    let trials: Vec<Trial> = apps
        .iter()
        .flat_map(|(id, _, rounds)| (1..).zip(*rounds).map(|(round, (rps, v))| trial(id, round, *rps, *v)))
        .collect();
    summary(&records, &[scenario], &trials)
}

/// Two apps and the reference, each with goodput that is a share of the same.
fn fast_and_slow(goodput: [f64; 5]) -> Vec<Cell> {
    let at = |share: f64| valid(goodput.map(|goodput| 100_000.0 * goodput * share));
    analysed(&[
        ("fast", Role::Framework, &at(0.9)),
        ("slow", Role::Framework, &at(0.7)),
        ("reference", Role::Reference, &at(1.0)),
    ])
}

fn valid<const N: usize>(goodput: [f64; N]) -> [(f64, Verdict); N] {
    goodput.map(|goodput| (goodput, Verdict::Valid))
}

fn goodput(cell: &Cell) -> &Summary {
    &cell.metrics[&Metric::GoodputRps]
}

#[test]
fn ratios_leave_the_machine_alone_and_ranks_follow_from_pairs() {
    // The machine halves its speed after two rounds; the apps' ratios stand still.
    let cells = fast_and_slow([1.0, 1.0, 0.6, 0.6, 0.6]);
    let ratio = goodput(&cells[0]).ratio.as_ref().unwrap();
    assert!((ratio.estimate - 0.9).abs() < 1e-9 && (ratio.interval.unwrap().low - 0.9).abs() < 1e-9);
    // Goodput itself spreads too far to be trusted on such a machine; CPU per request too.
    assert_eq!(cells[0].verdict, Verdict::Unstable);
    assert_eq!(
        cells[1].metrics[&Metric::ServerCpuUsPerRequest].rank,
        None,
        "in two states nobody is ranked"
    );

    let cells = fast_and_slow([1.0, 0.99, 1.01, 0.98, 1.02]);
    let ranks = |metric| {
        let rank = |cell: &Cell| {
            cell.metrics[&metric]
                .rank
                .map_or("none".to_owned(), |rank| rank.to_string())
        };
        cells.iter().map(rank).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(ranks(Metric::GoodputRps), "1, 2, none");
    assert_eq!(ranks(Metric::ServerCpuUsPerRequest), "1, 2, none");
    assert_eq!(ranks(Metric::RssPeakBytes), "1–2, 1–2, none", "equal is equal");
    assert_eq!(ranks(Metric::LatencyP99Ms), "none, none, none", "never ranked");
}

/// Ratios to the reference overlap widely here; the two are apart nevertheless.
#[test]
fn a_noisy_reference_does_not_blur_who_is_faster() {
    let fast = valid([100_000.0, 100_400.0, 99_700.0, 100_100.0, 99_900.0]);
    let slow = valid([95_100.0, 94_900.0, 95_200.0, 94_800.0, 95_000.0]);
    let reference = valid([100_000.0, 86_000.0, 108_000.0, 88_000.0, 105_000.0]);
    let cells = analysed(&[
        ("fast", Role::Framework, &fast),
        ("slow", Role::Framework, &slow),
        ("reference", Role::Reference, &reference),
    ]);
    let cpu = |cell: usize| &cells[cell].metrics[&Metric::ServerCpuUsPerRequest];
    let interval = |cell: usize| cpu(cell).ratio.as_ref().unwrap().interval.unwrap();
    assert!(interval(0).high > interval(1).low);
    assert_eq!((cpu(0).rank.unwrap().worst, cpu(1).rank.unwrap().best), (1, 2));
}

#[test]
fn an_engine_takes_no_place_among_frameworks() {
    let noise = [1.0, 1.004, 0.997, 1.001, 0.999, 1.002];
    let at = |level: f64, turn: usize| valid([0, 1, 2, 3, 4, 5].map(|round| 1e5 * level * noise[(round + turn) % 6]));
    let cells = analysed(&[
        ("fast", Role::Framework, &at(0.9, 0)),
        ("near", Role::Framework, &at(0.897, 1)),
        ("slow", Role::Framework, &at(0.7, 2)),
        ("engine", Role::Framework, &at(0.8, 3)),
        ("reference", Role::Reference, &at(1.0, 4)),
    ]);
    for metric in [Metric::GoodputRps, Metric::ServerCpuUsPerRequest] {
        let ranks = cells
            .iter()
            .filter_map(|cell| Some(cell.metrics[&metric].rank?.to_string()));
        assert_eq!(ranks.collect::<Vec<_>>(), ["1–2", "1–2", "3", "1"]);
    }
}

/// Only the first and the third can be distinguished, and the ranges of these two overlap.
#[test]
fn a_pair_that_the_ranks_do_not_show_is_kept() {
    let noise = [0.010, -0.012, 0.004, 0.001, -0.008, 0.005];
    let at = |level: f64, turn: usize| {
        valid([0, 1, 2, 3, 4, 5].map(|round| 1e5 * (noise[(round + turn) % 6] - level).exp()))
    };
    let cells = analysed(&[
        ("first", Role::Framework, &at(0.0, 0)),
        ("second", Role::Framework, &at(0.012, 1)),
        ("third", Role::Framework, &at(0.024, 2)),
        ("reference", Role::Reference, &at(0.0, 3)),
    ]);
    let cpu = |cell: usize| &cells[cell].metrics[&Metric::ServerCpuUsPerRequest];
    let ranks: Vec<String> = (0..3).map(|cell| cpu(cell).rank.unwrap().to_string()).collect();
    assert_eq!(ranks, ["1–2", "1–3", "2–3"]);
    assert_eq!([0, 1, 2].map(|cell| cpu(cell).behind.as_slice()), [&[][..], &[], &[0]]);
}

#[test]
fn figures_of_a_server_that_lacks_something_elsewhere_are_shown_and_never_ranked() {
    let rates = [50_000.0, 50_100.0, 49_900.0, 50_050.0, 49_950.0];
    let valid = rates.map(|rps| (rps, Verdict::Valid));
    let incomplete = rates.map(|rps| (2.0 * rps, Verdict::Incomplete));
    let cells = analysed(&[
        ("partial", Role::Framework, &incomplete),
        ("whole", Role::Framework, &valid),
        ("reference", Role::Reference, &valid),
    ]);
    assert_eq!(cells[0].verdict, Verdict::Incomplete);
    for metric in [Metric::GoodputRps, Metric::ServerCpuUsPerRequest] {
        let of = |cell: usize| &cells[cell].metrics[&metric];
        assert!(
            !of(0).trusted && of(0).rank.is_none() && of(0).ratio.is_some(),
            "{metric:?}"
        );
        assert_eq!(
            of(1).rank.map(|rank| rank.best),
            Some(1),
            "who leaves work out takes no place"
        );
    }
}

#[test]
fn client_bound_goodput_is_not_ranked_and_cpu_per_request_is() {
    let bound = [50_000.0, 50_100.0, 49_900.0, 50_050.0, 49_950.0].map(|rps| (rps, Verdict::ClientBound));
    let cells = analysed(&[
        ("fast", Role::Framework, &bound),
        ("reference", Role::Reference, &bound),
    ]);
    assert_eq!(cells[0].verdict, Verdict::ClientBound);
    assert!(!goodput(&cells[0]).trusted && goodput(&cells[0]).rank.is_none());
    let cpu = &cells[0].metrics[&Metric::ServerCpuUsPerRequest];
    assert_eq!(cpu.rank.map(|rank| rank.best), Some(1));
    assert_eq!(cells[0].reasons, ["ClientBound it was"]);
}

#[test]
fn whoever_reaches_the_ceiling_was_measured_by_the_generator() {
    let ceiling = [100_000.0; 5].map(|rps| (rps, Verdict::ClientBound));
    let cells = analysed(&[
        ("near", Role::Framework, &valid([85_000.0; 5])),
        ("far", Role::Framework, &valid([75_000.0; 5])),
        ("ceiling", Role::Ceiling, &ceiling),
    ]);
    assert_eq!(cells[0].verdict, Verdict::ClientBound);
    assert!(cells[0].reasons[0].starts_with("it reached more than 80 % of what the smallest possible server"));
    assert_eq!(cells[1].verdict, Verdict::Valid);
    // A ceiling that its own cpu limits, as with bcrypt, limits nobody else.
    let cells = analysed(&[
        ("near", Role::Framework, &valid([99.0; 5])),
        ("ceiling", Role::Ceiling, &valid([100.0; 5])),
    ]);
    assert_eq!(cells[0].verdict, Verdict::Valid);
}

#[test]
fn one_wrong_answer_is_one_too_many_and_leaves_no_figure() {
    let mut rounds = valid([50_000.0; 5]);
    rounds[3].1 = Verdict::ContractFailed;
    let cells = analysed(&[
        ("wrong", Role::Framework, &rounds),
        ("reference", Role::Reference, &valid([1.0; 5])),
    ]);
    assert_eq!(cells[0].verdict, Verdict::ContractFailed);
    assert!(cells[0].metrics.is_empty());
    assert_eq!(
        cells[0].reasons,
        ["ContractFailed it was (in round 4)", "so in 1 of 5 trials"]
    );
}

#[test]
fn a_known_fault_spares_the_trials_without_it_and_covers_no_wrong_answer() {
    const HUNG: &str = "the load did not end within 30 s of its deadline: requests were never answered";
    const SILENT: &str = "after the load, POST /test/simple `{}`: expected an answer, got nothing within 5 s";
    const WRONG: &str = "GET /: expected `Hello`, got `: expected an answer, got nothing within 5 s`";
    let cell = |known: bool, reasons: &[&str]| {
        let broken = AppRecord {
            known_fault: known.then(|| "it forgets connections".to_owned()),
            ..app("broken", Role::Framework)
        };
        let trials = (1..=6).map(|round| {
            let mut trial = trial("broken", round, 50_000.0, Verdict::Valid);
            if let Some(reason) = reasons.get(round as usize - 1) {
                (trial.verdict, trial.reasons) = (Verdict::ContractFailed, vec![(*reason).to_owned()]);
            }
            trial
        });
        let whole = (1..=6).map(|round| trial("whole", round, 49_000.0 + f64::from(round % 3), Verdict::Valid));
        let apps = [broken, app("whole", Role::Framework), app("reference", Role::Reference)];
        let of_reference =
            (1..=6).map(|round| trial("reference", round, 60_000.0 + f64::from(round % 2), Verdict::Valid));
        let trials: Vec<Trial> = trials.chain(whole).chain(of_reference).collect();
        let cells = summary(&apps, &[plaintext()], &trials);
        assert_eq!(
            goodput(&cells[1]).rank.map(|rank| rank.best),
            Some(1),
            "who fails takes no place"
        );
        cells.into_iter().next().unwrap()
    };
    let spared = cell(true, &[HUNG, SILENT]);
    let never = "requests were never answered in 2 of 6 trials, a known fault";
    let few = "; the 4 without it are too few for an interval";
    assert_eq!(
        (spared.verdict, spared.reasons),
        (Verdict::Incomplete, vec![format!("{never}{few}")])
    );
    let found = &spared.metrics[&Metric::ServerCpuUsPerRequest];
    assert!((found.median, found.trials, found.trusted, found.rank) == (20.0, 4, false, None) && found.ratio.is_some());
    assert!(
        cell(true, &[HUNG]).reasons[0].ends_with("a known fault"),
        "five have an interval"
    );
    for (known, reasons, said) in [
        (false, &[HUNG][..], false),
        (true, &[HUNG, WRONG], false),
        (true, &[HUNG, HUNG, HUNG, SILENT], true),
    ] {
        let failed = cell(known, reasons);
        assert!(
            (failed.verdict, failed.metrics.len()) == (Verdict::ContractFailed, 0),
            "{failed:?}"
        );
        assert_eq!(
            failed.reasons.iter().any(|reason| reason.ends_with(", a known fault")),
            said,
            "{failed:?}"
        );
    }
}

#[test]
fn what_the_machine_spoilt_is_left_out_as_long_as_enough_remains() {
    let mut rounds = valid([50_000.0; 5]);
    rounds[0] = (1.0, Verdict::EnvironmentFailed);
    let cells = analysed(&[("app", Role::Framework, &rounds)]);
    assert_eq!((cells[0].verdict, goodput(&cells[0]).trials), (Verdict::Valid, 4));
    assert_eq!(
        (goodput(&cells[0]).interval, goodput(&cells[0]).rank),
        (None, None),
        "four carry no interval"
    );
    for round in &mut rounds[..3] {
        round.1 = Verdict::EnvironmentFailed;
    }
    assert_eq!(
        analysed(&[("app", Role::Framework, &rounds)])[0].verdict,
        Verdict::EnvironmentFailed
    );
}

#[test]
fn the_second_attempt_counts() {
    let first = trial("app", 1, 1.0, Verdict::EnvironmentFailed);
    let second = Trial {
        attempt: 2,
        ..trial("app", 1, 50_000.0, Verdict::Valid)
    };
    let cells = summary(&[app("app", Role::Framework)], &[plaintext()], &[first, second]);
    assert_eq!(
        (cells[0].verdict, goodput(&cells[0]).median),
        (Verdict::Valid, 50_000.0)
    );
}

#[test]
fn trials_that_spread_too_far_are_unstable() {
    let wild = valid([50_000.0, 20_000.0, 90_000.0, 45_000.0, 55_000.0]);
    let cells = analysed(&[("wild", Role::Framework, &wild)]);
    assert_eq!(cells[0].verdict, Verdict::Unstable);
    assert_eq!(cells[0].reasons, ["goodput spreads over 140 % of its median"]);
    assert!(!goodput(&cells[0]).trusted);
}

#[test]
fn an_app_that_was_not_built_has_the_compilers_first_line() {
    let broken = AppRecord {
        build_error: Some("\nerror[E0308]: mismatched\n --> x".into()),
        ..app("x", Role::Framework)
    };
    let cells = summary(&[broken], &[plaintext()], &[]);
    assert_eq!(cells[0].verdict, Verdict::BuildFailed);
    assert_eq!(cells[0].reasons, ["error[E0308]: mismatched"]);
}

/// No limit has half of the trials, and together they leave no valid one.
#[test]
fn limits_that_differ_from_trial_to_trial_leave_no_cell_valid() {
    use Verdict::{ClientBound, DatabaseBound, Unsaturated, Valid};
    let verdict = |verdicts: &[Verdict]| {
        let rounds: Vec<(f64, Verdict)> = verdicts.iter().map(|verdict| (50_000.0, *verdict)).collect();
        let cell = analysed(&[("app", Role::Framework, &rounds)]).remove(0);
        (cell.verdict, goodput(&cell).trusted)
    };
    let split = [[ClientBound; 2], [DatabaseBound; 2], [Unsaturated; 2]].concat();
    assert_eq!(verdict(&split), (ClientBound, false));
    let (most, other) = (Unsaturated, ClientBound);
    assert_eq!(verdict(&[most, other, most, Valid, Valid, Valid]), (Unsaturated, false));
    assert_eq!(verdict(&[most, other, Valid, Valid, Valid]), (Valid, true));
}
