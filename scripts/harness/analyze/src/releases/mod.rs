//! What upgrades changed: the releases of a crate beneath a server, from all records of `bench releases`.
//!
//! A change is between two counts of one record, in which all else was the same. Later records add releases and replace counts.

mod in_turns;

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use model::{AppRecord, Record, Release, RequestCosts};
use schemars::JsonSchema;
use serde::Serialize;

pub use in_turns::InTurns;

/// Name of the profile that makes such records.
pub const PROFILE: &str = "releases";
/// A larger change of a request's instructions, as a share, is a step.
pub const STEP: f64 = 0.01;
/// Version of [`Releases`].
const VERSION: u32 = 1;
const YEAR: SignedDuration = SignedDuration::from_hours(365 * 24);

/// All that were measured.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Releases {
    /// Version of this document's shape.
    pub schema_version: u32,
    /// By the server's name; its framework comes before the crates beneath it.
    pub crates: Vec<CrateReleases>,
}

/// The releases of a crate beneath a server.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CrateReleases {
    /// Id of the app.
    pub app: String,
    /// Its name for people.
    pub name: String,
    /// Name of the crate.
    #[serde(rename = "crate")]
    pub of: String,
    /// Whether the crate is the app's framework.
    pub is_framework: bool,
    /// Names of the scenarios whose requests were counted.
    pub scenarios: Vec<String>,
    /// By version, the oldest first.
    pub releases: Vec<Upgrade>,
    /// First since the release that was the newest a year before the last record, then since the oldest that was counted; not where nothing
    /// was released since, and each only once.
    pub spans: Vec<Span>,
    /// CPU time from one release to another, the last measured last.
    pub in_turns: Vec<InTurns>,
}

/// A release, against the one before it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Upgrade {
    /// The release.
    pub release: Release,
    /// Id of the newest record that has it.
    pub run: String,
    /// When that began, UTC.
    pub counted_at: Timestamp,
    /// Whether a higher version was published before it.
    pub backport: bool,
    /// Why not all was counted, in words.
    pub refused: Option<String>,
    /// Bytes of the server's program; `None` if it was not built.
    pub binary_bytes: Option<u64>,
    /// For each scenario; `None` where it was not counted.
    pub counts: Vec<Option<Counts>>,
    /// What all other crates have brought since the day when it was published: the change of the instructions from the newest of that day to
    /// the locked ones, as a share, for each scenario; `None` where no record has both.
    pub others: Vec<Option<f64>>,
}

/// What a request took.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Counts {
    /// Instructions in user space.
    pub instructions: f64,
    /// Their change against the version before that was counted, as a share; `None` where no record has both.
    pub change: Option<f64>,
    /// Whether the change is a step: more than [`STEP`], and than starts of one program differ.
    pub is_step: bool,
    /// System calls.
    pub syscalls: Option<f64>,
    /// Bytes of the head of its answer.
    pub head_bytes: Option<u32>,
}

/// From one release to another.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Span {
    /// Place of the first release.
    pub from: usize,
    /// Place of the last.
    pub to: usize,
    /// Change of the instructions, as a share, for each scenario; `None` where one on the way is not known.
    pub changes: Vec<Option<f64>>,
}

impl CrateReleases {
    /// Changes from one place to a later one, by scenario.
    fn changes(&self, from: usize, to: usize) -> Vec<Option<f64>> {
        let change = |scenario: usize| {
            let counts = |place: usize| self.releases[place].counts[scenario].as_ref();
            counts(from).and(counts(to))?;
            let steps = (from + 1..=to).filter_map(counts);
            let factor = steps
                .map(|counts| Some(1.0 + counts.change?))
                .product::<Option<f64>>()?;
            Some(factor - 1.0)
        };
        (0..self.scenarios.len()).map(change).collect()
    }

    /// The same from one version to a later one, if both are known.
    pub fn between(&self, from: &str, to: &str) -> Option<Vec<Option<f64>>> {
        let place = |version: &str| self.releases.iter().position(|one| one.release.version == version);
        let (from, to) = (place(from)?, place(to)?);
        (from < to).then(|| self.changes(from, to))
    }

    /// The releases of a span after its first, the newest first.
    pub fn since(&self, span: &Span) -> impl Iterator<Item = &Upgrade> {
        self.releases[span.from + 1..=span.to].iter().rev()
    }
}

