use model::Verdict;

use super::*;

const COLOUR: Style = Style {
    colour: true,
    ..Style::PLAIN
};

fn without_colours(text: &str) -> String {
    ["\u{1b}[2m", "\u{1b}[1m", "\u{1b}[31m", "\u{1b}[0m"]
        .iter()
        .fold(text.to_owned(), |text, code| text.replace(code, ""))
}

#[test]
fn full_report() {
    insta::assert_snapshot!(full_markdown(&samples::record(), Some("charts/")));
}

#[test]
fn without_charts_there_are_no_pictures() {
    assert!(!full_markdown(&samples::record(), None).contains("!["));
}

#[test]
fn failures_stand_before_any_figure() {
    let text = full_markdown(&samples::record(), None);
    let (failed, first) = (text.find("## Failed"), text.find("| Rank |"));
    assert!(failed.is_some() && failed < first);
}

#[test]
fn hostile_strings_stay_strings() {
    let text = full_markdown(&samples::record(), None);
    for harm in [
        "<script",
        "<b>",
        "<i>",
        "<!--",
        "@octocat",
        "@everyone",
        "https://evil",
        "\n# Best",
        "javascript:",
        "\u{1b}",
        "\u{7}",
        "\u{202e}",
    ] {
        assert!(!text.contains(harm), "{harm:?} got through");
    }
}

#[test]
fn every_row_has_every_column() {
    let text = full_markdown(&samples::record(), None);
    for table in text.split("\n\n").filter(|block| block.starts_with('|')) {
        let columns = |row: &str| row.replace(r"\|", "").matches('|').count();
        let of_header = table.lines().next().map(columns).unwrap();
        assert!(table.lines().all(|row| columns(row) == of_header), "{table}");
    }
}

#[test]
fn an_untrusted_figure_is_never_bare() {
    let text = full_markdown(&samples::record(), None);
    assert!(text.contains("~~131,000~~"));
    assert_eq!(text.matches("131,000").count(), 1);
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
    insta::assert_snapshot!(full_terminal(&samples::record(), Style::PLAIN));
}

#[test]
fn a_terminal_with_colours() {
    let text = full_terminal(&samples::record(), COLOUR);
    insta::assert_snapshot!(text.replace('\u{1b}', "␛"));
}

#[test]
fn no_control_character_of_the_record_reaches_the_terminal() {
    let text = full_terminal(&samples::record(), Style::PLAIN);
    assert!(
        text.chars()
            .all(|character| character == '\n' || !character.is_control())
    );
    assert!(!text.contains('\u{202e}'));
    let text = full_terminal(&samples::record(), COLOUR);
    let ours = without_colours(&text);
    assert!(
        ours.chars()
            .all(|character| character == '\n' || !character.is_control())
    );
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
fn colours_change_no_column() {
    let text = full_terminal(&samples::record(), COLOUR);
    let bare = without_colours(&text).replace(['─', '┄'], "-");
    assert_eq!(bare, full_terminal(&samples::record(), Style::PLAIN));
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
