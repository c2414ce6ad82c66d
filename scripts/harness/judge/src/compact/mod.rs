//! A record as it is published: columns instead of rows, and no more digits than say something.
//!
//! ```text
//! {"schema_version": 2, "id": …, "apps": […], "scenarios": […],
//!  "trials":  {"app": ["axum", …], "goodput_rps": [61230, …], "latency_ms": {"p50": [1.04, …], …}, …},
//!  "summary": {"app": ["axum", …], "verdict": ["valid", …], "metrics": {"goodput_rps": {"rank": […], …}}, "from_trials": true}}
//! ```
//!
//! A branch that only grows keeps every record for ever: as rows with all their digits a weekly run of all frameworks is five
//! times as large. The record as it was written, with all digits, is the artifact of its run. What is compact is read as any
//! record is ([`record::store`]), and made compact again it is the same text.

mod digits;
mod figure;
mod nested;
mod summary;
mod trials;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use digits::{down, significant, up};
pub use figure::{Figure, column};

use crate::analysis;
use record::scenario::Scenario;
use record::{AppRecord, Environment, Harness, Lane, Record};

/// Digits of what apps are compared by: a ten-thousandth of a figure says nothing where trials spread by hundredths.
pub const COMPARED: usize = 4;
/// Digits of all other figures: latencies, memory, times, bounds.
pub const SHOWN: usize = 3;
/// Digits of a share of cpu time, which is counted in ticks.
pub const SHARE: usize = 2;

/// A record in columns.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Compact {
    schema_version: u32,
    id: String,
    lane: Lane,
    profile: String,
    seed: u64,
    started_at: Timestamp,
    finished_at: Timestamp,
    harness: Harness,
    environment: Environment,
    apps: Vec<AppRecord>,
    scenarios: Vec<Scenario>,
    trials: trials::Columns,
    summary: summary::Columns,
}

impl Compact {
    /// Of a record: rounded, its rows turned into columns.
    pub fn of(record: &Record) -> Self {
        let record = rounded(record);
        let found = analysis::summary(&record.apps, &record.scenarios, &record.trials);
        Self {
            schema_version: record.schema_version,
            trials: trials::Columns::of(record.started_at, &record.trials),
            summary: summary::Columns::of(&record.summary, &found),
            id: record.id,
            lane: record.lane,
            profile: record.profile,
            seed: record.seed,
            started_at: record.started_at,
            finished_at: record.finished_at,
            harness: record.harness,
            environment: record.environment,
            apps: record.apps,
            scenarios: record.scenarios,
        }
    }

    /// Its text: minified, with a line feed at its end.
    pub fn text(&self) -> String {
        let mut text = serde_json::to_string(self).expect("it has no key that JSON lacks");
        text.push('\n');
        text
    }

    /// The record; the error says what does not fit together. `check` looks at it before anything is computed from its trials,
    /// and refuses what no record may hold.
    pub fn record(self, check: impl Fn(&Record) -> Result<(), String>) -> Result<Record, String> {
        let trials = self.trials.rows(self.started_at)?;
        let mut record = Record {
            schema_version: self.schema_version,
            id: self.id,
            lane: self.lane,
            profile: self.profile,
            seed: self.seed,
            started_at: self.started_at,
            finished_at: self.finished_at,
            harness: self.harness,
            environment: self.environment,
            apps: self.apps,
            scenarios: self.scenarios,
            trials,
            summary: Vec::new(),
        };
        check(&record)?;
        record.summary = self
            .summary
            .rows(|| analysis::summary(&record.apps, &record.scenarios, &record.trials))?;
        Ok(record)
    }
}

/// Whether a document is a record in columns.
pub fn is_compact(value: &Value) -> bool {
    value.get("trials").is_some_and(Value::is_object)
}

