//! What a run found about its frameworks, in a sentence for each scenario: from the pairs that it tells apart and from nothing else.

use super::{Row, Table};
use crate::labels;
use crate::table;
use model::{Metric, Ratio};

/// Names that stand in a sentence; more of them are a number.
const MOST_NAMED: usize = 4;

/// Of the first tier that a scenario has, those that are behind no other by the leading metric, best estimate first, and the others; `None`
/// where there are not two to compare.
fn found<'t, 'r>(table: &'t Table<'r>) -> Option<(Vec<&'t Row<'r>>, Vec<&'t Row<'r>>)> {
    let rank = |row: &Row| row.rank(table::leading(table.scenario.load));
    let tier = table.ranked.first()?.app.tier;
    let rows = table.ranked.iter().filter(|row| row.app.tier == tier);
    let ranked = rows.filter(|row| rank(row).is_some());
    let (first, others): (Vec<_>, Vec<_>) = ranked.partition(|row| rank(row).is_some_and(|rank| rank.best == 1));
    (first.len() + others.len() > 1).then_some((first, others))
}

/// What was found as a sentence without a full stop, as plain text that is not yet escaped.
pub fn of_scenario(table: &Table) -> Option<String> {
    let metric = table::leading(table.scenario.load);
    let (first, others) = found(table)?;
    let behind_all = |row: &&&Row| first.iter().all(|better| row.is_behind(metric, better));
    let behind_all = others.iter().filter(behind_all).count();
    // A statement about the mean of sessions, or about this one.
    let is_wide = sessions(table).is_some();
    let here = if is_wide { "" } else { "in this session " };
    let (first, others) = (labels_of(&first), others.len());
    let (need, needed, best) = match metric {
        Metric::ServerCpuUsPerRequest => ("need", "needed", "the least CPU time"),
        _ => ("have", "had", "the best figure"),
    };
    Some(match (first.as_slice(), others) {
        (first, 0) => format!("{here}the {} frameworks cannot be told apart", first.len()),
        ([], _) => format!("{here}no framework can be called first"),
        ([only], 1) => format!("{here}{only} {needed} {best} of the two frameworks"),
        ([only], others) => format!("{here}{only} {needed} {best}, ahead of all {others} others"),
        (first, others) => {
            let (all, one) = match first {
                [_, _] => ("both", "one"),
                _ => ("all of them", "one of them"),
            };
            let rest = match (behind_all, others) {
                (0, 1) => format!("the other one was behind {one}"),
                (0, _) => format!("each of the other {others} was behind {one}, none behind {all}"),
                (1, 1) => format!("the other one was behind {all}"),
                (number, others) if number == others => format!("the other {others} were behind {all}"),
                (1, others) => format!("1 of the other {others} was behind {all}"),
                (number, others) => format!("{number} of the other {others} were behind {all}"),
            };
            format!("{} may each {need} {best}; {here}{rest}", some(first))
        }
    })
}

/// Sessions that the figures of a scenario are means of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// Fewest and most of an app.
    pub sessions: (u32, u32),
    pub days: u32,
}

impl Known {
    /// Of these ratios; `None` if they hold in this session only.
    pub fn of<'a>(ratios: impl Iterator<Item = &'a Ratio>) -> Option<Self> {
        let known = ratios.filter_map(|ratio| ratio.sessions.zip(ratio.days));
        let (sessions, days): (Vec<u32>, Vec<u32>) = known.unzip();
        let sessions = (*sessions.iter().min()?, *sessions.iter().max()?);
        let days = *days.last()?;
        Some(Self { sessions, days })
    }
}

/// What is known of a scenario's other sessions; `None` if its pairs hold in this session only.
pub fn sessions(table: &Table) -> Option<Known> {
    let metric = table::leading(table.scenario.load);
    let ratio = |row: &Row<'_>| row.metric(metric)?.ratio.clone();
    let ratios: Vec<Ratio> = table.rows().filter_map(ratio).collect();
    Known::of(ratios.iter())
}

