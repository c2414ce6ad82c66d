//! `bench compare` on a real git repository with real servers: what is measured, what is not, and what is reported.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use analyze::compare::outcome::{Cause, Comparison, Decision, Status};
use analyze::compare::probing::Effect;
use apps::profile::Profiles;
use measure::probe::Case;
use model::Metric;
use report::artifact::{Known, check};

use crate::common::{Bench, CommandOutput, git, oha, open_folder, repository, script, update};

/// Apps of the fixtures that the repository of these tests has.
const APPS: [&str; 2] = ["good", "good-two"];
/// The only apps of other repositories: one that has a database, and one of services.
const BACKED: &str = "good-postgres";
const SERVING: &str = "good-services";

/// A repository with two apps, whose `main` is checked out. All tests share it, so that dependencies are built once.
struct Repository {
    _turn: Option<MutexGuard<'static, ()>>,
    root: PathBuf,
}

impl Repository {
    fn checked_out() -> Self {
        static TURN: Mutex<()> = Mutex::new(());
        static MADE: OnceLock<tempfile::TempDir> = OnceLock::new();
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = MADE.get_or_init(|| {
            let folder = tempfile::tempdir().unwrap();
            repository(folder.path(), &APPS);
            folder
        });
        let repository = Self {
            _turn: Some(turn),
            root: folder.path().canonicalize().unwrap(),
        };
        git(&repository.root, "checkout -q -f main");
        git(&repository.root, "clean -q -f -d");
        repository
    }

    /// The only one of a test, with this app.
    fn of(app: &str, folder: &tempfile::TempDir) -> Self {
        repository(folder.path(), &[app]);
        Self {
            _turn: None, // it is nobody else's
            root: folder.path().canonicalize().unwrap(),
        }
    }

    fn write(&self, path: &str, content: &str) {
        fs::create_dir_all(self.root.join(path).parent().unwrap()).unwrap();
        fs::write(self.root.join(path), content).unwrap();
    }

    /// An app with another fault.
    fn break_app(&self, app: &str, fault: &str) {
        let main = format!("fn main() {{\n    faulty::plain::serve(faulty::plain::Fault::{fault})\n}}\n");
        self.write(&format!("apps/{app}/src/main.rs"), &main);
    }

    /// A branch on which `good` has a fault.
    fn commit(&self, branch: &str, fault: &str) {
        git(&self.root, &format!("checkout -q -B {branch}"));
        self.break_app("good", fault);
        git(&self.root, &format!("commit -q -a -m {branch}"));
    }

    /// `bench compare`.
    fn compare(&self, line: &str) -> CommandOutput {
        self.compare_by(&env::var("PATH").unwrap(), line)
    }

    /// The same with the programs of this `PATH`.
    fn compare_by(&self, path: &str, line: &str) -> CommandOutput {
        let bench = Bench::with_root(&self.root);
        let mut command = bench.command(&format!("compare {line}"));
        command.arg("--oha").arg(oha()).env("PATH", path);
        CommandOutput::run(command)
    }

    /// The result of a comparison that ends with this exit status.
    fn compared(&self, status: i32, line: &str) -> Comparison {
        comparison(&self.compare(&format!("{line} --format json")), status)
    }
}

fn comparison(output: &CommandOutput, status: i32) -> Comparison {
    assert_eq!(output.status, Some(status), "{output:#?}");
    accepted(output.stdout.as_bytes());
    serde_json::from_str(&output.stdout).unwrap()
}

/// `bench comment` reads such a comparison with suspicion, and must accept it.
fn accepted(text: &[u8]) {
    let mut comparison: Comparison = serde_json::from_slice(text).unwrap();
    comparison.head.dirty = false; // a pull request has a commit
    let head = comparison.head.commit.parse().unwrap();
    let known = Known {
        apps: (APPS.into_iter().chain([BACKED, SERVING]))
            .map(|app| (app.to_owned(), vec!["default".to_owned()]))
            .collect(),
        probed: APPS.map(str::to_owned).into(),
        scenarios: Profiles::built_in().scenario_names().map(str::to_owned).collect(),
        cases: Case::quick().into_iter().map(|case| case.about).collect(),
    };
    let read = check(&serde_json::to_vec(&comparison).unwrap(), &head, &known).unwrap();
    assert_eq!((read.decision, read.series), (comparison.decision, comparison.series));
}

