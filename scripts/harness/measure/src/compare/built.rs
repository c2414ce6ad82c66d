//! Builds both sides of each app and proves that they keep the contract.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use judge::compare::outcome::{App, Status};
use record::Services;
use record::scenario::Protocol;
use sha2::{Digest, Sha256};

use super::campaign::Candidate;
use super::changes::Touched;
use super::pair::{PairFailure, SideName};
use super::sides::Tree;
use crate::build::{Binary, BuildError, BuildRequest, build};
use crate::catalog::{App as Listed, Variant};
use crate::contract;
use crate::database::Database;
use crate::machine::cpus::Split;
use crate::program::Program;
use crate::progress::Reporter;
use crate::server::{Beside, Launch, Server};

/// What is known about the apps before anything is measured.
#[derive(Default)]
pub struct BuiltApps {
    /// Every app and variant that the change touches.
    pub apps: Vec<App>,
    /// Those that can be measured.
    pub candidates: Vec<Candidate>,
}

impl BuiltApps {
    /// Adds an app: builds it on both sides and proves the contract.
    pub fn add(
        &mut self,
        touched: &Touched,
        base: &Tree,
        head: &Tree,
        (split, database): (&Split, Option<&Arc<Database>>),
        profile: &str,
        reporter: &dyn Reporter,
    ) -> anyhow::Result<()> {
        let (before, after) = (base.catalog.app(&touched.id), head.catalog.app(&touched.id));
        let mut names: Vec<String> = before
            .iter()
            .chain(&after)
            .flat_map(|app| &app.variants)
            .map(|variant| variant.name.clone())
            .collect();
        names.sort();
        names.dedup();
        for name in names {
            let of = |app: Option<&Listed>| Some((app?.clone(), app?.variant(&name)?.clone()));
            let (status, reason, subject) = match (of(before), of(after)) {
                (None, _) => (Status::New, None, None),
                (Some(_), None) => (Status::Vanished, Some("head no longer has it".to_owned()), None),
                (Some(before), Some(after)) => {
                    build_both_sides((base, before), (head, after), (split, database), profile, reporter)?
                }
            };
            self.candidates.extend(subject);
            self.apps.push(App {
                id: touched.id.clone(),
                variant: name,
                status,
                reason,
                causes: touched.causes.clone(),
                dependencies: touched.dependencies.clone(),
            });
        }
        Ok(())
    }
}

type Outcome = (Status, Option<String>, Option<Candidate>);

fn build_both_sides(
    (base, before): (&Tree, (Listed, Variant)),
    (head, after): (&Tree, (Listed, Variant)),
    (split, database): (&Split, Option<&Arc<Database>>),
    profile: &str,
    reporter: &dyn Reporter,
) -> anyhow::Result<Outcome> {
    let built = build_side(base, &before, profile, "base", reporter)?;
    let built = built.map_err(|error| anyhow::anyhow!("base ({}) does not build: {error}", base.side.revision))?;
    // What only one side does cannot be compared.
    let services = before.0.services.as_ref().zip(after.0.services.as_ref());
    let services = services.map(|(before, after)| both_do(before, after));
    let side = |program| (program, services.as_ref());
    prove(side(&built.program), split, database, SideName::Base)?;
    let proposed = match build_side(head, &after, profile, "head", reporter)? {
        Ok(proposed) => proposed,
        Err(error) => return Ok((Status::BuildFailed, Some(error), None)),
    };
    match prove(side(&proposed.program), split, database, SideName::Head) {
        Ok(()) => {}
        Err(PairFailure::Head(verdict, reason)) => return Ok((verdict.into(), Some(reason), None)),
        Err(other) => return Err(other.into()),
    }
    if hash(built.program.path())? == hash(proposed.program.path())? {
        return Ok((Status::SameBinary, None, None));
    }
    let (app, variant, role) = (after.0.id, after.1.name, after.0.role);
    Ok((
        Status::Measured,
        None,
        Some(Candidate {
            app,
            variant,
            role,
            services,
            base: built.program,
            head: proposed.program,
        }),
    ))
}

/// The program, or the compiler's first error.
fn build_side(
    tree: &Tree,
    (app, variant): &(Listed, Variant),
    profile: &str,
    name: &str,
    reporter: &dyn Reporter,
) -> anyhow::Result<Result<Binary, String>> {
    let progress = reporter.begin(&format!("building {} of {name}", app.id), 1);
    let request = BuildRequest {
        target: Some(&tree.target),
        ..BuildRequest::for_variant(app, variant, profile)
    };
    match build(request, |done| progress.doing(done)) {
        Ok(binary) => Ok(Ok(binary)),
        Err(BuildError::Refused(error)) => Ok(Err(error)),
        Err(error) => Err(error.into()),
    }
}

/// Starts the program and proves the whole contract; a failure is blamed on side `which`.
pub fn prove(
    (program, services): (&Program, Option<&Services>),
    split: &Split,
    database: Option<&Arc<Database>>,
    which: SideName,
) -> Result<(), PairFailure> {
    let launch = Launch::Program(program, Beside::for_proof(services, database));
    let mut server =
        Server::start(launch, &split.server, Protocol::Http1).map_err(|error| which.failed(error.into()))?;
    let proven = server.prove(|client| contract::prove_all(client, 1));
    proven.map_err(|trouble| which.failed(trouble))
}

/// The kinds of work that both sides do.
fn both_do(before: &Services, after: &Services) -> Services {
    Services {
        offers: before.offers.intersection(&after.offers).copied().collect(),
        not_offered: after.not_offered.clone(),
    }
}

/// Of the file of a program.
pub fn hash(program: &Path) -> anyhow::Result<Vec<u8>> {
    let bytes = fs::read(program).with_context(|| format!("cannot read {}", program.display()))?;
    Ok(Sha256::digest(bytes).to_vec())
}
