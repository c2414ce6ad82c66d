//! CPU time of a request by release, from comparisons of two of them in turns.

use model::{DEFAULT_VARIANT, Interval, Metric};
use schemars::JsonSchema;
use serde::Serialize;

use super::{CrateReleases, Releases};
use crate::compare::outcome::Comparison;

/// What two releases differ by in CPU time, by servers of both driven in turns ([`Comparison`]), all else being the same.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct InTurns {
    /// Place of the first release.
    pub from: usize,
    /// Place of the other.
    pub to: usize,
    /// Place of the scenario among those that were counted.
    pub scenario: usize,
    /// Change of the server's CPU time per request, the kernel's included, as a share.
    pub change: f64,
    /// Its 95 % interval.
    pub interval: Interval,
}

impl Releases {
    /// With the CPU time that comparisons of two releases of a crate found.
    #[must_use]
    pub fn with(mut self, comparisons: &[Comparison]) -> Self {
        let mut comparisons: Vec<&Comparison> = comparisons.iter().collect();
        comparisons.sort_by_key(|comparison| comparison.started_at);
        for one in &mut self.crates {
            let found: Vec<InTurns> = comparisons.iter().flat_map(|each| one.compared(each)).collect();
            for found in found {
                let what = |of: &InTurns| (of.from, of.to, of.scenario);
                one.in_turns.retain(|earlier| what(earlier) != what(&found));
                one.in_turns.push(found);
            }
        }
        self
    }
}

impl CrateReleases {
    /// What a comparison of this server found, if its sides are two of the releases.
    fn compared(&self, comparison: &Comparison) -> Vec<InTurns> {
        let places = || {
            let is_own = |id: &str, variant: &str| id == self.app && variant == DEFAULT_VARIANT;
            let app = comparison.apps.iter().find(|app| is_own(&app.id, &app.variant))?;
            let moved = app.dependencies.iter().find(|moved| moved.name == self.of)?;
            let place = |versions: &[String]| {
                let [version] = versions else { return None };
                self.releases.iter().position(|one| one.release.version == *version)
            };
            Some((place(&moved.before)?, place(&moved.after)?))
        };
        // Of one commit: else the app itself may be another.
        let Some((from, to)) = places().filter(|_| comparison.base.commit == comparison.head.commit) else {
            return Vec::new();
        };
        let own = comparison
            .series
            .iter()
            .filter(|series| (series.app.as_str(), series.variant.as_str()) == (self.app.as_str(), DEFAULT_VARIANT));
        own.filter(|series| series.metric == Metric::ServerCpuUsPerRequest)
            .filter_map(|series| {
                Some(InTurns {
                    from,
                    to,
                    scenario: self.scenarios.iter().position(|known| *known == series.scenario)?,
                    change: series.change?,
                    interval: series.interval?,
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::gates::Gates;
    use crate::compare::outcome::{App, Dependency, Pair, Series};
    use crate::reading;
    use crate::releases::releases;

    #[test]
    fn cpu_in_turns_is_of_comparisons_of_two_known_releases() {
        let record = samples::releases(
            "2026-11-21",
            "axum",
            &[
                ("0.8.1", "2025-02-01", Some(990.0)),
                ("0.8.0", "2025-01-01", Some(1_000.0)),
            ],
        );
        let comparison = |day: &str, before: &str, after: &str, head: f64| {
            let mut cpu = Series::new("axum", DEFAULT_VARIANT, "plaintext", Metric::ServerCpuUsPerRequest);
            cpu.pairs = vec![Pair { base: 10.0, head }; 7];
            let moved = Dependency {
                name: "axum".to_owned(),
                before: vec![before.to_owned()],
                after: vec![after.to_owned()],
            };
            Comparison {
                started_at: format!("{day}T00:00:00Z").parse().unwrap(),
                gates: Gates::built_in(),
                apps: vec![App {
                    id: "axum".to_owned(),
                    variant: DEFAULT_VARIANT.to_owned(),
                    dependencies: vec![moved],
                    ..App::default()
                }],
                series: vec![cpu],
                ..Comparison::default()
            }
            .decided()
        };
        let of = |comparisons: &[Comparison]| {
            let found = releases(std::slice::from_ref(&record)).with(comparisons).crates;
            let each = found[0].in_turns.iter();
            each.map(|one| (one.from, one.to, (100.0 * one.change).round()))
                .collect::<Vec<_>>()
        };
        let earlier = comparison("2026-11-20", "0.8.0", "0.8.1", 12.0);
        let later = comparison("2026-11-22", "0.8.0", "0.8.1", 11.0);
        assert_eq!(of(&[later.clone(), earlier]), [(0, 1, 10.0)], "the last counts");
        let back = comparison("2026-11-22", "0.8.1", "0.8.0", 9.0);
        let unknown = comparison("2026-11-22", "0.8.0", "0.8.2", 9.0);
        assert_eq!(of(&[back, unknown]), [(1, 0, -10.0)]);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("local/releases/compare/axum-0.8.1.json");
        model::store::write_whole(&file, serde_json::to_string(&later).unwrap().as_bytes()).unwrap();
        let known_on = |day: &str| {
            let now = format!("{day}T00:00:00Z").parse().unwrap();
            let found = reading::with_comparisons(std::slice::from_ref(&record), folder.path(), now);
            found.unwrap().crates[0].in_turns.len()
        };
        assert_eq!(
            ["2026-11-21", "2026-11-22"].map(known_on),
            [0, 1],
            "none of after that day"
        );
        let mut of_a_change = later;
        of_a_change.head.commit = "another".to_owned();
        assert_eq!(of(&[of_a_change]), [], "the server may be another");
    }
}
