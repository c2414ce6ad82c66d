//! Takes each trial's figures from the sub-rounds in which the machine was in a good state ([`SubRounds`]): at the end of a run, which knows
//! its best state, and wherever a record has slices. And, where none counts, from all.

use std::collections::BTreeMap;

use model::scenario::Scenario;
use model::{MachineState, Record, Slices, SubjectId, Trial, Verdict};
use stats::{MIN_FOR_INTERVAL, SubRounds};

/// Fewest counted sub-rounds of a round of `all` that make a figure: a long scenario has few, and each counts for more.
fn fewest(all: usize) -> u32 {
    u32::try_from(all.div_ceil(4)).map_or(4, |quarter| quarter.min(4))
}

/// The trials of one scenario by round: the last attempt of each, as places in the run's trials.
struct Measured<'a> {
    servers: Vec<SubjectId>,
    /// For each round, its number of sub-rounds and, by server, the trial.
    rounds: Vec<(usize, BTreeMap<usize, usize>)>,
    trials: &'a [Trial],
}

impl<'a> Measured<'a> {
    fn of(scenario: &Scenario, trials: &'a [Trial]) -> Self {
        let mut servers: Vec<SubjectId> = Vec::new();
        let mut rounds: BTreeMap<u32, (u32, BTreeMap<usize, usize>)> = BTreeMap::new();
        let of_scenario = trials
            .iter()
            .enumerate()
            .filter(|(_, trial)| trial.scenario == scenario.id);
        for (place, trial) in of_scenario.filter(|(_, trial)| trial.slices.is_some()) {
            let subject = SubjectId::new(&trial.app, &trial.variant);
            let server = servers.iter().position(|server| *server == subject).unwrap_or_else(|| {
                servers.push(subject);
                servers.len() - 1
            });
            let round = rounds.entry(trial.round).or_default();
            if trial.attempt > round.0 {
                *round = (trial.attempt, BTreeMap::new());
            }
            if trial.attempt == round.0 {
                round.1.insert(server, place);
            }
        }
        let columns = |of: &BTreeMap<usize, usize>| {
            let last = of
                .values()
                .filter_map(|place| trials[*place].slices.as_ref()?.sub_round.iter().max());
            last.max().map_or(0, |last| *last as usize)
        };
        let rounds = rounds.into_values().map(|(_, of)| (columns(&of), of)).collect();
        Self {
            servers,
            rounds,
            trials,
        }
    }

    /// A row for each server, with a column for each sub-round of one round.
    fn rows(&self, round: usize, figure: fn(&Slices, usize) -> Option<f64>) -> Vec<Vec<Option<f64>>> {
        let (columns, of) = &self.rounds[round];
        let row = |server: usize| {
            let mut row = vec![None; *columns];
            let trial = of.get(&server).map(|place| &self.trials[*place]);
            // One that was driven apart shared no sub-round with the others.
            let trial = trial.filter(|trial| !trial.apart);
            if let Some(slices) = trial.and_then(|trial| trial.slices.as_ref()) {
                for (at, sub_round) in slices.sub_round.iter().enumerate() {
                    row[*sub_round as usize - 1] = figure(slices, at).map(f64::ln).filter(|log| log.is_finite());
                }
            }
            row
        };
        (0..self.servers.len()).map(row).collect()
    }

    fn chosen(&self) -> Option<SubRounds> {
        let mut rows = vec![Vec::new(); self.servers.len()];
        for round in 0..self.rounds.len() {
            for (row, of_round) in rows.iter_mut().zip(self.rows(round, server_cpu)) {
                row.extend(of_round);
            }
        }
        SubRounds::new(&rows)
    }

    /// For each round, its first sub-round in the run, and how many of its sub-rounds count.
    fn counted<'s>(&'s self, chosen: &'s SubRounds) -> impl Iterator<Item = (usize, u32)> + 's {
        self.rounds.iter().scan(0, |next, (columns, _)| {
            let first = *next;
            *next += columns;
            let counted = (first..*next).filter(|at| chosen.is_good(*at)).count();
            Some((first, u32::try_from(counted).unwrap_or(u32::MAX)))
        })
    }
}

fn server_cpu(slices: &Slices, at: usize) -> Option<f64> {
    Some(*slices.server_cpu_us.get(at)? as f64 / *slices.answers.get(at)? as f64)
}

fn database_cpu(slices: &Slices, at: usize) -> Option<f64> {
    Some(*slices.database_cpu_us.get(at)? as f64 / *slices.answers.get(at)? as f64)
}

fn goodput(slices: &Slices, at: usize) -> Option<f64> {
    Some(*slices.answers.get(at)? as f64 / (*slices.length_us.get(at)? as f64 / 1e6))
}