#[test]
fn a_change_that_touches_no_app_measures_and_builds_nothing() {
    let repository = Repository::checked_out();
    repository.write("README.md", "Another text.\n");
    repository.write("scripts/harness/bench/src/main.rs", "fn main() {}\n");
    let _ = fs::remove_dir_all(repository.root.join("target/compare"));
    let comparison = repository.compared(0, "");
    assert_eq!(comparison.decision, Decision::NothingToMeasure);
    assert_eq!(
        (comparison.apps.len(), comparison.untouched.as_slice()),
        (0, &APPS.map(String::from)[..])
    );
    assert!(comparison.head.dirty);
    for built in ["base/target", "head/target"] {
        assert!(!repository.root.join("target/compare").join(built).exists());
    }
    let said = repository.compare("").fine().stdout;
    assert!(
        said.starts_with("# Nothing to measure: this change touches no app\n"),
        "{said}"
    );
}

#[test]
fn a_change_that_makes_no_difference_to_the_program_is_reported_as_such() {
    let repository = Repository::checked_out();
    let main = "fn main() {\n    faulty::plain::serve(faulty::plain::Fault::None)\n}\n// Said.\n";
    repository.write("apps/good/src/main.rs", main);
    let comparison = repository.compared(0, "");
    assert_eq!(comparison.decision, Decision::NothingToMeasure);
    assert_eq!(
        (comparison.apps.len(), comparison.apps[0].status),
        (1, Status::SameBinary)
    );
    assert_eq!(comparison.apps[0].causes, [Cause::Sources]);
}

#[test]
fn a_head_that_does_not_build_or_dies_is_a_regression() {
    let repository = Repository::checked_out();
    for (fault, status, reason) in [
        ("NoSuchFault", Status::BuildFailed, "no variant"),
        ("DiesAtOnce", Status::Crashed, "no luck today"),
    ] {
        repository.break_app("good", fault);
        let comparison = repository.compared(1, "--metric cpu --scenario plaintext --pairs 2");
        assert_eq!(comparison.decision, Decision::Regression);
        let [app] = comparison.apps.as_slice() else {
            panic!("{comparison:#?}")
        };
        assert_eq!((app.id.as_str(), app.status), ("good", status), "{app:?}");
        assert!(app.reason.as_deref().unwrap().contains(reason), "{app:?}");
        assert_eq!(comparison.untouched, ["good-two"]);
    }
}

/// It ignores `Connection: close`, which no series shows.
#[test]
fn a_head_that_breaks_what_must_hold_is_a_regression() {
    let repository = Repository::checked_out();
    repository.break_app("good", "IgnoresClose");
    let comparison = repository.compared(1, "--metric instructions --scenario plaintext --pairs 1");
    let probes = comparison.probes.as_ref().unwrap();
    let broken: Vec<_> = probes.with(Effect::Breaks).collect();
    let close = broken.iter().find(|one| one.case.id == "connection-close");
    let close = close.unwrap_or_else(|| panic!("{probes:#?}"));
    let (base, head) = (&close.sides.base, &close.sides.head);
    assert_eq!((base.got.as_str(), head.got.as_str()), ("200 closed", "200 open"));
    assert!(head.received.starts_with("HTTP/1.1 200 "), "{head:?}");
    assert_eq!(probes.with(Effect::Repairs).count(), 0, "{probes:#?}");
    assert!(
        comparison
            .series
            .iter()
            .all(|series| series.decision != Decision::Regression),
        "{:?}",
        comparison.series
    );
}

#[test]
fn an_app_that_vanishes_is_a_regression_and_a_new_one_is_new() {
    let repository = Repository::checked_out();
    let text = fs::read_to_string(repository.root.join("apps/good-two/Cargo.toml")).unwrap();
    fs::remove_dir_all(repository.root.join("apps/good-two")).unwrap();
    repository.write("apps/newcomer/Cargo.toml", &text.replace("good-two", "newcomer"));
    repository.break_app("newcomer", "None");
    update(&repository.root);
    let comparison = repository.compared(1, "");
    let found: Vec<_> = comparison
        .apps
        .iter()
        .map(|app| (app.id.as_str(), app.status))
        .collect();
    assert_eq!(found, [("good-two", Status::Vanished), ("newcomer", Status::New)]);
}

