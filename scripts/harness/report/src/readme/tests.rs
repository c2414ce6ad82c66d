use std::collections::BTreeSet;

use analyze::history::NoLockfiles;
use model::Trial;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::Links;

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
        sessions: &analyze::analysis::Sessions::default(),
        carried: &analyze::carried::Carried::default(),
        breaks: Some((&samples::probes(), "probes/summary.md")),
    })
}

#[test]
fn a_row_calls_a_pre_release_one() {
    let of_pre_releases = |mut record: Record| {
        for app in &mut record.apps {
            app.framework_version = "0.3.0-alpha.4".to_owned();
        }
        record
    };
    let [record, sensible, probes] = [samples::record(), samples::sensible(), samples::probes()].map(of_pre_releases);
    let sessions = Sessions::default();
    for text in [
        block(&record, None),
        crate::full_markdown(&record, None),
        crate::summary(&analyze::pair::Direct::new(&sensible, &sessions), crate::Style::PLAIN).unwrap(),
        crate::probes_markdown(&probes, None),
    ] {
        let of = |what: &str| text.matches(what).count();
        assert!(of("0.3.0-alpha.4") > 0, "{text}");
        assert_eq!(of("0.3.0-alpha.4"), of("(pre-release)"), "{text}");
    }
    let shown = ["0.3.0-rc1+linux", "0.3.0", "0.3.0+of-linux"].map(labels::version);
    assert_eq!(shown, ["0.3.0-rc1+linux (pre-release)", "0.3.0", "0.3.0+of-linux"]);
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

/// A run on a machine of its own, in which the ceiling takes least and Rocket most.
fn any_run(seed: u64) -> Record {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut any = |low: f64, high: f64| low + (high - low) * stats::random::uniform(&mut rng);
    let (fixed, price, noise) = (any(3.0, 17.0), any(0.5, 5.0), any(0.001, 0.1));
    let mut record = samples::sensible();
    let work = |app: &AppRecord, any: &mut dyn FnMut(f64, f64) -> f64| match (app.role, &*app.id) {
        (Role::Ceiling, _) => 0.0,
        (_, "rocket") => any(0.5, 20.0),
        _ => any(0.0, 8.0),
    };
    let work: Vec<f64> = record.apps.iter().map(|app| work(app, &mut any)).collect();
    for trial in &mut record.trials {
        let mut apps = record.apps.iter();
        let app = apps.position(|app| (&app.id, &app.variant) == (&trial.app, &trial.variant));
        let cpu = (fixed + price * work[app.unwrap()]) * (1.0 + any(0.0, noise));
        trial.server_cpu_us_per_request = Some(cpu);
    }
    record.summary = analyze::analysis::summary(&record.apps, &record.scenarios, &record.trials);
    record
}

/// Whatever a machine does, the first sentence says of no framework what the rows below do not: who is least has the least, each figure is that
/// of its row, and all that may be as cheap are named and no other.
#[test]
fn a_sentence_never_says_more_than_its_rows() {
    let (mut with_scale, mut without) = (0, 0);
    for seed in 0..100 {
        let record = any_run(seed);
        let block = block(&record, None).replace('\u{202f}', " ");
        let sentence = block
            .lines()
            .find(|line| line.starts_with("- **A small JSON answer: "))
            .unwrap();
        let rows: Vec<Vec<&str>> = block
            .lines()
            .skip_while(|line| !line.starts_with("| Framework"))
            .take_while(|line| line.starts_with('|'))
            .skip(2)
            .map(|line| line.split('|').map(str::trim).collect())
            .collect();
        let summary = |row: &[&str]| {
            let title = |app: &AppRecord| format!("{} {}", table::label(app), app.framework_version);
            let app = record.apps.iter().find(|app| row[1] == title(app));
            let app = app.unwrap_or_else(|| panic!("{row:?}"));
            record.cell(&app.id, &app.variant, "json").unwrap().metrics[&METRIC].clone()
        };
        let cpu = |row: &[&str]| summary(row).ratio.unwrap().estimate;
        let name = |row: &[&str]| row[1].rsplit_once(' ').unwrap().0.to_owned();
        let least = rows.iter().min_by(|one, other| cpu(one).total_cmp(&cpu(other)));
        let least = least.unwrap();
        let answer = format!("A small JSON answer: {} need", name(least));
        assert!(sentence.contains(&answer), "{seed}: {block}");
        let (sizes, close) = sentence.split_once(" Too close to call: ").unwrap_or((sentence, "."));
        for row in &rows {
            let is_said = |whose| sizes.contains(&format!(" {}{whose} {}", name(row), row[2]));
            let is_named = [" ", "’"].map(|end| sizes.contains(&format!(", {}{end}", name(row))));
            let is_named = is_named.contains(&true);
            assert!(!is_named || is_said("") || is_said("’s"), "{seed}: {row:?}: {block}");
        }
        let may_be = rows.iter().filter(|row| summary(row).rank.unwrap().best == 1);
        let may_be: BTreeSet<String> = may_be.map(|row| name(row)).filter(|one| *one != name(least)).collect();
        let named = close.trim_end_matches('.').split(", ").filter(|name| !name.is_empty());
        assert_eq!(
            named.map(str::to_owned).collect::<BTreeSet<_>>(),
            may_be,
            "{seed}: {block}"
        );
        if sentence.contains("own work") {
            with_scale += 1;
            assert!(
                sentence.contains(&format!("its own work is {}", least[2])),
                "{seed}: {block}"
            );
        } else {
            without += 1;
        }
        assert!(block.contains(", AMD EPYC"), "{seed}: a size has its machine: {block}");
    }
    assert!(with_scale > 50 && without > 5, "{with_scale} {without}");
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
fn a_server_that_keeps_the_contract_in_part_is_struck_through_and_has_no_place() {
    let mut record = any_run(7);
    let before = block(&record, None);
    record.apps[0].known_fault = Some("it forgets connections".to_owned());
    let broken = record.apps[0].clone();
    let is_of = |trial: &&mut Trial| (&trial.app, &trial.variant) == (&broken.id, &broken.variant);
    for trial in record.trials.iter_mut().filter(is_of).filter(|trial| trial.round <= 2) {
        trial.verdict = Verdict::ContractFailed;
        trial.reasons =
            vec!["the load did not end within 30 s of its deadline: requests were never answered".to_owned()];
    }
    record.summary = analyze::analysis::summary(&record.apps, &record.scenarios, &record.trials);
    let after = block(&record, None);
    let label = table::label(&record.apps[0]);
    let cells = |block: &str| -> Vec<String> {
        let mut rows = block.lines().filter(|line| line.starts_with(&format!("| {label} ")));
        rows.next().unwrap().split(" | ").map(str::to_owned).collect()
    };
    let (before, found) = (cells(&before), cells(&after));
    for at in [1, 2] {
        let number = |cell: &str| {
            let digits = cell.trim_start_matches(|c: char| !c.is_ascii_digit()).chars();
            let digits: String = digits.take_while(char::is_ascii_digit).collect();
            digits.parse::<f64>().unwrap()
        };
        assert!(
            found[at].starts_with("~~") && found[at].ends_with("~~") && !found[at].contains('±'),
            "{found:?}"
        );
        assert!(
            (number(&found[at]) - number(&before[at])).abs() <= 3.0,
            "{before:?} {found:?}"
        );
    }
    assert!(
        after.contains(&format!(
            "No valid figures: **{label}** (requests were never answered in 2 of "
        )),
        "{after}"
    );
}

#[test]
fn hostile_strings_stay_strings() {
    let mut record = samples::record();
    record.apps[0].name = samples::HOSTILE_NAME.to_owned();
    let releases = analyze::releases::releases(&[]);
    let pages = [
        block(&record, None),
        crate::full_markdown(&record, None),
        crate::pull_request(&record, None, &[], Links::default(), &NoLockfiles, &releases),
    ];
    let pictures = Readme::of(&record, None).unwrap().charts();
    for harm in [
        "<script",
        "<b>",
        "<i>",
        "<!--",
        "https://evil",
        "\u{1b}",
        "\u{7}",
        "\u{202e}",
    ] {
        let texts = pages.iter().chain(&pictures);
        assert!(
            texts.into_iter().all(|text| !text.contains(harm)),
            "{harm:?} got through"
        );
    }
    for harm in ["@octocat", "@everyone", "\n# Best", "javascript:"] {
        assert!(pages.iter().all(|text| !text.contains(harm)), "{harm:?} got through");
    }
}

#[test]
fn what_a_reader_should_know_stands_in_the_summary() {
    let mut record = samples::record();
    for app in record.apps.iter_mut().filter(|app| app.id == "axum") {
        app.note = Some("its timer has steps of <b>16 ms</b> (https://example.org/x<b>](y); no other".to_owned());
    }
    let noted = "- **axum**: its timer has steps of &lt;b&gt;16 ms&lt;/b&gt; ([source](https://example.org/x%3Cb%3E%5D%28y)); no other";
    // Once, although a variant has it too.
    assert_eq!(crate::full_markdown(&record, None).matches(noted).count(), 1);
    assert!(!block(&record, None).contains("its timer"));
}
