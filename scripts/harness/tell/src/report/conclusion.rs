//! What a run proves about its frameworks, in a sentence for each scenario: from the ranks and from nothing else.

use crate::report::view;
use crate::report::view::{Row, Table};
use crate::report::words;
use record::{Metric, Rank, Tier};

/// Names that stand in a sentence; more of them are a number.
const MOST_NAMED: usize = 4;

/// Whether two ranks prove that the first app is better.
///
/// At least `all - worst` are proven worse than the first and `best - 1` better than the second. Where these add up to `all` or
/// more, an app is between the two, because all differences of a ranking hold together.
pub fn proves(better: Rank, worse: Rank) -> bool {
    better.worst < worse.best
}

/// What the ranks of a scenario prove.
#[derive(Debug)]
pub struct Conclusion {
    /// Apps that no other is proven to be better than, best estimate first.
    pub first: Vec<String>,
    /// Number of apps proven to be worse than all of these.
    pub behind_all: usize,
    /// Number of ranked apps.
    pub ranked: usize,
}

/// The conclusion about the maintained frameworks, by the leading metric; `None` where there are not two to compare.
pub fn conclusion(table: &Table) -> Option<Conclusion> {
    let metric = view::leading(table.scenario.load);
    let rows = table.ranked.iter().filter(|row| row.subject.tier() == Tier::Maintained);
    let ranked: Vec<(&Row, Rank)> = rows.filter_map(|row| Some((row, row.rank(metric)?))).collect();
    let (first, rest): (Vec<_>, Vec<_>) = ranked.iter().partition(|(_, rank)| rank.best == 1);
    let behind_all = |worse: Rank| first.iter().all(|(_, better)| proves(*better, worse));
    (ranked.len() > 1).then(|| Conclusion {
        behind_all: rest.iter().filter(|(_, rank)| behind_all(*rank)).count(),
        first: first.iter().map(|(row, _)| row.subject.label()).collect(),
        ranked: ranked.len(),
    })
}

impl Conclusion {
    /// The sentence, without a full stop, as plain text that is not yet escaped.
    pub fn text(&self, metric: Metric) -> String {
        let (need, needs, best) = match metric {
            Metric::ServerCpuUsPerRequest => ("need", "needs", "the least CPU time"),
            _ => ("have", "has", "the best figure"),
        };
        let others = self.ranked - self.first.len();
        let behind = |some: String, one: bool| {
            let are = if one { "is" } else { "are" };
            format!("{some} {are} proven to be behind all of them")
        };
        match (self.first.as_slice(), others) {
            (first, 0) => format!("no difference between the {} frameworks is proven", first.len()),
            ([], _) => "no framework is proven to be first".to_owned(),
            ([only], 1) => format!("{only} {needs} {best}, proven against the only other framework"),
            ([only], 2) => format!("{only} {needs} {best}, proven against both others"),
            ([only], others) => format!("{only} {needs} {best}, proven against all {others} others"),
            (first, others) => {
                let first = some(first);
                let rest = match (self.behind_all, others) {
                    (0, 1) => "the other one is proven to be behind one of them".to_owned(),
                    (0, _) => format!("each of the other {others} is proven to be behind one of them"),
                    (1, 1) => behind("the other one".to_owned(), true),
                    (number, others) if number == others => behind(format!("the other {others}"), false),
                    (number, others) => behind(format!("{number} of the other {others}"), number == 1),
                };
                format!("{first} may each {need} {best}; {rest}")
            }
        }
    }
}

fn some(labels: &[String]) -> String {
    if labels.len() <= MOST_NAMED {
        return words::list(labels);
    }
    let (named, others) = labels.split_at(MOST_NAMED - 1);
    format!("{} and {} others", named.join(", "), others.len())
}

