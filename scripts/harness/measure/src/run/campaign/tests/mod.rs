//! Whole runs in a world without processes.

mod faults;

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::progress::{Progress, Reporter};
use crate::run::RunRequest;
use crate::run::driver::Driver;
use crate::run::fake::{BUSY, COST, Event, Loaded, Moment, RESTLESS, World, loads, split};
use crate::run::journal::{Head, Journal};
use apps::build::Binary;
use apps::profile::Profiles;
use machine::interrupt::Interrupted;
use machine::program::Program;
use model::Role;
use model::Verdict::{self, EnvironmentFailed, Valid};
use model::scenario::GeneratorKind;
use servers::failure::Failure;

struct Silent;

impl Reporter for Silent {
    fn begin(&self, _: &str, _: u64) -> Box<dyn Progress + '_> {
        Box::new(())
    }
}

const SLICES: u32 = 4;

/// A run of `plaintext` by the reference and two apps; its first trials may have been made already.
struct Run {
    folder: tempfile::TempDir,
    plan: Plan,
    subjects: Vec<BuiltApp>,
    time_budget: Option<Duration>,
    spent: Duration,
    trials: Vec<Trial>,
}

impl Run {
    fn of_slices(rounds: u32, other: &str) -> Self {
        let profiles = Profiles::built_in();
        let known = profiles
            .scenario("plaintext", profiles.profile("quick").unwrap())
            .unwrap();
        let scenario = Scenario {
            seconds: f64::from(SLICES) * 0.012,
            slice_seconds: Some(0.012),
            warmup_seconds: 0.012,
            ..known
        };
        let folder = tempfile::tempdir().unwrap();
        let record = samples::record();
        let subjects = ["reference", "good", other].map(|id| {
            let program = folder.path().join(id);
            std::fs::write(&program, "").unwrap();
            let mut app = record.apps[0].clone();
            (app.id, app.variant) = (id.into(), "default".into());
            app.role = if id == "reference" {
                Role::Reference
            } else {
                Role::Framework
            };
            let program = Program::at(&program).unwrap();
            BuiltApp {
                app,
                binary: Some(Binary { program, seconds: 1.0 }),
                connections: None,
            }
        });
        let plan = Plan {
            profile: "quick".into(),
            seed: 7,
            rounds,
            subjects: subjects
                .iter()
                .map(|built| SubjectId::new(&built.app.id, "default"))
                .collect(),
            scenarios: vec![scenario],
            asked: BTreeMap::new(),
        };
        Self {
            folder,
            plan,
            subjects: subjects.into(),
            time_budget: None,
            spent: Duration::ZERO,
            trials: Vec::new(),
        }
    }

    /// The same with a load of its own for each server.
    fn of_loads(rounds: u32, other: &str) -> Self {
        let mut run = Self::of_slices(rounds, other);
        run.plan.scenarios[0].slice_seconds = None;
        run
    }

    /// Both.
    fn each(rounds: u32, other: &str) -> [Self; 2] {
        [Self::of_slices(rounds, other), Self::of_loads(rounds, other)]
    }

    fn head(&self) -> Head {
        let record = model::Record {
            apps: self.subjects.iter().map(|built| built.app.clone()).collect(),
            trials: Vec::new(),
            summary: Vec::new(),
            ..samples::sensible()
        };
        Head {
            record,
            plan: self.plan.clone(),
            request: RunRequest::default(),
        }
    }

