//! A GitHub with one pull request, an artifact, and what stands between them: the command and the scripts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use analyze::compare::gates::Gates;
use analyze::compare::outcome::{App, Cause, Comparison, Dependency, Pair, SCHEMA_VERSION, Series, Side, Status};
use analyze::compare::probing::{ProbedPair, ProbedSide, ProbedSides, Probing};
use measure::probe::Case;
use model::Metric;
use model::probe::ProbeOutcome;
use serde_json::{Value, json};

use crate::common::CommandOutput;

pub const BOT: &str = "github-actions[bot]";
/// Heads of the pull request, push by push.
pub const FIRST: &str = "1111111111111111111111111111111111111111";
pub const SECOND: &str = "2222222222222222222222222222222222222222";
/// Tip of the branch that the pull request is to go into, and where it left it.
pub const MAIN: &str = "00000000000000000000000000000000000000aa";
pub const BASE: &str = "00000000000000000000000000000000000000ba";
/// A comparison of the app `good`, whose CPU time per request changed by this share.
pub fn comparison(head: &str, change: f64) -> Comparison {
    let pairs: Vec<Pair> = (0..13)
        .map(|n| {
            let base = 100.0 + f64::from(n);
            let head = base * (1.0 + change) * (0.0005 * (f64::from(n) - 6.0)).exp();
            Pair { base, head }
        })
        .collect();
    let series = Series {
        pairs,
        ..Series::new("good", "default", "plaintext", Metric::ServerCpuUsPerRequest)
    };
    let side = |revision: &str, commit: &str| Side::new(revision, commit.into());
    let app = App {
        id: "good".into(),
        variant: "default".into(),
        status: Status::Measured,
        causes: vec![Cause::Dependencies],
        dependencies: vec![Dependency {
            name: "tokio".into(),
            before: vec!["1.50.0".into()],
            after: vec!["1.52.1+a".into()],
        }],
        ..App::default()
    };
    let environment = json!({
        "cpu_model": "AMD EPYC 7763", "logical_cpus": 4, "memory_bytes": 16_000_000_000_u64, "kernel": "6.8", "os": "Ubuntu",
        "governor": null, "turbo": null, "virtualisation": null, "steal_share": 0.0, "load_average": 0.1,
        "runner_image": null, "rustc": "rustc 1.95.0 (59807616e 2026-04-14)", "oha": "1.16.0",
        "server_cpus": [0, 1], "generator_cpus": [2, 3], "warnings": [],
    });
    let comparison = Comparison {
        schema_version: SCHEMA_VERSION,
        base: side("merge-base with main", BASE),
        head: side("HEAD", head),
        started_at: "2026-11-21T11:00:00Z".parse().unwrap(),
        finished_at: "2026-11-21T11:02:30Z".parse().unwrap(),
        harness: "0.1.0".into(),
        environment: Some(serde_json::from_value(environment).unwrap()),
        gates: Gates::built_in(),
        seed: Some(42),
        apps: vec![app],
        untouched: vec!["good-two".into()],
        series: vec![series],
        probes: Some(probes()),
        ..Comparison::default()
    };
    comparison.decided()
}

/// One case fails on base and head of the app, and the others pass.
fn probes() -> Probing {
    let quick = Case::quick();
    let case = quick.iter().find(|case| case.about.id == "host-twice").unwrap();
    let failed = || ProbedSide {
        outcome: ProbeOutcome::Failed,
        got: "200 open".into(),
        received: String::new(),
    };
    Probing {
        made: quick.len().try_into().unwrap(),
        cases: vec![case.about.clone()],
        apps: vec![ProbedPair {
            app: "good".into(),
            variant: "default".into(),
            not_probed: None,
            results: vec![ProbedSides {
                case: case.about.id.clone(),
                base: failed(),
                head: failed(),
            }],
        }],
    }
}

