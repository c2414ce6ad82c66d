//! A published run as a forecast of the next one: which of its intervals held, and which of its pairs were found again. Scored is what is
//! published as a statement about another session, and nothing else.

use std::collections::BTreeMap;
use std::rc::Rc;

use jiff::Timestamp;
use model::scenario::LoadModel;
use model::{AppRecord, Metric, Record, Role, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::analysis::{self, Session, Sessions, Standing, is_same_version, nearest, place};

const METRIC: Metric = Metric::ServerCpuUsPerRequest;
/// What the intervals cover that are scored.
pub const PROBABILITIES: [f64; 3] = [0.5, 0.8, 0.95];

/// How one run's forecast of another was right, by CPU time per request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Forecast {
    /// Id of the run that was the forecast.
    pub from: String,
    /// Id of the run that it is held against.
    pub to: String,
    /// When that began.
    pub at: Timestamp,
    /// Most sessions that a ratio of the forecast comes from.
    pub sessions: u32,
    /// Ratios to the reference that both have.
    pub ratios: u32,
    /// Those that the second run found within the first one's interval of 50, 80 and 95 %.
    pub held: [u32; 3],
    /// Pairs of apps that the first run distinguished, and the second one has.
    pub pairs: u32,
    /// Those that the second run distinguished in the same order.
    pub confirmed: u32,
    /// Those that it distinguished in the opposite order.
    pub reversed: u32,
}

/// Most runs of a lane that are held against those before them, the newest.
pub const MOST_RUNS: usize = 96;

/// The forecasts of `records`, the oldest first: for each run the newest earlier one of the same kind that shares apps with it.
pub fn forecasts(records: &[Record]) -> Vec<Forecast> {
    let mut read: BTreeMap<*const Record, Rc<Session>> = BTreeMap::new();
    let mut session = |record| {
        let session = read.entry(std::ptr::from_ref(record));
        session.or_insert_with(|| Rc::new(Session::of(record))).clone()
    };
    let mut of = |(at, to): (usize, &Record)| {
        let earlier = nearest(to, &records[..at]);
        earlier.into_iter().rev().find_map(|from| {
            let known = known(from, &records[..at]).into_iter();
            forecast(from, &known.map(&mut session).collect(), to)
        })
    };
    records.iter().enumerate().filter_map(&mut of).collect()
}

/// The sessions of which `from` knew when it was published, of those that began before the run that it is held against.
pub fn known<'a, T: AsRef<Record>>(from: &Record, earlier: &'a [T]) -> Vec<&'a T> {
    let known = earlier
        .iter()
        .filter(|known| known.as_ref().started_at < from.started_at);
    nearest(from, known)
}

/// How `from`, with the sessions that it knew of, was right about `to`; `None` if both share no ratio with an interval for another session.
pub fn forecast(from: &Record, known: &Sessions, to: &Record) -> Option<Forecast> {
    let mut score = Forecast {
        from: from.id.clone(),
        to: to.id.clone(),
        at: to.started_at,
        ..Forecast::default()
    };
    let closed = from
        .scenarios
        .iter()
        .filter(|scenario| scenario.load == LoadModel::Closed);
    for scenario in closed {
        let said = analysis::standing(from, &scenario.id, METRIC, known);
        let found = analysis::standing(to, &scenario.id, METRIC, &Sessions::default());
        if let Some((said, found)) = said.filter(Standing::is_of_sessions).zip(found) {
            score.add_ratios(from, &said, to, &found);
            let [all, confirmed, reversed] = pairs(from, to, &scenario.id, &said, &found);
            score.pairs += all;
            score.confirmed += confirmed;
            score.reversed += reversed;
        }
    }
    (score.ratios > 0).then_some(score)
}

