//! Where the instructions of any two programs differ.

use std::path::Path;
use std::slice;

use analyze::compare::explanation::Explanation;
use anyhow::{Context as _, bail, ensure};
use model::{DEFAULT_VARIANT, Part, RELEASE, Role};

use super::candidate::Candidate;
use super::pair::{PairFailure, Sides};
use super::scenarios::scenarios;
use crate::plan;
use crate::progress::Reporter;
use crate::request_counts::instructions::{NO_VALGRIND, version as valgrind_version};
use crate::request_counts::reason_against;
use crate::run::requested_split;
use apps::build::{BuildRequest, build};
use apps::catalog::{App, Catalog, Variant};
use machine::lock::Lock;
use machine::program::Program;

/// Two programs and a request.
#[derive(Debug, Clone, clap::Args)]
pub struct ExplainRequest {
    /// A program, by its path, or an app of the repository, which is built: `axum`, `axum/tuned`
    #[arg(value_name = "BASE")]
    pub base: String,
    /// What it is compared with
    #[arg(value_name = "HEAD")]
    pub head: String,
    /// The request
    #[arg(long, value_name = "NAME", default_value = "plaintext")]
    pub scenario: String,
    /// If another bench measures on this machine, wait for its end [default: fail and name it]
    #[arg(long)]
    pub wait: bool,
}

/// Counts the instructions of both by stack.
pub fn explain(request: &ExplainRequest, reporter: &dyn Reporter) -> anyhow::Result<Explanation> {
    let catalog = Catalog::find()?;
    let scenario = scenarios(slice::from_ref(&request.scenario), Part::Plain)?
        .scenarios
        .remove(0);
    ensure!(
        scenario.part() == Part::Plain,
        "`{}` is no request of the plain endpoints",
        scenario.id
    );
    if let Some(reason) = reason_against(&scenario) {
        bail!("{reason}");
    }
    ensure!(valgrind_version(&catalog.root).is_some(), NO_VALGRIND);
    // Wrong names are reported before anything is waited for.
    let [base, head] = [&request.base, &request.head].map(|name| Named::find(name, &catalog));
    let (base, head) = (base?, head?);
    let _lock = Lock::take(request.wait)?;
    let split = requested_split(None)?;
    let candidate = Candidate {
        app: request.head.clone(),
        variant: DEFAULT_VARIANT.to_owned(),
        role: Role::Framework,
        services: None,
        base: vec![base.program(&request.base, reporter)?],
        head: vec![head.program(&request.head, reporter)?],
    };
    let _progress = reporter.begin("counting instructions of both", 1);
    let sides = Sides {
        candidate: &candidate,
        database: None,
        split: &split,
    };
    let profiles = sides.profiles(&scenario).map_err(PairFailure::into_error)?;
    Ok(Explanation::new(
        &candidate.app,
        &candidate.variant,
        &scenario.id,
        profiles,
    ))
}

/// What the path of a program or the name of an app means.
enum Named<'a> {
    Program(Program),
    App(&'a App, &'a Variant),
}

impl<'a> Named<'a> {
    fn find(name: &str, catalog: &'a Catalog) -> anyhow::Result<Self> {
        let path = Path::new(name);
        if path.is_file() {
            let program = Program::at(path).with_context(|| format!("cannot read {name}"))?;
            return Ok(Self::Program(program));
        }
        let (id, variant) = name.split_once('/').unwrap_or((name, DEFAULT_VARIANT));
        let known = catalog.apps.iter().map(|app| app.id.as_str());
        let app = catalog
            .app(id)
            .ok_or_else(|| plan::unknown("program or app", name, known))?;
        let known = app.variants.iter().map(|variant| variant.name.as_str());
        let found = app.variant(variant);
        Ok(Self::App(
            app,
            found.ok_or_else(|| plan::unknown("variant", variant, known))?,
        ))
    }

    fn program(self, name: &str, reporter: &dyn Reporter) -> anyhow::Result<Program> {
        match self {
            Self::Program(program) => Ok(program),
            Self::App(app, variant) => {
                let progress = reporter.begin(&format!("building {name}"), 1);
                let request = BuildRequest::for_variant(app, variant, RELEASE);
                Ok(build(request, |left| progress.goes_on(left))?.program)
            }
        }
    }
}