/// Whether too few rounds of a scenario were made in a good state of the machine for an interval.
pub fn lacks_good_rounds(scenario: &Scenario, planned: u32, trials: &[Trial]) -> bool {
    let measured = Measured::of(scenario, trials);
    let wanted = (planned as usize).min(MIN_FOR_INTERVAL);
    measured.chosen().is_some_and(|chosen| {
        let good = measured.counted(&chosen).zip(&measured.rounds);
        good.filter(|((_, counted), (columns, _))| *counted >= fewest(*columns))
            .count()
            < wanted
    })
}

/// The trials of a scenario as if nothing had disturbed them, each with the CPU time per request that all of its slices show, those too that
/// count in no figure. Without slices, or driven apart from the others, a trial keeps its own.
pub(crate) fn by_all_slices(scenario: &Scenario, trials: &[&Trial]) -> Vec<Trial> {
    let all = |trial: &&Trial| {
        let mut trial = (*trial).clone();
        if trial.verdict == Verdict::EnvironmentFailed {
            trial.verdict = Verdict::Valid;
        }
        if let Some(disturbed) = trial.disturbed_slices.take() {
            let slices = trial.slices.get_or_insert_default();
            slices.sub_round.extend(disturbed.sub_round);
            slices.answers.extend(disturbed.answers);
            slices.server_cpu_us.extend(disturbed.server_cpu_us);
        }
        trial
    };
    let mut all: Vec<Trial> = trials.iter().map(all).collect();
    let measured = Measured::of(scenario, &all);
    let levels = (0..measured.rounds.len()).flat_map(|round| {
        let levels = stats::polish(&measured.rows(round, server_cpu));
        let of = &measured.rounds[round].1;
        of.iter().map(move |(server, place)| (*place, levels[*server]))
    });
    for (place, level) in levels.collect::<Vec<_>>() {
        if !all[place].apart {
            all[place].server_cpu_us_per_request = level.map(f64::exp);
        }
    }
    all
}

/// Sets CPU time per request and goodput of all trials, controls' too, that had slices alongside at least three other servers.
pub fn figures_in_good_state(record: &mut Record) {
    let mut trials = std::mem::take(&mut record.trials);
    let own = trials.len();
    trials.extend(record.controls.iter_mut().flat_map(|control| control.trials.drain(..)));
    for scenario in &record.scenarios {
        for (place, trial) in of_scenario(scenario, &trials).into_iter().flatten() {
            trials[place] = trial;
        }
    }
    for trial in trials.split_off(own) {
        if let Some(control) = record.controls.iter_mut().find(|control| trial.is_of(&control.app)) {
            control.trials.push(trial);
        }
    }
    record.trials = trials;
}

