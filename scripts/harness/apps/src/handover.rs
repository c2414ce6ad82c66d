//! Programs that one machine builds and another measures. The measuring machine needs no compiler, and is quiet before a run.
//!
//! A handover is a folder with the programs, the load generator, this command, and [`FILE`], which is written last and
//! describes them. A program whose hash has changed is not measured.

use std::collections::BTreeSet;
use std::env::consts::ARCH;
use std::fs;
use std::fs::File;
use std::io;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, ensure};
use serde::{Deserialize, Serialize};

use crate::build::Binary;
use crate::build::BuiltApp;
use crate::cargo;
use crate::catalog::{App, Catalog, Variant};
use machine::environment;
use machine::program;
use model::{AppRecord, Part, SubjectId, store};

/// Name of the file that describes a handover.
pub const FILE: &str = "handover.json";
/// The version of that file.
const VERSION: u32 = 1;
/// Largest description that is read; twenty apps have about 200 kB.
const LARGEST: u64 = 16 << 20;
/// Name of this command in a handover.
const COMMAND: &str = "bench";
/// Name of the load generator in a handover.
const GENERATOR: &str = "oha";

/// What was built, and from what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Handover {
    /// The folder that it was read from.
    #[serde(skip)]
    folder: PathBuf,
    version: u32,
    /// Kind of cpu that the programs are for: `x86_64`, `aarch64`.
    pub architecture: String,
    /// The cpu that they were built on.
    pub cpu_model: String,
    /// Commit that they were built from, if it was a git checkout.
    pub commit: Option<String>,
    /// Whether files differed from that commit.
    pub dirty: Option<bool>,
    /// `rustc --version` of the compiler.
    pub rustc: String,
    /// Cargo profile.
    pub cargo_profile: String,
    /// What reached the build from outside of the repository: [`cargo::foreign_settings`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreign_settings: Vec<String>,
    generator: Program,
    command: Program,
    /// The apps, sorted by id, and the controls, including those that could not be built.
    pub apps: Vec<App>,
    /// Whether these are all apps of the repository, or all of those with a database, or all of those without one. If not, a run of
    /// them is not a whole one.
    pub all_apps: bool,
    built: Vec<Built>,
}

/// An app in a variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Built {
    record: AppRecord,
    /// `None` if it could not be built.
    program: Option<Program>,
}

/// A program in the folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    file: String,
    sha256: String,
}

/// Whether `apps` lack no app of a kind that they have one of.
fn has_all(catalog: &Catalog, apps: &[App]) -> bool {
    let of_part = |all: &[App], part: Part| all.iter().filter(|app| app.part() == part).count();
    let parts = catalog.apps.iter().map(App::part);
    let is_complete = |part| [0, of_part(&catalog.apps, part)].contains(&of_part(apps, part));
    parts.collect::<BTreeSet<_>>().into_iter().all(is_complete)
}

impl Handover {
    /// Copies everything that was built to `folder`, which must be empty or missing.
    ///
    /// `catalog` has all apps; those that are not among the `subjects` are left out. `generator` and `command` are the load
    /// generator and this program.
    pub fn write(
        folder: &Path,
        catalog: &Catalog,
        subjects: &[BuiltApp],
        generator: &Path,
        command: &Path,
        cargo_profile: &str,
    ) -> anyhow::Result<Self> {
        ensure_empty(folder)?;
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let is_built = |app: &App, variant: &Variant| {
            let mut all = subjects.iter().map(|subject| &subject.app);
            all.any(|built| (&built.id, &built.variant) == (&app.id, &variant.name))
        };
        let built_of = |all: &[App]| -> Vec<App> {
            let with_variants = |app: &App| {
                let mut variants = app.variants.clone();
                variants.retain(|variant| is_built(app, variant));
                (!variants.is_empty()).then(|| App {
                    variants,
                    ..app.clone()
                })
            };
            all.iter().filter_map(with_variants).collect()
        };
        let apps = built_of(&catalog.apps);
        let all_apps = has_all(catalog, &apps);
        let apps = [apps, built_of(&catalog.controls)].concat();
        let built = subjects.iter().map(|subject| {
            let path = subject.binary.as_ref().map(|binary| binary.program.path());
            let program = path.map(|path| copy(path, folder, &path.file_name().unwrap_or_default().to_string_lossy()));
            Ok(Built {
                record: subject.app.clone(),
                program: program.transpose()?,
            })
        });
        let built = built.collect::<anyhow::Result<_>>()?;
        let (commit, dirty) = environment::commit(&catalog.root).unwrap_or_default().unzip();
        let handover = Self {
            folder: folder.to_owned(),
            version: VERSION,
            architecture: ARCH.to_owned(),
            cpu_model: environment::cpu_model(),
            commit,
            dirty,
            rustc: cargo::rustc(&catalog.root)?,
            cargo_profile: cargo_profile.to_owned(),
            foreign_settings: cargo::foreign_settings(&catalog.root),
            generator: copy(generator, folder, GENERATOR)?,
            command: copy(command, folder, COMMAND)?,
            all_apps,
            apps,
            built,
        };
        let path = folder.join(FILE);
        let text = serde_json::to_string_pretty(&handover)?;
        store::write_whole(&path, text.as_bytes()).with_context(|| path.display().to_string())?;
        Ok(handover)
    }

