//! `bench run`.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use analyze::analysis::Analyzed;
use analyze::lost::mostly_lost;
use anyhow::bail;
use generator::Destinations;
use machine::interrupt;
use machine::split::CpuSplitArg;
use measure::plan::{RunOptions, seconds};
use measure::run::{LoadFrom, RunRequest};
use model::scenario::{GeneratorKind, Isolation};
use model::{Lane, Record};
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
    /// Set of scenarios with durations and rounds
    #[arg(long, default_value = "first-look", conflicts_with = "resume")]
    profile: String,
    /// Apps to measure [default: those of the profile]
    #[arg(long, value_delimiter = ',', value_name = "ID", conflicts_with = "resume")]
    app: Vec<String>,
    /// Variants to measure [default: default]
    #[arg(long, value_delimiter = ',', value_name = "NAME", conflicts_with = "resume")]
    variant: Vec<String>,
    /// Scenarios to measure [default: those of the profile]
    #[arg(long, value_delimiter = ',', value_name = "NAME", conflicts_with = "resume")]
    scenario: Vec<String>,
    /// Rounds; fewer than 5 give no intervals and no ranks [default: that of the profile]
    #[arg(long, value_name = "N", conflicts_with = "resume")]
    rounds: Option<u32>,
    /// Length of each measured load, such as 750ms or 2s; a load of counted requests is never shortened
    /// [default: that of the profile]
    #[arg(long, value_name = "TIME", value_parser = seconds, conflicts_with = "resume")]
    duration: Option<f64>,
    /// Also measure in containers, in the same rounds as native [default: native]
    #[arg(long, value_delimiter = ',', value_name = "KIND", conflicts_with = "resume")]
    isolation: Vec<Isolation>,
    /// Container engine: docker, podman or a path [default: the first of the two that answers]
    #[arg(long, value_name = "PATH")]
    container_engine: Option<PathBuf>,
    /// Folder of PostgreSQL's programs, for scenarios with a database, such as /usr/lib/postgresql/16/bin
    /// [default: the first in PATH, or the newest where distributions put them]
    #[arg(long, value_name = "DIR")]
    postgres: Option<PathBuf>,
    /// Use an existing PostgreSQL server, local or remote, instead of a private one:
    /// postgres://ADMIN:PASSWORD@HOST:PORT/NAME. In it, bench makes a role and a schema, and removes them at the end
    #[arg(long, value_name = "URL", conflicts_with = "postgres")]
    database: Option<String>,
    /// Make role and schema in the PostgreSQL of --database without asking
    #[arg(long, requires = "database")]
    yes: bool,
    /// Connections, with the profile scaling for each worker [default: those of the scenario]
    #[arg(long, value_name = "N", conflicts_with = "resume")]
    connections: Option<u32>,
    /// Seed of the order of the trials [default: from the clock; it is recorded]
    #[arg(long, value_name = "N", conflicts_with = "resume")]
    seed: Option<u64>,
    /// Make as many rounds as this time allows, such as 15m, instead of a number of rounds
    #[arg(long, value_name = "TIME", value_parser = seconds, conflicts_with = "resume")]
    time_budget: Option<f64>,
    /// Where this run is made; series of different lanes are never mixed
    #[arg(long, default_value = "local", conflicts_with = "resume")]
    lane: Lane,
    /// Folder of the results [default: bench-results of the repository]
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Use the programs that `bench build --out DIR` made, and compile nothing
    #[arg(long, value_name = "DIR", conflicts_with = "cargo_profile")]
    binaries: Option<PathBuf>,
    /// Path to an oha other than the one Cargo.lock pins
    #[arg(long, value_name = "PATH")]
    oha: Option<PathBuf>,
    /// Other load generators than oha, for closed loops: wrk (whole seconds; lengths are rounded up) or h2load
    #[arg(
        long,
        visible_alias = "with",
        value_delimiter = ',',
        value_name = "NAME",
        conflicts_with = "resume"
    )]
    pub(super) load_generator: Vec<GeneratorKind>,
    /// Path of wrk [default: the one in PATH]
    #[arg(long, value_name = "PATH")]
    wrk: Option<PathBuf>,
    /// Path of h2load [default: the one in PATH]
    #[arg(long, value_name = "PATH")]
    h2load: Option<PathBuf>,
    /// Cargo profile of the apps: `release` is what is published, `first-look` is built in minutes [default: that of the profile]
    #[arg(long, value_name = "NAME", conflicts_with = "resume")]
    cargo_profile: Option<String>,
    /// Resume an unfinished run: its id, or nothing if there is only one
    #[arg(long, value_name = "RUN", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    resume: Option<String>,
    /// Cpus of server and load generator: how many, such as 1:3, or which, such as 0,1:2-3 (a single one as 0-0) [default: the first
    /// split under which the ceiling, not the generator, is the limit]. With --load-from only those of the server count
    #[arg(long, value_name = "SERVER:GENERATOR", conflicts_with = "resume")]
    split: Option<CpuSplitArg>,
    /// Other machines that make the load, by OpenSSH with your own configuration (keys only; host keys must be known): all cpus of this
    /// one then serve. @FILE has one in each line
    #[arg(
        long,
        value_name = "USER@HOST,...",
        env = "BENCH_LOAD_FROM",
        hide_env_values = true,
        conflicts_with_all = ["load_generator", "isolation"]
    )]
    load_from: Option<Destinations>,
    /// Address of this machine at which servers listen for --load-from [default: the one by which these machines know it]
    #[arg(long, value_name = "ADDRESS", requires = "load_from")]
    listen: Option<IpAddr>,
    /// If another bench measures on this machine, wait for its end [default: fail and name it]
    #[arg(long)]
    wait: bool,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let (record, path) = measure(args, &args.load_generator)?;
    show(&record, &path, args.format)?;
    match mostly_lost(&record.summary) {
        Some(reason) => bail!(reason),
        None => Ok(Outcome::Fine),
    }
}