#[test]
fn the_removal_of_work_is_found_and_what_is_not_decided_is_no_fault() {
    let repository = Repository::checked_out();
    repository.commit("costly", "Costly");
    // Instructions decide: no machine moves them.
    let compared =
        |status, metric: &str| repository.compared(status, &format!("--scenario plaintext --metric {metric}"));
    let better = compared(0, "instructions --base costly --head main");
    assert_eq!(better.decision, Decision::Improvement);
    assert_eq!(better.series[0].decision, Decision::Improvement);
    // CPU time is several times as much as well, but two pairs prove nothing. That is no fault unless one wants to be sure.
    let few = "cpu --base main --head costly --pairs 2";
    let unsure = compared(0, few);
    assert_eq!(unsure.decision, Decision::Inconclusive);
    assert!(unsure.series[0].change.unwrap() > 0.3, "{:?}", unsure.series);
    let memory = unsure.others.iter().find(|one| one.metric == Metric::RssPeakBytes);
    assert!(memory.is_some_and(|one| one.pairs.len() == 2), "{:?}", unsure.others);
    let strict = repository.compare(&format!("--scenario plaintext --strict --metric {few}"));
    assert_eq!(strict.status, Some(1), "{strict:#?}");
}

#[test]
fn a_plan_says_what_takes_how_long_and_two_apps_are_decided_together() {
    let repository = Repository::checked_out();
    repository.break_app("good-two", "Burden(1)");
    repository.commit("both", "Costly");
    let sides = "--base main --head both --scenario plaintext --metric instructions";
    let plan = Bench::with_root(&repository.root).call(&format!("compare {sides} --plan"));
    let plan = plan.fine();
    for part in [
        "good, good-two against main (",
        "\nabout ",
        " to measure if nothing has changed\n",
    ] {
        assert!(plan.stdout.contains(part), "{plan:#?}");
    }
    let whole = repository.compared(1, sides);
    let decisions: Vec<_> = whole.series.iter().map(|series| series.decision).collect();
    assert_eq!(decisions, [Decision::Regression, Decision::NoChange]);
    // Where it is found, though the server's own user may not enter this folder.
    let most = &whole.explanations[0].functions[0];
    assert!(most.name.contains("faulty::plain::"), "{most:?}");
    // What has not changed takes fewer pairs than what has.
    assert!(
        whole.series[1].pairs.len() < whole.series[0].pairs.len(),
        "{:?}",
        whole.series
    );
    let options = "--head both --scenario plaintext --metric instructions";
    assert_eq!(whole.options.join(" "), options);
}

#[test]
fn every_endpoint_is_counted_so_a_handler_that_no_load_touches_cannot_change_unseen() {
    let repository = Repository::checked_out();
    repository.commit("burdened", "Burden(1_000_000)");
    repository.break_app("good", "Burden(1_010_000)");
    let comparison = repository.compared(0, "--metric instructions --base burdened --pairs 1");
    let profiles = Profiles::built_in();
    let counted = &profiles.profile("compare").unwrap().counted;
    assert_eq!(comparison.series.len(), counted.len(), "{:?}", comparison.warnings);
    for series in &comparison.series {
        let change = series.head.unwrap() / series.base.unwrap() - 1.0;
        if series.scenario == "cpu" {
            assert!((0.009..0.011).contains(&change), "one per cent more: {series:?}");
        } else {
            assert!(counted.contains(&series.scenario) && change.abs() < 0.005, "{series:?}");
        }
    }
    assert!(comparison.environment.unwrap().valgrind.is_some());
}

#[test]
fn a_base_that_does_not_build_is_no_regression_of_head() {
    let repository = Repository::checked_out();
    repository.commit("broken", "NoSuchFault");
    let answer = repository.compare("--base broken --head main");
    answer.refused("base (broken) does not build: error[E0599]");
}

#[test]
fn a_server_with_a_database_is_compared_by_what_is_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let repository = Repository::of(BACKED, &folder);
    let library = fs::read_to_string(repository.root.join("faulty/src/database.rs")).unwrap();
    let (kept, costly) = (
        "let id = database.random_id();",
        "let id = (0..100_000).map(|_| std::hint::black_box(database.random_id())).last().unwrap_or(1);",
    );
    assert!(library.contains(kept));
    repository.write("faulty/src/database.rs", &library.replace(kept, costly));
    // Instructions decide: no machine moves them, and the database's are not the server's.
    let comparison = repository.compared(1, "--scenario db --metric instructions");
    assert_eq!(comparison.decision, Decision::Regression, "{comparison:#?}");
    let [series] = comparison.series.as_slice() else {
        panic!("is valgrind installed? {comparison:?}")
    };
    assert_eq!(
        (series.scenario.as_str(), series.metric, series.decision),
        ("db", Metric::InstructionsPerRequest, Decision::Regression)
    );
    // 100,000 random numbers of about ten instructions.
    let more = series.head.unwrap() - series.base.unwrap();
    assert!((500_000.0..10_000_000.0).contains(&more), "{series:?}");
    assert!(comparison.probes.is_none(), "only servers that work alone are probed");
    let database = comparison.environment.unwrap().database.unwrap();
    assert!(database.version.starts_with("PostgreSQL "), "{database:?}");
}

