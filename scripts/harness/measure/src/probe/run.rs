//! A probe as a whole: which apps and cases, on which machine, and the record that says what came.

use std::path::PathBuf;

use anyhow::{Context, ensure};
use model::probe::{Group, PROBES, ProbeOutcome};
use model::scenario::Protocol;
use model::{AppRecord, DEFAULT_VARIANT, Environment, Lane, PLAIN, Part, RELEASE, Record, SubjectId};

use super::behaviour::h2spec;
use super::case::{Case, Course};
use super::runner::{self, Skipped};
use crate::new_record::new_record;
use crate::plan;
use crate::plan::{Parts, Purpose, seed_of_the_clock};
use crate::programs::Programs;
use crate::progress::Reporter;
use apps::catalog::Catalog;
use machine::clock;
use machine::cpus::Split;
use machine::environment;
use machine::essentials;
use machine::limits;
use machine::load;
use machine::lock::Lock;
use servers::database::{self, Database, Source};

/// What to probe.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ProbeRequest {
    /// Apps to probe [default: all; those with a database only for the cases of `--group database`]
    #[arg(long = "app", value_delimiter = ',', value_name = "ID")]
    pub apps: Vec<String>,
    /// Variants to probe
    #[arg(
        long = "variant",
        value_delimiter = ',',
        value_name = "NAME",
        default_value = "default"
    )]
    pub variants: Vec<String>,
    /// Cases [default: all]
    #[arg(long = "case", value_delimiter = ',', value_name = "ID")]
    pub cases: Vec<String>,
    /// Groups of cases [default: all]
    #[arg(long = "group", value_delimiter = ',', value_name = "GROUP")]
    pub groups: Vec<Group>,
    /// Protocols, of those that a case is for and an app speaks [default: all]
    #[arg(long = "protocol", value_delimiter = ',', value_name = "NAME")]
    pub protocols: Vec<Protocol>,
    /// Use the programs that `bench build --out DIR` made, and compile nothing
    #[arg(long, value_name = "DIR", conflicts_with = "cargo_profile")]
    pub binaries: Option<PathBuf>,
    /// Cargo profile of the apps
    #[arg(long, value_name = "NAME", default_value = "release")]
    pub cargo_profile: String,
    /// Folder of PostgreSQL's programs, for cases with a database [default: the first in PATH, or the newest that is installed]
    #[arg(long, value_name = "DIR")]
    pub postgres: Option<PathBuf>,
    /// Where this is made
    #[arg(long, default_value = "local")]
    pub lane: Lane,
    /// If another bench measures on this machine, wait for its end [default: fail and name it]
    #[arg(long)]
    pub wait: bool,
}

/// The requested cases.
pub fn chosen(request: &ProbeRequest) -> anyhow::Result<Vec<Case>> {
    let mut all = Case::built_in();
    let (of_h2spec, named): (Vec<&String>, Vec<&String>) =
        request.cases.iter().partition(|id| h2spec::section(id).is_some());
    for id in &named {
        if !all.iter().any(|case| case.about.id == **id) {
            let known = all.iter().map(|case| case.about.id.as_str());
            return Err(plan::unknown_in("bench probe --list", "case", id, known));
        }
    }
    let protocols = protocols(request);
    all.retain_mut(|case| {
        let mut is_named = request.cases.is_empty() || named.contains(&&case.about.id);
        if let Course::H2spec(only) = &mut case.course
            && !named.contains(&&case.about.id)
        {
            *only = of_h2spec.iter().map(|id| (*id).clone()).collect();
            is_named |= !only.is_empty();
        }
        is_named
            && (request.groups.is_empty() || request.groups.contains(&case.about.group))
            && case.protocols.iter().any(|protocol| protocols.contains(protocol))
    });
    ensure!(
        !all.is_empty(),
        "no case is in these groups and over these protocols; `bench probe --list` shows all"
    );
    Ok(all)
}

