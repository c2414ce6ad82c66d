//! What is compared: the two sides, the apps that the change touches, and the scenarios and metrics.

use std::collections::BTreeSet;

use anyhow::anyhow;
use model::Part;

use super::changes::{Touched, between};
use super::patch;
use super::patch::Patch;
use super::request::ComparisonRequest;
use super::scenarios::{ComparedScenarios, scenarios};
use super::sides::{Repository, Tree};
use crate::plan;
use crate::progress::Reporter;
use apps::catalog::{App, Catalog};

/// What helps where cargo refuses a crate for one of many apps.
const ALONE: &str = "; with --app, what other apps need does not matter";

/// The two sides, and those apps of the change that can be compared with each other.
pub struct Scope {
    /// What is compared with.
    pub base: Tree,
    /// What is proposed.
    pub head: Tree,
    /// The requests.
    pub scenarios: ComparedScenarios,
    /// The apps that are compared.
    pub touched: Vec<Touched>,
    /// Apps that the change does not touch, by id.
    pub untouched: Vec<String>,
    /// Touched apps of other parts of the contract.
    pub others: Vec<(Part, Touched)>,
    /// How many touched apps were not requested.
    pub left_out: usize,
}

/// Finds out what a request is about. Nothing is built.
pub fn scope(request: &ComparisonRequest, catalog: &Catalog, reporter: &dyn Reporter) -> anyhow::Result<Scope> {
    // Cargo resolves both sides, and may download a repository.
    let _progress = reporter.begin("looking for what differs", 1);
    let repository = Repository::open(&catalog.root)?;
    let (base, head, (touched, untouched)) = if request.patch.is_empty() {
        let head = repository.head(request.head.as_deref())?;
        let base = repository.base(request.base.as_deref(), &head)?;
        let base = repository.tree(base, "base", false)?;
        let head = repository.tree(head, "head", request.head.is_none())?;
        let touched = between(&base.catalog, &head.catalog);
        (base, head, touched)
    } else {
        let base = repository.head(Some(request.base.as_deref().unwrap_or("HEAD")))?;
        let mut base = repository.tree(base, "base", false)?;
        patch::ensure_used(&request.patch, &base.catalog)?;
        patch::ensure_used(&request.base_patch, &base.catalog)?;
        if !request.app.is_empty() {
            ensure_known(request, &base.catalog, &base.catalog)?;
            base.catalog.apps.retain(|app| request.app.contains(&app.id));
        }
        let patched = |patches: &[Patch], name: &str| {
            let tree = repository.patched(&base, patches, name);
            tree.map_err(|error| {
                if request.app.is_empty() {
                    anyhow!("{error:#}{ALONE}")
                } else {
                    error
                }
            })
        };
        let head = patched(&request.patch, "patched")?;
        let of_base = patch::of_base(&request.patch, &request.base_patch);
        if !of_base.is_empty() {
            // Most of what it is built from is the same.
            let target = base.target.clone();
            base = patched(&of_base, "patched-base")?;
            base.target = target;
        }
        let touched = patch::touched(&request.patch, &base.catalog, &head.catalog);
        (base, head, touched)
    };
    let all = touched.len();
    let touched = chosen(touched, request, &base.catalog, &head.catalog)?;
    let left_out = all - touched.len();
    let part_of = |touched: &Touched| {
        let app = head.catalog.app(&touched.id).or_else(|| base.catalog.app(&touched.id));
        app.map_or(Part::Plain, App::part)
    };
    // Servers of different parts of the contract get different requests: a comparison covers one part, the first that the change
    // touches.
    let first = touched.iter().map(part_of).min().unwrap_or(Part::Plain);
    let scenarios = scenarios(&request.scenario, first)?;
    let touched = touched.into_iter().map(|one| (part_of(&one), one));
    let (touched, others): (Vec<_>, Vec<_>) = touched.partition(|(of, _)| *of == scenarios.part);
    Ok(Scope {
        base,
        head,
        scenarios,
        touched: touched.into_iter().map(|(_, one)| one).collect(),
        untouched,
        others,
        left_out,
    })
}

/// The touched apps that the user requested.
fn chosen(
    touched: Vec<Touched>,
    request: &ComparisonRequest,
    before: &Catalog,
    after: &Catalog,
) -> anyhow::Result<Vec<Touched>> {
    ensure_known(request, before, after)?;
    let wanted = &request.app;
    Ok(touched
        .into_iter()
        .filter(|touched| wanted.is_empty() || wanted.contains(&touched.id))
        .collect())
}

/// Fails at an app or a variant that neither side has.
fn ensure_known(request: &ComparisonRequest, before: &Catalog, after: &Catalog) -> anyhow::Result<()> {
    for name in &request.app {
        if before.app(name).is_none() && after.app(name).is_none() {
            return Err(plan::unknown("app", name, after.apps.iter().map(|app| app.id.as_str())));
        }
    }
    let variants = before.apps.iter().chain(&after.apps).flat_map(|app| &app.variants);
    let variants: BTreeSet<&str> = variants.map(|variant| variant.name.as_str()).collect();
    if let Some(name) = request.variant.iter().find(|name| !variants.contains(name.as_str())) {
        return Err(plan::unknown("variant", name, variants.into_iter()));
    }
    Ok(())
}
