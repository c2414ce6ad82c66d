//! `publish.sh` with a real git: what arrives in a bare repository, and what never gets there. What is published is proved by the
//! tests of `report::publish`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::common::CommandOutput;
use crate::files::publish::{id, pages, record, value};

const PREFIX: &str = "window.BENCHMARK_DATA = ";

/// A bare repository, checkouts of it, and records.
struct Site {
    folder: tempfile::TempDir,
}

const LANES: [&str; 4] = ["hosted-x64", "hosted-arm64", "self-hosted", "local"];

/// A checkout of gh-pages.
struct Checkout {
    root: PathBuf,
}

impl Site {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        git(folder.path(), &["init", "-q", "--bare", "-b", "main", "remote.git"]);
        git(folder.path(), &["clone", "-q", "remote.git", "source"]);
        let source = folder.path().join("source");
        fs::write(source.join("README.md"), "The source.\n").unwrap();
        git(&source, &["add", "-A"]);
        git(&source, &["commit", "-q", "-m", "Begin"]);
        git(&source, &["push", "-q", "origin", "HEAD:main"]);
        Self { folder }
    }

    /// One with a published record.
    fn begun() -> Self {
        let site = Self::new();
        let first = site.checkout("first");
        pages(&first.root, vec![record(1, |_| {})]);
        git(&first.root, &["add", "-A"]);
        git(&first.root, &["commit", "-q", "-m", "The first record"]);
        git(&first.root, &["push", "-q", "origin", "gh-pages"]);
        site
    }

    fn remote(&self) -> PathBuf {
        self.folder.path().join("remote.git")
    }

    fn checkout(&self, name: &str) -> Checkout {
        git(self.folder.path(), &["clone", "-q", "remote.git", name]);
        let root = self.folder.path().join(name);
        let begun = self.tip().is_some();
        git(
            &root,
            if begun {
                &["switch", "-q", "gh-pages"]
            } else {
                &["switch", "-q", "--orphan", "gh-pages"]
            },
        );
        Checkout { root }
    }

    /// A record of the run that began in this minute of a certain hour.
    fn record(&self, lane: &str, minute: u32) -> PathBuf {
        let mut record = value(minute);
        record["lane"] = lane.into();
        let file = tempfile::Builder::new()
            .suffix(".json")
            .tempfile_in(&self.folder)
            .unwrap();
        fs::write(file.path(), serde_json::to_string_pretty(&record).unwrap()).unwrap();
        file.keep().unwrap().1
    }

    /// Commit of the remote's gh-pages; `None` while there is no such branch.
    fn tip(&self) -> Option<String> {
        let name = "refs/heads/gh-pages";
        let commit = git_says(&self.remote(), &["for-each-ref", "--format=%(objectname)", name]);
        Some(commit.trim().to_owned()).filter(|tip| !tip.is_empty())
    }

    fn published(&self, path: &str) -> String {
        git_says(&self.remote(), &["show", &format!("gh-pages:{path}")])
    }

    fn files(&self) -> Vec<String> {
        let list = git_says(&self.remote(), &["ls-tree", "-r", "--name-only", "gh-pages"]);
        list.lines().map(ToOwned::to_owned).collect()
    }

    /// Ids of the published runs of a lane.
    fn ids(&self, lane: &str) -> Vec<String> {
        let folder = format!("runs/{lane}/");
        let files = self.files();
        let ids = files
            .iter()
            .filter_map(|file| file.strip_prefix(&folder)?.strip_suffix(".json.gz"));
        ids.map(ToOwned::to_owned).collect()
    }

    fn hook(&self, name: &str, script: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        let hook = self.remote().join("hooks").join(name);
        fs::create_dir_all(hook.parent().unwrap()).unwrap();
        fs::write(&hook, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

impl Checkout {
    /// As the workflows publish.
    fn command(&self, record: &Path) -> Command {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        let mut command = quiet(Command::new("bash"));
        let publish =
            r#""$BENCH" publish "$2" --pages "$1" >/dev/null && .github/scripts/publish.sh "$1" "Publish $2""#;
        command
            .args(["-euc", publish, "publish"])
            .args([&self.root, record])
            .current_dir(root)
            .env("BENCH", env!("CARGO_BIN_EXE_bench"))
            .env("TRIES", "8");
        command
    }

    fn push(&self, record: &Path) -> CommandOutput {
        CommandOutput::run(self.command(record))
    }

    /// Fails, and says so in its last line.
    fn refused(&self, record: &Path, expected: &str) {
        let answer = self.push(record);
        assert_eq!(answer.status, Some(2), "{answer:#?}");
        let last = answer.stderr.lines().last().unwrap_or_default();
        assert!(
            last.starts_with("error: ") && last.contains(expected),
            "{expected}: {answer:#?}"
        );
    }

    fn commit(&self, path: &str, content: &str) {
        let file = self.root.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
        git(&self.root, &["add", "--", path]);
        git(&self.root, &["commit", "-q", "-m", "A change"]);
    }

    /// What github-action-benchmark does without `auto-push`: it adds an entry to a suite and commits.
    fn act(&self, lane: &str, date: u64) {
        let path = format!("charts/{lane}/data.js");
        let text = fs::read_to_string(self.root.join(&path)).unwrap_or_default();
        let mut content: Value = match text.strip_prefix(PREFIX) {
            Some(json) => serde_json::from_str(json).unwrap(),
            None => json!({"lastUpdate": 0, "repoUrl": "", "entries": {}}),
        };
        content["lastUpdate"] = (date + 1).into();
        content["repoUrl"] = "https://github.com/owner/name".into();
        let suite = &mut content["entries"][format!("{lane} CPU time per request")];
        let mut runs = suite.as_array().cloned().unwrap_or_default();
        runs.push(json!({
            "commit": {"id": "3aeac8c0ffee", "message": "The same each week", "url": "https://github.com"},
            "date": date,
            "tool": "customSmallerIsBetter",
            "benches": [{"name": "axum · plaintext", "value": date, "unit": "µs", "range": "± 1", "extra": "valid"}],
        }));
        *suite = runs.into();
        let page = format!("charts/{lane}/index.html");
        if !self.root.join(&page).exists() {
            self.commit(&page, "<p>The page of the charts.</p>\n");
        }
        self.commit(
            &path,
            &format!("{PREFIX}{}", serde_json::to_string_pretty(&content).unwrap()),
        );
    }
}

/// Without the configuration of the user who runs the tests.
fn quiet(mut command: Command) -> Command {
    command
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env_remove("GITHUB_ACTIONS");
    for variable in [
        "GIT_AUTHOR_NAME",
        "GIT_AUTHOR_EMAIL",
        "GIT_COMMITTER_NAME",
        "GIT_COMMITTER_EMAIL",
    ] {
        command.env_remove(variable);
    }
    command
}

fn git(root: &Path, arguments: &[&str]) {
    git_says(root, arguments);
}

fn git_says(root: &Path, arguments: &[&str]) -> String {
    let mut command = quiet(Command::new("git"));
    command.args([
        "-c",
        "user.name=github-action-benchmark",
        "-c",
        "user.email=github@users.noreply.github.com",
    ]);
    let output = command.args(arguments).current_dir(root).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {stderr}");
    String::from_utf8(output.stdout).unwrap()
}

fn dates(data_js: &str) -> Vec<u64> {
    let data: Value = serde_json::from_str(data_js.strip_prefix(PREFIX).unwrap()).unwrap();
    let mut suites = data["entries"].as_object().unwrap().values();
    let entries = suites.next().unwrap().as_array().unwrap();
    entries.iter().map(|entry| entry["date"].as_u64().unwrap()).collect()
}

#[test]
fn the_first_publication_makes_the_branch_and_the_second_appends() {
    let site = Site::new();
    let (one, other) = (site.record("hosted-x64", 1), site.record("hosted-x64", 2));
    let checkout = site.checkout("pages");
    checkout.act("hosted-x64", 10);
    let output = checkout.push(&one).fine();
    assert!(output.stdout.contains("pushed at try 1"), "{output:#?}");
    let files = [
        ".nojekyll",
        "charts/hosted-x64/data.js",
        "charts/hosted-x64/index.html",
        "runs/hosted-x64/20261121T100100Z-1.json.gz",
    ];
    assert_eq!(site.files(), files);

    // The checkout has followed, and goes on from there.
    checkout.act("hosted-x64", 20);
    checkout.push(&other).fine();
    let data = site.published("charts/hosted-x64/data.js");
    assert_eq!(dates(&data), [10, 20]);
    assert_eq!(site.ids("hosted-x64"), [id(1), id(2)]);
    let log = git_says(&site.remote(), &["log", "-1", "--format=%an, %cn, %s", "gh-pages"]);
    let bot = "github-actions[bot]";
    assert!(log.starts_with(&format!("{bot}, {bot}, Publish ")), "{log}");
}

#[test]
fn a_second_run_of_a_lane_that_appended_to_the_same_charts_is_refused() {
    let site = Site::begun();
    let (one, other) = (site.checkout("one"), site.checkout("other"));
    one.act("hosted-x64", 10);
    other.act("hosted-x64", 20);
    one.push(&site.record("hosted-x64", 2)).fine();
    other.refused(
        &site.record("hosted-x64", 3),
        "does not go on top of gh-pages of origin",
    );
}

#[test]
fn a_push_that_is_refused_again_and_again_is_an_error() {
    let site = Site::begun();
    let (tip, record) = (site.tip(), site.record("hosted-x64", 2));
    let checkout = site.checkout("pages");
    site.hook("pre-receive", "echo 'the branch is closed' >&2; exit 1");
    let mut command = checkout.command(&record);
    command.env("TRIES", "1");
    let answer = CommandOutput::run(command);
    assert_eq!(answer.status, Some(2), "{answer:#?}");
    assert!(
        answer.stderr.contains("the branch is closed") && answer.stderr.contains("refused 1 pushes"),
        "{answer:#?}"
    );
    assert_eq!(site.tip(), tip);

    // What was not pushed is not lost.
    fs::remove_file(site.remote().join("hooks/pre-receive")).unwrap();
    checkout.push(&record).fine();
    assert_eq!(site.ids("hosted-x64"), [1, 2].map(id));
}

mod slow {
    use std::sync::Barrier;

    use super::*;

    /// A checkout for each lane, all of the same state, and all push at once.
    fn all_lanes_at_once(site: &Site) {
        let publishers: Vec<(Checkout, &str, PathBuf)> = (0..)
            .zip(LANES)
            .map(|(number, lane)| {
                let checkout = site.checkout(&format!("pages-{number}"));
                checkout.act(lane, 100);
                (checkout, lane, site.record(lane, 10 + number))
            })
            .collect();
        let start = Barrier::new(publishers.len());
        std::thread::scope(|scope| {
            for (checkout, _, record) in &publishers {
                let start = &start;
                scope.spawn(move || {
                    start.wait();
                    checkout.push(record).fine();
                });
            }
        });
        for (number, (_, lane, _)) in (0..).zip(&publishers) {
            assert!(site.ids(lane).contains(&id(10 + number)));
            let page = site.published(&format!("charts/{lane}/index.html"));
            assert_eq!(page, "<p>The page of the charts.</p>\n");
            let data = site.published(&format!("charts/{lane}/data.js"));
            assert_eq!(dates(&data), [100]);
        }
    }

    #[test]
    fn lanes_that_publish_at_once_lose_nothing() {
        let site = Site::begun();
        all_lanes_at_once(&site);
        assert_eq!(site.ids("hosted-x64"), [1, 10].map(id));
        assert_eq!(site.ids("self-hosted"), [id(12)]);
    }
}
