//! From trials to the summary: a pure function of what was recorded, which can be computed again at any time.

use std::collections::BTreeMap;

use crate::stats;
use record::scenario::Scenario;
use record::{AppRecord, Cell, Metric, Record, Role, Summary, Trial, Verdict};

mod standing;

pub use standing::{Entry, Standing, standing};

/// Share of the ceiling's goodput from which on the generator is the limit, where it was the ceiling's.
const NEAR_CEILING: f64 = 0.80;
/// Width of an interval, as a share of the median, beyond which trials spread too far to be summed up.
const TOO_WIDE: f64 = 0.50;
/// Every cell: app and variant in the order of `apps`, scenario in the order of `scenarios`.
pub fn summary(apps: &[AppRecord], scenarios: &[Scenario], trials: &[Trial]) -> Vec<Cell> {
    if trials.is_empty() && apps.iter().any(|app| app.costs.is_some()) {
        return Vec::new(); // a run that asked for costs drove no load, and there is nothing to judge
    }
    let mut cells: Vec<Cell> = Vec::new();
    for scenario in scenarios {
        let trials: Vec<&Trial> = trials.iter().filter(|trial| trial.scenario == scenario.id).collect();
        let mut of_scenario: Vec<(Cell, &AppRecord)> = apps
            .iter()
            .filter(|app| was_asked(app, scenario, &trials))
            .map(|app| (cell(app, scenario, &trials), app))
            .collect();
        near_ceiling(&mut of_scenario);
        trust(&mut of_scenario);
        standing::fill_in(&mut of_scenario, &trials, scenario.load);
        cells.extend(of_scenario.into_iter().map(|(cell, _)| cell));
    }
    let place = |cell: &Cell| {
        apps.iter()
            .position(|app| app.id == cell.app && app.variant == cell.variant)
    };
    cells.sort_by_key(place); // stable: the scenarios keep their order
    cells
}

/// Whether an app was asked for this scenario. Not to be, because it does not speak the protocol or nobody published a figure
/// of it, is no failure.
pub fn was_asked(app: &AppRecord, scenario: &Scenario, of_scenario: &[&Trial]) -> bool {
    let mut own = of_scenario
        .iter()
        .filter(|trial| trial.app == app.id && trial.variant == app.variant);
    app.protocols.contains(&scenario.protocol) && (of_scenario.is_empty() || own.next().is_some())
}

/// The trials of one app in one scenario whose figures count, in the order of their rounds.
pub fn usable_in<'a>(record: &'a Record, app: &AppRecord, scenario: &str) -> Vec<&'a Trial> {
    let trials: Vec<&Trial> = record
        .trials
        .iter()
        .filter(|trial| trial.scenario == scenario)
        .collect();
    usable(app, &trials)
}

/// The trials of one app whose figures count: the last attempt of each round, unless the machine or the server spoilt it.
fn usable<'a>(app: &AppRecord, of_scenario: &[&'a Trial]) -> Vec<&'a Trial> {
    let mut trials = of_app(app, of_scenario);
    trials.retain(|trial| trial.verdict <= Verdict::Unstable);
    trials
}

/// The trials of one app that count: the last attempt of each round.
fn of_app<'a>(app: &AppRecord, trials: &[&'a Trial]) -> Vec<&'a Trial> {
    let mut by_round: BTreeMap<u32, &Trial> = BTreeMap::new();
    for trial in trials
        .iter()
        .filter(|trial| trial.app == app.id && trial.variant == app.variant)
    {
        let latest = by_round.entry(trial.round).or_insert(trial);
        if trial.attempt > latest.attempt {
            *latest = trial;
        }
    }
    by_round.into_values().collect()
}

/// Verdict and figures of one cell, as far as they depend on its own trials.
fn cell(app: &AppRecord, scenario: &Scenario, trials: &[&Trial]) -> Cell {
    let (verdict, reasons) = verdict(app, &of_app(app, trials));
    let own = usable(app, trials);
    let mut metrics = BTreeMap::new();
    // A server that answers wrongly, or dies, has no speed.
    if verdict <= Verdict::EnvironmentFailed {
        for metric in Metric::ALL {
            metrics.extend(figure(metric, &own).map(|summary| (metric, summary)));
        }
    }
    Cell {
        app: app.id.clone(),
        variant: app.variant.clone(),
        scenario: scenario.id.clone(),
        verdict,
        reasons,
        metrics,
    }
}

