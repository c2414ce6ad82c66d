use super::*;

/// The sample with a database behind its servers.
fn database() -> Record {
    let mut record = samples::with_database();
    for app in &mut record.apps {
        app.stack = Some("tokio-postgres, deadpool".to_owned());
    }
    record.scenarios[1].path = "/db".to_owned();
    record
}

fn block(record: &Record, with_database: Option<&Record>) -> String {
    let place = |name: &str| (format!("{name}/summary.md"), format!("{name}/20261121T110000Z-2a.json"));
    Readme::of(record, with_database).unwrap().block(&Around {
        charts: &["charts/readme.svg", "charts/readme-narrow.svg"].map(str::to_owned),
        places: &[place("hosted-x64"), place("hosted-x64/database")],
        forecasts: &[],
        breaks: Some((&samples::probes(), "probes/summary.md")),
    })
}

#[test]
fn results_block() {
    insta::assert_snapshot!(block(&samples::record(), Some(&database())));
}

#[test]
fn the_picture() {
    let [wide, narrow] = Readme::of(&samples::record(), Some(&database())).unwrap().charts();
    insta::assert_snapshot!(wide);
    insta::assert_snapshot!("the_picture_for_phones", narrow);
}

#[test]
fn without_a_database_nothing_is_said_of_it() {
    assert!(!block(&samples::record(), None).contains("PostgreSQL"));
}

#[test]
fn each_run_is_of_its_own_kind() {
    assert!(Readme::of(&database(), None).is_none());
    assert!(Readme::is_with_database(&database()) && !Readme::is_with_database(&samples::record()));
}

#[test]
fn a_row_is_a_line_that_can_be_read() {
    let block = block(&samples::record(), Some(&database()));
    let row = block.lines().find(|line| line.contains(" | axum ")).unwrap();
    assert_eq!(
        row.replace('\u{202f}', " "),
        "| 1 | axum 0.8.7 | **+1 %** | **+1 %** | 98k | 12 MiB | 2 of 2 |"
    );
    assert!(!block.contains("&nbsp;") && !block.contains("<br>"), "{block}");
}

/// The sample ranks `axum (tuned)` second, by itself.
#[test]
fn what_is_not_told_apart_from_the_cheapest_is_as_good() {
    let mut record = samples::record();
    let mut cells = record.summary.iter_mut();
    let tuned = cells
        .find(|cell| cell.variant == "tuned" && cell.scenario == "json")
        .unwrap();
    let rank = |best, worst| Some(model::Rank { best, worst });
    let row = |record: &Record| {
        let block = block(record, None);
        block
            .lines()
            .find(|line| line.starts_with('|') && line.contains("axum (tuned)"))
            .unwrap()
            .replace('\u{202f}', " ")
    };
    tuned.metrics.get_mut(&METRIC).unwrap().rank = rank(2, 3);
    let behind = record.clone();
    let mut cells = record.summary.iter_mut();
    let tuned = cells
        .find(|cell| cell.variant == "tuned" && cell.scenario == "json")
        .unwrap();
    tuned.metrics.get_mut(&METRIC).unwrap().rank = rank(1, 3);
    assert!(
        row(&behind).starts_with("| 2–3 |") && row(&behind).contains("| +5 % |"),
        "{}",
        row(&behind)
    );
    assert!(
        row(&record).starts_with("| 1–3 |") && row(&record).contains("| **+5 %** |"),
        "{}",
        row(&record)
    );
}

#[test]
fn an_untrusted_figure_is_not_there() {
    let block = block(&samples::record(), None);
    assert!(
        !block.contains("| [rocket]") && block.contains("**rocket** (the trials spread too far"),
        "{block}"
    );
}

#[test]
fn hostile_strings_stay_strings() {
    let mut record = samples::record();
    record.apps[0].name = samples::HOSTILE_NAME.to_owned();
    let text = block(&record, None) + &Readme::of(&record, None).unwrap().charts().concat();
    for harm in [
        "<script",
        "<b>",
        "<!--",
        "@octocat",
        "https://evil",
        "\u{1b}",
        "\u{202e}",
    ] {
        let harmless = harm == "@octocat" && !block(&record, None).contains(harm);
        assert!(harmless || !text.contains(harm), "{harm:?} got through");
    }
}

#[test]
fn what_a_reader_should_know_stands_below_the_table() {
    let mut record = samples::record();
    for app in record.apps.iter_mut().filter(|app| app.id == "axum") {
        app.note = Some("its timer has steps of <b>16 ms</b> (https://example.org/x<b>](y); no other".to_owned());
    }
    let noted = "- **axum**: its timer has steps of &lt;b&gt;16 ms&lt;/b&gt; ([source](https://example.org/x%3Cb%3E%5D%28y)); no other";
    // Once, although a variant has it too.
    assert_eq!(block(&record, None).matches(noted).count(), 1);
    assert!(crate::full_markdown(&record, None).contains(noted));
}