/// What an interval covers that comes from so many [`sessions`].
pub fn coverage(known: Option<Known>) -> String {
    let Some(Known { sessions, days }) = known else {
        return "this session only".to_owned();
    };
    let number = match sessions {
        (least, most) if least == most => most.to_string(),
        (least, most) => format!("{least} to {most}"),
    };
    // Whoever has seen one day says nothing of another.
    let (another, of) = if days > 1 {
        ("day", format!("{days} days"))
    } else {
        ("hour", "one day".to_owned())
    };
    format!("another {another} on this kind of machine (by {number} sessions of {of})")
}

/// The same of several scenarios, each with its [`sessions`]: what follows "with its 95 % interval, which covers ".
pub fn covered<'a>(scenarios: impl Iterator<Item = (&'a str, Option<Known>)>) -> String {
    let (wide, narrow): (Vec<_>, Vec<_>) = scenarios.partition(|(_, known)| known.is_some());
    let covers = coverage(wide.first().and_then(|(_, known)| *known));
    if wide.is_empty() || narrow.is_empty() {
        return covers;
    }
    let wide: Vec<_> = wide.into_iter().map(|(scenario, _)| scenario).collect();
    format!("{covers} for {}, elsewhere {}", labels::list(&wide), coverage(None))
}

fn labels_of(rows: &[&Row]) -> Vec<String> {
    rows.iter().map(|row| table::label(row.app)).collect()
}

fn some(labels: &[String]) -> String {
    if labels.len() <= MOST_NAMED {
        return labels::list(labels);
    }
    let (named, others) = labels.split_at(MOST_NAMED - 1);
    format!("{} and {} others", named.join(", "), others.len())
}

