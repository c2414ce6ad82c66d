//! Observes the database during a load: its CPU time, and whether it did what was answered.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::driver::Running;
use generator::Load;
use model::scenario::Scenario;
use model::{Verdict, expected_answers};
use servers::database::work::Work;
use servers::database::{Connections, Role};
use servers::failure::Failure;

/// The database at the beginning of a load; nothing for a server that works alone.
pub struct DatabaseObserver(Option<Before>);

struct Before {
    role: Arc<Role>,
    needed: Option<Work>,
    /// What the server had requested before.
    work: Work,
    cpu: Option<Duration>,
}

impl DatabaseObserver {
    /// At the beginning.
    pub fn begin(scenario: &Scenario, server: &dyn Running) -> Result<Self, Failure> {
        let Some(role) = server.role() else {
            return Ok(Self(None));
        };
        Self::look(scenario, role).map_err(|failure| Self::blame(failure, server))
    }

    fn look(scenario: &Scenario, role: &Arc<Role>) -> Result<Self, Failure> {
        Ok(Self(Some(Before {
            work: role.work()?,
            needed: Work::of_scenario(scenario),
            cpu: role.database.cpu_time(),
            role: Arc::clone(role),
        })))
    }

    /// Drives a load of that many seconds by `drive`, and looks at the server's connections to its database in the middle of it.
    pub fn watch<T>(&self, seconds: f64, drive: impl FnOnce() -> T) -> (T, Option<Connections>) {
        let Some(before) = &self.0 else { return (drive(), None) };
        let role = Arc::clone(&before.role);
        let middle = Duration::from_secs_f64(seconds / 2.0);
        let (running, over) = mpsc::channel::<()>();
        let looks = thread::spawn(move || match over.recv_timeout(middle) {
            Err(RecvTimeoutError::Timeout) => role.connections().ok(),
            _ => None, // it ended early
        });
        let driven = drive();
        drop(running);
        (driven, looks.join().ok().flatten())
    }

    /// CPU time of the database since the beginning.
    pub fn cpu_time(&self) -> Option<Duration> {
        let before = self.0.as_ref()?;
        Some(before.role.database.cpu_time()?.saturating_sub(before.cpu?))
    }

    /// The failure of a load, or of the database behind `server` if something befell that.
    pub fn blame(failure: Failure, server: &dyn Running) -> Failure {
        match (failure, server.trouble_of_database()) {
            (Failure::Verdict(..), Some(reason)) => Failure::Verdict(Verdict::EnvironmentFailed, reason),
            (failure, _) => failure,
        }
    }

    /// After the load: a server whose database did not do what it answered breaks the contract, unless something befell the database.
    pub fn check(self, load: &Load, server: &dyn Running) -> Result<(), Failure> {
        let Some(before) = self.0 else { return Ok(()) };
        // Requests that failed have a verdict of their own, and may have queried the database before they failed.
        let all_expected = load.errors.values().all(|count| *count == 0) && load.requests.len() == 1;
        let found = if all_expected { before.compare(load) } else { Ok(()) };
        if all_expected && found.is_ok() {
            return Ok(());
        }
        match server.trouble_of_database() {
            Some(reason) => Err(Failure::Verdict(Verdict::EnvironmentFailed, reason)),
            None => found,
        }
    }
}

impl Before {
    fn compare(&self, load: &Load) -> Result<(), Failure> {
        let Some(demand) = &self.needed else { return Ok(()) };
        let answers = expected_answers(&load.requests);
        let did = self.role.work()?.since(&self.work);
        match did.reason_against(demand, answers) {
            None => Ok(()),
            Some(reason) => {
                let reason = format!("under load, {reason}");
                Err(Failure::Verdict(Verdict::ContractFailed, reason))
            }
        }
    }
}
