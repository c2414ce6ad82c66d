//! The results block of README.md: one picture, what the run proves, one table, and how to read them.

use std::collections::BTreeMap;

use analyze::forecast::Forecast;
use analyze::{analysis, probes};
use model::probe::{Level, Probes};
use model::{AppRecord, Metric, Record, Role, Verdict};

use super::document::{Block, Cell, Mark, Rows, Text, joined, listed, markdown, name, own, text};
use super::run::{self, cpu, reasons};
use super::view::{self, Table};
use super::{chart, conclusion, controls, figure, forecast, labels, run_conditions};

/// What the table is about.
const METRIC: Metric = Metric::ServerCpuUsPerRequest;
/// What stands beside it where there is a database.
const DATABASE: Metric = Metric::DatabaseCpuUsPerRequest;

/// What breaks, for a column beside the ranking.
#[derive(Debug, Clone, Copy)]
pub struct Breaks<'a> {
    /// The newest probes.
    pub probes: &'a Probes,
    /// Path of their summary, as it is to appear in links.
    pub path: &'a str,
}

/// The results for README.md; the paths are as they are to appear in links.
pub fn readme_block(
    record: &Record,
    forecasts: &[Forecast],
    chart_path: &str,
    record_path: &str,
    breaks: Option<Breaks<'_>>,
) -> String {
    let tables = view::tables(record);
    let plain = view::plain(&tables);
    let mut blocks = vec![Block::Image(chart_path.to_owned(), chart::OVERVIEW_ALT.into())];
    blocks.extend(found(&plain));
    blocks.push(Block::Paragraph(how_to_read(&plain, breaks)));
    blocks.push(grid(record, &plain, breaks));
    blocks.extend(Block::list(failed(record, &plain)));
    blocks.extend(left_out(&plain).map(Block::Paragraph));
    let idle = run_conditions::idle(record).map(|line| text![line, "."].small());
    let unsteady = analysis::unsteady(record).map(|line| text!["⚠ In this run ", line, "."]);
    blocks.extend(idle.into_iter().chain(unsteady).map(Block::Paragraph));
    blocks.extend(controls::sentence(record).map(|sentence| Block::Paragraph(sentence.into())));
    blocks.extend(forecast::sentence(forecasts).map(|sentence| Block::Paragraph(sentence.into())));
    blocks.push(Block::Paragraph(origin(record, record_path)));
    markdown(&blocks).trim_end().to_owned()
}

/// What was found: overall, and a line for each scenario.
fn found(tables: &[&Table]) -> Vec<Block> {
    let lines = tables.iter().map(|table| {
        let scenario = table.scenario;
        let found = conclusion::conclusion(table).unwrap_or("no ranks".into());
        let title = cpu(&labels::lower_first(&scenario.title));
        let request = Text::from(labels::request(scenario)).code();
        let what = text![name(&scenario.id).bold(), " (", title, ", ", request];
        text![what, "): ", found, "."]
    });
    let over_all = conclusion::over_all(tables).map(|over_all| Block::Paragraph(Text::from(over_all).bold()));
    over_all.into_iter().chain(Block::list(lines)).collect()
}

fn how_to_read(tables: &[&Table], breaks: Option<Breaks<'_>>) -> Text {
    let memory = tables.first().map(|table| {
        let id = name(&table.scenario.id).code();
        text![" Memory: of the process before any load → at most during ", id, "."]
    });
    let fails = breaks.map(|breaks| {
        let must = breaks.probes.cases.iter().filter(|case| case.level == Level::Must);
        let must = labels::count(must.count(), "mandatory case");
        let link = own("what breaks").link(breaks.path);
        text![
            " Fails: how many of ",
            must,
            " it fails (",
            link,
            "); it decides no rank."
        ]
    });
    let mut rows = tables.iter().flat_map(|table| table.rows());
    let has_database = rows.any(|row| row.metric(DATABASE).is_some());
    let database = has_database.then_some(", what the database took for a request, which ranks nobody");
    text![
        "Each cell is the server's CPU time per request ÷ that of the reference (less is better), with its 95 % interval, ",
        conclusion::covered(tables.iter().find_map(|table| conclusion::sessions(table))),
        "; small, its rank and the time itself on this machine",
        database,
        ", and the requests per second where the server and not the load generator was the limit. **Bold**: no framework was ahead \
         of it. Rows are in the order of the geometric mean, with the places that its interval leaves open; frameworks, engines and legacy frameworks are ranked each among themselves.",
        memory,
        fails,
    ]
}