/// Who is first or tied for first in all of these scenarios, or in most of them; of one scenario, its own conclusion. Plain text that is not
/// yet escaped, without a full stop.
pub fn over_all(tables: &[&Table]) -> Option<String> {
    let found = tables.iter().filter_map(|table| Some((table, found(table)?.0)));
    let found: Vec<_> = found.collect();
    if let [(only, _)] = found.as_slice() {
        return of_scenario(only);
    }
    let first = found.iter().flat_map(|(_, first)| labels_of(first));
    let counted = labels::grouped(first.map(|label| (label, ())));
    let most = counted.iter().map(|(_, times)| times.len()).max()?;
    let names = counted.into_iter().filter(|(_, times)| times.len() == most);
    let names: Vec<String> = names.map(|(label, _)| label).collect();
    let is = if names.len() == 1 { "is" } else { "are" };
    let all = found.len();
    let of = if most == all {
        format!("all {all}")
    } else {
        format!("{most} of {all}")
    };
    let is_wide = found.iter().all(|(table, _)| sessions(table).is_some());
    let here = if is_wide { "" } else { ", in this session" };
    let ranked = if all < tables.len() { "ranked " } else { "" };
    let names = some(&names);
    Some(format!(
        "{names} {is} first or tied for first in {of} {ranked}scenarios{here}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Rank;

    const APPS: [&str; 4] = ["actix-web", "axum", "axum (tuned)", "rocket"];

    /// What is said where the second of each pair of [`APPS`] was found better than the first.
    fn text(behind: &[(usize, usize)]) -> String {
        let mut record = samples::record();
        let place = |label: &str| record.apps.iter().position(|app| app.label() == label).unwrap();
        let places = APPS.map(place);
        let cells = record.summary.iter_mut().filter(|cell| cell.scenario == "plaintext");
        let cells = cells.filter(|cell| ["axum", "actix-web", "rocket"].contains(&cell.app.as_str()));
        for (app, cell) in cells.enumerate() {
            let cpu = cell.metrics.get_mut(&Metric::ServerCpuUsPerRequest).unwrap();
            let better = behind.iter().filter(|(worse, _)| *worse == app);
            cpu.behind = better.map(|(_, better)| places[*better]).collect();
            let worse = behind.iter().filter(|(_, better)| *better == app).count();
            let number = |count: usize| u32::try_from(count).unwrap();
            cpu.rank = Some(Rank {
                best: number(1 + cpu.behind.len()),
                worst: number(APPS.len() - worse),
            });
        }
        of_scenario(&table::tables(&record)[0]).unwrap()
    }

    #[test]
    fn what_was_told_apart_is_said_and_no_more() {
        assert_eq!(text(&[]), "in this session the 4 frameworks cannot be told apart");
        assert_eq!(
            text(&[(1, 0), (2, 0), (3, 0)]),
            "in this session actix-web needed the least CPU time, ahead of all 3 others"
        );
        // In the second, the ranks are 1–3, 1–2, 2–4 and 2–4: by these alone, none of the last two is behind both of the first.
        for pairs in [&[(2, 1), (3, 0), (3, 1), (3, 2)][..], &[(2, 1), (3, 1), (3, 0)]] {
            assert_eq!(
                text(pairs),
                "axum and actix-web may each need the least CPU time; in this session 1 of the other 2 was behind both"
            );
        }
        // Behind one of three is not behind all.
        assert_eq!(
            text(&[(3, 0)]),
            "axum (tuned), axum and actix-web may each need the least CPU time; in this session the other one was behind one of them"
        );
        assert_eq!(
            text(&[(2, 0), (2, 1), (3, 0), (3, 1)]),
            "axum and actix-web may each need the least CPU time; in this session the other 2 were behind both"
        );
    }

    #[test]
    fn what_intervals_cover_is_said_of_the_scenarios_that_it_holds_for() {
        let of = |scenarios: &[(&str, Option<Known>)]| covered(scenarios.iter().copied());
        let known = |least, days| {
            Some(Known {
                sessions: (least, 4),
                days,
            })
        };
        let wide = "another day on this kind of machine (by 4 sessions of 3 days)";
        assert_eq!(of(&[("hello", known(4, 3)), ("simple", known(4, 3))]), wide);
        assert_eq!(
            of(&[("hello", known(2, 1))]),
            "another hour on this kind of machine (by 2 to 4 sessions of one day)"
        );
        assert_eq!(
            of(&[("hello", known(4, 3)), ("timed", None), ("simple", known(4, 3))]),
            format!("{wide} for hello and simple, elsewhere this session only")
        );
        assert_eq!(of(&[("timed", None)]), "this session only");
    }

    #[test]
    fn who_leads_everywhere_is_said_once() {
        let record = samples::record();
        let tables = table::tables(&record);
        let tables: Vec<_> = tables.iter().collect();
        assert_eq!(
            over_all(&tables).unwrap(),
            "axum (tuned), actix-web and axum are first or tied for first in 2 of 3 scenarios, in this session"
        );
        assert_eq!(over_all(&tables[..1]), of_scenario(tables[0]));
    }

    #[test]
    fn some_scenarios_hold_in_this_session_only_and_some_have_no_ranks() {
        let mut record = samples::record();
        let said = |record: &model::Record| over_all(&table::tables(record).iter().collect::<Vec<_>>()).unwrap();
        let scenarios: Vec<String> = record.scenarios.iter().map(|scenario| scenario.id.clone()).collect();
        for (at, scenario) in scenarios.iter().enumerate() {
            let cells = record.summary.iter_mut().filter(|cell| cell.scenario == *scenario);
            let ratios = cells
                .flat_map(|cell| cell.metrics.values_mut())
                .filter_map(|figure| figure.ratio.as_mut());
            ratios.for_each(|ratio| (ratio.sessions, ratio.days) = (Some(4), Some(4)));
            let is_last = at + 1 == scenarios.len();
            assert_eq!(said(&record).ends_with("of 3 scenarios"), is_last, "{}", said(&record));
            assert_eq!(said(&record).ends_with(", in this session"), !is_last);
        }
        record.summary.retain(|cell| cell.scenario != scenarios[0]);
        assert!(said(&record).ends_with("all 2 ranked scenarios"), "{}", said(&record));
    }
}
