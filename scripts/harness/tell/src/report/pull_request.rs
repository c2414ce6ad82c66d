//! The body of the pull request with a lane's new record: what a reviewer must know in two minutes, the bad news first, then
//! what moved since the run before, then possible causes.

use std::collections::BTreeMap;

use crate::report::markdown::failure_line;
use crate::report::view;
use crate::report::view::Table;
use crate::report::{chart, figure, table, words};
use judge::since::{BY_CHANCE, Moved, SMALLEST, Since, VerdictChanged, since};
use record::escape;
use record::escape::{NAME, clean, markdown_id as code, markdown_name as text};
use record::{Ratio, Record, Verdict};

/// Most lines of one list: GitHub accepts 65,536 characters, and the record has everything.
const MOST_LINES: usize = 25;

/// The body. `previous` is the run before of the same lane and profile; `base_url` is the address of the record's folder in the
/// pull request's branch, for links and for the chart.
#[must_use]
pub fn pull_request(record: &Record, previous: Option<&Record>, base_url: Option<&str>) -> String {
    let tables = view::tables(record);
    let failures: Vec<String> = view::failures(record, &tables).iter().map(failure_line).collect();
    let difference = previous.map(|previous| since(previous, record));
    let mut blocks = vec![headline(record, failures.len(), difference.as_ref()), origin(record)];
    blocks.extend(section("Failed", failures));
    match (&difference, previous) {
        (Some(since), Some(previous)) => blocks.extend(changes(record, previous, since)),
        _ => blocks.push("There is no earlier run of this lane and profile to compare with.".to_owned()),
    }
    blocks.push(verdicts(record));
    blocks.extend(base_url.map(|url| links(record, url)));
    blocks.push(review(record, &tables, difference.is_some(), base_url.is_some()));
    blocks.join("\n\n") + "\n"
}

fn headline(record: &Record, failures: usize, since: Option<&Since>) -> String {
    let failed = match failures {
        0 => "nothing failed".to_owned(),
        number => words::count(number, "failure"),
    };
    let moved = since.map_or_else(String::new, |since| match since.moved.len() {
        0 => ", nothing moved".to_owned(),
        number => format!(", {} moved", words::count(number, "figure")),
    });
    let valid = record
        .summary
        .iter()
        .filter(|cell| cell.verdict == Verdict::Valid)
        .count();
    let cells = words::count(record.summary.len(), "cell");
    format!("**{failed}{moved}; {valid} of {cells} valid.**")
}

fn origin(record: &Record) -> String {
    let environment = &record.environment;
    format!(
        "{} on {}, {} to {}: {}, {}; {}; {}; {}.",
        text(&record.profile),
        record.lane.name(),
        record.started_at.strftime("%Y-%m-%d %H:%M"),
        record.finished_at.strftime("%Y-%m-%d %H:%M UTC"),
        escape::markdown(&clean(&environment.cpu_model, 2 * NAME)),
        words::count(environment.logical_cpus as usize, "cpu"),
        text(&environment.rustc),
        escape::markdown(&words::driven_by(record)),
        words::count(record.harness.rounds as usize, "round"),
    )
}

fn changes(record: &Record, previous: &Record, since: &Since) -> Vec<String> {
    let mut blocks = Vec::new();
    let date = previous.started_at.strftime("%Y-%m-%d");
    let title = format!("Moved since {date} ({})", code(&previous.id));
    if since.moved.is_empty() {
        let compared = words::count(since.compared, "figure");
        blocks.push(format!("## {title}\n\nNothing among {compared} that were compared."));
    } else {
        blocks.push(format!("## {title}\n\n{}\n\n{}", moved(record, since), caution(since)));
    }
    let changed = since.verdicts.iter().map(|changed| verdict_line(record, changed));
    blocks.extend(section("Other verdict than before", changed.collect()));
    blocks.extend(section("Possible causes", causes(since)));
    blocks
}