    /// Makes what is left of the run in this world.
    fn goes_on(&mut self, world: &World) -> anyhow::Result<Stopped> {
        let head = self.head();
        let mut journal = match Journal::resume(self.folder.path(), None) {
            Err(_) => Journal::create(self.folder.path(), &head)?,
            Ok((journal, mut resumed)) => {
                let made = std::mem::take(&mut resumed.record.trials);
                assert_eq!((&resumed, &made), (&head, &self.trials), "what was made is kept");
                journal
            }
        };
        let (split, driver): (_, &dyn Driver) = (split(), world);
        let campaign = Campaign {
            plan: &self.plan,
            subjects: &self.subjects,
            drivers: BTreeMap::from([(GeneratorKind::Oha, driver)]),
            clock: world,
            images: None,
            database: None,
            split: &split,
            machine: &Topology::of_this_machine(),
            time_budget: self.time_budget,
            spent: self.spent,
        };
        let mut counting = RoundCounts::new(&self.plan, &self.subjects, &split, false);
        let mut observer = RunObserver::new(&mut journal, &self.plan, &head.record.apps, self.trials.len(), &Silent);
        campaign.run(&mut self.trials, &mut counting, &mut observer)
    }

    /// Makes the whole run in a world in which `act` says what goes wrong.
    fn go(&mut self, act: impl Fn(&Moment<'_>, Event<'_>) -> Result<(), Failure> + Send + Sync + 'static) -> World {
        let world = World::new(act);
        self.goes_on(&world).unwrap();
        world
    }

    /// Round, attempt and verdict of the trials of an app.
    fn of(&self, app: &str) -> Vec<(u32, u32, Verdict)> {
        let of = self.trials.iter().filter(|trial| trial.app == app);
        of.map(|trial| (trial.round, trial.attempt, trial.verdict)).collect()
    }

    fn first(&self, app: &str) -> &Trial {
        self.trials.iter().find(|trial| trial.app == app).unwrap()
    }

    fn valid(&self, app: &str) -> bool {
        self.of(app).iter().all(|(_, _, verdict)| *verdict == Valid)
    }
}

