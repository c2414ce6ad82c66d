//! What prepares a self-hosted runner, run as it is installed: the guard, the tuning (on a made-up /sys and /proc), and
//! the life of one runner (on a made-up GitHub and runner).

#![allow(clippy::unwrap_used)] // in a test, an unwrap is an assertion

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread;

use harness::machine::tuning;

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../runner")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn program(path: &Path, text: &str) {
    write(path, text);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The folder on the measuring machine, as README.md of scripts/runner has it.
fn installed(config: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["job-started.sh", "run-once.sh", "tune.sh", "tuning.txt"] {
        fs::copy(scripts().join(name), folder.path().join(name)).unwrap();
    }
    fs::write(folder.path().join("config"), config).unwrap();
    folder
}

// The guard.

const WEEKLY: &str = "octo/bench/.github/workflows/weekly-benchmark.yml@refs/heads/main";

/// What GitHub says of the scheduled run.
const SCHEDULED: [(&str, &str); 4] = [
    ("GITHUB_EVENT_NAME", "schedule"),
    ("GITHUB_REPOSITORY", "octo/bench"),
    ("GITHUB_REF", "refs/heads/main"),
    ("GITHUB_WORKFLOW_REF", WEEKLY),
];

/// The hook as the runner calls it, with some variables changed; an empty one is missing.
fn guard(folder: &Path, changes: &[(&str, &str)]) -> Command {
    let mut hook = Command::new("bash");
    hook.arg("-e").arg(folder.join("job-started.sh")).env_clear();
    hook.env("PATH", std::env::var_os("PATH").unwrap()).envs(SCHEDULED);
    for (name, value) in changes {
        if value.is_empty() {
            hook.env_remove(name);
        } else {
            hook.env(name, value);
        }
    }
    hook
}

fn refused(folder: &Path, changes: &[(&str, &str)]) -> String {
    let output = guard(folder, changes).output().unwrap();
    let told = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{changes:?}: {told}");
    assert!(told.starts_with("refused: "), "{told}");
    assert_eq!(told.lines().count(), 1, "{told}");
    assert_eq!(stderr(&output), "", "{changes:?}");
    told
}

#[test]
fn the_weekly_run_of_main_is_accepted_on_its_schedule_and_by_hand() {
    for config in [
        "BENCH_LABELS=bench\nBENCH_REPOSITORY=octo/bench\n",
        "BENCH_REPOSITORY=octo/bench",
    ] {
        let folder = installed(config);
        for event in ["schedule", "workflow_dispatch"] {
            let output = guard(folder.path(), &[("GITHUB_EVENT_NAME", event)]).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{event}: {}", stdout(&output));
        }
    }
}

#[test]
fn every_other_job_is_refused_and_told_why() {
    let folder = installed("BENCH_REPOSITORY=octo/bench\n");
    let fork = "stranger/bench/.github/workflows/weekly-benchmark.yml@refs/heads/main";
    let on_branch = "octo/bench/.github/workflows/weekly-benchmark.yml@refs/heads/next";
    let other = "octo/bench/.github/workflows/evil.yml@refs/heads/main";
    let longer = "octo/bench/.github/workflows/weekly-benchmark.yml@refs/heads/main2";
    let nested = "octo/bench/.github/workflows/weekly-benchmark.yml.yml@refs/heads/main";
    for (changes, word) in [
        (&[("GITHUB_EVENT_NAME", "pull_request")][..], "pull_request"),
        (&[("GITHUB_EVENT_NAME", "pull_request_target")], "pull_request_target"),
        (&[("GITHUB_EVENT_NAME", "push")], "push"),
        (&[("GITHUB_EVENT_NAME", "workflow_run")], "workflow_run"),
        (&[("GITHUB_EVENT_NAME", "merge_group")], "merge_group"),
        (
            &[("GITHUB_EVENT_NAME", "schedule workflow_dispatch")],
            "schedule workflow_dispatch",
        ),
        (&[("GITHUB_REF", "refs/heads/next")], "refs/heads/next"),
        (&[("GITHUB_REF", "refs/heads/main/x")], "refs/heads/main/x"),
        (&[("GITHUB_REF", "refs/tags/main")], "refs/tags/main"),
        (&[("GITHUB_REF", "refs/pull/1/merge")], "refs/pull/1/merge"),
        (&[("GITHUB_WORKFLOW_REF", on_branch)], on_branch),
        (&[("GITHUB_WORKFLOW_REF", other)], other),
        (&[("GITHUB_WORKFLOW_REF", longer)], longer),
        (&[("GITHUB_WORKFLOW_REF", nested)], nested),
        (&[("GITHUB_WORKFLOW_REF", fork)], fork),
        (&[("GITHUB_REPOSITORY", "stranger/bench")], "stranger/bench"),
        (
            &[("GITHUB_REPOSITORY", "stranger/bench"), ("GITHUB_WORKFLOW_REF", fork)],
            "stranger/bench",
        ),
    ] {
        let told = refused(folder.path(), changes);
        assert!(told.contains(word), "{changes:?}: {told}");
    }
}