/// As with AVX-512, which valgrind does not know: the program dies under it, and does not without.
#[test]
fn a_program_that_valgrind_cannot_run_is_compared_by_the_rest() {
    let repository = Repository::checked_out();
    repository.break_app("good", "Costly");
    let folder = open_folder();
    let dies = "[ \"$*\" != --version ] || exec echo valgrind-3.22.0\nkill -ILL $$";
    script(&folder.path().join("valgrind"), dies);
    let compare = |metrics: &str| {
        let line = format!("--scenario plaintext --pairs 1 --format json --metric {metrics}");
        repository.compare_by(&path_with(folder.path()), &line)
    };
    let rest = comparison(&compare("instructions,cpu"), 0);
    let metrics: Vec<Metric> = rest.series.iter().map(|series| series.metric).collect();
    assert_eq!(metrics, [Metric::ServerCpuUsPerRequest]);
    assert_eq!(rest.apps[0].status, Status::Measured);
    let reason = rest.apps[0].reason.as_deref().unwrap();
    assert!(
        reason.starts_with("instructions not counted: base: it does not run under valgrind: ")
            && reason.contains("SIGILL"),
        "{reason}"
    );
    let nothing = compare("instructions");
    nothing.refused("error: could not be measured: good (instructions not counted: ");
}

/// The `PATH` with another folder before all others.
fn path_with(folder: &Path) -> String {
    format!("{}:{}", folder.display(), env::var("PATH").unwrap())
}

/// A `vgdb` that fails once, as the real one now and then does on a busy machine.
fn deaf_vgdb(folder: &Path) {
    let (path, failed) = (env::var("PATH").unwrap(), folder.join("failed"));
    let lines = format!(
        "PATH='{path}'\nmkdir '{}' 2>&- && exit 1\nexec vgdb \"$@\"",
        failed.display()
    );
    script(&folder.join("vgdb"), &lines);
    // It runs as the user of the server.
    fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).unwrap();
}

#[test]
fn a_server_of_services_is_compared_by_what_it_offers() {
    let folder = tempfile::tempdir().unwrap();
    let repository = Repository::of(SERVING, &folder);
    let library = fs::read_to_string(repository.root.join("faulty/src/services.rs")).unwrap();
    let kept = "mac.update(text.as_bytes());";
    let costly = "for _ in 0..100 {
        let mut other = Hmac::<Sha256>::new_from_slice(SECRET).ok()?;
        other.update(text.as_bytes());
        std::hint::black_box(other.finalize());
    }";
    assert!(library.contains(kept));
    repository.write(
        "faulty/src/services.rs",
        &library.replace(kept, &format!("{costly} {kept}")),
    );
    // Of all its scenarios, those that it offers; each number of routes by a process of its own.
    let tools = tempfile::tempdir().unwrap();
    deaf_vgdb(tools.path());
    let line = "--metric instructions --pairs 1 --format json";
    let comparison = comparison(&repository.compare_by(&path_with(tools.path()), line), 0);
    let compared: Vec<&str> = comparison.series.iter().map(|series| &*series.scenario).collect();
    let offered = "routes-100 validate routes-1 auth json-64k upload static-4k static-1m compress-gzip stream events websocket-64 \
                   websocket-16k routes-1000";
    assert_eq!(compared.join(" "), offered, "is valgrind installed?");
    for series in &comparison.series {
        let (Some(base), Some(head)) = (series.base, series.head) else {
            panic!("{series:?}, {:?}", comparison.warnings);
        };
        let change = head / base - 1.0;
        if series.scenario == "auth" {
            assert!(change > 1.0, "{series:?}");
        } else {
            // A decision takes more pairs; this shows that no scenario is counted in place of another.
            assert!(change.abs() < 0.02, "{series:?}");
        }
    }
    assert!(tools.path().join("failed").exists(), "nothing failed");
    let mut warnings = comparison.warnings.iter();
    assert!(warnings.all(|warning| !warning.contains("disturbed")), "{comparison:?}");
}
