//! Comparisons of a program with itself, kept for a rehearsal to replay.
//!
//! `bench compare --self-test --record` makes a recording of one comparison. A comparison of two revisions that behave the same can
//! serve as a recording too, and several can be pooled. Comparisons stay separate, because the machine may favour one side for as
//! long as a comparison lasts, and mixed pairs would not show it.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gates::Gauge;
use super::outcome::{Comparison, Pair};
use record::Environment;
use record::store;

/// Largest file that is read; a comparison has some ten kilobytes.
const LARGEST: u64 = 16 << 20;

/// Comparisons of a program with itself, as recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    /// App that was measured against itself.
    pub app: String,
    /// The machine and the versions of the tools.
    pub environment: Environment,
    /// Which two builds each comparison is of. Comparisons of the same two are not independent: what the layout of a build costs is in
    /// all of them.
    pub builds: Vec<String>,
    /// The series of each comparison, with one value of base and one of head for each pair. All have the same series, but not the
    /// same number of pairs: a series is no longer measured once it is decided.
    pub comparisons: Vec<Vec<Recorded>>,
}

/// One series of a recording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    /// Name of the scenario.
    pub scenario: String,
    /// Metric.
    pub gauge: Gauge,
    /// Whether the metric could be judged (goodput cannot where the generator is the limit).
    pub judged: bool,
    /// Values of base.
    pub base: Vec<f64>,
    /// Values of head.
    pub head: Vec<f64>,
}

impl Recorded {
    /// From what was measured.
    pub fn new(scenario: &str, gauge: Gauge, judged: bool, pairs: &[Pair]) -> Self {
        let (base, head) = pairs.iter().map(|pair| (pair.base, pair.head)).unzip();
        Self {
            scenario: scenario.to_owned(),
            gauge,
            judged,
            base,
            head,
        }
    }
}

impl Recording {
    /// One comparison of two builds, of series that were measured together.
    pub fn new(app: &str, environment: Environment, builds: String, series: Vec<Recorded>) -> Result<Self, String> {
        if series.is_empty() || series.iter().any(|series| series.base.is_empty()) {
            return Err("no pair was measured".into());
        }
        for series in &series {
            if series.base.len() != series.head.len() {
                return Err(format!("{}: a pair needs base and head", series.scenario));
            }
            let mut values = series.base.iter().chain(&series.head);
            if !values.all(|value| value.is_finite() && *value > 0.0) {
                return Err(format!("{}: values above 0 are needed", series.scenario));
            }
        }
        Ok(Self {
            app: app.to_owned(),
            environment,
            builds: vec![builds],
            comparisons: vec![series],
        })
    }

    /// The pairs of a comparison, which must be of one app.
    fn from_comparison(comparison: Comparison) -> Result<Self, String> {
        let first = comparison.series.first().ok_or("nothing was measured in it")?;
        let (app, variant) = (first.app.clone(), first.variant.clone());
        if comparison
            .series
            .iter()
            .any(|series| (&series.app, &series.variant) != (&app, &variant))
        {
            return Err("it is of several apps".into());
        }
        let environment = comparison
            .environment
            .ok_or("it does not say what it was measured on")?;
        let builds = format!("{} {}", comparison.base.commit, comparison.head.commit);
        let series = comparison.series.iter();
        let series = series.map(|series| Recorded::new(&series.scenario, series.gauge, series.judged, &series.pairs));
        Self::new(&app, environment, builds, series.collect())
    }

    /// These comparisons and those of another recording of the same app, scenarios and metrics on the same kind of cpu.
    pub fn pooled(mut self, other: Self) -> Result<Self, String> {
        if self.app != other.app || self.environment.cpu_model != other.environment.cpu_model {
            return Err("it is of another app or cpu than the one before".into());
        }
        let names = |recording: &Self| -> Vec<(String, Gauge)> {
            let first = recording.comparisons.first().into_iter().flatten();
            first.map(|series| (series.scenario.clone(), series.gauge)).collect()
        };
        if names(&self) != names(&other) {
            return Err("it has other scenarios or metrics than the one before".into());
        }
        self.builds.extend(other.builds);
        self.comparisons.extend(other.comparisons);
        Ok(self)
    }

