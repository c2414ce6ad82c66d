//! What apps cost besides speed.
//!
//! Nothing is ranked: a build is measured once, or a few times in a row, on a machine that does other things too. Counts
//! are exact, but readers decide which of them matter.

use std::slice::from_ref;

use analyze::releases::releases;
use model::escape::{NAME, clean};
use model::{AnswerHead, AppRecord, Cost, CostTools, Costs, Record, RequestCosts, Syscalls};

use super::document::{Block, Cell, Rows, Text, joined, name, own, sentence, text};
use super::table::app;
use super::{figure, labels, table};

/// Names of system calls that are shown; the record has all.
const COMMONEST: usize = 4;
/// What nearly every server sends in the head of an answer.
const USUAL: [&str; 3] = ["content-type", "content-length", "date"];
/// Shown where a figure is not available; the reason is given below.
const NOT_AVAILABLE: &str = "n/a";

const HOW_TO_READ_BUILDS: &str = "The size of the program is given as cargo leaves it, with symbols, and as `strip` leaves it. A clean \
    build compiles all dependencies from scratch, once, without downloads; a rebuild follows a change to the \
    program's main source file (median). Crates are the resolved normal and build dependencies for this target, \
    without this repository's own. ";
const HOW_TO_READ: &str = "The head of an answer is what it sends besides its body, in bytes. Instructions (user space) and system \
    calls are counted one request after the other, over one kept connection unless the scenario opens one for each: under load one wait \
    serves many connections. Nothing here is ranked.";

/// The section of a report; nothing where the run measured no costs.
pub fn section(record: &Record) -> Vec<Block> {
    let apps = table::apps(record);
    let measured = apps.iter().filter_map(|app| Some((*app, app.costs.as_ref()?)));
    let mut rows: Vec<Row> = measured.collect();
    // Stable: by name within a role, frameworks first.
    rows.sort_by_key(|(app, _)| app.role);
    let Some((_, first)) = rows.first() else {
        return Vec::new();
    };
    let built = rows.iter().any(|(_, costs)| costs.build.is_some());
    let tools = measured_with(record, &first.with, built);
    if first.release.is_some() {
        let mut blocks = super::releases::blocks(&releases(from_ref(record)));
        blocks.push(Block::Paragraph(tools));
        return blocks;
    }
    let failed = apps.iter().filter(|app| app.costs.is_none()).filter_map(|app| {
        let error = sentence(app.build_error.as_ref()?);
        Some(text![Text::from(table::label(app)).bold(), " could not be built: ", error].bad())
    });
    // Figures that are not available, by reason: `axum: rebuild`.
    let lacking = rows.iter().flat_map(|(app, costs)| {
        let whose = |(what, reason)| (reason, format!("{}: {what}", table::label(app)));
        lacking(costs).into_iter().map(whose)
    });
    let note = |(reason, whose): (&str, Vec<String>)| {
        let whose = whose.join("; ");
        text![NOT_AVAILABLE, ": ", whose, ": ", sentence(reason)]
    };
    let notes = Block::list(failed.chain(labels::grouped(lacking).into_iter().map(note)));
    let mut blocks = vec![Block::Heading(2, "Costs".into())];
    blocks.extend(built.then(|| builds(&rows)));
    for scenario in &record.scenarios {
        let title = text!["For each request of ", name(&scenario.id).code(), ":"];
        blocks.extend([Block::Paragraph(title), requests(&rows, &scenario.id)]);
    }
    blocks.extend(notes);
    let how = if built { HOW_TO_READ_BUILDS } else { "" };
    blocks.extend([
        Block::paragraph(own(format!("{how}{HOW_TO_READ}"))),
        Block::Paragraph(tools),
    ]);
    blocks
}

type Row<'a> = (&'a AppRecord, &'a Costs);

fn builds(rows: &[Row]) -> Block {
    let seconds = |seconds: &f64| figure::significant(*seconds);
    let rows = rows
        .iter()
        .filter_map(|(app, costs)| Some((*app, costs.build.as_ref()?)));
    Rows::of(rows)
        .words("App", |(one, _)| app(one))
        .figures(Cell::new("Program, MiB", "stripped"), |(app, build)| {
            let stripped = shown(&build.stripped_bytes, |bytes| figure::in_mebibytes(*bytes));
            Cell::new(app.binary_bytes.map(figure::in_mebibytes), stripped)
        })
        .figures("Clean build, s", |(_, build)| {
            shown(&build.clean_build_seconds, seconds)
        })
        .figures("Rebuild, s", |(_, build)| {
            shown(&build.incremental_build_seconds, |found| seconds(&found.median))
        })
        .figures("Crates", |(_, build)| {
            shown(&build.dependencies, |found| found.names.to_string())
        })
        .table()
}

fn requests(rows: &[Row], scenario: &str) -> Block {
    let is_of_scenario = |request: &&RequestCosts| request.scenario == scenario;
    let rows = rows
        .iter()
        .map(|(app, costs)| (*app, costs.requests.iter().find(is_of_scenario)));
    Rows::of(rows)
        .words("App", |(one, _)| app(one))
        .figures("Head, bytes", |(_, one)| {
            Some(shown(&(*one)?.head, |head| head.bytes.to_string()))
        })
        .figures("Instructions", |(_, one)| {
            Some(shown(&(*one)?.instructions, |count| figure::significant(*count)))
        })
        .figures("System calls", |(_, one)| {
            Some(shown(&(*one)?.syscalls, |found| calls(found.total)))
        })
        .words("The commonest", |(_, one)| (*one)?.syscalls.figure().map(commonest))
        .words("What differs in its head", |(_, one)| {
            (*one)?.head.figure().map(differing)
        })
        .table()
}

