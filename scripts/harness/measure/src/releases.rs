//! What each release of a crate costs a server: the same program, built with one release after the other, all else as it is locked.
//!
//! A release that does not build says so in its place. What was measured is kept in `target/releases`, with its program, until something
//! changes that it was built from, so that an interrupted run goes on where it was.

use std::collections::BTreeSet;
use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread::{self, ScopedJoinHandle};

use anyhow::{Context as _, anyhow, bail, ensure};
use cargo_lock::Version;
use jiff::Timestamp;
use model::{AppRecord, Costs, DEFAULT_VARIANT, Record, Release, Role};
use serde::{Deserialize, Serialize};

use crate::app_costs::Counting;
use crate::compare::patch;
use crate::compare::patch::Patch;
use crate::compare::sides::{Repository, Tree};
use crate::progress::{Progress, Reporter};
use crate::run::{RunRequest, Setup, run_by};
use apps::build::{BuildError, BuildRequest, build, describe};
use apps::cargo;
use apps::catalog::App;
use machine::interrupt;
use machine::process::one_line;
use machine::program::Program;

/// Folder of what is kept, in `target`, and of the tree and its builds, in `target/compare`.
const NAME: &str = "releases";

/// A version in the registry's index; it has more fields.
#[derive(Deserialize)]
struct Indexed {
    name: String,
    vers: Version,
    #[serde(default)]
    yanked: bool,
    pubtime: Option<Timestamp>,
}

/// What was measured of a release, and what of: another is measured anew.
#[derive(Serialize, Deserialize)]
struct Kept {
    of: String,
    app: AppRecord,
}

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
    let index = cargo::home()
        .context("cargo has no folder of its own")?
        .join("registry/index");
    let planned = counting.plan.subjects.iter().filter(|id| id.variant == DEFAULT_VARIANT);
    let planned = planned.filter_map(|id| base.catalog.app(&id.app));
    let mut planned: Vec<&App> = planned.filter(|app| app.role == Role::Framework).collect();
    if named.is_empty() {
        planned.retain(|app| locked(app, wanted.of.as_deref()).is_ok());
    }
    // What cargo keeps of the index may lack the newest release. Without a network it is what there is.
    let workspaces: BTreeSet<&PathBuf> = planned.iter().map(|app| &app.workspace).collect();
    for workspace in workspaces {
        let mut update = patch::cargo(workspace, "update");
        update.arg("--dry-run");
        let _ = patch::finished(update);
    }
    // Wrong names are reported before anything is built.
    let fitting = planned.iter().map(|app| {
        let (of, locked) = locked(app, wanted.of.as_deref())?;
        let mut releases = listed(&of, &index)?;
        releases
            .retain(|(version, _)| version.pre.is_empty() && locked.iter().any(|old| patch::compatible(old, version)));
        if let Some(unknown) = wanted
            .versions
            .iter()
            .find(|version| releases.iter().all(|(known, _)| known != *version))
        {
            bail!("{} has no release {of} {unknown} that it could be built with", app.id);
        }
        releases.retain(|(version, _)| wanted.versions.is_empty() || wanted.versions.contains(version));
        releases.truncate(wanted.newest.unwrap_or(usize::MAX));
        let as_locked = releases.into_iter().map(|(_, release)| release);
        let both = as_locked.flat_map(|release| {
            let then = Release {
                of_its_day: true,
                ..release.clone()
            };
            [Some(release), wanted.of_its_day.then_some(then)]
        });
        Ok(both.flatten().map(|release| (*app, release)).collect::<Vec<_>>())
    });
    let fitting: Vec<(&App, Release)> = fitting.collect::<anyhow::Result<Vec<_>>>()?.concat();
    ensure!(
        !fitting.is_empty(),
        "there is no release to measure; `bench list` shows all apps"
    );
    let heading = format!("measuring {}", model::count(fitting.len(), "release"));
    let progress = reporter.begin(&heading, fitting.len() as u64);
    let progress = &*progress;
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
                None => built(
                    &repository,
                    &base,
                    app,
                    release,
                    &path,
                    counting,
                    &setup.cargo_profile,
                    progress,
                )?,
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

/// The crate whose releases an app is built with, its framework unless one is named, and the versions that are locked.
fn locked(app: &App, named: Option<&str>) -> anyhow::Result<(String, Vec<Version>)> {
    let of = named.unwrap_or(&app.framework);
    let locked = app.dependencies.get(of).into_iter().flatten();
    let locked: Vec<Version> = locked.filter_map(|version| version.parse().ok()).collect();
    let (id, package) = (&app.id, &app.package);
    ensure!(
        !locked.is_empty(),
        "{id} is not built from a crate `{of}`; `cargo tree --package {package}` lists what it is built from"
    );
    Ok((of.to_owned(), locked))
}

