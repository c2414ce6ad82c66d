//! `bench export` and `bench publish` with a real git: what arrives in a bare repository, and what never gets there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Barrier;

use measure::build::describe;
use measure::catalog::Catalog;
use serde_json::{Value, json};
use tell::publish::Published;

use crate::common::CommandOutput;

/// A record that was measured, and is committed.
const RECORD: &str = include_str!("../../../../../bench-results/local/20261121T123408Z-1.json");
/// What github-action-benchmark 1.22.0 wrote.
const DATA_JS: &str = include_str!("../../../tell/src/publish/fixtures/data.js");
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
        let checkout = site.checkout("first");
        checkout.push(&[&site.record("hosted-x64", 1)]).fine();
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
        self.record_with(lane, minute, |_| {})
    }

    fn record_with(&self, lane: &str, minute: u32, change: impl FnOnce(&mut Value)) -> PathBuf {
        let mut record: Value = serde_json::from_str(RECORD).unwrap();
        record["lane"] = lane.into();
        record["id"] = id(minute).into();
        record["started_at"] = format!("2026-11-21T10:{minute:02}:00Z").into();
        change(&mut record);
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
        let told = git_says(&self.remote(), &["for-each-ref", "--format=%(objectname)", name]);
        Some(told.trim().to_owned()).filter(|tip| !tip.is_empty())
    }

    fn published(&self, path: &str) -> String {
        git_says(&self.remote(), &["show", &format!("gh-pages:{path}")])
    }

    fn files(&self) -> Vec<String> {
        let list = git_says(&self.remote(), &["ls-tree", "-r", "--name-only", "gh-pages"]);
        list.lines().map(ToOwned::to_owned).collect()
    }

    fn ids(&self, lane: &str) -> Vec<String> {
        let index: Value = serde_json::from_str(&self.published("data/index.json")).unwrap();
        let months = index["lanes"][lane]["months"].as_array().cloned().unwrap_or_default();
        let of_month = |month: &Value| {
            let path = format!("data/{lane}/series/{}/runs.json", month.as_str().unwrap());
            let runs: Value = serde_json::from_str(&self.published(&path)).unwrap();
            let runs = runs["runs"].as_array().unwrap().clone();
            runs.into_iter().map(|run| run["id"].as_str().unwrap().to_owned())
        };
        let ids: Vec<String> = months.iter().flat_map(of_month).collect();
        assert_eq!(index["lanes"][lane]["runs"].as_u64().unwrap_or(0), ids.len() as u64);
        ids
    }

    fn hook(&self, name: &str, script: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        let hook = self.remote().join("hooks").join(name);
        fs::create_dir_all(hook.parent().unwrap()).unwrap();
        fs::write(&hook, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Puts content onto the remote's gh-pages by hand.
    fn vandalise(&self, path: &str, content: &str) {
        let name = tempfile::Builder::new().tempdir_in(&self.folder).unwrap();
        let name = name.path().file_name().unwrap().to_str().unwrap().to_owned() + "-vandal";
        let vandal = self.checkout(&name);
        vandal.commit(path, content);
        git(&vandal.root, &["push", "-q", "origin", "gh-pages"]);
    }
}

impl Checkout {
    fn publish(&self, arguments: &[&str]) -> CommandOutput {
        let mut command = quiet(Command::new(env!("CARGO_BIN_EXE_bench")));
        command.args(["--now", "2027-06-01T00:00:00Z", "publish"]);
        command.args(arguments).arg("--pages").arg(&self.root);
        CommandOutput::run(command)
    }

    fn push(&self, records: &[&Path]) -> CommandOutput {
        let records: Vec<&str> = records.iter().map(|path| path.to_str().unwrap()).collect();
        self.push_with(&records)
    }

    /// As the workflows publish.
    fn push_with(&self, arguments: &[&str]) -> CommandOutput {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        let mut command = quiet(Command::new(root.join(".github/scripts/publish.sh")));
        command
            .arg(&self.root)
            .args(arguments)
            .env("BENCH", env!("CARGO_BIN_EXE_bench"));
        CommandOutput::run(command)
    }

    /// Fails, says so in its last line, and leaves the local branch as it was.
    fn refused(&self, records: &[&Path], status: i32, told: &str) {
        let head = || {
            Command::new("git")
                .args(["rev-parse", "HEAD"])
                .current_dir(&self.root)
                .output()
                .unwrap()
                .stdout
        };
        let before = head();
        let answer = self.push(records);
        assert_eq!(answer.status, Some(status), "{answer:#?}");
        let last = answer.stderr.lines().last().unwrap_or_default();
        assert!(
            last.starts_with("error: ") && last.contains(told),
            "{told}: {answer:#?}"
        );
        assert_eq!(git_says(&self.root, &["status", "--porcelain"]), "");
        assert_eq!(head(), before, "the local commits are where they were");
    }

    fn commit(&self, path: &str, content: &str) {
        let file = self.root.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
        git(&self.root, &["add", "--", path]);
        git(&self.root, &["commit", "-q", "-m", "A change"]);
    }

    /// What github-action-benchmark does without `auto-push`: it adds an entry to a suite and commits.
    fn act(&self, lane: &str, suite: &str, date: u64) {
        let path = format!("charts/{lane}/data.js");
        let text = fs::read_to_string(self.root.join(&path)).unwrap_or_default();
        let mut content: Value = match text.strip_prefix(PREFIX) {
            Some(json) => serde_json::from_str(json).unwrap(),
            None => json!({"lastUpdate": 0, "repoUrl": "", "entries": {}}),
        };
        content["lastUpdate"] = (date + 1).into();
        content["repoUrl"] = "https://github.com/owner/name".into();
        let suite = &mut content["entries"][format!("{lane} {suite}")];
        if suite.is_null() {
            *suite = json!([]);
        }
        suite.as_array_mut().unwrap().push(json!({
            "commit": {"id": "3aeac8c0ffee", "message": "The same each week", "url": "https://github.com"},
            "date": date,
            "tool": "customBiggerIsBetter",
            "benches": [{"name": "axum · plaintext", "value": date, "unit": "req/s", "range": "± 1", "extra": "valid"}],
        }));
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
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {told}");
    String::from_utf8(output.stdout).unwrap()
}

/// What is published of a record.
fn text_of(record: &Path) -> String {
    Published::read(record).unwrap().text
}

/// Every file below a folder but git's own, with its content.
fn tree(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(root)
        .unwrap()
        .map(Result::unwrap)
        .filter(|entry| entry.file_name() != ".git")
    {
        if entry.path().is_dir() {
            files.extend(tree(&entry.path()));
        } else {
            files.insert(entry.path(), fs::read(entry.path()).unwrap());
        }
    }
    files
}

fn id(minute: u32) -> String {
    format!("20261121T10{minute:02}00Z-1")
}

fn dates(data_js: &str, suite: &str) -> Vec<u64> {
    let data: Value = serde_json::from_str(data_js.strip_prefix(PREFIX).unwrap()).unwrap();
    let entries = data["entries"][suite].as_array().cloned().unwrap_or_default();
    entries.iter().map(|entry| entry["date"].as_u64().unwrap()).collect()
}

#[test]
fn the_first_publication_makes_the_branch_and_the_second_appends() {
    let site = Site::new();
    let (one, other) = (site.record("hosted-x64", 1), site.record("hosted-x64", 2));
    let checkout = site.checkout("pages");
    checkout.act("hosted-x64", "throughput", 10);
    let told = checkout.push(&[&one]).fine();
    assert!(told.stdout.contains("pushed at try 1"), "{told:#?}");
    let record = "data/hosted-x64/20261121T100100Z-1.json";
    let mut files: Vec<String> = [
        ".nojekyll",
        "charts/hosted-x64/data.js",
        "charts/hosted-x64/index.html",
        record,
        "data/hosted-x64/changes.json",
        "data/index.json",
        "feed.xml",
        "index.html",
    ]
    .map(ToOwned::to_owned)
    .into();
    let badges = ["actix-web", "axum", "ceiling", "hyper", "reference", "rocket"];
    files.extend(badges.map(|app| format!("data/hosted-x64/badges/{app}.json")));
    let series = ["bcrypt", "hello", "plaintext", "runs", "simple", "timed"];
    files.extend(series.map(|name| format!("data/hosted-x64/series/2026-11/{name}.json")));
    files.sort();
    assert_eq!(site.files(), files);
    assert_eq!(site.published(record), text_of(&one));

    // The checkout has followed, and goes on from there.
    checkout.act("hosted-x64", "throughput", 20);
    checkout.act("hosted-x64", "latency", 21);
    checkout.push(&[&other]).fine();
    let data = site.published("charts/hosted-x64/data.js");
    assert_eq!(dates(&data, "hosted-x64 throughput"), [10, 20]);
    assert_eq!(dates(&data, "hosted-x64 latency"), [21]);
    assert_eq!(site.ids("hosted-x64"), [id(1), id(2)]);
    let page = site.published("index.html");
    assert!(
        page.contains(&id(2)) && !page.contains(&id(1)) && page.contains("charts/hosted-x64/"),
        "{page}"
    );
    let told = git_says(&site.remote(), &["log", "-1", "--format=%an, %cn, %s", "gh-pages"]);
    let bot = "github-actions[bot]";
    assert!(told.starts_with(&format!("{bot}, {bot}, Publish ")), "{told}");
    checkout.publish(&["--check"]).fine();
}

#[test]
fn what_the_action_wrote_arrives_to_the_letter() {
    let site = Site::begun();
    let checkout = site.checkout("pages");
    checkout.commit("charts/hosted-x64/data.js", DATA_JS);
    checkout.push(&[&site.record("hosted-x64", 2)]).fine();
    assert_eq!(site.published("charts/hosted-x64/data.js"), DATA_JS);
}

/// A checkout for each lane, all of the same state, and all push at once.
fn all_lanes_at_once(site: &Site) {
    let publishers: Vec<(Checkout, &str, PathBuf)> = (0..)
        .zip(LANES)
        .map(|(number, lane)| {
            let checkout = site.checkout(&format!("pages-{number}"));
            checkout.act(lane, "throughput", 100);
            checkout.act(lane, "latency", 200);
            (checkout, lane, site.record(lane, 10 + number))
        })
        .collect();
    let start = Barrier::new(publishers.len());
    std::thread::scope(|scope| {
        for (checkout, _, record) in &publishers {
            let start = &start;
            scope.spawn(move || {
                start.wait();
                checkout.push(&[record]).fine();
            });
        }
    });
    for (number, (_, lane, record)) in (0..).zip(&publishers) {
        let path = format!("data/{lane}/{}.json", id(10 + number));
        assert_eq!(site.published(&path), text_of(record));
        assert!(site.ids(lane).contains(&id(10 + number)));
        let page = site.published(&format!("charts/{lane}/index.html"));
        assert_eq!(page, "<p>The page of the charts.</p>\n");
        let data = site.published(&format!("charts/{lane}/data.js"));
        assert_eq!(dates(&data, &format!("{lane} throughput")), [100]);
        assert_eq!(dates(&data, &format!("{lane} latency")), [200]);
    }
    let last = site.checkout("last");
    last.publish(&["--check"]).fine();
}

#[test]
fn lanes_that_publish_at_once_lose_nothing() {
    let site = Site::begun();
    all_lanes_at_once(&site);
    assert_eq!(site.ids("hosted-x64"), [1, 10].map(id));
    assert_eq!(site.ids("self-hosted"), [id(12)]);
}

#[test]
fn lanes_that_begin_the_branch_at_once_lose_nothing() {
    let site = Site::new();
    all_lanes_at_once(&site);
    assert_eq!(site.ids("hosted-x64"), [id(10)]);
}

#[test]
fn a_second_run_of_a_lane_that_appended_to_the_same_charts_is_refused() {
    let site = Site::begun();
    let (one, other) = (site.checkout("one"), site.checkout("other"));
    one.act("hosted-x64", "throughput", 10);
    other.act("hosted-x64", "throughput", 20);
    one.push(&[&site.record("hosted-x64", 2)]).fine();
    other.refused(&[&site.record("hosted-x64", 3)], 2, "touch the same files");
}

#[test]
fn a_broken_branch_is_refused_and_not_wiped() {
    let broken_record = format!("data/hosted-x64/{}.json", id(1));
    for (path, content) in [
        (
            "charts/hosted-x64/data.js",
            "window.BENCHMARK_DATA = {\"lastUpdate\": 1, \"entries\": {",
        ),
        ("data/index.json", "{\"schema_version\": 1, \"lanes\": {}}"),
        ("data/index.json", "{\"schema_version\": 2, \"lanes\": {}}"),
        (broken_record.as_str(), "{}"),
    ] {
        let site = Site::begun();
        site.vandalise(path, content);
        let tip = site.tip();
        let checkout = site.checkout("pages");
        let check = checkout.publish(&["--check"]);
        assert_eq!(check.status, Some(1), "{check:#?}");
        let index_or_record = if path.contains("charts") { path } else { "data/" };
        assert!(
            check.error().contains(index_or_record) && check.error().contains("is broken"),
            "{check:#?}"
        );
        checkout.refused(&[&site.record("hosted-x64", 2)], 2, "is broken");
        assert_eq!(site.tip(), tip, "the remote is as it was");
    }
}

#[test]
fn a_published_record_is_never_overwritten() {
    let site = Site::begun();
    let checkout = site.checkout("pages");
    let tip = site.tip();
    let told = checkout.push(&[&site.record("hosted-x64", 1)]).fine();
    assert_eq!(site.tip(), tip, "{told:#?}");
    let other = site.record_with("hosted-x64", 1, |record| {
        record["environment"]["load_average"] = 7.into();
    });
    checkout.refused(&[&other], 2, "exists already with other content");
    assert_eq!(site.tip(), tip);
    let told = checkout.publish(&[other.to_str().unwrap()]);
    assert_eq!(told.status, Some(2), "{told:#?}");
}

/// All servers take this many times the CPU time for a request, as in a run that opened a connection for each.
fn cost_times(record: &mut Value, factor: f64) {
    for trial in record["trials"].as_array_mut().unwrap() {
        if let Some(cpu) = trial["server_cpu_us_per_request"].as_f64() {
            trial["server_cpu_us_per_request"] = (cpu * factor).into();
        }
    }
}

#[test]
fn a_run_whose_reference_costs_a_multiple_is_refused_as_broken() {
    let site = Site::new();
    let checkout = site.checkout("first");
    let record = |minute, factor| site.record_with("hosted-x64", minute, |record| cost_times(record, factor));
    checkout.push(&[&record(1, 1.0), &record(2, 1.1)]).fine();
    let broken = record(3, 4.0);
    checkout.refused(&[&broken], 1, "publish with --accept-moved");
    let told = checkout.publish(&[broken.to_str().unwrap()]);
    assert!(told.stderr.contains("is refused: Reference takes "), "{told:#?}");
    assert!(told.stderr.contains("so this run did something else"), "{told:#?}");
    assert_eq!(site.ids("hosted-x64"), [id(1), id(2)]);
    checkout.push_with(&["--accept-moved", broken.to_str().unwrap()]).fine();
    assert_eq!(site.ids("hosted-x64").len(), 3);
}

#[test]
fn a_record_that_makes_no_sense_is_refused_and_the_lane_goes_on_from_those_before() {
    let site = Site::begun();
    let checkout = site.checkout("pages");
    let tip = site.tip();
    let far = site.record_with("hosted-x64", 2, |record| {
        record["id"] = "99991230T220000Z-1".into();
        record["started_at"] = "9999-12-30T22:00:00Z".into();
        record["finished_at"] = "9999-12-30T22:00:00Z".into();
    });
    let told = checkout.push(&[&far]);
    assert_eq!(told.status, Some(1), "{told:#?}");
    assert!(
        told.stderr
            .contains("is refused: it is of the future: 9999-12-30T22:00:00Z, and now it is "),
        "{told:#?}"
    );
    let reversed = site.record_with("hosted-x64", 2, |record| {
        record["finished_at"] = "2026-11-21T09:00:00Z".into();
    });
    let told = checkout.push(&[&reversed]);
    assert!(
        told.stderr
            .contains("it ended at 2026-11-21T09:00:00Z, before it began at 2026-11-21T10:02:00Z"),
        "{told:#?}"
    );
    let good = site.record("hosted-x64", 2);
    let good = good.to_str().unwrap();
    for (asked, line) in [
        (
            ["--expect-lane", "self-hosted"],
            "it is of lane hosted-x64, and self-hosted was asked for",
        ),
        (
            ["--expect-profile", "weekly"],
            "it is of profile quick, and weekly was asked for",
        ),
        (
            ["--expect-commit", "c0ffee"],
            "it is of commit a7db0989dd8da3d7622af241b19ebde10d62b289, and c0ffee was asked for",
        ),
        (
            ["--since", "2026-11-21T10:30:00Z"],
            "it began at 2026-11-21T10:02:00Z, before it was asked for at 2026-11-21T10:30:00Z",
        ),
    ] {
        let told = checkout.push_with(&[good, asked[0], asked[1]]);
        let expected = format!("error: {good} is refused: {line}\n");
        assert_eq!((told.status, told.stderr), (Some(1), expected));
    }
    assert_eq!(site.tip(), tip, "nothing was pushed");
    assert_eq!(git_says(&checkout.root, &["status", "--porcelain"]), "");
    checkout
        .push_with(&[good, "--expect-lane", "hosted-x64", "--since", "2026-11-21T10:01:30Z"])
        .fine();
    assert_eq!(site.ids("hosted-x64"), [id(1), id(2)]);
}

/// Makes a record one of this checkout, whatever its figures are of.
fn of_this_checkout(catalog: &Catalog, record: &mut Value) {
    record["harness"]["commit"] = git_says(&catalog.root, &["rev-parse", "HEAD"]).trim().into();
    for app in record["apps"].as_array_mut().unwrap() {
        let known = catalog.app(app["id"].as_str().unwrap()).unwrap();
        *app = serde_json::to_value(describe(known, known.variant("default").unwrap(), None, None)).unwrap();
        app["protocols"] = json!(known.protocols);
    }
}

#[test]
fn a_record_has_the_apps_of_its_commit_and_is_as_whole_as_it_says() {
    type Change = fn(&mut Value);
    let site = Site::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let (catalog, pages) = (Catalog::read(&root).unwrap(), tempfile::tempdir().unwrap());
    let checkout = Checkout {
        root: pages.path().to_owned(),
    };
    let publish = |change: Change| {
        let record = site.record_with("hosted-x64", 1, |record| {
            of_this_checkout(&catalog, record);
            change(record);
        });
        checkout.publish(&[record.to_str().unwrap(), "--checkout", root.to_str().unwrap()])
    };
    let attacks: [(Change, i32, &[&str]); 3] = [
        (
            |record| {
                record["apps"][0]["link"] = "https://evil.example/".into();
                record["apps"][0]["role"] = "ceiling".into();
                record["apps"][1]["source_hash"] = "00".into();
            },
            1,
            &[
                "`link` of actix-web is not that of the app at its commit",
                "`role` of actix-web is not that of the app at its commit",
                "`source_hash` of axum is not that of the app at its commit",
            ],
        ),
        (
            |record| record["harness"]["whole"] = true.into(),
            1,
            &["it says that it is a whole run of profile quick, and lacks apps, scenarios or rounds of it"],
        ),
        (
            |record| record["harness"]["commit"] = "c0ffee".into(),
            2,
            &["and the record is of c0ffee; check that one out"],
        ),
    ];
    for (change, status, lines) in attacks {
        let told = publish(change);
        assert_eq!(
            (told.status, told.stderr.lines().count()),
            (Some(status), lines.len()),
            "{told:#?}"
        );
        for (told, line) in told.stderr.lines().zip(lines) {
            assert!(told.ends_with(line), "{line}: {told}");
        }
    }
    assert!(tree(pages.path()).is_empty(), "nothing is written");
    publish(|_| {}).fine();
}

#[test]
fn a_person_can_ask_whether_a_record_makes_sense() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../bench-results/local/20261125T201724Z-5884.json");
    let check = |path: &Path| {
        let mut command = quiet(Command::new(env!("CARGO_BIN_EXE_bench")));
        command
            .arg("report")
            .arg(path)
            .args(["--check", "--results", "nowhere"]);
        CommandOutput::run(command)
    };
    assert!(
        check(&path)
            .fine()
            .stdout
            .ends_with("nothing in it contradicts itself\n")
    );
    let mut record: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let cell = record["summary"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .find(|cell| cell["app"] == "axum")
        .unwrap();
    cell["metrics"]["server_cpu_us_per_request"]["rank"] = json!({"best": 1, "worst": 1});
    let folder = tempfile::tempdir().unwrap();
    let forged = folder.path().join("\u{1b}[31mforged\u{202e}.json");
    fs::write(&forged, record.to_string()).unwrap();
    let told = check(&forged);
    let (shown, reason) = told.stderr.split_once(" is refused: ").unwrap();
    assert!(shown.ends_with("/ [31mforged.json"), "{told:#?}");
    assert!(
        reason.starts_with("`server_cpu_us_per_request` of axum in ")
            && reason.contains(" has the rank 1, and its trials give ")
    );
    assert_eq!((told.status, told.stderr.lines().count()), (Some(1), 1));
}

#[test]
fn a_push_that_is_refused_or_leads_nowhere_ends_at_once_with_one_line() {
    let site = Site::begun();
    let (tip, record) = (site.tip(), site.record("hosted-x64", 2));
    let checkout = site.checkout("pages");
    checkout.act("hosted-x64", "throughput", 20);
    site.hook(
        "pre-receive",
        "echo called >> called; echo 'the branch is closed' >&2; exit 1",
    );
    checkout.refused(&[&record], 2, "origin refused the push to gh-pages");
    assert_eq!(
        fs::read_to_string(site.remote().join("called")).unwrap(),
        "called\n",
        "it is asked once"
    );
    assert_eq!(site.tip(), tip);
}

#[test]
fn a_checkout_with_changes_is_refused() {
    let site = Site::begun();
    let checkout = site.checkout("pages");
    fs::write(checkout.root.join("index.html"), "half done").unwrap();
    let answer = checkout.push(&[&site.record("hosted-x64", 2)]);
    assert_eq!(answer.status, Some(2), "{answer:#?}");
    assert!(
        answer.error().contains("has changes that are not committed"),
        "{answer:#?}"
    );
    assert_eq!(
        fs::read_to_string(checkout.root.join("index.html")).unwrap(),
        "half done"
    );
}

#[test]
fn without_a_push_the_files_are_written_and_nothing_is_committed() {
    let site = Site::begun();
    let checkout = site.checkout("pages");
    let record = site.record("hosted-arm64", 2);
    let told = checkout.publish(&[record.to_str().unwrap()]).fine();
    let status = git_says(&checkout.root, &["status", "--porcelain", "--untracked-files=all"]);
    assert_eq!(
        status.lines().count(),
        told.stdout.lines().count(),
        "{status}\n{told:#?}"
    );
    let record_line = format!("?? data/hosted-arm64/{}.json", id(2));
    assert!(status.lines().any(|line| line == record_line), "{status}");
    let changed: Vec<&str> = status.lines().filter(|line| line.starts_with(" M")).collect();
    assert_eq!(
        changed,
        [" M data/index.json", " M feed.xml", " M index.html"],
        "nothing of the other lane"
    );
    let check = checkout.publish(&["--check"]).fine();
    assert!(
        check.stdout.contains("2 records in 2 lanes, and 0 data.js"),
        "{check:#?}"
    );
    let again = checkout.publish(&[record.to_str().unwrap()]).fine();
    assert_eq!(again.stdout, "everything was there already\n");
}

#[test]
fn any_order_of_publishing_gives_the_same_bytes() {
    let site = Site::new();
    let of = |day: &str| {
        site.record_with("hosted-x64", 1, |record| {
            record["id"] = format!("{}T100000Z-1", day.replace('-', "")).into();
            let began = json!(format!("{day}T10:00:00Z"));
            (record["started_at"], record["finished_at"]) = (began.clone(), format!("{day}T11:00:00Z").into());
            for trial in record["trials"].as_array_mut().unwrap() {
                trial["started_at"] = began.clone();
            }
        })
    };
    let records = ["2025-12-29", "2026-01-05", "2026-01-12", "2027-01-04"].map(of);
    let publish = |name: &str, order: [usize; 4], at_once: bool| {
        let root = site.folder.path().join(name);
        fs::create_dir(&root).unwrap();
        let checkout = Checkout { root };
        let names = order.map(|place| records[place].to_str().unwrap());
        if at_once {
            checkout.publish(&names).fine();
        } else {
            for name in names {
                checkout.publish(&[name]).fine();
            }
        }
        checkout.publish(&["--check"]).fine();
        let files = tree(&checkout.root).into_iter();
        files
            .map(|(path, content)| (path.strip_prefix(&checkout.root).unwrap().to_owned(), content))
            .collect::<BTreeMap<_, _>>()
    };
    let first = publish("first", [0, 1, 2, 3], false);
    assert!(first.contains_key(Path::new("data/hosted-x64/series/2026/plaintext.json")));
    assert_eq!(publish("second", [3, 2, 0, 1], false), first);
    assert_eq!(publish("third", [1, 3, 0, 2], false), first);
    assert_eq!(publish("fourth", [2, 1, 3, 0], true), first);
}

#[test]
fn what_follows_from_the_records_is_made_anew_and_what_cannot_be_read_is_named() {
    let site = Site::begun();
    let checkout = site.checkout("pages");
    checkout
        .publish(&[site.record("self-hosted", 3).to_str().unwrap()])
        .fine();
    let good = tree(&checkout.root);
    for path in ["data/index.json", "feed.xml"] {
        fs::remove_file(checkout.root.join(path)).unwrap();
    }
    fs::remove_dir_all(checkout.root.join("data/hosted-x64/series")).unwrap();
    fs::write(checkout.root.join("data/self-hosted/badges/axum.json"), "{}").unwrap();
    let refused = checkout.publish(&[site.record("hosted-x64", 2).to_str().unwrap()]);
    assert_eq!(refused.status, Some(2), "{refused:#?}");
    assert!(refused.error().contains("--rebuild"), "{refused:#?}");
    assert_eq!(checkout.publish(&["--check"]).status, Some(1));
    checkout.publish(&["--rebuild"]).fine();
    assert_eq!(tree(&checkout.root), good);
    checkout.publish(&["--check"]).fine();
    assert_eq!(
        checkout.publish(&["--rebuild"]).fine().stdout,
        "everything was there already\n"
    );

    let broken = format!("data/self-hosted/{}.json", id(3));
    fs::write(checkout.root.join(&broken), "{").unwrap();
    let told = checkout.publish(&["--rebuild"]);
    assert_eq!(told.status, Some(1), "{told:#?}");
    assert!(told.error().contains(&broken), "{told:#?}");
    assert_eq!(fs::read_to_string(checkout.root.join(&broken)).unwrap(), "{");
}

#[test]
fn a_published_record_is_reported_as_the_measured_one_is() {
    let site = Site::begun();
    let checkout = site.checkout("pages");
    let report = |record: &Path| {
        let mut command = quiet(Command::new(env!("CARGO_BIN_EXE_bench")));
        CommandOutput::run({
            command
                .arg("report")
                .arg(record)
                .arg("--results")
                .arg(site.folder.path());
            command
        })
        .fine()
        .stdout
    };
    let path = checkout.root.join(format!("data/hosted-x64/{}.json", id(1)));
    let (published, measured) = (report(&path), report(&site.record("hosted-x64", 1)));
    assert!(published.contains("axum") && published.lines().count() == measured.lines().count());
    let table = |text: &str| {
        text.lines()
            .filter(|line| line.starts_with('|'))
            .map(ToOwned::to_owned)
            .collect::<Vec<_>>()
    };
    let same = table(&published)
        .iter()
        .zip(&table(&measured))
        .filter(|(one, other)| one == other)
        .count();
    assert!(
        same * 2 > table(&measured).len(),
        "most rows are the same to the letter: {published}\n{measured}"
    );
    // And published again, it is the record that is there.
    let again = checkout.publish(&[path.to_str().unwrap()]).fine();
    assert_eq!(again.stdout, "everything was there already\n");
}

#[test]
fn every_record_and_a_site_are_published_for_a_look() {
    let site = Site::new();
    let (results, dist) = (site.folder.path().join("results"), site.folder.path().join("dist"));
    for (lane, minute) in [("local", 1), ("local", 2), ("self-hosted", 3)] {
        let folder = results.join(lane);
        fs::create_dir_all(&folder).unwrap();
        fs::copy(site.record(lane, minute), folder.join(format!("{}.json", id(minute)))).unwrap();
    }
    fs::create_dir_all(dist.join("assets")).unwrap();
    let page = "<!doctype html><meta name=\"generator\" content=\"bench site\"><p>The site</p>";
    fs::write(dist.join("index.html"), page).unwrap();
    fs::write(dist.join("assets/main.js"), "code").unwrap();
    let checkout = site.checkout("pages");
    let arguments = [
        "--all",
        "--results",
        results.to_str().unwrap(),
        "--site",
        dist.to_str().unwrap(),
    ];
    let url = ["--site-url", "https://owner.github.io/repo/"];
    checkout.publish(&[&arguments[..], &url].concat()).fine();
    let told = checkout.publish(&["--check"]).fine();
    assert!(told.stdout.contains("3 records in 2 lanes"), "{told:#?}");
    assert_eq!(fs::read_to_string(checkout.root.join("index.html")).unwrap(), page);
    assert_eq!(
        fs::read_to_string(checkout.root.join("assets/main.js")).unwrap(),
        "code"
    );
    let feed = fs::read_to_string(checkout.root.join("feed.xml")).unwrap();
    assert!(feed.contains("xml:base=\"https://owner.github.io/repo/\""), "{feed}");
    assert_eq!(
        checkout.publish(&[&arguments[..], &["latest"]].concat()).status,
        Some(2),
        "all or named ones"
    );
    let told = checkout.publish(&[&arguments[..], &["--site-url", "javascript:alert(1)"]].concat());
    assert_eq!(told.status, Some(2), "{told:#?}");

    fs::write(checkout.root.join("index.html"), "<h1>Mine</h1>").unwrap();
    let told = checkout.publish(&arguments);
    assert_eq!(told.status, Some(2), "{told:#?}");
    assert!(told.error().contains("is left alone"), "{told:#?}");
    assert_eq!(
        fs::read_to_string(checkout.root.join("index.html")).unwrap(),
        "<h1>Mine</h1>"
    );
}

#[test]
fn a_site_is_pushed_with_the_records() {
    let site = Site::begun();
    let dist = site.folder.path().join("dist");
    fs::create_dir(&dist).unwrap();
    fs::write(
        dist.join("index.html"),
        "<meta name=\"generator\" content=\"bench site\">",
    )
    .unwrap();
    fs::write(dist.join("icon.svg"), "<svg/>").unwrap();
    let checkout = site.checkout("pages");
    checkout.push_with(&["--site", dist.to_str().unwrap()]).fine();
    assert_eq!(site.published("icon.svg"), "<svg/>");
    checkout.push(&[&site.record("self-hosted", 2)]).fine();
    assert!(site.published("index.html").contains("bench site"), "it stays");
}

#[test]
fn names_that_mean_harm_are_text_wherever_they_come_out() {
    let site = Site::new();
    let name = "<script>alert(1)</script>\u{202e}\"'&";
    let long = "x".repeat(100_000);
    let record = site.record_with("hosted-x64", 1, |record| {
        record["apps"][0]["name"] = name.into();
        record["apps"][1]["name"] = long.clone().into();
        record["environment"]["cpu_model"] = name.into();
        record["harness"]["commit"] = name.into();
        for cell in record["summary"].as_array_mut().unwrap() {
            if cell["verdict"] != "valid" {
                cell["reasons"] = json!([name, long]);
            }
        }
    });
    let checkout = site.checkout("pages");
    checkout.push(&[&record]).fine();
    let page = site.published("index.html");
    assert!(!page.contains("<script") && page.contains("&lt;script&gt;"), "{page}");
    let badge = site.published("data/hosted-x64/badges/axum.json");
    assert!(badge.len() < 300, "{badge}");
    for path in site.files().iter().filter(|path| path.starts_with("data/")) {
        let _: Value = serde_json::from_str(&site.published(path)).unwrap();
    }
    let series = site.published("data/hosted-x64/series/2026-11/plaintext.json");
    assert!(series.len() < 50_000, "a reason is cut: {}", series.len());
    checkout.publish(&["--check"]).fine();
    let bad = site.record_with("hosted-x64", 2, |record| record["apps"][0]["id"] = "../../x".into());
    checkout.refused(&[&bad], 2, "is not a name");
}

#[test]
fn export_writes_what_is_trusted_and_names_the_rest() {
    let site = Site::new();
    let record = site.record("hosted-x64", 1);
    let out = site.folder.path().join("throughput.json");
    let export = |record: &Path, metric: &str| {
        let mut command = quiet(Command::new(env!("CARGO_BIN_EXE_bench")));
        command.args([
            "export",
            record.to_str().unwrap(),
            "--format",
            "github-action-benchmark",
            "--metric",
            metric,
        ]);
        command.arg("--out").arg(&out);
        CommandOutput::run(command)
    };
    let told = export(&record, "throughput").fine();
    assert!(
        told.stderr.contains("left out: axum · plaintext: client-bound: "),
        "{told:#?}"
    );
    insta::assert_snapshot!(fs::read_to_string(&out).unwrap());

    fs::remove_file(&out).unwrap();
    let doubtful = site.record_with("hosted-x64", 1, |record| {
        for trial in record["trials"].as_array_mut().unwrap() {
            trial["verdict"] = "environment_failed".into();
            trial["reasons"] = serde_json::json!(["the hypervisor took 40 % of the time"]);
        }
    });
    let told = export(&doubtful, "cpu");
    assert_eq!(told.status, Some(1), "{told:#?}");
    assert!(
        told.error().contains("no figure of this metric that is trusted"),
        "{told:#?}"
    );
    assert!(!out.exists());
}
