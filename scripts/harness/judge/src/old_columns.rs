//! Records in columns, the former published format: read, but never written.
//!
//! `trials` is an object with a list for each field and an entry for each trial; a field that is an object became an object of
//! lists. `null` stands for a field that a trial does not have.

use std::mem;

use jiff::{SignedDuration, Timestamp};
use record::Trial;
use record::store::MOST_TRIALS;
use serde_json::{Map, Value, json};

/// Takes the columns out of a record, and the summary, which is recomputed from the trials; `None` if it is in rows.
pub fn take(record: &mut Value) -> Option<Map<String, Value>> {
    let columns = mem::take(record.get_mut("trials")?.as_object_mut()?);
    (record["trials"], record["summary"]) = (json!([]), json!([]));
    Some(columns)
}

/// The trials of a run that began then. The error names the column, or the trial, that does not fit.
pub fn trials(mut columns: Map<String, Value>, began: Timestamp) -> Result<Vec<Trial>, String> {
    let rows = columns.get("app").and_then(Value::as_array).map_or(0, Vec::len);
    if rows > MOST_TRIALS {
        return Err(format!("it has more than {MOST_TRIALS} trials"));
    }
    // Without a list in it, nothing bounds how many there are.
    columns.retain(|_, column| *column != json!({}));
    for (name, column) in &columns {
        let lists = column
            .as_object()
            .map_or_else(|| vec![column], |lists| lists.values().collect());
        for list in lists {
            let length = list
                .as_array()
                .ok_or_else(|| format!("its column `{name}` is no list"))?
                .len();
            if length != rows {
                return Err(format!(
                    "its column `{name}` has {length} places, and there are {rows} trials"
                ));
            }
        }
    }
    let mut clock = began;
    let trial = |row| {
        let mut trial = row_of(&mut columns, row);
        trial.entry("order").or_insert_with(|| json!(row + 1));
        if let Some(apart) = trial.get_mut("apart") {
            *apart = json!(*apart == 1);
        }
        for counts in ["requests", "errors"] {
            trial.entry(counts).or_insert_with(|| json!({}));
        }
        // In whole seconds after the trial before, of the first after the run.
        let seconds = trial.get("started_at").and_then(Value::as_i64);
        let started_at = seconds.and_then(|seconds| clock.checked_add(SignedDuration::from_secs(seconds)).ok());
        clock = started_at
            .ok_or_else(|| format!("`started_at` of trial {} is not a time after the one before", row + 1))?;
        trial.insert("started_at".into(), json!(clock));
        serde_json::from_value(trial.into()).map_err(|error| format!("trial {}: {error}", row + 1))
    };
    (0..rows).map(trial).collect()
}

/// Takes what is known in a row of columns, and of columns of columns.
fn row_of(columns: &mut Map<String, Value>, row: usize) -> Map<String, Value> {
    let field = |(name, column): (&String, &mut Value)| {
        let value = match column {
            Value::Object(columns) => Some(row_of(columns, row)).filter(|fields| !fields.is_empty())?.into(),
            column => column.get_mut(row)?.take(),
        };
        (!value.is_null()).then(|| (name.clone(), value))
    };
    columns.iter_mut().filter_map(field).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rounding::rounded;
    use crate::{analysis, reading};
    use record::Record;

    const MEASURED: &str = include_str!("../../../../bench-results/local/20261121T123408Z-1.json");
    /// The same, as it was published in columns.
    const COLUMNS: &str = include_str!("fixtures/columns.json");

    fn parsed(text: &str) -> Result<Record, String> {
        reading::parse("record.json".as_ref(), text).map_err(|error| error.to_string())
    }

    #[test]
    fn columns_give_the_trials_that_were_measured_but_for_their_rounding() {
        let (measured, found) = (parsed(MEASURED).unwrap(), parsed(COLUMNS).unwrap());
        assert_eq!(found.trials.len(), measured.trials.len());
        for (found, measured) in found.trials.iter().zip(&measured.trials) {
            let late = measured.started_at.duration_since(found.started_at).as_secs_f64();
            assert!((0.0..1.0).contains(&late), "whole seconds: {late}");
        }
        let summary = analysis::summary(&found.apps, &found.scenarios, &found.trials);
        assert!(found.summary == summary, "it is what the trials say");
        let mut rounded = rounded(measured);
        for (rounded, found) in rounded.trials.iter_mut().zip(&found.trials) {
            rounded.started_at = found.started_at;
        }
        rounded.summary = summary;
        assert!(found == rounded);
    }

    #[test]
    fn what_few_trials_have_is_read_where_it_stands() {
        let mut value: Value = serde_json::from_str(COLUMNS).unwrap();
        let rows = value["trials"]["app"].as_array().unwrap().len();
        let column = |first: Value| {
            let mut column = vec![Value::Null; rows];
            column[0] = first;
            Value::from(column)
        };
        value["trials"]["apart"] = column(1.into());
        value["trials"]["instructions_per_request"] = column(1234.into());
        value["trials"]["errors"] = json!({"timeout": column(7.into())});
        value["trials"]["order"] = (2..).take(rows).collect();
        for field in value["trials"]["rss_bytes"].as_object_mut().unwrap().values_mut() {
            field[rows - 1] = Value::Null;
        }
        let trials = parsed(&value.to_string()).unwrap().trials;
        let [first, second, .., last] = &trials[..] else {
            panic!("three trials")
        };
        assert_eq!((first.apart, second.apart), (true, false));
        assert_eq!(first.instructions_per_request, Some(1234.0));
        assert_eq!((first.errors.get("timeout"), second.errors.len()), (Some(&7), 0));
        assert_eq!((first.order, second.order), (2, 3));
        assert!(trials[rows - 2].rss_bytes.is_some() && last.rss_bytes.is_none());
    }

    #[test]
    fn columns_that_do_not_fit_are_refused_by_name() {
        type Change = fn(&mut Value);
        let changes: [(Change, &str); 9] = [
            (|trials| drop(trials["round"].as_array_mut().unwrap().pop()), "`round`"),
            (
                |trials| drop(trials["latency_ms"]["p50"].as_array_mut().unwrap().pop()),
                "`latency_ms`",
            ),
            (|trials| trials["requests"]["200"] = json!([]), "`requests`"),
            (|trials| trials["splendid"] = json!([]), "`splendid`"),
            (|trials| trials["goodput_rps"] = 1.into(), "`goodput_rps` is no list"),
            (
                |trials| trials["started_at"][0] = i64::MAX.into(),
                "`started_at` of trial 1",
            ),
            (
                |trials| trials["latency_ms"]["p50"][2] = Value::Null,
                "trial 3: missing field `p50`",
            ),
            (|trials| trials["app"][0] = "nobody".into(), "of no app"),
            (
                |trials| trials["app"] = vec![0; MOST_TRIALS + 1].into(),
                "more than 200000",
            ),
        ];
        for (change, message) in changes {
            let mut value: Value = serde_json::from_str(COLUMNS).unwrap();
            change(&mut value["trials"]);
            let error = parsed(&value.to_string()).unwrap_err();
            assert!(error.contains(message), "{message}: {error}");
        }
    }
}