fn grid(record: &Record, plain: &[&Table], breaks: Option<Breaks<'_>>) -> Block {
    let mut apps = view::ordered(record, plain, METRIC);
    // Frameworks without any figure are listed below the table.
    apps.retain(|app| app.role != Role::Framework || plain.iter().any(|table| table.row(app).is_some()));
    let means: Vec<_> = apps
        .iter()
        .filter_map(|app| Some((*app, view::mean_ratio(app, plain, METRIC)?)))
        .collect();
    let mut rows = Rows::of(apps).words("Framework", |app| title(app));
    for table in plain {
        rows = rows.figures(name(&table.scenario.id), |app| cell(table, app));
    }
    let mean = |app: &AppRecord| {
        let group = |app: &AppRecord| (app.role, app.tier);
        let (_, own) = means.iter().find(|(other, _)| std::ptr::eq(*other, app))?;
        let of_group = means.iter().filter(|(other, _)| group(other) == group(app));
        let of_group: Vec<_> = of_group.map(|(_, mean)| mean.clone()).collect();
        let place = view::place_of(own, &of_group).filter(|_| app.role == Role::Framework);
        Some(Cell::new(
            figure::ratio_and_spread(own).replace(' ', "\u{a0}"),
            place.map(|place| format!("place {place}")).map(Text::from),
        ))
    };
    rows = rows
        .figures("Mean", |app| mean(app).unwrap_or_else(|| figure::NONE.into()))
        .figures("Memory, MiB", |app| memory(plain, app));
    if let Some(breaks) = breaks {
        // MUST cases that a server fails.
        let probed = probes::subjects(breaks.probes).into_iter();
        let probed = probed.filter(|subject| subject.app.not_probed.is_none());
        let fails = probed.map(|subject| (subject.label(), subject.tally(None).must));
        let fails: BTreeMap<String, u32> = fails.collect();
        let title = own("Fails").link(breaks.path);
        rows = rows.figures(title, |app| fails.get(&app.label()).map(ToString::to_string));
    }
    rows.groups("Frameworks", |app| labels::group(app.role, app.tier))
        .table()
}

/// Memory before any load and at most during the first scenario.
fn memory(tables: &[&Table], app: &AppRecord) -> Option<Text> {
    let row = tables.first()?.row(app)?;
    let figure = |metric| Some(figure::number(metric, row.trusted(metric)?.median));
    let (idle, peak) = (figure(Metric::RssIdleBytes)?, figure(Metric::RssPeakBytes)?);
    Some(own(format!("{idle} → {peak}")))
}

fn title(app: &AppRecord) -> Text {
    let label = Text::from(view::label(app));
    if app.role != Role::Framework {
        return label.italic();
    }
    let version = name(&app.framework_version);
    let space = if version.is_empty() { "" } else { " " };
    text![label.link(&app.link), space, version]
}

/// The ratio with its interval, and details below it in small print; only trusted figures, or the verdict where there are none.
fn cell(table: &Table, app: &AppRecord) -> Cell {
    let Some(row) = table.row(app) else {
        return table.missing(app).map(view::Missing::word).into();
    };
    if row.trusted(METRIC).is_none() {
        return row.cell.verdict.name().into();
    }
    // A line may break only between its parts.
    let whole = |text: String| own(text.trim_end().replace(' ', "\u{a0}"));
    let rank = row.rank(METRIC);
    let ratio = row.ratio(METRIC).map(|ratio| {
        let number = own(figure::ratio(ratio.estimate)).marked_if(rank.is_some_and(|rank| rank.best == 1), Mark::Bold);
        text![number, whole(format!(" {}", figure::ratio_spread(&ratio)))]
    });
    let value = |metric| Some(figure::rough(metric, row.trusted(metric)?.median));
    let small = [
        rank.map(|rank| format!("rank {rank}")),
        value(METRIC),
        value(DATABASE).map(|value| format!("database {value}")),
        value(Metric::GoodputRps),
        row.rounds(),
    ];
    Cell::new(ratio, joined(small.into_iter().flatten().map(whole), " · "))
}

