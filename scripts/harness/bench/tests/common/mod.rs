//! What the tests of the command share: the fixture servers, repositories, and a real oha. What drives load is run one test after the other.

pub mod situation;

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use apps::cargo::forget_our_package;
use model::{Cell, Record, Trial};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

/// The trials that were planned, each once, in the order in which they were made. One that the machine disturbed is made again,
/// now and in more rounds at the end, and no machine may decide a test.
pub fn planned(record: &Record) -> impl Iterator<Item = &Trial> {
    let rounds = record.harness.rounds;
    let planned = move |trial: &&Trial| trial.attempt == 1 && trial.round <= rounds;
    record.trials.iter().filter(planned)
}

/// Longest wait of a test for something that must come. Far longer than it takes, because a machine may be busy.
pub const PATIENCE: Duration = Duration::from_mins(2);

/// The arguments of a command line in which none has a blank.
pub fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split_whitespace()
}

/// The command, on the fixture servers, with a folder of its own for results.
pub struct Bench {
    results: tempfile::TempDir,
    // The machine may be measuring for somebody else, and no test checks how fast anything is.
    lock: tempfile::NamedTempFile,
    root: PathBuf,
}

impl Bench {
    /// On the fixture servers.
    pub fn on_fixtures() -> Self {
        Self::with_root(&fixtures())
    }

    /// On the apps of this repository.
    pub fn on_the_apps() -> Self {
        Self::with_root(&apps())
    }

    /// On any repository.
    pub fn with_root(root: &Path) -> Self {
        Self {
            results: tempfile::tempdir().unwrap(),
            lock: tempfile::NamedTempFile::new().unwrap(),
            root: root.canonicalize().unwrap(),
        }
    }

    /// Root of the repository that the command sees.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Folder of the results.
    pub fn results(&self) -> &Path {
        self.results.path()
    }

    /// The command with these arguments, not yet started.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
        command
            .args(words(line))
            .env("BENCH_ROOT", &self.root)
            .env("BENCH_LOCK", self.lock.path())
            .env_remove("GITHUB_ACTIONS")
            .stdin(Stdio::null());
        command
    }

    /// `bench run` with these arguments, results in this test's folder and the real load generator; not yet started.
    ///
    /// One cpu serves and one loads on every machine, and nothing is tried before, which takes seconds where there are many. Programs are
    /// those that the checks have built.
    pub fn run_command(&self, line: &str) -> Command {
        let mut command = self.command(&format!("run {line}"));
        if !line.contains("--resume") {
            command.args(words("--split 1:1 --cargo-profile dev"));
        }
        command.arg("--out").arg(self.results()).arg("--oha").arg(oha());
        command
    }

    /// Starts the command and waits for its end.
    pub fn call(&self, line: &str) -> CommandOutput {
        CommandOutput::run(self.command(line))
    }

    /// Starts `bench run` and waits for its end.
    pub fn run(&self, line: &str) -> CommandOutput {
        CommandOutput::run(self.run_command(line))
    }

    /// Files below the results, but not the folders.
    pub fn files(&self) -> Vec<PathBuf> {
        fn below(path: &Path) -> Vec<PathBuf> {
            let entries = fs::read_dir(path)
                .into_iter()
                .flatten()
                .flatten()
                .map(|entry| entry.path());
            entries
                .flat_map(|path| if path.is_dir() { below(&path) } else { vec![path] })
                .collect()
        }
        let mut files = below(self.results());
        files.sort();
        files
    }

    /// The only record of this test.
    pub fn record(&self) -> Record {
        let files = self.files();
        let [only] = files.as_slice() else {
            panic!("one record is expected, there are {files:?}")
        };
        let record = analyze::reading::read(only).unwrap();
        // What other programs do to a machine decides no test, but no program makes more requests be in flight than connections carry.
        let mut reasons = record.trials.iter().flat_map(|trial| &trial.reasons);
        assert!(
            !reasons.any(|reason| reason.contains("by Little's law: the clock is wrong")),
            "{record:#?}"
        );
        record
    }

    /// Servers and load generators that run at the moment.
    pub fn children(&self) -> Vec<PathBuf> {
        let target = self.root.join("target");
        let programs = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| {
            entry.file_name().to_str()?.parse::<u32>().ok()?;
            // A zombie has no program any more: it is dead.
            fs::read_link(entry.path().join("exe")).ok()
        });
        programs
            .filter(|program| program.starts_with(&target) || program == oha())
            .collect()
    }

    /// Waits until nobody is left.
    pub fn wait_for_no_children(&self, patience: Duration) {
        wait(patience, "no server and no load generator is left", || {
            self.children().is_empty()
        });
    }
}

