//! What apps cost beside their speed, as a table in Markdown and in a terminal.
//!
//! Nothing is ranked: a build is measured once, or a few times in a row, on a machine that does other things too. Counts
//! are exact, but readers decide which of them matter.

use std::collections::BTreeMap;

use crate::report::figure;
use crate::report::table;
use crate::report::table::{NAME_WIDTH, wrapped};
use crate::report::view;
use record::escape;
use record::escape::{NAME, SENTENCE, clean, cut};
use record::scenario::Scenario;
use record::{AppRecord, Cost, CostTools, Costs, Record, RequestCosts, Role, Syscalls};

/// Names of system calls that are shown; the record has all.
const COMMONEST: usize = 4;
/// Shown where a figure is not available; the reason is given below.
const NOT_AVAILABLE: &str = "n/a";

const HOW_TO_READ: &str = "The size of the program is given as cargo leaves it, with symbols, and as `strip` leaves it. A clean build \
    compiles all dependencies from scratch, once, without downloads; a rebuild follows a change to the \
    program's main source file (median). Crates are the resolved normal and build dependencies for this target, \
    without this repository's own. Instructions (user space) and system calls are counted over one kept connection, \
    one request after the other: under load one wait serves many connections. Nothing here is ranked.";

/// What the tables of one record show.
struct View<'a> {
    rows: Vec<(String, Role, &'a AppRecord, &'a Costs)>,
    failed: Vec<(String, String)>,
    /// Figures that are not available, by reason: `axum: rebuild`.
    reasons: BTreeMap<String, Vec<String>>,
}

impl<'a> View<'a> {
    fn new(record: &'a Record) -> Self {
        let mut view = Self {
            rows: Vec::new(),
            failed: Vec::new(),
            reasons: BTreeMap::new(),
        };
        for subject in view::subjects(record) {
            let label = subject.label();
            let Some(app) = subject.app else { continue };
            match (&app.costs, &app.build_error) {
                (Some(costs), _) => view.rows.push((label, app.role, app, costs)),
                (None, Some(error)) => view.failed.push((label, clean(error, SENTENCE))),
                (None, None) => {}
            }
        }
        // Stable: by name within a role, frameworks first.
        view.rows.sort_by_key(|(_, role, ..)| *role);
        for (label, _, _, costs) in &view.rows {
            for (what, reason) in lacking(costs) {
                let reason = clean(reason, SENTENCE);
                view.reasons.entry(reason).or_default().push(format!("{label}: {what}"));
            }
        }
        view
    }

    fn tools(&self) -> Option<&CostTools> {
        self.rows.first().map(|(.., costs)| &costs.with)
    }
}

/// Every missing figure, and why.
fn lacking(costs: &Costs) -> Vec<(String, &str)> {
    let of_build = [
        ("size without symbols", costs.stripped_bytes.reason()),
        ("clean build", costs.clean_build_seconds.reason()),
        ("rebuild", costs.incremental_build_seconds.reason()),
        ("crates", costs.dependencies.reason()),
    ];
    let of_requests = costs.requests.iter().flat_map(|request| {
        let name = |what: &str| format!("{what} of {}", clean(&request.scenario, NAME));
        [
            (name("instructions"), request.instructions.reason()),
            (name("system calls"), request.syscalls.reason()),
        ]
    });
    let all = of_build.into_iter().map(|(what, reason)| (what.to_owned(), reason));
    all.chain(of_requests)
        .filter_map(|(what, reason)| Some((what, reason?)))
        .collect()
}

/// The section of a Markdown report; `None` where the run did not ask for costs.
#[must_use]
pub fn markdown(record: &Record) -> Option<String> {
    let view = View::new(record);
    let tools = view.tools()?;
    let mut blocks = vec!["## Costs".to_owned(), markdown_grid(record, &view)];
    let failed = view.failed.iter().map(|(label, error)| {
        format!(
            "- **{}** could not be built: {}",
            escape::markdown(label),
            escape::markdown(error)
        )
    });
    let reasons = view.reasons.iter().map(|(reason, whose)| {
        let whose: Vec<_> = whose.iter().map(|who| escape::markdown(who)).collect();
        format!("- {NOT_AVAILABLE}: {}: {}", whose.join("; "), escape::markdown(reason))
    });
    let notes: Vec<_> = failed.chain(reasons).collect();
    if !notes.is_empty() {
        blocks.push(notes.join("\n"));
    }
    blocks.push(HOW_TO_READ.to_owned());
    blocks.push(escape::markdown(&measured_with(record, tools)));
    Some(blocks.join("\n\n"))
}

