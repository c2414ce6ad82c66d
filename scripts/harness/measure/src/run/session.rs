//! The course of a run: builds, measures round by round, and writes the record.

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use nix::unistd::getpid;

use super::app_costs;
use super::calibration;
use super::campaign::Campaign;
use super::conditions;
use super::driver::drivers;
use super::journal::{Head, Journal};
use super::load_machines;
use super::observer::RunObserver;
use super::request::RunRequest;
use super::request_counts::RoundCounts;
use super::resume::ensure_same;
use super::setup::Setup;
use crate::app_costs::Counting;
use crate::progress::Reporter;
use apps::profile::CostsOf;
use generator::Generators;
use machine::affinity;
use machine::cpus::Topology;
use machine::interrupt::Interrupted;
use machine::limits;
use machine::load::Ticks;
use model::{AppRecord, Record, Role, Stopped, count, store};
use servers::container::Images;
use servers::database::{Database, External};

/// Makes the whole run and writes its record; returns the record and its path. `external` is the PostgreSQL that the user may want
/// scenarios with a database to use, and `version` this program's.
pub fn run(
    request: &RunRequest,
    external: Option<&External>,
    version: &str,
    reporter: &dyn Reporter,
) -> anyhow::Result<(Record, PathBuf)> {
    let mut setup = Setup::resolve(request, external, version)?;
    let (record, stopped, journal) = match setup.costs {
        Some(costs) => (app_costs::measure(&setup, costs, reporter)?, Stopped::RoundsDone, None),
        None => measure(&mut setup, reporter)?,
    };
    let record = setup.end(record, stopped);
    let path = store::write(&setup.results, &record)?;
    journal.map(Journal::finished).transpose()?;
    Ok((record, path))
}

/// The same for releases, which `apps` measures.
pub(crate) fn run_by(
    request: &RunRequest,
    version: &str,
    apps: impl FnOnce(&Setup, &Counting<'_>) -> anyhow::Result<Vec<AppRecord>>,
) -> anyhow::Result<(Record, PathBuf)> {
    let setup = Setup::resolve(request, None, version)?;
    let record = app_costs::measure_by(&setup, CostsOf::Releases, |counting| apps(&setup, counting))?;
    let record = setup.end(record, Stopped::RoundsDone);
    let path = store::write(&setup.results, &record)?;
    Ok((record, path))
}

/// Builds what the run needs, and makes its rounds.
fn measure(setup: &mut Setup, reporter: &dyn Reporter) -> anyhow::Result<(Record, Stopped, Option<Journal>)> {
    let (begun, network) = (setup.begun.take(), setup.network.take());
    let setup = &*setup;
    let Setup { plan, request, .. } = setup;
    let (generators, subjects) = setup.provide(reporter)?;
    let connections = plan.scenarios.iter().map(|scenario| scenario.connections);
    let _ = limits::allow_files(limits::files_needed(connections.max().unwrap_or(0))); // each trial checks again and reports it
    let images = setup.engine.as_ref().map(|engine| Images::make(engine, &subjects));
    let images = images.transpose()?;
    let (generators, machines) = load_machines::connect(request, network, generators, reporter)?;
    let (split, tried) = calibration::choose_split(&setup.cpus, &subjects, &generators, reporter)?;
    let (split, database) = Database::open(setup.database.as_ref(), split)?;
    let generators = generators.into_iter();
    let generators = generators.map(|(kind, generator)| (kind, generator.with_cpus(&split.generator)));
    let generators: Generators = generators.collect();
    let machine = conditions::describe(
        setup,
        (&split, tried),
        &generators,
        machines.as_deref(),
        database.as_deref(),
    )?;
    let (mut journal, mut record) = if let Some((journal, record)) = begun {
        ensure_same(&record, &subjects, &machine).with_context(|| format!("run {} cannot go on", record.id))?;
        (journal, record)
    } else {
        let head = Head {
            record: setup.begin(machine, subjects.iter().map(|subject| subject.app.clone()).collect()),
            plan: plan.clone(),
            request: request.clone(),
        };
        (Journal::create(&setup.results, &head)?, head.record)
    };
    let campaign = Campaign {
        plan,
        subjects: &subjects,
        drivers: drivers(&generators),
        clock: &(),
        images: images.as_ref(),
        database: database.as_ref(),
        split: &split,
        machine: &Topology::of_this_machine(),
        time_budget: request.options.time_budget(),
        spent: journal.spent(),
    };
    let stopped = drive(&campaign, &mut journal, &mut record, &request.again(), reporter)?;
    Ok((record, stopped, Some(journal)))
}

/// Makes the remaining rounds. Returns why they ended; who interrupts them reads that `again` are the options to resume with.
fn drive(
    campaign: &Campaign<'_>,
    journal: &mut Journal,
    record: &mut Record,
    again: &str,
    reporter: &dyn Reporter,
) -> anyhow::Result<Stopped> {
    let Campaign {
        plan, subjects, split, ..
    } = *campaign;
    // The harness must not take time from the servers.
    let usual = affinity::allowed();
    let _ = affinity::pin_all(getpid().as_raw(), &split.generator); // it mostly waits, so little is lost if the kernel refuses
    let ticks = Ticks::now(&split.cpus());
    journal.measuring();
    let has_valgrind = record.environment.valgrind.is_some();
    let mut counting = RoundCounts::new(plan, subjects, split, has_valgrind);
    let shown = record.apps.iter().filter(|app| app.role != Role::Control).cloned();
    let shown: Vec<_> = shown.collect();
    let mut observer = RunObserver::new(journal, plan, &shown, record.trials.len(), reporter);
    let ended = campaign.run(&mut record.trials, &mut counting, &mut observer);
    record.environment.other_programs.extend(observer.others);
    let _ = affinity::pin_all(getpid().as_raw(), &usual); // what is built next, for another session, takes all cpus
    let stopped = match ended {
        Err(error) if error.is::<Interrupted>() => bail!(
            "interrupted; {} kept, resume with: bench run --resume={}{again}",
            count(record.trials.len(), "trial"),
            record.id
        ),
        ended => ended?,
    };
    record.environment.steal_share = Ticks::now(&split.cpus()).steal_share_since(ticks);
    for (id, reason) in counting.reasons {
        let mut apps = record.apps.iter_mut();
        if let Some(app) = apps.find(|app| app.id == id.app && app.variant == id.variant) {
            app.instructions_not_counted = Some(reason);
        }
    }
    Ok(stopped)
}
