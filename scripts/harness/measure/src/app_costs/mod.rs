//! App costs: what an app takes besides its speed. Size, build times, dependencies, and the counts of one request
//! ([`crate::request_counts`]).
//!
//! Everything is built in a copy of the repository with its own target folder, so that a clean build is clean and the user's
//! files stay untouched; both are removed afterwards. Apps are built one at a time, because a build takes all cpus. If a figure
//! cannot be measured, it holds the reason; other figures and other apps are not affected.

mod copy;
mod dependencies;
mod rebuild;
mod size;

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::anyhow;
use tempfile::TempDir;

use crate::build;
use crate::build::{Binary, BuildError, BuildRequest};
use crate::catalog::{App, Catalog, Variant};
use crate::contract;
use crate::failure::Failure;
use crate::interrupt;
use crate::interrupt::Interrupted;
use crate::machine::environment::version_of;
use crate::process::{Unfinished, finish, one_line};
use crate::program::Program;
use crate::request_counts;
use crate::server::{Launch, Server};
use record::scenario::{Protocol, Scenario};
use record::{Cost, CostTools, Costs, Repeated, RequestCosts, Verdict};

/// Longest time for a download of all dependencies of one workspace.
const DOWNLOAD: Duration = Duration::from_mins(15);
/// Longest time for a command that does not compile.
const COMMAND_TIMEOUT: Duration = Duration::from_mins(2);

/// How costs are measured.
#[derive(Debug, Clone, Copy)]
pub struct Setup<'a> {
    /// Cargo profile of the builds.
    pub cargo_profile: &'a str,
    /// How often a build after a change is repeated.
    pub repetitions: u32,
    /// Scenarios whose requests are counted.
    pub scenarios: &'a [Scenario],
    /// Cpus that the servers run on while requests are counted; builds take all.
    pub server_cpus: &'a [u32],
    /// Seed of the contract's random input.
    pub seed: u64,
}

/// Where costs are measured.
#[derive(Debug)]
pub struct Workshop<'a> {
    setup: Setup<'a>,
    root: PathBuf,
    folder: TempDir,
    /// What is measured with.
    pub tools: CostTools,
}

/// The costs of one app in one variant.
#[derive(Debug)]
pub struct AppCosts {
    /// Its program, with size and build time; or the compiler's first error.
    pub built: Result<Binary, String>,
    /// Its costs, if it could be built.
    pub costs: Option<Costs>,
}

impl<'a> Workshop<'a> {
    /// Copies the catalog's repository to a folder in `target`, the target folder of cargo.
    pub fn new(catalog: &Catalog, target: &Path, setup: Setup<'a>) -> anyhow::Result<Self> {
        let failed = |error: io::Error| {
            let target = target.display();
            anyhow!("cannot copy the repository to {target}: {error}; it needs a few megabytes there")
        };
        std::fs::create_dir_all(target).map_err(failed)?;
        // Not in /tmp, which may be in memory: too small, and too fast.
        let folder = tempfile::Builder::new()
            .prefix("costs-")
            .tempdir_in(target)
            .map_err(failed)?;
        let root = catalog.root.canonicalize().map_err(failed)?;
        let tree = folder.path().join("tree");
        // Without symbolic links, so that the copy is recognised before it is copied into itself.
        copy::tree(&root, &tree, &target.canonicalize().map_err(failed)?).map_err(failed)?;
        copy::settings(&root, &tree).map_err(failed)?;
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        let tools = CostTools {
            jobs: u32::try_from(jobs).unwrap_or(u32::MAX),
            valgrind: request_counts::instructions::version(&root),
            strace: request_counts::syscalls::version(&root),
            strip: version_of("strip".as_ref(), &root),
        };
        Ok(Self {
            setup,
            root,
            folder,
            tools,
        })
    }

    /// Steps that [`Workshop::measure`] reports.
    pub fn steps(&self) -> u64 {
        1 + u64::from(self.setup.repetitions) + 2 * self.setup.scenarios.len() as u64
    }

    /// Measures one app in one variant. `tell` gets each step before it begins.
    pub fn measure(&self, app: &App, variant: &Variant, tell: impl FnMut(&str)) -> Result<AppCosts, Interrupted> {
        match self.measured(app, variant, tell) {
            Ok((binary, costs)) => Ok(AppCosts {
                built: Ok(binary),
                costs: Some(costs),
            }),
            Err(BuildError::Interrupted(interrupted)) => Err(interrupted),
            // Even if cargo itself failed: the results of other apps took long and must not be lost.
            Err(error) => Ok(AppCosts {
                built: Err(error.to_string()),
                costs: None,
            }),
        }
    }

