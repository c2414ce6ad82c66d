//! Faults of the database itself. It is examined after any failure, so that no server is blamed for them.

use std::sync::{MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Database, DatabaseError, NAME, PAUSE, Source};
use machine::interrupt;

/// Longest time until it answers again after a crash; it takes some tenths of a second.
pub(super) const RECOVERY: Duration = Duration::from_secs(10);
/// A server whose process of PostgreSQL was killed knows it first; all others are ended a few milliseconds later.
const SETTLING: Duration = Duration::from_millis(50);
/// Writes two megabytes and undoes it. Log files that are long enough already have room for less.
const WRITE: &str = "BEGIN; CREATE TABLE room (filler text); \
                     INSERT INTO room SELECT repeat('x', 1000) FROM generate_series(1, 2000); ROLLBACK";

impl Database {
    /// The number of crashes up to now. One that was not noticed yet is noticed now.
    pub(super) fn epoch(&self) -> usize {
        let _ = self.revive(); // if it is gone, the next query fails
        self.crashes().len()
    }

    /// Why no server that was started in `epoch` is to blame; `None` if the database is well and has been since.
    pub(super) fn fault_since(&self, epoch: usize) -> Option<String> {
        std::thread::sleep(SETTLING);
        if let Err(gone) = self.revive() {
            return Some(gone);
        }
        if let Some(crash) = self.crashes().get(epoch..).and_then(<[String]>::last) {
            return Some(crash.clone());
        }
        let error = self.admin().batch_execute(WRITE).err()?;
        if let Err(gone) = self.revive() {
            return Some(gone);
        }
        let _ = self.admin().batch_execute("ROLLBACK"); // it has been, if the connection was
        let said = error
            .as_db_error()
            .map_or_else(|| error.to_string(), |said| said.message().to_owned());
        Some(match self.place {
            Source::Private(_) => {
                let place = std::env::temp_dir();
                let place = place.display();
                format!(
                    "PostgreSQL cannot write any more: {said}; make room in {place}, or let TMPDIR name another place"
                )
            }
            Source::External(_) => format!("PostgreSQL cannot write any more: {said}"),
        })
    }

    /// Connects again if a crash has ended the harness's connection. The error is the sentence about the database's end.
    pub(super) fn revive(&self) -> Result<(), String> {
        if self.admin().simple_query("").is_ok() {
            return Ok(());
        }
        let cluster = match &self.place {
            Source::Private(cluster) => cluster,
            Source::External(external) => return Err(format!("the {} is gone", external.place())),
        };
        let cause = cluster.cause();
        self.reconnect().map_err(|error| match cluster.end() {
            Some(end) => format!("PostgreSQL ended: {end}"),
            None => error.to_string(),
        })?;
        let cause = cause.unwrap_or_else(|| "it ended all connections".to_owned());
        self.crashes()
            .push(format!("PostgreSQL crashed and started afresh: {cause}"));
        Ok(())
    }

    /// Connects the harness again, once the database answers.
    pub(super) fn reconnect(&self) -> Result<(), DatabaseError> {
        let began = Instant::now();
        let cluster = self.cluster()?;
        loop {
            match cluster.connect(NAME) {
                Ok(client) => {
                    *self.admin() = client;
                    return Ok(());
                }
                Err(error) if began.elapsed() > RECOVERY || cluster.end().is_some() => return Err(error.into()),
                Err(_) => {}
            }
            interrupt::check()?;
            std::thread::sleep(PAUSE);
        }
    }

    fn crashes(&self) -> MutexGuard<'_, Vec<String>> {
        self.crashes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
