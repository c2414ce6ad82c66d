//! The body of the pull request with a lane's new record: what a reviewer must know in two minutes, the bad news first, then
//! what moved since the run before, then possible causes.

use analyze::run_diff::{EXPECTED_FALSE_POSITIVES, Moved, RunDiff, SMALLEST, run_diff};
use model::escape::markdown_target;
use model::{Cell, Ratio, Record, Verdict};

use super::document::{Block, Rows, Text, joined, markdown, name, own, sentence, table_of, text};
use super::run::{self, failure_line};
use super::{chart, figure, labels, view};

/// Most lines of one list: GitHub accepts 65,536 characters, and the record has everything.
const MOST_LINES: usize = 25;
const OTHERS: &str = " more in the record";

/// The body. `previous` is the run before of the same lane and profile; `base_url` is the address of the record's folder in the
/// pull request's branch, for links and for the chart.
pub fn pull_request(record: &Record, previous: Option<&Record>, base_url: Option<&str>) -> String {
    let tables = view::tables(record);
    let failures = view::failures(record, &tables.iter().collect::<Vec<_>>());
    let failures: Vec<Text> = failures.iter().map(failure_line).collect();
    let failed = failures.len();
    let since = previous.map(|previous| (previous, run_diff(previous, record)));
    let mut blocks = vec![
        Block::Paragraph(headline(record, failed, since.as_ref().map(|(_, since)| since))),
        Block::Paragraph(origin(record)),
    ];
    let failures = Block::list_of(MOST_LINES, failures, OTHERS);
    blocks.extend(Block::section(2, "Failed", failures));
    match &since {
        Some((previous, since)) => blocks.extend(changes(record, previous, since)),
        None => blocks.push(Block::paragraph(
            "There is no earlier run of this lane and profile to compare with.",
        )),
    }
    blocks.extend([Block::Heading(2, "Verdicts".into()), verdicts(record)]);
    blocks.extend(base_url.into_iter().flat_map(|url| links(record, url)));
    blocks.extend(review(record, failed > 0, previous.is_some(), base_url.is_some()));
    markdown(&blocks)
}

fn headline(record: &Record, failures: usize, since: Option<&RunDiff>) -> Text {
    let failed = match failures {
        0 => "nothing failed".to_owned(),
        number => labels::count(number, "failure"),
    };
    let moved = since.map_or_else(String::new, |since| match since.moved.len() {
        0 => ", nothing moved".to_owned(),
        number => format!(", {} moved", labels::count(number, "figure")),
    });
    let valid = record.summary.iter().filter(|cell| cell.verdict == Verdict::Valid);
    let valid = valid.count();
    let cells = labels::count(record.summary.len(), "cell");
    own(format!("{failed}{moved}; {valid} of {cells} valid.")).bold()
}

fn origin(record: &Record) -> Text {
    let machine = &record.environment;
    let start = record.started_at.strftime("%Y-%m-%d %H:%M");
    let time = format!(", {start} to {}: ", record.finished_at.strftime("%Y-%m-%d %H:%M UTC"));
    let rounds = labels::count(record.harness.rounds as usize, "round");
    let on = text![name(&record.profile), " on ", record.lane.name(), own(time)];
    let machine = text![run::machine(machine), "; ", name(&machine.rustc)];
    text![on, machine, "; ", labels::driven_by(record), "; ", rounds, "."]
}

fn changes(record: &Record, previous: &Record, since: &RunDiff) -> Vec<Block> {
    let date = previous.started_at.strftime("%Y-%m-%d").to_string();
    let title = text!["Moved since ", date, " (", name(&previous.id).code(), ")"];
    let mut blocks = vec![Block::Heading(2, title)];
    blocks.extend(moved(record, since));
    blocks.push(if since.moved.is_empty() {
        let compared = labels::count(since.compared, "figure");
        Block::paragraph(format!("Nothing among {compared} that were compared."))
    } else {
        Block::Paragraph(caution(since))
    });
    let changed = since
        .verdicts
        .iter()
        .map(|(cell, before)| verdict_line(record, cell, *before));
    let list = |lines| Block::list_of(MOST_LINES, lines, OTHERS);
    blocks.extend(Block::sections([
        ("Other verdict than before", list(changed.collect())),
        ("Possible causes", list(causes(since))),
    ]));
    blocks
}

fn moved(record: &Record, since: &RunDiff) -> Vec<Block> {
    let ratio = |ratio: &Ratio| own(figure::ratio_and_interval(ratio));
    let change = |moved: &Moved| {
        let is_better = (moved.change > 0.0) == moved.metric.more_is_better();
        let word = if is_better { "better," } else { "**worse,**" };
        text![word, own(format!(" {:+.1} %", moved.change * 100.0))]
    };
    let columns = |rows: Rows<_>| {
        rows.words("App", |moved: &&Moved| {
            label(record, &moved.cell.app, &moved.cell.variant)
        })
        .words("Scenario", |moved| name(&moved.cell.scenario))
        .words("Metric", |moved| moved.metric.name())
        .figures("× reference before", |moved| ratio(moved.before))
        .figures("now", |moved| ratio(moved.now))
        .figures("Change", |moved| change(moved))
    };
    table_of(MOST_LINES, &since.moved, columns, |more| {
        format!("And {more} that moved less.")
    })
}

