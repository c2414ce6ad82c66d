//! On which runner each run was made, and which runs two runners made of the same.
//!
//! A runner is what a lane asks for: the label of a hosted image, those of a machine of one's own. When a lane changes it, both
//! are measured for two weeks (.github/scripts/bridge.sh). Two runs are a pair if each was made on one of them, less than half a week
//! apart, from the same commit, with the same compiler, harness and load generator. An app counts in it if its sources and its
//! resolved dependencies are the same in both. Its program need not be: each runner builds its own, because the linker and the C
//! compiler of an image are part of what changes with it.

use jiff::SignedDuration;

use super::past::{Facts, Kind, Past, Run};
use super::timeline::numbers;
use record::SubjectId;

/// Longest time between the two runs of a pair: half a week, as runs of one profile are a week apart.
const NEAR: SignedDuration = SignedDuration::from_hours(84);

/// A run on either runner, of the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// The run on the runner before.
    pub before: usize,
    /// The run on the one after.
    pub after: usize,
}

/// How a runner follows on another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Succession {
    /// The runner that follows.
    pub runner: usize,
    /// The one that it follows on.
    pub before: usize,
    /// The runs that both made; empty where they made none.
    pub pairs: Vec<Pair>,
}

/// The runners of a lane, numbered in order of appearance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runners {
    /// That of each run.
    pub of: Vec<usize>,
    /// One for each runner but the first, in their order.
    pub successions: Vec<Succession>,
}

impl Runners {
    /// Those of a past.
    pub fn new(past: &Past) -> Self {
        let of = numbers(past.runs.iter().map(|run| run.runner.clone()));
        let count = of.iter().max().map_or(0, |most| most + 1);
        let successions = (1..count).map(|runner| succession(past, &of, runner)).collect();
        Self { of, successions }
    }

    /// The same with the pairs in which this app was built from the same.
    pub fn of_app(&self, past: &Past, app: &SubjectId) -> Vec<Succession> {
        let mut successions = self.successions.clone();
        for succession in &mut successions {
            succession.pairs.retain(|pair| {
                let [before, after] = [pair.before, pair.after].map(|run| past.runs[run].builds.get(app));
                before == after
            });
        }
        successions
    }
}

/// What `runner` follows on: the earlier one with which it has most pairs; without any, the one before its first run.
fn succession(past: &Past, of: &[usize], runner: usize) -> Succession {
    let first = of.iter().position(|other| *other == runner).unwrap_or(0);
    let last_before = of[first.saturating_sub(1)];
    let with = |before: usize| Succession {
        runner,
        before,
        pairs: pairs(past, of, before, runner),
    };
    let successions = (0..runner).map(with);
    let most = successions.max_by_key(|succession| (succession.pairs.len(), succession.before == last_before));
    most.unwrap_or_else(|| with(last_before))
}

fn pairs(past: &Past, of: &[usize], before: usize, after: usize) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = Vec::new();
    let runs_on = |runner| of.iter().enumerate().filter(move |(_, on)| **on == runner);
    for (late, _) in runs_on(after) {
        let distance = |run: usize| past.runs[run].at.duration_since(past.runs[late].at).abs();
        let same = runs_on(before).map(|(run, _)| run).filter(|run| {
            distance(*run) <= NEAR
                && are_of_the_same(&past.runs[*run], &past.runs[late])
                && pairs.iter().all(|pair| pair.before != *run)
        });
        let nearest = same.min_by_key(|run| distance(*run));
        pairs.extend(nearest.map(|run| Pair {
            before: run,
            after: late,
        }));
    }
    pairs
}

/// Whether two runs measured the same commit, built and measured by the same programs.
fn are_of_the_same(one: &Run, other: &Run) -> bool {
    let tools = |run: &Run| -> Facts {
        let facts = run.surroundings.clone().into_iter();
        facts
            .filter(|(fact, _)| matches!(fact.kind, Kind::Rustc | Kind::Harness))
            .collect()
    };
    one.commit.is_some() && one.commit == other.commit && tools(one) == tools(other)
}

#[cfg(test)]
mod tests {
    use super::super::past::Fact;
    use super::super::simulate::bridge::{Bridge, bridged};
    use super::*;

    fn past() -> Past {
        bridged(Bridge::quiet(), 1)
    }

    fn pairs_of(past: &Past) -> usize {
        Runners::new(past).successions[0].pairs.len()
    }

    #[test]
    fn runs_of_one_commit_on_both_are_pairs() {
        let past = past();
        let runners = Runners::new(&past);
        let [succession] = runners.successions.as_slice() else {
            panic!("{runners:?}")
        };
        assert_eq!((succession.before, succession.runner), (0, 1));
        assert_eq!(succession.pairs.len(), Bridge::quiet().pairs);
        for pair in &succession.pairs {
            assert_eq!(past.runs[pair.before].commit, past.runs[pair.after].commit);
            assert_eq!((runners.of[pair.before], runners.of[pair.after]), (0, 1));
        }
    }

    #[test]
    fn another_commit_compiler_or_week_makes_no_pair() {
        let after = |past: &Past| Runners::new(past).successions[0].pairs[0].after;
        let changes: [fn(&mut Run); 4] = [
            |run| run.commit = Some("another".to_owned()),
            |run| run.commit = None,
            |run| run.at += SignedDuration::from_hours(24 * 4),
            |run| {
                let rustc = Fact {
                    kind: Kind::Rustc,
                    name: "rustc".to_owned(),
                };
                run.surroundings.insert(rustc, "1.99".to_owned());
            },
        ];
        for change in changes {
            let mut past = past();
            let run = after(&past);
            change(&mut past.runs[run]);
            assert_eq!(pairs_of(&past), Bridge::quiet().pairs - 1);
        }
    }

    #[test]
    fn an_app_with_other_dependencies_on_either_side_is_in_no_pair() {
        let mut past = past();
        let pair = Runners::new(&past).successions[0].pairs[0];
        let (app, other) = (SubjectId::new("app-00", "default"), SubjectId::new("app-01", "default"));
        let lockfile = Fact {
            kind: Kind::Dependency,
            name: "Cargo.lock".to_owned(),
        };
        let build = past.runs[pair.after].builds.entry(app.clone()).or_default();
        build.insert(lockfile, "22".to_owned());
        let runners = Runners::new(&past);
        let pairs = |app| runners.of_app(&past, app)[0].pairs.len();
        assert_eq!(pairs(&app), Bridge::quiet().pairs - 1);
        assert_eq!(pairs(&other), Bridge::quiet().pairs);
    }

    #[test]
    fn a_run_is_in_one_pair_at_most() {
        // A second run on the new runner in the same week: the old one's is already taken.
        let mut past = past();
        let pair = Runners::new(&past).successions[0].pairs[0];
        let mut again = past.runs[pair.after].clone();
        again.at += SignedDuration::from_hours(2);
        past.runs.insert(pair.after + 1, again);
        assert_eq!(pairs_of(&past), Bridge::quiet().pairs);
    }
}