/// The record with no more digits than are published.
fn rounded(record: &Record) -> Record {
    let mut record = record.clone();
    let environment = &mut record.environment;
    for share in [&mut environment.steal_share, &mut environment.load_average] {
        *share = significant(*share, COMPARED);
    }
    for seconds in record.apps.iter_mut().filter_map(|app| app.build_seconds.as_mut()) {
        *seconds = significant(*seconds, COMPARED);
    }
    record.trials.iter_mut().for_each(trials::round);
    record.summary.iter_mut().for_each(summary::round);
    record
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::reading;
    use crate::sample;
    use record::Trial;

    fn parsed(text: &str) -> Result<Record, String> {
        reading::parse("record.json".as_ref(), text).map_err(|error| error.to_string())
    }

    fn measured() -> Record {
        let text = include_str!("../../../../../bench-results/local/20261121T123408Z-1.json");
        parsed(text).unwrap()
    }

    #[test]
    fn back_and_forth_gives_the_rounded_record() {
        for record in [sample::record(), sample::varied(), measured()] {
            let back = parsed(&Compact::of(&record).text()).unwrap();
            let rounded = rounded(&record);
            assert_eq!((back.apps, back.scenarios), (rounded.apps, rounded.scenarios));
            assert_eq!((back.environment, back.harness), (rounded.environment, rounded.harness));
            assert_eq!(back.summary.len(), rounded.summary.len());
            for (found, written) in back.trials.iter().zip(&rounded.trials) {
                let started_at = found.started_at;
                assert_eq!(
                    *found,
                    Trial {
                        started_at,
                        ..written.clone()
                    }
                );
                let late = written.started_at.duration_since(started_at).as_secs_f64();
                assert!((0.0..1.0).contains(&late), "whole seconds: {late}");
            }
            for (found, written) in back.summary.iter().zip(&rounded.summary) {
                assert_eq!(
                    (&found.app, found.verdict, &found.reasons),
                    (&written.app, written.verdict, &written.reasons)
                );
                for (metric, figure) in &written.metrics {
                    let found = &found.metrics[metric];
                    assert_eq!((found.trusted, found.trials), (figure.trusted, figure.trials));
                    assert_eq!(found.rank, figure.rank);
                    assert!((found.median - figure.median).abs() <= 0.01 * figure.median);
                    let low = |interval: Option<record::Interval>| interval.map_or(0.0, |interval| interval.low);
                    let (found, written) = (low(found.interval), low(figure.interval));
                    assert!(
                        (found - written).abs() <= 0.02 * written,
                        "{metric:?}: {found}, {written}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_is_compact_made_compact_again_is_the_same_text() {
        for record in [sample::record(), sample::varied(), measured()] {
            let text = Compact::of(&record).text();
            assert_eq!(Compact::of(&parsed(&text).unwrap()).text(), text);
            assert!(text.ends_with("}\n") && text.lines().count() == 1);
        }
    }

    #[test]
    fn a_measured_record_leaves_out_what_its_trials_say() {
        let record = measured();
        let text = Compact::of(&record).text();
        assert!(text.contains("\"from_trials\":true") && !text.contains("\"ratio\"") && !text.contains("\"median\""));
        assert!(text.len() * 5 < serde_json::to_string_pretty(&record).unwrap().len());
        assert!(
            Compact::of(&sample::record()).text().contains("\"ratio\""),
            "its figures are of no trials, and stand there"
        );
    }

    #[test]
    fn columns_that_do_not_fit_are_refused_by_name() {
        type Change = fn(&mut Value);
        let changes: [(Change, &str); 8] = [
            (
                |value| drop(value["trials"]["round"].as_array_mut().unwrap().pop()),
                "`round`",
            ),
            (
                |value| value["trials"]["goodput_rps"].as_array_mut().unwrap().push(1.into()),
                "`goodput_rps`",
            ),
            (
                |value| value["trials"]["requests"]["200"] = Value::Array(Vec::new()),
                "`requests`",
            ),
            (
                |value| value["trials"]["splendid"] = Value::Array(Vec::new()),
                "splendid",
            ),
            (
                |value| value["trials"]["started_at"][0] = i64::MAX.into(),
                "`started_at`",
            ),
            (|value| value["trials"]["app"][0] = "nobody".into(), "of no app"),
            (
                |value| drop(value["summary"]["verdict"].as_array_mut().unwrap().pop()),
                "`verdict`",
            ),
            (
                |value| value["summary"]["metrics"]["goodput_rps"]["trials"][0] = Value::Null,
                "only part of a figure",
            ),
        ];
        for (change, told) in changes {
            let mut value = serde_json::to_value(Compact::of(&measured())).unwrap();
            change(&mut value);
            let error = parsed(&value.to_string()).unwrap_err();
            assert!(error.contains(told), "{told}: {error}");
        }
    }

    proptest! {
        #[test]
        fn any_figures_survive_a_second_time(
            figures in prop::collection::vec((0.0..1e9f64, 0.0..1e4f64, 0u64..1 << 40, prop::bool::ANY), 1..12),
        ) {
            let mut record = sample::varied();
            let like = record.trials[0].clone();
            for (trial, (rate, small, bytes, known)) in record.trials.iter_mut().zip(figures.iter().cycle()) {
                trial.goodput_rps = known.then_some(*rate);
                trial.startup_ms = Some(*small);
                trial.steal_share = known.then_some(small / 1e4);
                trial.rss_bytes = known.then_some(record::Rss { idle: *bytes, peak: bytes / 3, after: 7 });
                trial.errors.insert("timeout".into(), *bytes);
            }
            record.trials.push(Trial { app: "axum".into(), ..like });
            record.summary = analysis::summary(&record.apps, &record.scenarios, &record.trials);
            let text = Compact::of(&record).text();
            prop_assert_eq!(Compact::of(&parsed(&text).unwrap()).text(), text);
        }
    }
}
