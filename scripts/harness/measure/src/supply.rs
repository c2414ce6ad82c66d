//! Provides the programs of a run: built from this tree, or handed over by another machine.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::Context;
use cargo_lock::Lockfile;

use crate::plan::Plan;
use crate::progress::{Progress, Reporter};
use apps::build::BuiltApp;
use apps::build::{BuildError, BuildRequest, build, describe};
use apps::cargo;
use apps::catalog;
use apps::catalog::Catalog;
use apps::handover::Handover;
use apps::profile::Profiles;
use generator::{Generator, Generators};
use machine::environment;
use model::scenario::GeneratorKind;
use model::{AppRecord, RELEASE, Role, SubjectId, count};

/// Cargo package and program of the load generator.
const GENERATOR_PACKAGE: &str = "load-generator";
const GENERATOR_BINARY: &str = "oha";
/// Its cargo profile.
const GENERATOR_PROFILE: &str = "generator";

/// The apps and the source of their programs.
pub struct Supply {
    /// All available apps.
    pub catalog: Catalog,
    handed_over: Option<Handover>,
    layout: Option<NonZeroU32>,
    /// When the catalog was read: a commit that somebody makes during a run is not what was measured.
    commit: Option<(String, bool)>,
    /// Why git does not say which commit it is, where it should.
    no_commit: Option<String>,
    /// What reaches or reached the build from outside of the repository.
    pub foreign_settings: Vec<String>,
}

/// Frameworks that are built first.
const EARLY: usize = 2;

/// Load generators that were named, each by its path.
pub type GeneratorPaths = BTreeMap<GeneratorKind, PathBuf>;

/// What a run needs.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// Load generators.
    pub kinds: &'a BTreeSet<GeneratorKind>,
    /// Those that were named.
    pub programs: &'a GeneratorPaths,
    /// Whether an oha of the pinned version that is installed will do: its own loads from this machine, and nothing that is added to it here.
    pub installed_oha: bool,
    /// Cpus of the generators.
    pub cpus: &'a [u32],
    /// Who is measured.
    pub subjects: &'a [SubjectId],
    /// How programs are built.
    pub cargo_profile: &'a str,
}

impl Supply {
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

    /// All load generators in `kinds`, and oha, whose version is in every record; and the subjects with their programs.
    /// Generators that the user installs come first, so that a missing one is reported before anything is built. `early` gets the first
    /// two frameworks, where more is built after them.
    pub fn everything(
        &self,
        wanted: &Wanted<'_>,
        reporter: &dyn Reporter,
        early: impl FnOnce(&Generator, &[BuiltApp]),
    ) -> anyhow::Result<(Generators, Vec<BuiltApp>)> {
        let (cpus, ids, cargo_profile) = (wanted.cpus, wanted.subjects, wanted.cargo_profile);
        let others = wanted.kinds.iter().filter(|kind| **kind != GeneratorKind::Oha);
        let others = others.map(|kind| {
            let named = wanted.programs.get(kind).map(PathBuf::as_path);
            Ok((*kind, Generator::installed(*kind, named, cpus)?))
        });
        let mut generators = others.collect::<anyhow::Result<Generators>>()?;
        let named = match (wanted.programs.get(&GeneratorKind::Oha), &self.handed_over) {
            (Some(named), _) => Some(named.to_owned()),
            (None, Some(handover)) => Some(handover.generator()?),
            (None, None) => None,
        };
        let (oha, subjects) = if let Some(path) = named {
            let oha = Generator::new(GeneratorKind::Oha, &path, cpus)?;
            (oha, self.subjects(ids, cargo_profile, reporter)?)
        } else if cargo_profile == RELEASE {
            self.one_by_one(wanted, reporter)?
        } else {
            self.at_once(wanted, reporter, early)?
        };
        generators.insert(GeneratorKind::Oha, oha);
        Ok((generators, subjects))
    }

    /// Builds by one profile what the default members of the workspace are: what they share is compiled once, and every cpu has work.
    fn at_once(
        &self,
        wanted: &Wanted<'_>,
        reporter: &dyn Reporter,
        early: impl FnOnce(&Generator, &[BuiltApp]),
    ) -> anyhow::Result<(Generator, Vec<BuiltApp>)> {
        let (ids, profile, root) = (wanted.subjects, wanted.cargo_profile, &self.catalog.root);
        let is_early = |id: &&SubjectId| {
            let app = self.catalog.app(&id.app);
            app.is_some_and(|app| app.is_default_member && app.role == Role::Framework)
        };
        let at_once = if self.layout.is_none() { EARLY } else { 0 };
        let first: Vec<SubjectId> = ids.iter().filter(is_early).take(at_once).cloned().collect();
        let rest: Vec<SubjectId> = ids.iter().filter(|id| !first.contains(id)).cloned().collect();
        let installed = wanted.installed_oha.then(|| pinned_oha(root, wanted.cpus)).flatten();
        let oha = if let Some(oha) = installed {
            let path = oha.program.path().display();
            reporter.begin(&format!("using the installed oha {}, {path}", oha.version), 0);
            self.together(&first, false, profile, reporter)?;
            oha
        } else {
            generator_manifest(root)?;
            self.together(&first, true, profile, reporter)?;
            let manifest = root.join("Cargo.toml");
            build_generator(
                workspace_request(&manifest, GENERATOR_BINARY, &[], profile),
                wanted.cpus,
                |_| {},
            )?
        };
        let mut subjects = self.subjects(&first, profile, reporter)?;
        if !rest.is_empty() && first.len() == EARLY {
            early(&oha, &subjects);
        }
        if self.layout.is_none() {
            self.together(&rest, false, profile, reporter)?;
        }
        subjects.extend(self.subjects(&rest, profile, reporter)?);
        subjects.sort_by_key(|built| {
            let app = &built.app;
            ids.iter()
                .position(|id| (&id.app, &id.variant) == (&app.id, &app.variant))
        });
        Ok((oha, subjects))
    }

