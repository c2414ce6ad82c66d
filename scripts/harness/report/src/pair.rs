//! Two apps against each other, as sentences with sizes and as a table.

use analyze::pair::{Direct, PairFinding};
use model::escape::NAME;
use model::{Interval, Record};

use crate::document::{Block, Rows, Text, name, own, text};
use crate::table::findings;
use crate::terminal::{Style, shown};
use crate::{figure, labels};

/// Scenarios that are named in a sentence; more of them are a number.
const MOST_NAMED: usize = 5;

/// What a run says of two apps, on a terminal or as Markdown.
pub fn pair(direct: &Direct<'_>, findings: &[PairFinding], style: Option<Style>) -> String {
    shown(&blocks(direct.record, findings), style)
}

fn blocks(record: &Record, findings: &[PairFinding]) -> Vec<Block> {
    let Some(first) = findings.first() else {
        return vec![Block::paragraph(
            "Nothing to compare: in no scenario of this run both have figures that count, in a steady state of the machine.",
        )];
    };
    let [base, app] = first.apps.each_ref().map(|label| called(record, label));
    let has_database = findings.iter().all(|finding| finding.has_database);
    let behind = has_database.then_some(" with PostgreSQL");
    let is_narrow = findings.iter().any(|finding| finding.ratio.sessions.is_none());
    let session = is_narrow.then_some(", in this session");
    let covers = findings
        .iter()
        .map(|finding| (&*finding.scenario, findings::Known::of([&finding.ratio].into_iter())));
    let time = |at: usize| move |finding: &&PairFinding| own(microseconds(finding.cpu_us[at]));
    let work = |at: usize| move |finding: &&PairFinding| Some(figure::own_work(finding.own_work[at]?));
    let table = Rows::of(findings)
        .words("Scenario", |finding| name(&finding.scenario))
        .figures(name(&base), time(0))
        .figures(name(&app), time(1))
        .words(text![name(&app), " ÷ ", name(&base)], |finding| {
            own(figure::ratio_and_interval(&finding.ratio))
        })
        .words("", |finding| own(verdict(finding)))
        .figures(text!["Own work: ", name(&base)], work(0))
        .figures(name(&app), work(1));
    let has_own_work = findings.iter().any(|finding| finding.own_work != [None, None]);
    let scale = has_own_work.then_some(
        "Own work is where a server's CPU time lies between that of the smallest possible server (0) and that of Rocket 0.5.2 (100), and how far \
         another cpu may move it; a ratio is this machine's.",
    );
    let title = text![name(&app), " and ", name(&base), behind, ": CPU time per request"];
    let (said, machine) = (sentence(record, findings), labels::machine(&record.environment));
    let mut blocks = vec![
        Block::Heading(1, title),
        Block::Paragraph(labels::run(record)),
        Block::Paragraph(text![said, ", on ", machine, session, "."]),
        table.table(),
        Block::Paragraph(own(format!(
            "Ratios come from the rounds that both shared, with their 95\u{a0}% interval, which covers {}. What is told apart holds for all scenarios of this pair together with 95\u{a0}%; the ranks of a whole run, which hold for all of its pairs, tell fewer apart.",
            findings::covered(covers)
        ))),
    ];
    blocks.extend(scale.map(Block::paragraph));
    blocks
}

/// `14 % less`; also where only the interval of this one scenario, and not all of the pair together, excludes 1.
fn verdict(finding: &PairFinding) -> String {
    let alone = |interval: Interval| interval.low > 1.0 || interval.high < 1.0;
    if finding.told_apart {
        sizes(&[finding])
    } else if finding.ratio.interval.is_some_and(alone) {
        format!("{}, not certain", sizes(&[finding]))
    } else {
        "no difference can be shown".to_owned()
    }
}

/// The name for people of what a record calls so, without what stands behind it.
fn called(record: &Record, label: &str) -> String {
    let app = record.apps.iter().find(|app| app.label() == label);
    app.map_or_else(|| label.to_owned(), crate::table::label)
}

/// `Axum needs 6 to 8 % more CPU time than Actix Web for plaintext and hello; for bcrypt no difference can be shown`; empty without any.
pub fn sentence(record: &Record, findings: &[PairFinding]) -> Text {
    let Some(first) = findings.first() else {
        return Text::default();
    };
    let [base, app] = first.apps.each_ref().map(|label| called(record, label));
    let of = |is: &dyn Fn(&PairFinding) -> bool| findings.iter().filter(|finding| is(finding)).collect::<Vec<_>>();
    let more = of(&|finding| finding.told_apart && finding.ratio.estimate > 1.0);
    let less = of(&|finding| finding.told_apart && finding.ratio.estimate < 1.0);
    let open = of(&|finding| !finding.told_apart);
    let places = |some: &[&PairFinding]| places(some, findings);
    let mut parts = Vec::new();
    for some in [&less, &more].into_iter().filter(|some| !some.is_empty()) {
        let (size, places) = (sizes(some), places(some));
        parts.push(if parts.is_empty() {
            format!("{app} needs {size} CPU time than {base} {places}")
        } else {
            format!("{size} {places}")
        });
    }
    if !open.is_empty() {
        parts.push(if parts.is_empty() {
            let places = places(&open).replace("all", "any of the");
            format!("No difference between {app} and {base} can be shown {places}")
        } else {
            format!("{} no difference can be shown", places(&open))
        });
    }
    own(model::escape::clean(&parts.join("; "), 10 * NAME))
}

