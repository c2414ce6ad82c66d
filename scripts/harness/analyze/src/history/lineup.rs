//! Who is no longer measured, and who is new. A series follows a name, so that a step from an old name to a new one is in no figure.

use std::collections::{BTreeMap, BTreeSet};

use super::report::Lineup;
use super::timeline::Timeline;
use model::SubjectId;

impl Timeline {
    /// Each run that lacks for good what was there, or has what was never there, the newest first.
    pub(super) fn lineups(&self) -> Vec<Lineup> {
        let present: Vec<BTreeSet<String>> = self
            .runs
            .iter()
            .map(|run| run.builds.keys().map(SubjectId::label).collect())
            .collect();
        let mut lineups: BTreeMap<usize, [Vec<String>; 2]> = BTreeMap::new();
        for name in present.iter().flatten().collect::<BTreeSet<_>>() {
            let mut having = (0..present.len()).filter(|run| present[*run].contains(name));
            let Some(first) = having.next() else { continue };
            let last = having.next_back().unwrap_or(first);
            if first > 0 {
                lineups.entry(first).or_default()[1].push(name.clone());
            }
            if let Some(without) = self.next_of(last) {
                lineups.entry(without).or_default()[0].push(name.clone());
            }
        }
        let lineup = |(run, [gone, new]): (usize, [Vec<String>; 2])| Lineup {
            run: self.runs[run].id.clone(),
            started_at: self.runs[run].at,
            runs_after: self.runs.len() - run,
            gone,
            new,
        };
        lineups.into_iter().rev().map(lineup).collect()
    }

    /// The run that follows on this one: where two runners take turns, of the same, or the first on another.
    fn next_of(&self, run: usize) -> Option<usize> {
        let (earlier, own) = (&self.runs[..run], &self.runs[run].runner);
        let follows = |other: &usize| {
            let runner = &self.runs[*other].runner;
            runner == own || earlier.iter().all(|run| run.runner != *runner)
        };
        (run + 1..self.runs.len()).find(follows)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::history::{NoLockfiles, judge};

    /// What is said of the names in each run, `runner: app app …`.
    fn said(runs: &[&str]) -> Vec<(String, Vec<String>, Vec<String>)> {
        let mut text = "date,app,scenario,metric,value,runner\n".to_owned();
        for (day, run) in (1..).zip(runs) {
            let (runner, apps) = run.split_once(": ").unwrap();
            for app in apps.split(' ') {
                writeln!(text, "2026-01-{day:02},{app},hello,goodput_rps,100,{runner}").unwrap();
            }
        }
        let timeline = Timeline::from_csv("figures", text.as_bytes()).unwrap();
        let lineups = judge(&timeline, &NoLockfiles).lineups.into_iter();
        lineups
            .map(|lineup| (lineup.run[8..].to_owned(), lineup.gone, lineup.new))
            .collect()
    }

    #[test]
    fn who_is_gone_and_who_is_new_is_said_once() {
        let names = |names: &str| -> Vec<String> { names.split_whitespace().map(ToOwned::to_owned).collect() };
        let of = |day: &str, gone, new| (day.to_owned(), names(gone), names(new));
        assert_eq!(said(&["x: a b", "x: a b"]), []);
        assert_eq!(said(&["x: a b", "x: a c", "x: a c"]), [of("02", "b", "c")], "renamed");
        assert_eq!(said(&["x: a b", "x: a", "x: a b"]), [], "it failed once");
        assert_eq!(
            said(&["x: a", "x: a b", "x: b"]),
            [of("03", "a", ""), of("02", "", "b")]
        );
        assert_eq!(
            said(&["x: a b", "y: a", "x: a b", "y: a"]),
            [],
            "two runners take turns"
        );
        assert_eq!(
            said(&["x: a b", "y: a c", "y: a c"]),
            [of("02", "b", "c")],
            "renamed as the runner changed"
        );
    }
}
