//! What befell the database itself. It is asked after anything has failed, so that no server is blamed for it.

use std::sync::{MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Database, DatabaseError, NAME, Place};
use crate::interrupt;

/// Longest time until it answers again after a crash; it takes some tenths of a second.
pub(super) const RECOVERY: Duration = Duration::from_secs(10);
/// Pause between two attempts.
const PAUSE: Duration = Duration::from_millis(10);
/// A server whose process of PostgreSQL was killed knows it first; all others are ended a few milliseconds later.
const SETTLING: Duration = Duration::from_millis(50);
/// Two megabytes that are not kept: no file that was long enough before has room for them.
const ROOM: &str = "BEGIN; CREATE TABLE room (filler text); \
                    INSERT INTO room SELECT repeat('x', 1000) FROM generate_series(1, 2000); ROLLBACK";

/// A time without a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Life(usize);

impl Database {
    /// The one that it is in. A crash that nobody has noticed yet is noticed now.
    pub fn life(&self) -> Life {
        let _ = self.mend(); // if it is gone, what is asked next fails
        Life(self.crashes().len())
    }

    /// Why no server is to blame that was started in `life`; `None` if the database is well and has been since.
    pub fn trouble_since(&self, life: Life) -> Option<String> {
        std::thread::sleep(SETTLING);
        if let Err(gone) = self.mend() {
            return Some(gone);
        }
        if let Some(crash) = self.crashes().get(life.0..).and_then(<[String]>::last) {
            return Some(crash.clone());
        }
        let full = self.has_no_room()?;
        // Without room for its log of changes it ends at once.
        Some(self.mend().err().unwrap_or(full))
    }

    /// Connects again where a crash has ended the harness's connection. The error is the sentence about the database's end.
    pub(super) fn mend(&self) -> Result<(), String> {
        if self.admin().simple_query("").is_ok() {
            return Ok(());
        }
        let cluster = match &self.place {
            Place::Private(cluster) => cluster,
            Place::Elsewhere(elsewhere) => return Err(format!("the {} is gone", elsewhere.place())),
        };
        let said = cluster.last_words();
        self.reconnect().map_err(|error| match cluster.end() {
            Some(end) => format!("PostgreSQL ended: {end}"),
            None => error.to_string(),
        })?;
        let why = said.unwrap_or_else(|| "it ended all connections".to_owned());
        self.crashes()
            .push(format!("PostgreSQL crashed and started afresh: {why}"));
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
                    *self.observer() = cluster.connect(NAME)?;
                    return Ok(());
                }
                Err(error) if began.elapsed() > RECOVERY || cluster.end().is_some() => return Err(error.into()),
                Err(_) => {}
            }
            interrupt::check().map_err(super::ClusterError::from)?;
            std::thread::sleep(PAUSE);
        }
    }

    /// Why it cannot write, if it cannot.
    fn has_no_room(&self) -> Option<String> {
        let mut admin = self.admin();
        let error = admin.batch_execute(ROOM).err()?;
        let _ = admin.batch_execute("ROLLBACK"); // its connection may have ended
        let said = error
            .as_db_error()
            .map_or_else(|| error.to_string(), |said| said.message().to_owned());
        let remedy = match self.place {
            Place::Private(_) => format!(
                "; make room in {}, or let TMPDIR name another place",
                std::env::temp_dir().display()
            ),
            Place::Elsewhere(_) => String::new(),
        };
        Some(format!("PostgreSQL cannot write any more: {said}{remedy}"))
    }

    fn crashes(&self) -> MutexGuard<'_, Vec<String>> {
        self.crashes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