    fn measured(
        &self,
        app: &App,
        variant: &Variant,
        mut tell: impl FnMut(&str),
    ) -> Result<(Binary, Costs), BuildError> {
        tell("clean build");
        // A new one for each app: gigabytes that the next cannot use, and leftovers would make its build unclean.
        let target = tempfile::Builder::new().prefix("build-").tempdir_in(self.folder.path());
        let target = target.map_err(|error| BuildError::File(self.folder.path().to_owned(), error))?;
        let manifest = self.fetched(app)?;
        let request = BuildRequest {
            manifest: &manifest,
            target: Some(target.path()),
            ..BuildRequest::for_variant(app, variant, self.setup.cargo_profile)
        };
        let binary = self.build(request)?;
        let stripped_bytes = Cost::from(size::stripped(binary.program.path(), self.tools.strip.is_some()));
        let dependencies = Cost::from(dependencies::crates_of(&manifest, &app.package));
        // Before the next builds overwrite the program.
        let requests = self.requests(&binary.program, &mut tell)?;
        let incremental_build_seconds = self.rebuilds(request, &mut tell)?;
        interrupt::check()?;
        let costs = Costs {
            with: self.tools.clone(),
            stripped_bytes,
            clean_build_seconds: Cost::Measured(binary.seconds),
            incremental_build_seconds,
            dependencies,
            requests,
        };
        Ok((binary, costs))
    }

    /// Downloads everything that a build of the app needs; returns its manifest in the copy.
    fn fetched(&self, app: &App) -> Result<PathBuf, BuildError> {
        let refused = |reason: String| BuildError::Refused(reason);
        let manifest = app.manifest.canonicalize();
        let manifest = manifest.map_err(|error| BuildError::File(app.manifest.clone(), error))?;
        let inside = manifest
            .strip_prefix(&self.root)
            .map_err(|_| refused(format!("{} lies outside of the repository", manifest.display())))?;
        let manifest = self.folder.path().join("tree").join(inside);
        let mut command = cargo(&manifest);
        command.args(["fetch", "--locked", "--manifest-path"]).arg(&manifest);
        // Crates for other systems are not needed, and may be missing on a machine without a network.
        if let Some(host) = host(&manifest) {
            command.args(["--target", &host]);
        }
        finished(command, DOWNLOAD)?;
        Ok(manifest)
    }

    fn build(&self, request: BuildRequest<'_>) -> Result<Binary, BuildError> {
        let jobs = self.tools.jobs.to_string();
        let prepare = |command: &mut Command| {
            command
                .args(["--offline", "--jobs", &jobs])
                // A cache of compiled crates would be measured instead of the compiler.
                .env("RUSTC_WRAPPER", "");
        };
        build::build_with(request, prepare, |_| {})
    }

    fn rebuilds(&self, request: BuildRequest<'_>, tell: impl FnMut(&str)) -> Result<Cost<Repeated>, Interrupted> {
        let source = match rebuild::Source::find(request.manifest, request.binary) {
            Ok(source) => source,
            Err(reason) => return Ok(Cost::NotAvailable(reason)),
        };
        let each = self.rebuilt(request, &source, tell);
        // Other variants of the app are built from the same copy, so restore it even after a failed build.
        let restored = source.restore();
        match each.and_then(|each| restored.map(|()| each)) {
            Ok(each) => Ok(Cost::Measured(Repeated {
                median: judge::stats::estimate(&each).map_or(0.0, |found| found.median),
                each,
            })),
            Err(BuildError::Interrupted(interrupted)) => Err(interrupted),
            Err(error) => Ok(Cost::NotAvailable(error.to_string())),
        }
    }

    /// Seconds of each build after a change.
    fn rebuilt(
        &self,
        request: BuildRequest<'_>,
        source: &rebuild::Source,
        mut tell: impl FnMut(&str),
    ) -> Result<Vec<f64>, BuildError> {
        let mut each = Vec::new();
        for number in 1..=self.setup.repetitions {
            tell(&format!("incremental build {number} of {}", self.setup.repetitions));
            source.change(number)?;
            each.push(self.build(request)?.seconds);
        }
        Ok(each)
    }