impl Upgrade {
    /// The scenarios in which it is a step, by their places, with the changes.
    pub fn steps(&self) -> impl Iterator<Item = (usize, f64)> {
        let counts = self.counts.iter().enumerate();
        let counts = counts.filter_map(|(scenario, counts)| Some((scenario, counts.as_ref()?)));
        let steps = counts.filter(|(_, counts)| counts.is_step);
        steps.filter_map(|(scenario, counts)| Some((scenario, counts.change?)))
    }
}

/// A release in a record.
struct Known<'a> {
    record: &'a Record,
    app: &'a AppRecord,
    release: &'a Release,
    requests: &'a [RequestCosts],
}

impl Known<'_> {
    fn request(&self, scenario: &str) -> Option<&RequestCosts> {
        self.requests.iter().find(|request| request.scenario == scenario)
    }

    fn instructions(&self, scenario: &str) -> Option<f64> {
        self.request(scenario)?.instructions.figure().copied()
    }

    /// By what share the highest count of its starts is above the least.
    fn spread(&self, scenario: &str) -> f64 {
        let each = self
            .request(scenario)
            .into_iter()
            .flat_map(|request| &request.instructions_each);
        let above = each.filter_map(|count| Some(count / self.instructions(scenario)? - 1.0));
        above.fold(0.0, f64::max)
    }

    fn refused(&self) -> Option<String> {
        if let Some(reason) = self.app.why_not_built() {
            return Some(format!("does not build: {reason}"));
        }
        let reason = self.requests.iter().find_map(|request| request.instructions.reason())?;
        Some(format!("not counted: {reason}"))
    }
}

/// What records of the profile, in any order, say of releases.
pub fn releases(records: &[Record]) -> Releases {
    let mut records: Vec<&Record> = records.iter().collect();
    records.sort_by_key(|record| (record.started_at, &record.id));
    let mut found: BTreeMap<_, BTreeMap<_, [Vec<Known>; 2]>> = BTreeMap::new();
    for record in records {
        for app in &record.apps {
            let costs = app.costs.as_ref();
            let Some((costs, release)) = costs.and_then(|costs| Some((costs, costs.release.as_ref()?))) else {
                continue;
            };
            let versions = found.entry((app.id.as_str(), release.of.as_str())).or_default();
            let known = versions.entry(number(&release.version)).or_default();
            known[usize::from(release.of_its_day)].push(Known {
                record,
                app,
                release,
                requests: &costs.requests,
            });
        }
    }
    let crates = found.into_values().filter_map(|versions| {
        let versions = versions.into_values().filter(|[now, _]| !now.is_empty());
        let (versions, then): (Vec<_>, Vec<_>) = versions.map(|[now, then]| (now, then)).unzip();
        of_crate(&versions, &then)
    });
    let mut crates: Vec<CrateReleases> = crates.collect();
    crates.sort_by_key(|one| (one.name.to_lowercase(), !one.is_framework, one.of.clone()));
    Releases {
        schema_version: VERSION,
        crates,
    }
}

/// The numbers of a version, by which it is ordered.
fn number(version: &str) -> (Vec<u64>, &str) {
    let parts = version.split(['.', '-', '+']);
    (parts.map(|part| part.parse().unwrap_or_default()).collect(), version)
}

