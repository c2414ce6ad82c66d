//! A GitHub with one pull request, an artifact, and the command that stands between them.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use judge::compare::figures::{Figures, found};
use judge::compare::gates::{Gates, Gauge};
use judge::compare::outcome::{
    App, Cause, Comparison, Decision, Dependency, Pair, SCHEMA_VERSION, Series, Side, Status,
};
use serde_json::{Value, json};

use crate::common::Told;
use crate::fake_api::{FakeApi, State};

pub const TOKEN: &str = "ghs_0123456789secret";
pub const BOT: &str = "github-actions[bot]";
/// Heads of the pull request, push by push.
pub const FIRST: &str = "1111111111111111111111111111111111111111";
pub const SECOND: &str = "2222222222222222222222222222222222222222";
pub const PULLS: &str = "GET /repos/owner/name/pulls";
pub const COMMENTS: &str = "GET /repos/owner/name/issues/7/comments";
pub const COMMENT: &str = "POST /repos/owner/name/issues/7/comments";
pub const ISSUES: &str = "GET /repos/owner/name/issues";

/// A comparison of the app `good`, whose CPU time per request changed by this share.
pub fn comparison(head: &str, change: f64) -> Comparison {
    let pairs: Vec<Pair> = (0..13)
        .map(|n| {
            let base = 100.0 + f64::from(n);
            let head = base * (1.0 + change) * (0.0005 * (f64::from(n) - 6.0)).exp();
            Pair { base, head }
        })
        .collect();
    let decision = match change {
        change if change > 0.02 => Decision::Regression,
        change if change < -0.02 => Decision::Improvement,
        _ => Decision::NoChange,
    };
    let figures = Figures::of(&pairs, found(&pairs).as_ref());
    let series = Series {
        app: "good".into(),
        variant: "default".into(),
        scenario: "plaintext".into(),
        gauge: Gauge::ServerCpuUsPerRequest,
        decision,
        change: figures.change,
        interval: figures.interval,
        p: figures.p,
        pairs,
        base: figures.base,
        head: figures.head,
        judged: true,
        reason: None,
    };
    let side = |revision: &str, commit: &str| Side {
        revision: revision.into(),
        commit: commit.into(),
        dirty: false,
    };
    let app = App {
        id: "good".into(),
        variant: "default".into(),
        status: Status::Measured,
        reason: None,
        causes: vec![Cause::Dependencies],
        dependencies: vec![Dependency {
            name: "tokio".into(),
            before: vec!["1.50.0".into()],
            after: vec!["1.52.1+a".into()],
        }],
    };
    let environment = json!({
        "cpu_model": "AMD EPYC 7763", "logical_cpus": 4, "memory_bytes": 16_000_000_000_u64, "kernel": "6.8", "os": "Ubuntu",
        "governor": null, "turbo": null, "virtualisation": null, "steal_share": 0.0, "load_average": 0.1,
        "runner_image": null, "rustc": "rustc 1.95.0 (59807616e 2026-04-14)", "oha": "1.16.0",
        "server_cpus": [0, 1], "generator_cpus": [2, 3], "warnings": [],
    });
    Comparison {
        schema_version: SCHEMA_VERSION,
        decision,
        base: side("merge-base with main", "00000000000000000000000000000000000000ba"),
        head: side("HEAD", head),
        started_at: "2026-11-21T11:00:00Z".parse().unwrap(),
        finished_at: "2026-11-21T11:02:30Z".parse().unwrap(),
        harness: "0.1.0".into(),
        environment: Some(serde_json::from_value(environment).unwrap()),
        gates: Gates::built_in(),
        apps: vec![app],
        untouched: vec!["good-two".into()],
        series: vec![series],
        budget_spent: false,
        warnings: Vec::new(),
    }
}

pub fn pull(number: u64, sha: &str, state: &str, from: &str) -> Value {
    json!({
        "number": number, "state": state,
        "head": { "sha": sha, "label": format!("{from}:branch"), "ref": "branch", "repo": { "full_name": format!("{from}/name") } },
        "base": { "ref": "main", "repo": { "full_name": "owner/name" } },
    })
}

/// A GitHub with pull request 7 of a fork, and an artifact.
pub struct World {
    pub api: FakeApi,
    pub artifact: tempfile::TempDir,
}

impl World {
    pub fn new() -> Self {
        let state = State {
            repository: "owner/name".into(),
            login: BOT.into(),
            token: TOKEN.into(),
            pulls: vec![pull(7, FIRST, "open", "stranger")],
            last: 100,
            ..State::default()
        };
        Self {
            api: FakeApi::start(state),
            artifact: tempfile::tempdir().unwrap(),
        }
    }

    /// With a comparison in its artifact.
    pub fn with(comparison: &Comparison) -> Self {
        let world = Self::new();
        world.unpack(comparison);
        world
    }

    pub fn unpack(&self, comparison: &Comparison) {
        self.write(&serde_json::to_string(comparison).unwrap());
    }

    pub fn write(&self, text: &str) {
        fs::write(self.artifact.path().join("comparison.json"), text).unwrap();
    }

    pub fn push(&self, sha: &str) {
        self.api.state().pulls[0]["head"]["sha"] = sha.into();
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = bench(arguments);
        command.env("GITHUB_TOKEN", TOKEN).env("GITHUB_API_URL", self.api.url());
        command
    }

    pub fn comment_command(&self, sha: &str, arguments: &[&str]) -> Command {
        let mut command = self.command(&["comment", "--head-sha", sha, "--repository", "owner/name", "--artifact"]);
        command.arg(self.artifact.path()).args(arguments);
        command
    }

    pub fn comment(&self, sha: &str) -> Told {
        Told::of(self.comment_command(sha, &[]))
    }

    pub fn issue(&self, arguments: &[&str]) -> Told {
        let all = ["issue", "--matter", "audit", "--repository", "owner/name"];
        Told::of(self.command(&[&all[..], arguments].concat()))
    }

    pub fn comments(&self) -> Vec<Value> {
        self.api.state().comments.clone()
    }

    pub fn only_comment(&self) -> (u64, String) {
        let comments = self.comments();
        let [comment] = comments.as_slice() else {
            panic!("one comment is expected: {comments:#?}")
        };
        (
            comment["id"].as_u64().unwrap(),
            comment["body"].as_str().unwrap().to_owned(),
        )
    }
}

/// The command in a repository with the apps of the fixtures.
pub fn bench(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/servers");
    command.args(arguments).env("BENCH_ROOT", root).stdin(Stdio::null());
    for name in ["GITHUB_ACTIONS", "GITHUB_TOKEN", "GITHUB_API_URL"] {
        command.env_remove(name);
    }
    command
}

/// That the command could not be carried out, for this reason, and told nobody the token.
pub fn failed(told: &Told, reason: &str) {
    assert_eq!(told.status, Some(2), "{told:#?}");
    assert!(told.error().contains(reason), "{reason}: {told:#?}");
    assert!(
        !told.stderr.contains("secret") && told.stderr.lines().count() == 1,
        "{told:#?}"
    );
}
