//! Provides the programs of a run: built from this tree, or handed over by another machine.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::Context;

use crate::build::BuiltApp;
use crate::build::{BuildError, BuildRequest, build, describe};
use crate::catalog;
use crate::catalog::Catalog;
use crate::generator::{Generator, Generators};
use crate::handover::Handover;
use crate::machine::environment;
use crate::plan::Plan;
use crate::profile::Profiles;
use crate::progress::{Progress, Reporter};
use record::scenario::GeneratorKind;
use record::{SubjectId, count};

/// Cargo package and program of the load generator.
const GENERATOR_PACKAGE: &str = "load-generator";
const GENERATOR_BINARY: &str = "oha";
/// Its cargo profile.
const GENERATOR_PROFILE: &str = "generator";
const NOT_BUILT: &str = "the load generator could not be built";

/// The cargo profile whose programs are what users run.
pub const RELEASE: &str = "release";

/// The apps and the source of their programs.
pub struct Supply {
    /// All available apps.
    pub catalog: Catalog,
    handed_over: Option<(PathBuf, Handover)>,
    /// When the catalog was read: a commit that somebody makes during a run is not what was measured.
    commit: Option<(String, bool)>,
}

/// Load generators that were named, each by its path.
pub type GeneratorPaths = BTreeMap<GeneratorKind, PathBuf>;

impl Supply {
    /// The handover in the folder `binaries`, or the repository.
    pub fn find(binaries: Option<&Path>) -> anyhow::Result<Self> {
        let Some(folder) = binaries else {
            let catalog = Catalog::find()?;
            return Ok(Self {
                commit: environment::commit(&catalog.root),
                catalog,
                handed_over: None,
            });
        };
        let handover = Handover::read(folder)?;
        let catalog = Catalog {
            root: catalog::search_root(),
            apps: handover.apps.clone(),
        };
        Ok(Self {
            commit: handover.commit.clone().zip(handover.dirty),
            catalog,
            handed_over: Some((folder.to_owned(), handover)),
        })
    }

    /// All load generators in `kinds`, and oha, whose version is in every record; and the subjects with their programs.
    /// Generators that the user installs come first, so that a missing one is reported before anything is built.
    pub fn everything(
        &self,
        kinds: &BTreeSet<GeneratorKind>,
        programs: &GeneratorPaths,
        cpus: &[u32],
        ids: &[SubjectId],
        cargo_profile: &str,
        reporter: &dyn Reporter,
    ) -> anyhow::Result<(Generators, Vec<BuiltApp>)> {
        let mut generators = Generators::new();
        for kind in kinds.iter().copied().filter(|kind| *kind != GeneratorKind::Oha) {
            generators.insert(
                kind,
                Generator::installed(kind, programs.get(&kind).map(PathBuf::as_path), cpus)?,
            );
        }
        let oha = match (programs.get(&GeneratorKind::Oha), &self.handed_over) {
            (None, None) => {
                let (oha, subjects) = self.beside_the_generator(ids, cargo_profile, cpus, reporter)?;
                generators.insert(GeneratorKind::Oha, oha);
                return Ok((generators, subjects));
            }
            (Some(named), _) => named.to_owned(),
            (None, Some((folder, handover))) => handover.generator(folder)?,
        };
        generators.insert(GeneratorKind::Oha, Generator::new(GeneratorKind::Oha, &oha, cpus)?);
        Ok((generators, self.subjects(ids, cargo_profile, reporter)?))
    }

    /// Builds the load generator at the same time as the apps: their link-time optimisation uses only one cpu.
    fn beside_the_generator(
        &self,
        ids: &[SubjectId],
        cargo_profile: &str,
        cpus: &[u32],
        reporter: &dyn Reporter,
    ) -> anyhow::Result<(Generator, Vec<BuiltApp>)> {
        let manifest = generator_manifest(&self.catalog.root)?;
        thread::scope(|scope| {
            let building = scope.spawn(|| build(generator_request(&manifest), |_| {}));
            let subjects = self.subjects(ids, cargo_profile, reporter)?;
            let progress = reporter.begin("building the load generator, to its end", 1);
            let built = building
                .join()
                .map_err(|_| anyhow::anyhow!("the build of the load generator panicked"))?;
            let built = built.context(NOT_BUILT)?;
            drop(progress);
            Ok((
                Generator::new(GeneratorKind::Oha, built.program.path(), cpus)?,
                subjects,
            ))
        })
    }