impl Forecast {
    fn add_ratios(&mut self, from: &Record, said: &Standing, to: &Record, found: &Standing) {
        let reference = from.apps.iter().position(|app| app.role == Role::Reference);
        let references = reference.and_then(|own| Some((own, place(&to.apps, &from.apps[own], is_same_version)?)));
        let Some((reference, other_reference)) = references else {
            return;
        };
        for (app, record) in from.apps.iter().enumerate().filter(|(app, _)| *app != reference) {
            let forecast = said.difference(app, reference);
            let actual =
                place(&to.apps, record, is_same_version).and_then(|app| found.difference(app, other_reference));
            let (Some(forecast), Some(actual)) = (forecast, actual) else {
                continue;
            };
            let holds = |probability| Some(forecast.covering(probability)?.contains(actual.estimate));
            if let [Some(half), Some(most), Some(all)] = PROBABILITIES.map(holds) {
                let sessions = said.ratio(app, reference).and_then(|ratio| ratio.sessions);
                self.sessions = self.sessions.max(sessions.unwrap_or_default());
                self.ratios += 1;
                for (held, holds) in self.held.iter_mut().zip([half, most, all]) {
                    *held += u32::from(holds);
                }
            }
        }
    }
}

/// Of the pairs of frameworks that `said` distinguishes in a scenario of `from`, and that `to` has: all, those that `found` distinguishes in the
/// same order, and those in the opposite one.
pub(crate) fn pairs(from: &Record, to: &Record, scenario: &str, said: &Standing, found: &Standing) -> [u32; 3] {
    let mut counted = [0; 3];
    for &tier in Tier::ALL {
        let (members, others) = (members(from, scenario, tier), members(to, scenario, tier));
        let (said, found) = (said.pairs(&members), found.pairs(&others));
        let there = |app: usize| place(&to.apps, &from.apps[app], is_same_version).filter(|app| others.contains(app));
        for one in &members {
            let pairs = said
                .better(*one, false)
                .filter_map(|better| there(*one).zip(there(better)));
            for (one, better) in pairs {
                let is_found = |one, other| found.better(one, false).any(|better| better == other);
                counted[0] += 1;
                counted[1] += u32::from(is_found(one, better));
                counted[2] += u32::from(is_found(better, one));
            }
        }
    }
    counted
}

/// The apps of a group with a figure that counts.
pub(crate) fn members(record: &Record, scenario: &str, tier: Tier) -> Vec<usize> {
    let counts = |app: &AppRecord| record.trusted(app, scenario, METRIC).is_some();
    let apps = record.apps.iter().enumerate();
    apps.filter(|(_, app)| app.role == Role::Framework && app.tier == tier && counts(app))
        .map(|(place, _)| place)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::tests_of_sessions::days;

    /// How the last of these days was forecast, in each of which axum took more CPU time by a factor.
    fn last(factors: [f64; 5]) -> Forecast {
        let factors = factors.map(|factor| [("axum", factor)]);
        let mut scored = forecasts(&days(&factors.each_ref().map(<[(&str, f64); 1]>::as_slice)));
        assert_eq!(
            scored.len(),
            1,
            "four sessions are the first that say something of another"
        );
        scored.remove(0)
    }

    #[test]
    fn a_run_is_held_against_the_one_before_it() {
        let forecast = last([1.04, 0.97, 1.0, 1.01, 1.03]);
        assert!(forecast.from < forecast.to && forecast.sessions == 4);
        assert_eq!(forecast.held[2], forecast.ratios, "{forecast:?}");
        assert!(
            forecast.ratios > 0 && forecast.pairs > 0 && forecast.reversed == 0,
            "{forecast:?}"
        );
    }

    #[test]
    fn what_moved_did_not_hold_and_an_order_that_turned_is_reversed() {
        let forecast = last([0.5, 0.52, 0.51, 0.5, 2.0]);
        assert!(forecast.held[2] < forecast.ratios, "{forecast:?}");
        assert!(forecast.reversed > 0, "{forecast:?}");
    }

    #[test]
    fn another_kind_of_machine_is_no_forecast() {
        let mut other = days(&[[].as_slice(); 5]);
        assert_eq!(forecasts(&other).len(), 1);
        other[4].environment.cpu_model = "another".into();
        assert!(forecasts(&other).is_empty());
    }
}