fn moved(record: &Record, since: &Since) -> String {
    let header = ["App", "Scenario", "Metric", "× reference before", "now", "Change"];
    let row = |moved: &Moved| {
        let ratio = |ratio: &Ratio| format!("{} {}", figure::ratio(ratio.estimate), figure::ratio_interval(ratio));
        [
            label(record, &moved.cell.app, &moved.cell.variant),
            text(&moved.cell.scenario),
            moved.metric.name().to_owned(),
            ratio(moved.before),
            ratio(moved.now),
            format!("{} {:+.1} %", better_or_worse(moved), moved.change * 100.0),
        ]
    };
    let table = table::markdown(&header, &[0, 1, 2], since.moved.iter().take(MOST_LINES).map(row));
    match since.moved.len().saturating_sub(MOST_LINES) {
        0 => table,
        more => format!("{table}\n\nAnd {more} that moved less."),
    }
}

fn better_or_worse(moved: &Moved) -> &'static str {
    if (moved.change > 0.0) == moved.metric.more_is_better() {
        "better,"
    } else {
        "**worse,**"
    }
}

/// What the table says and what it does not.
fn caution(since: &Since) -> String {
    let machine = if since.other_machine {
        " ⚠ The two runs were made on **different kinds of machine**: ratios to the reference are then only roughly comparable."
    } else {
        ""
    };
    format!(
        "These are ratios to the reference whose 95 % intervals do not overlap and that differ by {:.0} % or more. {} were \
         compared; if nothing changed, about one in {:.0} is listed by chance. This is a reason to look: \
         `./scripts/bench compare` of the two commits measures both side by side.{machine}",
        SMALLEST * 100.0,
        words::count(since.compared, "figure"),
        1.0 / BY_CHANCE,
    )
}

fn verdict_line(record: &Record, changed: &VerdictChanged) -> String {
    let cell = changed.cell;
    let reason = cell.reasons.first().map_or_else(String::new, |reason| {
        format!(": {}", escape::markdown(&clean(reason, escape::SENTENCE)))
    });
    format!(
        "- {} in {}: {} → {}{reason}",
        label(record, &cell.app, &cell.variant),
        text(&cell.scenario),
        words::verdict(changed.before),
        words::verdict(cell.verdict)
    )
}

fn causes(since: &Since) -> Vec<String> {
    let versions = since
        .versions
        .iter()
        .map(|(name, before, now)| format!("- {} {} → {}", text(name), text(before), text(now)));
    let names = |names: &[&str]| names.iter().map(|name| text(name)).collect::<Vec<_>>().join(", ");
    let listed = [
        ("New apps", &since.new),
        ("Gone apps", &since.gone),
        ("Same version, other sources or dependencies", &since.rebuilt),
    ];
    let listed = listed
        .iter()
        .filter(|(_, list)| !list.is_empty())
        .map(|(what, list)| format!("- {what}: {}", names(list)));
    let surroundings = since
        .surroundings
        .iter()
        .map(|(what, before, now)| format!("- {what}: {} → {}", text(before), text(now)));
    versions.chain(listed).chain(surroundings).collect()
}

fn verdicts(record: &Record) -> String {
    let mut counted: BTreeMap<Verdict, usize> = BTreeMap::new();
    for cell in &record.summary {
        *counted.entry(cell.verdict).or_default() += 1;
    }
    let rows = counted.iter().map(|(verdict, number)| {
        let (word, meaning) = (words::verdict(*verdict), words::meaning(*verdict));
        [word.to_owned(), number.to_string(), meaning.to_owned()]
    });
    let table = table::markdown(&["Verdict", "Cells", "Means"], &[0, 2], rows);
    format!("## Verdicts\n\n{table}")
}

fn links(record: &Record, url: &str) -> String {
    let url = url.trim_end_matches('/');
    let to = |file: &str| escape::markdown_target(&format!("{url}/{file}"));
    format!(
        "## The figures\n\n[![{}]({})]({})\n\n[All tables and charts]({}) · [the record]({})",
        escape::markdown(chart::OVERVIEW_ALT),
        to(&format!("charts/{}.svg?raw=true&run={}", chart::OVERVIEW, record.id)),
        to("summary.md"),
        to("summary.md"),
        to(&format!("{}.json", record.id)),
    )
}

