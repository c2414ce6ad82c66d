//! The trials as columns.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::digits::whole;
use super::figure::{Figure, column};
use super::nested::{LatencyColumns, RssColumns};
use super::{COMPARED, SHARE, SHOWN, significant};
use record::{LatencyFigures, Rss, Trial, Verdict};

/// Most trials of a record: more than a week of them.
const MOST: usize = 200_000;

/// A list for each field of a trial, with a place for each trial. A field that is unknown everywhere is not written.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Columns {
    app: Vec<String>,
    variant: Vec<String>,
    scenario: Vec<String>,
    round: Vec<u32>,
    /// Only where it is not the place in the list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    order: Vec<u32>,
    attempt: Vec<u32>,
    /// Whole seconds after the trial before, of the first after the run: differences are small, and small numbers are short.
    started_at: Vec<i64>,
    verdict: Vec<Verdict>,
    reasons: Vec<Vec<String>>,
    requests: BTreeMap<String, Vec<Option<u64>>>,
    errors: BTreeMap<String, Vec<Option<u64>>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    seconds: Vec<Option<Figure>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    goodput_rps: Vec<Option<Figure>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    capacity_rps: Vec<Option<Figure>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    latency_ms: Option<LatencyColumns>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    server_cpu_us_per_request: Vec<Option<Figure>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    instructions_per_request: Vec<Option<Figure>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    server_cpu_share: Vec<Option<Figure>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    generator_cpu_share: Vec<Option<Figure>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    steal_share: Vec<Option<Figure>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    other_cpu_share: Vec<Option<Figure>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    idle_cpu_share: Vec<Option<Figure>>,
    /// 1 where it was driven apart from the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    apart: Vec<Option<u8>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rss_bytes: Option<RssColumns>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    startup_ms: Vec<Option<Figure>>,
}

/// Digits of a count of instructions, which repeats to two in ten thousand.
const COUNTED: usize = 6;

/// Rounds the figures of a trial, and leaves out its slices: what they come to is in its figures.
pub fn round(trial: &mut Trial) {
    trial.slices = None;
    trial.instructions_per_request = trial.instructions_per_request.map(|count| significant(count, COUNTED));
    for figure in [
        &mut trial.goodput_rps,
        &mut trial.capacity_rps,
        &mut trial.server_cpu_us_per_request,
    ] {
        *figure = figure.map(|figure| significant(figure, COMPARED));
    }
    for figure in [&mut trial.seconds, &mut trial.startup_ms] {
        *figure = figure.map(|figure| significant(figure, SHOWN));
    }
    for figure in [
        &mut trial.server_cpu_share,
        &mut trial.generator_cpu_share,
        &mut trial.steal_share,
        &mut trial.other_cpu_share,
        &mut trial.idle_cpu_share,
    ] {
        *figure = figure.map(|figure| significant(figure, SHARE));
    }
    for count in trial.requests.values_mut().chain(trial.errors.values_mut()) {
        *count = whole(*count, SHOWN);
    }
    if let Some(latency) = &mut trial.latency_ms {
        *latency = LatencyFigures::from(*latency)
            .map(|figure| significant(figure, SHOWN))
            .into();
    }
    if let Some(Rss { idle, peak, after }) = &mut trial.rss_bytes {
        for bytes in [idle, peak, after] {
            *bytes = whole(*bytes, SHOWN);
        }
    }
}

impl Columns {
    /// Of the trials of a run that began then, which are rounded already.
    pub fn of(began: Timestamp, trials: &[Trial]) -> Self {
        let figures = |of: fn(&Trial) -> Option<f64>| column(trials.iter().map(|trial| of(trial).map(Figure)));
        let in_place = trials.iter().zip(1..).all(|(trial, place)| trial.order == place);
        Self {
            app: trials.iter().map(|trial| trial.app.clone()).collect(),
            variant: trials.iter().map(|trial| trial.variant.clone()).collect(),
            scenario: trials.iter().map(|trial| trial.scenario.clone()).collect(),
            round: trials.iter().map(|trial| trial.round).collect(),
            order: if in_place {
                Vec::new()
            } else {
                trials.iter().map(|trial| trial.order).collect()
            },
            attempt: trials.iter().map(|trial| trial.attempt).collect(),
            started_at: differences(began, trials),
            verdict: trials.iter().map(|trial| trial.verdict).collect(),
            reasons: trials.iter().map(|trial| trial.reasons.clone()).collect(),
            requests: counts(trials, |trial| &trial.requests),
            errors: counts(trials, |trial| &trial.errors),
            seconds: figures(|trial| trial.seconds),
            goodput_rps: figures(|trial| trial.goodput_rps),
            capacity_rps: figures(|trial| trial.capacity_rps),
            latency_ms: LatencyColumns::of(trials),
            server_cpu_us_per_request: figures(|trial| trial.server_cpu_us_per_request),
            instructions_per_request: figures(|trial| trial.instructions_per_request),
            server_cpu_share: figures(|trial| trial.server_cpu_share),
            generator_cpu_share: figures(|trial| trial.generator_cpu_share),
            steal_share: figures(|trial| trial.steal_share),
            other_cpu_share: figures(|trial| trial.other_cpu_share),
            idle_cpu_share: figures(|trial| trial.idle_cpu_share),
            apart: column(trials.iter().map(|trial| trial.apart.then_some(1))),
            rss_bytes: RssColumns::of(trials),
            startup_ms: figures(|trial| trial.startup_ms),
        }
    }

