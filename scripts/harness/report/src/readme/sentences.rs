//! Three sentences: who is cheapest and where the best known are, what a database changes, and what the cheapest breaks.

use model::{AppRecord, DEFAULT_VARIANT, Metric, Record};

use super::panel::Panel;
use super::{METRIC, Readme, broken_of};
use crate::document::{Text, listed, own, text};
use crate::table::findings;
use crate::{figure, labels, table};

/// How far above the cheapest is near to it.
const NEAR: f64 = 1.10;

/// The sentences, without those that have nothing to say.
pub fn sentences(readme: &Readme<'_>, probes: Option<&Record>) -> Vec<Text> {
    let frameworks = readme.frameworks();
    let sentences = [
        cheapest(&readme.json, &frameworks),
        readme
            .postgres
            .as_ref()
            .and_then(|postgres| database(&readme.json, postgres, &frameworks)),
        probes.and_then(|probes| breaks(probes, &frameworks)),
    ];
    sentences.into_iter().flatten().collect()
}

fn label(app: &AppRecord) -> Text {
    table::label(app).into()
}

fn best_known<'a>(frameworks: &[&'a AppRecord]) -> impl Iterator<Item = &'a AppRecord> {
    frameworks
        .iter()
        .copied()
        .filter(|app| labels::is_best_known(app) && app.variant == DEFAULT_VARIANT)
}

/// `For a small JSON answer, **Ohkami** needed the least CPU time. On a scale from the smallest server (0) to Rocket 0.5.2 (100), its own work is
/// 8 ±7, Axum’s 27 ±12; in another session, 2 others may be cheapest.` Where there is no such scale: `…, Axum +12 ±3 %, Rocket +83 ±5 % on AMD
/// EPYC, 4 logical cpus; …`
fn cheapest(json: &Panel<'_>, frameworks: &[&AppRecord]) -> Option<Text> {
    let (leader, others) = frameworks.split_first()?;
    let is_wide = findings::sessions(json.table()).is_some();
    let is_end = |app: &&AppRecord| json.own_work(app).is_some_and(|own| own.margin == 0.0);
    let known = best_known(others).filter(|app| !is_end(app));
    let has_scale = json.shows_own_work();
    let whose = if has_scale { "’s " } else { " " };
    let known = known.filter_map(|app| Some(text![", ", label(app), whose, json.said(app)?]));
    let known = known.fold(Text::default(), Text::and);
    let sizes = match json.said(leader).filter(|_| has_scale) {
        Some(of_leader) => text![
            ". On a scale from the smallest server (0) to Rocket 0.5.2 (100), its own work is ",
            of_leader,
            known
        ],
        None => text![known, " on ", labels::machine(&json.record.environment)],
    };
    let as_cheap = others.iter().filter(|app| json.is_best(app)).count();
    let as_cheap = (as_cheap > 0).then(|| {
        if is_wide {
            format!("; in another session, {as_cheap} others may be cheapest")
        } else {
            format!("; {as_cheap} others may be as cheap")
        }
    });
    Some(text![
        "For ",
        json.title,
        ", ",
        (!is_wide).then_some("in this session "),
        label(leader).bold(),
        " needed the least CPU time",
        sizes,
        as_cheap.map(own),
        "."
    ])
}

/// `With one PostgreSQL row behind it, 16 of 18 frameworks need at most 10 % more than the cheapest (6 without it), and PostgreSQL itself takes
/// 25 µs of CPU time for the row, Ohkami 26 µs.`
fn database(json: &Panel<'_>, postgres: &Panel<'_>, frameworks: &[&AppRecord]) -> Option<Text> {
    let costs = |panel: &Panel<'_>| -> Vec<f64> {
        let costs = frameworks.iter().filter_map(|app| Some(panel.above(app)?.estimate));
        costs.collect()
    };
    let near = |costs: &[f64]| costs.iter().filter(|cost| **cost <= NEAR).count();
    let (with, without) = (costs(postgres), costs(json));
    let cheapest = frameworks
        .iter()
        .find(|app| postgres.above(app).is_some_and(|above| above.estimate <= 1.0))?;
    let took = |metric| Some(figure::rough(metric, postgres.row(cheapest)?.trusted(metric)?.median));
    let of_row = took(Metric::DatabaseCpuUsPerRequest)
        .zip(took(METRIC))
        .map(|(database, server)| {
            text![
                ", and PostgreSQL itself takes ",
                own(database),
                " of CPU time for the row, ",
                label(cheapest),
                " ",
                own(server)
            ]
        });
    let counted = format!(
        "{} of {} frameworks need at most {} more than the cheapest ({} without it)",
        near(&with),
        with.len(),
        figure::size(NEAR),
        near(&without)
    );
    Some(text![
        "With ",
        postgres.title,
        " behind it, ",
        own(counted),
        of_row,
        "."
    ])
}

/// `Of the HTTP rules that a server must keep, Ohkami breaks 51 of 92, Actix Web 3 of 242 and Axum 4 of 243.`
fn breaks(probes: &Record, frameworks: &[&AppRecord]) -> Option<Text> {
    let known = best_known(frameworks).filter(|app| app.id != frameworks[0].id);
    let broken = frameworks.iter().take(1).copied().chain(known);
    let mut broken = broken.filter_map(|app| Some((label(app), own(broken_of(probes, app)?))));
    let (leader, of_leader) = broken.next()?;
    let others = broken.map(|(app, broken)| text![app, " ", broken]);
    let all = std::iter::once(text![leader, " breaks ", of_leader]).chain(others);
    Some(text!["Of the HTTP rules that a server must keep, ", listed(all), "."])
}
