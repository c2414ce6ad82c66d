//! One framework of a run: what it costs in each scenario beside the cheapest, and what is to be known of it.

use analyze::pair::Direct;
use analyze::releases::Releases;
use model::{AppRecord, DEFAULT_VARIANT, Metric, Role};

use crate::document::{Block, Rows, Text, name, own, text};
use crate::table::{self, Table};
use crate::terminal::{Style, shown};
use crate::{figure, full, labels, pair, releases, summary};

const METRIC: Metric = Metric::ServerCpuUsPerRequest;

/// What a run says of one app, and what its releases brought, on a terminal or as Markdown.
pub fn framework(direct: &Direct<'_>, app: &AppRecord, releases: &Releases, style: Option<Style>) -> String {
    let record = direct.record;
    let tables = table::tables(record);
    let measured = tables.iter().filter(|table| table.row(app).is_some());
    let rows = Rows::of(measured)
        .words("Scenario", |table| name(&table.scenario.id))
        .figures("Rank", |table| Some(table.row(app)?.rank(METRIC)?.to_string()))
        .figures("CPU time", |table| {
            let cpu = table.row(app)?.metric(METRIC)?;
            Some(own(pair::microseconds(cpu.median)).trusted(cpu.trusted))
        })
        .words("against the cheapest", |table| against_the_cheapest(direct, table, app))
        .figures("Own work", |table| {
            Some(figure::own_work(table.row(app)?.trusted(METRIC)?.own_work?))
        })
        .figures("Memory", |table| {
            let memory = table.row(app)?.metric(Metric::RssPeakBytes)?;
            Some(own(figure::rough(Metric::RssPeakBytes, memory.median)).trusted(memory.trusted))
        });
    let label = table::label(app);
    let kind = text![labels::run(record), ", ", labels::machine(&record.environment)];
    let failures = table::failures(record, &tables).into_iter();
    let failures = failures.filter(|failure| failure.label == label);
    let is_known = |other: &&AppRecord| labels::is_best_known(other) && other.variant == DEFAULT_VARIANT;
    let known = record.apps.iter().filter(is_known);
    let known = known.filter(|other| !std::ptr::eq(*other, app));
    let pairs = known.filter_map(|known| direct.pair(&known.label(), &app.label()).ok());
    let said = failures
        .map(|failure| failure.line().bad())
        .chain(full::note(app))
        .chain(pairs.map(|findings| pair::sentence(record, &findings)));
    let said: Vec<Text> = said.collect();
    let title = text![label.clone(), " ", labels::version(&app.framework_version)];
    let mut blocks = vec![Block::Heading(1, title), Block::Paragraph(kind), rows.table()];
    blocks.extend((!said.is_empty()).then_some(Block::List(said)));
    blocks.extend(releases::blocks(releases));
    shown(&blocks, style)
}

/// `the cheapest`, `+31 ±4 % above Ohkami`; in parentheses where the run does not tell them apart.
fn against_the_cheapest(direct: &Direct<'_>, table: &Table, app: &AppRecord) -> Option<Text> {
    let mut rows = table.ranked.iter().filter(|row| row.trusted(METRIC).is_some());
    let cheapest = rows.find(|row| row.app.tier == app.tier)?.app;
    if app.role != Role::Framework || std::ptr::eq(cheapest, app) {
        return (app.role == Role::Framework).then(|| "the cheapest".into());
    }
    let more = summary::more(direct, table, cheapest, app)?;
    let size = own(figure::more(&more.ratio)).trusted(more.told_apart);
    Some(text![size, " above ", table::label(cheapest)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use analyze::analysis::Sessions;

    #[test]
    fn one_framework_has_a_row_for_each_scenario_and_its_difference_from_the_best_known() {
        let mut record = samples::sensible();
        let place = record.apps.iter().position(|app| app.id == "axum").unwrap();
        record.apps[place].note = Some("its timer has steps".to_owned());
        let direct = Direct::new(&record, &Sessions::default());
        let versions = [
            ("0.8.9", "2026-04-14", Some(1020.0)),
            ("0.8.8", "2025-12-20", Some(1000.0)),
        ];
        let releases = analyze::releases::releases(&[samples::releases("2026-11-21", "axum", &versions)]);
        insta::assert_snapshot!(framework(&direct, &record.apps[place], &releases, Some(Style::PLAIN)));
    }
}