    /// The trials of a run that began then.
    pub fn rows(self, began: Timestamp) -> Result<Vec<Trial>, String> {
        let rows = self.app.len();
        if rows > MOST {
            return Err(format!("it has more than {MOST} trials"));
        }
        self.fit(rows)?;
        let mut trials = Vec::with_capacity(rows);
        let mut clock = began;
        for row in 0..rows {
            clock = clock
                .checked_add(SignedDuration::from_secs(self.started_at[row]))
                .map_err(|_| "`started_at` of its trials leads out of all time".to_owned())?;
            let place = u32::try_from(row + 1).unwrap_or(u32::MAX);
            trials.push(Trial {
                slices: None,
                app: self.app[row].clone(),
                variant: self.variant[row].clone(),
                scenario: self.scenario[row].clone(),
                round: self.round[row],
                order: self.order.get(row).copied().unwrap_or(place),
                attempt: self.attempt[row],
                started_at: clock,
                verdict: self.verdict[row],
                reasons: self.reasons[row].clone(),
                requests: counted(&self.requests, row),
                errors: counted(&self.errors, row),
                seconds: at(&self.seconds, row),
                goodput_rps: at(&self.goodput_rps, row),
                capacity_rps: at(&self.capacity_rps, row),
                latency_ms: match &self.latency_ms {
                    Some(latency) => latency.at(row)?,
                    None => None,
                },
                server_cpu_us_per_request: at(&self.server_cpu_us_per_request, row),
                instructions_per_request: at(&self.instructions_per_request, row),
                server_cpu_share: at(&self.server_cpu_share, row),
                generator_cpu_share: at(&self.generator_cpu_share, row),
                steal_share: at(&self.steal_share, row),
                other_cpu_share: at(&self.other_cpu_share, row),
                idle_cpu_share: at(&self.idle_cpu_share, row),
                apart: self.apart.get(row).copied().flatten() == Some(1),
                rss_bytes: match &self.rss_bytes {
                    Some(rss) => rss.at(row)?,
                    None => None,
                },
                startup_ms: at(&self.startup_ms, row),
            });
        }
        Ok(trials)
    }

    /// Refuses columns that have not a place for each trial.
    fn fit(&self, rows: usize) -> Result<(), String> {
        for (name, length) in [
            ("variant", self.variant.len()),
            ("scenario", self.scenario.len()),
            ("round", self.round.len()),
            ("attempt", self.attempt.len()),
            ("started_at", self.started_at.len()),
            ("verdict", self.verdict.len()),
            ("reasons", self.reasons.len()),
        ] {
            same_length(name, length, rows)?;
        }
        for (name, length) in [("order", self.order.len()), ("apart", self.apart.len())] {
            if length > 0 {
                same_length(name, length, rows)?;
            }
        }
        for (name, column) in [
            ("seconds", &self.seconds),
            ("goodput_rps", &self.goodput_rps),
            ("capacity_rps", &self.capacity_rps),
            ("server_cpu_us_per_request", &self.server_cpu_us_per_request),
            ("instructions_per_request", &self.instructions_per_request),
            ("server_cpu_share", &self.server_cpu_share),
            ("generator_cpu_share", &self.generator_cpu_share),
            ("steal_share", &self.steal_share),
            ("other_cpu_share", &self.other_cpu_share),
            ("idle_cpu_share", &self.idle_cpu_share),
            ("startup_ms", &self.startup_ms),
        ] {
            if !column.is_empty() {
                same_length(name, column.len(), rows)?;
            }
        }
        for (name, counts) in [("requests", &self.requests), ("errors", &self.errors)] {
            counts
                .values()
                .try_for_each(|column| same_length(name, column.len(), rows))?;
        }
        self.latency_ms.iter().try_for_each(|latency| latency.fit(rows))?;
        self.rss_bytes.iter().try_for_each(|rss| rss.fit(rows))
    }
}

/// Refuses a column that has not one place for each row.
pub fn same_length(name: &str, length: usize, rows: usize) -> Result<(), String> {
    if length == rows {
        return Ok(());
    }
    Err(format!(
        "its column `{name}` has {length} places, and there are {rows} rows"
    ))
}

/// The figure in a row of a column, which is not there where nothing is known.
pub fn at(column: &[Option<Figure>], row: usize) -> Option<f64> {
    column.get(row).copied().flatten().map(|figure| figure.0)
}

fn differences(began: Timestamp, trials: &[Trial]) -> Vec<i64> {
    let mut before = 0;
    let mut difference = |trial: &Trial| {
        let after = trial.started_at.duration_since(began);
        // Downwards, also where a trial began before its run: restored times are never late.
        let seconds = after.as_secs() - i64::from(after.subsec_nanos() < 0);
        let difference = seconds - before;
        before = seconds;
        difference
    };
    trials.iter().map(&mut difference).collect()
}

fn counts(trials: &[Trial], of: fn(&Trial) -> &BTreeMap<String, u64>) -> BTreeMap<String, Vec<Option<u64>>> {
    let names: std::collections::BTreeSet<&String> = trials.iter().flat_map(|trial| of(trial).keys()).collect();
    let counts = |name: &String| trials.iter().map(|trial| of(trial).get(name).copied()).collect();
    names.into_iter().map(|name| (name.clone(), counts(name))).collect()
}

fn counted(columns: &BTreeMap<String, Vec<Option<u64>>>, row: usize) -> BTreeMap<String, u64> {
    let count = |(name, column): (&String, &Vec<Option<u64>>)| Some((name.clone(), column[row]?));
    columns.iter().filter_map(count).collect()
}