fn figure(metric: Metric, own: &[&Trial]) -> Option<Summary> {
    let values: Vec<f64> = own.iter().filter_map(|trial| metric.of(trial)).collect();
    let found = stats::estimate(&values)?;
    Some(Summary {
        median: found.median,
        interval: found.interval,
        trials: u32::try_from(found.count).unwrap_or(u32::MAX),
        ratio: None,
        rank: None,
        trusted: true,
    })
}

/// The verdict that the trials of a cell give it.
///
/// One wrong answer or one death is one too many. A limit counts where at least half of the trials met it. A trial that
/// the machine spoilt twice is left out, as long as more than half remain.
fn verdict(app: &AppRecord, trials: &[&Trial]) -> (Verdict, Vec<String>) {
    if let Some(reason) = app.why_not_built() {
        return (Verdict::BuildFailed, vec![reason.to_owned()]);
    }
    if trials.is_empty() {
        return (Verdict::EnvironmentFailed, vec!["no trial was made".into()]);
    }
    let with = |verdict: Verdict| trials.iter().filter(move |trial| trial.verdict == verdict);
    for failure in [Verdict::BuildFailed, Verdict::Crashed, Verdict::ContractFailed] {
        if let Some(first) = with(failure).next() {
            let mut reasons = told(first, with(failure).count(), trials.len());
            reasons.extend(
                app.known_fault
                    .as_ref()
                    .map(|fault| format!("known of this framework: {fault}")),
            );
            return (failure, reasons);
        }
    }
    let half = |count: usize, of: usize| count > 0 && 2 * count >= of;
    let spoilt = with(Verdict::EnvironmentFailed).count();
    if half(spoilt, trials.len()) {
        let first = with(Verdict::EnvironmentFailed).next();
        let reasons = first.map(|first| told(first, spoilt, trials.len())).unwrap_or_default();
        return (Verdict::EnvironmentFailed, reasons);
    }
    let judged = trials.len() - spoilt;
    for limit in [Verdict::Unstable, Verdict::ClientBound, Verdict::Unsaturated] {
        if half(with(limit).count(), judged) {
            let reasons = with(limit)
                .next()
                .map(|first| first.reasons.clone())
                .unwrap_or_default();
            // What stands in parentheses at the end is of that one trial.
            let general = |reason: String| {
                reason
                    .rsplit_once(" (")
                    .map_or(reason.clone(), |(most, _)| most.to_owned())
            };
            return (limit, reasons.into_iter().map(general).collect());
        }
    }
    (Verdict::Valid, Vec::new())
}

/// The reasons of one trial, and how many were like it.
fn told(trial: &Trial, count: usize, of: usize) -> Vec<String> {
    let mut reasons = trial.reasons.clone();
    if count < of {
        reasons.push(format!("so in {count} of {of} trials"));
    }
    reasons
}

/// Whoever comes near the ceiling was measured by the generator, if the generator was the ceiling's limit too.
fn near_ceiling(cells: &mut [(Cell, &AppRecord)]) {
    let goodput = |cell: &Cell| cell.metrics.get(&Metric::GoodputRps).map(|summary| summary.median);
    let ceiling = cells
        .iter()
        .find(|(cell, app)| app.role == Role::Ceiling && cell.verdict == Verdict::ClientBound);
    let Some(ceiling) = ceiling.and_then(|(cell, _)| goodput(cell)) else {
        return;
    };
    for (cell, app) in cells
        .iter_mut()
        .filter(|(cell, _)| cell.verdict <= Verdict::Unsaturated)
    {
        let share = goodput(cell).unwrap_or(0.0) / ceiling;
        if app.role != Role::Ceiling && share > NEAR_CEILING {
            cell.verdict = Verdict::ClientBound;
            cell.reasons.push(format!(
                "it reached more than {:.0} % of what the smallest possible server reached, which the load generator \
                 limits",
                NEAR_CEILING * 100.0
            ));
        }
    }
}

