//! Builds an app with one release.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, anyhow};
use model::{AppRecord, Costs, Release};

use super::NAME;
use crate::app_costs::Counting;
use crate::compare::patch::Patch;
use crate::compare::sides::{Repository, Tree};
use crate::progress::Progress;
use apps::build::{Binary, BuildError, BuildRequest, build, describe};
use apps::catalog::App;
use machine::interrupt;
use machine::process::one_line;
use machine::program::Program;

/// What it is built by.
pub struct Builder<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// What all else is as in.
    pub base: &'a Tree,
    /// How the requests of what is built are counted.
    pub counting: &'a Counting<'a>,
    /// By this cargo profile.
    pub cargo_profile: &'a str,
    /// Receives the progress.
    pub progress: &'a dyn Progress,
}

impl Builder<'_> {
    /// The app with one release, not counted yet, and its program, which is kept at `path`. What cargo or the compiler refuses is a fact about
    /// the release.
    pub fn build(&self, app: &App, mut release: Release, path: &Path) -> anyhow::Result<(AppRecord, Option<Program>)> {
        self.progress.begins(&format!("{}: building", label(&release, app)));
        let own: Patch = format!("{}={}", release.of, release.version).parse()?;
        let (mut tree, mut built) = self.attempt(app, &release, vec![own.clone()]);
        // An older one may not go with newer crates of its own.
        let others = own.together(app);
        let is_refused = matches!(built, Err(BuildError::Refused(_))) && tree.is_ok();
        if is_refused && !release.of_its_day && !others.is_empty() {
            let names = others.iter().map(|other| other.name().to_owned()).collect();
            let second = self.attempt(app, &release, [vec![own], others].concat());
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
        let kept = binary.as_ref().map(|binary| {
            fs::create_dir_all(path.parent().unwrap_or(path))?;
            binary.program.copied(path)
        });
        let kept = kept.transpose();
        let kept = kept.with_context(|| format!("cannot write {}", path.display()))?;
        let app = tree.as_ref().unwrap_or(app);
        let found = self.described(app, release, binary.as_ref(), refused);
        Ok((found, kept))
    }

    /// The app with these releases of crates, and its program.
    fn attempt(
        &self,
        app: &App,
        release: &Release,
        patches: Vec<Patch>,
    ) -> (anyhow::Result<App>, Result<Binary, BuildError>) {
        let day = release.published.filter(|_| release.of_its_day);
        let tree = if release.of_its_day && day.is_none() {
            Err(anyhow!("the registry's index does not say when it was published"))
        } else {
            self.repository.released(self.base, app, patches, day, NAME)
        };
        let built = match &tree {
            Ok(app) => {
                let request = BuildRequest::for_variant(app, &app.variants[0], self.cargo_profile);
                let name = label(release, app);
                build(request, |left| self.progress.goes_on(&format!("{name}: {left}")))
            }
            Err(error) => Err(BuildError::Refused(one_line(&format!("{error:#}")))),
        };
        (tree, built)
    }

    fn described(&self, app: &App, release: Release, binary: Option<&Binary>, refused: Option<String>) -> AppRecord {
        let described = describe(app, &app.variants[0], binary, refused);
        let of_framework = release.of == app.framework;
        let prefix = if of_framework {
            String::new()
        } else {
            format!("{}-", release.of)
        };
        AppRecord {
            // A part of a path.
            variant: format!("{prefix}{}{}", release.version, then(&release)).replace(['.', '+'], "-"),
            framework_version: if of_framework {
                release.version.clone()
            } else {
                described.framework_version
            },
            costs: Some(Costs {
                with: self.counting.tools.clone(),
                build: None,
                requests: Vec::new(),
                release: Some(release),
            }),
            ..described
        }
    }
}

/// What its name ends with if the crates beneath it are of its day.
pub fn then(release: &Release) -> &'static str {
    if release.of_its_day { "-of-its-day" } else { "" }
}

/// A release beneath an app, for people.
pub fn label(release: &Release, app: &App) -> String {
    let then = if release.of_its_day {
        " with the crates of its day"
    } else {
        ""
    };
    format!("{} {} in {}{then}", release.of, release.version, app.id)
}