fn markdown_grid(record: &Record, view: &View) -> String {
    let mut header = ["App", "Program, MiB", "Clean build, s", "Rebuild, s", "Crates"]
        .map(str::to_owned)
        .to_vec();
    for scenario in &record.scenarios {
        let id = escape::markdown_id(&scenario.id);
        header.push(format!("Instructions/req {id}"));
        header.push(format!("System calls/req {id}"));
    }
    let rows = view.rows.iter().map(|(label, role, app, costs)| {
        let mut cells = vec![
            markdown_name(label, *role, app),
            with_small(&binary(app), &shown(&costs.stripped_bytes, |bytes| mebibytes(*bytes))),
            shown(&costs.clean_build_seconds, |seconds| figure::significant(*seconds)),
            shown(&costs.incremental_build_seconds, |found| {
                figure::significant(found.median)
            }),
            shown(&costs.dependencies, |found| found.names.to_string()),
        ];
        for scenario in &record.scenarios {
            let (instructions, syscalls) = request_cells(costs, scenario);
            let (total, commonest) = syscalls;
            cells.push(instructions);
            cells.push(with_small(&total, &escape::markdown(&commonest)));
        }
        cells
    });
    table::markdown(&header, &[0], rows)
}

fn markdown_name(label: &str, role: Role, app: &AppRecord) -> String {
    let name = escape::markdown(label);
    let version = escape::markdown_name(&app.framework_version);
    match role {
        Role::Framework => with_small(&name, &version),
        Role::Reference | Role::Ceiling => format!("*{name}*"),
    }
}

fn with_small(figure: &str, small: &str) -> String {
    match small {
        "" => figure.to_owned(),
        small => format!("{figure}<br><sub>{small}</sub>"),
    }
}

/// The tables for a terminal; nothing where the run did not ask for costs.
#[must_use]
pub fn terminal(record: &Record) -> Vec<String> {
    let view = View::new(record);
    let Some(tools) = view.tools() else {
        return Vec::new();
    };
    let mut lines = wrapped("", &measured_with(record, tools));
    lines.push(String::new());
    let rows = view.rows.iter().map(|(label, _, app, costs)| {
        vec![
            cut(label, NAME_WIDTH),
            binary(app),
            shown(&costs.stripped_bytes, |bytes| mebibytes(*bytes)),
            shown(&costs.clean_build_seconds, |seconds| figure::significant(*seconds)),
            shown(&costs.incremental_build_seconds, |found| {
                figure::significant(found.median)
            }),
            shown(&costs.dependencies, |found| found.names.to_string()),
        ]
    });
    let header = ["app", "MiB", "stripped", "clean s", "rebuild s", "crates"];
    lines.extend(table::terminal(header, &[0], rows));
    for scenario in &record.scenarios {
        lines.push(String::new());
        lines.push(format!("{}: for each request", clean(&scenario.id, NAME)));
        let rows = view.rows.iter().map(|(label, _, _, costs)| {
            let (instructions, (total, commonest)) = request_cells(costs, scenario);
            vec![cut(label, NAME_WIDTH), instructions, total, commonest]
        });
        let header = ["app", "instructions", "syscalls", "the commonest"];
        lines.extend(table::terminal(header, &[0, 3], rows));
    }
    lines.push(String::new());
    let failed = view.failed.iter();
    let failed = failed.map(|(label, error)| format!("failed: {label} could not be built: {error}"));
    let reasons = view.reasons.iter();
    let reasons = reasons.map(|(reason, whose)| format!("{NOT_AVAILABLE}: {}: {reason}", whose.join("; ")));
    let prose = failed.chain(reasons).chain([HOW_TO_READ.to_owned()]);
    lines.extend(prose.flat_map(|text| wrapped("", &text)));
    lines
}

fn measured_with(record: &Record, tools: &CostTools) -> String {
    let named = |tool: &Option<String>| tool.as_ref().map(|version| clean(version, NAME));
    let tools_found: Vec<_> = [&tools.valgrind, &tools.strace, &tools.strip]
        .into_iter()
        .filter_map(named)
        .collect();
    let repeated = match record.harness.rounds {
        1 => "once".to_owned(),
        times => format!("{times} times"),
    };
    let mut text = format!(
        "Cargo profile {}, {} jobs, rebuilt {repeated}",
        clean(&record.harness.cargo_profile, NAME),
        tools.jobs
    );
    for tool in tools_found {
        text = text + "; " + &tool;
    }
    text
}

