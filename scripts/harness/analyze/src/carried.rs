//! A run as a forecast of other cpus: which servers' own work was found there within its margin, and which pairs in the same order.

use model::scenario::Scenario;
use model::{AppRecord, Metric, OwnWork, Record, Role, Tier};

use crate::analysis::{self, Sessions, is_same_kind, is_same_version, place};
use crate::forecast;

const METRIC: Metric = Metric::ServerCpuUsPerRequest;

/// How a run was right about those of other kinds of machines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Carried {
    /// Runs that it is held against.
    pub runs: usize,
    /// Their kinds of machines.
    pub kinds: usize,
    /// Figures of maintained frameworks' own work that both have.
    pub figures: u32,
    /// Those that the other found within the first one's margin.
    pub held: u32,
    /// Pairs of frameworks that the first distinguishes, and the other has.
    pub pairs: u32,
    /// Those that the other distinguishes in the opposite order.
    pub reversed: u32,
}

/// `record` held against those of `others` that were made on other kinds of machines. `sessions` are the others of its own kind.
pub fn carried(record: &Record, sessions: &Sessions, others: &[Record]) -> Carried {
    let mut all = Carried::default();
    let mut kinds: Vec<&Record> = Vec::new();
    for other in others.iter().filter(|other| !is_same_kind(record, other)) {
        let found = held(record, sessions, other);
        if found.figures > 0 {
            all.runs += 1;
            all.figures += found.figures;
            all.held += found.held;
            all.pairs += found.pairs;
            all.reversed += found.reversed;
            if !kinds.iter().any(|known| is_same_kind(known, other)) {
                kinds.push(other);
            }
        }
    }
    all.kinds = kinds.len();
    all
}

fn held(record: &Record, sessions: &Sessions, other: &Record) -> Carried {
    let mut score = Carried::default();
    for scenario in &record.scenarios {
        let is_shown = |app: &&AppRecord| app.role == Role::Framework && app.tier == Tier::Maintained;
        for app in record.apps.iter().filter(is_shown) {
            let there = place(&other.apps, app, is_same_version);
            let found = there.and_then(|there| own_work(other, &other.apps[there], scenario));
            let said = own_work(record, app, scenario).filter(|said| said.margin > 0.0);
            if let Some((said, found)) = said.zip(found) {
                score.figures += 1;
                score.held += u32::from((found.estimate - said.estimate).abs() <= said.margin);
            }
        }
        let standing = |record, known| analysis::standing(record, &scenario.id, METRIC, known);
        let (Some(said), Some(found)) = (standing(record, sessions), standing(other, &Sessions::default())) else {
            continue;
        };
        let [pairs, _, reversed] = forecast::pairs(record, other, &scenario.id, &said, &found);
        score.pairs += pairs;
        score.reversed += reversed;
    }
    score
}

