//! Makes a comparison: finds what the change touches, builds both sides, probes them, and drives them in turns.

use std::path::PathBuf;

use analyze::compare::gates::Gates;
use analyze::compare::outcome::{Comparison, SCHEMA_VERSION, Side, Status};
use anyhow::bail;
use model::{Environment, Part, count, label};

use super::built::Builder;
use super::campaign::Campaign;
use super::candidate::Candidate;
use super::changes::Touched;
use super::pair::PairFailure;
use super::patch;
use super::probing;
use super::request::ComparisonRequest;
use super::scope::scope;
use super::setup::Setup;
use crate::plan::seed_of_the_clock;
use crate::programs::load_generator;
use crate::progress::Reporter;
use apps::cargo;
use apps::catalog::Catalog;
use machine::affinity;
use machine::{clock, environment};

/// Builds both sides of the touched apps and drives them in turns until every series is decided. Returns the comparison and the
/// root of the repository. `version` is this program's.
pub fn run(
    request: &ComparisonRequest,
    version: &str,
    reporter: &dyn Reporter,
) -> anyhow::Result<(Comparison, PathBuf)> {
    let began = clock::now();
    let catalog = Catalog::find()?;
    let scope = scope(request, &catalog, reporter)?;
    let setup = Setup::resolve(request, &catalog, scope.scenarios.clone(), scope.touched.is_empty())?;
    let untouched = request.app.iter().map(String::as_str);
    let untouched = untouched.filter(|id| !scope.touched.iter().any(|touched| touched.id == **id));
    let mut comparison = Comparison {
        started_at: began,
        untouched: scope.untouched.clone(),
        warnings: patch::unchanged(&request.patch, &scope.base.catalog, untouched),
        ..begun(request, [&scope.base.side, &scope.head.side], version)
    };
    let builder = Builder {
        scope: &scope,
        setup: &setup,
        reporter,
    };
    let mut candidates = Vec::new();
    for touched in &scope.touched {
        for (app, candidate) in builder.build(touched)? {
            // It may be the patch's fault, but says nothing about what the patch costs.
            if !request.patch.is_empty() && app.status == Status::BuildFailed {
                let patches: Vec<String> = request.patch.iter().map(ToString::to_string).collect();
                let (with, why) = (patches.join(" and "), app.reason.unwrap_or_default());
                bail!("{} does not build with {with}: {why}", label(&app.id, &app.variant));
            }
            comparison.apps.push(app);
            candidates.extend(candidate);
        }
    }
    if !candidates.is_empty() {
        let settings = cargo::foreign_settings(&catalog.root).join(", ");
        let settings = (!settings.is_empty()).then_some(settings);
        comparison.warnings.extend(settings.map(|settings| {
            format!("settings from outside of the repository reached the build of both sides: {settings}")
        }));
        let has_cases = scope.scenarios.part == Part::Plain;
        drive(&setup, &candidates, has_cases, &mut comparison, reporter)?;
    }
    comparison.warnings.extend(not_compared(&scope.others));
    // What touches a crate may be about one app of those that are built from it.
    if scope.left_out > 0 && request.patch.is_empty() {
        comparison.warnings.push(stands_for(&request.app, scope.left_out));
    }
    comparison.warnings.extend(clock::set_meanwhile());
    Ok((comparison.ended(clock::now()), catalog.root.clone()))
}

/// A comparison of these sides, of which nothing is known yet.
pub fn begun(request: &ComparisonRequest, [base, head]: [&Side; 2], version: &str) -> Comparison {
    Comparison {
        schema_version: SCHEMA_VERSION,
        base: base.clone(),
        head: head.clone(),
        started_at: clock::now(),
        harness: version.into(),
        gates: Gates::built_in(),
        pairs: request.pairs,
        seed: Some(request.seed.unwrap_or_else(seed_of_the_clock)),
        options: request.options(),
        ..Comparison::default()
    }
}

/// Drives the candidates, after the cases of `bench probe` if these are put to them, and adds what was found and on what.
pub fn drive(
    setup: &Setup<'_>,
    candidates: &[Candidate],
    has_cases: bool,
    comparison: &mut Comparison,
    reporter: &dyn Reporter,
) -> anyhow::Result<()> {
    let (request, root, split) = (setup.request, &setup.catalog.root, &setup.split);
    let oha = || load_generator(request.oha.as_deref(), root, &split.generator, reporter);
    let generator = (!request.counts_only()).then(oha).transpose()?;
    let version = generator.as_ref().map(|generator| generator.version.clone());
    let database = setup.database.as_ref().map(|database| database.describe());
    comparison.warnings.extend_from_slice(&setup.warnings);
    comparison.environment = Some(Environment {
        valgrind: setup.valgrind.clone(),
        database: database.transpose()?,
        ..environment::describe(
            split,
            setup.load_average,
            cargo::rustc(root)?,
            version.unwrap_or_default(),
        )
    });
    let _ = affinity::pin(0, &split.generator); // the harness mostly waits, so little is lost if the kernel refuses
    if has_cases {
        let progress = reporter.begin("probing base and head", candidates.len() as u64);
        comparison.probes = Some(probing::probe(candidates, split, &*progress)?);
    }
    let heading = format!(
        "comparing {}, {}, seed {}",
        count(candidates.len(), "app"),
        count(setup.scenarios.scenarios.len(), "scenario"),
        comparison.seed.unwrap_or_default()
    );
    let progress = reporter.begin(&heading, 1);
    let mut campaign = Campaign {
        candidates,
        setup,
        generator,
        time_budget: request.time_budget,
        progress: &*progress,
        comparison,
        disturbed: Vec::new(),
    };
    campaign.run().map_err(PairFailure::into_error)?;
    if let Some(last) = campaign.disturbed.last() {
        let disturbed = count(campaign.disturbed.len(), "measurement");
        let warning = format!("the machine disturbed {disturbed}, which took place again; the last time: {last}");
        comparison.warnings.push(warning);
    }
    Ok(())
}

/// What the change also touches, if anything: servers of other parts of the contract, one line for each part.
fn not_compared(others: &[(Part, Touched)]) -> impl Iterator<Item = String> {
    let parts = [
        (Part::Plain, "answer plainly: compare them without --scenario"),
        (Part::Database, "have a database: compare them with --scenario db"),
        (
            Part::Services,
            "offer service features: compare them with --scenario auth",
        ),
    ];
    parts.into_iter().filter_map(|(part, how)| {
        let of_part = others.iter().filter(|(other, _)| *other == part);
        let names: Vec<&str> = of_part.map(|(_, touched)| touched.id.as_str()).collect();
        let names = (!names.is_empty()).then(|| names.join(", "))?;
        Some(format!("also touched and not compared, because they {how}: {names}"))
    })
}

/// `axum stands for 34 apps …`: how far a comparison reaches.
fn stands_for(named: &[String], left_out: usize) -> String {
    format!(
        "{} for all that the change touches: {} not compared (--app, or /bench app=NAME in a pull request, compares others)",
        match named {
            [one] => format!("{one} stands"),
            several => format!("{} stand", several.join(", ")),
        },
        match left_out {
            1 => "1 app is".to_owned(),
            several => format!("{several} apps are"),
        }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_says_how_many_apps_it_leaves_out() {
        let said = |named: &[&str], left_out| {
            stands_for(
                &named.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(),
                left_out,
            )
        };
        assert!(
            said(&["axum"], 33).starts_with("axum stands for all that the change touches: 33 apps are not compared (")
        );
        assert!(
            said(&["axum", "viz"], 1)
                .starts_with("axum, viz stand for all that the change touches: 1 app is not compared (")
        );
    }
}
