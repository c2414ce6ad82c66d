//! Measures pairs until every series is decided or the time budget is spent.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::instructions;
use super::scenarios::ComparedScenarios;
use super::slices;
use super::slices::{PairFailure, SidePrograms};
use crate::database::Database;
use crate::generator::Generator;
use crate::machine::cpus::Split;
use crate::program::Program;
use judge::compare::decide;
use judge::compare::decide::Progress;
use judge::compare::figures::Figures;
use judge::compare::gates::{Gates, Gauge};
use judge::compare::outcome::{Decision, Pair, Series, Status};
use judge::stats::median;
use record::Environment;
use record::scenario::Scenario;
use record::{GENERATOR_BUSY, Role, Services};

/// Measurements that the machine may spoil before the comparison is given up.
const SPOILT: usize = 5;
/// If the server uses less of its cpus than this in its slices, it was not the limit. Lower than [`record::SERVER_BUSY`], which is for a
/// trial, because each slice starts and ends.
const SLICES_BUSY: f64 = 0.80;

/// An app in a variant, built on both sides.
#[derive(Debug, Clone)]
pub struct Contender {
    /// Name of the app.
    pub app: String,
    /// Name of the variant.
    pub variant: String,
    /// What it is for.
    pub role: Role,
    /// The kinds of work of services that both sides do, if they are of that part of the contract.
    pub services: Option<Services>,
    /// Program of base.
    pub base: Program,
    /// Program of head.
    pub head: Program,
}

/// What pairs are measured with.
#[derive(Debug)]
pub struct Tools {
    /// The requests.
    pub scenarios: ComparedScenarios,
    /// The figures that are wanted.
    pub gauges: Vec<Gauge>,
    /// The load generator.
    pub generator: Generator,
    /// Cpus of server and generator.
    pub split: Split,
    /// The database behind both sides, if the scenarios need one.
    pub database: Option<Arc<Database>>,
    /// The machine, with the version of valgrind if instructions are counted.
    pub environment: Environment,
    /// What a reader of the result should know.
    pub warnings: Vec<String>,
}

/// What is compared, and for how long.
#[derive(Debug)]
pub struct Campaign<'a> {
    /// Who is compared.
    pub subjects: &'a [Contender],
    /// What it is measured with.
    pub tools: &'a Tools,
    /// The rules of the decision.
    pub gates: &'a Gates,
    /// A fixed number of pairs, instead of as many as needed.
    pub pairs: Option<u32>,
    /// Longest time.
    pub budget: Duration,
}

/// One series while it is measured.
#[derive(Debug)]
pub struct Track {
    /// Index of the subject in the campaign.
    pub subject: usize,
    /// Index of the scenario.
    pub scenario: usize,
    /// Pairs so far.
    pub pairs: Vec<Pair>,
    /// What they show so far.
    pub progress: Progress,
    /// Why it is not judged.
    pub reason: Option<String>,
    busy: Vec<(f64, f64)>,
}

/// What a campaign found.
#[derive(Debug)]
pub struct CampaignResult {
    /// Every series, in the order of subjects, scenarios and gauges.
    pub tracks: Vec<Track>,
    /// Subjects whose head failed during the campaign, with the reason.
    pub failed: BTreeMap<usize, (Status, String)>,
    /// Whether the time ran out before every series was decided.
    pub budget_spent: bool,
    /// Why the machine spoilt measurements, which were made again.
    pub spoilt: Vec<String>,
}

