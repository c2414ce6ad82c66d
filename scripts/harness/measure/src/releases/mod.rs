//! What each release of a crate costs a server: the same program, built with one release after the other, all else as it is locked.
//!
//! A release that does not build says so in its place. What was measured is kept in `target/releases`, with its program, until something
//! changes that it was built from, so that an interrupted run goes on where it was.

mod built;
mod fitting;
mod index;
mod kept;

use std::panic::resume_unwind;
use std::path::PathBuf;
use std::thread::{self, ScopedJoinHandle};

use cargo_lock::Version;
use model::{AppRecord, Record};

use crate::app_costs::Counting;
use crate::compare::sides::Repository;
use crate::progress::Reporter;
use crate::run::{RunRequest, Setup, run_by};
use built::{Builder, label, then};
use fitting::fitting;
use kept::{keep, kept, what};
use machine::interrupt;

/// Folder of what is kept, in `target`, and of the tree and its builds, in `target/compare`.
const NAME: &str = "releases";

/// Which releases are measured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Releases {
    /// Of this crate; of the app's framework if it is `None`.
    pub of: Option<String>,
    /// So many, the newest; all if it is `None`.
    pub newest: Option<usize>,
    /// Only these versions; all if there are none.
    pub versions: Vec<Version>,
    /// Each a second time, with the newest crates of the day when it was published beneath it.
    pub of_its_day: bool,
}

/// Makes a run of the profile `releases` and writes its record; returns the record and its path. `version` is this program's.
pub fn run(
    request: &RunRequest,
    wanted: &Releases,
    version: &str,
    reporter: &dyn Reporter,
) -> anyhow::Result<(Record, PathBuf)> {
    run_by(request, version, |setup, counting| {
        measure(setup, wanted, counting, reporter)
    })
}

/// Measures the apps of the plan, but for reference and ceiling, with one release after the other, the newest first.
fn measure(
    setup: &Setup,
    wanted: &Releases,
    counting: &Counting<'_>,
    reporter: &dyn Reporter,
) -> anyhow::Result<Vec<AppRecord>> {
    let root = &setup.programs.catalog.root;
    let named = &setup.request.options.apps;
    let repository = Repository::open(root)?;
    let base = repository.tree(repository.head(Some("HEAD"))?, "base", false)?;
    let fitting = fitting(&base.catalog, counting.plan, named, wanted)?;
    let heading = format!("measuring {}", model::count(fitting.len(), "release"));
    let progress = reporter.begin(&heading, fitting.len() as u64);
    let progress = &*progress;
    let builder = Builder {
        repository: &repository,
        base: &base,
        counting,
        cargo_profile: &setup.cargo_profile,
        progress,
    };
    // Each is counted while the next is built: neither uses two cpus all the time.
    thread::scope(|scope| {
        let mut measured = Vec::new();
        let mut before: Option<ScopedJoinHandle<'_, anyhow::Result<AppRecord>>> = None;
        for (app, release) in fitting {
            interrupt::check()?;
            let (name, of) = (label(&release, app), what(app, counting));
            let folder = root.join("target").join(NAME).join(&app.id);
            let path = folder.join(format!("{}-{}{}", release.of, release.version, then(&release)));
            let file = path.with_added_extension("json");
            let (mut found, program) = match kept(&file, &of) {
                Some(found) => (found, None),
                None => builder.build(app, release, &path)?,
            };
            measured.extend(before.take().map(ended).transpose()?);
            before = Some(scope.spawn(move || {
                if let Some(program) = program {
                    let requests = counting.requests(&program, |step| progress.begins(&format!("{name}: {step}")))?;
                    if let Some(costs) = &mut found.costs {
                        costs.requests = requests;
                    }
                    found = keep(&file, of, found)?;
                }
                if let Some(reason) = found.why_not_built() {
                    progress.warn(&format!("{name}: {reason}"));
                }
                progress.step();
                Ok(found)
            }));
        }
        measured.extend(before.map(ended).transpose()?);
        Ok(measured)
    })
}

/// What a thread found.
fn ended(thread: ScopedJoinHandle<'_, anyhow::Result<AppRecord>>) -> anyhow::Result<AppRecord> {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}
