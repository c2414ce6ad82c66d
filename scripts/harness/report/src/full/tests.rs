use model::Verdict;

use super::*;

#[test]
fn full_report() {
    insta::assert_snapshot!(full_markdown(&samples::record(), Some("charts/")));
}

#[test]
fn without_charts_there_are_no_pictures() {
    assert!(!full_markdown(&samples::record(), None).contains("!["));
}

#[test]
fn what_the_database_took_stands_next_to_what_the_server_took() {
    let text = full_markdown(&samples::with_database(), None);
    assert_eq!(text.matches("µs/req + DB").count(), 1, "in the table of one scenario");
    assert_eq!(text.matches("&nbsp;+&nbsp;38.2</sub>").count(), 1, "{text}");
    assert!(!full_markdown(&samples::record(), None).contains("database"));
}

#[test]
fn a_terminal() {
    let text = full_terminal(&samples::record(), Style::PLAIN);
    insta::assert_snapshot!(text);
    assert!(text.chars().all(|one| one == '\n' || !one.is_control()));
}

#[test]
fn a_terminal_with_colours() {
    let colour = true;
    let text = full_terminal(&samples::record(), Style { colour, ..Style::PLAIN });
    insta::assert_snapshot!(text.replace('\u{1b}', "␛"));
}

#[test]
fn it_fits_into_the_terminal() {
    let mut record = samples::record();
    for app in &mut record.apps {
        app.name = format!("{} {}", app.name, "long".repeat(50));
    }
    for summary in record.summary.iter_mut().flat_map(|cell| cell.metrics.values_mut()) {
        (summary.median, summary.trusted) = (1_234_567.0, false);
        summary.trials = 1;
    }
    for trial in &mut record.trials {
        trial.latency_ms = Some([12.3; 8].into());
    }
    let text = full_terminal(&record, Style::PLAIN);
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
}

#[test]
fn variations_fit_too() {
    let text = full_terminal(&samples::varied(), Style::PLAIN);
    let from = text.find("plaintext by isolation").unwrap();
    insta::assert_snapshot!(&text[from..]);
    assert!(text.lines().all(|line| line.chars().count() <= 100));
}

#[test]
fn an_empty_record_is_no_panic() {
    let mut record = samples::record();
    record.apps.clear();
    record.summary.clear();
    assert!(full_terminal(&record, Style::PLAIN).contains("plaintext"));
}

#[test]
fn a_partial_run_says_so_in_its_title_and_why() {
    let head = |change: fn(&mut Record)| {
        let mut record = samples::record();
        record.harness.whole = false;
        change(&mut record);
        let text = full_terminal(&record, Style::PLAIN);
        let lines: Vec<String> = text.lines().take(2).map(str::to_owned).collect();
        assert!(lines[0].contains(" (partial) on "), "{text}");
        lines[1].clone()
    };
    let small = head(|_| {});
    assert!(
        small.starts_with("A partial run: fewer apps, scenarios or rounds than the profile "),
        "{small}"
    );
    let dev = head(|record| record.harness.cargo_profile = "dev".into());
    assert_eq!(dev, "A partial run: built with the cargo profile dev, not for release.");
    let lost = head(|record| {
        for cell in &mut record.summary {
            (cell.verdict, cell.reasons) = (Verdict::EnvironmentFailed, vec!["the disk is full".into()]);
            cell.metrics.clear();
        }
    });
    assert_eq!(lost, "A partial run: nothing could be measured: the disk is full.");
    let whole = full_terminal(&samples::record(), Style::PLAIN);
    assert!(!whole.contains("partial"), "{whole}");
}