/// Each version with what records say of it, the oldest record first, and the same with the crates of its day.
fn of_crate(versions: &[Vec<Known>], then: &[Vec<Known>]) -> Option<CrateReleases> {
    let latest = versions.iter().flatten().max_by_key(|known| known.record.started_at)?;
    let mut scenarios: Vec<String> = Vec::new();
    for request in versions.iter().flatten().flat_map(|known| known.requests) {
        if !scenarios.contains(&request.scenario) {
            scenarios.push(request.scenario.clone());
        }
    }
    let newest: Vec<&Known> = versions.iter().filter_map(|known| known.last()).collect();
    let counts = |place: usize, scenario: &String| {
        let request = newest[place].request(scenario)?;
        let before = (0..place)
            .rev()
            .find(|before| newest[*before].instructions(scenario).is_some());
        let found = before.and_then(|before| change(&versions[before], &versions[place], scenario));
        Some(Counts {
            instructions: newest[place].instructions(scenario)?,
            change: found.map(|(change, _)| change),
            is_step: found.is_some_and(|(change, noise)| change.abs() > noise.max(STEP)),
            syscalls: request.syscalls.figure().map(|found| found.total),
            head_bytes: request.head.figure().map(|head| head.bytes),
        })
    };
    let releases = newest.iter().enumerate().map(|(place, known)| Upgrade {
        release: known.release.clone(),
        run: known.record.id.clone(),
        counted_at: known.record.started_at,
        backport: newest[place..].iter().any(|higher| {
            let both = higher.release.published.zip(known.release.published);
            both.is_some_and(|(higher, own)| higher < own)
        }),
        refused: known.refused(),
        binary_bytes: known.app.binary_bytes,
        counts: scenarios.iter().map(|scenario| counts(place, scenario)).collect(),
        others: scenarios
            .iter()
            .map(|scenario| Some(change(&then[place], &versions[place], scenario)?.0))
            .collect(),
    });
    let mut found = CrateReleases {
        app: latest.app.id.clone(),
        name: latest.app.name.clone(),
        of: latest.release.of.clone(),
        is_framework: latest.app.framework == latest.release.of,
        releases: releases.collect(),
        scenarios,
        spans: Vec::new(),
        in_turns: Vec::new(),
    };
    found.spans = spans(&found, latest.record.started_at - YEAR);
    Some(found)
}

/// By the newest record that has both; and by how much starts of one of them differ.
fn change(old: &[Known], new: &[Known], scenario: &str) -> Option<(f64, f64)> {
    new.iter().rev().find_map(|new| {
        let old = old.iter().find(|old| old.record.id == new.record.id)?;
        let change = new.instructions(scenario)? / old.instructions(scenario)? - 1.0;
        Some((change, old.spread(scenario).max(new.spread(scenario))))
    })
}