/// Makes the whole run, with these `generators` or with oha alone, and writes its record.
pub(super) fn measure(args: &Args, generators: &[GeneratorKind]) -> anyhow::Result<(Record, PathBuf)> {
    interrupt::listen()?;
    let database = match &args.database {
        Some(url) => Wanted::External(consent::to_use(url, args.yes)?),
        None => Wanted::Private(args.postgres.clone()),
    };
    measure::run::run(
        &request(args, generators, database),
        env!("CARGO_PKG_VERSION"),
        &OnStderr,
    )
}

fn request(args: &Args, generators: &[GeneratorKind], database: Wanted) -> RunRequest {
    let options = RunOptions {
        profile: args.profile.clone(),
        apps: args.app.clone(),
        variants: args.variant.clone(),
        scenarios: args.scenario.clone(),
        rounds: args.rounds,
        seconds: args.duration,
        connections: args.connections,
        isolations: isolations(&args.isolation),
        generators: generators.to_vec(),
    };
    let named = [
        (GeneratorKind::Oha, &args.oha),
        (GeneratorKind::Wrk, &args.wrk),
        (GeneratorKind::H2load, &args.h2load),
    ];
    RunRequest {
        options,
        seed: args.seed,
        binaries: args.binaries.clone(),
        results: args.out.clone(),
        resume: args.resume.clone(),
        database,
        container_engine: args.container_engine.clone(),
        programs: named
            .into_iter()
            .filter_map(|(kind, path)| Some((kind, path.clone()?)))
            .collect(),
        cargo_profile: args.cargo_profile.clone(),
        time_budget: args.time_budget,
        lane: args.lane,
        split: args.split.clone(),
        load_from: args.load_from.clone().map(|destinations| LoadFrom {
            destinations,
            listen: args.listen,
        }),
        wait: args.wait,
    }
}

/// Native is measured beside containers, because a container is compared with it.
fn isolations(asked: &[Isolation]) -> Vec<Isolation> {
    if asked.iter().all(|isolation| *isolation == Isolation::Native) {
        return Vec::new();
    }
    let mut all = [asked, &[Isolation::Native]].concat();
    all.sort_unstable();
    all.dedup();
    all
}

pub(super) fn show(record: &Record, path: &Path, format: Format) -> anyhow::Result<()> {
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
    use super::seconds;

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
