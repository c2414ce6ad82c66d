//! `bench run`.

use std::path::{Path, PathBuf};

use analyze::analysis::Analyzed;
use analyze::mostly_failed::mostly_failed;
use anyhow::bail;
use machine::interrupt;
use measure::run::RunRequest;
use model::Record;
use report::terminal;
use servers::database::Wanted;

use super::{Format, Outcome, consent, print, print_json};
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
  bench run --profile database                  all frameworks with PostgreSQL behind
                                                them, which this starts and ends
  bench run --profile database --database postgres://admin:PASSWORD@10.0.0.5/bench
                                                the same with one that runs elsewhere
  bench run --resume                            resume the interrupted run

Reference and ceiling are part of every run: all ratios are to the reference.
A machine makes one measurement at a time: during another run or comparison this
fails at once, or waits with --wait.
A failing server does not fail the run: its verdict is in the table and in the
record, and the exit status is 0. It is 2 if most cells could not be measured, for
reasons of the machine: the record is kept, as that of a partial run.";

/// Build, prove, measure; write a record and print its table
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    request: RunRequest,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let (record, path) = measure(&args.request)?;
    show(&record, &path, args.format)?;
    match mostly_failed(&record.summary) {
        Some(reason) => bail!(reason),
        None => Ok(Outcome::Fine),
    }
}

/// Makes the whole run, and writes its record.
pub(super) fn measure(request: &RunRequest) -> anyhow::Result<(Record, PathBuf)> {
    interrupt::listen()?;
    let database = match &request.database {
        Some(url) => Wanted::External(consent::to_use(url, request.yes)?),
        None => Wanted::Private(request.postgres.clone()),
    };
    measure::run::run(request, &database, env!("CARGO_PKG_VERSION"), &OnStderr)
}

fn show(record: &Record, path: &Path, format: Format) -> anyhow::Result<()> {
    if format == Format::Json {
        print_json(&Analyzed::of(record))?;
        eprintln!("record: {}", path.display());
        return Ok(());
    }
    print(&terminal(record, super::style()))?;
    print(&format!("\nrecord: {}\n", path.display()))
}

#[cfg(test)]
mod tests {
    use measure::plan::seconds;

    #[test]
    fn a_time_is_above_zero_and_at_most_a_year() {
        assert_eq!((seconds("750ms"), seconds("15m")), (Ok(0.75), Ok(900.0)));
        for (text, told) in [
            ("0s", "above 0"),
            ("-1s", "above 0"),
            ("5", "write 750ms"),
            ("NaN", "write 750ms"),
            ("1e300s", "write 750ms"),
            ("9223372036854775807s", "longer than a year"),
        ] {
            let error = seconds(text).unwrap_err();
            assert!(error.contains(told), "{text}: {error}");
        }
    }
}
