//! From the handover to the pull request: `take.sh`, `charts.sh`, `pages.sh`, `with-token.sh`, `results.sh`, `probed.sh`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use model::probe::Group;
use model::store;
use serde_json::{Value, json};

use super::{CommandOutput, Repository, git, output, root, script};

/// A record that this repository holds, as if it were of another lane, run and profile, and whole. Of servers with a database where the
/// profile is one of them.
fn record(lane: &str, id: &str, profile: &str) -> String {
    let local = root().join("bench-results/local");
    let folder = if ["database", "drivers"].contains(&profile) {
        local.join(profile)
    } else {
        local
    };
    let records = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    // Runs of the reader's own are not compressed.
    let mut records: Vec<_> = records
        .filter(|path| path.extension().is_some_and(|end| end == "gz"))
        .collect();
    records.sort();
    let newest = records.pop().unwrap();
    let mut record: Value = serde_json::from_str(&store::read_text(&newest, store::LARGEST).unwrap()).unwrap();
    record["lane"] = json!(lane);
    record["id"] = json!(id);
    record["profile"] = json!(profile);
    record["harness"]["whole"] = json!(true);
    record.to_string()
}

/// Publishes a text of this id, and gives the place where it was measured.
fn published(pages: &Path, folder: &str, id: &str, text: &str) -> PathBuf {
    let path = pages.join(format!("runs/{folder}/{id}.json.gz"));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, store::gzip(text)).unwrap();
    let measured = pages.join(format!("{id}.json"));
    fs::write(&measured, text).unwrap();
    measured
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_metric_without_a_trusted_figure_has_no_chart_and_an_error_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.json");
    let record = |of: &str| fs::write(&path, of).unwrap();
    let charts = |bench: &str| {
        let arguments = [path.to_str().unwrap(), folder.path().to_str().unwrap()];
        let mut command = script(".github/scripts/charts.sh", &arguments);
        command.env("BENCH", bench);
        CommandOutput::run(command)
    };
    record(r#"{"profile": "weekly", "harness": {}}"#);
    // Programs that end as `bench export` does: 0 written, 1 nothing to write, 2 could not.
    assert_eq!(charts("true").fine().stdout, "throughput=true\nlatency=true\n");
    assert_eq!(charts("false").fine().stdout, "throughput=false\nlatency=false\n");
    assert_eq!(charts("grep").status, Some(2));
    for other in [
        r#"{"profile": "smoke", "harness": {"whole": true}}"#,
        r#"{"profile": "weekly", "harness": {"whole": false}}"#,
    ] {
        record(other);
        assert_eq!(
            charts("true").fine().stdout,
            "throughput=false\nlatency=false\n",
            "{other}"
        );
    }
}

/// A name stands in summaries, which are Markdown, and in outputs of steps, which are lines.
#[test]
fn one_record_with_a_name_that_means_nothing_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let (program, records) = (folder.path().join("bench"), folder.path().join("hosted-x64"));
    fs::write(&program, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o644)).unwrap();
    fs::create_dir(&records).unwrap();
    let take = || CommandOutput::run(script(".github/scripts/take.sh", &[text(&program), text(&records)]));
    let right = records.join("20261121T110000Z-2a.json");
    for names in [
        &[][..],
        &["a`<script>.json"],
        &["$(id).json"],
        &["a\nbench=x.json"],
        &["20261121T110000Z-2a.json", "b.json"],
    ] {
        for name in names {
            fs::write(records.join(name), "{}").unwrap();
        }
        let taken = take();
        assert_eq!(
            (taken.status, taken.stdout.as_str()),
            (Some(1), ""),
            "{names:?}: {taken:#?}"
        );
        for name in names {
            fs::remove_file(records.join(name)).unwrap();
        }
    }
    fs::write(&right, "{}").unwrap();
    let taken = take().fine();
    assert_eq!(
        taken.stdout,
        format!("bench={}\nrecord={}\n", program.display(), right.display())
    );
    assert_eq!(fs::metadata(program).unwrap().permissions().mode() & 0o777, 0o700);
}

