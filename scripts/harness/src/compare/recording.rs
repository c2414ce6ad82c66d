//! Pairs of the same program on both sides, kept: what a rehearsal draws its comparisons from.
//!
//! A recording is made by `bench compare --self-test --record`. A comparison of two revisions that do not differ in what
//! they do holds such pairs as well, and several may be pooled.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gates::Gauge;
use super::outcome::{Comparison, Pair};
use crate::record::Environment;
use crate::store;

/// Largest file that is read; a comparison has some ten kilobytes.
const LARGEST: u64 = 16 << 20;

/// Pairs of the same program on both sides, as recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    /// App that was measured against itself.
    pub app: String,
    /// Its version and those of the tools, machine.
    pub environment: Environment,
    /// Each series, with one value of base and one of head for each pair; all have as many.
    pub series: Vec<Recorded>,
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
    /// Of series that were measured together; the pairs that not all of them have are left out.
    pub fn new(app: &str, environment: Environment, mut series: Vec<Recorded>) -> Result<Self, String> {
        let shortest = series
            .iter()
            .map(|series| series.base.len().min(series.head.len()))
            .min();
        let Some(shortest @ 1..) = shortest else {
            return Err("no pair was measured".into());
        };
        for series in &mut series {
            series.base.truncate(shortest);
            series.head.truncate(shortest);
            let values = series.base.iter().chain(&series.head);
            if !values.clone().all(|value| value.is_finite() && *value > 0.0) {
                return Err(format!("{}: values above 0 are needed", series.scenario));
            }
        }
        Ok(Self {
            app: app.to_owned(),
            environment,
            series,
        })
    }

    /// The pairs of a comparison, which must be of one app.
    fn of(comparison: Comparison) -> Result<Self, String> {
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
        let series = comparison.series.iter();
        let series = series.map(|series| Recorded::new(&series.scenario, series.gauge, series.judged, &series.pairs));
        Self::new(&app, environment, series.collect())
    }

    /// These pairs and those of another recording of the same app, scenarios and metrics on the same kind of cpu.
    pub fn pooled(mut self, other: Self) -> Result<Self, String> {
        if self.app != other.app || self.environment.cpu_model != other.environment.cpu_model {
            return Err("it is of another app or cpu than the one before".into());
        }
        let same = |(one, other): (&Recorded, &Recorded)| (&one.scenario, one.gauge) == (&other.scenario, other.gauge);
        if self.series.len() != other.series.len() || !self.series.iter().zip(&other.series).all(same) {
            return Err("it has other scenarios or metrics than the one before".into());
        }
        for (own, other) in self.series.iter_mut().zip(other.series) {
            own.judged &= other.judged;
            own.base.extend(other.base);
            own.head.extend(other.head);
        }
        Ok(self)
    }

    /// Reads a recording, or takes the pairs of a comparison.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = store::read_text(path, LARGEST).map_err(|error| error.to_string())?;
        let value: serde_json::Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        if value.get("decision").is_some() {
            return Self::of(serde_json::from_value(value).map_err(|error| error.to_string())?);
        }
        let read: Self = serde_json::from_value(value).map_err(|error| error.to_string())?;
        Self::new(&read.app, read.environment, read.series)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::report::sample;

    fn recording(values: &[f64]) -> Result<Recording, String> {
        let series = |gauge| Recorded {
            scenario: "plaintext".into(),
            gauge,
            judged: true,
            base: values.to_vec(),
            head: values.to_vec(),
        };
        let mut all = vec![series(Gauge::ServerCpuUsPerRequest), series(Gauge::GoodputRps)];
        all[1].base.push(7.0);
        all[1].head.push(7.0);
        Recording::new("axum", sample::record().environment, all)
    }

    #[test]
    fn only_whole_pairs_of_all_series_are_kept() {
        let recording = recording(&[1.0, 2.0]).unwrap();
        assert!(recording.series.iter().all(|series| series.base == [1.0, 2.0]));
    }

    #[test]
    fn recordings_are_pooled_if_they_are_of_the_same() {
        let one = recording(&[1.0]).unwrap();
        let pooled = one.clone().pooled(recording(&[2.0, 3.0]).unwrap()).unwrap();
        assert_eq!(pooled.series[0].head, [1.0, 2.0, 3.0]);
        let mut other = one.clone();
        other.series[0].judged = false;
        assert!(!one.clone().pooled(other.clone()).unwrap().series[0].judged);
        other.series.pop();
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