fn protocols(request: &ProbeRequest) -> Vec<Protocol> {
    if request.protocols.is_empty() {
        Protocol::ALL.into()
    } else {
        request.protocols.clone()
    }
}

/// Which apps are probed: the named ones, or those that the named cases are for; servers with a database only if one of both names them,
/// those of services only if both do.
fn parts(request: &ProbeRequest, cases: &[Case], catalog: &Catalog) -> Parts {
    let names_cases = !request.cases.is_empty() || !request.groups.is_empty();
    match (names_cases, request.apps.is_empty()) {
        (true, is_all) => {
            let services = !is_all && Parts::of_apps(&request.apps, catalog).includes(Part::Services);
            let services = services && cases.iter().any(Case::is_for_services);
            let parts = cases.iter().map(Case::part);
            parts.chain(services.then_some(Part::Services)).collect()
        }
        (false, true) => Parts::only(Part::Plain),
        (false, false) => Parts::of_apps(&request.apps, catalog),
    }
}

/// Whether all cases without a database are requested, as the guides of the frameworks set them up, built for release; and, by
/// `has_all_apps`, of all frameworks, with or without their names.
fn is_whole(request: &ProbeRequest, cargo_profile: &str, has_all_apps: bool) -> bool {
    let ProbeRequest {
        cases,
        groups,
        protocols,
        ..
    } = request;
    cases.is_empty()
        && groups.is_empty()
        && protocols.is_empty()
        && request.variants == [DEFAULT_VARIANT]
        && cargo_profile == RELEASE
        && has_all_apps
}

/// The guide's own servers for the cases that are put to them, and no others if nothing else is wanted.
fn add_plain(subjects: &mut Vec<SubjectId>, cases: &[Case], catalog: &Catalog) {
    if !cases.iter().any(|case| case.plain) {
        return;
    }
    let mut apps: Vec<&str> = subjects.iter().map(|subject| subject.app.as_str()).collect();
    apps.dedup();
    let plain = apps
        .into_iter()
        .filter_map(|app| catalog.app(app))
        .filter(|app| app.plain.is_some());
    let plain: Vec<SubjectId> = plain.map(|app| SubjectId::new(&app.id, PLAIN)).collect();
    if cases.iter().all(|case| case.plain) {
        subjects.clear();
    }
    subjects.extend(plain);
}

/// Whether no framework of the repository is missing among the `subjects`.
fn has_all_apps(programs: &Programs, variants: &[String], subjects: &[SubjectId]) -> bool {
    let all = plan::subjects(
        &[],
        variants,
        Purpose::Inspect,
        &Parts::only(Part::Plain),
        &programs.catalog,
    );
    programs.has_all_apps() && all.is_ok_and(|all| all.iter().all(|one| subjects.contains(one)))
}

/// What is decided about a probe before anything is built.
struct Setup {
    cases: Vec<Case>,
    programs: Programs,
    subjects: Vec<SubjectId>,
    /// PostgreSQL, if a case needs one.
    database: Option<Source<database::Programs>>,
    /// Version of h2spec, if its cases are made.
    h2spec: Option<String>,
    /// Whether they are wanted, and it is not installed.
    is_left_out: bool,
    is_whole: bool,
    /// From before the machine has to build.
    load_average: f64,
}