/// Marks what the verdict does not leave standing. A figure that spreads has a wide interval, which speaks for itself.
fn trust(cells: &mut [(Cell, &AppRecord)]) {
    for (cell, _) in cells {
        let width = |summary: &Summary| summary.interval.map_or(0.0, |i| (i.high - i.low) / summary.median);
        let spread = cell.metrics.get(&Metric::GoodputRps).map(width).unwrap_or_default();
        if cell.verdict == Verdict::Valid && spread > TOO_WIDE {
            cell.verdict = Verdict::Unstable;
            cell.reasons
                .push(format!("goodput spreads over {:.0} % of its median", spread * 100.0));
        }
        for (metric, summary) in &mut cell.metrics {
            summary.trusted = metric.stands_under(cell.verdict);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{Rss, Tier};

    fn plaintext() -> Scenario {
        crate::sample::record().scenarios.remove(0)
    }

    /// Goodput of each round, and the verdict of each.
    type Rounds<'a> = &'a [(f64, Verdict)];

    fn app(id: &str, role: Role) -> AppRecord {
        AppRecord {
            id: id.into(),
            variant: "default".into(),
            name: id.into(),
            link: String::new(),
            role,
            tier: Tier::Maintained,
            framework: id.into(),
            framework_version: "1.0.0".into(),
            source_hash: String::new(),
            lockfile_hash: String::new(),
            binary_bytes: Some(1),
            build_seconds: Some(1.0),
            build_error: None,
            protocols: vec![record::scenario::Protocol::Http1],
            known_fault: None,
            instructions_not_counted: None,
            costs: None,
        }
    }

    fn trial(app: &str, round: u32, goodput: f64, verdict: Verdict) -> Trial {
        Trial {
            app: app.into(),
            variant: "default".into(),
            scenario: "plaintext".into(),
            round,
            order: round,
            attempt: 1,
            started_at: jiff::Timestamp::UNIX_EPOCH,
            verdict,
            reasons: if verdict == Verdict::Valid {
                Vec::new()
            } else {
                vec![format!("{verdict:?} it was (in round {round})")]
            },
            requests: BTreeMap::new(),
            errors: BTreeMap::new(),
            seconds: Some(1.0),
            capacity_rps: None,
            goodput_rps: Some(goodput),
            latency_ms: Some([64_000.0 / goodput; 8].into()),
            server_cpu_us_per_request: Some(1e6 / goodput),
            instructions_per_request: None,
            other_cpu_share: None,
            idle_cpu_share: None,
            apart: false,
            slices: None,
            server_cpu_share: Some(1.0),
            generator_cpu_share: Some(0.5),
            steal_share: Some(0.0),
            rss_bytes: Some(Rss {
                idle: 1 << 20,
                peak: 2 << 20,
                after: 2 << 20,
            }),
            startup_ms: Some(3.0),
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

    fn valid(goodput: [f64; 5]) -> [(f64, Verdict); 5] {
        goodput.map(|goodput| (goodput, Verdict::Valid))
    }

    fn goodput(cell: &Cell) -> &Summary {
        &cell.metrics[&Metric::GoodputRps]
    }

    #[test]
    fn ratios_leave_the_machine_alone_and_ranks_follow_from_pairs() {
        // The machine halves its speed after two rounds; the apps' ratios stand still.
        let speed = [1.0, 1.0, 0.6, 0.6, 0.6];
        let at = |factor: f64| valid(speed.map(|speed| 100_000.0 * speed * factor));
        let cells = analysed(&[
            ("fast", Role::Framework, &at(0.9)),
            ("slow", Role::Framework, &at(0.7)),
            ("reference", Role::Reference, &at(1.0)),
        ]);
        let ratio = goodput(&cells[0]).ratio.as_ref().unwrap();
        assert!((ratio.estimate - 0.9).abs() < 1e-9 && (ratio.interval.unwrap().low - 0.9).abs() < 1e-9);
        // Goodput itself spreads too far to be trusted on such a machine; CPU per request too.
        assert_eq!(cells[0].verdict, Verdict::Unstable);

        let steady = [1.0, 0.99, 1.01, 0.98, 1.02];
        let at = |factor: f64| valid(steady.map(|speed| 100_000.0 * speed * factor));
        let cells = analysed(&[
            ("fast", Role::Framework, &at(0.9)),
            ("slow", Role::Framework, &at(0.7)),
            ("reference", Role::Reference, &at(1.0)),
        ]);
        let ranks = |metric| {
            cells
                .iter()
                .map(move |cell| cell.metrics[&metric].rank.map(|rank| rank.to_string()))
                .collect::<Vec<_>>()
        };
        let told = |ranks: [Option<&str>; 3]| ranks.map(|rank| rank.map(ToOwned::to_owned));
        assert_eq!(ranks(Metric::GoodputRps), told([Some("1"), Some("2"), None]));
        assert_eq!(ranks(Metric::ServerCpuUsPerRequest), told([Some("1"), Some("2"), None]));
        assert_eq!(
            ranks(Metric::RssPeakBytes),
            told([Some("1–2"), Some("1–2"), None]),
            "equal is equal"
        );
        assert_eq!(ranks(Metric::LatencyP99Ms), told([None, None, None]), "never ranked");
    }

    /// Ratios to the reference overlap widely here; the two are apart nevertheless.
    #[test]
    fn a_noisy_reference_does_not_blur_who_is_faster() {
        let fast = valid([100_000.0, 100_400.0, 99_700.0, 100_100.0, 99_900.0]);
        let slow = valid([95_100.0, 94_900.0, 95_200.0, 94_800.0, 95_000.0]);
        let reference = valid([100_000.0, 80_000.0, 110_000.0, 85_000.0, 105_000.0]);
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

    fn entry(id: &str) -> Entry<'_> {
        (id, "default")
    }

    #[test]
    fn pairs_agree_with_ranks_and_stay_within_their_group() {
        let scenarios = vec![plaintext()];
        let noise = [1.0, 1.004, 0.997, 1.001, 0.999, 1.002];
        let levels = [
            ("fast", 0.9),
            ("near", 0.897),
            ("slow", 0.7),
            ("engine", 0.8),
            ("reference", 1.0),
        ];
        let apps: Vec<AppRecord> = levels
            .iter()
            .map(|(id, _)| AppRecord {
                tier: if *id == "engine" {
                    Tier::Engine
                } else {
                    Tier::Maintained
                },
                ..app(
                    id,
                    if *id == "reference" {
                        Role::Reference
                    } else {
                        Role::Framework
                    },
                )
            })
            .collect();
        let trials: Vec<Trial> = levels
            .iter()
            .enumerate()
            .flat_map(|(turn, (id, level))| {
                (1..=6).map(move |round| {
                    let goodput = 1e5 * level * noise[(round as usize + turn) % 6];
                    trial(id, round, goodput, Verdict::Valid)
                })
            })
            .collect();
        let record = Record {
            summary: summary(&apps, &scenarios, &trials),
            apps,
            scenarios,
            trials,
            ..crate::sample::record()
        };
        for metric in [Metric::GoodputRps, Metric::ServerCpuUsPerRequest] {
            let found = standing(&record, "plaintext", metric);
            let ranks: Vec<String> = record
                .summary
                .iter()
                .filter_map(|cell| Some(cell.metrics[&metric].rank?.to_string()))
                .collect();
            assert_eq!(ranks, ["1–2", "1–2", "3", "1"]);
            assert!(found.is_better(entry("fast"), entry("slow")) && !found.is_better(entry("slow"), entry("fast")));
            assert!(!found.is_better(entry("fast"), entry("near")) && !found.is_better(entry("near"), entry("fast")));
            let ratio = found.ratio(entry("slow"), entry("fast")).unwrap();
            let [own, other] =
                [2, 0].map(|cell| record.summary[cell].metrics[&metric].ratio.as_ref().unwrap().estimate);
            assert!(
                (ratio.estimate - own / other).abs() < 1e-9,
                "what a page prints of both"
            );
            let interval = ratio.interval.unwrap();
            assert!(interval.low > 1.0 || interval.high < 1.0);
            let even = found.ratio(entry("near"), entry("fast")).unwrap().interval.unwrap();
            assert!(even.low < 1.0 && even.high > 1.0);
            assert_eq!(found.ratio(entry("engine"), entry("fast")), None);
        }
        let latency = standing(&record, "plaintext", Metric::LatencyP99Ms);
        assert!(!latency.is_better(entry("fast"), entry("slow")));
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
        assert_eq!(
            cells[0].metrics[&Metric::ServerCpuUsPerRequest]
                .rank
                .map(|rank| rank.best),
            Some(1)
        );
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
        let scenario = plaintext();
        let first = trial("app", 1, 1.0, Verdict::EnvironmentFailed);
        let second = Trial {
            attempt: 2,
            ..trial("app", 1, 50_000.0, Verdict::Valid)
        };
        let cells = summary(&[app("app", Role::Framework)], &[scenario], &[first, second]);
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
        let scenario = plaintext();
        let broken = AppRecord {
            build_error: Some("\nerror[E0308]: mismatched\n --> x".into()),
            ..app("x", Role::Framework)
        };
        let cells = summary(&[broken], &[scenario], &[]);
        assert_eq!(
            (cells[0].verdict, cells[0].reasons.as_slice()),
            (Verdict::BuildFailed, &["error[E0308]: mismatched".to_owned()][..])
        );
    }
}