#[test]
fn a_missing_variable_refuses() {
    let folder = installed("BENCH_REPOSITORY=octo/bench\n");
    for (name, _) in SCHEDULED {
        let told = refused(folder.path(), &[(name, "")]);
        assert!(told.contains(name), "{told}");
    }
}

#[test]
fn the_repository_comes_from_the_file_on_the_machine_and_from_nowhere_else() {
    for config in [
        "",
        "BENCH_REPOSITORY=\n",
        "BENCH_REPOSITORY=octo\n",
        "BENCH_REPOSITORY=octo/*\n",
        "# nothing\n",
    ] {
        let folder = installed(config);
        let told = refused(folder.path(), &[("BENCH_REPOSITORY", "octo/bench")]);
        assert!(
            told.contains("BENCH_REPOSITORY=OWNER/NAME is missing"),
            "{config:?}: {told}"
        );
    }
    let folder = installed("BENCH_REPOSITORY=octo/bench\n");
    fs::remove_file(folder.path().join("config")).unwrap();
    refused(folder.path(), &[]);
}

/// The runner goes on to steps with `if: always()` after a failed hook. The stand-in does so too, and has its name (by
/// `env` it would be called bash).
#[test]
fn a_refusal_ends_the_worker_before_it_gets_to_any_step() {
    let folder = installed("BENCH_REPOSITORY=octo/bench\n");
    let worker = folder.path().join("Runner.Worker");
    let step = folder.path().join("step");
    program(
        &worker,
        "#!/bin/bash\nbash -e \"$1/job-started.sh\"\ntouch \"$1/step\"\n",
    );
    let run = |event: &str| {
        let mut runner = guard(folder.path(), &[]);
        let variables: Vec<_> = runner
            .get_envs()
            .map(|(k, v)| (k.to_owned(), v.unwrap().to_owned()))
            .collect();
        runner = Command::new(&worker);
        runner
            .arg(folder.path())
            .env_clear()
            .envs(variables)
            .env("GITHUB_EVENT_NAME", event);
        runner.output().unwrap()
    };
    let output = run("pull_request");
    assert_eq!(output.status.code(), None, "killed by a signal");
    assert!(stdout(&output).starts_with("refused: "), "{}", stdout(&output));
    assert!(!step.exists());

    assert!(run("schedule").status.success());
    assert!(step.exists());
}

// The tuning.

/// A machine out of the box, as the kernel shows it: what is wanted of it is nowhere the case.
struct Machine(tempfile::TempDir);

