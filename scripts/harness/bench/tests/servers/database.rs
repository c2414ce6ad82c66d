//! Servers with a real PostgreSQL behind them: what is proven of them, and what becomes of the database.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::common::{Bench, CommandOutput, PATIENCE, after, build_united, open_folder, planned, script, spawn, wait};
use memchr::memmem;
use model::{Trial, Verdict};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use postgres::{Client, NoTls};
use servers::database::{Database, Programs};

const GOOD: &str = "--app good-postgres --scenario db --rounds 1 --duration 400ms --connections 8";

/// The command with a folder of its own for temporary files, in which the database lies.
struct Place {
    bench: Bench,
    temporary: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self {
            bench: Bench::on_fixtures(),
            temporary: open_folder(), // to PostgreSQL's user
        }
    }

    fn run_command(&self, line: &str) -> Command {
        let mut command = self.bench.run_command(line);
        command.env("TMPDIR", self.temporary.path());
        command
    }

    fn run(&self, line: &str) -> CommandOutput {
        CommandOutput::run(self.run_command(line))
    }

    /// The folder of the database, while there is one.
    fn folder(&self) -> Option<PathBuf> {
        let mut entries = fs::read_dir(self.temporary.path()).unwrap().flatten();
        let is_one = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with("bench-postgres-");
        entries
            .find(|entry| is_one(&entry.file_name()))
            .map(|entry| entry.path())
    }

    /// The process id of the database that runs, once it answers.
    fn postmaster(&self) -> Option<i32> {
        let text = fs::read_to_string(self.folder()?.join("data/postmaster.pid")).ok()?;
        let is_ready = text.lines().any(|line| line.trim() == "ready");
        text.lines().next().filter(|_| is_ready)?.parse().ok()
    }

    /// A run with loads of some seconds, of which the first goes on.
    fn under_load(&self, line: &str) -> Child {
        let run = spawn(self.run_command(&line.replace("400ms", "5s")));
        let is_driven = || self.bench.children().iter().any(|program| program.ends_with("oha"));
        wait(PATIENCE, "a server is driven", || {
            self.postmaster().is_some() && is_driven()
        });
        run
    }

    fn trials(&self) -> Vec<Trial> {
        planned(&self.bench.record()).cloned().collect()
    }
}

fn is_running(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z") && !stat.contains(") X")
}

#[test]
fn a_run_that_is_killed_leaves_no_process_and_a_folder_that_is_removed_when_it_is_resumed() {
    let place = Place::new();
    let mut run = place.under_load(GOOD);
    let postmaster = place.postmaster().unwrap();
    run.kill().unwrap(); // SIGKILL
    run.wait().unwrap();
    wait(PATIENCE, "the database has ended", || !is_running(postmaster));
    place.bench.wait_for_no_children(PATIENCE);
    place.run("--resume").fine();
    assert_eq!(place.folder(), None);
    let verdicts: Vec<Verdict> = place.trials().iter().map(|trial| trial.verdict).collect();
    assert!(
        !verdicts.is_empty() && verdicts.iter().all(|verdict| *verdict < Verdict::ContractFailed),
        "{verdicts:?}"
    );
}

#[test]
fn a_database_that_is_killed_fails_the_trials_and_not_the_servers() {
    let place = Place::new();
    let run = place.under_load(GOOD);
    kill(Pid::from_raw(place.postmaster().unwrap()), Signal::SIGKILL).unwrap();
    let output = CommandOutput::await_end(run);
    assert_eq!(output.status, Some(1), "{output:#?}");
    let verdicts: Vec<Verdict> = place.trials().iter().map(|trial| trial.verdict).collect();
    assert!(
        verdicts.iter().all(|verdict| *verdict == Verdict::EnvironmentFailed),
        "{:#?}",
        place.trials()
    );
    assert_eq!(place.folder(), None);
}

/// The processes that PostgreSQL has started, with what they say they are.
fn processes_of(postmaster: i32) -> Vec<(i32, String)> {
    let children = fs::read_to_string(format!("/proc/{postmaster}/task/{postmaster}/children")).unwrap_or_default();
    let pids = children.split_whitespace().filter_map(|pid| pid.parse().ok());
    let titled = |pid| Some((pid, fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?));
    pids.filter_map(titled).collect()
}

