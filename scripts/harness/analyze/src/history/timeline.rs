//! The runs of a lane in order, every figure of every app in each of them, and where they were made.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::causes::differences;
use super::report::{Mark, Segment};
use model::{Metric, Role, SubjectId};

/// Runs of one lane and profile, with their figures.
#[derive(Debug, Clone, Default)]
pub struct Timeline {
    /// Name of the lane, or of the file that the figures are from.
    pub lane: String,
    /// Name of the profile; `None` where it is unknown.
    pub profile: Option<String>,
    /// The runs, the oldest first.
    pub runs: Vec<Run>,
    /// What was measured in them.
    pub series: Vec<Series>,
}

/// One run.
#[derive(Debug, Clone, Default)]
pub struct Run {
    pub id: String,
    /// When it began, UTC.
    pub at: Timestamp,
    /// The machine; the same text means the same machine.
    pub machine: String,
    /// The runner that the lane requested; the same text means the same runner. Empty where it is unknown.
    pub runner: String,
    /// Commit that it was made from.
    pub commit: Option<String>,
    /// Facts that all apps shared.
    pub surroundings: Facts,
    /// What each app was built from.
    pub builds: BTreeMap<SubjectId, Facts>,
}

/// Facts about a run, by kind and by name of a crate, a program or a column. A difference between two runs may explain a difference of
/// their figures.
pub type Facts = BTreeMap<(Kind, String), String>;

/// What may change a figure. Causes are listed in this order: what is closest to the app first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The framework's own version.
    Framework,
    /// A crate that the app depends on.
    Dependency,
    /// The app's own sources.
    Source,
    /// A column of a CSV file.
    Column,
    /// The compiler.
    Rustc,
    /// The harness or the load generator.
    Harness,
    /// The kernel.
    Kernel,
    /// The runner's image.
    Image,
    /// What the lane requested to run on: every figure begins again.
    Runner,
    /// The model of the cpu.
    Machine,
    /// Nothing known.
    Environment,
}

/// One metric of one scenario.
#[derive(Debug, Clone)]
pub struct Series {
    pub scenario: String,
    pub metric: String,
    /// Whether more is better; `None` where it is unknown.
    pub more_is_better: Option<bool>,
    /// The figure of each framework in each run, greater than 0; `None` where there is no trusted one.
    pub rows: BTreeMap<SubjectId, Vec<Option<f64>>>,
    /// The same for the reference.
    pub reference: Vec<Option<f64>>,
}

impl Series {
    /// Whether its figures are counts and not times: counts repeat far better and hardly depend on the machine.
    pub fn is_counted(&self) -> bool {
        self.metric == Metric::InstructionsPerRequest.id()
    }

    /// The same with the logarithm of each figure.
    pub(super) fn logarithms(&self) -> Self {
        let mut series = self.clone();
        let rows = series.rows.values_mut().chain([&mut series.reference]);
        rows.flatten().flatten().for_each(|figure| *figure = figure.ln());
        series
    }

    /// Sets the figure of a server in a run, and returns the one that was there.
    pub(super) fn put(&mut self, role: Role, subject: SubjectId, run: usize, figure: f64) -> Option<f64> {
        let runs = self.reference.len();
        let row = match role {
            Role::Framework => self.rows.entry(subject).or_insert_with(|| vec![None; runs]),
            Role::Reference => &mut self.reference,
            Role::Ceiling | Role::Control => return None,
        };
        row[run].replace(figure)
    }

    /// A series without any figure.
    pub fn empty(scenario: &str, metric: &str, more_is_better: Option<bool>, runs: usize) -> Self {
        Self {
            scenario: scenario.to_owned(),
            metric: metric.to_owned(),
            more_is_better,
            rows: BTreeMap::new(),
            reference: vec![None; runs],
        }
    }
}

impl Timeline {
    /// Why changes are neither better nor worse, a line for each reason; empty where no reason is known.
    pub fn undirected(&self) -> Vec<String> {
        let timed = || self.series.iter().filter(|series| !series.is_counted());
        let has_reference = |series: &&Series| series.reference.iter().any(Option::is_some);
        let known: BTreeSet<&str> = timed().filter(has_reference).map(|series| &*series.scenario).collect();
        let all: BTreeSet<&str> = timed().map(|series| &*series.scenario).collect();
        let lacking: Vec<&str> = all.difference(&known).copied().collect();
        let place = if known.is_empty() {
            String::new()
        } else {
            format!(" in {}", lacking.join(", "))
        };
        let mut apps = self
            .series
            .iter()
            .flat_map(|series| series.rows.keys().map(|subject| &subject.app));
        let named = apps.find(|app| app.eq_ignore_ascii_case("reference"));
        let named = named.map_or_else(String::new, |app| format!("; the app `{app}` is taken for a framework"));
        let what = if self.profile.is_some() { "record" } else { "line" };
        let missing = (!lacking.is_empty()).then(|| {
            format!(
                "no {what} has the role `reference`{place}, so a change is better or worse, and raises an alarm, only where its app alone was \
                 built from something else{named}"
            )
        });
        let unknown = self.series.iter().filter(|series| series.more_is_better.is_none());
        let unknown: BTreeSet<&str> = unknown.map(|series| &*series.metric).collect();
        let unknown = unknown
            .into_iter()
            .map(|metric| format!("no record has the metric {metric}, so none of its changes is better or worse"));
        missing.into_iter().chain(unknown).collect()
    }