/// What to look at, and in which order.
fn review(record: &Record, tables: &[Table], compared: bool, linked: bool) -> String {
    let mut steps = Vec::new();
    if !view::failures(record, tables).is_empty() {
        steps.push("each failure above has an issue, or a reason why it needs none");
    }
    if compared {
        steps.push("what moved has a cause in the list above, or a `bench compare` was started to find one");
    }
    if !record.environment.warnings.is_empty() {
        steps.push("the warnings about the machine are the usual ones of this lane (they are above the tables)");
    }
    if linked {
        steps.push("the chart shows every framework, and none is out of proportion");
    }
    steps.push("only bench-results/ and README.md are changed");
    let steps: Vec<_> = steps.iter().map(|step| format!("- [ ] {step}")).collect();
    format!("## To review\n\n{}", steps.join("\n"))
}

fn section(title: &str, mut lines: Vec<String>) -> Option<String> {
    let more = lines.len().saturating_sub(MOST_LINES);
    lines.truncate(MOST_LINES);
    if more > 0 {
        lines.push(format!("- and {more} more in the record"));
    }
    (!lines.is_empty()).then(|| format!("## {title}\n\n{}", lines.join("\n")))
}

/// An app's name for people, with its variant if that is not the default one.
fn label(record: &Record, app: &str, variant: &str) -> String {
    let subject = view::subjects(record)
        .into_iter()
        .find(|subject| subject.id == app && subject.variant == variant);
    subject.map_or_else(|| text(app), |subject| escape::markdown(&subject.label()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::sample;
    use record::{Interval, Metric};

    const URL: &str = "https://github.com/o/r/blob/bench-results/hosted-x64/bench-results/hosted-x64";

    /// The sample, a week earlier: another axum, another compiler, and figures that moved.
    fn earlier() -> Record {
        let mut record = sample::record();
        record.id = "20261114T110000Z-2a".into();
        record.started_at = "2026-11-14T11:00:00Z".parse().unwrap();
        record.environment.rustc = "rustc 1.94.0 (aaaaaaaaa 2026-03-01)".into();
        for app in record.apps.iter_mut().filter(|app| app.id == "axum") {
            app.framework_version = "0.8.6".into();
        }
        for cell in &mut record.summary {
            let slower = if cell.app == "axum" { 0.8 } else { 1.0 };
            for (metric, summary) in &mut cell.metrics {
                if let (Some(ratio), Metric::ServerCpuUsPerRequest) = (&mut summary.ratio, metric) {
                    let estimate = ratio.estimate * slower;
                    *ratio = Ratio {
                        estimate,
                        interval: Some(Interval {
                            low: estimate * 0.99,
                            high: estimate * 1.01,
                        }),
                    };
                }
            }
        }
        record.summary[0].verdict = Verdict::Unstable;
        record
    }

    #[test]
    fn what_a_reviewer_reads() {
        insta::assert_snapshot!(pull_request(&sample::record(), Some(&earlier()), Some(URL)));
    }

    #[test]
    fn a_run_across_midnight_tells_both_days() {
        let mut record = sample::record();
        record.started_at = "2026-11-21T23:10:00Z".parse().unwrap();
        record.finished_at = "2026-11-22T01:20:00Z".parse().unwrap();
        let text = pull_request(&record, None, None);
        assert!(text.contains(", 2026-11-21 23:10 to 2026-11-22 01:20 UTC: "), "{text}");
    }

    #[test]
    fn a_first_run_says_that_it_is_one() {
        let text = pull_request(&sample::record(), None, None);
        assert!(text.contains("no earlier run"));
        assert!(!text.contains("Moved since") && !text.contains("what moved"));
    }

    #[test]
    fn the_failures_stand_before_what_moved() {
        let text = pull_request(&sample::record(), Some(&earlier()), None);
        let place = |title: &str| text.find(title).unwrap_or_else(|| panic!("{title} is not there"));
        assert!(place("## Failed") < place("## Moved"));
        assert!(place("## Moved") < place("## Verdicts"));
    }

    #[test]
    fn hostile_strings_stay_strings() {
        let text = pull_request(&sample::record(), Some(&earlier()), Some(URL));
        for harm in [
            "<script",
            "<b>",
            "<!--",
            "@octocat",
            "@everyone",
            "https://evil",
            "\u{1b}",
            "\n# Best",
        ] {
            assert!(!text.contains(harm), "{harm:?} got through");
        }
    }

    #[test]
    fn github_takes_it_however_much_moved() {
        let (mut before, mut now) = (earlier(), sample::record());
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
}
