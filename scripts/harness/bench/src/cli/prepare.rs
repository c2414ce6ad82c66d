//! What `run` and `check` do before anything is measured: build what is needed and nothing else.

use std::path::Path;

use anyhow::Context;

use measure::build::{BuildError, Request, build, describe};
use measure::catalog::Catalog;
use measure::generator::Generator;
use measure::run::Subject;
use record::SubjectId;
use crate::progress::Progress;
use record::scenario::GeneratorKind;

/// Cargo package and program of the load generator.
const GENERATOR_PACKAGE: &str = "load-generator";
const GENERATOR_BINARY: &str = "oha";

/// Builds every subject by itself. One that cannot be built is told and kept: it becomes a verdict.
pub fn build_subjects(catalog: &Catalog, subjects: &[SubjectId], profile: &str) -> anyhow::Result<Vec<Subject>> {
    let progress = Progress::new("building", subjects.len() as u64);
    let mut built = Vec::new();
    for id in subjects {
        built.push(build_subject(catalog, id, profile, &progress)?);
        progress.step();
    }
    Ok(built)
}

fn build_subject(catalog: &Catalog, id: &SubjectId, profile: &str, progress: &Progress) -> anyhow::Result<Subject> {
    let app = catalog.app(&id.app).context("planned apps are in the catalog")?;
    let variant = app
        .variant(&id.variant)
        .context("planned variants are in the catalog")?;
    progress.begins(&id.app);
    let built = build(Request::of_app(app, variant, profile), |name| {
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
    Ok(Subject { app: record, binary })
}

/// The load generator: the one at `path`, or the repository's own, which is built.
pub fn generator(path: Option<&Path>, root: &Path, cpus: &[u32]) -> anyhow::Result<Generator> {
    if let Some(path) = path {
        return Ok(Generator::new(GeneratorKind::Oha, path, cpus)?);
    }
    let manifest = root.join("scripts/oha/Cargo.toml");
    anyhow::ensure!(
        manifest.is_file(),
        "{} is not there; name a load generator with --oha PATH",
        manifest.display()
    );
    let progress = Progress::new("building the load generator", 1);
    let request = Request {
        manifest: &manifest,
        package: GENERATOR_PACKAGE,
        binary: GENERATOR_BINARY,
        profile: "release",
        target: None,
    };
    let built = build(request, |name| progress.doing(name)).context("the load generator could not be built")?;
    Ok(Generator::new(GeneratorKind::Oha, &built.path, cpus)?)
}