    /// The timeline as it was after its first `runs` runs.
    #[must_use]
    pub fn until(&self, runs: usize) -> Self {
        self.filtered(|run| run < runs)
    }

    /// The runs of each runner by themselves, in the order in which the runners appeared.
    pub(super) fn by_runner(&self) -> Vec<Self> {
        let runners = numbers(self.runs.iter().map(|run| &run.runner));
        let count = runners.iter().max().map_or(0, |last| last + 1);
        let of = |runner| self.filtered(|run| runners[run] == runner);
        (0..count).map(of).collect()
    }

    fn filtered(&self, keep: impl Fn(usize) -> bool) -> Self {
        let mut kept = self.clone();
        retain(&mut kept.runs, &keep);
        for series in &mut kept.series {
            let rows = series.rows.values_mut().chain([&mut series.reference]);
            rows.for_each(|row| retain(row, &keep));
        }
        kept
    }

    /// Which machine each run was made on, as a number from 0.
    pub(super) fn machines(&self) -> Vec<usize> {
        numbers(self.runs.iter().map(|run| &run.machine))
    }

    /// Which compiler built what each run measured, as a number from 0.
    pub(super) fn toolchains(&self) -> Vec<usize> {
        let rustc = (Kind::Rustc, "rustc".to_owned());
        numbers(self.runs.iter().map(|run| run.surroundings.get(&rustc)))
    }

    pub(super) fn segments(&self) -> Vec<Segment> {
        let mut segments: Vec<Segment> = Vec::new();
        for run in &self.runs {
            let same = |segment: &&mut Segment| (&segment.machine, &segment.runner) == (&run.machine, &run.runner);
            match segments.iter_mut().find(same) {
                Some(segment) => segment.runs += 1,
                None => segments.push(Segment {
                    machine: run.machine.clone(),
                    runner: run.runner.clone(),
                    run: run.id.clone(),
                    started_at: run.at,
                    runs: 1,
                }),
            }
        }
        segments
    }

    /// What differs from the run before: the last one on the same runner, so that two runners that are measured side by side make no
    /// mark each week.
    pub(super) fn marks(&self) -> Vec<Mark> {
        let mut marks = Vec::new();
        for (number, run) in self.runs.iter().enumerate().skip(1) {
            let earlier = &self.runs[..number];
            let before = earlier.iter().rfind(|before| before.runner == run.runner);
            let before = before.unwrap_or(&earlier[number - 1]);
            let mut mark = |kind, app: Option<&str>, old: &str, new: &str| {
                marks.push(Mark {
                    run: run.id.clone(),
                    started_at: run.at,
                    kind,
                    app: app.map(ToOwned::to_owned),
                    before: old.to_owned(),
                    after: new.to_owned(),
                });
            };
            if before.runner != run.runner {
                mark(Kind::Runner, None, &before.runner, &run.runner);
            }
            if before.machine != run.machine {
                mark(Kind::Machine, None, &before.machine, &run.machine);
            }
            for cause in differences(&before.surroundings, &run.surroundings, &run.id) {
                mark(cause.kind, None, &cause.before, &cause.after);
            }
            for (subject, facts) in &run.builds {
                let Some(old) = before.builds.get(subject) else {
                    continue;
                };
                for cause in differences(old, facts, &run.id) {
                    if cause.kind == Kind::Framework {
                        mark(cause.kind, Some(&subject.app), &cause.before, &cause.after);
                    }
                }
            }
        }
        marks.dedup(); // variants share a release
        marks
    }
}

fn retain<T>(items: &mut Vec<T>, keep: impl Fn(usize) -> bool) {
    let mut places = 0..;
    items.retain(|_| places.next().is_some_and(&keep));
}

/// A number for each item, in order of appearance.
fn numbers<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<usize> {
    let mut known: Vec<T> = Vec::new();
    let number = |item: T| {
        let place = known.iter().position(|known| *known == item);
        place.unwrap_or_else(|| {
            known.push(item);
            known.len() - 1
        })
    };
    items.map(number).collect()
}