const UNTUNED: [(&str, &str); 11] = [
    ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave"),
    ("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "schedutil"),
    ("sys/devices/system/cpu/intel_pstate/no_turbo", "0"),
    ("sys/devices/system/cpu/cpufreq/boost", "1"),
    ("sys/devices/system/cpu/smt/control", "on"),
    ("proc/sys/net/core/somaxconn", "128"),
    ("proc/sys/net/ipv4/ip_local_port_range", "32768\t40000"),
    ("proc/sys/net/ipv4/tcp_tw_reuse", "0"),
    ("proc/sys/vm/swappiness", "60"),
    ("proc/sys/kernel/numa_balancing", "1"),
    ("proc/sys/kernel/nmi_watchdog", "1"),
];

impl Machine {
    fn untuned() -> Self {
        let machine = Self(tempfile::tempdir().unwrap());
        for (path, value) in UNTUNED {
            machine.set(path, value);
        }
        machine
    }

    fn root(&self) -> &Path {
        self.0.path()
    }

    fn set(&self, path: &str, value: &str) {
        write(&self.root().join(path), &format!("{value}\n"));
    }

    fn get(&self, path: &str) -> String {
        let text = fs::read_to_string(self.root().join(path)).unwrap();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn remembered(&self) -> PathBuf {
        self.root().join("run/bench-tune/before")
    }

    fn tune(&self, what: &str) -> Output {
        let mut tune = Command::new(scripts().join("tune.sh"));
        tune.arg(what).env("TUNE_ROOT", self.root()).output().unwrap()
    }

    fn tuned(&self, what: &str) -> String {
        let output = self.tune(what);
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
        stdout(&output)
    }

    fn assert_untuned(&self) {
        for (path, value) in UNTUNED {
            assert_eq!(self.get(path), value.replace('\t', " "), "{path}");
        }
    }
}

#[test]
fn apply_sets_every_item_and_restore_puts_every_one_back() {
    let machine = Machine::untuned();
    let before = machine.tune("check");
    assert_eq!(before.status.code(), Some(1));
    assert!(stdout(&before).contains("differs  governor                      found powersave, schedutil"));
    assert_eq!(stdout(&before).matches("differs ").count(), 10, "{}", stdout(&before));

    machine.tuned("apply");
    let checked = machine.tuned("check");
    assert_eq!(checked.matches("ok ").count(), 10, "{checked}");
    assert_eq!(
        machine.get("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor"),
        "performance"
    );
    assert_eq!(machine.get("sys/devices/system/cpu/smt/control"), "off");
    assert_eq!(machine.get("proc/sys/net/ipv4/ip_local_port_range"), "15000 65000");

    machine.tuned("restore");
    machine.assert_untuned();
    assert!(!machine.remembered().exists());
}

#[test]
fn a_second_apply_keeps_what_the_first_remembered() {
    let machine = Machine::untuned();
    machine.tuned("apply");
    // Something else changed a value behind our back, and a cpu came.
    machine.set("proc/sys/vm/swappiness", "30");
    machine.set("sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "ondemand");
    machine.tuned("apply");
    assert_eq!(machine.get("proc/sys/vm/swappiness"), "1");
    machine.tuned("restore");
    machine.assert_untuned();
    assert_eq!(
        machine.get("sys/devices/system/cpu/cpu2/cpufreq/scaling_governor"),
        "ondemand"
    );
}

#[test]
fn an_apply_that_was_killed_half_way_can_be_put_back() {
    let machine = Machine::untuned();
    machine.tuned("apply");
    // What it remembered is whole before the first change; the last changes were not made, and one file half written.
    machine.set("sys/devices/system/cpu/smt/control", "on");
    let torn = machine.root().join("run/bench-tune/before.Ab12cd");
    fs::write(&torn, "bench tune 1\n/proc/sys/vm/swa").unwrap();
    machine.tuned("apply");
    machine.tuned("restore");
    machine.assert_untuned();
}

#[test]
fn nothing_to_restore_and_nothing_to_set_are_no_faults() {
    let machine = Machine::untuned();
    assert_eq!(machine.tuned("restore"), "nothing to put back\n");
    machine.assert_untuned();
    machine.tuned("apply");
    machine.tuned("restore");
    assert_eq!(machine.tuned("restore"), "nothing to put back\n");
}

/// What is good already stays as it is: a longer queue than ours is not cut.
#[test]
fn a_good_value_is_neither_set_nor_remembered() {
    let machine = Machine::untuned();
    machine.set("proc/sys/net/core/somaxconn", "65535");
    machine.set("sys/devices/system/cpu/smt/control", "notsupported");
    machine.tuned("apply");
    assert_eq!(machine.get("proc/sys/net/core/somaxconn"), "65535");
    assert_eq!(machine.get("sys/devices/system/cpu/smt/control"), "notsupported");
    let remembered = fs::read_to_string(machine.remembered()).unwrap();
    assert!(
        !remembered.contains("somaxconn") && !remembered.contains("smt"),
        "{remembered}"
    );
}

#[test]
fn what_a_machine_does_not_show_is_said_and_left_out() {
    let machine = Machine(tempfile::tempdir().unwrap());
    machine.set("proc/sys/vm/swappiness", "60");
    let applied = machine.tuned("apply");
    assert!(
        applied.contains("governor: not shown by this machine, left out"),
        "{applied}"
    );
    let checked = machine.tuned("check");
    assert_eq!(checked.matches("absent ").count(), 9, "{checked}");
    machine.tuned("restore");
    assert_eq!(machine.get("proc/sys/vm/swappiness"), "60");
}

/// A file that cannot be written stands for a kernel that refuses; root may write everything but a folder's device.
#[test]
fn what_the_kernel_refuses_is_named_and_the_rest_is_still_set() {
    let machine = Machine::untuned();
    let knob = machine.root().join("proc/sys/vm/swappiness");
    fs::remove_file(&knob).unwrap();
    // Reads as nothing that is wanted, and fails to be written for everybody.
    std::os::unix::fs::symlink("/proc/self/mountinfo", &knob).unwrap();
    let output = machine.tune("apply");
    assert_eq!(output.status.code(), Some(2));
    let told = stderr(&output);
    assert!(
        told.contains("error: /proc/sys/vm/swappiness: the kernel does not take '1'"),
        "{told}"
    );
    assert_eq!(machine.get("sys/devices/system/cpu/smt/control"), "off");
}

#[test]
fn a_state_file_that_is_not_ours_is_refused_and_kept() {
    for text in [
        "",
        "something else\n",
        "bench tune 1\n/etc/passwd\troot\n",
        "bench tune 1\n/sys/../etc/x\troot\n",
    ] {
        let machine = Machine::untuned();
        write(&machine.remembered(), text);
        for what in ["apply", "restore"] {
            let output = machine.tune(what);
            assert_eq!(output.status.code(), Some(2), "{text:?}");
            assert!(
                stderr(&output).contains("look at it and remove it"),
                "{}",
                stderr(&output)
            );
        }
        machine.assert_untuned();
        assert_eq!(fs::read_to_string(machine.remembered()).unwrap(), text);
    }
}

#[test]
fn without_root_nothing_is_changed_and_the_remedy_is_told() {
    // As root, the test first becomes nobody.
    let root = stdout(&Command::new("id").arg("-u").output().unwrap()).trim() == "0";
    let folder = installed("");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let script = folder.path().join("tune.sh");
    for what in ["apply", "restore"] {
        let mut tune = if root {
            let mut command = Command::new("setpriv");
            command
                .args(["--reuid", "65534", "--regid", "65534", "--clear-groups", "--"])
                .arg(&script);
            command
        } else {
            Command::new(&script)
        };
        let output = tune.arg(what).env_remove("TUNE_ROOT").output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains("needs root: sudo "), "{}", stderr(&output));
    }
}

#[test]
fn a_wrong_word_is_refused_and_help_is_given() {
    let machine = Machine::untuned();
    assert_eq!(machine.tune("aply").status.code(), Some(2));
    assert!(machine.tuned("--help").contains("tune.sh restore"));
    machine.assert_untuned();
}

/// One list, two readers: that they judge a value alike is the point of having `bench doctor` name the script.
#[test]
fn the_script_and_the_doctor_judge_every_value_alike() {
    let machine = Machine::untuned();
    let values = [
        "0",
        "1",
        "2",
        "08",
        "128",
        "4096",
        "16384",
        "32768 40000",
        "15000\t65000",
        "65000 15000",
        "1 2 3",
        "on",
        "off",
        "forceoff",
        "notsupported",
        "performance",
        "powersave",
        "-1",
        "99999999999999999999",
        "",
    ];
    let mut judged = [0, 0];
    for value in values {
        for (path, _) in UNTUNED {
            machine.set(path, value);
        }
        let output = machine.tune("check");
        let said = stdout(&output);
        let found = tuning::look(machine.root());
        assert_eq!(said.lines().count(), found.len());
        for (line, found) in said.lines().zip(found) {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(words[1], found.item.name);
            let state = match found.value() {
                None => "absent",
                Some(_) if found.fits() => "ok",
                Some(_) => "differs",
            };
            assert_eq!(words[0], state, "{value:?}: {line}");
            judged[usize::from(state == "ok")] += 1;
        }
    }
    assert!(judged.iter().all(|count| *count > 10), "{judged:?}");
}

// One runner.

const CONFIG: &str = "BENCH_REPOSITORY=octo/bench\n";
const REGISTRATION: &str = "AABBCC-registration";

/// A runner as it is unpacked, which notes how it is called; and the machine around it.
struct Around {
    machine: Machine,
    installed: tempfile::TempDir,
    folder: tempfile::TempDir,
}

impl Around {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let template = folder.path().join("actions-runner");
        program(
            &template.join("config.sh"),
            "#!/usr/bin/env bash\necho \"config $*\" >>\"$CALLS\"\n",
        );
        program(
            &template.join("run.sh"),
            "#!/usr/bin/env bash\n\
             echo \"run $ACTIONS_RUNNER_HOOK_JOB_STARTED $(ls \"$RUNTIME_DIRECTORY\" | wc -l)\" >>\"$CALLS\"\n\
             touch left-behind ../.gitconfig\n",
        );
        write(&folder.path().join("token"), "secret-of-root\n");
        for name in ["state", "run"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self {
            machine: Machine::untuned(),
            installed: installed(CONFIG),
            folder,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run_once(&self, part: &str, api: &str) -> Output {
        let user = Command::new("id").arg("-un").output().unwrap();
        Command::new(self.installed.path().join("run-once.sh"))
            .arg(part)
            .env("TUNE_ROOT", self.machine.root())
            .env("STATE_DIRECTORY", self.path("state"))
            .env("RUNTIME_DIRECTORY", self.path("run"))
            .env("BENCH_RUNNER", self.path("actions-runner"))
            .env("BENCH_TOKEN", self.path("token"))
            .env("BENCH_USER", stdout(&user).trim())
            .env("BENCH_REPOSITORY", "octo/bench")
            .env("GITHUB_API_URL", api)
            .env("CALLS", self.path("calls"))
            .output()
            .unwrap()
    }
}

/// Answers one request and returns it.
fn github(status: &'static str, body: String) -> (String, thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let served = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            request.push(byte[0]);
        }
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).unwrap();
        String::from_utf8(request).unwrap()
    });
    (address, served)
}

