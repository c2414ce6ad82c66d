//! A comparison of an app with itself, by the most pairs that a comparison makes: how often is it wrong on this machine?

use std::iter;
use std::num::NonZeroU32;

use analyze::compare::outcome::{App, Comparison, Side};
use anyhow::{Context, bail};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::built::{hash, prove, under_layouts};
use super::candidate::Candidate;
use super::pair::{PairFailure, SideName};
use super::request::ComparisonRequest;
use super::scenarios::scenarios;
use super::session::{begun, drive};
use super::setup::Setup;
use crate::plan;
use crate::progress::Reporter;
use apps::build::{BuildRequest, build};
use apps::catalog::Catalog;
use machine::clock;
use servers::workload::unforeseen;

/// Pairs that are recorded: as many as a comparison of thirteen series makes until its last look.
const PAIRS: u32 = 48;
/// The app, unless one is named.
const APP: &str = "axum";

/// Compares one app with itself. Both sides are linked from the same objects under orders of their sections that are drawn anew, so each
/// self-test compares another pair of builds, and neither side is preferred.
pub fn record_itself(
    request: &ComparisonRequest,
    version: &str,
    reporter: &dyn Reporter,
) -> anyhow::Result<Comparison> {
    let catalog = Catalog::find()?;
    let name = match request.app.as_slice() {
        [] => APP,
        [name] => name,
        _ => bail!("--self-test measures one app; name one with --app"),
    };
    let app = catalog.app(name);
    let app = app.ok_or_else(|| plan::unknown("app", name, catalog.apps.iter().map(|app| app.id.as_str())))?;
    let setup = Setup::resolve(request, &catalog, scenarios(&request.scenario, app.part())?, false)?;
    let progress = reporter.begin(&format!("building {name}"), 1);
    let variant = app.variants.first().context("every app has a default variant")?;
    let wanted = BuildRequest::for_variant(app, variant, &request.cargo_profile);
    let program = build(wanted, |left| progress.goes_on(left))?.program;
    let orders = match setup.layouts.len() {
        0 => Vec::new(),
        seeded => drawn(2 * (1 + seeded)),
    };
    let linked = under_layouts(wanted, program.clone(), &orders, |left| progress.goes_on(left))?;
    let [base, head] = sides(linked);
    drop(progress);
    let proven = prove((&program, app.services.as_ref()), &setup, SideName::Base);
    proven.map_err(PairFailure::into_error)?;
    // Which builds they are: comparisons of the same ones are not independent.
    let [of_base, of_head] = [&base[0], &head[0]].map(|program| hash(program.path()));
    let side = |hash: String| Side::new("the same sources", hash);
    let mut comparison = begun(request, [&side(of_base?), &side(of_head?)], version);
    comparison.pairs.get_or_insert(PAIRS);
    comparison.apps = vec![App {
        id: app.id.clone(),
        variant: variant.name.clone(),
        layouts: orders,
        ..App::default()
    }];
    let candidate = Candidate {
        app: app.id.clone(),
        variant: variant.name.clone(),
        role: app.role,
        services: app.services.clone(),
        base,
        head,
    };
    drive(&setup, &[candidate], false, &mut comparison, reporter)?;
    Ok(comparison.ended(clock::now()))
}

/// So many seeds that no self-test had before.
fn drawn(seeds: usize) -> Vec<NonZeroU32> {
    let mut rng = ChaCha8Rng::seed_from_u64(unforeseen());
    let drawn = iter::repeat_with(|| NonZeroU32::new(rng.next_u32()));
    drawn.flatten().take(seeds).collect()
}

/// Base and head of a self-test, from the program as the linker orders it and under so many other orders: half of these each, or the program
/// itself on both sides if there are none.
fn sides<T: Clone>(mut linked: Vec<T>) -> [Vec<T>; 2] {
    let head = linked.split_off(linked.len().div_ceil(2));
    if head.is_empty() {
        return [linked.clone(), linked];
    }
    linked.remove(0);
    [linked, head]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sides_of_a_self_test_share_no_order_of_sections() {
        assert_eq!(sides(vec!["linker"]), [["linker"], ["linker"]]);
        let linked = vec!["linker", "1", "2", "3", "4", "5", "6"];
        assert_eq!(sides(linked), [["1", "2", "3"], ["4", "5", "6"]]);
        let mut seeds = drawn(6);
        seeds.extend(drawn(6));
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 12);
    }
}
