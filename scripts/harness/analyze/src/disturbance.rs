//! What else used the machine while it disturbed trials.

use model::{OtherProgram, Record, Trial, Verdict};

/// Share of the cpus that others have to take to be named as the reason.
const LEAST: f64 = 0.05;

/// What disturbed trials.
#[derive(Debug, Clone, PartialEq)]
pub enum Disturbance {
    /// The hypervisor gave this share of the cpus' time to others.
    Hypervisor { share: f64 },
    /// Other programs used this share of the cpus; those that were seen are named.
    Programs { share: f64, named: Vec<OtherProgram> },
}

impl Disturbance {
    /// What to do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Hypervisor { .. } => "measure at another time or on another machine",
            Self::Programs { .. } => "end them and run it again; what was built is kept",
        }
    }
}

/// What disturbed a run so that cells have no figure that counts; `None` if none was, or if it is not known what did.
pub fn disturbance(record: &Record) -> Option<Disturbance> {
    let mut cells = record.summary.iter();
    let is_any = cells.any(|cell| cell.verdict == Verdict::EnvironmentFailed);
    of_trials(&record.trials, &record.environment.other_programs).filter(|_| is_any)
}

/// The same of some trials, with the programs that were seen meanwhile.
pub fn of_trials<'a>(trials: impl IntoIterator<Item = &'a Trial>, programs: &[OtherProgram]) -> Option<Disturbance> {
    let disturbed = trials.into_iter().filter(|trial| is_disturbed(trial));
    let shares = disturbed.filter_map(|trial| Some((trial.other_cpu_share?, trial.steal_share?)));
    let (others, stolen): (Vec<f64>, Vec<f64>) = shares.unzip();
    let (others, stolen) = (stats::median(&others)?, stats::median(&stolen)?);
    if stolen > others && stolen >= LEAST {
        return Some(Disturbance::Hypervisor { share: stolen });
    }
    (others >= LEAST).then(|| Disturbance::Programs {
        share: others,
        named: programs.to_vec(),
    })
}

/// Whether the machine disturbed a trial under load. One that was refused before any load, such as for a limit of open files, would be
/// refused again.
pub fn is_disturbed(trial: &Trial) -> bool {
    trial.verdict == Verdict::EnvironmentFailed && trial.steal_share.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(verdict: Verdict, others: f64, stolen: f64) -> Trial {
        Trial {
            verdict,
            other_cpu_share: Some(others),
            steal_share: Some(stolen),
            ..Trial::default()
        }
    }

    #[test]
    fn what_disturbed_is_named_with_what_to_do() {
        let lost = Verdict::EnvironmentFailed;
        let programs = [("cargo", 1.24), ("sh", 0.7)].map(|(name, cpus)| OtherProgram {
            name: name.to_owned(),
            cpus,
        });
        let what =
            |trials: &[Trial], programs: &[OtherProgram]| of_trials(trials, programs).map(|found| found.to_string());
        let busy = [
            trial(lost, 0.9, 0.0),
            trial(lost, 0.96, 0.1),
            trial(Verdict::Valid, 0.0, 0.0),
        ];
        assert_eq!(
            what(&busy, &programs).unwrap(),
            "other programs used 93 % of the cpus (cargo 1.2, sh 0.7 cpus)"
        );
        assert_eq!(what(&busy, &[]).unwrap(), "other programs used 93 % of the cpus");
        assert_eq!(
            what(&[trial(lost, 0.1, 0.3)], &[]).unwrap(),
            "the hypervisor gave 30 % of the cpus' time to others"
        );
        let not_by_others = Trial {
            verdict: lost,
            ..Trial::default()
        };
        for trial in [trial(Verdict::Valid, 0.9, 0.0), trial(lost, 0.0, 0.0), not_by_others] {
            assert_eq!(what(&[trial], &programs), None);
        }
    }
}
