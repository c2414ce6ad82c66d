//! `bench check`.

use std::path::PathBuf;

use anyhow::ensure;

use crate::cli::{Format, Outcome, warn};
use crate::progress::OnStderr;
use apps::catalog::Catalog;
use machine::cpus::Split;
use machine::essentials;
use machine::interrupt;
use machine::lock::Lock;
use measure::plan;
use measure::plan::{Parts, Purpose};
use measure::programs::Programs;
use measure::progress::Reporter as _;
use model::scenario::Protocol;
use model::{Part, SubjectId, Verdict, count, label};
use servers::check::{CheckResult, check};
use servers::database;
use servers::database::{Database, Source};

const EXAMPLES: &str = "\
Examples:
  bench check                       all apps
  bench check --app axum,rocket     two of them
  bench check --protocol http2-tls  all that speak HTTP/2 over TLS
  bench check --binaries handover   what `bench build` made, without building anything
  bench check --format json         for programs

Exit status 1 if any app fails; the others are still checked. A known fault of a
framework that its app cannot avoid (`known_fault` in Cargo.toml) is reported, but
does not fail. For a server that breaks some rules, those that it keeps are listed too.
While another bench measures on this machine, this fails at once, or waits with
--wait.";

/// Prove that the servers keep the contract
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Apps to check [default: all]
    #[arg(long, value_delimiter = ',', value_name = "ID")]
    app: Vec<String>,
    /// Variants to check [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    variant: Vec<String>,
    /// Protocols to check, of those that the app declares [default: all]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "NAME")]
    protocol: Vec<Protocol>,
    /// Seed of the random input
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Folder of PostgreSQL's programs, for servers with a database
    /// [default: the first in PATH, or the newest where distributions put them]
    #[arg(long, value_name = "DIR")]
    postgres: Option<PathBuf>,
    /// Use the programs that `bench build --out DIR` made, and compile nothing
    #[arg(long, value_name = "DIR", conflicts_with = "cargo_profile")]
    binaries: Option<PathBuf>,
    /// Cargo profile of the apps
    #[arg(long, value_name = "NAME", default_value = "release")]
    cargo_profile: String,
    /// If another bench measures on this machine, wait for its end [default: fail and name it]
    #[arg(long)]
    wait: bool,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    interrupt::listen()?;
    let programs = Programs::find(args.binaries.as_deref())?;
    let catalog = &programs.catalog;
    let subjects = plan::subjects(&args.app, &args.variant, Purpose::Inspect, &Parts::all(), catalog)?;
    let (subjects, source) = with_or_without_database(subjects, args, catalog)?;
    // From here on this compiles and times servers: a run at the same time would disturb it, and be disturbed.
    let _lock = Lock::take(args.wait)?;
    essentials::check()?;
    let built = programs.subjects(&subjects, &args.cargo_profile, &OnStderr)?;
    let (split, database) = Database::open(source.as_ref(), Split::of_this_machine()?)?;
    let progress = OnStderr.begin("checking", built.len() as u64);
    let mut checks: Vec<CheckResult> = Vec::new();
    for subject in &built {
        progress.begins(&subject.app.id);
        let spoken = subject.app.protocols.iter().copied();
        for protocol in spoken.filter(|one| args.protocol.is_empty() || args.protocol.contains(one)) {
            let behind = database.as_ref().filter(|_| subject.app.part() == Part::Database);
            checks.push(check(subject, protocol, &split, behind, args.seed)?);
        }
        progress.step();
    }
    drop(progress);
    ensure!(
        !checks.is_empty(),
        "none of these apps speaks this protocol; `bench list` shows which do"
    );
    args.format.print(&checks, || text(&checks))?;
    Ok(Outcome::failed_if(!checks.iter().all(CheckResult::is_fine)))
}

/// The subjects that can be checked here, and PostgreSQL if one of them needs it. Where there is none, servers with a database are left
/// out with a warning, unless they were named.
fn with_or_without_database(
    mut subjects: Vec<SubjectId>,
    args: &Args,
    catalog: &Catalog,
) -> anyhow::Result<(Vec<SubjectId>, Option<Source<database::Programs>>)> {
    let needs_one = |id: &SubjectId| catalog.app(&id.app).is_some_and(|app| app.part() == Part::Database);
    let backed = subjects.iter().filter(|id| needs_one(id)).count();
    if backed == 0 {
        return Ok((subjects, None));
    }
    match Source::find(None, args.postgres.as_deref()) {
        Ok(found) => Ok((subjects, Some(found))),
        Err(error) if args.app.is_empty() && args.postgres.is_none() => {
            subjects.retain(|id| !needs_one(id));
            let servers = count(backed, "server");
            warn(&format!("warning: {servers} with a database not checked: {error:#}"));
            Ok((subjects, None))
        }
        Err(error) => Err(error),
    }
}

/// A line for each program, verdict and reason, with the protocols that share them.
fn text(checks: &[CheckResult]) -> String {
    let mut rows: Vec<(String, Vec<&str>, String)> = Vec::new();
    for checks in checks {
        let name = label(&checks.app, &checks.variant);
        let protocol = checks.protocol.id();
        for outcome in outcomes(checks) {
            match rows.iter_mut().find(|row| row.0 == name && row.2 == outcome) {
                Some(row) => row.1.push(protocol),
                None => rows.push((name.clone(), vec![protocol], outcome)),
            }
        }
    }
    let spoken = |protocols: &[&str]| protocols.join(",");
    let names = rows.iter().map(|row| row.0.len()).max().unwrap_or(0);
    let protocols = rows.iter().map(|row| spoken(&row.1).len()).max().unwrap_or(0);
    let lines = rows
        .iter()
        .map(|(name, of, outcome)| format!("{name:names$}  {:protocols$}  {outcome}", spoken(of)));
    lines.chain([String::new()]).collect::<Vec<_>>().join("\n")
}

/// The verdict on one program in one protocol, with each reason.
fn outcomes(found: &CheckResult) -> Vec<String> {
    if found.verdict == Verdict::Valid {
        return vec!["ok".into()];
    }
    let verdict = found.verdict.id();
    let known = match &found.known_fault {
        Some(fault) if found.is_known() => format!(" (known of this framework: {fault})"),
        _ => String::new(),
    };
    let reasons = found.reasons.iter();
    let mut outcomes: Vec<String> = reasons.map(|reason| format!("{verdict}  {reason}{known}")).collect();
    if !found.proves.is_empty() {
        let proves = found.proves.join(", ");
        outcomes.push(format!("proves  {proves}: `bench run` measures these, and ranks none"));
    }
    outcomes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protocols_with_the_same_outcome_share_a_line() {
        let checked = |protocol, reasons: &[&str]| CheckResult {
            app: "axum".into(),
            variant: "default".into(),
            protocol,
            verdict: if reasons.is_empty() {
                Verdict::Valid
            } else {
                Verdict::ContractFailed
            },
            reasons: reasons.iter().map(|reason| (*reason).to_owned()).collect(),
            proves: vec!["/".into(), "/hello".into()],
            known_fault: None,
        };
        let found = [
            checked(Protocol::Http1, &["body", "workers"]),
            checked(Protocol::Http1Tls, &["body"]),
            checked(Protocol::Http2, &[]),
            checked(Protocol::Http2Tls, &[]),
        ];
        assert_eq!(
            text(&found),
            "axum  http1,http1-tls  contract_failed  body\n\
             axum  http1            contract_failed  workers\n\
             axum  http1,http1-tls  proves  /, /hello: `bench run` measures these, and ranks none\n\
             axum  http2,http2-tls  ok\n"
        );
    }
}
