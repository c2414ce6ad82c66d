use super::*;
use judge::sample;

#[test]
fn full_report() {
    insta::assert_snapshot!(markdown(&sample::record(), Some("charts/")));
}

#[test]
fn without_charts_there_are_no_pictures() {
    assert!(!markdown(&sample::record(), None).contains("!["));
}

#[test]
fn failures_stand_before_any_figure() {
    let text = markdown(&sample::record(), None);
    let (failed, first) = (text.find("## Failed"), text.find("| Rank |"));
    assert!(failed.is_some() && failed < first);
}

#[test]
fn hostile_strings_stay_strings() {
    let text = markdown(&sample::record(), None);
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
    let text = markdown(&sample::record(), None);
    for row in text.lines().filter(|line| line.starts_with("| ")) {
        let columns = row.replace(r"\|", "").matches('|').count() - 1;
        assert!(columns == COLUMNS || columns == 7, "{columns} columns: {row}");
    }
}

#[test]
fn an_untrusted_figure_is_never_bare() {
    let text = markdown(&sample::record(), None);
    assert!(text.contains("~~131,000~~"));
    assert_eq!(text.matches("131,000").count(), 1);
}

#[test]
fn what_the_database_took_stands_beside_what_the_server_took() {
    let text = markdown(&sample::with_database(), None);
    assert_eq!(
        text.matches("µs/req + database's").count(),
        1,
        "in the table of one scenario"
    );
    assert_eq!(text.matches("&nbsp;+&nbsp;38.2</sub>").count(), 1, "{text}");
    assert!(!markdown(&sample::record(), None).contains("database"));
}
