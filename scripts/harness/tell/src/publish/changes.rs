//! The history of a lane as it is published: `data/<lane>/changes.json`.

use super::PublishError;
use super::json;
use super::overlay::Overlay;
use judge::history::{HistoryReport, Lockfiles, SCHEMA_VERSION, Timeline, judge};
use record::{Lane, Record};

/// Where the changes of a lane lie: of its principal series, or of the one `of` a profile beside it.
pub fn path_of(lane: Lane, of: Option<&str>) -> String {
    let of = of.map(|profile| format!("/{profile}")).unwrap_or_default();
    format!("data/{}/changes{of}.json", lane.name())
}

/// Reads the changes of a lane; the error says what is wrong in them.
pub fn read(lane: Lane, text: &str) -> Result<HistoryReport, String> {
    let report: HistoryReport = json::read(text, SCHEMA_VERSION)?;
    if report.lane == lane.name() {
        return Ok(report);
    }
    Err(format!("it is of lane {}", report.lane))
}

/// Judges the history of a series again, from all its records.
pub fn put(
    tree: &mut Overlay,
    lane: Lane,
    of: Option<&str>,
    records: &[Record],
    lockfiles: &dyn Lockfiles,
) -> Result<(), PublishError> {
    if records.iter().all(Record::is_of_costs) {
        return Ok(());
    }
    let report = judge(&Timeline::from_records(records), lockfiles);
    tree.put(&path_of(lane, of), json::text(&report).into_bytes())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A confirmed change and a suspected one, with names that mean harm.
    pub fn changes() -> HistoryReport {
        let hostile = judge::sample::HOSTILE_NAME;
        let change = serde_json::json!({
            "app": "axum", "variant": "default", "scenario": "plaintext", "metric": "server_cpu_us_per_request",
            "run": "20261121T110000Z-2a", "started_at": "2026-11-21T11:00:00Z", "previous_run": "20261114T110000Z-1",
            "size": 0.12, "low": 0.08, "high": 0.16, "p": 0.0001, "runs_before": 30, "runs_after": 3,
            "verdict": "regression", "state": "confirmed", "confirmed_by": "20261128T110000Z-1", "stands": true,
            "causes": [{"kind": "dependency", "name": hostile, "before": "1.47.0", "after": "1.48.0",
                        "run": "20261121T110000Z-2a"}],
        });
        let mut suspected = change.clone();
        suspected["state"] = "suspected".into();
        suspected["confirmed_by"] = serde_json::Value::Null;
        suspected["app"] = "rocket".into();
        let text = serde_json::json!({
            "schema_version": 1, "lane": "hosted-x64", "profile": "weekly", "runs": 33, "judged": 720,
            "segments": [{"machine": "AMD EPYC 7763, 4 logical cpus", "run": "20260105T000000Z-1",
                          "started_at": "2026-01-05T00:00:00Z", "runs": 33}],
            "marks": [{"run": "20260105T000000Z-1", "started_at": "2026-01-05T00:00:00Z", "kind": "framework", "app": "axum",
                       "before": "0.8.8", "after": "0.8.9"}],
            "changes": [change, suspected],
            "common": [{"scenario": "plaintext", "metric": "goodput_rps", "run": "20260105T000000Z-1",
                        "started_at": "2026-01-05T00:00:00Z", "previous_run": "20251229T000000Z-1", "size": -0.1,
                        "low": -0.12, "high": -0.08, "p": 0.0001, "runs_before": 9, "runs_after": 3, "verdict": "change",
                        "state": "confirmed", "confirmed_by": null, "stands": true, "causes": []}],
            "drifts": [],
        });
        read(Lane::HostedX64, &text.to_string()).unwrap()
    }

    #[test]
    fn changes_are_read_strictly() {
        let text = json::text(&changes());
        assert_eq!(read(Lane::HostedX64, &text).unwrap(), changes());
        for (text, told) in [
            (text.replace("\"judged\"", "\"judge\""), "judge"),
            (
                text.replace("\"schema_version\":1", "\"schema_version\":2"),
                "schema version 2",
            ),
            (text.replace("confirmed\"", "certain\""), "certain"),
            (text.replace("hosted-x64", "local"), "lane local"),
        ] {
            let error = read(Lane::HostedX64, &text).unwrap_err();
            assert!(error.contains(told), "{told}: {error}");
        }
    }
}