    fn requests(&self, program: &Program, mut tell: impl FnMut(&str)) -> Result<Vec<RequestCosts>, Interrupted> {
        let wrong = self.proven(program)?;
        let mut requests = Vec::new();
        for scenario in self.setup.scenarios {
            let forbidden = wrong
                .clone()
                .or_else(|| request_counts::reason_against(scenario).map(str::to_owned));
            tell(&format!("instructions, {}", scenario.id));
            let instructions = counted(
                forbidden.as_deref(),
                ("valgrind", self.tools.valgrind.is_some()),
                || {
                    let counts =
                        request_counts::instructions::per_request(program.into(), self.setup.server_cpus, &[scenario])?;
                    Ok(counts[0])
                },
            )?;
            tell(&format!("system calls, {}", scenario.id));
            let syscalls = counted(forbidden.as_deref(), ("strace", self.tools.strace.is_some()), || {
                request_counts::syscalls::per_request(program, self.setup.server_cpus, scenario)
            })?;
            requests.push(RequestCosts {
                scenario: scenario.id.clone(),
                instructions,
                syscalls,
            });
        }
        Ok(requests)
    }

    /// Why the program's requests are not counted; `None` if it keeps the contract.
    fn proven(&self, program: &Program) -> Result<Option<String>, Interrupted> {
        let proven = Server::start(Launch::alone(program), self.setup.server_cpus, Protocol::Http1)
            .map_err(Failure::from)
            .and_then(|mut server| server.prove(|client| contract::prove_all(client, self.setup.seed)));
        match proven {
            Ok(()) => Ok(None),
            Err(trouble) => trouble
                .into_verdict()
                .map(|(verdict, reason)| Some(unproven(verdict, &reason))),
        }
    }
}

/// The result of `count`, which uses `tool`; or the reason why not, if that is `forbidden` or the tool is not `found`.
fn counted<T>(
    forbidden: Option<&str>,
    (tool, found): (&str, bool),
    count: impl FnOnce() -> Result<T, Failure>,
) -> Result<Cost<T>, Interrupted> {
    if let Some(reason) = forbidden {
        return Ok(Cost::NotAvailable(reason.to_owned()));
    }
    if !found {
        return Ok(Cost::NotAvailable(format!(
            "{tool} is not installed (Debian and Ubuntu: apt-get install {tool})"
        )));
    }
    match count() {
        Ok(figure) => Ok(Cost::Measured(figure)),
        Err(Failure::Interrupted(interrupted)) => Err(interrupted),
        Err(Failure::Verdict(_, reason) | Failure::Lost(reason)) => Ok(Cost::NotAvailable(one_line(&reason))),
    }
}

/// Why a program was not proven. A server that died, or could not be started, has not answered wrongly.
fn unproven(verdict: Verdict, reason: &str) -> String {
    let broken = if verdict == Verdict::ContractFailed {
        "it breaks the contract: "
    } else {
        ""
    };
    format!("{broken}{}", one_line(reason))
}

/// Cargo, started where the manifest lies, so that it finds the configuration there.
fn cargo(manifest: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(manifest.parent().unwrap_or(manifest));
    command
}

/// Runs a cargo command and returns its output.
fn finished(command: Command, patience: Duration) -> Result<String, BuildError> {
    let output = finish(command, patience).map_err(|unfinished| match unfinished {
        Unfinished::NotStarted(error) => BuildError::Cargo(error),
        Unfinished::Interrupted(interrupted) => BuildError::Interrupted(interrupted),
        other => BuildError::Refused(format!("cargo: {other}")),
    })?;
    if output.status.success() {
        return Ok(output.text());
    }
    let words = output.stderr_tail;
    let from = words.find("error").unwrap_or(0);
    Err(BuildError::Refused(words[from..].trim().to_owned()))
}

/// The default target of cargo, `x86_64-unknown-linux-gnu`.
fn host(manifest: &Path) -> Option<String> {
    let mut command = Command::new("rustc");
    command.arg("-vV").current_dir(manifest.parent().unwrap_or(manifest));
    let version = finished(command, COMMAND_TIMEOUT).ok()?;
    version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_wrong_answer_breaks_the_contract() {
        assert_eq!(
            unproven(Verdict::ContractFailed, "GET /: expected\nthis"),
            "it breaks the contract: GET /: expected this"
        );
        for verdict in [Verdict::Crashed, Verdict::EnvironmentFailed] {
            assert_eq!(unproven(verdict, "the server died"), "the server died");
        }
    }
}
