//! A timeline from a CSV file with a figure in each line: `date,app,scenario,metric,value`, and optional further columns.
//!
//! A date is a run. `cpu_model` or `machine` names the machine, `runner` the runner, `variant` the variant of the app, `role` its role; `rustc`,
//! `kernel`, `image` and `version` mean what they mean in a record, and any other column may be named as the cause of a change.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use ::csv::{ReaderBuilder, StringRecord, Trim};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::timeline::{Facts, Kind, Run, Series, Timeline};
use model::{DEFAULT_VARIANT, Metric, Role, SubjectId, runner_labels};

/// Columns that must be there.
const NEEDED: [&str; 5] = ["date", "app", "scenario", "metric", "value"];

/// Why a file cannot be read as a timeline.
#[derive(Debug, thiserror::Error)]
pub enum CsvError {
    #[error("{0}")]
    Csv(#[from] ::csv::Error),
    #[error("it has no column `{0}`; it needs date, app, scenario, metric and value")]
    Lacks(&'static str),
    #[error("it has the column `{0}` twice")]
    Twice(String),
    #[error("line {line}: {reason}")]
    Line { line: u64, reason: String },
    #[error("it has no figures")]
    Empty,
}

/// One line.
struct Line {
    number: u64,
    at: Timestamp,
    subject: SubjectId,
    role: Role,
    scenario: String,
    metric: String,
    value: f64,
    machine: String,
    runner: String,
    facts: Facts,
}

impl Timeline {
    /// Reads a CSV file, whose name is `name`.
    pub fn from_csv(name: &str, content: impl Read) -> Result<Self, CsvError> {
        let lines = read(content)?;
        let dates: BTreeSet<Timestamp> = lines.iter().map(|line| line.at).collect();
        let places: BTreeMap<Timestamp, usize> = dates.iter().copied().zip(0..).collect();
        let mut runs = vec![Run::default(); dates.len()];
        let mut series: BTreeMap<(String, String), Series> = BTreeMap::new();
        let mut runners = BTreeMap::new();
        for line in lines {
            let at = places[&line.at];
            let run = &mut runs[at];
            let runner = runners.entry(labels(&line.runner)).or_insert(line.runner).clone();
            (run.at, run.machine, run.runner) = (line.at, line.machine, runner);
            run.id = line.at.strftime("%Y-%m-%dT%H:%MZ").to_string().replace("T00:00Z", "");
            run.builds.entry(line.subject.clone()).or_default().extend(line.facts);
            let more_is_better = Metric::from_id(&line.metric).map(Metric::more_is_better);
            let new = || Series::empty(&line.scenario, &line.metric, more_is_better, places.len());
            let key = (line.scenario.clone(), line.metric.clone());
            let series = series.entry(key).or_insert_with(new);
            if series.put(line.role, line.subject, at, line.value).is_some() {
                return Err(CsvError::Line {
                    line: line.number,
                    reason: "a second value of this app, scenario and metric on this date".to_owned(),
                });
            }
        }
        if runs.is_empty() {
            return Err(CsvError::Empty);
        }
        Ok(Self {
            lane: name.to_owned(),
            profile: None,
            runs,
            series: series.into_values().collect(),
        })
    }
}

fn read(mut content: impl Read) -> Result<Vec<Line>, CsvError> {
    let mut text = Vec::new();
    content.read_to_end(&mut text).map_err(::csv::Error::from)?;
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter(&text))
        .trim(Trim::All)
        .from_reader(&*text);
    let header = reader.headers()?.clone();
    let twice = |(place, column): &(usize, &str)| header.iter().take(*place).any(|before| is_called(before, column));
    if let Some((_, column)) = header.iter().enumerate().find(twice) {
        return Err(CsvError::Twice(column.to_owned()));
    }
    let lacks = |needed: &&str| !header.iter().any(|column| is_called(column, needed));
    if let Some(lacks) = NEEDED.into_iter().find(lacks) {
        return Err(CsvError::Lacks(lacks));
    }
    let line = |record: Result<StringRecord, ::csv::Error>| {
        let record = record?;
        let number = record.position().map_or(0, ::csv::Position::line);
        line(&header, &record, number).map_err(|reason| CsvError::Line { line: number, reason })
    };
    reader.records().map(line).collect()
}

/// Names of columns are compared without case.
fn is_called(column: &str, name: &str) -> bool {
    column.eq_ignore_ascii_case(name)
}

/// The labels in a column `runner`, which may be a JSON array.
fn labels(runner: &str) -> BTreeSet<String> {
    let labels = runner.trim_matches(['[', ']']).split(',');
    runner_labels(labels.map(|label| label.trim().trim_matches('"')))
}

/// What is between the columns: a comma, or what spreadsheets write where a comma is in numbers.
fn delimiter(text: &[u8]) -> u8 {
    let header = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let between = [b',', b';', b'\t'].into_iter().find(|between| header.contains(between));
    between.unwrap_or(b',')
}

fn line(header: &StringRecord, record: &StringRecord, number: u64) -> Result<Line, String> {
    let mut fields: Vec<(&str, &str)> = header.iter().zip(record).collect();
    let mut take = |name: &str| {
        let place = fields.iter().position(|(column, _)| is_called(column, name));
        place.map_or("", |place| fields.swap_remove(place).1).to_owned()
    };
    let mut name = |column: &str| {
        Some(take(column))
            .filter(|name| !name.is_empty())
            .ok_or(format!("`{column}` is empty"))
    };
    let (app, scenario, metric) = (name("app")?, name("scenario")?, name("metric")?);
    let at = date(&take("date"))?;
    let value = take("value");
    let value: f64 = value.parse().map_err(|_| match value.replacen(',', ".", 1) {
        point if point.parse::<f64>().is_ok() => format!("`value` is not a number; write {point} for {value}"),
        _ => "`value` is not a number".to_owned(),
    })?;
    if !(value.is_finite() && value > 0.0) {
        return Err(format!(
            "`value` is {value}, and only figures above 0 can be compared by ratios"
        ));
    }
    let role = match take("role").to_lowercase().as_str() {
        "" | "framework" => Role::Framework,
        "reference" => Role::Reference,
        "ceiling" => Role::Ceiling,
        _ => return Err("`role` is not framework, reference or ceiling".to_owned()),
    };
    let variant = Some(take("variant")).filter(|variant| !variant.is_empty());
    let machine = [take("cpu_model"), take("machine")].join(" ").trim().to_owned();
    let runner = take("runner");
    let fact = |(column, value): (&str, &str)| {
        let id = column.to_lowercase();
        let fact = match id.as_str() {
            "version" => (Kind::Framework, app.clone()),
            "rustc" => (Kind::Rustc, id),
            "kernel" => (Kind::Kernel, id),
            "image" => (Kind::Image, id),
            _ => (Kind::Column, column.to_owned()),
        };
        (fact, value.to_owned())
    };
    Ok(Line {
        number,
        at,
        facts: fields.into_iter().map(fact).collect(),
        subject: SubjectId::new(&app, variant.as_deref().unwrap_or(DEFAULT_VARIANT)),
        role,
        scenario,
        metric,
        value,
        machine,
        runner,
    })
}

/// A time with its zone, or a day, which means its midnight in UTC.
fn date(text: &str) -> Result<Timestamp, String> {
    let midnight = |day: Date| day.to_zoned(TimeZone::UTC).ok();
    let day = || Some(midnight(text.parse().ok()?)?.timestamp());
    let time = text.parse().ok().or_else(day);
    time.ok_or_else(|| "`date` is not a date like 2026-11-21 or 2026-11-21T11:00:00Z".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Timeline {
        Timeline::from_csv("figures", text.as_bytes()).unwrap()
    }

    #[test]
    fn lines_in_any_order_are_runs_and_rows() {
        let text = "scenario,date,app,metric,value,rustc,allocator,runner\n\
                    plaintext,2026-11-14,axum,goodput_rps,110,1.95,system,new\n\
                    plaintext,2026-11-07,axum,goodput_rps,100,1.95,system,old\n\
                    plaintext,2026-11-14,rocket,goodput_rps,50.5,1.95,mimalloc,new\n";
        let timeline = read(text);
        let ids: Vec<&str> = timeline.runs.iter().map(|run| run.id.as_str()).collect();
        assert_eq!(ids, ["2026-11-07", "2026-11-14"]);
        let runners: Vec<&str> = timeline.runs.iter().map(|run| run.runner.as_str()).collect();
        assert_eq!(runners, ["old", "new"]);
        let [series] = timeline.series.as_slice() else {
            panic!("one series")
        };
        assert_eq!(series.more_is_better, Some(true));
        assert_eq!(
            series.rows[&SubjectId::new("axum", "default")],
            [Some(100.0), Some(110.0)]
        );
        assert_eq!(series.rows[&SubjectId::new("rocket", "default")], [None, Some(50.5)]);
        let facts = &timeline.runs[1].builds[&SubjectId::new("rocket", "default")];
        let facts: Vec<_> = facts
            .iter()
            .map(|((kind, name), value)| (*kind, name.as_str(), value.as_str()))
            .collect();
        assert_eq!(
            facts,
            [(Kind::Column, "allocator", "mimalloc"), (Kind::Rustc, "rustc", "1.95")]
        );
    }

    #[test]
    fn columns_may_be_between_semicolons_or_tabs() {
        for between in [";", "\t"] {
            let text =
                "date,app,scenario,metric,value\n2026-11-07,axum,plaintext,goodput_rps,100.5\n".replace(',', between);
            let series = &read(&text).series[0];
            assert_eq!(series.rows[&SubjectId::new("axum", "default")], [Some(100.5)]);
        }
    }

    #[test]
    fn columns_roles_and_labels_mean_the_same_in_other_letters_and_labels_in_another_order() {
        let text = "Date,App,scenario,METRIC,value,Role,Runner,Allocator\n\
                    2026-11-07,axum,plaintext,goodput_rps,100,,\"[\"\"self-hosted\"\", \"\"bench\"\"]\",a\n\
                    2026-11-14,hyper,plaintext,goodput_rps,110,Reference,\"Bench, self-hosted\",b\n\
                    2026-11-14,most,plaintext,goodput_rps,120,CEILING,\"Bench, self-hosted\",b\n";
        let timeline = read(text);
        assert_eq!(timeline.series[0].reference, [None, Some(110.0)]);
        assert_eq!(timeline.series[0].rows.len(), 1, "a ceiling is followed by nobody");
        assert_eq!(timeline.runs[1].runner, r#"["self-hosted", "bench"]"#);
        assert_eq!(timeline.segments().len(), 1);
        let facts = &timeline.runs[1].builds[&SubjectId::new("hyper", "default")];
        assert!(
            facts.contains_key(&(Kind::Column, "Allocator".to_owned())),
            "as it is spelt"
        );
    }

    #[test]
    fn what_is_neither_better_nor_worse_is_told_with_the_reason() {
        let told = |lines: &str| read(&format!("date,app,scenario,metric,value,role\n{lines}")).undirected();
        let axum = "2026-11-07,axum,plaintext,goodput_rps,100,\n";
        let reference = "2026-11-07,Reference,plaintext,goodput_rps,110,";
        assert_eq!(told(&format!("{axum}{reference}reference\n")), [""; 0]);
        let only = "so a change is better or worse, and raises an alarm, only where its app alone was built from something else";
        let nothing = format!("no line has the role `reference`, {only}");
        assert_eq!(told(axum), [nothing.as_str()]);
        assert_eq!(
            told(&format!("{axum}{reference}\n")),
            [format!("{nothing}; the app `Reference` is taken for a framework")]
        );
        let hello = axum.replace("plaintext", "hello");
        assert_eq!(
            told(&format!("{axum}{hello}{reference}reference\n")),
            [format!("no line has the role `reference` in hello, {only}")]
        );
        let odd = axum.replace("goodput", "good");
        assert_eq!(
            told(&format!("{odd}{reference}reference\n")),
            ["no record has the metric good_rps, so none of its changes is better or worse",]
        );
        let counted = axum.replace("goodput_rps", "instructions_per_request");
        assert_eq!(told(&counted), [""; 0], "each count is held against its own past");
    }

    #[test]
    fn what_cannot_be_read_is_reported_with_its_line() {
        let header = "date,app,scenario,metric,value\n";
        for (text, expected) in [
            ("", "it has no column `date`"),
            (header, "it has no figures"),
            (
                "date,app,scenario,metric,value,Value\n",
                "it has the column `Value` twice",
            ),
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
                "date,app,scenario,metric,value,role\n2026-11-01,a,s,m,1,judge\n",
                "line 2: `role` is not framework, reference or ceiling",
            ),
        ] {
            let error = Timeline::from_csv("figures", text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(expected), "{expected}: {error}");
        }
    }
}