/// The repository of the fixture servers.
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/servers")
}

fn apps() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// What a command said, and how it ended.
#[derive(Debug)]
pub struct CommandOutput {
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl CommandOutput {
    pub fn run(mut command: Command) -> Self {
        Self::of(command.output().unwrap())
    }

    /// Waits for the end of a command that was started with [`spawn`].
    pub fn await_end(child: Child) -> Self {
        Self::of(child.wait_with_output().unwrap())
    }

    fn of(output: Output) -> Self {
        Self {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The only line on stderr that is an error.
    pub fn error(&self) -> &str {
        let errors: Vec<&str> = self.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
        let [only] = errors.as_slice() else {
            panic!("one error is expected: {self:#?}")
        };
        only
    }

    /// Fails the test unless the command could not be carried out, for a reason with these words.
    pub fn refused(&self, reason: &str) {
        let is_refused = self.status == Some(2) && self.error().contains(reason);
        assert!(is_refused, "not refused with `{reason}`: {self:#?}");
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    /// Fails the test unless the command was carried out. At worst the machine disturbed most of it.
    pub fn fine(self) -> Self {
        assert!(self.status == Some(0) || self.is_spoilt(), "{self:#?}");
        self
    }

    /// Whether other programs took the machine while it was measured, which decides no test.
    fn is_spoilt(&self) -> bool {
        let mut errors = self.stderr.lines().filter(|line| line.starts_with("error: "));
        self.status == Some(1)
            && errors.next().is_some_and(|error| {
                let who = ["other programs", "the hypervisor", "ms after the agreed time"];
                let lost = ["cells have no figure that counts", "nothing could be measured"];
                lost.iter().any(|lost| error.contains(lost)) && who.iter().any(|who| error.contains(who))
            })
    }
}

/// Starts a command whose output is kept.
pub fn spawn(mut command: Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Sends a signal to a command that was started.
pub fn send(child: &Child, signal: Signal) {
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), signal).unwrap();
}

/// What a command says after this line of a shell, such as one that sets a limit.
pub fn after(line: &str, command: &Command) -> CommandOutput {
    let mut shell = Command::new("bash");
    shell.arg("-c").arg(format!("{line}; exec \"$0\" \"$@\""));
    shell.arg(command.get_program()).args(command.get_args());
    let set = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    shell.envs(set).env_remove("GITHUB_ACTIONS");
    CommandOutput::run(shell)
}

/// Copies a folder, with its name unless the place is new.
pub fn copy(folder: &Path, place: &Path) {
    let copied = Command::new("cp").arg("-r").args([folder, place]).status();
    assert!(copied.unwrap().success());
}

/// A temporary folder into which every user may go.
pub fn open_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// Writes a script of a shell that every user may start.
pub fn script(path: &Path, text: &str) {
    fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The figures of an app's usual variant in a scenario.
pub fn cell<'a>(record: &'a Record, app: &str, scenario: &str) -> &'a Cell {
    let is_it = |cell: &&Cell| cell.app == app && cell.scenario == scenario;
    record.summary.iter().find(is_it).unwrap()
}

/// Builds programs of a workspace with the features of its default members, as `./scripts/test` does: what is compiled is shared.
pub fn build_united(root: &Path, what: &[&str]) {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--locked", "--quiet"]);
    forget_our_package(&mut cargo);
    assert!(
        cargo.args(what).current_dir(root).status().unwrap().success(),
        "{}",
        root.display()
    );
}

/// The repository's own load generator, built without optimisation: these tests check how it is used, not how fast it is.
pub fn oha() -> &'static PathBuf {
    static OHA: OnceLock<PathBuf> = OnceLock::new();
    OHA.get_or_init(|| {
        let bench = Path::new(env!("CARGO_BIN_EXE_bench"));
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        build_united(&root, &["--bin", "oha"]);
        bench.with_file_name("oha").canonicalize().unwrap()
    })
}

/// Says that the test of this thread was left out, on stderr itself: what `eprintln!` prints of a test that passes is shown to nobody.
pub fn skip(why: &str) {
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    let _ = writeln!(std::io::stderr(), "skipped: {test}: {why}"); // it decides nothing
}

/// Whether a container engine answers. Where none does, that fails, or with `BENCH_TEST_SKIP_DOCKER` says that the test was left out.
pub fn has_engine() -> bool {
    let answers = Command::new("docker").arg("info").output();
    if answers.is_ok_and(|output| output.status.success()) {
        return true;
    }
    let why = "no container engine answers `docker info`";
    assert!(
        std::env::var_os("BENCH_TEST_SKIP_DOCKER").is_some(),
        "{why}; BENCH_TEST_SKIP_DOCKER=1 leaves this test out"
    );
    skip(why);
    false
}

/// The command as it was handed over, where neither cargo nor a repository is to be found.
pub fn elsewhere(handover: &Path, line: &str) -> CommandOutput {
    let mut command = Command::new(handover.join("bench"));
    command
        .args(words(line))
        .args(["--binaries", "handover"])
        .current_dir(handover.parent().unwrap())
        .env_clear()
        .env("PATH", "/nowhere")
        .stdin(Stdio::null());
    CommandOutput::run(command)
}

/// Who commits in a test: the user need not have a name.
pub const AUTHOR: [(&str, &str); 4] = [
    ("GIT_AUTHOR_NAME", "Test"),
    ("GIT_AUTHOR_EMAIL", "test@example.org"),
    ("GIT_COMMITTER_NAME", "Test"),
    ("GIT_COMMITTER_EMAIL", "test@example.org"),
];

/// Runs git in a repository of a test.
pub fn git(root: &Path, line: &str) {
    let mut command = Command::new("git");
    command.envs(AUTHOR).args(["-c", "commit.gpgsign=false"]);
    command.args(words(line)).current_dir(root);
    CommandOutput::run(command).fine();
}

/// A repository with some apps of the fixtures, and the library that they need.
pub fn repository(root: &Path, apps: &[&str]) {
    let fixtures = fixtures();
    let copy = |from: PathBuf, to: PathBuf| {
        fs::create_dir_all(&to).unwrap();
        copy(&from.join("src"), &to);
        let manifest = fs::read_to_string(from.join("Cargo.toml")).unwrap();
        // The library lies nearer, and without the tests of it nobody needs what they need.
        let manifest = manifest.replace("../../../../../../faulty", "../../faulty");
        // A plain server needs no driver of a database, which takes long to compile.
        let is_plain = !["postgres", "services"]
            .iter()
            .any(|part| to.to_string_lossy().ends_with(part));
        let manifest = if is_plain {
            manifest.replace("\"../../faulty\"", "\"../../faulty\", default-features = false")
        } else {
            manifest
        };
        let manifest = manifest.split("[dev-dependencies]").next().unwrap();
        fs::write(to.join("Cargo.toml"), manifest).unwrap();
    };
    for app in apps.iter().map(|app| Path::new("apps").join(app)) {
        copy(fixtures.join(&app), root.join(&app));
    }
    copy(fixtures.join("../../../../faulty"), root.join("faulty"));
    fs::copy(fixtures.join("Cargo.toml"), root.join("Cargo.toml")).unwrap();
    fs::copy(fixtures.join("Cargo.lock"), root.join("Cargo.lock")).unwrap();
    fs::write(root.join(".gitignore"), "target/\n").unwrap();
    fs::write(root.join("README.md"), "A repository.\n").unwrap();
    // The lockfile of all fixtures is pruned to what these need.
    update(root);
    begin(root);
}

/// Makes a folder a repository with all that is in it.
pub fn begin(root: &Path) {
    for line in ["init -q -b main", "add -A", "commit -q -m Begin"] {
        git(root, line);
    }
}

/// Fits the lockfile of a repository to its manifests.
pub fn update(root: &Path) {
    let mut cargo = Command::new("cargo");
    cargo.args(words("update --workspace --offline")).current_dir(root);
    CommandOutput::run(cargo).fine();
}

/// Waits until something is so.
pub fn wait(patience: Duration, what: &str, mut so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !so() {
        assert!(began.elapsed() < patience, "waited {patience:?}, and still not: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