/// A bare repository, and a clone of it on `main`.
fn hosted() -> (tempfile::TempDir, Repository) {
    let bare = tempfile::tempdir().unwrap();
    git(bare.path(), &["init", "--quiet", "--bare", "--initial-branch=main"]);
    let clone = Repository::new();
    clone.git(&["remote", "add", "origin", bare.path().to_str().unwrap()]);
    clone.git(&["push", "--quiet", "origin", "main"]);
    (bare, clone)
}

#[test]
fn the_first_run_makes_gh_pages_and_later_ones_take_it_as_it_is() {
    let (bare, clone) = hosted();
    CommandOutput::run(clone.script("pages.sh", &[])).fine();
    assert_eq!(git(bare.path(), &["ls-tree", "gh-pages"]), "", "empty");
    assert_eq!(
        git(bare.path(), &["rev-list", "--count", "gh-pages"]),
        "1",
        "with no history of main"
    );
    assert_eq!(
        clone.git(&["rev-parse", "gh-pages"]),
        git(bare.path(), &["rev-parse", "gh-pages"])
    );
    assert_eq!(
        clone.git(&["status", "--porcelain", "--branch"]),
        "## main",
        "the checkout is as it was"
    );

    // Somebody else publishes; what is here is behind, or even apart.
    let other = Repository::new();
    other.git(&["fetch", "--quiet", bare.path().to_str().unwrap(), "gh-pages"]);
    other.git(&["switch", "--quiet", "--detach", "FETCH_HEAD"]);
    let theirs = other.commit(&[("data/index.json", "{}")]);
    other.git(&["push", "--quiet", bare.path().to_str().unwrap(), "HEAD:gh-pages"]);
    CommandOutput::run(clone.script("pages.sh", &[])).fine();
    assert_eq!(clone.git(&["rev-parse", "gh-pages"]), theirs);
    // For a job that only reads.
    let folder = clone.root().join("pages");
    CommandOutput::run(clone.script("pages.sh", &[text(&folder)])).fine();
    assert!(folder.join("data/index.json").is_file());
}

#[test]
fn two_first_runs_at_once_agree() {
    let (bare, one) = hosted();
    let two = Repository::new();
    two.git(&["remote", "add", "origin", bare.path().to_str().unwrap()]);
    let began: Vec<_> = [&one, &two]
        .map(|clone| clone.script("pages.sh", &[]).spawn().unwrap())
        .into();
    for mut child in began {
        assert!(child.wait().unwrap().success());
    }
    let tip = git(bare.path(), &["rev-parse", "gh-pages"]);
    assert_eq!(one.git(&["rev-parse", "gh-pages"]), tip);
    assert_eq!(two.git(&["rev-parse", "gh-pages"]), tip);
}

#[test]
fn a_remote_that_does_not_answer_is_no_empty_one() {
    let clone = Repository::new();
    clone.git(&["remote", "add", "origin", "/no/such/repository"]);
    let answer = CommandOutput::run(clone.script("pages.sh", &[]));
    assert_ne!(answer.status, Some(0));
    assert_eq!(clone.git(&["branch", "--list", "gh-pages"]), "");
}

#[test]
fn a_token_is_given_to_git_and_to_nothing_else() {
    let repository = Repository::new();
    let header = "http.https://github.example/.extraheader";
    let with = |arguments: &[&str]| {
        let mut command = repository.script("with-token.sh", arguments);
        command
            .env("GITHUB_TOKEN", "secret")
            .env("GITHUB_SERVER_URL", "https://github.example")
            .envs([
                ("GIT_CONFIG_COUNT", "1"),
                ("GIT_CONFIG_KEY_0", "a.b"),
                ("GIT_CONFIG_VALUE_0", "kept"),
            ]);
        CommandOutput::run(command)
    };
    let answer = with(&["git", "config", "--get-all", header]).fine();
    assert_eq!(answer.stdout, "AUTHORIZATION: basic eC1hY2Nlc3MtdG9rZW46c2VjcmV0\n"); // x-access-token:secret
    assert_eq!(with(&["git", "config", "a.b"]).fine().stdout, "kept\n");
    assert_eq!(with(&["sh", "-c", "exit 7"]).status, Some(7));
    let config = fs::read_to_string(repository.root().join(".git/config")).unwrap();
    assert!(!config.contains("extraheader"), "{config}");
    assert_ne!(
        CommandOutput::run(repository.script("with-token.sh", &["true"])).status,
        Some(0),
        "without a token"
    );
}

