//! What older benchmarks published: facts with their sources, read from `older-benchmarks.toml`. A report shows them next to what
//! was measured here, and the profile `classic` measures only the apps that they name.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::{DEFAULT_VARIANT, SubjectId};

/// The file, as it was when this program was built.
const FILE: &str = include_str!("../../older-benchmarks.toml");

/// One benchmark.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Where it is.
    pub repository: String,
    /// Commit that holds the figures.
    pub commit: String,
    /// Date of that commit.
    pub date: String,
    /// Machine, as its author describes it.
    pub hardware: String,
    /// Load generator.
    pub generator: String,
    /// Versions of what was measured.
    pub versions: String,
    /// What a reader must know before comparing its figures with ours.
    pub differs: Vec<String>,
    /// What it found.
    pub figures: Vec<Figure>,
}

/// One figure as it was published.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// Name of our scenario that repeats it.
    pub scenario: String,
    /// `app` or `app/variant`.
    pub app: String,
    /// Requests per second; errors may be among them.
    #[serde(default)]
    pub rps: Option<f64>,
    /// Mean latency in milliseconds.
    #[serde(default)]
    pub latency_ms: Option<f64>,
    /// Largest memory in MiB.
    #[serde(default)]
    pub memory_mib: Option<f64>,
    /// Whether there was no figure.
    #[serde(default)]
    pub failed: bool,
}

impl Figure {
    /// Its app and variant.
    pub fn subject(&self) -> SubjectId {
        let (app, variant) = self.app.split_once('/').unwrap_or((&self.app, DEFAULT_VARIANT));
        SubjectId {
            app: app.to_owned(),
            variant: variant.to_owned(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    sources: Vec<Source>,
}

/// All of them, in the order of the file.
///
/// # Panics
/// Never in a program that passed its tests: the file is compiled in, and a test reads it.
pub fn sources() -> &'static [Source] {
    static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| {
        let file: File = toml::from_str(FILE).expect("older-benchmarks.toml is checked by a test");
        file.sources
    });
    &SOURCES
}

/// Apps for which a figure was published for this scenario; none for a scenario of our own.
pub fn subjects_of(scenario: &str) -> Vec<SubjectId> {
    let figures = sources().iter().flat_map(|source| &source.figures);
    figures
        .filter(|figure| figure.scenario == scenario)
        .map(Figure::subject)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_a_number_or_a_failure() {
        for figure in sources().iter().flat_map(|source| &source.figures) {
            assert_eq!(figure.failed, figure.rps.is_none(), "{figure:?}");
            let numbers = [figure.rps, figure.latency_ms, figure.memory_mib];
            assert!(numbers.into_iter().flatten().all(|number| number > 0.0), "{figure:?}");
        }
    }

    #[test]
    fn seventeen_frameworks_failed_at_256_connections() {
        let failed = sources().iter().flat_map(|source| &source.figures);
        let failed = failed.filter(|figure| figure.scenario == "classic-c256" && figure.failed);
        assert_eq!(failed.count(), 17);
    }

    #[test]
    fn a_variant_stands_behind_a_slash() {
        let subjects = subjects_of("classic-500");
        assert!(subjects.contains(&SubjectId {
            app: "hyper".into(),
            variant: "current-thread".into()
        }));
        assert_eq!(subjects.len(), 5);
    }
}
