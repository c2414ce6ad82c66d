//! A run's record, and the figures of another program.

use std::path::Path;
use std::sync::LazyLock;

use judge::history::{NoLockfiles, Past, judge};
use judge::{cross_check, reading, sample, since};
use record::Record;
use serde_json::Value;
use tell::export::{Measure, github_action_benchmark};
use tell::report::{
    Style, charts, history_alarm, history_markdown, history_news, markdown, pull_request, readme_block, terminal,
};

use crate::{Parts, shown, surgery};

/// A record with every field that there is.
static GOOD: LazyLock<Value> = LazyLock::new(|| serde_json::to_value(sample::full()).expect("a record is JSON"));
/// The one before it.
static BEFORE: LazyLock<Record> = LazyLock::new(sample::record);

/// A record as `bench report` takes it, in every form that it is shown in.
pub fn record(data: &[u8], parts: Parts) {
    let Some(record) = read(&surgery::document(data, &GOOD)) else {
        return;
    };
    parts.run(&[
        &|| shown::plain(&terminal(&record, Style::Plain)),
        &|| shown::inert(&markdown(&record, Some("charts"))),
        &|| shown::inert(&readme_block(&record, "chart.svg", "record.json", None)),
        &|| shown::inert(&pull_request(&record, Some(&BEFORE), Some("https://example.org/"))),
        &|| shown::inert(&pull_request(&BEFORE, Some(&record), None)),
        &|| charts(&record).iter().for_each(|chart| shown::inert(&chart.svg)),
        &|| exported(&record, Measure::Throughput),
        &|| exported(&record, Measure::Latency),
        &|| drop(since::since(&BEFORE, &record)),
        &|| drop(cross_check::cross_check(&record)),
        &|| {
            // What was read is written in a form that is read again.
            let text = serde_json::to_string(&record).expect("a record is JSON");
            assert!(
                read(text.as_bytes()).is_some_and(|again| again == record),
                "it is not read again"
            );
        },
    ]);
}

fn exported(record: &Record, measure: Measure) {
    let export = github_action_benchmark(record, measure);
    serde_json::to_string(&export.benches).expect("an export is JSON");
}

/// Figures of another program, as `bench history --csv` takes them.
pub fn csv(data: &[u8], parts: Parts) {
    if let Ok(past) = Past::from_csv("figures.csv", data) {
        history(&past, parts);
    }
}

fn history(past: &Past, parts: Parts) {
    let story = judge(past, &NoLockfiles);
    parts.run(&[
        &|| shown::inert(&history_markdown(&story)),
        &|| shown::inert(&history_news(&story)),
        &|| history_alarm(&story).as_deref().map(shown::inert).unwrap_or_default(),
    ]);
}

fn read(bytes: &[u8]) -> Option<Record> {
    let text = str::from_utf8(bytes).ok()?;
    reading::parse(Path::new("record.json"), text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_that_inputs_change_is_a_record() {
        let bytes = surgery::document(b"", &GOOD);
        assert_eq!(read(&bytes), Some(sample::full()));
    }
}