fn spans(found: &CrateReleases, year_ago: Timestamp) -> Vec<Span> {
    let is_counted = |place: &usize| found.releases[*place].counts.iter().any(Option::is_some);
    let counted: Vec<usize> = (0..found.releases.len()).filter(is_counted).collect();
    let (Some(first), Some(to)) = (counted.first(), counted.last()) else {
        return Vec::new();
    };
    let was_there = |place: &&usize| {
        let published = found.releases[**place].release.published;
        published.is_some_and(|published| published <= year_ago)
    };
    let begin = counted.iter().rev().find(was_there).unwrap_or(first);
    let mut begins = vec![*begin, *first];
    begins.dedup();
    let span = |from: usize| Span {
        from,
        to: *to,
        changes: found.changes(from, *to),
    };
    begins.into_iter().filter(|from| from < to).map(span).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(records: &[Record]) -> CrateReleases {
        let mut found = releases(records).crates;
        assert_eq!(found.len(), 1);
        found.remove(0)
    }

    /// In plaintext, in thousandths.
    fn changes(found: &CrateReleases) -> Vec<Option<f64>> {
        let of_plaintext = found.releases.iter().map(|one| one.counts[0].as_ref());
        let change = |counts: Option<&Counts>| counts?.change.map(|change| (1000.0 * change).round());
        of_plaintext.map(change).collect()
    }

    #[test]
    fn a_release_is_held_against_the_version_before_that_was_counted() {
        let found = of(&[samples::releases(
            "2026-11-21",
            "axum",
            &[
                ("0.8.10", "2026-05-01", Some(1_009.0)),
                ("0.8.9", "2026-04-01", Some(1_000.0)),
                ("0.8.8", "2026-03-01", None),
                ("0.8.7", "2026-06-01", Some(1_020.0)),
                ("0.8.6", "2025-02-01", Some(1_000.0)),
                ("0.8.5", "2025-01-01", Some(900.0)),
            ],
        )]);
        let versions: Vec<&str> = found.releases.iter().map(|one| &*one.release.version).collect();
        assert_eq!(versions, ["0.8.5", "0.8.6", "0.8.7", "0.8.8", "0.8.9", "0.8.10"]);
        assert_eq!(
            changes(&found),
            [None, Some(111.0), Some(20.0), None, Some(-20.0), Some(9.0)]
        );
        assert!(found.releases[2].backport && found.releases[2].release.yanked && !found.releases[4].backport);
        let reason = found.releases[3].refused.as_deref().unwrap();
        assert!(reason.starts_with("does not build: error[E0308]"), "{reason}");
        // 0.9 % is none.
        let steps = found.releases.iter().map(|one| one.steps().count());
        assert_eq!(steps.collect::<Vec<_>>(), [0, 2, 2, 0, 2, 0]);
        let [year, all] = &found.spans[..] else {
            panic!("{:?}", found.spans)
        };
        assert_eq!((year.from, year.to, all.from), (1, 5, 0));
        let percent = [year, all].map(|span| format!("{:.1}", 100.0 * span.changes[1].unwrap()));
        assert_eq!(percent, ["0.9", "12.1"]);
        let since = found.since(year).map(|one| one.release.version.as_str());
        assert_eq!(since.collect::<Vec<_>>(), ["0.8.10", "0.8.9", "0.8.8", "0.8.7"]);
        assert_eq!(found.between("0.8.6", "0.8.10"), Some(year.changes.clone()));
        assert_eq!(found.between("0.8.10", "0.8.6"), None, "a way back was not measured");
    }

    /// A later record was made with another lockfile: what it counts is not held against what an earlier one counted.
    #[test]
    fn a_change_is_between_two_counts_of_one_record() {
        let old = samples::releases(
            "2025-11-21",
            "axum",
            &[
                ("0.8.7", "2025-03-01", Some(1_100.0)),
                ("0.8.6", "2025-02-01", Some(1_000.0)),
            ],
        );
        let new = |versions: &[(&str, &str, Option<f64>)]| samples::releases("2026-11-21", "axum", versions);
        let both = new(&[
            ("0.8.8", "2026-05-01", Some(2_200.0)),
            ("0.8.7", "2025-03-01", Some(2_000.0)),
        ]);
        let found = of(&[both, old.clone()]);
        assert_eq!(changes(&found), [None, Some(100.0), Some(100.0)]);
        let runs: Vec<&str> = found.releases.iter().map(|one| &one.run[..4]).collect();
        assert_eq!(runs, ["2025", "2026", "2026"]);
        assert!(
            (found.spans[1].changes[0].unwrap() - 0.21).abs() < 1e-9,
            "{:?}",
            found.spans
        );
        let apart = of(&[old, new(&[("0.8.8", "2026-05-01", Some(2_200.0))])]);
        assert_eq!(changes(&apart), [None, Some(100.0), None]);
        assert_eq!(apart.spans[0].changes, [None, None]);
    }

    #[test]
    fn what_other_crates_brought_is_between_a_release_of_its_day_and_of_today() {
        let found = of(&[samples::releases(
            "2026-11-21",
            "axum",
            &[
                ("0.8.1", "2025-02-01", Some(990.0)),
                ("0.8.0", "2025-01-01", Some(1_000.0)),
                ("0.8.0 then", "2025-01-01", Some(1_100.0)),
            ],
        )]);
        assert_eq!(changes(&found), [None, Some(-10.0)], "it is no release of its own");
        let others = found
            .releases
            .iter()
            .map(|one| one.others[0].map(|change| (1000.0 * change).round()));
        assert_eq!(others.collect::<Vec<_>>(), [Some(-91.0), None]);
    }

    /// Timers of ntex do more for a slower request.
    #[test]
    fn a_change_within_what_starts_of_one_program_differ_is_no_step() {
        let versions = [
            ("3.2.0", "2026-03-01", Some(1_060.0)),
            ("3.1.0", "2026-02-01", Some(1_030.0)),
            ("3.0.0", "2026-01-01", Some(1_000.0)),
        ];
        let steps = |of: &str| {
            let found = self::of(&[samples::releases("2026-11-21", of, &versions)]);
            found.releases.iter().map(|one| one.steps().count()).collect::<Vec<_>>()
        };
        assert_eq!((steps("axum"), steps("ntex")), (vec![0, 2, 2], vec![0, 0, 0]));
    }

    #[test]
    fn what_was_never_counted_has_no_span_and_loads_have_no_releases() {
        let found = of(&[samples::releases(
            "2026-11-21",
            "tokio",
            &[("1.0.0", "2025-03-01", None)],
        )]);
        assert!(found.spans.is_empty() && !found.is_framework);
        assert_eq!(releases(&[samples::record()]).crates, []);
    }
}
