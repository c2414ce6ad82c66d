//! All plain scenarios of a run side by side, in its summary.

use model::{AppRecord, Metric, Record, Role};

use super::Table;
use super::findings;
use crate::document::{Block, Mark, Rows, Text, name, own, text};
use crate::{figure, labels};

/// What the table is about.
const METRIC: Metric = Metric::ServerCpuUsPerRequest;

/// Who leads, and CPU time per request relative to the reference of every server in every scenario; nothing for a single scenario.
pub fn all_scenarios(record: &Record, tables: &[Table<'_>]) -> Vec<Block> {
    let plain = super::plain(tables);
    if plain.len() < 2 {
        return Vec::new();
    }
    let apps = super::ordered(record, &plain, METRIC);
    let means: Vec<_> = apps
        .iter()
        .filter_map(|app| Some((*app, super::mean_ratio(app, &plain, METRIC)?)))
        .collect();
    let place = |app: &AppRecord| {
        let group = |app: &AppRecord| (app.role, app.tier);
        let (_, own) = means.iter().find(|(other, _)| std::ptr::eq(*other, app))?;
        let of_group = means.iter().filter(|(other, _)| group(other) == group(app));
        let of_group: Vec<_> = of_group.map(|(_, mean)| mean.clone()).collect();
        let place = super::place_of(own, &of_group).filter(|_| app.role == Role::Framework);
        Some((figure::ratio_and_spread(own), place))
    };
    let mut rows = Rows::of(apps).words("App", |app| super::label(app));
    for table in &plain {
        rows = rows.figures(name(&table.scenario.id), |app| cell(table, app));
    }
    let table = rows
        .figures("Mean", |app| Some(own(place(app)?.0)))
        .figures("Place", |app| Some(own(place(app)?.1?.to_string())))
        .figures("Memory, MiB", |app| memory(&plain, app))
        .groups("Frameworks", |app| labels::group(app.role, app.tier))
        .table();
    let about = text![
        "CPU time per request ÷ the reference's; **bold**: no framework was ahead of it. Rows are in the order of the geometric mean, with \
         the places that its interval leaves open. Memory: before any load → at most during ",
        name(&plain[0].scenario.id).code(),
        "."
    ];
    let leads = findings::over_all(&plain).map(|line| Block::Paragraph(text![Text::from(line).bold(), "."]));
    let blocks = leads.into_iter().chain([table, Block::Paragraph(about)]);
    Block::section(2, "All workloads", blocks.collect())
}

/// The ratio with its interval, or why there is none.
fn cell(table: &Table<'_>, app: &AppRecord) -> Option<Text> {
    let Some(row) = table.row(app) else {
        return table.missing(app).map(|missing| missing.word().into());
    };
    let Some(ratio) = row.ratio(METRIC) else {
        return Some(row.cell.verdict.name().into());
    };
    let is_first = row.rank(METRIC).is_some_and(|rank| rank.best == 1);
    Some(own(figure::ratio_and_spread(&ratio)).marked_if(is_first, Mark::Bold))
}

/// Memory before any load and at most during the first scenario.
fn memory(tables: &[&Table<'_>], app: &AppRecord) -> Option<Text> {
    let row = tables.first()?.row(app)?;
    let figure = |metric| Some(figure::number(metric, row.trusted(metric)?.median));
    let (idle, peak) = (figure(Metric::RssIdleBytes)?, figure(Metric::RssPeakBytes)?);
    Some(own(format!("{idle} → {peak}")))
}
