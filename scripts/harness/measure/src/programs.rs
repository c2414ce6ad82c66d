//! Provides the programs of a run: built from this tree, or handed over by another machine.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::progress::{Progress, Reporter};
use apps::build::BuiltApp;
use apps::build::{BuildRequest, build, describe, or_refused};
use apps::cargo;
use apps::catalog;
use apps::catalog::Catalog;
use apps::handover::Handover;
use generator::Generator;
use machine::environment;
use model::scenario::GeneratorKind;
use model::{AppRecord, RELEASE, Role, SubjectId, count};

/// Cargo package and program of the load generator.
const GENERATOR_PACKAGE: &str = "load-generator";
pub(crate) const GENERATOR_BINARY: &str = "oha";
/// Its cargo profile.
const GENERATOR_PROFILE: &str = "generator";

/// The apps and the source of their programs.
pub struct Programs {
    /// All available apps.
    pub catalog: Catalog,
    handed_over: Option<Handover>,
    layout: Option<NonZeroU32>,
    /// Commit that the programs were built from, and whether files differed from it. When the catalog was read: one that somebody makes
    /// during a run is not what was measured.
    pub commit: Option<(String, bool)>,
    /// Why git does not say which commit it is, where it should.
    no_commit: Option<String>,
    /// What reaches or reached the build from outside of the repository.
    pub foreign_settings: Vec<String>,
}

impl Programs {
    /// The handover in the folder `binaries`, or the repository.
    pub fn find(binaries: Option<&Path>) -> anyhow::Result<Self> {
        let Some(folder) = binaries else {
            let catalog = Catalog::find()?;
            let commit = environment::commit(&catalog.root);
            return Ok(Self {
                no_commit: commit.as_ref().err().map(ToString::to_string),
                commit: commit.unwrap_or_default(),
                foreign_settings: cargo::foreign_settings(&catalog.root),
                catalog,
                handed_over: None,
                layout: None,
            });
        };
        let handover = Handover::read(folder)?;
        let catalog = Catalog::new(catalog::search_root(), handover.apps.clone());
        Ok(Self {
            commit: handover.commit.clone().zip(handover.dirty),
            no_commit: None,
            foreign_settings: handover.foreign_settings.clone(),
            catalog,
            handed_over: Some(handover),
            layout: None,
        })
    }

    /// Programs whose sections are in an order drawn from this seed, each built by itself; `None` for the linker's order.
    #[must_use]
    pub fn with_layout(self, layout: Option<NonZeroU32>) -> Self {
        Self { layout, ..self }
    }

    /// The subjects with their programs. One that cannot be built is reported and kept, and gets a verdict.
    pub fn subjects(
        &self,
        ids: &[SubjectId],
        cargo_profile: &str,
        reporter: &dyn Reporter,
    ) -> anyhow::Result<Vec<BuiltApp>> {
        if let Some(handover) = &self.handed_over {
            return ids.iter().map(|id| handover.subject(id)).collect();
        }
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let heading = format!("building {}", count(ids.len(), "server"));
        let progress = reporter.begin(&heading, ids.len() as u64);
        let built = ids.iter().map(|id| {
            let built = build_subject(&self.catalog, id, cargo_profile, self.layout, progress.as_ref())?;
            progress.step();
            Ok(built)
        });
        built.collect()
    }

    /// The load generator, where it was handed over.
    pub fn generator(&self) -> anyhow::Result<Option<PathBuf>> {
        self.handed_over.as_ref().map(Handover::generator).transpose()
    }

    /// Cargo profile of the programs: the handover's, or else `requested`.
    pub fn cargo_profile<'a>(&'a self, requested: &'a str) -> &'a str {
        self.handed_over
            .as_ref()
            .map_or(requested, |handover| &handover.cargo_profile)
    }

    /// Whether the catalog lacks no app of the repository, as the catalog of a handover of some apps does.
    pub fn has_all_apps(&self) -> bool {
        self.handed_over.as_ref().is_none_or(|handover| handover.all_apps)
    }

    /// `rustc --version` of the compiler that made the programs.
    pub fn rustc(&self) -> anyhow::Result<String> {
        match &self.handed_over {
            Some(handover) => Ok(handover.rustc.clone()),
            None => cargo::rustc(&self.catalog.root),
        }
    }

    /// What a reader must know of where the programs come from: that git does not say it, or that they are not built as the repository says.
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        let no_commit = self
            .no_commit
            .iter()
            .map(|reason| format!("the record does not say of which commit it is: {reason}"));
        let settings = self.foreign_settings.join(", ");
        let settings = (!settings.is_empty()).then(|| {
            format!("settings from outside of the repository reached the build, and figures are not comparable with published ones: {settings}")
        });
        no_commit.chain(settings)
    }
}

fn build_subject(
    catalog: &Catalog,
    id: &SubjectId,
    profile: &str,
    layout: Option<NonZeroU32>,
    progress: &dyn Progress,
) -> anyhow::Result<BuiltApp> {
    let app = catalog.app_or_control(&id.app);
    let app = app.context("planned apps are in the catalog")?;
    let layout = match app.role {
        Role::Control => Some(of_control(layout)),
        _ => layout,
    };
    let variant = app
        .variant(&id.variant)
        .context("planned variants are in the catalog")?;
    progress.begins(&id.label());
    let workspace = app.workspace.join("Cargo.toml");
    let alone = BuildRequest {
        layout,
        ..BuildRequest::for_variant(app, variant, profile)
    };
    let request = if profile != RELEASE && app.is_default_member && layout.is_none() {
        BuildRequest {
            manifest: &workspace,
            package: None,
            ..alone
        }
    } else {
        alone
    };
    let built = build(request, |left| progress.goes_on(&format!("{}: {left}", id.label())));
    let built = or_refused(built)?;
    let record = AppRecord {
        layout_seed: layout,
        ..describe(app, variant, built.as_ref().ok(), built.as_ref().err().cloned())
    };
    if let Some(reason) = record.why_not_built() {
        progress.warn(&format!("{} could not be built: {reason}", record.label()));
    }
    Ok(BuiltApp {
        app: record,
        binary: built.ok(),
        connections: app.connections,
    })
}

/// A control's sections are always in another order than the linker's, and where all are, in another than the reference's.
fn of_control(layout: Option<NonZeroU32>) -> NonZeroU32 {
    layout.and_then(|seed| seed.checked_add(1)).unwrap_or(NonZeroU32::MIN)
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
    build_generator(generator_request(&manifest), cpus, |left| progress.goes_on(left))
}

pub(crate) fn build_generator(
    request: BuildRequest<'_>,
    cpus: &[u32],
    report: impl FnMut(&str),
) -> anyhow::Result<Generator> {
    let built = build(request, report).context("the load generator could not be built")?;
    Ok(Generator::new(GeneratorKind::Oha, built.program.path(), cpus)?)
}

pub(crate) fn generator_manifest(root: &Path) -> anyhow::Result<PathBuf> {
    let manifest = root.join("scripts/oha/Cargo.toml");
    anyhow::ensure!(
        manifest.is_file(),
        "{} is not there; name a load generator with --oha PATH",
        manifest.display()
    );
    Ok(manifest)
}

pub(crate) fn generator_request(manifest: &Path) -> BuildRequest<'_> {
    BuildRequest {
        manifest,
        package: Some(GENERATOR_PACKAGE),
        binary: GENERATOR_BINARY,
        others: &[],
        profile: GENERATOR_PROFILE,
        target: None,
        flags: &[],
        layout: None,
    }
}
