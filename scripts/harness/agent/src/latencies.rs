//! The latency of each request, from the file into which oha writes what it saw of each.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

/// Number of requests by their latency in microseconds, in ascending order.
pub fn latencies(file: &Path) -> Result<Vec<(u64, u64)>, rusqlite::Error> {
    // Without a single answer oha makes no file.
    if !file.exists() {
        return Ok(Vec::new());
    }
    let database = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut statement = database.prepare("SELECT duration FROM oha")?;
    let mut rows = statement.query(())?;
    let mut seen: BTreeMap<u64, u64> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let seconds: f64 = row.get(0)?;
        let time = std::time::Duration::try_from_secs_f64(seconds).unwrap_or_default();
        *seen.entry(crate::counters::microseconds(time)).or_default() += 1;
    }
    Ok(seen.into_iter().collect())
}