pub fn pull(number: u64, sha: &str, state: &str, from: &str) -> Value {
    json!({
        "number": number, "state": state,
        "head": { "sha": sha, "label": format!("{from}:branch"), "ref": "branch", "repo": { "full_name": format!("{from}/name") } },
        "base": { "ref": "main", "sha": MAIN, "repo": { "full_name": "owner/name" } },
    })
}

/// What the tests' `gh` knows (`tests/fake_gh/gh` says how), and a folder for an artifact.
pub struct World {
    github: tempfile::TempDir,
    pub artifact: tempfile::TempDir,
}

impl World {
    /// With pull request 7, of a fork.
    pub fn new() -> Self {
        let world = Self {
            github: tempfile::tempdir().unwrap(),
            artifact: tempfile::tempdir().unwrap(),
        };
        world.set("pulls", &[pull(7, FIRST, "open", "stranger")]);
        world.set("issues", &[]);
        world.set("comments", &[]);
        world.write("last", "100\n");
        world.left_main_at(BASE);
        world
    }

    /// With a comparison in its artifact.
    pub fn with(comparison: &Comparison) -> Self {
        let world = Self::new();
        world.unpack(comparison);
        world
    }

    fn file(&self, name: &str) -> PathBuf {
        self.github.path().join(name)
    }

    /// Writes a file of what GitHub knows.
    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.file(name), text).unwrap();
    }

    /// A file of what GitHub knows, and nothing where there is none.
    pub fn text(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap_or_default()
    }

    /// All `pulls`, `issues` or `comments`.
    pub fn get(&self, name: &str) -> Vec<Value> {
        serde_json::from_str(&self.text(&format!("{name}.json"))).unwrap()
    }

    pub fn set(&self, name: &str, entries: &[Value]) {
        self.write(&format!("{name}.json"), &json!(entries).to_string());
    }

    pub fn unpack(&self, comparison: &Comparison) {
        let text = serde_json::to_string(comparison).unwrap();
        fs::write(self.artifact.path().join("comparison.json"), text).unwrap();
    }

    /// That each head of the pull request left main at this commit.
    pub fn left_main_at(&self, base: &str) {
        self.write("bases", &format!("{MAIN}...{FIRST} {base}\n{MAIN}...{SECOND} {base}\n"));
    }

    /// `bench comment`, in a repository with the apps of the fixtures.
    pub fn read(&self, sha: &str, arguments: &[&str]) -> CommandOutput {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/servers");
        command
            .args(["comment", "--head-sha", sha, "--artifact"])
            .arg(self.artifact.path())
            .args(arguments)
            .env("BENCH_ROOT", root)
            .env_remove("GITHUB_ACTIONS")
            .stdin(Stdio::null());
        CommandOutput::run(command)
    }

    /// A script that calls GitHub, as a job starts it.
    pub fn script(&self, name: &str, arguments: &[&str]) -> CommandOutput {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
        let path = std::env::var("PATH").unwrap();
        let mut command = Command::new(tests.join("../../../../.github/scripts").join(name));
        command
            .args(arguments)
            .env("PATH", format!("{}:{path}", tests.join("fake_gh").display()))
            .env("FAKE_GH", self.github.path())
            .env("GH_TOKEN", "ghs_secret")
            .env("GITHUB_SERVER_URL", "https://github.example")
            .envs([("RUN", "9"), ("COMPARED", "comparison")])
            .stdin(Stdio::null());
        CommandOutput::run(command).fine()
    }

    /// `comment.sh` with what `bench comment` makes of the artifact, for the check.
    pub fn comment(&self, sha: &str) -> String {
        let read = self.read(sha, &["--for", "gate", "--format", "json"]).fine();
        self.write("comment", &read.stdout);
        let comment = self.file("comment");
        let arguments = [comment.to_str().unwrap(), "owner/name", sha, "", "stranger/name"];
        self.script("comment.sh", &arguments).stdout
    }

    pub fn only_comment(&self) -> String {
        let comments = self.get("comments");
        let [comment] = comments.as_slice() else {
            panic!("one comment is expected: {comments:#?}")
        };
        comment["body"].as_str().unwrap().to_owned()
    }
}
