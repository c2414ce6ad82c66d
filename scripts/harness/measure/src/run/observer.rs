//! Passes the events of a run on to its journal and to the user, and says it at once where the machine is not fit to measure.

use std::io;
use std::time::Instant;

use analyze::{analysis, disturbance};
use machine::other_programs::Processes;
use model::{AppRecord, OtherProgram, Trial, count};

use super::disturbed;
use super::journal::Journal;
use crate::plan::Plan;
use crate::progress::{Progress, Reporter};

/// Keeps every trial in the journal and shows how far the run is.
pub struct RunObserver<'a> {
    journal: &'a mut Journal,
    progress: Box<dyn Progress + 'a>,
    began: Instant,
    made: usize,
    planned: usize,
    plan: &'a Plan,
    apps: &'a [AppRecord],
    /// As they were before the round, until others were found.
    processes: Option<Processes>,
    pub others: Vec<OtherProgram>,
}

impl<'a> RunObserver<'a> {
    /// For a run of `plan` that has `made` trials already.
    pub fn new(
        journal: &'a mut Journal,
        plan: &'a Plan,
        apps: &'a [AppRecord],
        made: usize,
        reporter: &'a dyn Reporter,
    ) -> Self {
        let planned = (plan.round(1).len() * plan.rounds as usize).saturating_sub(made);
        let heading = format!(
            "measuring {}, {}, {}, seed {}",
            count(plan.scenarios.len(), "scenario"),
            count(apps.len(), "app"),
            count(plan.rounds as usize, "round"),
            plan.seed
        );
        let progress = reporter.begin(&heading, planned as u64);
        Self {
            journal,
            progress,
            began: Instant::now(),
            made: 0,
            planned,
            plan,
            apps,
            processes: Some(Processes::now()),
            others: Vec::new(),
        }
    }

    /// An unplanned round with this many trials begins.
    pub fn unplanned_round(&mut self, trials: usize) {
        self.planned += trials;
        self.progress.more(trials as u64);
    }

    /// How far the round is: a trial, or a sub-round of all servers.
    pub fn doing(&mut self, what: &str) {
        self.progress.goes_on(what);
    }

    /// A trial is over. It is written to the journal at once, in case the process is killed.
    pub fn trial_done(&mut self, trial: &Trial) -> io::Result<()> {
        self.journal.add(trial)?;
        if trial.attempt == 1 {
            self.made += 1;
            self.progress.step();
        }
        Ok(())
    }

    /// A round is over; these are all trials so far.
    pub fn round_done(&mut self, round: u32, trials: &[Trial]) {
        let left = self.planned.saturating_sub(self.made);
        let each = self.began.elapsed() / u32::try_from(self.made.max(1)).unwrap_or(u32::MAX);
        let left = each * u32::try_from(left).unwrap_or(u32::MAX);
        let of = self.plan.rounds.max(round);
        self.progress.left(&format!("round {round} of {of} done"), left);
        self.look_for_others(round, trials);
        if round == 1 && of > 1 {
            let cells = analysis::summary(self.apps, &self.plan.scenarios, trials);
            self.progress.first_figures(&cells);
        }
    }

    /// Says who uses the cpus after the first round that was lost, for what comes will not be better by itself.
    fn look_for_others(&mut self, round: u32, trials: &[Trial]) {
        let Some(before) = &self.processes else { return };
        let now = Processes::now();
        if !disturbed::is_lost(round, trials) {
            self.processes = Some(now);
            return;
        }
        self.others = now.busiest_since(before);
        self.processes = None;
        let of_round = trials.iter().filter(|trial| trial.round == round);
        if let Some(found) = disturbance::of_trials(of_round, &self.others) {
            self.progress.warn(&format!(
                "round {round} does not count, because {}: {}. If you let it go on, CPU times stand in parentheses, and no round is made \
                 beyond the {} that are planned",
                found, found.remedy(), self.plan.rounds
            ));
        }
    }
}