impl Setup {
    fn resolve(request: &ProbeRequest) -> anyhow::Result<Self> {
        let load_average = load::average();
        let mut cases = chosen(request)?;
        let is_of_h2spec = |case: &Case| case.about.id == h2spec::ID;
        let h2spec = h2spec::version();
        let is_left_out = cases.iter().any(is_of_h2spec) && h2spec.is_none();
        if is_left_out {
            cases.retain(|case| !is_of_h2spec(case));
            ensure!(!cases.is_empty(), "h2spec is not installed: {}", h2spec::INSTALL);
        }
        let programs = Programs::find(request.binaries.as_deref())?;
        let catalog = &programs.catalog;
        let parts = parts(request, &cases, catalog);
        cases.retain(|case| parts.includes(case.part()));
        ensure!(
            !cases.is_empty(),
            "to servers of services, only `--group idle-connections` is put: name others with --app; `bench list` shows all"
        );
        let mut subjects = plan::subjects(&request.apps, &request.variants, Purpose::Inspect, &parts, catalog)?;
        let has_all_apps = has_all_apps(&programs, &request.variants, &subjects);
        add_plain(&mut subjects, &cases, catalog);
        ensure!(
            !subjects.is_empty(),
            "none of these apps has a program `ID-app-plain`, to which these cases are put"
        );
        let has_database = cases.iter().any(|case| case.part() == Part::Database);
        let database = has_database.then(|| Source::find(None, request.postgres.as_deref()));
        essentials::check()?;
        let cargo_profile = programs.cargo_profile(&request.cargo_profile);
        Ok(Self {
            is_whole: is_whole(request, cargo_profile, has_all_apps) && !is_left_out,
            h2spec: h2spec.filter(|_| cases.iter().any(is_of_h2spec)),
            database: database.transpose()?,
            cases,
            programs,
            subjects,
            is_left_out,
            load_average,
        })
    }

    /// The machine as this probe uses it.
    fn describe(&self, split: &Split, database: Option<&Database>) -> anyhow::Result<Environment> {
        let tools = self
            .h2spec
            .iter()
            .map(|version| (h2spec::ID.to_owned(), version.clone()));
        let (_, open_files) = limits::files().context("cannot read the limit of open files")?;
        Ok(Environment {
            tools: tools.collect(),
            open_files: Some(open_files),
            database: database.map(Database::describe).transpose()?,
            ..environment::describe(split, self.load_average, self.programs.rustc()?, String::new())
        })
    }
}

