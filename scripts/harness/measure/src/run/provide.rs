//! Builds what a run needs, in an order in which a first figure comes early.

use std::path::Path;
use std::thread;

use cargo_lock::Lockfile;

use super::preview;
use super::setup::Setup;
use crate::programs::{GENERATOR_BINARY, build_generator, generator_manifest, generator_request};
use crate::progress::Reporter;
use apps::build::{BuildError, BuildRequest, BuiltApp, build};
use generator::{Generator, Generators};
use model::scenario::GeneratorKind;
use model::{RELEASE, Role, SubjectId, count};

/// Frameworks that are built first.
const EARLY: usize = 2;

impl Setup {
    /// All load generators of the plan, and oha, whose version is in every record; and the subjects with their programs. Generators that
    /// the user installs come first, so that a missing one is reported before anything is built.
    pub fn provide(&self, reporter: &dyn Reporter) -> anyhow::Result<(Generators, Vec<BuiltApp>)> {
        let (programs, request, cpus) = (&self.programs, &self.request, &self.cpus.split().generator);
        let mut generators = Generators::new();
        for kind in self.plan.scenarios.iter().map(|scenario| scenario.generator) {
            let named = match kind {
                GeneratorKind::Oha => continue,
                GeneratorKind::Wrk => &request.wrk,
                GeneratorKind::H2load => &request.h2load,
            };
            generators.insert(kind, Generator::installed(kind, named.as_deref(), cpus)?);
        }
        let handed_over = || programs.generator();
        let named = request.oha.clone().map_or_else(handed_over, |path| Ok(Some(path)))?;
        let (oha, subjects) = if let Some(path) = named {
            let oha = Generator::new(GeneratorKind::Oha, &path, cpus)?;
            let subjects = programs.subjects(&self.plan.subjects, &self.cargo_profile, reporter)?;
            (oha, subjects)
        } else if self.cargo_profile == RELEASE {
            self.one_by_one(reporter)?
        } else {
            self.at_once(reporter)?
        };
        generators.insert(GeneratorKind::Oha, oha);
        Ok((generators, subjects))
    }

    /// Builds by one profile what the default members of the workspace are: what they share is compiled once, and every cpu has work.
    fn at_once(&self, reporter: &dyn Reporter) -> anyhow::Result<(Generator, Vec<BuiltApp>)> {
        let (programs, ids, profile) = (&self.programs, &self.plan.subjects, &self.cargo_profile);
        let (root, cpus) = (&programs.catalog.root, &self.cpus.split().generator);
        let is_early = |id: &&SubjectId| {
            let app = programs.catalog.app(&id.app);
            app.is_some_and(|app| app.is_default_member && app.role == Role::Framework)
        };
        let at_once = if self.request.new_layouts { 0 } else { EARLY };
        let first: Vec<SubjectId> = ids.iter().filter(is_early).take(at_once).cloned().collect();
        let rest: Vec<SubjectId> = ids.iter().filter(|id| !first.contains(id)).cloned().collect();
        // Its own loads from this machine, and nothing that is added to it here.
        let is_plain = self.plan.scenarios.iter().all(|scenario| scenario.service.is_none());
        let installed = (is_plain && self.request.load_from.is_none()).then(|| pinned_oha(root, cpus));
        let oha = if let Some(oha) = installed.flatten() {
            let path = oha.program.path().display();
            reporter.begin(&format!("using the installed oha {}, {path}", oha.version), 0);
            self.together(&first, false, reporter)?;
            oha
        } else {
            generator_manifest(root)?;
            self.together(&first, true, reporter)?;
            let manifest = root.join("Cargo.toml");
            build_generator(
                workspace_request(&manifest, GENERATOR_BINARY, &[], profile),
                cpus,
                |_| {},
            )?
        };
        let mut subjects = programs.subjects(&first, profile, reporter)?;
        if !rest.is_empty() && first.len() == EARLY {
            preview::show(&self.plan, &subjects, &oha, self.cpus.split(), reporter);
        }
        if !self.request.new_layouts {
            self.together(&rest, false, reporter)?;
        }
        subjects.extend(programs.subjects(&rest, profile, reporter)?);
        subjects.sort_by_key(|built| {
            let app = &built.app;
            ids.iter()
                .position(|id| (&id.app, &id.variant) == (&app.id, &app.variant))
        });
        Ok((oha, subjects))
    }

    /// Builds each app by itself, and the load generator at the same time: their link-time optimisation uses only one cpu.
    fn one_by_one(&self, reporter: &dyn Reporter) -> anyhow::Result<(Generator, Vec<BuiltApp>)> {
        let (programs, cpus) = (&self.programs, &self.cpus.split().generator);
        let manifest = generator_manifest(&programs.catalog.root)?;
        thread::scope(|scope| {
            let building = scope.spawn(|| build_generator(generator_request(&manifest), cpus, |_| {}));
            let subjects = programs.subjects(&self.plan.subjects, &self.cargo_profile, reporter)?;
            let _progress = reporter.begin("building the load generator, to its end", 1);
            let built = building.join();
            let oha = built.map_err(|_| anyhow::anyhow!("the build of the load generator panicked"))??;
            Ok((oha, subjects))
        })
    }

    /// Builds the default members among the subjects, and `with_generator` the load generator, by one call of cargo. What fails is
    /// reported where it is built by itself afterwards, which takes no time if this did not fail.
    fn together(&self, ids: &[SubjectId], with_generator: bool, reporter: &dyn Reporter) -> anyhow::Result<()> {
        let members = ids.iter().filter_map(|id| {
            let app = self.programs.catalog.app(&id.app).filter(|app| app.is_default_member)?;
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
        let manifest = self.programs.catalog.root.join("Cargo.toml");
        match build(
            workspace_request(&manifest, binary, others, &self.cargo_profile),
            |left| {
                progress.goes_on(left);
            },
        ) {
            Ok(_) | Err(BuildError::Refused(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// An installed oha of the version that the lockfile pins.
fn pinned_oha(root: &Path, cpus: &[u32]) -> Option<Generator> {
    let lock = Lockfile::load(root.join("Cargo.lock")).ok()?;
    let pinned = lock.packages.iter().find(|package| package.name.as_str() == "oha")?;
    let found = Generator::installed(GeneratorKind::Oha, None, cpus).ok()?;
    (found.version == pinned.version.to_string()).then_some(found)
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