fn fine(_: &Moment<'_>, _: &mut Loaded) {}

/// The apps of each sub-round of a round, in the order of their places.
fn turns(run: &Run, round: u32) -> Vec<Vec<String>> {
    let mut turns = vec![BTreeMap::new(); SLICES as usize];
    for trial in run.trials.iter().filter(|trial| trial.round == round) {
        let slices = trial.slices.as_ref().unwrap();
        for (sub_round, place) in slices.sub_round.iter().zip(&slices.place) {
            turns[*sub_round as usize - 1].insert(*place, trial.app.clone());
        }
    }
    turns.into_iter().map(|places| places.into_values().collect()).collect()
}

#[test]
fn all_servers_of_a_round_take_turns_in_an_order_of_the_seed() {
    let mut orders = BTreeSet::new();
    for seed in [7, 7, 8, 9] {
        let mut run = Run::of_slices(2, "other");
        run.plan.seed = seed;
        let world = run.go(loads(fine));
        let rounds = [turns(&run, 1), turns(&run, 2)];
        assert_eq!(rounds.concat().concat(), world.turns(), "as they were made");
        for round in &rounds {
            for two in round.chunks(2) {
                let reversed: Vec<_> = two[0].iter().rev().cloned().collect();
                assert_eq!(
                    (two[0].len(), &reversed),
                    (3, &two[1]),
                    "a drift within the two cancels"
                );
            }
            assert!(round[0] != round[2] || rounds[0] != rounds[1], "shuffled anew");
        }
        let places: Vec<u32> = run.trials.iter().map(|trial| trial.order).collect();
        assert_eq!(places, [1, 2, 3, 4, 5, 6]);
        assert!(
            run.valid("reference") && run.valid("good") && run.valid("other"),
            "{:?}",
            run.trials
        );
        let busy = run.first("good").generator_cpu_share.unwrap();
        assert!((busy - BUSY).abs() < 0.01, "without start and report: {busy}");
        // By their places in the plan's round, whose order follows from the seed as well.
        let entries = (1..).zip(rounds).flat_map(|(number, round)| {
            let trials = run.trials.iter().filter(|trial| trial.round == number);
            let place = |app: String| trials.clone().position(|trial| trial.app == app);
            round.concat().into_iter().map(place).collect::<Vec<_>>()
        });
        orders.insert(entries.collect::<Vec<_>>());
    }
    assert_eq!(orders.len(), 3, "the same seed, the same order; another, another");
}

#[test]
fn what_the_machine_disturbed_is_made_once_more_at_once() {
    for mut run in Run::each(1, "other") {
        run.go(loads(|now, loaded| {
            if now.app != "reference" && now.start == 1 {
                loaded.disturb();
            }
        }));
        for app in ["good", "other"] {
            let wanted = [(1, 1, EnvironmentFailed), (1, 2, Valid)];
            assert_eq!(run.of(app), wanted, "{app}");
        }
        // A round is disturbed if at least half of its servers are; a load of its own concerns nobody else.
        let is_sliced = run.plan.scenarios[0].slice_seconds.is_some();
        assert_eq!(run.of("reference").len(), if is_sliced { 2 } else { 1 });
    }
}

#[test]
fn a_machine_that_stays_busy_gets_one_repetition_and_no_round_beyond_the_plan() {
    for rounds in [1, 5] {
        for mut run in Run::each(rounds, "other") {
            run.go(loads(|_, loaded| loaded.disturb()));
            let repeated = run.trials.iter().filter(|trial| trial.attempt > 1).count();
            let is_sliced = run.plan.scenarios[0].slice_seconds.is_some();
            assert_eq!(repeated, if is_sliced { 3 } else { 1 });
            assert_eq!(run.trials.len(), 3 * rounds as usize + repeated);
            assert!(run.trials.iter().all(|trial| trial.verdict == EnvironmentFailed));
            let slices = run.trials.iter().map(|trial| trial.disturbed_slices.as_ref());
            let kept = slices
                .flatten()
                .filter(|slices| slices.answers.len() == SLICES as usize);
            assert_eq!(kept.count(), if is_sliced { run.trials.len() } else { 0 });
        }
    }
}

#[test]
fn a_machine_that_comes_to_rest_gets_the_rounds_that_it_lacks() {
    let mut run = Run::of_slices(5, "other");
    run.go(loads(|now, loaded| {
        if now.start <= 3 {
            loaded.disturb();
        }
    }));
    let lost = [(1, 1), (1, 2), (2, 1)].map(|(round, attempt)| (round, attempt, EnvironmentFailed));
    let valid = [3, 4, 5, 6, 7].map(|round| (round, 1, Valid));
    assert_eq!(run.of("good"), [lost.as_slice(), &valid].concat());
}

#[test]
fn a_single_disturbed_server_gets_an_extra_round_of_all() {
    let mut run = Run::of_slices(2, "other");
    let world = run.go(loads(|now, loaded| {
        if now.is("other", 1) {
            loaded.disturb();
        }
    }));
    assert_eq!(
        run.of("other"),
        [(1, 1, EnvironmentFailed), (2, 1, Valid), (3, 1, Valid)]
    );
    assert_eq!(run.of("reference"), [(1, 1, Valid), (2, 1, Valid), (3, 1, Valid)]);
    assert_eq!(world.starts("good"), 3);
}

#[test]
fn a_restless_server_is_driven_apart_and_scaled_by_the_reference_next_to_it() {
    let mut run = Run::of_slices(2, RESTLESS);
    // The machine is half as fast where the restless one is apart, which is every second start of the reference.
    let world = run.go(loads(|now, loaded| {
        if now.app == RESTLESS || now.app == "reference" && now.start % 2 == 0 {
            loaded.cpu *= 2;
        }
        if now.app == RESTLESS {
            loaded.cpu = loaded.cpu.mul_f64(1.25);
        }
    }));
    assert_eq!((world.starts("good"), world.starts("reference")), (2, 4));
    assert_eq!(
        world.starts(RESTLESS),
        3,
        "once known, it has no place in the common round"
    );
    for trial in run.trials.iter().filter(|trial| trial.app == RESTLESS) {
        assert!(trial.apart, "{trial:?}");
        assert!(
            (trial.server_cpu_us_per_request.unwrap() - 1.25 * COST).abs() < 0.1,
            "{trial:?}"
        );
        assert!((trial.idle_cpu_share.unwrap() - 0.4).abs() < 0.01, "{trial:?}");
    }
    for trial in run.trials.iter().filter(|trial| trial.app != RESTLESS) {
        assert!(
            !trial.apart && (trial.server_cpu_us_per_request.unwrap() - COST).abs() < 0.1,
            "{trial:?}"
        );
        assert_eq!(trial.idle_cpu_share, Some(0.0));
    }
    assert_eq!(run.of(RESTLESS).len(), 2);
}

#[test]
fn a_time_budget_is_used_up_and_no_round_is_begun_that_would_exceed_it() {
    let mut run = Run::of_slices(1, "other");
    let one = run.go(loads(fine)).age();
    for (rounds, share) in [(1, 0.1), (1, 1.9), (2, 2.1), (3, 3.9)] {
        (run.folder, run.trials) = (tempfile::tempdir().unwrap(), Vec::new());
        run.time_budget = Some(one.mul_f64(share));
        let stopped = run.goes_on(&World::new(loads(fine))).unwrap();
        assert_eq!(stopped, Stopped::TimeBudgetSpent);
        assert_eq!(run.of("good").len(), rounds, "{share} of a round");
        assert_eq!(run.trials.len(), 3 * rounds, "no round is left half done");
    }
}

#[test]
fn what_a_resumed_run_spent_before_counts_in_its_budget() {
    let mut run = Run::of_slices(1, "other");
    let one = run.go(loads(fine)).age();
    (run.time_budget, run.spent) = (Some(one.mul_f64(3.5)), one);
    run.goes_on(&World::new(loads(fine))).unwrap();
    assert_eq!(run.of("good").len(), 3, "{:?}", run.trials);
}

#[test]
fn a_run_that_is_interrupted_goes_on_where_it_was() {
    for (mut run, kept) in Run::each(3, "other").into_iter().zip([3, 4]) {
        let world = World::new(|now, event| match event {
            Event::Start if now.is("good", 2) => Err(Failure::Interrupted(Interrupted)),
            Event::Start if now.is("other", 2) => Err(Failure::Interrupted(Interrupted)),
            _ => Ok(()),
        });
        let error = run.goes_on(&world).unwrap_err();
        assert!(error.is::<Interrupted>(), "{error}");
        assert!(run.trials.len() >= 3 && run.trials.len() <= kept, "{:?}", run.trials);
        let (before, rest) = (run.trials.clone(), World::new(loads(fine)));
        assert_eq!(run.goes_on(&rest).unwrap(), Stopped::RoundsDone);
        assert_eq!(run.trials[..before.len()], before, "what was made is kept as it was");
        for app in ["reference", "good", "other"] {
            assert_eq!(run.of(app), [1, 2, 3].map(|round| (round, 1, Valid)));
            let made = before.iter().filter(|trial| trial.app == app).count();
            assert_eq!(rest.starts(app) as usize, 3 - made, "and not made again");
        }
    }
}

#[test]
fn an_attempt_that_a_kill_cut_short_is_made_again() {
    let mut run = Run::of_slices(1, "other");
    run.go(loads(fine));
    run.trials.pop();
    run.folder = tempfile::tempdir().unwrap();
    run.go(loads(fine));
    assert_eq!(run.of("good").last(), Some(&(1, 2, Valid)));
    assert_eq!(run.trials.len(), 2 + 3);
}

#[test]
fn slices_that_were_disturbed_are_made_up_for() {
    let mut run = Run::of_slices(1, "other");
    let world = run.go(loads(|now, loaded| {
        if now.app == "other" && (1..=2).contains(&now.load) {
            loaded.disturb();
        }
    }));
    // Four are wanted, three are enough, and half as many again are the most.
    assert_eq!(run.first("other").slices.as_ref().unwrap().sub_round, [3, 4, 5]);
    assert_eq!(world.turns().len(), 3 * 5);
    assert!(run.valid("other"));
}