const README: &str = "# Title\n\n<!-- results:begin -->\nthe block before\n<!-- results:end -->\n";

/// A checkout, and a folder that is what gh-pages holds.
struct Lane {
    checkout: Repository,
    pages: tempfile::TempDir,
}

impl Lane {
    /// With these runs on gh-pages.
    fn publishing(runs: &[(&str, &str)]) -> Self {
        let checkout = Repository::new();
        checkout.commit(&[("README.md", README)]);
        let pages = tempfile::tempdir().unwrap();
        for (id, profile) in runs {
            published(pages.path(), "hosted-x64", id, &record("hosted-x64", id, profile));
        }
        Self { checkout, pages }
    }

    /// `results.sh` for this run of the lane's own kind.
    fn write(&self, id: &str, summary: &str) -> CommandOutput {
        self.write_as(&self.pages.path().join(format!("{id}.json")), summary)
    }

    fn write_as(&self, record: &Path, summary: &str) -> CommandOutput {
        let pages = text(self.pages.path());
        let url = "https://github.example/o/n/blob";
        let arguments = [text(record), pages, pages, "hosted-x64", url, summary];
        CommandOutput::run(self.checkout.script("results.sh", &arguments))
    }

    /// The text of the pull request.
    fn body(&self) -> String {
        fs::read_to_string(self.pages.path().join("body.md")).unwrap()
    }

    /// What the pull request has in bench-results/, sorted.
    fn files(&self) -> Vec<String> {
        self.checkout.git(&["add", "bench-results"]);
        let files = self.checkout.git(&["ls-files", "bench-results"]);
        files.lines().map(str::to_owned).collect()
    }
}

const FIRST: &str = "20261102T002300Z-1";
const SECOND: &str = "20261109T002300Z-1";
const THIRD: &str = "20261116T002300Z-1";
const FOURTH: &str = "20261117T002300Z-1";
const FIFTH: &str = "20261118T002300Z-1";
const FUTURE: &str = "99991230T220000Z-1";

#[test]
fn a_pull_request_brings_figures_and_no_record() {
    let lane = Lane::publishing(&[
        (FIRST, "weekly"),
        (SECOND, "smoke"),
        (THIRD, "weekly"),
        (FUTURE, "weekly"),
    ]);
    let written = lane.write(THIRD, "false").fine();
    let folder = "bench-results/hosted-x64";
    assert_eq!(lane.files(), [format!("{folder}/figures.json")]);
    let read = |file: &str| fs::read_to_string(lane.checkout.root().join(file)).unwrap();
    let figures: Value = serde_json::from_str(&read(&format!("{folder}/figures.json"))).unwrap();
    let place = format!("https://github.example/o/n/blob/gh-pages/runs/hosted-x64/{THIRD}.json.gz");
    assert_eq!(figures["record"]["url"], json!(place));
    assert_eq!(figures["run"]["runs"][0]["id"], json!(THIRD));
    // The title says what happened, and the text what the body says.
    let title = output(&written, "title");
    assert_eq!(title, "hosted-x64 2026-11-16: No new failure, nothing moved");
    let body = lane.body();
    assert!(body.starts_with("**No new failure, nothing moved.**"), "{body}");
    let since = format!("## Moved since 2026-11-28 (`{FIRST}`)");
    assert!(body.contains(&since) && body.contains(&place), "{body}");
    assert_eq!(output(&written, "alarm"), "false");
    assert_eq!(read("README.md"), README, "it shows another lane");

    lane.write(THIRD, "true").fine();
    let wanted = [
        "charts/overview.svg",
        "charts/readme-narrow.svg",
        "charts/readme.svg",
        "figures.json",
        "summary.md",
    ]
    .map(|file| format!("{folder}/{file}"));
    assert_eq!(lane.files(), wanted);
    let (readme, summary, sha) = (read("README.md"), read(&wanted[4]), &figures["record"]["sha256"]);
    assert!(readme.contains(&wanted[1]) && readme.contains(&place), "{readme}");
    assert!(
        summary.contains(&place) && summary.contains(sha.as_str().unwrap()),
        "{summary}"
    );
    assert!(!summary.contains("charts/plaintext"), "one picture");
    let address =
        "https://github.example/o/n/blob/bench-results/hosted-x64/bench-results/hosted-x64/charts/overview.svg";
    assert!(lane.body().contains(address), "{}", lane.body());
}

