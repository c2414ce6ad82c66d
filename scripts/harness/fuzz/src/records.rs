//! A run's record, from its own file or from the published branch, and the figures of another program.

use std::path::Path;
use std::sync::OnceLock;

use jiff::Timestamp;
use judge::history::{NoLockfiles, Past, judge};
use judge::{cross_check, reading, sample, since};
use record::Record;
use serde_json::Value;
use tell::export::{Measure, github_action_benchmark};
use tell::publish::{Additions, Memory, Published, check, prepare};
use tell::report::{
    Style, charts, history_alarm, history_markdown, history_news, markdown, pull_request, readme_block, terminal,
};

use crate::{shown, surgery};

/// A record with every verdict that there is.
pub fn good() -> &'static Value {
    static GOOD: OnceLock<Value> = OnceLock::new();
    GOOD.get_or_init(|| serde_json::to_value(sample::varied()).expect("a record is JSON"))
}

/// A record as `bench report` takes it, in every form that it is shown in.
pub fn record(data: &[u8]) {
    let Some(record) = read(&surgery::document(data, good())) else {
        return;
    };
    shown::plain(&terminal(&record, Style::Plain));
    shown::inert(&markdown(&record, Some("charts")));
    shown::inert(&readme_block(&record, "chart.svg", "record.json", None));
    let before = sample::record();
    shown::inert(&pull_request(&record, Some(&before), Some("https://example.org/")));
    shown::inert(&pull_request(&before, Some(&record), None));
    for chart in charts(&record) {
        shown::inert(&chart.svg);
    }
    for measure in [Measure::Throughput, Measure::Latency] {
        let export = github_action_benchmark(&record, measure);
        serde_json::to_string(&export.benches).expect("an export is JSON");
    }
    let _ = since::since(&before, &record);
    let _ = cross_check::cross_check(&record);
    // What was read is written in a form that is read again.
    let text = serde_json::to_string(&record).expect("a record is JSON");
    assert!(
        read(text.as_bytes()).is_some_and(|again| again == record),
        "it is not read again"
    );
}

/// A record as `bench publish` takes it, and all that follows from it on the published branch.
pub fn published_record(data: &[u8]) {
    let bytes = surgery::document(data, good());
    let Ok(text) = str::from_utf8(&bytes) else { return };
    let Ok(published) = Published::parse(Path::new("record.json"), text) else {
        return;
    };
    let additions = Additions {
        records: vec![published],
        ..Additions::nothing(Timestamp::MAX)
    };
    let Ok(prepared) = prepare(&Memory::default(), &additions) else {
        return;
    };
    let files = prepared.files;
    for (path, content) in &files {
        let text = str::from_utf8(content).expect("everything published is text");
        if path == "index.html" {
            shown::inert(text);
        }
    }
    check(&Memory(files), Timestamp::MAX).expect("what was published a moment ago is whole");
}

/// Figures of another program, as `bench history --csv` takes them.
pub fn csv(data: &[u8]) {
    if let Ok(past) = Past::from_csv("figures.csv", data) {
        history(&past);
    }
}

fn history(past: &Past) {
    let story = judge(past, &NoLockfiles);
    shown::inert(&history_markdown(&story));
    shown::inert(&history_news(&story));
    history_alarm(&story).as_deref().map(shown::inert);
}

fn read(bytes: &[u8]) -> Option<Record> {
    let text = str::from_utf8(bytes).ok()?;
    reading::parse(Path::new("record.json"), text).ok()
}