    /// Builds each app by itself, and the load generator at the same time: their link-time optimisation uses only one cpu.
    fn one_by_one(&self, wanted: &Wanted<'_>, reporter: &dyn Reporter) -> anyhow::Result<(Generator, Vec<BuiltApp>)> {
        let manifest = generator_manifest(&self.catalog.root)?;
        thread::scope(|scope| {
            let building = scope.spawn(|| build_generator(generator_request(&manifest), wanted.cpus, |_| {}));
            let subjects = self.subjects(wanted.subjects, wanted.cargo_profile, reporter)?;
            let _progress = reporter.begin("building the load generator, to its end", 1);
            let built = building.join();
            let oha = built.map_err(|_| anyhow::anyhow!("the build of the load generator panicked"))??;
            Ok((oha, subjects))
        })
    }

    /// Builds the default members among the subjects, and `with_generator` the load generator, by one call of cargo. What fails is
    /// reported where it is built by itself afterwards, which takes no time if this did not fail.
    fn together(
        &self,
        ids: &[SubjectId],
        with_generator: bool,
        profile: &str,
        reporter: &dyn Reporter,
    ) -> anyhow::Result<()> {
        let members = ids.iter().filter_map(|id| {
            let app = self.catalog.app(&id.app).filter(|app| app.is_default_member)?;
            app.variant(&id.variant).filter(|variant| variant.rustflags.is_empty())
        });
        let servers = members.map(|variant| variant.binary.as_str());
        let all: Vec<&str> = with_generator
            .then_some(GENERATOR_BINARY)
            .into_iter()
            .chain(servers)
            .collect();
        let [binary, others @ ..] = all.as_slice() else {
            return Ok(());
        };
        if others.is_empty() {
            return Ok(());
        }
        let servers = count(all.len() - usize::from(with_generator), "server");
        let generator = if with_generator { "oha and " } else { "" };
        let progress = reporter.begin(&format!("building {generator}{servers}"), 1);
        let manifest = self.catalog.root.join("Cargo.toml");
        match build(workspace_request(&manifest, binary, others, profile), |left| {
            progress.goes_on(left);
        }) {
            Ok(_) | Err(BuildError::Refused(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
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

    /// Cargo profile of the programs: the handover's, or else `requested`.
    pub fn cargo_profile<'a>(&'a self, requested: &'a str) -> &'a str {
        self.handed_over
            .as_ref()
            .map_or(requested, |handover| &handover.cargo_profile)
    }

    /// Whether this is a whole run of its profile, with programs built for release.
    pub fn is_whole(&self, plan: &Plan, profiles: &Profiles, cargo_profile: &str) -> bool {
        let as_published = cargo_profile == RELEASE && self.foreign_settings.is_empty();
        as_published && self.has_all_apps() && plan.is_whole(&self.catalog, profiles)
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

    /// Commit that the programs were built from, and whether files differed from it.
    pub fn commit(&self) -> Option<(String, bool)> {
        self.commit.clone()
    }
}

/// An installed oha of the version that the lockfile pins.
fn pinned_oha(root: &Path, cpus: &[u32]) -> Option<Generator> {
    let lock = Lockfile::load(root.join("Cargo.lock")).ok()?;
    let pinned = lock.packages.iter().find(|package| package.name.as_str() == "oha")?;
    let found = Generator::installed(GeneratorKind::Oha, None, cpus).ok()?;
    (found.version == pinned.version.to_string()).then_some(found)
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
    let (binary, build_error) = match built {
        Ok(binary) => (Some(binary), None),
        Err(BuildError::Refused(error)) => (None, Some(error)),
        Err(error) => return Err(error.into()),
    };
    let record = AppRecord {
        layout_seed: layout,
        ..describe(app, variant, binary.as_ref(), build_error)
    };
    if let Some(reason) = record.why_not_built() {
        progress.warn(&format!("{} could not be built: {reason}", record.label()));
    }
    Ok(BuiltApp {
        app: record,
        binary,
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

fn build_generator(request: BuildRequest<'_>, cpus: &[u32], report: impl FnMut(&str)) -> anyhow::Result<Generator> {
    let built = build(request, report).context("the load generator could not be built")?;
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
        package: Some(GENERATOR_PACKAGE),
        binary: GENERATOR_BINARY,
        others: &[],
        profile: GENERATOR_PROFILE,
        target: None,
        flags: &[],
        layout: None,
    }
}

/// Default members of the workspace, by one profile.
fn workspace_request<'a>(
    manifest: &'a Path,
    binary: &'a str,
    others: &'a [&'a str],
    profile: &'a str,
) -> BuildRequest<'a> {
    BuildRequest {
        binary,
        others,
        profile,
        package: None,
        ..generator_request(manifest)
    }
}