impl Campaign<'_> {
    /// Measures all pairs. Before each one, `tell` gets the app, the number of pairs made, and the number at the next look.
    pub fn run(&self, mut tell: impl FnMut(&str, u32, u32)) -> Result<CampaignResult, PairFailure> {
        let began = Instant::now();
        let mut result = CampaignResult {
            tracks: self.tracks(),
            failed: BTreeMap::new(),
            budget_spent: false,
            spoilt: Vec::new(),
        };
        let looks = self.looks(result.tracks.len());
        let mut made = 0;
        'looks: for look in looks {
            while made < look {
                for subject in 0..self.subjects.len() {
                    if began.elapsed() >= self.budget {
                        result.budget_spent = true;
                        break 'looks;
                    }
                    if !result
                        .tracks
                        .iter()
                        .any(|track| track.subject == subject && track.progress.is_open())
                    {
                        continue;
                    }
                    tell(&self.subjects[subject].app, made, look);
                    match self.pair(subject, made, &mut result.tracks, &mut result.spoilt) {
                        Ok(()) => {}
                        Err(PairFailure::Head(status, reason)) => {
                            // That decides it, so it is not measured any more.
                            result.tracks.retain(|track| track.subject != subject);
                            result.failed.insert(subject, (status, reason));
                        }
                        Err(other) => return Err(other),
                    }
                }
                made += 1;
                if !result.tracks.iter().any(|track| track.progress.is_open()) {
                    break;
                }
            }
            self.look(&mut result.tracks);
            if !result.tracks.iter().any(|track| track.progress.is_open()) {
                return Ok(result);
            }
        }
        if result.budget_spent {
            // The time, not the data, chose this look, and it replaces one that is no longer made.
            self.look(&mut result.tracks);
            result.budget_spent = result.tracks.iter().any(|track| track.progress.is_open());
        }
        Ok(result)
    }

    /// Pairs of each subject after which the data are looked at first.
    pub fn first_look(&self) -> u32 {
        self.looks(self.tracks().len())[0]
    }

    fn looks(&self, series: usize) -> Vec<u32> {
        match self.pairs {
            Some(pairs) => vec![pairs],
            None => decide::looks(series, self.gates).to_vec(),
        }
    }

    fn scenarios(&self) -> &[Scenario] {
        &self.tools.scenarios.scenarios
    }

    fn tracks(&self) -> Vec<Track> {
        let mut tracks = Vec::new();
        for subject in 0..self.subjects.len() {
            for scenario in 0..self.scenarios().len() {
                if !self.scenarios()[scenario].is_offered_by(self.subjects[subject].services.as_ref()) {
                    continue;
                }
                for gauge in &self.tools.gauges {
                    let cannot_count =
                        *gauge == Gauge::InstructionsPerRequest && self.tools.environment.valgrind.is_none();
                    if cannot_count || !self.tools.scenarios.measures(scenario, *gauge) {
                        continue;
                    }
                    let progress = Progress::new(*gauge);
                    tracks.push(Track {
                        subject,
                        scenario,
                        pairs: Vec::new(),
                        progress,
                        reason: None,
                        busy: Vec::new(),
                    });
                }
            }
        }
        tracks
    }

    /// Measures one pair in every open series of one subject.
    fn pair(
        &self,
        subject: usize,
        number: u32,
        tracks: &mut [Track],
        spoilt: &mut Vec<String>,
    ) -> Result<(), PairFailure> {
        let Contender {
            base, head, services, ..
        } = &self.subjects[subject];
        let programs = SidePrograms {
            base,
            head,
            services: services.as_ref(),
            database: self.tools.database.as_ref(),
        };
        let open = |tracks: &[Track], scenario: usize, counted: bool| {
            tracks.iter().any(|track| {
                let is_count = track.progress.gauge == Gauge::InstructionsPerRequest;
                (track.subject, track.scenario) == (subject, scenario)
                    && track.progress.is_open()
                    && is_count == counted
            })
        };
        for (index, scenario) in self.scenarios().iter().enumerate() {
            if open(tracks, index, false) {
                let figures = made_again(spoilt, || {
                    slices::pair(programs, scenario, &self.tools.generator, &self.tools.split, number)
                })?;
                let cpu = figures.cpu_us_per_request;
                add(tracks, subject, index, Gauge::ServerCpuUsPerRequest, cpu);
                add(tracks, subject, index, Gauge::GoodputRps, figures.goodput_rps);
                let driven = tracks.iter_mut();
                for track in driven.filter(|track| (track.subject, track.scenario) == (subject, index)) {
                    track.busy.push((figures.generator_share, figures.server_share));
                }
            }
        }
        let counted: Vec<usize> = (0..self.scenarios().len())
            .filter(|index| open(tracks, *index, true))
            .collect();
        if counted.is_empty() {
            return Ok(());
        }
        let scenarios: Vec<&Scenario> = counted.iter().map(|index| &self.scenarios()[*index]).collect();
        let (base, head) = made_again(spoilt, || {
            instructions::pair(programs, &self.tools.split, &scenarios, number)
        })?;
        for (place, index) in counted.into_iter().enumerate() {
            let pair = Pair {
                base: base[place],
                head: head[place],
            };
            add(tracks, subject, index, Gauge::InstructionsPerRequest, Some(pair));
        }
        Ok(())
    }

    fn look(&self, tracks: &mut [Track]) {
        for track in tracks
            .iter_mut()
            .filter(|track| track.progress.gauge == Gauge::GoodputRps)
        {
            let of = |which: fn(&(f64, f64)) -> f64| median(&track.busy.iter().map(which).collect::<Vec<_>>());
            let (generator, server) = (of(|busy| busy.0).unwrap_or(0.0), of(|busy| busy.1).unwrap_or(1.0));
            track.reason = if generator > GENERATOR_BUSY {
                Some("the load generator was the limit".into())
            } else if server < SLICES_BUSY {
                Some("the server was not the limit".into())
            } else {
                None
            };
            track.progress.judged = track.reason.is_none();
        }
        let mut progress: Vec<Progress> = tracks.iter().map(|track| track.progress.clone()).collect();
        decide::look(&mut progress, self.gates);
        for (track, progress) in tracks.iter_mut().zip(progress) {
            track.progress = progress;
        }
    }
}

