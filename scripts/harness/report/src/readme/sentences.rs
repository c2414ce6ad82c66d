//! Three sentences: who is cheapest and where the best known are, what a database changes, and what the cheapest breaks.

use model::{AppRecord, DEFAULT_VARIANT, Metric};

use super::panel::Panel;
use super::rules::Rules;
use super::{METRIC, Readme};
use crate::document::{Text, listed, own, some_of, text};
use crate::table::findings;
use crate::{figure, labels, table};

/// How far above the cheapest is near to it.
const NEAR: f64 = 1.10;
/// Most names of those that may be as cheap.
const MOST_NAMED: usize = 6;

/// The sentences that have something to say.
pub fn sentences(readme: &Readme<'_>, rules: Option<&Rules<'_>>) -> [Option<Text>; 3] {
    let frameworks = readme.frameworks();
    let postgres = readme.postgres.as_ref();
    [
        cheapest(&readme.json, &frameworks),
        postgres.and_then(|postgres| database(&readme.json, postgres, &frameworks)),
        rules.and_then(|rules| breaks(rules, &frameworks)),
    ]
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

/// `**A small JSON answer: Ohkami needs the least CPU time.** On a scale from the smallest server (0) to Rocket 0.5.2 (100), its own work is 8 ±7,
/// Axum’s 27 ±12. Too close to call: Tako and xitca-web.` Where there is no such scale: `… Axum +12 ±3 %, Rocket +83 ±5 %.`
fn cheapest(json: &Panel<'_>, frameworks: &[&AppRecord]) -> Option<Text> {
    let (leader, others) = frameworks.split_first()?;
    let is_wide = findings::sessions(&json.table).is_some();
    let is_end = |app: &&AppRecord| json.own_work(app).is_some_and(|own| own.margin == 0.0);
    let known = best_known(others).filter(|app| !is_end(app));
    let has_scale = json.shows_own_work();
    let whose = if has_scale { "’s " } else { " " };
    let mut known: Vec<Text> = known
        .filter_map(|app| Some(text![label(app), whose, json.said(app)?]))
        .collect();
    if let Some(of_leader) = json.said(leader).filter(|_| has_scale) {
        let of_leader =
            "On a scale from the smallest server (0) to Rocket 0.5.2 (100), its own work is ".to_owned() + &of_leader;
        known.insert(0, own(of_leader));
    }
    let sizes = (!known.is_empty()).then(|| text![" ", listed(known), "."]);
    let as_cheap = others.iter().filter(|app| json.is_best(app)).map(|app| label(app));
    let as_cheap = some_of(MOST_NAMED, as_cheap);
    let close = (!as_cheap.is_empty()).then(|| text![" Too close to call: ", as_cheap, "."]);
    let needs = if is_wide {
        " needs the least CPU time."
    } else {
        " needed the least CPU time in this session."
    };
    let answer = text![labels::upper_first(json.title), ": ", label(leader), needs];
    Some(text![answer.bold(), sizes, close])
}

/// `**With one PostgreSQL row behind it, 16 of 18 frameworks lie within 10 % of the cheapest**, without it 6 of 18; PostgreSQL itself takes 25 µs of
/// CPU time for the row, Ohkami 26 µs.`
fn database(json: &Panel<'_>, postgres: &Panel<'_>, frameworks: &[&AppRecord]) -> Option<Text> {
    let near = |panel: &Panel<'_>| {
        let costs = frameworks.iter().filter_map(|app| Some(panel.above(app)?.estimate));
        let (near, far): (Vec<f64>, Vec<f64>) = costs.partition(|cost| *cost <= NEAR);
        format!("{} of {}", near.len(), near.len() + far.len())
    };
    let cheapest = frameworks
        .iter()
        .find(|app| postgres.above(app).is_some_and(|above| above.estimate <= 1.0))?;
    let took = |metric| Some(figure::rough(metric, postgres.row(cheapest)?.trusted(metric)?.median));
    let both = took(Metric::DatabaseCpuUsPerRequest).zip(took(METRIC));
    let of_row = both.map(|(database, server)| {
        let itself = format!("; PostgreSQL itself takes {database} of CPU time for the row, ");
        text![own(itself), label(cheapest), " ", own(server)]
    });
    let within = own(format!(" frameworks lie within {} of the cheapest", figure::size(NEAR)));
    let counted = text!["With ", postgres.title, " behind it, ", own(near(postgres)), within];
    Some(text![counted.bold(), ", without it ", own(near(json)), of_row, "."])
}

/// `**Rules of HTTP/1.1 that a server must keep:** of 86, Ohkami breaks 49, Actix Web 3 and Axum 4.`
fn breaks(rules: &Rules<'_>, frameworks: &[&AppRecord]) -> Option<Text> {
    let known = best_known(frameworks).filter(|app| app.id != frameworks[0].id);
    let broken = frameworks.iter().take(1).copied().chain(known);
    let mut broken = broken.filter_map(|app| Some((label(app), own(rules.broken(app)?))));
    let (leader, of_leader) = broken.next()?;
    let others = broken.map(|(app, broken)| text![app, " ", broken]);
    let all = std::iter::once(text![leader, " breaks ", of_leader]).chain(others);
    let title = own("Rules of HTTP/1.1 that a server must keep:").bold();
    Some(text![title, own(format!(" of {}, ", rules.most)), listed(all), "."])
}