/// Probes what is requested. `version` is the program's.
pub fn run(request: &ProbeRequest, version: &str, reporter: &dyn Reporter) -> anyhow::Result<(Record, Vec<Skipped>)> {
    let setup = Setup::resolve(request)?;
    let Setup { cases, programs, .. } = &setup;
    let built = programs.subjects(&setup.subjects, &request.cargo_profile, reporter)?;
    // Two that time something at once would measure each other.
    let is_timed = cases.iter().any(|case| case.timed);
    let _lock = is_timed.then(|| Lock::take(request.wait)).transpose()?;
    let (split, database) = Database::open(setup.database.as_ref(), Split::of_this_machine()?)?;
    let environment = setup.describe(&split, database.as_deref())?;
    let cargo_profile = programs.cargo_profile(&request.cargo_profile);
    let seed = seed_of_the_clock().into();
    let mut record = new_record(programs, cargo_profile, (version, seed), environment);
    let protocols = protocols(request);
    let tasks = runner::tasks(&built, cases, &protocols, &split, database.as_ref());
    let progress = reporter.begin("probing", tasks.len() as u64);
    if setup.is_left_out {
        progress.warn(&format!(
            "the cases of h2spec are left out; install it: {}",
            h2spec::INSTALL
        ));
    }
    let mut report = runner::probe(&built, cases, tasks, &*progress)?;
    drop(progress);
    if request.cases.is_empty() {
        let results = report.results.iter_mut();
        for passed in results.filter(|one| one.outcome == ProbeOutcome::Passed) {
            passed.received.clear();
        }
    }
    let catalog = &programs.catalog;
    let apps = built.into_iter().map(|built| AppRecord {
        not_probed: report.not_probed(&built).map(ToOwned::to_owned),
        engine: catalog.app(&built.app.id).and_then(|app| runner::engine(app, catalog)),
        ..built.app
    });
    record.apps = apps.collect();
    record.harness.whole = setup.is_whole;
    let record = Record {
        lane: request.lane,
        profile: PROBES.to_owned(),
        finished_at: clock::now(),
        cases: report.cases,
        probed: report.results,
        ..record
    };
    Ok((record, report.skipped))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::Value;

    use super::*;

    #[test]
    fn a_handover_of_some_apps_lacks_the_others() {
        let some: Value = serde_json::from_str(include_str!("../../../apps/src/handover.json")).unwrap();
        for (all_apps, expected) in [(false, false), (true, true)] {
            let folder = tempfile::tempdir().unwrap();
            let mut handover = some.clone();
            handover["all_apps"] = all_apps.into();
            fs::write(folder.path().join("handover.json"), handover.to_string()).unwrap();
            let programs = Programs::find(Some(folder.path())).unwrap();
            let variants = [DEFAULT_VARIANT.to_owned()];
            let parts = Parts::only(Part::Plain);
            let subjects = plan::subjects(&[], &variants, Purpose::Inspect, &parts, &programs.catalog).unwrap();
            assert_eq!(has_all_apps(&programs, &variants, &subjects), expected);
            assert!(!has_all_apps(&programs, &variants, &subjects[1..]));
        }
    }

    #[test]
    fn cases_of_the_guides_own_server_are_put_to_no_other() {
        let mut axum = samples::framework("axum");
        let (default, viz) = (axum.variants[0].clone(), samples::framework("viz"));
        axum.plain = Some(apps::catalog::Variant {
            name: PLAIN.to_owned(),
            ..default
        });
        let catalog = Catalog::new(PathBuf::new(), vec![axum, viz]);
        let [default, plain] = [DEFAULT_VARIANT, PLAIN].map(|variant| SubjectId::new("axum", variant));
        let of_viz = SubjectId::new("viz", DEFAULT_VARIANT);
        let all = Case::built_in();
        let chosen = |cases: &[Case]| {
            let mut subjects = vec![default.clone(), of_viz.clone()];
            add_plain(&mut subjects, cases, &catalog);
            subjects
        };
        let (of_plain_only, others): (Vec<Case>, Vec<Case>) = all.clone().into_iter().partition(|case| case.plain);
        assert_eq!(chosen(&all), [default.clone(), of_viz.clone(), plain.clone()]);
        assert_eq!(chosen(&of_plain_only), [plain]);
        assert_eq!(chosen(&others), [default.clone(), of_viz.clone()]);
        let [of_default, of_plain] = [DEFAULT_VARIANT, PLAIN].map(|variant| AppRecord {
            variant: variant.to_owned(),
            ..AppRecord::default()
        });
        assert!(
            of_plain_only
                .iter()
                .all(|case| case.is_for(&of_plain) && !case.is_for(&of_default))
        );
        assert!(!others.iter().any(|case| case.is_for(&of_plain)));
        assert!(all.iter().filter(|case| case.is_observed()).all(|case| case.plain));
    }

    #[test]
    fn whole_is_everything_as_it_is_released() {
        let all = ProbeRequest {
            variants: vec![DEFAULT_VARIANT.to_owned()],
            cargo_profile: RELEASE.to_owned(),
            wait: true,
            ..ProbeRequest::default()
        };
        assert!(is_whole(&all, RELEASE, true));
        assert!(!is_whole(&all, "dev", true));
        let mut named = all.clone();
        named.apps = vec!["axum".into()];
        assert!(is_whole(&named, RELEASE, true) && !is_whole(&named, RELEASE, false));
        let changes: [fn(&mut ProbeRequest); 4] = [
            |request| request.variants = vec!["tuned".into()],
            |request| request.cases = vec!["date".into()],
            |request| request.groups = vec![Group::Tls],
            |request| request.protocols = vec![Protocol::Http1],
        ];
        for change in changes {
            let mut part = all.clone();
            change(&mut part);
            assert!(!is_whole(&part, RELEASE, true), "{part:?}");
        }
    }
}