fn binary(app: &AppRecord) -> String {
    app.binary_bytes.map_or(figure::NONE.to_owned(), mebibytes)
}

/// A size in MiB without the unit, which stands above.
fn mebibytes(bytes: u64) -> String {
    figure::mebibytes(bytes).trim_end_matches(" MiB").to_owned()
}

fn shown<T>(cost: &Cost<T>, write: impl FnOnce(&T) -> String) -> String {
    cost.figure().map_or(NOT_AVAILABLE.to_owned(), write)
}

/// Instructions; system calls and which.
fn request_cells(costs: &Costs, scenario: &Scenario) -> (String, (String, String)) {
    let found = |request: &&RequestCosts| request.scenario == scenario.id;
    let Some(request) = costs.requests.iter().find(found) else {
        return (figure::NONE.to_owned(), (figure::NONE.to_owned(), String::new()));
    };
    let instructions = shown(&request.instructions, |count| figure::significant(*count));
    let total = shown(&request.syscalls, |found| calls(found.total));
    let commonest = request.syscalls.figure().map(commonest).unwrap_or_default();
    (instructions, (total, commonest))
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
    use judge::sample;
    use record::{Dependencies, Repeated};

    fn costs(instructions: Cost<f64>, hostile: bool) -> Costs {
        let name = if hostile { sample::HOSTILE_NAME } else { "epoll_wait" };
        let by_name = [
            ("recvfrom", 1.0),
            ("sendto", 1.0),
            (name, 2.02),
            ("futex", 0.5),
            ("read", 0.02),
        ];
        let request = RequestCosts {
            scenario: "plaintext".to_owned(),
            instructions,
            syscalls: Cost::Measured(Syscalls {
                total: 4.54,
                by_name: by_name.map(|(name, count)| (name.to_owned(), count)).into(),
            }),
        };
        Costs {
            with: CostTools {
                jobs: 2,
                valgrind: Some("valgrind-3.19.0".to_owned()),
                strace: Some("strace 6.1".to_owned()),
                strip: None,
            },
            stripped_bytes: Cost::NotAvailable("strip is not installed".to_owned()),
            clean_build_seconds: Cost::Measured(93.21),
            incremental_build_seconds: Cost::Measured(Repeated {
                median: 21.0,
                each: vec![20.0, 21.0, 23.0],
            }),
            dependencies: Cost::Measured(Dependencies {
                names: 71,
                versions: 73,
            }),
            requests: vec![request],
        }
    }

    fn record() -> Record {
        let mut record = sample::record();
        record.trials.clear();
        record.summary.clear();
        record.scenarios.truncate(1);
        record.harness.rounds = 3;
        record.environment.oha = String::new();
        record.apps.truncate(3);
        record.apps[0].costs = Some(costs(Cost::Measured(12_345.6), false));
        let reason = format!("it does not run under valgrind: {}", sample::HOSTILE_REASON);
        record.apps[1].costs = Some(costs(Cost::NotAvailable(reason), true));
        record.apps[2].build_error = Some("error[E0308]: mismatched".to_owned());
        record
    }

    #[test]
    fn costs_are_a_section_of_the_report() {
        insta::assert_snapshot!(crate::report::markdown(&record(), Some("charts")));
    }

    #[test]
    fn costs_are_tables_in_a_terminal() {
        insta::assert_snapshot!(crate::report::terminal(&record(), crate::report::Style::Plain));
    }

    #[test]
    fn whatever_else_reads_records_copes_with_one_without_trials() {
        let record = record();
        assert!(record.is_of_costs());
        assert_eq!(
            judge::analysis::summary(&record.apps, &record.scenarios, &record.trials),
            []
        );
        assert!(
            crate::report::charts(&record)
                .iter()
                .all(|chart| chart.svg.ends_with("</svg>\n"))
        );
        assert!(!crate::report::pull_request(&record, Some(&record), None).is_empty());
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
        assert!(!text.contains("\"protocols\":null"));
    }

    #[test]
    fn a_run_of_loads_has_no_costs() {
        let record = sample::record();
        assert!(!record.is_of_costs() && markdown(&record).is_none());
        assert!(terminal(&record).is_empty());
    }
}