/// Fields that not every server sends, and those that it lacks.
fn differing(head: &AnswerHead) -> String {
    let has = |name: &str| head.fields.iter().any(|field| field == name);
    let more = head.fields.iter().filter(|field| !USUAL.contains(&field.as_str()));
    let more = more.map(|field| clean(field, NAME));
    let less = USUAL.iter().filter(|name| !has(name)).map(|name| format!("no {name}"));
    more.chain(less).collect::<Vec<_>>().join(", ")
}

/// Every missing figure, and why.
fn lacking(costs: &Costs) -> Vec<(String, &str)> {
    let of_build = costs.build.iter().flat_map(|build| {
        [
            ("size without symbols", build.stripped_bytes.reason()),
            ("clean build", build.clean_build_seconds.reason()),
            ("rebuild", build.incremental_build_seconds.reason()),
            ("crates", build.dependencies.reason()),
        ]
    });
    let of_requests = costs.requests.iter().flat_map(|request| {
        let name = |what: &str| format!("{what} of {}", clean(&request.scenario, NAME));
        [
            (name("head"), request.head.reason()),
            (name("instructions"), request.instructions.reason()),
            (name("system calls"), request.syscalls.reason()),
        ]
    });
    let all = of_build.map(|(what, reason)| (what.to_owned(), reason));
    all.chain(of_requests)
        .filter_map(|(what, reason)| Some((what, reason?)))
        .collect()
}

fn measured_with(record: &Record, tools: &CostTools, built: bool) -> Text {
    let repeated = match record.harness.rounds {
        1 => "once".to_owned(),
        times => format!("{times} times"),
    };
    let how = built.then(|| own(format!(", {} jobs, rebuilt {repeated}", tools.jobs)));
    let found = [&tools.valgrind, &tools.strace, &tools.strip].into_iter().flatten();
    let found = joined(found.map(|version| text!["; ", name(version)]), "");
    text!["Cargo profile ", name(&record.harness.cargo_profile), how, found]
}

fn shown<T>(cost: &Cost<T>, write: impl FnOnce(&T) -> String) -> Text {
    own(cost.figure().map_or(NOT_AVAILABLE.to_owned(), write))
}

fn commonest(found: &Syscalls) -> String {
    let mut names: Vec<_> = found.by_name.iter().collect();
    names.sort_by(|one, other| other.1.total_cmp(one.1)); // stable: by name where equal
    let shown = names.into_iter().take(COMMONEST);
    let shown = shown.map(|(name, count)| format!("{} {}", clean(name, NAME), calls(*count)));
    shown.collect::<Vec<_>>().join(", ")
}

/// Two decimals, or none for a whole number: `4`, `4.02`.
fn calls(count: f64) -> String {
    let text = format!("{count:.2}");
    text.strip_suffix(".00").map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use analyze::history::NoLockfiles;
    use serde_json::{Value, json};

    fn costs(instructions: &Value, name: &str) -> Costs {
        let costs = json!({
            "with": {"jobs": 2, "valgrind": "valgrind-3.19.0", "strace": "strace 6.1"},
            "build": {
                "stripped_bytes": {"not_available": "strip is not installed"},
                "clean_build_seconds": {"measured": 93.21},
                "incremental_build_seconds": {"measured": {"median": 21.0, "each": [20.0, 21.0, 23.0]}},
                "dependencies": {"measured": {"names": 71, "versions": 73}},
            },
            "requests": [{
                "scenario": "plaintext",
                "head": {"measured": {"bytes": 129, "fields": ["content-type", "date", name]}},
                "instructions": instructions,
                "syscalls": {"measured": {
                    "total": 4.54,
                    "by_name": {"recvfrom": 1.0, "sendto": 1.0, name: 2.02, "futex": 0.5, "read": 0.02},
                }},
            }],
        });
        serde_json::from_value(costs).unwrap()
    }

    fn record() -> Record {
        let mut record = samples::record();
        record.trials.clear();
        record.summary.clear();
        record.scenarios.truncate(1);
        record.harness.rounds = 3;
        record.environment.oha = String::new();
        record.apps.truncate(3);
        record.apps[0].costs = Some(costs(&json!({"measured": 12_345.6}), "epoll_wait"));
        let reason = format!("it does not run under valgrind: {}", samples::HOSTILE_REASON);
        record.apps[1].costs = Some(costs(&json!({"not_available": reason}), samples::HOSTILE_NAME));
        record.apps[2].build_error = Some("error[E0308]: mismatched".to_owned());
        record
    }

    #[test]
    fn costs_are_a_section_of_the_report() {
        insta::assert_snapshot!(crate::full_markdown(&record(), Some("charts")));
    }

    #[test]
    fn costs_are_tables_in_a_terminal() {
        insta::assert_snapshot!(crate::full_terminal(&record(), crate::Style::PLAIN));
    }

    #[test]
    fn whatever_else_reads_records_copes_with_one_without_trials() {
        let record = record();
        assert!(record.measures_costs());
        assert_eq!(
            analyze::analysis::summary(&record.apps, &record.scenarios, &record.trials),
            []
        );
        assert!(crate::charts(&record).iter().all(|(_, svg)| svg.ends_with("</svg>\n")));
        assert!(
            !crate::pull_request(
                &record,
                Some(&record),
                &[],
                crate::Links::default(),
                &NoLockfiles,
                &releases(&[])
            )
            .is_empty()
        );
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
        assert!(!text.contains("\"protocols\":null"));
    }

    #[test]
    fn a_run_of_loads_has_no_costs() {
        let record = samples::record();
        assert!(!record.measures_costs() && section(&record).is_empty());
    }
}
