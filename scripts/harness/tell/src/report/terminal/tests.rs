use super::*;
use judge::sample;
use record::Verdict;

#[test]
fn plain() {
    insta::assert_snapshot!(terminal(&sample::record(), Style::Plain));
}

#[test]
fn colour() {
    let text = terminal(&sample::record(), Style::Colour);
    insta::assert_snapshot!(text.replace('\u{1b}', "␛"));
}

#[test]
fn no_control_character_of_the_record_reaches_the_terminal() {
    let text = terminal(&sample::record(), Style::Plain);
    assert!(
        text.chars()
            .all(|character| character == '\n' || !character.is_control())
    );
    assert!(!text.contains('\u{202e}'));
    let text = terminal(&sample::record(), Style::Colour);
    let ours = [DIM, BOLD, RED, RESET]
        .iter()
        .fold(text, |text, code| text.replace(code, ""));
    assert!(
        ours.chars()
            .all(|character| character == '\n' || !character.is_control())
    );
}

#[test]
fn it_fits_into_the_terminal() {
    let mut record = sample::record();
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
    let text = terminal(&record, Style::Plain);
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
}

#[test]
fn colours_change_no_column() {
    let text = terminal(&sample::record(), Style::Colour);
    let bare = [DIM, BOLD, RED, RESET]
        .iter()
        .fold(text, |text, code| text.replace(code, ""));
    assert_eq!(bare, terminal(&sample::record(), Style::Plain));
}

#[test]
fn variations_fit_too() {
    let text = terminal(&sample::varied(), Style::Plain);
    let from = text.find("plaintext by isolation").unwrap();
    insta::assert_snapshot!(&text[from..]);
    assert!(text.lines().all(|line| line.chars().count() <= 100));
}

#[test]
fn an_empty_record_is_no_panic() {
    let mut record = sample::record();
    record.apps.clear();
    record.summary.clear();
    assert!(terminal(&record, Style::Plain).contains("plaintext"));
}

#[test]
fn a_partial_run_says_so_in_its_title_and_why() {
    let head = |change: fn(&mut Record)| {
        let mut record = sample::record();
        record.harness.whole = false;
        change(&mut record);
        let text = terminal(&record, Style::Plain);
        let lines: Vec<String> = text.lines().take(2).map(str::to_owned).collect();
        assert!(lines[0].contains(" (partial) on "), "{text}");
        lines[1].clone()
    };
    let small = head(|_| {});
    assert!(
        small.starts_with("partial: fewer apps, scenarios or rounds than the profile "),
        "{small}"
    );
    let dev = head(|record| record.harness.cargo_profile = "dev".into());
    assert_eq!(dev, "partial: built with the cargo profile dev, not for release");
    let lost = head(|record| {
        for cell in &mut record.summary {
            (cell.verdict, cell.reasons) = (Verdict::EnvironmentFailed, vec!["the disk is full".into()]);
            cell.metrics.clear();
        }
    });
    assert!(
        lost.ends_with(" cells could not be measured: the disk is full"),
        "{lost}"
    );
    let whole = terminal(&sample::record(), Style::Plain);
    assert!(!whole.contains("partial"), "{whole}");
}
