//! Builds both sides of each app and proves that they keep the contract.

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroU32;
use std::path::Path;

use analyze::compare::outcome::{App, Status};
use anyhow::Context;
use model::Services;
use model::scenario::Protocol;
use model::store::sha256;

use super::candidate::Candidate;
use super::changes::Touched;
use super::pair::{PairFailure, SideName};
use super::scope::Scope;
use super::setup::Setup;
use super::sides::Tree;
use crate::progress::Reporter;
use apps::build::{Binary, BuildRequest, build, or_refused};
use apps::catalog::{App as Listed, Variant};
use machine::program::Program;
use servers::contract;
use servers::server::{Launch, Needs, Server};

/// What builds both sides.
pub struct Builder<'a> {
    /// The sides.
    pub scope: &'a Scope,
    /// Where they are proven, and in which orders of their sections they are linked.
    pub setup: &'a Setup<'a>,
    /// Receives the progress.
    pub reporter: &'a dyn Reporter,
}

impl Builder<'_> {
    /// Builds an app in every variant on both sides and proves the contract: what is known of it, and what can be measured.
    pub fn build(&self, touched: &Touched) -> anyhow::Result<Vec<(App, Option<Candidate>)>> {
        let Scope { base, head, .. } = self.scope;
        let sides = [base, head].map(|side| side.catalog.app(&touched.id));
        let variants = sides.iter().flatten().flat_map(|app| &app.variants);
        let mut names: BTreeSet<&str> = variants.map(|variant| variant.name.as_str()).collect();
        names.retain(|name| self.setup.request.has_variant(name));
        let mut built = Vec::new();
        for name in names {
            let on_sides = sides.map(|app| app.and_then(|app| Some((app, app.variant(name)?))));
            let (status, reason, candidate) = match on_sides {
                [None, _] => (Status::New, None, None),
                [Some(_), None] => (Status::Vanished, Some("head no longer has it".to_owned()), None),
                [Some(before), Some(after)] => self.both_sides(before, after)?,
            };
            let app = App {
                id: touched.id.clone(),
                variant: name.to_owned(),
                status,
                reason,
                causes: touched.causes.clone(),
                dependencies: touched.dependencies.clone(),
                layouts: candidate.as_ref().map_or(Vec::new(), |_| self.setup.layouts.clone()),
            };
            built.push((app, candidate));
        }
        Ok(built)
    }

    fn both_sides(&self, before: OnSide<'_>, after: OnSide<'_>) -> anyhow::Result<Outcome> {
        let Scope { base, head, .. } = self.scope;
        let built = self.side(base, before, "base")?;
        let built = built.map_err(|error| anyhow::anyhow!("base ({}) does not build: {error}", base.side.revision))?;
        // What only one side does cannot be compared.
        let services = before.0.services.as_ref().zip(after.0.services.as_ref());
        let services = services.map(|(before, after)| both_do(before, after));
        let prove = |program, side| prove((program, services.as_ref()), self.setup, side);
        prove(&built.program, SideName::Base).map_err(PairFailure::into_error)?;
        head.begin_with(base).context("cannot copy what was compiled of base")?;
        let proposed = match self.side(head, after, "head")? {
            Ok(proposed) => proposed,
            Err(error) => return Ok((Status::BuildFailed, Some(error), None)),
        };
        match prove(&proposed.program, SideName::Head) {
            Ok(()) => {}
            Err(PairFailure::Head(verdict, reason)) => return Ok((verdict.into(), Some(reason), None)),
            Err(other) => return Err(other.into_error()),
        }
        if hash(built.program.path())? == hash(proposed.program.path())? {
            return Ok((Status::SameBinary, None, None));
        }
        let candidate = Candidate {
            app: after.0.id.clone(),
            variant: after.1.name.clone(),
            role: after.0.role,
            services,
            base: self.layouts(base, before, "base", built.program)?,
            head: self.layouts(head, after, "head", proposed.program)?,
        };
        Ok((Status::Measured, None, Some(candidate)))
    }

    /// The program, and the same under other orders of its sections.
    fn layouts(
        &self,
        tree: &Tree,
        (app, variant): OnSide<'_>,
        name: &str,
        program: Program,
    ) -> anyhow::Result<Vec<Program>> {
        if self.setup.layouts.is_empty() {
            return Ok(vec![program]);
        }
        let request = self.request(tree, (app, variant));
        let progress = self.reporter.begin(&format!("linking {} of {name} anew", app.id), 1);
        under_layouts(request, program, &self.setup.layouts, |left| progress.goes_on(left))
    }

    /// The program, or the compiler's first error.
    fn side(&self, tree: &Tree, (app, variant): OnSide<'_>, name: &str) -> anyhow::Result<Result<Binary, String>> {
        let progress = self.reporter.begin(&format!("building {} of {name}", app.id), 1);
        let built = build(self.request(tree, (app, variant)), |left| progress.goes_on(left));
        Ok(or_refused(built)?)
    }

    fn request<'a>(&'a self, tree: &'a Tree, (app, variant): OnSide<'a>) -> BuildRequest<'a> {
        BuildRequest {
            target: Some(&tree.target),
            ..BuildRequest::for_variant(app, variant, &self.setup.request.cargo_profile)
        }
    }
}

type OnSide<'a> = (&'a Listed, &'a Variant);
type Outcome = (Status, Option<String>, Option<Candidate>);

/// This program, and the same under each of these orders of its sections.
pub fn under_layouts(
    request: BuildRequest<'_>,
    program: Program,
    layouts: &[NonZeroU32],
    mut report: impl FnMut(&str),
) -> anyhow::Result<Vec<Program>> {
    let mut programs = vec![program];
    for seed in layouts {
        let layout = Some(*seed);
        programs.push(build(BuildRequest { layout, ..request }, &mut report)?.program);
    }
    Ok(programs)
}

/// Starts the program and proves the whole contract; a failure is blamed on side `which`.
pub fn prove(
    (program, services): (&Program, Option<&Services>),
    setup: &Setup<'_>,
    which: SideName,
) -> Result<(), PairFailure> {
    let launch = Launch::Program(program, Needs::for_proof(services, setup.database.as_ref()));
    let mut server =
        Server::start(launch, &setup.split.server, Protocol::Http1).map_err(|failure| which.failed(failure))?;
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
pub fn hash(program: &Path) -> anyhow::Result<String> {
    let bytes = fs::read(program).with_context(|| format!("cannot read {}", program.display()))?;
    Ok(sha256([&*bytes]))
}
