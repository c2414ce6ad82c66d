//! `bench run` with a profile that asks for costs: no load is driven, and the record has no trials.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use jiff::Timestamp;

use super::prepare::describe;
use super::run::{Args, run_id};
use super::supply::Supply;
use measure::costs::{Setup, Workshop};
use measure::machine::cpus::Split;
use measure::machine::environment;
use measure::machine::load;
use measure::machine::load::Ticks;
use measure::plan::Plan;
use measure::profile::Profiles;
use crate::progress::Progress;
use record::{Harness, Record, SCHEMA_VERSION, Stopped};
use judge::analysis;
use record::store;

/// Measures what the plan's apps cost and writes the record.
pub fn measure(
    args: &Args,
    plan: Plan,
    split: &Split,
    supply: &Supply,
    results: &Path,
) -> anyhow::Result<(Record, PathBuf)> {
    ensure!(
        args.binaries.is_none(),
        "the profile `{}` measures builds, and --binaries brings programs that are built; leave it out",
        plan.profile
    );
    let of_loads = [
        ("--duration", args.duration.is_some()),
        ("--connections", args.connections.is_some()),
        ("--time-budget", args.time_budget.is_some()),
    ];
    if let Some((option, _)) = of_loads.iter().find(|(_, given)| *given) {
        anyhow::bail!(
            "the profile `{}` drives no load, and {option} is of loads; leave it out",
            plan.profile
        );
    }
    let started_at = Timestamp::now();
    let mut environment = environment::describe(split, load::average(), supply.rustc()?, String::new());
    let ticks = Ticks::now(&split.cpus());
    let first = plan.subjects.first().context("a plan has subjects")?;
    let target = supply
        .catalog
        .app(&first.app)
        .context("planned apps are in the catalog")?;
    let setup = Setup {
        cargo_profile: &args.cargo_profile,
        repetitions: plan.rounds,
        scenarios: &plan.scenarios,
        server_cpus: &split.server,
        seed: plan.seed,
    };
    let workshop = Workshop::new(&supply.catalog, &target.target, setup)?;
    let apps = measured(&plan, &workshop, supply)?;
    environment.steal_share = Ticks::now(&split.cpus()).steal_share_since(ticks);
    let whole = supply.is_whole(&plan, &Profiles::built_in(), &args.cargo_profile);
    let (commit, dirty) = supply.commit().unzip();
    let record = Record {
        schema_version: SCHEMA_VERSION,
        id: run_id(started_at, plan.seed),
        lane: args.lane,
        profile: plan.profile,
        seed: plan.seed,
        started_at,
        finished_at: Timestamp::now(),
        harness: Harness {
            version: env!("CARGO_PKG_VERSION").into(),
            commit,
            dirty,
            rounds: plan.rounds,
            cargo_profile: args.cargo_profile.clone(),
            stopped: Stopped::RoundsDone,
            whole: Some(whole),
        },
        environment,
        summary: analysis::summary(&apps, &plan.scenarios, &[]),
        apps,
        scenarios: plan.scenarios,
        trials: Vec::new(),
    };
    let path = store::write(results, &record)?;
    Ok((record, path))
}

/// The apps with their costs, one after the other. One that cannot be built is told and kept.
fn measured(plan: &Plan, workshop: &Workshop<'_>, supply: &Supply) -> anyhow::Result<Vec<record::AppRecord>> {
    let heading = format!(
        "measuring what {} programs cost; a build from nothing takes minutes, with {} jobs",
        plan.subjects.len(),
        workshop.tools().jobs
    );
    let progress = Progress::new(&heading, plan.subjects.len() as u64 * workshop.steps());
    let mut apps = Vec::new();
    for id in &plan.subjects {
        let app = supply.catalog.app(&id.app).context("planned apps are in the catalog")?;
        let variant = app
            .variant(&id.variant)
            .context("planned variants are in the catalog")?;
        let label = id.label();
        let mut told = 0;
        let found = workshop.measure(app, variant, |step| {
            if told > 0 {
                progress.step();
            }
            told += 1;
            progress.begins(&format!("{label}: {step}"));
        })?;
        (told..=workshop.steps()).for_each(|_| progress.step());
        let build_error = found.built.as_ref().err().cloned();
        let mut record = describe(app, variant, found.built.as_ref().ok(), build_error);
        if let Some(reason) = record.why_not_built() {
            progress.warn(&format!("{label} could not be built: {reason}"));
        }
        record.costs = found.costs;
        apps.push(record);
    }
    Ok(apps)
}