/// A sentence about the frameworks that may be first in all of these scenarios, or in most of them; plain text, not escaped yet.
pub fn over_all(tables: &[&Table]) -> Option<String> {
    let found: Vec<Conclusion> = tables.iter().filter_map(|table| conclusion(table)).collect();
    let mut counted: Vec<(&String, usize)> = Vec::new();
    for label in found.iter().flat_map(|conclusion| &conclusion.first) {
        match counted.iter_mut().find(|(known, _)| *known == label) {
            Some((_, times)) => *times += 1,
            None => counted.push((label, 1)),
        }
    }
    let most = counted.iter().map(|(_, times)| *times).max()?;
    let names: Vec<String> = counted
        .iter()
        .filter(|(_, times)| *times == most)
        .map(|(label, _)| (*label).clone())
        .collect();
    let (all, stand) = (found.len(), if names.len() == 1 { "is" } else { "are" });
    match all {
        1 => None,
        _ if most == all => Some(format!(
            "In all {all} scenarios, no framework is proven to be ahead of {}.",
            some(&names)
        )),
        _ => Some(format!(
            "No framework is unbeaten in all {all} scenarios; {} {stand} in {most} of them.",
            some(&names)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::sample;
    use record::Record;

    fn ranked(ranks: [(u32, u32); 4]) -> Record {
        let mut record = sample::record();
        record.scenarios.truncate(1);
        let cells = record.summary.iter_mut().filter(|cell| cell.scenario == "plaintext");
        let cells = cells.filter(|cell| ["axum", "actix-web", "rocket"].contains(&cell.app.as_str()));
        for (cell, (best, worst)) in cells.zip(ranks) {
            let cpu = cell.metrics.get_mut(&Metric::ServerCpuUsPerRequest).unwrap();
            cpu.rank = Some(Rank { best, worst });
        }
        record
    }

    /// Of actix-web, axum, axum (tuned) and rocket, in this order.
    fn text(ranks: [(u32, u32); 4]) -> String {
        let record = ranked(ranks);
        let found = conclusion(&view::tables(&record)[0]).unwrap();
        found.text(Metric::ServerCpuUsPerRequest)
    }

    #[test]
    fn only_what_the_ranks_prove_is_said() {
        assert_eq!(text([(1, 4); 4]), "no difference between the 4 frameworks is proven");
        assert_eq!(
            text([(1, 1), (2, 4), (2, 4), (2, 4)]),
            "actix-web needs the least CPU time, proven against all 3 others"
        );
        assert_eq!(
            text([(1, 3), (1, 2), (2, 3), (4, 4)]),
            "axum and actix-web may each need the least CPU time; 1 of the other 2 is proven to be behind all of them"
        );
        // Behind one of two is not behind both.
        assert_eq!(
            text([(1, 3), (1, 4), (1, 4), (2, 4)]),
            "axum (tuned), axum and actix-web may each need the least CPU time; the other one is proven to be behind one of them"
        );
        assert_eq!(
            text([(1, 2), (1, 2), (3, 4), (3, 4)]),
            "axum and actix-web may each need the least CPU time; the other 2 are proven to be behind all of them"
        );
    }

    /// Every ranking of five by random proven differences: what two ranks say is never more than what was proven.
    #[test]
    fn ranks_never_prove_more_than_their_differences() {
        let mut state = 7_u64;
        for _ in 0..2000 {
            let mut proven = [[false; 5]; 5];
            for (one, row) in proven.iter_mut().enumerate() {
                for cell in row.iter_mut().skip(one + 1) {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    *cell = state >> 62 == 0;
                }
            }
            for middle in 0..5 {
                for one in 0..5 {
                    for other in 0..5 {
                        proven[one][other] |= proven[one][middle] && proven[middle][other];
                    }
                }
            }
            let count = |proven: &dyn Fn(usize) -> bool| (0..5).map(|other| u32::from(proven(other))).sum::<u32>();
            let rank = |who: usize| Rank {
                best: 1 + count(&|other| proven[other][who]),
                worst: 5 - count(&|other| proven[who][other]),
            };
            for one in 0..5 {
                for other in 0..5 {
                    assert!(!proves(rank(one), rank(other)) || proven[one][other], "{proven:?}");
                }
            }
        }
    }

    #[test]
    fn who_leads_everywhere_is_said_once() {
        let record = sample::record();
        let tables = view::tables(&record);
        let tables: Vec<_> = tables.iter().collect();
        assert_eq!(
            over_all(&tables).unwrap(),
            "No framework is unbeaten in all 3 scenarios; axum (tuned), actix-web and axum are in 2 of them."
        );
        assert_eq!(over_all(&tables[..1]), None, "one scenario has its own sentence");
    }
}