#[test]
fn what_is_not_published_is_not_proposed() {
    let lane = Lane::publishing(&[(FIRST, "weekly")]);
    let refused = |name: &str, of: &str, expected: &str| {
        let elsewhere = lane.pages.path().join(format!("{name}.json"));
        fs::write(&elsewhere, record(of, name, "weekly")).unwrap();
        let answer = lane.write_as(&elsewhere, "false");
        assert!(
            answer.status == Some(1) && answer.stderr.contains(expected),
            "{answer:#?}"
        );
    };
    refused(SECOND, "hosted-x64", "publish it first");
    refused(FIRST, "hosted-arm64", "it belongs to hosted-arm64");
    assert_eq!(lane.checkout.git(&["status", "--porcelain", "bench-results"]), "");
}

#[test]
fn what_breaks_is_proposed_with_its_summary_and_what_changed() {
    let repository = Repository::new();
    let (pages, texts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let document = |id: &str, kind: Kind| {
        let mut probes = samples::probes();
        probes.id = id.into();
        probes.origin.whole = kind == Kind::Whole;
        if kind == Kind::Database {
            probes.cases.iter_mut().for_each(|case| case.group = Group::Database);
        }
        published(pages.path(), "probes", id, &serde_json::to_string(&probes).unwrap())
    };
    let probed = |document: &Path, folder: &str| {
        let url = "https://github.example/o/n/blob";
        let arguments = [text(document), text(pages.path()), text(texts.path()), folder, url];
        CommandOutput::run(repository.script("probed.sh", &arguments))
    };
    let body = || fs::read_to_string(texts.path().join("body.md")).unwrap();
    let (_, second) = (document(FIRST, Kind::Whole), document(SECOND, Kind::Whole));
    assert_eq!(
        probed(&second, "probes").fine().stdout,
        "title=What breaks (probes) 2026-11-09\n"
    );
    let summary = |folder: &str| fs::read_to_string(repository.root().join(folder).join("summary.md")).unwrap();
    assert!(summary("bench-results/probes").starts_with("# What breaks"));
    for wanted in [
        &format!("[{SECOND}](https://github.example/o/n/blob/gh-pages/runs/probes/{SECOND}.json.gz), SHA-256 `"),
        "No case began or ceased to fail.",
        "[summary](https://github.example/o/n/blob/bench-results/probes/bench-results/probes/summary.md)",
    ] {
        assert!(body().contains(wanted), "{wanted}: {}", body());
    }

    // Probes of some apps, and of servers with a database, have places of their own.
    let (third, fourth) = (document(THIRD, Kind::Partial), document(FOURTH, Kind::Database));
    probed(&third, "probes/partial").fine();
    assert!(!body().contains("began or ceased"), "{}", body());
    probed(&fourth, "probes/database").fine();
    assert!(summary("bench-results/probes/database").starts_with("# What breaks"));
    assert!(
        body().contains("Every case is in the [summary]") && !body().contains("began or ceased"),
        "{}",
        body()
    );
    repository.git(&["add", "bench-results"]);
    let files = repository.git(&["ls-files", "bench-results"]);
    let wanted = ["probes/database", "probes/partial", "probes"].map(|kind| format!("bench-results/{kind}/summary.md"));
    assert_eq!(files.lines().collect::<Vec<_>>(), wanted, "no document");

    // One that was to be whole and is not changes no summary.
    let narrowed = document(FIFTH, Kind::Partial);
    fs::write(repository.root().join("bench-results/probes/summary.md"), "as it was").unwrap();
    probed(&narrowed, "probes").fine();
    assert!(body().contains("neither summary nor history"), "{}", body());
    assert_eq!(summary("bench-results/probes"), "as it was");

    fs::remove_file(pages.path().join(format!("runs/probes/{SECOND}.json.gz"))).unwrap();
    let answer = probed(&second, "probes");
    assert_eq!(answer.status, Some(1));
    assert!(answer.error().contains("is not on gh-pages"), "{answer:#?}");
}

/// What a document of probes covers.
#[derive(PartialEq, Clone, Copy)]
enum Kind {
    Whole,
    Partial,
    Database,
}
