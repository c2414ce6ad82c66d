//! What a reader must know of a run before its figures, and the words for it: every report says it by these.

use std::fmt::{Display, Formatter, Result};

use model::OtherProgram;
use model::escape::{NAME, SENTENCE, clean};

use crate::disturbance::Disturbance;

/// Something to know of a run. Its text is the middle of a sentence; a warning of the record is as it is there.
#[derive(Debug, Clone, PartialEq)]
pub enum Caveat {
    /// It is in no series.
    Partial(Partial),
    /// What the run itself warned of.
    Recorded(String),
    /// The machine did something else meanwhile.
    Disturbed(Disturbance),
    /// The servers' own work cost so many times the usual.
    Dear(f64),
    /// No rank is claimed: a control, whose cost is known, was not found as it is.
    ControlMissed,
    /// No rank is claimed where the machine was too far from one good state.
    Unsteady {
        /// Whether sub-rounds were chosen: then it was slower than its best, otherwise it moved between rounds.
        is_slow: bool,
        /// The scenarios in which it was too far, each with the factor.
        far: Vec<(String, f64)>,
        /// The factor up to which this is usual.
        usual: f64,
        /// Whether these are so many that no scenario of the run has ranks.
        everywhere: bool,
    },
}

/// Why a run is partial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Partial {
    /// It is no result: so many of its cells have no figure that counts.
    Lost { cells: usize, of: usize, why: String },
    /// It is no result: reference and ceiling failed in so many scenarios.
    NoAnchors { scenarios: usize, of: usize, why: String },
    /// Its programs were built for a first look.
    FirstLook,
    /// Its programs were built with this cargo profile, not for release.
    NotForRelease(String),
    /// It does less than its profile, which is this.
    Smaller(String),
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

impl Display for Caveat {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Partial(why) => write!(f, "a partial run: {why}"),
            Self::Recorded(warning) => f.write_str(warning),
            Self::Disturbed(found) => write!(f, "{found}, so what was measured meanwhile is not ranked"),
            Self::Dear(times) => write!(
                f,
                "the servers' own work took {times:.0} times the usual CPU time: a slow cpu, or neighbours that contend for its caches; \
                 microseconds and ratios say little of another machine"
            ),
            Self::ControlMissed => f.write_str(
                "a control, whose cost is known, was not found as it is, so no ranks are claimed in this run",
            ),
            Self::Unsteady {
                is_slow,
                far,
                usual,
                everywhere,
            } => {
                let far = far.iter();
                let far: Vec<String> = far
                    .map(|(scenario, by)| format!("{} in {}", percent(by - 1.0), clean(scenario, NAME)))
                    .collect();
                let what = if *is_slow {
                    "the machine was slower than its best even in the better half of the run: by"
                } else {
                    "the state of the machine changed: the reference's CPU time per request moved between rounds by"
                };
                let (far, usual) = (far.join(", "), percent(usual - 1.0));
                let place = if *everywhere { "in this run" } else { "there" };
                write!(
                    f,
                    "{what} {far} (up to {usual} is usual), so no ranks are claimed {place}"
                )
            }
        }
    }
}

impl Display for Partial {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Lost { cells, of, why } => {
                let why = clean(why, SENTENCE);
                if cells == of {
                    write!(f, "nothing could be measured: {why}")
                } else {
                    write!(f, "{cells} of {of} cells have no figure that counts: {why}")
                }
            }
            Self::NoAnchors { scenarios, of, why } => {
                let why = clean(why, SENTENCE);
                write!(f, "reference and ceiling failed in {scenarios} of {of} scenarios: {why}")
            }
            Self::FirstLook => f.write_str(
                "built in minutes, without link-time optimisation; `./scripts/bench run --profile weekly` measures as published",
            ),
            Self::NotForRelease(built) => write!(f, "built with the cargo profile {built}, not for release"),
            Self::Smaller(profile) => write!(
                f,
                "fewer apps, scenarios or rounds than the profile {profile} has, or other loads"
            ),
        }
    }
}

impl Display for Disturbance {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Hypervisor { share } => {
                write!(f, "the hypervisor gave {} of the cpus' time to others", percent(*share))
            }
            Self::Programs { share, named } => {
                let named: Vec<String> = named
                    .iter()
                    .map(|OtherProgram { name, cpus }| format!("{} {cpus:.1}", clean(name, NAME)))
                    .collect();
                write!(f, "other programs used {} of the cpus", percent(*share))?;
                if named.is_empty() {
                    return Ok(());
                }
                write!(f, " ({} cpus)", named.join(", "))
            }
        }
    }
}
