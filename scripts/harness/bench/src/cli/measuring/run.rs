//! `bench run`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use analyze::analysis::{Analyzed, summary_among};
use analyze::disturbance::disturbance;
use analyze::mostly_failed::mostly_failed;
use analyze::pair::Direct;
use analyze::reading;
use anyhow::{Context as _, anyhow};
use machine::interrupt;
use machine::interrupt::Interrupted;
use measure::plan::seconds;
use measure::progress::Reporter as _;
use measure::run::RunRequest;
use model::{AppRecord, DEFAULT_VARIANT, Record, Role, escape};
use report::{full_terminal, labels, summary};
use servers::database::External;

use super::consent;
use super::writable;
use crate::cli::{Format, Outcome, print, print_json, warn};
use crate::progress::OnStderr;

const EXAMPLES: &str = "\
Examples:
  bench run                                     a first look, built in minutes
  bench run --profile weekly                    as published: every framework and workload,
                                                with link-time optimisation
  bench run --app axum,rocket --scenario hello  two frameworks, one scenario
  bench run --rounds 10 --seed 7                narrower intervals, a known order
  bench run --time-budget 15m                   as many rounds as that time allows
  bench run --app axum --isolation docker,docker-bridge
                                                native, in a container, and in one behind
                                                a bridge, in turns
  bench run --binaries handover                 from `bench build`; compiles nothing
  bench run --load-generator wrk --scenario hello
                                                driven by wrk instead of oha
  bench run --profile costs --app axum          size, build times, dependencies and
                                                request counts
  bench run --profile scaling                   what 1, 2, 4, 8 … workers are worth, on 4 cpus
                                                or more
  bench run --split 1:3                         one cpu for the server, three for the
                                                load; tries no other split
  bench run --load-from bench@10.0.0.2          the load comes from another machine
  bench run --profile database                  all frameworks with a private PostgreSQL
  bench run --profile database --database postgres://admin:PASSWORD@10.0.0.5/bench
                                                with one that runs elsewhere
  bench run --sessions 5 --new-layouts          five runs with pauses, all programs relinked
                                                for each: one run does not show how much
                                                days and builds differ
  bench run --resume                            resume the interrupted run

Reference and ceiling are part of every run: all ratios are to the reference.
A machine makes one measurement at a time: during another run or comparison this
fails at once, or waits with --wait.
A failing server does not fail the run: its verdict is in the table and in the
record, and the exit status is 0. It is 1 if the machine prevented most measurements, or
if reference and ceiling failed. That record is kept, but `latest` skips it and
`bench publish` refuses it. Disturbed figures are shown in parentheses; instructions per
request, which a first look counts if valgrind is installed, order the servers even so.";

/// Build, prove, measure; write a record and print its summary
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    request: RunRequest,
    /// Repeat the whole run this many times; each repetition has its own record and seed
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "resume")]
    sessions: u32,
    /// Pause between two sessions
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = seconds)]
    session_pause: f64,
    /// Print every table before the summary, as `bench report` does
    #[arg(long)]
    verbose: bool,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    interrupt::listen()?;
    args.request.out.as_deref().map(writable).transpose()?;
    let database = database(&args.request)?;
    let mut failed = None;
    for session in 1..=args.sessions {
        let request = of_session(&args.request, session);
        let made = before(session, args).and_then(|()| with_database(&request, database.as_ref()));
        let (record, path) = made.map_err(|error| how_to_go_on(error, session, args.sessions))?;
        failed = failed.or(mostly_failed(&record).map(|reason| match disturbance(&record) {
            Some(found) => format!("{reason}; {}", found.remedy()),
            None => reason.to_string(),
        }));
        show(record, &path, args).with_context(|| format!("the record is {}", path.display()))?;
    }
    if let Some(reason) = &failed {
        crate::cli::complain(&anyhow!(reason.clone()));
    }
    Ok(Outcome::failed_if(failed.is_some()))
}

/// Makes the whole run, and writes its record.
pub(super) fn measure(request: &RunRequest) -> anyhow::Result<(Record, PathBuf)> {
    interrupt::listen()?;
    with_database(request, database(request)?.as_ref())
}

fn with_database(request: &RunRequest, database: Option<&External>) -> anyhow::Result<(Record, PathBuf)> {
    measure::run::run(request, database, env!("CARGO_PKG_VERSION"), &OnStderr)
}

fn database(request: &RunRequest) -> anyhow::Result<Option<External>> {
    let url = request.database.as_deref();
    url.map(|url| consent::to_use(url, request.yes)).transpose()
}

/// A named seed is the first session's; the others count up from it.
fn of_session(request: &RunRequest, session: u32) -> RunRequest {
    let mut request = request.clone();
    request.options.seed = request
        .options
        .seed
        .map(|seed| seed.wrapping_add(u64::from(session) - 1));
    request
}

/// The pause before a session but the first.
fn before(session: u32, args: &Args) -> anyhow::Result<()> {
    if args.sessions == 1 {
        return Ok(());
    }
    if session > 1 {
        let pause = Duration::from_secs_f64(args.session_pause);
        let progress = OnStderr.begin(&format!("pausing for {} s", pause.as_secs()), 0);
        interrupt::sleep(pause)?;
        drop(progress);
    }
    warn(&format!("session {session} of {}", args.sessions));
    Ok(())
}