/// An app's own work in a scenario, where that counts.
fn own_work(record: &Record, app: &AppRecord, scenario: &Scenario) -> Option<OwnWork> {
    record.trusted(app, &scenario.id, METRIC)?.own_work
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caveat::Caveat;

    /// What the servers do themselves, in units of which a machine has its price.
    const WORK: [(&str, f64); 7] = [
        ("ceiling", 0.0),
        ("reference", 0.8),
        ("hyper", 1.0),
        ("actix-web", 1.1),
        ("axum", 1.9),
        ("axum (tuned)", 3.0),
        ("rocket", 7.1),
    ];

    /// A run on a machine with a fixed part for each request and a price for work, in µs; on it, axum does `departure` times its work.
    fn on(cpu_model: &str, [fixed, price]: [f64; 2], departure: f64) -> Record {
        let mut record = samples::sensible();
        record.id = format!("{}-{cpu_model}", record.id);
        record.environment.cpu_model = cpu_model.to_owned();
        for trial in &mut record.trials {
            let label = model::label(&trial.app, &trial.variant);
            let work = WORK.iter().find(|(app, _)| *app == label).unwrap().1;
            let work = if label == "axum" { work * departure } else { work };
            // The same in no two rounds, and not quite the same for two servers.
            let noise = 1.0 + 0.01 * f64::from(trial.round) + 0.001 * f64::from((trial.order * 7 + trial.round) % 5);
            trial.server_cpu_us_per_request = Some((fixed + price * work) * noise);
        }
        record.summary = analysis::summary(&record.apps, &record.scenarios, &record.trials);
        record
    }

    /// Fixed part and price as on three cpus that were measured.
    const QUIET: [f64; 2] = [4.1, 1.0];
    const SLOWER: [f64; 2] = [7.7, 1.1];
    const CONTENDED: [f64; 2] = [16.5, 4.1];

    #[test]
    fn own_work_carries_over_where_ratios_do_not() {
        let (here, others) = (on("a", QUIET, 1.0), [on("b", SLOWER, 1.0), on("c", CONTENDED, 1.0)]);
        let found = carried(&here, &Sessions::default(), &others);
        assert_eq!((found.runs, found.kinds), (2, 2));
        assert!(found.figures > 0 && found.held == found.figures, "{found:?}");
        assert!(found.pairs > 0 && found.reversed == 0, "{found:?}");
        let of = |record: &Record| record.cell("axum", "default", "plaintext").unwrap().metrics[&METRIC].clone();
        let [own, other] = [&here, &others[0]].map(of);
        let [own_work, theirs] = [&own, &other].map(|summary| summary.own_work.unwrap());
        assert!((own_work.estimate - 100.0 * 1.9 / 7.1).abs() < 0.5, "{own_work:?}");
        assert!(
            (own_work.estimate - theirs.estimate).abs() < 0.5 && own_work.margin < 13.0,
            "{own_work:?} {theirs:?}"
        );
        let mut heavy = here.clone();
        for scenario in &mut heavy.scenarios {
            "/heavy".clone_into(&mut scenario.path);
        }
        heavy.summary = analysis::summary(&heavy.apps, &heavy.scenarios, &heavy.trials);
        assert!(of(&heavy).own_work.is_none() && crate::analysis::own_work::price(&heavy).is_none());
        let ratio = |record: &Record| {
            let cell = record.cell("rocket", "default", "plaintext").unwrap();
            cell.metrics[&METRIC].ratio.as_ref().unwrap().estimate
        };
        let [here, there] = [&here, &others[0]].map(ratio);
        assert!(here / there > 1.2, "{here} {there}");
    }

    #[test]
    fn a_machine_that_charges_several_times_the_usual_is_told_by_the_ends() {
        let caveats = |machine| crate::caveats::of_machine(&on("a", machine, 1.0));
        let times = |caveat: Caveat| match caveat {
            Caveat::Dear(times) => Some(times),
            _ => None,
        };
        let dear = |machine| caveats(machine).into_iter().find_map(times);
        assert_eq!((dear(QUIET), dear(SLOWER)), (None, None));
        assert!((4.0..4.5).contains(&dear(CONTENDED).unwrap()), "{:?}", dear(CONTENDED));
    }

    #[test]
    fn what_a_cpu_does_to_one_server_is_seen() {
        let here = on("a", QUIET, 1.0);
        let found = carried(&here, &Sessions::default(), &[on("b", SLOWER, 1.8)]);
        assert_eq!(found.figures - found.held, 2, "axum in both scenarios: {found:?}");
        assert!(found.reversed > 0, "it is behind its tuned variant there: {found:?}");
    }

    #[test]
    fn runs_on_the_same_kind_of_machine_say_nothing_of_another() {
        let here = on("a", QUIET, 1.0);
        let of = |others: &[Record]| carried(&here, &Sessions::default(), others);
        assert_eq!(of(&[on("a", QUIET, 1.0)]), Carried::default());
        let found = of(&[on("a", QUIET, 1.0), on("b", QUIET, 1.0), on("b", SLOWER, 1.0)]);
        assert_eq!((found.runs, found.kinds), (2, 1));
    }
}