#[test]
fn a_runner_is_laid_out_registered_for_one_job_and_thrown_away() {
    let around = Around::new();
    let (api, served) = github(
        "201 Created",
        format!("{{\n  \"token\": \"{REGISTRATION}\",\n  \"expires_at\": \"\"\n}}\n"),
    );
    let prepared = around.run_once("prepare", &api);
    assert!(prepared.status.success(), "{}", stderr(&prepared));
    let request = served.join().unwrap();
    assert!(
        request.starts_with("POST /repos/octo/bench/actions/runners/registration-token "),
        "{request}"
    );
    assert!(request.contains("Authorization: Bearer secret-of-root"), "{request}");
    assert_eq!(around.machine.tune("check").status.code(), Some(0));
    let mode = fs::metadata(around.path("run/registration"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);

    let ran = around.run_once("run", "http://127.0.0.1:9");
    assert!(ran.status.success(), "{}", stderr(&ran));
    let calls = fs::read_to_string(around.path("calls")).unwrap();
    let hook = around.installed.path().join("job-started.sh");
    let (config, run) = calls.split_once('\n').unwrap();
    for part in [
        "--ephemeral",
        "--unattended",
        "--url https://github.com/octo/bench",
        REGISTRATION,
        "--labels bench",
    ] {
        assert!(config.contains(part), "{config}");
    }
    // The hook is named, and the registration token is gone before a job can look for it.
    assert_eq!(run.trim(), format!("run {} 0", hook.display()));

    assert!(around.run_once("clean", "http://127.0.0.1:9").status.success());
    assert_eq!(fs::read_dir(around.path("state")).unwrap().count(), 0);
    assert!(!around.path("actions-runner/left-behind").exists());
    around.machine.assert_untuned();
}

#[test]
fn a_runner_that_could_not_be_guarded_or_registered_is_not_started() {
    let around = Around::new();
    let (api, served) = github("403 Forbidden", "{}".into());
    let output = around.run_once("prepare", &api);
    served.join().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("gives no registration token for octo/bench"),
        "{}",
        stderr(&output)
    );
    assert!(!stderr(&output).contains("secret-of-root"));
    assert!(!around.path("run/registration").exists());
    // systemd calls this part whatever happened before.
    assert!(around.run_once("clean", "http://127.0.0.1:9").status.success());
    around.machine.assert_untuned();

    fs::remove_file(around.installed.path().join("job-started.sh")).unwrap();
    let output = around.run_once("prepare", "http://127.0.0.1:9");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("job-started.sh is missing"),
        "{}",
        stderr(&output)
    );
}
