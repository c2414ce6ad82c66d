//! A run as a forecast of another cpu: which servers' own work was found there within its margin, and which pairs in the same order.

use model::scenario::Scenario;
use model::{AppRecord, Metric, OwnWork, Record, Role};

use crate::analysis::{self, Sessions, is_same_kind, is_same_version, place};
use crate::forecast;

const METRIC: Metric = Metric::ServerCpuUsPerRequest;

/// How a run was right about one of another kind of machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    /// Id of the run that it is held against.
    pub to: String,
    /// Figures of own work that both have.
    pub figures: u32,
    /// Those that the other found within the first one's margin.
    pub held: u32,
    /// Pairs of frameworks that the first distinguishes, and the other has.
    pub pairs: u32,
    /// Those that the other distinguishes in the opposite order.
    pub reversed: u32,
}

/// `record` held against the newest run of each other kind of machine among `others`, which are the oldest first; without those that share
/// nothing with it. `sessions` are the others of its own kind.
pub fn carried(record: &Record, sessions: &Sessions, others: &[Record]) -> Vec<Carried> {
    let mut seen: Vec<&Record> = vec![record];
    let mut carried = Vec::new();
    for other in others.iter().rev() {
        if seen.iter().any(|seen| is_same_kind(seen, other)) {
            continue;
        }
        let found = held(record, sessions, other);
        if found.figures > 0 {
            seen.push(other);
            carried.push(found);
        }
    }
    carried
}

fn held(record: &Record, sessions: &Sessions, other: &Record) -> Carried {
    let mut score = Carried {
        to: other.id.clone(),
        figures: 0,
        held: 0,
        pairs: 0,
        reversed: 0,
    };
    for scenario in &record.scenarios {
        let there = |app: &AppRecord| place(&other.apps, app, is_same_version);
        let said = |app: &AppRecord| own_work(record, app, scenario);
        let frameworks = record.apps.iter().filter(|app| app.role == Role::Framework);
        for (said, app) in frameworks
            .filter_map(|app| Some((said(app)?, app)))
            .filter(|(said, _)| said.margin > 0.0)
        {
            if let Some(found) = there(app).and_then(|app| own_work(other, &other.apps[app], scenario)) {
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
    let cell = record.cell(&app.id, &app.variant, &scenario.id)?;
    cell.metrics.get(&METRIC).filter(|summary| summary.trusted)?.own_work
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading;

    /// What the servers do themselves, in units of which a machine has its price.
    const WORK: [(&str, f64); 7] = [
        ("ceiling", 0.0),
        ("reference", 0.8),
        ("hyper", 1.0),
        ("actix-web", 1.1),
        ("axum", 1.9),
        ("axum:tuned", 3.0),
        ("rocket", 7.1),
    ];

    /// A run on a machine with a fixed part for each request and a price for work, in µs; on it, axum does `departure` times its work.
    fn on(cpu_model: &str, [fixed, price]: [f64; 2], departure: f64) -> Record {
        let mut record = samples::sensible();
        record.id = format!("{}-{cpu_model}", record.id);
        record.environment.cpu_model = cpu_model.to_owned();
        for trial in &mut record.trials {
            let label = match &*trial.variant {
                "tuned" => "axum:tuned",
                _ => &trial.app,
            };
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
        assert_eq!(found.len(), 2);
        for found in found {
            assert!(found.figures > 0 && found.held == found.figures, "{found:?}");
            assert!(found.pairs > 0 && found.reversed == 0, "{found:?}");
        }
        let of = |record: &Record| record.cell("axum", "default", "plaintext").unwrap().metrics[&METRIC].clone();
        let [own, other] = [&here, &others[0]].map(of);
        let [own_work, theirs] = [&own, &other].map(|summary| summary.own_work.unwrap());
        assert!((own_work.estimate - 100.0 * 1.9 / 7.1).abs() < 0.5, "{own_work:?}");
        assert!(
            (own_work.estimate - theirs.estimate).abs() < 0.5 && own_work.margin < 10.0,
            "{own_work:?} {theirs:?}"
        );
        let ratio = |record: &Record| {
            let cell = record.cell("rocket", "default", "plaintext").unwrap();
            cell.metrics[&METRIC].ratio.as_ref().unwrap().estimate
        };
        assert!(
            ratio(&here) / ratio(&others[0]) > 1.2,
            "{} {}",
            ratio(&here),
            ratio(&others[0])
        );
    }

    #[test]
    fn what_a_cpu_does_to_one_server_is_seen() {
        let here = on("a", QUIET, 1.0);
        let [found] = carried(&here, &Sessions::default(), &[on("b", SLOWER, 1.8)])
            .try_into()
            .unwrap();
        assert_eq!(found.figures - found.held, 2, "axum in both scenarios: {found:?}");
        assert!(found.reversed > 0, "it is behind its tuned variant there: {found:?}");
    }

    #[test]
    fn another_kind_is_held_against_once_and_the_same_never() {
        let here = on("a", QUIET, 1.0);
        let others = [on("a", QUIET, 1.0), on("b", QUIET, 2.0), on("b", SLOWER, 1.0)];
        let [found] = carried(&here, &Sessions::default(), &others).try_into().unwrap();
        assert_eq!((&*found.to, found.held), (&*others[2].id, found.figures), "the newest");
    }

    #[test]
    fn the_newest_run_of_each_other_machine_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let here = on("a", QUIET, 1.0);
        for (at, (cpu, machine)) in [("b", QUIET), ("c", CONTENDED), ("b", SLOWER), ("a", QUIET)]
            .into_iter()
            .enumerate()
        {
            let mut other = on(cpu, machine, 1.0);
            other.id = format!("20261120T11000{at}Z-1");
            model::store::write(folder.path(), &other).unwrap();
        }

        let found = reading::on_other_machines(folder.path(), &here).unwrap();
        let ids: Vec<&str> = found.iter().map(|record| &*record.id).collect();
        assert_eq!(ids, ["20261120T110001Z-1", "20261120T110002Z-1"]);
    }
}
