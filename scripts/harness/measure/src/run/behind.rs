//! What the database did during one load: its CPU time, and whether it was asked for all that was answered.

use std::sync::Arc;
use std::time::Duration;

use crate::database::Database;
use crate::database::work::{Demand, Work};
use crate::failure::Failure;
use crate::generator::Load;
use record::scenario::Scenario;
use record::{Verdict, expected_answers};

/// The database at the beginning of a load; nothing for a server that works alone.
pub struct Behind(Option<Before>);

struct Before {
    database: Arc<Database>,
    work: Work,
    cpu: Duration,
}

impl Behind {
    /// At the beginning.
    pub fn begin(database: Option<&Arc<Database>>) -> Result<Self, Failure> {
        let Some(database) = database else {
            return Ok(Self(None));
        };
        Ok(Self(Some(Before {
            work: database.work()?,
            cpu: database.cpu_time(),
            database: Arc::clone(database),
        })))
    }

    /// The failure of a load, or of the database if that has ended.
    pub fn blame(&self, failure: Failure) -> Failure {
        let ended = self.0.as_ref().and_then(|before| before.database.reason_of_end());
        match (failure, ended) {
            (Failure::Verdict(..), Some(reason)) => Failure::Verdict(Verdict::EnvironmentFailed, reason),
            (failure, _) => failure,
        }
    }

    /// At the end: the CPU time of the database. A server that answered without asking breaks the contract.
    pub fn end(self, scenario: &Scenario, load: &Load) -> Result<Option<Duration>, Failure> {
        let Some(Before { database, work, cpu }) = self.0 else {
            return Ok(None);
        };
        let cpu = database.cpu_time().saturating_sub(cpu);
        if let Some(reason) = database.reason_of_end() {
            return Err(Failure::Verdict(Verdict::EnvironmentFailed, reason));
        }
        // Requests that failed have a verdict of their own, and may have asked before they failed.
        let answered = expected_answers(&load.requests);
        let all_expected = load.errors.values().all(|count| *count == 0) && load.requests.len() == 1;
        if let Some(demand) = Demand::of(scenario).filter(|_| all_expected) {
            let did = database.work()?.since(&work);
            if let Some(reason) = did.reason_against(&demand, answered) {
                return Err(Failure::Verdict(
                    Verdict::ContractFailed,
                    format!("under load, {reason}"),
                ));
            }
        }
        Ok(Some(cpu))
    }
}
