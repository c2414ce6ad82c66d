//! Where the programs of a run come from: this tree, which is built, or what another machine handed over.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::prepare;
use measure::catalog;
use measure::catalog::Catalog;
use measure::handover::Handover;
use measure::machine::environment;
use measure::machine::environment::version_of;
use measure::generator::{Generator, Generators};
use measure::run::Subject;
use measure::plan::Plan;
use record::SubjectId;
use measure::profile::Profiles;
use record::scenario::GeneratorKind;

/// The cargo profile whose programs are what users run.
const RELEASE: &str = "release";

/// Programs, and what is known of them.
pub struct Supply {
    /// The apps that there are.
    pub catalog: Catalog,
    handed_over: Option<(PathBuf, Handover)>,
}

/// Load generators that were named, each by its path.
#[derive(Debug, Clone, Copy)]
pub struct Programs<'a> {
    /// oha
    pub oha: Option<&'a Path>,
    /// wrk
    pub wrk: Option<&'a Path>,
    /// h2load
    pub h2load: Option<&'a Path>,
}

impl<'a> Programs<'a> {
    fn named(self, kind: GeneratorKind) -> Option<&'a Path> {
        match kind {
            GeneratorKind::Oha => self.oha,
            GeneratorKind::Wrk => self.wrk,
            GeneratorKind::H2load => self.h2load,
        }
    }
}

impl Supply {
    /// What lies in `binaries`, or the repository.
    pub fn of(binaries: Option<&Path>) -> anyhow::Result<Self> {
        let Some(folder) = binaries else {
            return Ok(Self {
                catalog: Catalog::find()?,
                handed_over: None,
            });
        };
        let handover = Handover::read(folder)?;
        let catalog = Catalog {
            root: catalog::start(),
            apps: handover.apps.clone(),
        };
        Ok(Self {
            catalog,
            handed_over: Some((folder.to_owned(), handover)),
        })
    }

    /// All load generators that `kinds` name, and oha, whose version every record tells. Those that the user installs come
    /// first: one that is missing is told before anything is built.
    pub fn generators(
        &self,
        kinds: &BTreeSet<GeneratorKind>,
        programs: Programs<'_>,
        cpus: &[u32],
    ) -> anyhow::Result<Generators> {
        let mut found = Generators::new();
        for kind in kinds.iter().copied().filter(|kind| *kind != GeneratorKind::Oha) {
            found.insert(kind, Generator::installed(kind, programs.named(kind), cpus)?);
        }
        found.insert(GeneratorKind::Oha, self.generator(programs.oha, cpus)?);
        Ok(found)
    }

    /// The load generator: the one at `named`, the one that was handed over, or the repository's own, which is built.
    pub fn generator(&self, named: Option<&Path>, cpus: &[u32]) -> anyhow::Result<Generator> {
        match (named, &self.handed_over) {
            (None, Some((folder, handover))) => {
                Ok(Generator::new(GeneratorKind::Oha, &handover.generator(folder)?, cpus)?)
            }
            _ => prepare::generator(named, &self.catalog.root, cpus),
        }
    }

    /// The subjects with their programs.
    pub fn subjects(&self, ids: &[SubjectId], cargo_profile: &str) -> anyhow::Result<Vec<Subject>> {
        match &self.handed_over {
            None => prepare::build_subjects(&self.catalog, ids, cargo_profile),
            Some((folder, handover)) => {
                let subjects = ids.iter().map(|id| handover.subject(folder, id));
                Ok(subjects.collect::<Result<_, _>>()?)
            }
        }
    }

    /// Cargo profile that the programs are built by: what was `asked` for, or what the handover was made with.
    pub fn cargo_profile<'a>(&'a self, asked: &'a str) -> &'a str {
        self.handed_over
            .as_ref()
            .map_or(asked, |(_, handover)| &handover.cargo_profile)
    }

    /// Whether this is a whole run of its profile: it asks all that the profile asks, of programs built for release.
    pub fn is_whole(&self, plan: &Plan, profiles: &Profiles, cargo_profile: &str) -> bool {
        let all_apps = self.handed_over.as_ref().is_none_or(|(_, handover)| handover.all_apps);
        all_apps && cargo_profile == RELEASE && plan.is_whole(&self.catalog, profiles)
    }

    /// `rustc --version` of the compiler that made the programs.
    pub fn rustc(&self) -> anyhow::Result<String> {
        match &self.handed_over {
            Some((_, handover)) => Ok(handover.rustc.clone()),
            None => version_of("rustc".as_ref(), &self.catalog.root).context("rustc does not say its version"),
        }
    }

    /// Commit that the programs were built from, and whether files differed from it.
    pub fn commit(&self) -> Option<(String, bool)> {
        match &self.handed_over {
            Some((_, handover)) => handover.commit.clone().zip(handover.dirty),
            None => environment::commit(&self.catalog.root),
        }
    }
}