/// What is done stays done, and the error says how the rest is made.
fn how_to_go_on(error: anyhow::Error, session: u32, sessions: u32) -> anyhow::Error {
    let (done, left) = (session - 1, sessions - session + 1);
    match (sessions, error.is::<Interrupted>()) {
        (1, _) => error,
        (_, true) => anyhow!("interrupted; {done} of {sessions} sessions are done, --sessions {left} makes the others"),
        (_, false) => anyhow!(
            "session {session} of {sessions}: {error:#}; --sessions {} makes those after it",
            left - 1
        ),
    }
}

/// Prints a record with what other sessions of its lane say of it; as it is where one of them cannot be read.
fn show(mut record: Record, path: &Path, args: &Args) -> anyhow::Result<()> {
    let results = path.parent().and_then(Path::parent);
    let sessions = results.and_then(|results| reading::sessions(results, &record).ok());
    let sessions = sessions.unwrap_or_default();
    record.summary = summary_among(&record, &sessions);
    if args.format == Format::Json {
        print_json(&Analyzed::of(&record))?;
        warn(&format!("record: {}", path.display()));
        return Ok(());
    }
    let summary = summary(
        &Direct::new(&record, &sessions),
        crate::cli::style(crate::cli::SUMMARIES),
    );
    let is_lost = summary.is_none() && mostly_failed(&record).is_some();
    if args.verbose || summary.is_none() && !is_lost {
        print(&format!(
            "{}\n",
            full_terminal(&record, crate::cli::style(crate::cli::TABLES))
        ))?;
    }
    if let Some(summary) = summary {
        print(&format!("{summary}\n{}\n", next_steps(&record, path, args)))?;
    }
    print(&format!("record: {}\n", path.display()))
}

/// The commands that go on from here, each with what it is for.
fn next_steps(record: &Record, path: &Path, args: &Args) -> String {
    let named = match args.request.out {
        Some(_) => escape::shell(&path.display().to_string()),
        None => record.id.clone(),
    };
    let is_result = mostly_failed(record).is_none();
    let pair = most_compared(record).filter(|_| is_result).map(|[one, other]| {
        (
            format!("bench report {named} --pair {},{}", one.id, other.id),
            "two directly",
        )
    });
    let again = if is_result {
        (
            format!("bench run --rounds {}", 2 * record.harness.rounds),
            "narrower intervals",
        )
    } else {
        ("bench doctor".to_owned(), "what keeps this machine from measuring")
    };
    let steps = [
        Some((format!("bench report {named}"), "every figure, with intervals")),
        pair,
        Some(again),
        Some(("scripts/dashboard/serve".to_owned(), "the same in a browser")),
    ];
    let steps: Vec<(String, &str)> = steps.into_iter().flatten().collect();
    let width = steps.iter().map(|(command, _)| command.len()).max().unwrap_or(0);
    let line = |(command, what): &(String, &str)| format!("      {command:width$}  {what}\n");
    let lines: String = steps.iter().map(line).collect();
    lines.replacen("     ", "next:", 1)
}

/// The two frameworks of a run that most readers would compare.
fn most_compared(record: &Record) -> Option<[&AppRecord; 2]> {
    let is_framework = |app: &&AppRecord| app.role == Role::Framework && app.variant == DEFAULT_VARIANT;
    let mut frameworks: Vec<_> = record.apps.iter().filter(is_framework).collect();
    frameworks.sort_by_key(|app| !labels::is_best_known(app));
    frameworks.first_chunk().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_of_two_frameworks_the_best_known_first() {
        let mut record = samples::record();
        let ids = |record: &Record| most_compared(record).map(|pair| pair.map(|app| app.id.clone()));
        assert_eq!(ids(&record), Some(["actix-web", "axum"].map(str::to_owned)));
        record.apps.retain(|app| app.id != "actix-web");
        let mut first = record.apps[0].clone();
        (first.id, first.framework, first.role) = ("astra".into(), "astra".into(), Role::Framework);
        first.variant = DEFAULT_VARIANT.into();
        record.apps.insert(0, first);
        assert_eq!(
            ids(&record),
            Some(["axum", "rocket"].map(str::to_owned)),
            "variants are no framework"
        );
        record.apps.truncate(1);
        assert_eq!(ids(&record), None);
    }

    #[test]
    fn a_session_that_fails_says_what_is_done_and_how_the_rest_is_made() {
        let message = |error: anyhow::Error, session, of| how_to_go_on(error, session, of).to_string();
        assert_eq!(
            message(Interrupted.into(), 3, 5),
            "interrupted; 2 of 5 sessions are done, --sessions 3 makes the others"
        );
        assert_eq!(
            message(anyhow!("interrupted; resume with: bench run --resume=1"), 3, 5),
            "session 3 of 5: interrupted; resume with: bench run --resume=1; --sessions 2 makes those after it"
        );
        assert!(how_to_go_on(Interrupted.into(), 1, 1).is::<Interrupted>());
    }

    #[test]
    fn a_time_is_above_zero_and_at_most_a_year() {
        assert_eq!((seconds("750ms"), seconds("15m")), (Ok(0.75), Ok(900.0)));
        for (text, expected) in [
            ("0s", "above 0"),
            ("-1s", "above 0"),
            ("5", "write 750ms"),
            ("NaN", "write 750ms"),
            ("1e300s", "write 750ms"),
            ("9223372036854775807s", "longer than a year"),
        ] {
            let error = seconds(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
