use super::*;
use analyze::history::NoLockfiles;
use model::Interval;

const URL: &str = "https://github.com/o/r/blob/bench-results/hosted-x64/bench-results/hosted-x64";

/// The sample, a week earlier: another axum, another compiler, and figures that moved.
fn earlier() -> Record {
    let mut record = samples::record();
    record.id = "20261114T110000Z-2a".into();
    record.started_at = "2026-11-14T11:00:00Z".parse().unwrap();
    record.environment.rustc = "rustc 1.94.0 (aaaaaaaaa 2026-03-01)".into();
    for app in record.apps.iter_mut().filter(|app| app.id == "axum") {
        app.framework_version = "0.8.6".into();
    }
    for cell in &mut record.summary {
        if cell.verdict == Verdict::Crashed {
            cell.verdict = Verdict::Unstable;
        }
        let slower = if cell.app == "axum" { 0.8 } else { 1.0 };
        let cpu = cell.metrics.get_mut(&Metric::ServerCpuUsPerRequest);
        if let Some(ratio) = cpu.and_then(|cpu| cpu.ratio.as_mut()) {
            let estimate = ratio.estimate * slower;
            let (low, high) = (estimate * 0.99, estimate * 1.01);
            let interval = Some(Interval { low, high });
            *ratio = Ratio {
                estimate,
                interval,
                ..Ratio::default()
            };
        }
    }
    record
}

/// What is known of the releases that moved.
fn counted() -> Releases {
    let axum = [
        ("0.8.7", "2025-08-01", Some(1020.0)),
        ("0.8.6", "2025-02-01", Some(1000.0)),
    ];
    let other = [
        ("0.8.9", "2026-04-01", Some(1030.0)),
        ("0.8.6", "2025-02-01", Some(1000.0)),
    ];
    let records = [("axum", &axum), ("hyper", &other)].map(|(of, known)| samples::releases("2026-11-20", of, known));
    analyze::releases::releases(&records)
}

fn pull_request(record: &Record, previous: Option<&Record>, base_url: Option<&str>) -> String {
    let published = Published {
        url: "https://github.com/o/r/blob/gh-pages/runs/hosted-x64/20261121T110000Z-2a.json.gz".into(),
        sha256: "5e".repeat(32),
    };
    let links = Links {
        base_url,
        published: base_url.map(|_| &published),
    };
    let earlier = previous.map(|previous| {
        let mut before = previous.clone();
        before.summary.truncate(previous.summary.len() / 2);
        [previous.clone(), before.clone(), before]
    });
    super::pull_request(
        record,
        previous,
        earlier.as_ref().map_or(&[][..], |all| &all[..]),
        links,
        &NoLockfiles,
        &counted(),
    )
}

#[test]
fn what_a_reviewer_reads() {
    insta::assert_snapshot!(pull_request(&samples::record(), Some(&earlier()), Some(URL)));
}

#[test]
fn a_run_across_midnight_tells_both_days() {
    let mut record = samples::record();
    record.started_at = "2026-11-21T23:10:00Z".parse().unwrap();
    record.finished_at = "2026-11-22T01:20:00Z".parse().unwrap();
    let text = pull_request(&record, None, None);
    assert!(text.contains(", 2026-11-21 23:10 to 2026-11-22 01:20 UTC: "), "{text}");
}

#[test]
fn a_first_run_says_that_it_is_one() {
    let text = pull_request(&samples::record(), None, None);
    assert!(text.contains("no earlier run"));
    assert!(!text.contains("Moved since") && !text.contains("what moved"));
}

#[test]
fn a_failure_that_was_there_before_is_no_news() {
    let (mut before, now) = (earlier(), samples::record());
    let text = pull_request(&now, Some(&before), None);
    let place = |title: &str| text.find(title).unwrap_or_else(|| panic!("{title} is not there"));
    assert!(text.starts_with("**1 new failure, "), "{text}");
    assert!(place("## New failures") < place("## Moved") && place("## Moved") < place("Known failures: "));
    before.apps.clear();
    before.summary.clear();
    let text = pull_request(&now, Some(&before), None);
    assert!(text.starts_with("**2 new failures, nothing moved.**"), "{text}");
}

#[test]
fn figures_of_another_kind_of_machine_are_not_compared() {
    let on = |cpu: &str| {
        let mut record = earlier();
        record.environment.cpu_model = cpu.into();
        record
    };
    let text = pull_request(&samples::record(), Some(&on("another cpu")), None);
    assert!(
        text.starts_with("**1 new failure, another machine: not compared.**"),
        "{text}"
    );
    assert!(text.contains("the last was on another cpu, 4 logical cpus"), "{text}");
    assert!(!text.contains("moved") && !text.contains("Moved"), "{text}");

    let of_kind = earlier();
    let earlier = [on("another cpu"), of_kind.clone()];
    let text = super::pull_request(
        &samples::record(),
        Some(&of_kind),
        &earlier,
        Links::default(),
        &NoLockfiles,
        &counted(),
    );
    let news = "another machine: compared with 2026-11-14, ";
    assert!(
        text.contains(news) && text.contains("## Moved since 2026-11-14"),
        "{text}"
    );
}

#[test]
fn github_takes_it_however_much_moved() {
    let (mut before, mut now) = (earlier(), samples::record());
    for number in 0..2000 {
        for record in [&mut before, &mut now] {
            let mut cell = record.summary[1].clone();
            cell.scenario = format!("scenario-{number}");
            record.summary.push(cell);
        }
        before.summary.last_mut().unwrap().verdict = Verdict::Crashed;
    }
    let text = pull_request(&now, Some(&before), Some(URL));
    assert!(text.len() < 65_536, "{}", text.len());
    assert!(text.contains("more in the record"));
}