/// All that a release is measured with but for itself.
fn what(app: &App, counting: &Counting<'_>) -> String {
    let scenarios = counting.plan.scenarios.iter().map(|scenario| scenario.id.as_str());
    let tools = [&counting.tools.valgrind, &counting.tools.strace].map(|tool| tool.as_deref().unwrap_or("none"));
    let (sources, lockfile) = (app.source_hash(), app.lockfile_hash.as_str());
    let starts = counting.starts.to_string();
    let all = [sources.as_str(), lockfile, &starts]
        .into_iter()
        .chain(tools)
        .chain(scenarios);
    all.collect::<Vec<_>>().join(" ")
}

/// What is kept at `path` of the same.
fn kept(path: &Path, of: &str) -> Option<AppRecord> {
    let kept: Kept = serde_json::from_str(&fs::read_to_string(path).ok()?).ok()?;
    (kept.of == of).then_some(kept.app)
}

/// Keeps what was found if it was built and counted: a reason may be gone the next time.
fn keep(path: &Path, of: String, app: AppRecord) -> anyhow::Result<AppRecord> {
    let kept = Kept { of, app };
    let mut counts = kept.app.costs.iter().flat_map(|costs| &costs.requests);
    if kept.app.build_error.is_none() && counts.all(|request| request.instructions.figure().is_some()) {
        fs::write(path, serde_json::to_string(&kept)?).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(kept.app)
}

/// The app with one release, not counted yet, and its program, which is kept at `path`. What cargo or the compiler refuses is a fact about the
/// release.
#[allow(clippy::too_many_arguments)] // the course of one build
fn built(
    repository: &Repository,
    base: &Tree,
    app: &App,
    mut release: Release,
    path: &Path,
    counting: &Counting<'_>,
    cargo_profile: &str,
    progress: &dyn Progress,
) -> anyhow::Result<(AppRecord, Option<Program>)> {
    let name = label(&release, app);
    progress.begins(&format!("{name}: building"));
    let own: Patch = format!("{}={}", release.of, release.version).parse()?;
    let day = release.published.filter(|_| release.of_its_day);
    let attempt = |patches: Vec<Patch>| {
        let tree = if release.of_its_day && day.is_none() {
            Err(anyhow!("the registry's index does not say when it was published"))
        } else {
            repository.released(base, app, patches, day, NAME)
        };
        let built = match &tree {
            Ok(app) => {
                let request = BuildRequest::for_variant(app, &app.variants[0], cargo_profile);
                build(request, |left| progress.goes_on(&format!("{name}: {left}")))
            }
            Err(error) => Err(BuildError::Refused(one_line(&format!("{error:#}")))),
        };
        (tree, built)
    };
    let (mut tree, mut built) = attempt(vec![own.clone()]);
    // An older one may not go with newer crates of its own.
    let others = own.together(app);
    if matches!(built, Err(BuildError::Refused(_))) && tree.is_ok() && day.is_none() && !others.is_empty() {
        let names = others.iter().map(|other| other.name().to_owned()).collect();
        let second = attempt([vec![own], others].concat());
        if second.0.is_ok() {
            (tree, built) = second;
            release.together_with = names;
        }
    }
    interrupt::check()?;
    let (binary, refused) = match built {
        Ok(binary) => (Some(binary), None),
        Err(BuildError::Refused(error)) => (None, Some(error)),
        Err(error) => return Err(error.into()),
    };
    let program = match &binary {
        Some(binary) => {
            fs::create_dir_all(path.parent().unwrap_or(path))?;
            let copied = binary.program.copied(path);
            Some(copied.with_context(|| format!("cannot write {}", path.display()))?)
        }
        None => None,
    };
    let costs = Costs {
        with: counting.tools.clone(),
        build: None,
        requests: Vec::new(),
        release: Some(release.clone()),
    };
    let of_framework = release.of == app.framework;
    let prefix = if of_framework {
        String::new()
    } else {
        format!("{}-", release.of)
    };
    let app = tree.as_ref().unwrap_or(app);
    let described = describe(app, &app.variants[0], binary.as_ref(), refused);
    let found = AppRecord {
        // A part of a path.
        variant: format!("{prefix}{}{}", release.version, then(&release)).replace(['.', '+'], "-"),
        framework_version: if of_framework {
            release.version.clone()
        } else {
            described.framework_version
        },
        costs: Some(costs),
        ..described
    };
    Ok((found, program))
}

/// What its name ends with if the crates beneath it are of its day.
fn then(release: &Release) -> &'static str {
    if release.of_its_day { "-of-its-day" } else { "" }
}

/// A release beneath an app, for people.
fn label(release: &Release, app: &App) -> String {
    let then = if release.of_its_day {
        " with the crates of its day"
    } else {
        ""
    };
    format!("{} {} in {}{then}", release.of, release.version, app.id)
}

