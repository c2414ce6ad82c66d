//! A run of app costs: no load is driven, and the record has no trials.

use anyhow::{Context, ensure};

use super::setup::Setup;
use crate::app_costs::{BuildSandbox, Counting};
use crate::progress::Reporter;
use apps::build::{BuiltApp, describe};
use apps::catalog::Catalog;
use apps::profile::CostsOf;
use machine::environment;
use machine::interrupt;
use machine::load::Ticks;
use model::{Costs, Record};

/// Measures the costs of the plan's apps.
pub fn measure(setup: &Setup, costs: CostsOf, reporter: &dyn Reporter) -> anyhow::Result<Record> {
    let programs = &setup.programs;
    measure_by(setup, costs, |counting| match costs {
        CostsOf::Requests => {
            let built = programs.subjects(&setup.plan.subjects, &setup.cargo_profile, reporter)?;
            counted(counting, built, reporter)
        }
        CostsOf::Builds => measured(counting, &setup.cargo_profile, &programs.catalog, reporter),
        CostsOf::Releases => anyhow::bail!("`bench releases` measures the profile `{}`", setup.plan.profile),
    })
}

/// The record of what `apps` measures.
pub fn measure_by(
    setup: &Setup,
    costs: CostsOf,
    apps: impl FnOnce(&Counting<'_>) -> anyhow::Result<Vec<model::AppRecord>>,
) -> anyhow::Result<Record> {
    let Setup {
        plan,
        request,
        programs,
        ..
    } = setup;
    ensure!(
        request.binaries.is_none() || costs == CostsOf::Requests,
        "the profile `{}` measures builds, and --binaries brings programs that are built; leave it out",
        plan.profile
    );
    let options = &request.options;
    let of_loads = [
        ("--duration", options.seconds.is_some()),
        ("--connections", options.connections.is_some()),
        ("--time-budget", options.time_budget.is_some()),
        ("--new-layouts", request.new_layouts),
    ];
    if let Some((option, _)) = of_loads.iter().find(|(_, given)| *given) {
        anyhow::bail!(
            "the profile `{}` drives no load, and {option} is for loads; leave it out",
            plan.profile
        );
    }
    let split = setup.cpus.split();
    let environment = environment::describe(split, setup.load_average, programs.rustc()?, String::new());
    let ticks = Ticks::now(&split.cpus());
    let mut record = setup.begin(environment, Vec::new());
    // A step between releases must be more than starts of one program differ.
    let starts = if costs == CostsOf::Releases { 3 } else { 1 };
    let counting = Counting::new(plan, &split.server, &programs.catalog.root, starts);
    record.apps = apps(&counting)?;
    record.environment.steal_share = Ticks::now(&split.cpus()).steal_share_since(ticks);
    Ok(record)
}

/// Counts the requests of programs as they are measured elsewhere.
fn counted(
    counting: &Counting<'_>,
    programs: Vec<BuiltApp>,
    reporter: &dyn Reporter,
) -> anyhow::Result<Vec<model::AppRecord>> {
    let heading = format!("counting what a request costs {} programs", programs.len());
    let progress = reporter.begin(&heading, programs.len() as u64);
    let counted = programs.into_iter().map(|built| {
        let mut app = built.app;
        if let Some(binary) = &built.binary {
            let label = app.label();
            let requests = counting.requests(&binary.program, |step| progress.begins(&format!("{label}: {step}")))?;
            app.costs = Some(Costs {
                with: counting.tools.clone(),
                build: None,
                requests,
                release: None,
            });
        }
        progress.step();
        Ok(app)
    });
    counted.collect()
}

/// Measures the apps one after the other. One that cannot be built is reported and kept.
fn measured(
    counting: &Counting<'_>,
    cargo_profile: &str,
    catalog: &Catalog,
    reporter: &dyn Reporter,
) -> anyhow::Result<Vec<model::AppRecord>> {
    let plan = counting.plan;
    let first = plan.subjects.first().context("a plan has subjects")?;
    let first = catalog.app(&first.app).context("planned apps are in the catalog")?;
    let sandbox = BuildSandbox::new(catalog, &first.target, counting, cargo_profile)?;
    let heading = format!(
        "measuring what {} programs cost; a build from nothing takes minutes, with {} jobs",
        plan.subjects.len(),
        counting.tools.jobs
    );
    let progress = reporter.begin(&heading, plan.subjects.len() as u64);
    let mut apps = Vec::new();
    for id in &plan.subjects {
        let app = catalog.app(&id.app).context("planned apps are in the catalog")?;
        let variant = app
            .variant(&id.variant)
            .context("planned variants are in the catalog")?;
        let label = id.label();
        let measured = sandbox.measure(app, variant, |step| progress.begins(&format!("{label}: {step}")));
        interrupt::check()?;
        let record = match measured {
            Ok((binary, costs)) => model::AppRecord {
                costs: Some(costs),
                ..describe(app, variant, Some(&binary), None)
            },
            // Even if cargo itself failed: the results of other apps took long and must not be lost.
            Err(error) => describe(app, variant, None, Some(error.to_string())),
        };
        if let Some(reason) = record.why_not_built() {
            progress.warn(&format!("{label} could not be built: {reason}"));
        }
        progress.step();
        apps.push(record);
    }
    Ok(apps)
}