fn of_scenario(scenario: &Scenario, trials: &[Trial]) -> Option<Vec<(usize, Trial)>> {
    let measured = Measured::of(scenario, trials);
    let chosen = measured.chosen()?;
    let slowness = chosen.slowness()?;
    let mut settled = Vec::new();
    for (round, (first, counted)) in measured.counted(&chosen).enumerate() {
        let (columns, of) = &measured.rounds[round];
        let figures =
            [server_cpu, database_cpu, goodput].map(|figure| chosen.levels(first, &measured.rows(round, figure)));
        let of_sub_rounds = MachineState {
            counted,
            of: u32::try_from(*columns).unwrap_or(u32::MAX),
            slowness,
        };
        let is_enough = counted >= fewest(*columns);
        // One that was driven apart was related to the others' levels, which move with the choice of sub-rounds.
        let moved = |figure: fn(&Trial) -> Option<f64>, levels: &[Option<f64>]| {
            let changes = of
                .iter()
                .filter_map(|(server, place)| Some(levels[*server]? - figure(&trials[*place])?.ln()));
            stats::median(&changes.collect::<Vec<_>>())
                .filter(|_| is_enough)
                .map(f64::exp)
        };
        for (server, place) in of {
            let mut trial = trials[*place].clone();
            if trial.apart {
                let scale =
                    |figure: &mut Option<f64>, by: Option<f64>| *figure = figure.zip(by).map(|(own, by)| own * by);
                scale(
                    &mut trial.server_cpu_us_per_request,
                    moved(|trial| trial.server_cpu_us_per_request, &figures[0]),
                );
                scale(&mut trial.goodput_rps, moved(|trial| trial.goodput_rps, &figures[2]));
                settled.push((*place, trial));
                continue;
            }
            let set = |figure: &mut Option<f64>, levels: &[Option<f64>]| {
                *figure = figure.and(levels[*server]).filter(|_| is_enough).map(f64::exp);
            };
            set(&mut trial.server_cpu_us_per_request, &figures[0]);
            set(&mut trial.database_cpu_us_per_request, &figures[1]);
            set(&mut trial.goodput_rps, &figures[2]);
            trial.state = Some(of_sub_rounds);
            settled.push((*place, trial));
        }
    }
    Some(settled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_good_state(scenarios: &[Scenario], trials: &mut Vec<Trial>) {
        let mut record = samples::record();
        record.scenarios = scenarios.to_vec();
        record.trials = std::mem::take(trials);
        super::figures_in_good_state(&mut record);
        *trials = record.trials;
    }

    /// A round of sixteen sub-rounds for each of these states of the machine, of four servers, of which the last pays the slowness twice.
    fn trials(slowness: &[[f64; 16]]) -> (Scenario, Vec<Trial>) {
        let record = samples::record();
        let scenario = record.scenarios[0].clone();
        let trial = |round: usize, server: usize| {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // thousands
            let cpu = |slow: &f64| {
                (10_000.0 * (1.0 + 0.1 * server as f64) * if server == 3 { slow * slow } else { *slow }) as u64
            };
            Trial {
                app: format!("app-{server}"),
                variant: "default".into(),
                scenario: scenario.id.clone(),
                round: u32::try_from(round + 1).unwrap(),
                attempt: 1,
                server_cpu_us_per_request: Some(1.0),
                goodput_rps: Some(1.0),
                slices: Some(Slices {
                    sub_round: (1..=16).collect(),
                    answers: vec![1000; 16],
                    length_us: vec![50_000; 16],
                    server_cpu_us: slowness[round].iter().map(cpu).collect(),
                    ..Slices::default()
                }),
                ..Trial::default()
            }
        };
        let trials = (0..slowness.len()).flat_map(|round| (0..4).map(move |server| (round, server)));
        (
            scenario.clone(),
            trials.map(|(round, server)| trial(round, server)).collect(),
        )
    }

    fn cpu(trials: &[Trial], round: u32) -> Vec<Option<f64>> {
        let of_round = trials.iter().filter(|trial| trial.round == round);
        of_round.map(|trial| trial.server_cpu_us_per_request).collect()
    }

    #[test]
    fn figures_come_from_the_good_state_and_a_round_without_one_has_none() {
        let mut half = [1.0; 16];
        half[8..].fill(1.3);
        let (scenario, mut trials) = trials(&[[1.0; 16], half, [1.3; 16]]);
        assert!(lacks_good_rounds(&scenario, 3, &trials) && !lacks_good_rounds(&scenario, 2, &trials));
        in_good_state(&[scenario], &mut trials);
        for round in [1, 2] {
            let found: Vec<f64> = cpu(&trials, round).into_iter().map(Option::unwrap).collect();
            for (found, expected) in found.iter().zip([10.0, 11.0, 12.0, 13.0]) {
                assert!((found - expected).abs() < 0.01, "{found} {expected}");
            }
        }
        assert_eq!(cpu(&trials, 3), [None; 4]);
        let counted: Vec<u32> = trials
            .iter()
            .step_by(4)
            .map(|trial| trial.state.unwrap().counted)
            .collect();
        assert_eq!(counted, [16, 8, 0]);
        assert!((trials[0].state.unwrap().slowness - 1.0).abs() < 1e-9);
        assert!((trials[0].goodput_rps.unwrap() - 20_000.0).abs() < 1.0);
    }

    #[test]
    fn a_server_that_was_driven_apart_keeps_its_relation_to_the_others() {
        let (scenario, mut trials) = trials(&[[1.0; 16]; 2]);
        trials.extend_from_within(..1);
        let apart = trials.last_mut().unwrap();
        (apart.app, apart.apart) = ("apart".into(), true);
        apart.server_cpu_us_per_request = Some(0.5);
        in_good_state(&[scenario], &mut trials);
        let moved: Vec<f64> = (0..4)
            .map(|server| trials[server].server_cpu_us_per_request.unwrap())
            .collect();
        let apart = trials.last().unwrap().server_cpu_us_per_request.unwrap();
        assert!(
            (apart - 0.5 * (moved[1] * moved[2]).sqrt()).abs() < 1e-9,
            "{apart} {moved:?}"
        );
    }

    #[test]
    fn three_servers_tell_no_state() {
        let (scenario, mut trials) = trials(&[[1.0; 16]]);
        trials.truncate(3);
        let before = trials.clone();
        in_good_state(&[scenario], &mut trials);
        assert_eq!(trials, before);
    }
}