#[test]
fn a_process_of_the_database_that_is_killed_fails_trials_and_no_server_and_the_run_goes_on() {
    let place = Place::new();
    let run = place.under_load(GOOD);
    let postmaster = place.postmaster().unwrap();
    let of_a_server = || {
        let over_tcp = |(_, title): &(i32, String)| title.contains("127.0.0.1(");
        processes_of(postmaster).into_iter().find(over_tcp)
    };
    wait(PATIENCE, "a server has a connection to its database", || {
        of_a_server().is_some()
    });
    kill(Pid::from_raw(of_a_server().unwrap().0), Signal::SIGKILL).unwrap();
    CommandOutput::await_end(run).fine();
    let record = place.bench.record();
    assert!(
        record
            .trials
            .iter()
            .all(|trial| trial.verdict <= Verdict::EnvironmentFailed),
        "{:#?}",
        record.trials
    );
    let names_crash = |reason: &String| {
        reason.contains("PostgreSQL crashed and started afresh: server process (PID ")
            && reason.contains(" was terminated by signal 9: Killed")
    };
    let is_hit = |trial: &&Trial| trial.reasons.iter().any(names_crash);
    assert!(record.trials.iter().any(|trial| is_hit(&trial)), "{:#?}", record.trials);
    // The server that was hit is measured again, with a database that has recovered.
    let last = record
        .trials
        .iter()
        .rfind(|trial| trial.app == "good-postgres")
        .unwrap();
    assert!(!is_hit(&last), "{last:#?}");
}

/// A folder with PostgreSQL's programs whose files of its log of changes are a megabyte long, so that tables outgrow them.
fn with_short_logs() -> tempfile::TempDir {
    let folder = open_folder();
    let real = Programs::find(None).unwrap().folder;
    for (program, option) in [("postgres", ""), ("initdb", "--wal-segsize=1")] {
        let line = format!("exec '{}' {option} \"$@\"", real.join(program).display());
        script(&folder.path().join(program), &line);
    }
    folder
}

#[test]
fn a_database_that_can_no_longer_write_fails_trials_and_no_server() {
    let place = Place::new();
    let programs = with_short_logs();
    let line = GOOD.replace("--scenario db", "--scenario orders");
    let run = place.under_load(&format!("{line} --postgres {}", programs.path().display()));
    // As on a full disk, and without the rights of root: no table grows any more, and what is shorter than a megabyte can be written.
    let postmaster = place.postmaster().unwrap();
    let limit = |pid: i32| {
        let mut limit = Command::new("prlimit");
        limit.args(["--fsize=1048576", "--pid", &pid.to_string()]);
        // As its own user: root may be without the right to limit what belongs to others.
        if let Ok(owner) = fs::metadata(format!("/proc/{pid}")) {
            limit.uid(owner.uid()).gid(owner.gid());
        }
        limit.stderr(Stdio::null()).status().unwrap().success()
    };
    assert!(limit(postmaster));
    for (pid, _) in processes_of(postmaster) {
        limit(pid); // it may have ended meanwhile
    }
    let output = CommandOutput::await_end(run);
    assert_eq!(output.status, Some(1), "{output:#?}");
    let trials = place.trials();
    assert!(
        trials.iter().all(|trial| trial.verdict == Verdict::EnvironmentFailed),
        "{trials:#?}"
    );
    let advice = format!("; make room in {}, or let TMPDIR", place.temporary.path().display());
    let names_full_disk = |reason: &String| {
        reason.contains("PostgreSQL cannot write any more: could not extend file ") && reason.contains(&advice)
    };
    let reasons: Vec<&String> = trials.iter().flat_map(|trial| &trial.reasons).collect();
    assert!(reasons.iter().any(|reason| names_full_disk(reason)), "{reasons:#?}");
}

/// A PostgreSQL that somebody else runs, with a database `shop` and a user who may do there what is needed.
struct Theirs {
    admin: Client,
    url: String,
    port: u16,
    _running: Database,
}

impl Theirs {
    fn new() -> Self {
        let running = Database::start(&Programs::find(None).unwrap(), &[0]).unwrap();
        let port = running.port();
        let mut folders = fs::read_dir(std::env::temp_dir()).unwrap().flatten();
        let socket = folders.find_map(|folder| {
            let socket = folder.path().join("socket");
            socket.join(format!(".s.PGSQL.{port}")).exists().then_some(socket)
        });
        let socket = socket.unwrap();
        let connect = |name: &str| {
            let mut config = Client::configure();
            config.host_path(&socket).port(port).user("bench").dbname(name);
            config.connect(NoTls).unwrap()
        };
        let mut admin = connect("bench");
        for statement in [
            "CREATE ROLE owner LOGIN CREATEROLE PASSWORD 'secret'",
            "CREATE DATABASE shop OWNER owner",
        ] {
            admin.batch_execute(statement).unwrap();
        }
        let mut admin = connect("shop");
        admin.batch_execute("CREATE EXTENSION pg_stat_statements").unwrap();
        Self {
            admin,
            url: format!("postgres://owner:secret@127.0.0.1:{port}/shop"),
            port,
            _running: running,
        }
    }

