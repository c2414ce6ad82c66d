//! `run-once.sh`: the life of one runner, on a made-up GitHub and with a made-up runner.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::thread;

use super::tuning::Machine;
use super::{installed, program, write};
use crate::common::CommandOutput;

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

    fn run_once(&self, part: &str, api: &str) -> CommandOutput {
        let mut id = Command::new("id");
        id.arg("-un");
        let mut command = Command::new(self.installed.path().join("run-once.sh"));
        command
            .arg(part)
            .env("TUNE_ROOT", self.machine.root())
            .env("STATE_DIRECTORY", self.path("state"))
            .env("RUNTIME_DIRECTORY", self.path("run"))
            .env("BENCH_RUNNER", self.path("actions-runner"))
            .env("BENCH_TOKEN", self.path("token"))
            .env("BENCH_USER", CommandOutput::run(id).stdout.trim())
            .env("BENCH_REPOSITORY", "octo/bench")
            .env("GITHUB_API_URL", api)
            .env("CALLS", self.path("calls"));
        CommandOutput::run(command)
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
    around.run_once("prepare", &api).fine();
    let request = served.join().unwrap();
    assert!(
        request.starts_with("POST /repos/octo/bench/actions/runners/registration-token "),
        "{request}"
    );
    assert!(request.contains("Authorization: Bearer secret-of-root"), "{request}");
    around.machine.tune("check").fine();
    let mode = fs::metadata(around.path("run/registration"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);

    around.run_once("run", "http://127.0.0.1:9").fine();
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

    around.run_once("clean", "http://127.0.0.1:9").fine();
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
    assert_eq!(output.status, Some(2));
    let message = "gives no registration token for octo/bench";
    assert!(output.error().contains(message), "{output:#?}");
    assert!(!output.stderr.contains("secret-of-root"));
    assert!(!around.path("run/registration").exists());
    // systemd calls this part whatever happened before.
    around.run_once("clean", "http://127.0.0.1:9").fine();
    around.machine.assert_untuned();

    fs::remove_file(around.installed.path().join("job-started.sh")).unwrap();
    let output = around.run_once("prepare", "http://127.0.0.1:9");
    assert_eq!(output.status, Some(2));
    assert!(output.error().contains("job-started.sh is missing"), "{output:#?}");
}
