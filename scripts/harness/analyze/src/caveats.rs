//! The caveats of a run.

use model::{FIRST_LOOK, RELEASE, Record};

use crate::analysis::{own_work, unsteady};
use crate::caveat::{Caveat, Partial};
use crate::disturbance::disturbance;
use crate::mostly_failed::mostly_failed;

/// From how many times the usual price of work on it is said: up to 1.8 times was seen where a machine was otherwise in a bad state, and 4 to 5
/// times on a contended one that no counter showed.
const DEAR: f64 = 2.5;

/// Why a run is partial, and so in no series; `None` for a whole one.
pub fn partial(record: &Record) -> Option<Caveat> {
    let built = &record.harness.cargo_profile;
    let why = || match built.as_str() {
        FIRST_LOOK => Partial::FirstLook,
        RELEASE => Partial::Smaller(record.profile.clone()),
        _ => Partial::NotForRelease(built.clone()),
    };
    let is_whole = record.is_whole();
    (!is_whole).then(|| Caveat::Partial(mostly_failed(record).unwrap_or_else(why)))
}

/// What is to be known of the machine.
pub fn of_machine(record: &Record) -> Vec<Caveat> {
    let recorded = record.environment.warnings.iter().cloned().map(Caveat::Recorded);
    let disturbed = disturbance(record).map(Caveat::Disturbed);
    let dear = own_work::price(record).filter(|times| *times >= DEAR).map(Caveat::Dear);
    recorded.chain(disturbed).chain(dear).chain(unsteady(record)).collect()
}
