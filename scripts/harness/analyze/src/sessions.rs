//! A record among the sessions of its lane, on disk.

use std::path::Path;

use model::Record;
use model::store::{StoreError, all, path_of};

use crate::analysis::{self, Sessions};
use crate::reading;

/// Reads a record with the other sessions of its lane, which lie in the lane's folder of `results` and in `sessions/` there. One that
/// cannot be read is an error: it could be the one that matters.
pub fn read(results: &Path, path: &Path) -> Result<Record, StoreError> {
    let mut record = reading::read(path)?;
    let others = of_lane(results, &record)?;
    record.summary = analysis::summary_among(&record, &Sessions::of(&record, &others));
    Ok(record)
}

/// The runs of the record's lane, with its `sessions/` and this one, the oldest first.
pub fn of_lane(results: &Path, record: &Record) -> Result<Vec<Record>, StoreError> {
    let folder = path_of(results, record.lane, "");
    let more = folder.parent().map(|lane| lane.join("sessions"));
    let more = more
        .into_iter()
        .filter_map(|folder| folder.read_dir().ok())
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    let paths = all(results).into_iter().filter(|path| path.parent() == folder.parent());
    let mut records = paths
        .chain(more)
        .map(|path| reading::read(&path))
        .collect::<Result<Vec<_>, _>>()?;
    records.retain(|other| other.id != record.id);
    records.push(record.clone());
    records.sort_by(|one, other| (one.started_at, &one.id).cmp(&(other.started_at, &other.id)));
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::tests_of_sessions::{MOVING, days};
    use model::Metric;

    const METRIC: Metric = Metric::ServerCpuUsPerRequest;

    #[test]
    fn a_lane_is_read_with_its_other_sessions() {
        let folder = tempfile::tempdir().unwrap();
        let days = days(&MOVING);
        let paths: Vec<_> = days
            .iter()
            .map(|day| model::store::write(folder.path(), day).unwrap())
            .collect();
        let more = paths[0].parent().unwrap().join("sessions");
        std::fs::create_dir(&more).unwrap();
        std::fs::rename(&paths[0], more.join(paths[0].file_name().unwrap())).unwrap();
        let found = read(folder.path(), &paths[3]).unwrap();
        let cell = found.cell("axum", "default", "plaintext").unwrap();
        assert_eq!(cell.metrics[&METRIC].ratio.as_ref().unwrap().sessions, Some(4));
        let runs = of_lane(folder.path(), &days[2]).unwrap();
        assert_eq!(
            runs.iter().map(|run| &run.id).collect::<Vec<_>>(),
            days.iter().map(|day| &day.id).collect::<Vec<_>>()
        );
    }
}