    /// The port of one that passes everything on, but says that it is version 13.
    fn behind_an_old_version(&self) -> u16 {
        let real = Programs::find(None).unwrap().version;
        let old = format!("13{}", &real[2..]);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let (port, behind) = (listener.local_addr().unwrap().port(), self.port);
        std::thread::spawn(move || {
            for mut client in listener.incoming().flatten() {
                let mut server = TcpStream::connect((Ipv4Addr::LOCALHOST, behind)).unwrap();
                let (mut requests, mut answers) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                std::thread::spawn(move || std::io::copy(&mut requests, &mut server));
                let mut bytes = vec![0; 1 << 16];
                while let Ok(read @ 1..) = answers.read(&mut bytes) {
                    let mut passed_on = bytes[..read].to_vec();
                    for at in memmem::find_iter(&bytes[..read], real.as_bytes()) {
                        passed_on[at..at + real.len()].copy_from_slice(old.as_bytes());
                    }
                    if client.write_all(&passed_on).is_err() {
                        break;
                    }
                }
            }
        });
        port
    }

    /// Whether there is a schema `bench`, and a role of a server.
    fn has(&mut self) -> (bool, bool) {
        let row = self.admin.query_one(
            "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'bench'), EXISTS (SELECT FROM pg_roles WHERE rolname LIKE 'bench\\_server\\_%')",
            &[],
        );
        let row = row.unwrap();
        (row.get(0), row.get(1))
    }
}

#[test]
fn a_database_of_somebody_else_is_used_with_consent_and_left_as_it_was() {
    let place = Place::new();
    let mut theirs = Theirs::new();
    let line = format!("{GOOD} --database {}", theirs.url);
    let refused = |line: &str| {
        let output = place.run(line);
        assert_eq!(output.status, Some(2), "{output:#?}");
        output.error().to_owned()
    };
    let wrong = refused(&format!("{GOOD} --yes --database mysql://owner:secret@127.0.0.1/shop"));
    assert!(wrong.contains("another scheme") && !wrong.contains("secret"), "{wrong}");
    assert!(refused(&format!("{line} --yes")).contains("membership in pg_read_all_stats"));
    theirs.admin.batch_execute("GRANT pg_read_all_stats TO owner").unwrap();
    assert!(refused(&line).contains("--yes allows it"));
    let useless = format!("--app good --scenario plaintext --yes --database {}", theirs.url);
    assert!(refused(&useless).contains("none of these scenarios needs a database"));
    theirs
        .admin
        .batch_execute("CREATE SCHEMA bench AUTHORIZATION owner")
        .unwrap();
    assert_eq!(
        refused(&format!("{line} --yes")),
        "error: there is a schema `bench` in the database of --database that bench did not make; nothing was touched"
    );
    assert_eq!(theirs.has(), (true, false));
    assert!(place.bench.files().is_empty());

    theirs
        .admin
        .batch_execute("DROP SCHEMA bench; CREATE ROLE bench_server_7")
        .unwrap();
    assert_eq!(
        refused(&format!("{line} --yes")),
        "error: there is a role `bench_server_7` in the database of --database that bench did not make; nothing was touched"
    );
    assert_eq!(theirs.has(), (false, true));
    let old = theirs.url.replace(
        &format!(":{}/", theirs.port),
        &format!(":{}/", theirs.behind_an_old_version()),
    );
    let message = refused(&format!("{GOOD} --yes --database {old}"));
    assert!(
        message.starts_with("error: the PostgreSQL of --database is version 13.")
            && message.ends_with("; 14 or later is needed"),
        "{message}"
    );

    // With its mark it is what a killed run has left.
    let mark = "COMMENT ON ROLE bench_server_7 IS 'made by bench, which removes it'; CREATE SCHEMA bench AUTHORIZATION owner; \
                COMMENT ON SCHEMA bench IS 'made by bench, which removes it'";
    theirs.admin.batch_execute(mark).unwrap();
    place.run(&format!("{line} --yes")).fine();
    assert_eq!(theirs.has(), (false, false));
    assert_eq!(place.folder(), None, "none was started");
    let record = place.bench.record();
    let database = record.environment.database.as_ref().unwrap();
    assert_eq!((database.cpus.as_slice(), &database.file_system), (&[][..], &None));
    assert_eq!(database.settings["fsync"], "on");
    let trial = place
        .trials()
        .into_iter()
        .find(|trial| trial.app == "good-postgres")
        .unwrap();
    assert!(trial.verdict < Verdict::ContractFailed, "{trial:?}");
    assert_eq!(trial.database_cpu_us_per_request, None);
}

#[test]
fn a_data_folder_that_cannot_be_made_is_said_with_its_place() {
    let place = Place::new();
    let bins = ["--bin", "good-postgres-app", "--bin", "reference-postgres-app"];
    build_united(place.bench.root(), &bins);
    // Enough for the 8 MiB that are tried before, and not for the 16 of `initdb`'s first log: as if the disk were full.
    let output = after("ulimit -f 10240", &place.run_command(GOOD));
    let folder = place.temporary.path().display();
    output.refused(&format!("error: PostgreSQL's data cannot be made in {folder}: "));
    assert_eq!(place.folder(), None);
}