    /// Reads what [`Handover::write`] wrote.
    pub fn read(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join(FILE);
        let text = store::read_text(&path, LARGEST).with_context(|| path.display().to_string())?;
        let not_one = |why: String| {
            let path = path.display();
            anyhow!("{path} is not a handover: {why}; `bench build --out DIR` makes one")
        };
        let mut handover: Self = serde_json::from_str(&text).map_err(|error| not_one(error.to_string()))?;
        if handover.version != VERSION {
            let why = format!("its version is {}, this program reads {VERSION}", handover.version);
            return Err(not_one(why));
        }
        ensure!(
            handover.architecture == ARCH,
            "{} holds programs for {}, and this machine is {ARCH}",
            folder.display(),
            handover.architecture
        );
        folder.clone_into(&mut handover.folder);
        Ok(handover)
    }

    /// Path of the load generator, after checking its hash.
    pub fn generator(&self) -> anyhow::Result<PathBuf> {
        Ok(checked(&self.folder, &self.generator)?.path().to_owned())
    }

    /// An app in a variant with its program, after checking its hash.
    pub fn subject(&self, id: &SubjectId) -> anyhow::Result<BuiltApp> {
        let built = self
            .built
            .iter()
            .find(|built| built.record.id == id.app && built.record.variant == id.variant)
            .with_context(|| {
                let (folder, SubjectId { app, variant }) = (self.folder.display(), id);
                format!(
                    "the handover {folder} does not hold {app} ({variant}); build it with `bench build --app {app} --variant {variant}`"
                )
            })?;
        let of_app = self.apps.iter().find(|app| app.id == id.app);
        let program = built.program.as_ref().map(|program| checked(&self.folder, program));
        let seconds = built.record.build_seconds.unwrap_or(0.0);
        Ok(BuiltApp {
            app: built.record.clone(),
            binary: program.transpose()?.map(|program| Binary { program, seconds }),
            connections: of_app.and_then(|app| app.connections),
        })
    }
}

/// Refuses a folder that holds anything: nothing is overwritten.
pub fn ensure_empty(folder: &Path) -> anyhow::Result<()> {
    let is_in_use = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    ensure!(
        !is_in_use,
        "{} is not empty; name another folder, nothing is overwritten",
        folder.display()
    );
    Ok(())
}

fn copy(from: &Path, folder: &Path, name: &str) -> anyhow::Result<Program> {
    let to = folder.join(name);
    let copied = fs::copy(from, &to).and_then(|_| sha256(&mut File::open(&to)?));
    Ok(Program {
        file: name.to_owned(),
        sha256: copied.with_context(|| from.display().to_string())?,
    })
}

/// A program, after checking that it is unchanged and executable.
fn checked(folder: &Path, program: &Program) -> anyhow::Result<program::Program> {
    let path = folder.join(&program.file);
    let shown = path.display();
    let path = path.canonicalize().with_context(|| shown.to_string())?;
    program::Program::checked(&path, |file| {
        let actual = sha256(file).with_context(|| shown.to_string())?;
        ensure!(
            actual == program.sha256,
            "{shown} is not the program that was built; unpack the handover again"
        );
        let mode = file.metadata().with_context(|| shown.to_string())?.permissions().mode();
        ensure!(
            mode & 0o100 != 0,
            "{shown} may not be executed; unpack the handover with tar, which keeps modes"
        );
        Ok(())
    })
}

fn sha256(file: &mut File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(store::sha256([&*bytes]))
}