/// What the table says and what it does not.
fn caution(since: &RunDiff) -> Text {
    let machine = since.other_machine().then_some(
        " ⚠ The two runs were made on **different kinds of machine**: ratios to the reference are then only roughly comparable.",
    );
    let text = format!(
        "These are ratios to the reference whose 95 % intervals do not overlap and that differ by {:.0} % or more. {} were \
         compared; if nothing changed, about one in {:.0} is listed by chance. This is a reason to look: \
         `./scripts/bench compare` of the two commits measures both side by side.",
        SMALLEST * 100.0,
        labels::count(since.compared, "figure"),
        1.0 / EXPECTED_FALSE_POSITIVES,
    );
    text![own(text), machine]
}

fn verdict_line(record: &Record, cell: &Cell, before: Verdict) -> Text {
    let reason = cell.reasons.first().map(|reason| text![": ", sentence(reason)]);
    let (before, now) = (before.name(), cell.verdict.name());
    let app = label(record, &cell.app, &cell.variant);
    text![app, " in ", name(&cell.scenario), ": ", before, " → ", now, reason]
}

fn causes(since: &RunDiff) -> Vec<Text> {
    let change = |before: &str, now: &str| text![name(before), " → ", name(now)];
    let versions = since.versions.iter();
    let versions = versions.map(|(app, before, now)| text![name(app), " ", change(before, now)]);
    let apps = since.apps.iter().filter(|(_, apps)| !apps.is_empty());
    let apps = apps.map(|(what, apps)| text![*what, ": ", joined(apps.iter().map(|app| name(app)), ", ")]);
    let surroundings = since.surroundings.iter();
    let surroundings = surroundings.map(|(what, before, now)| text![*what, ": ", change(before, now)]);
    versions.chain(apps).chain(surroundings).collect()
}

fn verdicts(record: &Record) -> Block {
    Rows::of(labels::verdicts(record))
        .words("Verdict", |(verdict, _)| verdict.name())
        .figures("Cells", |(_, cells)| cells.to_string())
        .words("Means", |(verdict, _)| verdict.what_happened())
        .table()
}

fn links(record: &Record, url: &str) -> [Block; 3] {
    let url = url.trim_end_matches('/');
    let to = |file: &str| format!("{url}/{file}");
    let chart = to(&format!("charts/{}.svg?raw=true&run={}", chart::OVERVIEW, record.id));
    let chart = own(format!("![{}]({})", chart::OVERVIEW_ALT, markdown_target(&chart)));
    let tables = own("All tables and charts").link(&to("summary.md"));
    let whole = own("the record").link(&to(&format!("{}.json", record.id)));
    [
        Block::Heading(2, "The figures".into()),
        Block::Paragraph(chart.link(&to("summary.md"))),
        Block::Paragraph(text![tables, " · ", whole]),
    ]
}

/// What to look at, and in which order.
fn review(record: &Record, failed: bool, compared: bool, linked: bool) -> Vec<Block> {
    let cause = "what moved has a cause in the list above, or a `bench compare` was started to find one";
    let warnings = "the warnings about the machine are the usual ones of this lane (they are above the tables)";
    let steps = [
        (failed, "each failure above has an issue, or a reason why it needs none"),
        (compared, cause),
        (!record.environment.warnings.is_empty(), warnings),
        (linked, "the chart shows every framework, and none is out of proportion"),
        (true, "only bench-results/ and README.md are changed"),
    ];
    let steps = steps
        .into_iter()
        .filter(|(applies, _)| *applies)
        .map(|(_, step)| text!["[ ] ", step]);
    Block::section(2, "To review", Block::list(steps))
}

/// An app's name for people, with its variant if that is not the default one.
fn label(record: &Record, app: &str, variant: &str) -> Text {
    record
        .app(app, variant)
        .map_or_else(|| name(app), |app| view::label(app).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Interval, Metric};

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
                        sessions: None,
                    };
                }
            }
        }
        record.summary[0].verdict = Verdict::Unstable;
        record
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
    fn the_failures_stand_before_what_moved() {
        let text = pull_request(&samples::record(), Some(&earlier()), None);
        let place = |title: &str| text.find(title).unwrap_or_else(|| panic!("{title} is not there"));
        assert!(place("## Failed") < place("## Moved"));
        assert!(place("## Moved") < place("## Verdicts"));
    }

    #[test]
    fn hostile_strings_stay_strings() {
        let text = pull_request(&samples::record(), Some(&earlier()), Some(URL));
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
}