    /// The subjects with their programs.
    pub fn subjects(
        &self,
        ids: &[SubjectId],
        cargo_profile: &str,
        reporter: &dyn Reporter,
    ) -> anyhow::Result<Vec<BuiltApp>> {
        match &self.handed_over {
            None => build_subjects(&self.catalog, ids, cargo_profile, reporter),
            Some((folder, handover)) => {
                let subjects = ids.iter().map(|id| handover.subject(folder, id));
                Ok(subjects.collect::<Result<_, _>>()?)
            }
        }
    }

    /// Cargo profile of the programs: that of the handover, or else `asked`.
    pub fn cargo_profile<'a>(&'a self, asked: &'a str) -> &'a str {
        self.handed_over
            .as_ref()
            .map_or(asked, |(_, handover)| &handover.cargo_profile)
    }

    /// Whether this is a whole run of its profile, with programs built for release.
    pub fn is_whole(&self, plan: &Plan, profiles: &Profiles, cargo_profile: &str) -> bool {
        self.has_all_apps() && cargo_profile == RELEASE && plan.is_whole(&self.catalog, profiles)
    }

    /// Whether the catalog lacks no app of the repository, as that of a handover of some apps does.
    pub fn has_all_apps(&self) -> bool {
        self.handed_over.as_ref().is_none_or(|(_, handover)| handover.all_apps)
    }

    /// `rustc --version` of the compiler that made the programs.
    pub fn rustc(&self) -> anyhow::Result<String> {
        match &self.handed_over {
            Some((_, handover)) => Ok(handover.rustc.clone()),
            None => environment::rustc(&self.catalog.root),
        }
    }

    /// Commit that the programs were built from, and whether files differed from it.
    pub fn commit(&self) -> Option<(String, bool)> {
        self.commit.clone()
    }
}

/// Builds every subject by itself. One that cannot be built is reported and kept, and gets a verdict.
pub fn build_subjects(
    catalog: &Catalog,
    subjects: &[SubjectId],
    profile: &str,
    reporter: &dyn Reporter,
) -> anyhow::Result<Vec<BuiltApp>> {
    let progress = reporter.begin(
        &format!("building {}", count(subjects.len(), "server")),
        subjects.len() as u64,
    );
    let mut built = Vec::new();
    for id in subjects {
        built.push(build_subject(catalog, id, profile, progress.as_ref())?);
        progress.step();
    }
    Ok(built)
}

fn build_subject(
    catalog: &Catalog,
    id: &SubjectId,
    profile: &str,
    progress: &dyn Progress,
) -> anyhow::Result<BuiltApp> {
    let app = catalog.app(&id.app).context("planned apps are in the catalog")?;
    let variant = app
        .variant(&id.variant)
        .context("planned variants are in the catalog")?;
    progress.begins(&id.app);
    let built = build(BuildRequest::for_variant(app, variant, profile), |name| {
        progress.doing(&format!("{}: {name}", id.app));
    });
    let (binary, build_error) = match built {
        Ok(binary) => (Some(binary), None),
        Err(BuildError::Refused(error)) => (None, Some(error)),
        Err(error) => return Err(error.into()),
    };
    let record = describe(app, variant, binary.as_ref(), build_error);
    if let Some(reason) = record.why_not_built() {
        progress.warn(&format!("{} could not be built: {reason}", record.label()));
    }
    Ok(BuiltApp {
        app: record,
        binary,
        connections: app.connections,
    })
}

/// The load generator at `path`, or else the repository's own, which is built.
pub fn load_generator(
    path: Option<&Path>,
    root: &Path,
    cpus: &[u32],
    reporter: &dyn Reporter,
) -> anyhow::Result<Generator> {
    if let Some(path) = path {
        return Ok(Generator::new(GeneratorKind::Oha, path, cpus)?);
    }
    let manifest = generator_manifest(root)?;
    let progress = reporter.begin("building the load generator", 1);
    let built = build(generator_request(&manifest), |name| progress.doing(name)).context(NOT_BUILT)?;
    Ok(Generator::new(GeneratorKind::Oha, built.program.path(), cpus)?)
}

fn generator_manifest(root: &Path) -> anyhow::Result<PathBuf> {
    let manifest = root.join("scripts/oha/Cargo.toml");
    anyhow::ensure!(
        manifest.is_file(),
        "{} is not there; name a load generator with --oha PATH",
        manifest.display()
    );
    Ok(manifest)
}

fn generator_request(manifest: &Path) -> BuildRequest<'_> {
    BuildRequest {
        manifest,
        package: GENERATOR_PACKAGE,
        binary: GENERATOR_BINARY,
        profile: GENERATOR_PROFILE,
        target: None,
        flags: None,
    }
}
