//! A past from a CSV file with a figure in each line: `date,app,scenario,metric,value`, and optional further columns.
//!
//! A date is a run. `cpu_model` or `machine` names the machine, `runner` the runner, `variant` the variant of the app; `rustc`, `kernel`, `image` and
//! `version` mean what they mean in a record, and any other column may be named as the cause of a change.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use ::csv::{ReaderBuilder, StringRecord};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::past::{Fact, Facts, Kind, Past, Run, Series};
use record::DEFAULT_VARIANT;
use record::Metric;
use record::SubjectId;

/// Columns that must be there.
const NEEDED: [&str; 5] = ["date", "app", "scenario", "metric", "value"];
/// Most lines: five years of weekly runs of 20 apps, 12 scenarios and 5 metrics are a third of a million.
const MOST_LINES: usize = 2_000_000;
/// Most dates, each of which is a column of every table: eight years of daily runs.
const MOST_DATES: usize = 3000;
/// Most apps, scenarios and metrics together: a hundred apps with a hundred figures each.
const MOST_ROWS: usize = 10_000;
/// Longest field in bytes.
const LONGEST: usize = 200;

/// Why a file cannot be read as a past.
#[derive(Debug, thiserror::Error)]
pub enum CsvError {
    /// It is not CSV.
    #[error("{0}")]
    Csv(#[from] ::csv::Error),
    /// A column is missing.
    #[error("it has no column `{0}`; it needs date, app, scenario, metric and value")]
    Lacks(&'static str),
    /// A line is not what it should be.
    #[error("line {line}: {reason}")]
    Line {
        /// Its number, from 1.
        line: u64,
        /// What is wrong in it.
        reason: String,
    },
    /// It has more than can be judged.
    #[error("it has {1} {0}, and at most {2} can be judged; leave some out")]
    TooMany(&'static str, usize, usize),
    /// It is empty.
    #[error("it has no figures")]
    Empty,
}

/// One line.
struct LongFormLine {
    line: u64,
    at: Timestamp,
    subject: SubjectId,
    scenario: String,
    metric: String,
    value: f64,
    machine: String,
    runner: String,
    facts: Facts,
}

impl Past {
    /// Reads a CSV file, whose name is `name`.
    pub fn from_csv(name: &str, content: impl Read) -> Result<Self, CsvError> {
        let figures = read(content)?;
        let dates: BTreeSet<Timestamp> = figures.iter().map(|figure| figure.at).collect();
        if dates.is_empty() {
            return Err(CsvError::Empty);
        }
        if dates.len() > MOST_DATES {
            return Err(CsvError::TooMany("dates", dates.len(), MOST_DATES));
        }
        let places: BTreeMap<Timestamp, usize> = dates.iter().copied().zip(0..).collect();
        let mut runs: Vec<Run> = dates.iter().map(|date| empty(*date)).collect();
        let mut series: BTreeMap<(String, String), Series> = BTreeMap::new();
        let mut count = 0;
        for figure in figures {
            let run = places[&figure.at];
            runs[run].machine = figure.machine;
            runs[run].runner = figure.runner;
            runs[run]
                .builds
                .entry(figure.subject.clone())
                .or_default()
                .extend(figure.facts);
            let key = (figure.scenario.clone(), figure.metric.clone());
            let more_is_better = Metric::from_id(&figure.metric).map(Metric::more_is_better);
            let new = || Series::empty(&figure.scenario, &figure.metric, more_is_better, runs.len());
            let rows = &mut series.entry(key).or_insert_with(new).rows;
            let row = rows.entry(figure.subject).or_insert_with(|| {
                count += 1;
                vec![None; runs.len()]
            });
            if count > MOST_ROWS {
                return Err(CsvError::TooMany(
                    "apps, scenarios and metrics together",
                    count,
                    MOST_ROWS,
                ));
            }
            if row[run].replace(figure.value).is_some() {
                let reason = "a second value of this app, scenario and metric on this date".to_owned();
                return Err(CsvError::Line {
                    line: figure.line,
                    reason,
                });
            }
        }
        Ok(Self {
            lane: name.to_owned(),
            profile: None,
            runs,
            series: series.into_values().collect(),
        })
    }
}

fn empty(at: Timestamp) -> Run {
    Run {
        id: at.strftime("%Y-%m-%dT%H:%MZ").to_string().replace("T00:00Z", ""),
        at,
        machine: String::new(),
        runner: String::new(),
        commit: None,
        surroundings: Facts::new(),
        builds: BTreeMap::new(),
    }
}

fn read(content: impl Read) -> Result<Vec<LongFormLine>, CsvError> {
    let mut reader = ReaderBuilder::new().trim(::csv::Trim::All).from_reader(content);
    let header = reader.headers()?.clone();
    for needed in NEEDED {
        if !header.iter().any(|column| column == needed) {
            return Err(CsvError::Lacks(needed));
        }
    }
    let mut figures = Vec::new();
    for record in reader.records() {
        let record = record?;
        let line = record.position().map_or(0, ::csv::Position::line);
        if figures.len() == MOST_LINES {
            let reason = format!("it has more than {MOST_LINES} figures");
            return Err(CsvError::Line { line, reason });
        }
        figures.push(figure(&header, &record, line).map_err(|reason| CsvError::Line { line, reason })?);
    }
    Ok(figures)
}

fn figure(header: &StringRecord, record: &StringRecord, line: u64) -> Result<LongFormLine, String> {
    let mut fields: BTreeMap<&str, &str> = header.iter().zip(record).collect();
    if let Some((column, _)) = fields.iter().find(|(_, field)| field.len() > LONGEST) {
        return Err(format!("`{column}` has more than {LONGEST} bytes"));
    }
    let mut take = |column: &str| fields.remove(column).unwrap_or_default();
    let mut name = |column: &str| match take(column) {
        "" => Err(format!("`{column}` is empty")),
        name => Ok(name.to_owned()),
    };
    let (app, scenario, metric) = (name("app")?, name("scenario")?, name("metric")?);
    let at = date(take("date"))?;
    let value: f64 = take("value")
        .parse()
        .map_err(|_| "`value` is not a number".to_owned())?;
    if !(value.is_finite() && value > 0.0) {
        return Err(format!(
            "`value` is {value}, and only figures above 0 can be compared by ratios"
        ));
    }
    let variant = Some(take("variant")).filter(|variant| !variant.is_empty());
    let machine = [take("cpu_model"), take("machine")].join(" ").trim().to_owned();
    let runner = take("runner").to_owned();
    let facts = fields.into_iter().map(|(column, value)| {
        let kind = match column {
            "version" => Kind::Framework,
            "rustc" => Kind::Rustc,
            "kernel" => Kind::Kernel,
            "image" => Kind::Image,
            _ => Kind::Column,
        };
        let name = if kind == Kind::Framework { &app } else { column };
        let fact = Fact {
            kind,
            name: name.to_owned(),
        };
        (fact, value.to_owned())
    });
    Ok(LongFormLine {
        line,
        at,
        facts: facts.collect(),
        subject: SubjectId::new(&app, variant.unwrap_or(DEFAULT_VARIANT)),
        scenario,
        metric,
        value,
        machine,
        runner,
    })
}

/// A time with its zone, or a day, which means its midnight in UTC.
fn date(text: &str) -> Result<Timestamp, String> {
    let day = || {
        text.parse::<Date>()
            .ok()?
            .to_zoned(TimeZone::UTC)
            .ok()
            .map(|day| day.timestamp())
    };
    let time = text.parse::<Timestamp>().ok().or_else(day);
    time.ok_or_else(|| "`date` is not a date like 2026-11-21 or 2026-11-21T11:00:00Z".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_error(text: &str) -> String {
        Past::from_csv("figures", text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn lines_in_any_order_are_runs_and_rows() {
        let text = "scenario,date,app,metric,value,rustc,allocator,runner\n\
                    plaintext,2026-11-14,axum,goodput_rps,110,1.95,system,new\n\
                    plaintext,2026-11-07,axum,goodput_rps,100,1.95,system,old\n\
                    plaintext,2026-11-14,rocket,goodput_rps,50.5,1.95,mimalloc,new\n";
        let past = Past::from_csv("figures", text.as_bytes()).unwrap();
        let ids: Vec<&str> = past.runs.iter().map(|run| run.id.as_str()).collect();
        assert_eq!(ids, ["2026-11-07", "2026-11-14"]);
        let runners: Vec<&str> = past.runs.iter().map(|run| run.runner.as_str()).collect();
        assert_eq!(runners, ["old", "new"]);
        let [series] = past.series.as_slice() else {
            panic!("one series")
        };
        assert_eq!(series.more_is_better, Some(true));
        assert_eq!(
            series.rows[&SubjectId::new("axum", "default")],
            [Some(100.0), Some(110.0)]
        );
        assert_eq!(series.rows[&SubjectId::new("rocket", "default")], [None, Some(50.5)]);
        let facts = &past.runs[1].builds[&SubjectId::new("rocket", "default")];
        let facts: Vec<_> = facts
            .iter()
            .map(|(fact, value)| (fact.kind, fact.name.as_str(), value.as_str()))
            .collect();
        assert_eq!(
            facts,
            [(Kind::Column, "allocator", "mimalloc"), (Kind::Rustc, "rustc", "1.95")]
        );
    }

    #[test]
    fn a_table_that_no_memory_holds_is_refused() {
        let header = "date,app,scenario,metric,value\n";
        let begin: Date = "2000-01-01".parse().unwrap();
        let dates = (0..=3000).map(|day| format!("{},a,s,m,1\n", begin + jiff::Span::new().days(day)));
        let apps = (0..=10_000).map(|app| format!("2026-11-01,a{app},s,m,1\n"));
        let dates = read_error(&[header.to_owned()].into_iter().chain(dates).collect::<String>());
        let apps = read_error(&[header.to_owned()].into_iter().chain(apps).collect::<String>());
        assert_eq!(
            dates,
            "it has 3001 dates, and at most 3000 can be judged; leave some out"
        );
        assert!(
            apps.starts_with("it has 10001 apps, scenarios and metrics together"),
            "{apps}"
        );
    }

    #[test]
    fn what_cannot_be_read_is_told_with_its_line() {
        let header = "date,app,scenario,metric,value\n";
        for (text, told) in [
            ("date,app,scenario,value\n", "it has no column `metric`"),
            ("", "it has no column `date`"),
            (header, "it has no figures"),
            (&format!("{header}2026-13-01,a,s,m,1\n"), "line 2: `date` is not a date"),
            (
                &format!("{header}2026-11-01,a,s,m,1\n2026-11-08,a,s,m,fast\n"),
                "line 3: `value` is not a number",
            ),
            (&format!("{header}2026-11-01,a,s,m,0\n"), "line 2: `value` is 0"),
            (&format!("{header}2026-11-01,a,s,m,inf\n"), "line 2: `value` is inf"),
            (&format!("{header}2026-11-01,,s,m,1\n"), "line 2: `app` is empty"),
            (
                &format!("{header}2026-11-01,a,s,m,1\n2026-11-01,a,s,m,2\n"),
                "line 3: a second value",
            ),
            (&format!("{header}2026-11-01,a,s,m\n"), "found record with 4 fields"),
            (
                &format!("{header}2026-11-01,{},s,m,1\n", "a".repeat(201)),
                "line 2: `app` has more than 200 bytes",
            ),
        ] {
            let error = read_error(text);
            assert!(error.contains(told), "{told}: {error}");
        }
    }
}