/// The releases of a crate, the newest first, from what cargo keeps of the registry's index: after a head, the version and a line of JSON of
/// each, every one ended by a zero.
fn listed(name: &str, index: &Path) -> anyhow::Result<Vec<(Version, Release)>> {
    let folder = match name.len() {
        1 | 2 => name.len().to_string(),
        3 => format!("3/{}", &name[..1]),
        _ => format!("{}/{}", &name[..2], &name[2..4]),
    };
    let registries = fs::read_dir(index).into_iter().flatten().flatten();
    let files = registries.map(|registry| registry.path().join(".cache").join(&folder).join(name));
    let newest = files
        .filter_map(|file| Some((file.metadata().ok()?.modified().ok()?, file)))
        .max();
    let (_, file) = newest.with_context(|| {
        format!(
            "cargo knows no releases of `{name}`: there is nothing of it in {}; `cargo fetch` asks the registry",
            index.display()
        )
    })?;
    let bytes = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let lines = bytes
        .split(|byte| *byte == 0)
        .filter(|part| part.first() == Some(&b'{'));
    let indexed = lines.filter_map(|line| serde_json::from_slice::<Indexed>(line).ok());
    let mut found: Vec<Indexed> = indexed.filter(|indexed| indexed.name == name).collect();
    ensure!(
        !found.is_empty(),
        "{} has no versions in a form that is known",
        file.display()
    );
    found.sort_by(|one, other| other.vers.cmp(&one.vers));
    let released = found.into_iter().map(|indexed| {
        let release = Release {
            of: indexed.name,
            version: indexed.vers.to_string(),
            published: indexed.pubtime,
            yanked: indexed.yanked,
            of_its_day: false,
            together_with: Vec::new(),
        };
        (indexed.vers, release)
    });
    Ok(released.collect())
}

#[cfg(test)]
mod tests {
    use model::Cost;

    use super::*;

    #[test]
    fn releases_are_read_from_cargos_index_the_newest_first() {
        let index = tempfile::tempdir().unwrap();
        let folder = index.path().join("index.crates.io-1949cf/.cache/ax/um");
        fs::create_dir_all(&folder).unwrap();
        let one = r#"{"name":"axum","vers":"0.8.4","yanked":false,"pubtime":"2025-04-30T14:02:01Z","deps":[]}"#;
        let two = r#"{"name":"axum","vers":"0.8.10","yanked":true,"deps":[]}"#;
        let head = "\u{3}\u{2}\0\0\0etag: x";
        fs::write(
            folder.join("axum"),
            format!("{head}\x000.8.4\0{one}\x000.8.10\0{two}\0"),
        )
        .unwrap();
        let found = listed("axum", index.path()).unwrap();
        let versions: Vec<&str> = found.iter().map(|(_, release)| release.version.as_str()).collect();
        assert_eq!(versions, ["0.8.10", "0.8.4"], "by number, not by letter");
        let [(_, new), (_, old)] = &found[..] else {
            panic!("two")
        };
        assert!(new.yanked && new.published.is_none() && !old.yanked);
        assert_eq!(old.published, Some("2025-04-30T14:02:01Z".parse().unwrap()));
        let missing = listed("hyper", index.path()).unwrap_err().to_string();
        assert!(
            missing.contains("`hyper`") && missing.contains("cargo fetch"),
            "{missing}"
        );
        fs::write(folder.join("axum"), "of another cargo").unwrap();
        let unknown = listed("axum", index.path()).unwrap_err().to_string();
        assert!(unknown.contains("has no versions"), "{unknown}");
    }

    #[test]
    fn a_crate_that_the_app_is_not_built_from_is_refused() {
        let app = App {
            dependencies: [("axum".to_owned(), vec!["0.8.9".to_owned()])].into(),
            ..samples::framework("axum")
        };
        assert_eq!(
            locked(&app, None).unwrap(),
            ("axum".to_owned(), vec![Version::new(0, 8, 9)])
        );
        let refused = locked(&app, Some("rocket")).unwrap_err().to_string();
        assert!(
            refused.starts_with("axum is not built from a crate `rocket`; `cargo tree --package axum-app`"),
            "{refused}"
        );
    }

    #[test]
    fn what_was_measured_of_the_same_is_not_measured_again_and_what_did_not_build_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("axum-0.8.9.json");
        let app = |name: &str, error: Option<&str>| AppRecord {
            name: name.to_owned(),
            build_error: error.map(str::to_owned),
            ..AppRecord::default()
        };
        let found = |of: &str, app: AppRecord| {
            kept(&path, of)
                .unwrap_or_else(|| keep(&path, of.to_owned(), app).unwrap())
                .name
        };
        assert_eq!(found("a", app("broken", Some("error"))), "broken");
        let mut uncounted = app("uncounted", None);
        let mut costs = samples::full()
            .apps
            .into_iter()
            .find_map(|app| app.costs)
            .expect("a sample has costs");
        for request in &mut costs.requests {
            request.instructions = Cost::NotAvailable("no time".to_owned());
        }
        uncounted.costs = Some(costs);
        assert_eq!(found("a", uncounted), "uncounted");
        assert_eq!(found("a", app("first", None)), "first");
        assert_eq!(found("a", app("second", None)), "first");
        assert_eq!(found("b", app("third", None)), "third", "of another lockfile");
        fs::write(&path, "{").unwrap();
        assert_eq!(found("b", app("fourth", None)), "fourth", "half a file");
    }
}