/// `for plaintext and hello`, `with PostgreSQL for db`, `in all 8 scenarios`.
fn places(some: &[&PairFinding], findings: &[PairFinding]) -> String {
    let all = findings.len();
    if some.len() == all && all > 1 {
        return format!("in all {all} scenarios");
    }
    if some.len() > MOST_NAMED {
        return format!("in {} of {all} scenarios", some.len());
    }
    let is_other = |finding: &PairFinding| finding.has_database != findings[0].has_database;
    let mixed = findings.iter().any(is_other);
    let behind = |is: bool| {
        let these = some.iter().filter(|finding| finding.has_database == is);
        let named: Vec<&str> = these.map(|finding| finding.scenario.as_str()).collect();
        let with = if is && mixed { "with PostgreSQL for" } else { "for" };
        (!named.is_empty()).then(|| format!("{with} {}", labels::list(&named)))
    };
    let places = [behind(false), behind(true)].into_iter().flatten();
    places.collect::<Vec<_>>().join(" and ")
}

/// `6 to 8 % more`: where the intervals of findings in one direction lie.
fn sizes(some: &[&PairFinding]) -> String {
    let ends = some.iter().flat_map(|finding| {
        let interval = finding.ratio.interval.map(|interval| [interval.low, interval.high]);
        interval.unwrap_or([finding.ratio.estimate; 2])
    });
    let mut ends: Vec<f64> = ends.collect();
    ends.sort_by(|one, other| (one - 1.0).abs().total_cmp(&(other - 1.0).abs()));
    let (Some(least), Some(most)) = (ends.first(), ends.last()) else {
        return String::new();
    };
    let word = if *most > 1.0 { "more" } else { "less" };
    let [least, most] = [*least, *most].map(figure::size);
    if least == most {
        return format!("{most} {word}");
    }
    format!("{} to {most} {word}", least.trim_end_matches(" %"))
}

/// A CPU time with the unit that people would use: `8.42 µs`, `58.9 ms`.
pub fn microseconds(microseconds: f64) -> String {
    if microseconds < 10_000.0 {
        format!("{} µs", figure::significant(microseconds))
    } else {
        format!("{} ms", figure::significant(microseconds / 1000.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use analyze::analysis::Sessions;
    use model::Ratio;

    fn found(scenario: &str, estimate: f64, told_apart: bool) -> PairFinding {
        PairFinding {
            scenario: scenario.into(),
            has_database: scenario.starts_with("db"),
            apps: ["actix-web", "axum"].map(str::to_owned),
            cpu_us: [8.39, 8.39 * estimate],
            own_work: [None, None],
            ratio: Ratio {
                estimate,
                interval: None,
                sessions: Some(4),
                days: Some(4),
            },
            told_apart,
        }
    }

    #[test]
    fn a_sentence_has_the_size_and_the_place_of_each_difference() {
        let said = |findings: &[PairFinding]| crate::document::plain(&sentence(&samples::record(), findings));
        let (near, far) = (found("plaintext", 1.064, true), found("hello", 1.08, true));
        let (open, less) = (found("bcrypt", 1.001, false), found("simple", 0.93, true));
        for (findings, expected) in [
            (
                vec![near.clone()],
                "axum needs 6 % more CPU time than actix-web for plaintext",
            ),
            (
                vec![far.clone(), near.clone(), open.clone()],
                "axum needs 6 to 8 % more CPU time than actix-web for hello and plaintext; for bcrypt no difference can be shown",
            ),
            (
                vec![near.clone(), less, found("db", 1.01, false)],
                "axum needs 7 % less CPU time than actix-web for simple; 6 % more for plaintext; with PostgreSQL for db no difference can be shown",
            ),
            (
                vec![open, found("db", 1.01, false)],
                "no difference between axum and actix-web can be shown in any of the 2 scenarios",
            ),
            (
                vec![far, near],
                "axum needs 6 to 8 % more CPU time than actix-web in all 2 scenarios",
            ),
            (Vec::new(), ""),
        ] {
            assert_eq!(said(&findings).to_lowercase(), expected.to_lowercase());
        }
    }

    #[test]
    fn a_difference_that_holds_for_its_scenario_only_is_not_certain() {
        let mut finding = found("plaintext", 1.012, false);
        for (interval, expected) in [
            (None, "no difference can be shown"),
            (Some((0.99, 1.03)), "no difference can be shown"),
            (Some((1.002, 1.023)), "0.2 to 2 % more, not certain"),
        ] {
            finding.ratio.interval = interval.map(|(low, high)| Interval { low, high });
            assert_eq!(verdict(&finding), expected);
        }
        finding.told_apart = true;
        assert_eq!(verdict(&finding), "0.2 to 2 % more");
    }

    #[test]
    fn the_whole_text() {
        let record = samples::sensible();
        let direct = Direct::new(&record, &Sessions::default());
        let findings = direct.pair("actix-web", "axum").unwrap();
        let pair = |findings: &[PairFinding]| pair(&direct, findings, Some(Style::PLAIN));
        insta::assert_snapshot!(pair(&findings));
        assert!(pair(&[]).starts_with("Nothing to compare"));
        let (wide, mut narrow) = (found("plaintext", 1.1, true), found("hello", 1.1, true));
        (narrow.ratio.sessions, narrow.ratio.days) = (None, None);
        let is_of_session = |findings: &[PairFinding]| pair(findings).contains("in this session.");
        let both = [wide, narrow];
        assert!(!is_of_session(&both[..1]) && is_of_session(&both));
    }
}