/// Failures: app, scenarios and reason.
fn failed(record: &Record, tables: &[&Table]) -> Vec<Text> {
    let failures = view::failures(record, tables);
    let lines = failures.iter().map(|failure| {
        let place = match failure.scenarios.as_slice() {
            [] => "every scenario".into(),
            some => listed(some.iter().cloned()),
        };
        let label = Text::from(failure.label.clone()).bold();
        let why = text![failure.verdict.what_happened(), reasons(failure)];
        text![label, " failed in ", place, ", because ", why, "."]
    });
    lines.collect()
}

/// How many figures are left out of the table and why; the report names the apps.
fn left_out(tables: &[&Table]) -> Option<Text> {
    let sentences = [METRIC, Metric::GoodputRps].into_iter().filter_map(|metric| {
        let mut reasons: BTreeMap<Verdict, Vec<Text>> = BTreeMap::new();
        for table in tables {
            for note in view::caveats(table, &[metric]) {
                let place = text![note.count, " in ", name(&table.scenario.id)];
                reasons.entry(note.verdict).or_default().push(place);
            }
        }
        let reason =
            |(verdict, places): (Verdict, _)| text!["where ", verdict.what_happened(), " (", joined(places, ", "), ")"];
        let reasons = listed(reasons.into_iter().map(reason));
        (!reasons.is_empty()).then(|| text![metric.name(), " is left out ", reasons, "."])
    });
    let sentences = joined(sentences, " ");
    (!sentences.is_empty()).then(|| sentences.small())
}

fn origin(record: &Record, record_path: &str) -> Text {
    let machine = &record.environment;
    let date = record.started_at.strftime("%Y-%m-%d").to_string();
    let rounds = labels::count(record.harness.rounds as usize, "round");
    let (lane, rustc) = (record.lane.name(), name(&machine.rustc));
    let warnings = match machine.warnings.len() {
        0 => String::new(),
        number => format!(" It has {} about the machine.", labels::count(number, "warning")),
    };
    let measured = own(format!("Measured on {date} ({lane}: "));
    let machine = text![run::machine(machine), "; ", rustc, "; ", rounds, "). "];
    let whole = own("The whole record").link(record_path);
    let holds = text![" has every trial and every reason.", own(warnings)];
    text![measured, machine, whole, holds]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block() -> String {
        readme_block(
            &samples::record(),
            &[],
            "bench-results/overview.svg",
            "bench-results/hosted-x64/20261121T110000Z-2a.json",
            None,
        )
    }

    #[test]
    fn what_breaks_is_a_column_of_its_own() {
        let probes = samples::probes();
        let breaks = Breaks {
            probes: &probes,
            path: "bench-results/probes/summary.md",
        };
        let block = readme_block(&samples::record(), &[], "overview.svg", "record.json", Some(breaks));
        assert!(
            block.contains("| [Fails](bench-results/probes/summary.md) |"),
            "{block}"
        );
        assert!(block.contains("how many of 2 mandatory cases it fails"), "{block}");
        let ends = |name: &str, end: &str| block.lines().any(|line| line.contains(name) && line.ends_with(end));
        assert!(ends("axum", "| 2 |"), "{block}");
        assert!(ends("*ceiling*", "| – |"), "{block}");
    }

    #[test]
    fn what_the_database_took_is_small_beside_what_the_server_took() {
        let block = readme_block(&samples::with_database(), &[], "overview.svg", "record.json", None);
        assert_eq!(block.matches(" · database&nbsp;38&nbsp;µs · ").count(), 1, "{block}");
        assert!(block.contains("on this machine, what the database took for a request, which ranks nobody, and"));
    }

    #[test]
    fn results_block() {
        insta::assert_snapshot!(block());
    }

    #[test]
    fn an_untrusted_figure_is_not_there() {
        assert!(!block().contains("131,000"));
    }

    #[test]
    fn hostile_strings_stay_strings() {
        for harm in [
            "<script",
            "<b>",
            "<!--",
            "@octocat",
            "https://evil",
            "\u{1b}",
            "\u{202e}",
        ] {
            assert!(!block().contains(harm), "{harm:?} got through");
        }
    }
}