    /// Reads a recording, or a comparison as one.
    pub fn read(path: &Path) -> Result<Self, String> {
        Self::parse(&store::read_text(path, LARGEST).map_err(|error| error.to_string())?)
    }

    /// The same from its text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let value: serde_json::Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if value.get("decision").is_some() {
            return Self::from_comparison(serde_json::from_value(value).map_err(|error| error.to_string())?);
        }
        let read: Self = serde_json::from_value(value).map_err(|error| error.to_string())?;
        if read.builds.len() != read.comparisons.len() {
            return Err("each comparison needs its builds".into());
        }
        let each = read.builds.into_iter().zip(read.comparisons);
        let mut each = each.map(|(builds, series)| Self::new(&read.app, read.environment.clone(), builds, series));
        let first = each.next().ok_or("no pair was measured")??;
        each.try_fold(first, |all, one| all.pooled(one?))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::sample;

    fn recording(values: &[f64]) -> Result<Recording, String> {
        let series = |gauge| Recorded {
            scenario: "plaintext".into(),
            gauge,
            judged: true,
            base: values.to_vec(),
            head: values.to_vec(),
        };
        let all = vec![series(Gauge::ServerCpuUsPerRequest), series(Gauge::GoodputRps)];
        Recording::new("axum", sample::record().environment, "one other".into(), all)
    }

    #[test]
    fn comparisons_are_pooled_if_they_are_of_the_same_and_stay_apart() {
        let one = recording(&[1.0]).unwrap();
        let pooled = one.clone().pooled(recording(&[2.0, 3.0]).unwrap()).unwrap();
        let heads: Vec<&[f64]> = pooled.comparisons.iter().map(|series| &*series[0].head).collect();
        assert_eq!(heads, [&[1.0][..], &[2.0, 3.0]]);
        let mut other = one.clone();
        other.comparisons[0].pop();
        assert!(
            one.clone()
                .pooled(other.clone())
                .unwrap_err()
                .contains("other scenarios")
        );
        other.app = "rocket".into();
        assert!(one.pooled(other).unwrap_err().contains("another app"));
    }

    #[test]
    fn what_was_pooled_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("recording.json");
        let pooled = recording(&[1.0]).unwrap().pooled(recording(&[2.0]).unwrap()).unwrap();
        fs::write(&path, serde_json::to_string(&pooled).unwrap()).unwrap();
        assert_eq!(Recording::read(&path).unwrap(), pooled);
        let mut broken = pooled;
        broken.comparisons[1][0].head.pop();
        fs::write(&path, serde_json::to_string(&broken).unwrap()).unwrap();
        assert!(Recording::read(&path).unwrap_err().contains("base and head"));
        broken.builds.pop();
        fs::write(&path, serde_json::to_string(&broken).unwrap()).unwrap();
        assert!(Recording::read(&path).unwrap_err().contains("needs its builds"));
    }

    #[test]
    fn what_is_no_recording_is_refused() {
        assert!(recording(&[]).unwrap_err().contains("no pair"));
        assert!(recording(&[0.0]).unwrap_err().contains("above 0"));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("recording.json");
        for (text, told) in [
            ("{", "EOF"),
            ("{\"decision\": \"splendid\"}", "unknown variant `splendid`"),
            ("{\"app\": \"axum\", \"bogus\": 1}", "bogus"),
        ] {
            fs::write(&path, text).unwrap();
            let error = Recording::read(&path).unwrap_err();
            assert!(error.contains(told), "{text}: {error}");
        }
        assert!(
            Recording::read(Path::new("/no/such/file"))
                .unwrap_err()
                .contains("No such file")
        );
    }
}
