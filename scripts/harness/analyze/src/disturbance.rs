//! What else used the machine while it disturbed trials.

use model::escape::{NAME, clean};
use model::{OtherProgram, Record, Trial, Verdict};

/// Share of the cpus that others have to take to be named as the reason.
const LEAST: f64 = 0.05;

/// What disturbed trials, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disturbance {
    /// `other programs used 93 % of the cpus (cargo 1.2, sh 0.7 cpus)`
    pub what: String,
    /// `end them and start again`
    pub remedy: &'static str,
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
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    if stolen > others && stolen >= LEAST {
        return Some(Disturbance {
            what: format!("the hypervisor gave {} of the cpus' time to others", percent(stolen)),
            remedy: "measure at another time or on another machine",
        });
    }
    let named = programs
        .iter()
        .map(|program| format!("{} {:.1}", clean(&program.name, NAME), program.cpus));
    let named = named.collect::<Vec<_>>().join(", ");
    let named = if named.is_empty() {
        named
    } else {
        format!(" ({named} cpus)")
    };
    (others >= LEAST).then(|| Disturbance {
        what: format!("other programs used {} of the cpus{named}", percent(others)),
        remedy: "end them and start again",
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
        let what = |trials: &[Trial], programs: &[OtherProgram]| of_trials(trials, programs).map(|found| found.what);
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