/// Makes a measurement, and makes it again if head fails, once: one missing answer is not a regression yet. If the machine spoils it, it
/// says nothing of either side, and is made again until that has happened [`SPOILT`] times in all.
fn made_again<T>(
    spoilt: &mut Vec<String>,
    mut measure: impl FnMut() -> Result<T, PairFailure>,
) -> Result<T, PairFailure> {
    let mut head_failed = false;
    loop {
        match measure() {
            Err(PairFailure::Head(..)) if !head_failed => head_failed = true,
            Err(PairFailure::Machine(reason)) if spoilt.len() < SPOILT => spoilt.push(reason),
            other => return other,
        }
    }
}

fn add(tracks: &mut [Track], subject: usize, scenario: usize, gauge: Gauge, pair: Option<Pair>) {
    let wanted = |track: &&mut Track| {
        (track.subject, track.scenario, track.progress.gauge) == (subject, scenario, gauge)
            && track.progress.decided.is_none()
    };
    if let (Some(track), Some(pair)) = (tracks.iter_mut().find(wanted), pair) {
        let ratio = (pair.head / pair.base).ln();
        if ratio.is_finite() {
            track.pairs.push(pair);
            track.progress.log_ratios.push(ratio);
        }
    }
}

/// The result of one series.
pub fn series(track: &Track, subjects: &[Contender], scenarios: &[Scenario]) -> Series {
    let subject = &subjects[track.subject];
    let figures = Figures::from_pairs(&track.pairs, track.progress.test().as_ref());
    let open = track.progress.judged && track.progress.decided.is_none();
    Series {
        app: subject.app.clone(),
        variant: subject.variant.clone(),
        scenario: scenarios[track.scenario].id.clone(),
        gauge: track.progress.gauge,
        decision: track.progress.decided.unwrap_or(Decision::Inconclusive),
        change: figures.change,
        interval: figures.interval,
        p: figures.p,
        pairs: track.pairs.clone(),
        base: figures.base,
        head: figures.head,
        judged: track.progress.judged,
        reason: track
            .reason
            .clone()
            .or_else(|| open.then(|| "more pairs are needed to tell".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> PairFailure {
        PairFailure::Machine("vgdb failed".to_owned())
    }

    fn head() -> PairFailure {
        PairFailure::Head(Status::Crashed, "exit status 1".to_owned())
    }

    /// What comes of measurements that fail one after another, and then do not, and how many of them the machine spoilt.
    fn made(failures: Vec<PairFailure>) -> (Result<(), PairFailure>, usize) {
        let mut spoilt = Vec::new();
        let mut failures = failures.into_iter();
        let made = made_again(&mut spoilt, || failures.next().map_or(Ok(()), Err));
        (made, spoilt.len())
    }

    #[test]
    fn what_the_machine_spoils_is_made_again() {
        assert!(matches!(made(vec![machine(), head(), machine()]), (Ok(()), 2)));
        let always = (0..=SPOILT).map(|_| machine()).collect();
        assert!(matches!(made(always), (Err(PairFailure::Machine(_)), SPOILT)));
    }

    #[test]
    fn head_fails_if_it_fails_twice_and_base_at_once() {
        assert!(matches!(made(vec![head()]), (Ok(()), 0)));
        assert!(matches!(
            made(vec![head(), machine(), head()]),
            (Err(PairFailure::Head(..)), 1)
        ));
        let base = PairFailure::Base("exit status 1".to_owned());
        assert!(matches!(made(vec![base]), (Err(PairFailure::Base(_)), 0)));
    }
}
