//! From the handover to the pull request: `take.sh`, `charts.sh`, `pages.sh`, `with-token.sh`, `site-url.sh`, `results.sh`,
//! `earlier.sh`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tell::publish::Published;

use super::{CommandOutput, Repository, git, output, root, script};
use crate::github::world::{World, failed};

/// A record that this repository holds, as if it were of another lane, run and profile.
fn record(lane: &str, id: &str, profile: &str) -> String {
    let folder = root().join("bench-results/local");
    let mut records = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let any = records
        .find(|path| path.file_name().unwrap().to_string_lossy().starts_with("20"))
        .unwrap();
    let mut record: Value = serde_json::from_str(&fs::read_to_string(any).unwrap()).unwrap();
    record["lane"] = json!(lane);
    record["id"] = json!(id);
    record["profile"] = json!(profile);
    record.to_string()
}

/// What a build hands over, in an archive, with its digest.
fn handover(folder: &Path) -> (PathBuf, String) {
    let programs = folder.join("handover");
    fs::create_dir(&programs).unwrap();
    fs::write(programs.join("bench"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(programs.join("bench"), fs::Permissions::from_mode(0o755)).unwrap();
    let archive = folder.join("handover.tar");
    let mut tar = Command::new("tar");
    tar.arg("--create")
        .arg("--file")
        .arg(&archive)
        .arg("handover")
        .current_dir(folder);
    CommandOutput::run(tar).fine();
    let mut sum = Command::new("sha256sum");
    sum.arg(&archive);
    let told = CommandOutput::run(sum).fine();
    let digest = told.stdout.split_whitespace().next().unwrap().to_owned();
    (archive, digest)
}

#[test]
fn what_was_built_is_taken_over_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let (archive, digest) = handover(folder.path());
    let (into, records) = (folder.path().join("into"), folder.path().join("records"));
    fs::create_dir(&records).unwrap();
    let take = |digest: &str, lane: &str| {
        let arguments = [
            archive.to_str().unwrap(),
            digest,
            into.to_str().unwrap(),
            records.to_str().unwrap(),
            lane,
        ];
        CommandOutput::run(script(".github/scripts/take.sh", &arguments))
    };
    assert!(
        take(&digest, "hosted-x64")
            .stderr
            .contains("0 records where one was expected")
    );

    fs::write(records.join("a.json"), record("hosted-x64", "a", "weekly")).unwrap();
    let told = take(&digest, "hosted-x64").fine();
    let bench = Path::new(output(&told, "bench"));
    assert_eq!(
        fs::metadata(bench).unwrap().permissions().mode() & 0o777,
        0o755,
        "{told:#?}"
    );
    assert_eq!(Path::new(output(&told, "record")), records.join("a.json"));

    let other = take(&digest, "self-hosted");
    assert!(
        other.status == Some(1) && other.stderr.contains("its lane is not self-hosted"),
        "{other:#?}"
    );
    fs::write(records.join("b.json"), "{}").unwrap();
    assert!(
        take(&digest, "hosted-x64")
            .stderr
            .contains("2 records where one was expected")
    );
    fs::remove_file(records.join("b.json")).unwrap();

    fs::remove_dir_all(&into).unwrap();
    let mut tampered = fs::read(&archive).unwrap();
    tampered[0] ^= 1;
    fs::write(&archive, tampered).unwrap();
    assert_ne!(take(&digest, "hosted-x64").status, Some(0));
    assert!(!into.exists(), "nothing of it is unpacked");
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
    for beside in [
        r#"{"profile": "smoke", "harness": {"whole": true}}"#,
        r#"{"profile": "weekly", "harness": {"whole": false}}"#,
    ] {
        record(beside);
        assert_eq!(
            charts("true").fine().stdout,
            "throughput=false\nlatency=false\n",
            "{beside}"
        );
    }
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
    let told = CommandOutput::run(clone.script("pages.sh", &[]));
    assert_ne!(told.status, Some(0));
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
    let told = with(&["git", "config", "--get-all", header]).fine();
    assert_eq!(told.stdout, "AUTHORIZATION: basic eC1hY2Nlc3MtdG9rZW46c2VjcmV0\n"); // x-access-token:secret
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
        let folder = pages.path().join("data/hosted-x64");
        fs::create_dir_all(&folder).unwrap();
        for (id, profile) in runs {
            fs::write(folder.join(format!("{id}.json")), record("hosted-x64", id, profile)).unwrap();
        }
        Self { checkout, pages }
    }

    /// `results.sh` for this run.
    fn write(&self, id: &str, readme: &str) -> CommandOutput {
        let record = self.pages.path().join(format!("data/hosted-x64/{id}.json"));
        let arguments = [record.to_str().unwrap(), self.pages.path().to_str().unwrap(), readme];
        CommandOutput::run(self.checkout.script("results.sh", &arguments))
    }

    /// Records in bench-results/, sorted.
    fn records(&self) -> Vec<String> {
        let folder = self.checkout.root().join("bench-results/hosted-x64");
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let records = files.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
        let mut names: Vec<String> = records
            .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

const FIRST: &str = "20261102T002300Z-1";
const SECOND: &str = "20261109T002300Z-1";
const THIRD: &str = "20261116T002300Z-1";

#[test]
fn a_pull_request_brings_every_record_that_main_does_not_have() {
    let lane = Lane::publishing(&[(FIRST, "weekly"), (SECOND, "smoke"), (THIRD, "weekly")]);
    let told = lane.write(THIRD, "false").fine();
    assert_eq!(lane.records(), [FIRST, SECOND, THIRD].map(|id| format!("{id}.json")));
    assert_eq!(
        output(&told, "record"),
        format!("bench-results/hosted-x64/{THIRD}.json")
    );
    assert_eq!(output(&told, "id"), THIRD);
    let previous = Path::new(output(&told, "previous"));
    assert!(
        previous.ends_with(format!("{FIRST}.json")),
        "the one that asked the same: {told:#?}"
    );
    for written in ["summary.md", "charts/overview.svg"] {
        assert!(
            lane.checkout
                .root()
                .join("bench-results/hosted-x64")
                .join(written)
                .is_file(),
            "{written}"
        );
    }
    assert_eq!(
        fs::read_to_string(lane.checkout.root().join("README.md")).unwrap(),
        README
    );
}

#[test]
fn a_record_of_the_future_is_not_proposed_and_hides_none() {
    let far = "99991230T220000Z-1";
    let lane = Lane::publishing(&[(FIRST, "weekly"), (SECOND, "weekly"), (far, "weekly")]);
    lane.write(FIRST, "false").fine();
    let told = lane.write(SECOND, "false").fine();
    assert_eq!(lane.records(), [FIRST, SECOND].map(|id| format!("{id}.json")));
    assert!(
        output(&told, "previous").ends_with(&format!("{FIRST}.json")),
        "{told:#?}"
    );
}

#[test]
fn the_newest_record_comes_with_all_its_digits_and_without_its_slices() {
    let lane = Lane::publishing(&[(FIRST, "weekly")]);
    let measured = lane.checkout.root().join("measured.json");
    let published = lane.pages.path().join(format!("data/hosted-x64/{FIRST}.json"));
    let mut record: serde_json::Value = serde_json::from_str(&fs::read_to_string(&published).unwrap()).unwrap();
    let columns = [
        "sub_round",
        "place",
        "answers",
        "length_us",
        "server_cpu_us",
        "generator_cpu_us",
        "other_cpu_us",
    ];
    let slices: serde_json::Map<_, _> = columns
        .map(|name| (name.to_owned(), serde_json::json!([1])))
        .into_iter()
        .collect();
    record["trials"][0]["slices"] = slices.into();
    fs::write(&measured, record.to_string()).unwrap();
    fs::write(&published, Published::read(&measured).unwrap().text).unwrap();
    let arguments = [measured.to_str().unwrap(), lane.pages.path().to_str().unwrap(), "false"];
    CommandOutput::run(lane.checkout.script("results.sh", &arguments)).fine();
    let proposed = lane
        .checkout
        .root()
        .join(format!("bench-results/hosted-x64/{FIRST}.json"));
    let mut wanted = judge::reading::read(&measured).unwrap();
    assert!(wanted.trials[0].slices.is_some());
    wanted.trials.iter_mut().for_each(|trial| trial.slices = None);
    assert!(
        judge::reading::read(&proposed).unwrap() == wanted,
        "{}",
        proposed.display()
    );
}

#[test]
fn what_was_taken_out_of_main_stays_out() {
    let lane = Lane::publishing(&[(FIRST, "weekly"), (SECOND, "weekly"), (THIRD, "weekly")]);
    let second = format!("bench-results/hosted-x64/{SECOND}.json");
    lane.checkout
        .commit(&[(&second, &record("hosted-x64", SECOND, "weekly"))]);
    lane.write(THIRD, "false").fine();
    assert_eq!(lane.records(), [SECOND, THIRD].map(|id| format!("{id}.json")));
}

#[test]
fn readme_shows_the_lane_that_it_is_told_to() {
    let lane = Lane::publishing(&[(FIRST, "weekly")]);
    let told = lane.write(FIRST, "true").fine();
    assert_eq!(output(&told, "previous"), "");
    let readme = fs::read_to_string(lane.checkout.root().join("README.md")).unwrap();
    assert!(
        readme.contains("bench-results/hosted-x64/charts/overview.svg"),
        "{readme}"
    );
    assert!(!readme.contains("the block before"));
}

#[test]
fn what_is_not_published_is_not_proposed() {
    let lane = Lane::publishing(&[(FIRST, "weekly")]);
    let elsewhere = lane.pages.path().join("elsewhere.json");
    let propose = |content: String| {
        fs::write(&elsewhere, content).unwrap();
        let arguments = [
            elsewhere.to_str().unwrap(),
            lane.pages.path().to_str().unwrap(),
            "false",
        ];
        CommandOutput::run(lane.checkout.script("results.sh", &arguments))
    };
    let told = propose(record("hosted-x64", SECOND, "weekly"));
    assert!(
        told.status == Some(1) && told.stderr.contains("publish it first"),
        "{told:#?}"
    );
    let told = propose(record("../..", SECOND, "weekly"));
    assert!(
        told.status == Some(1) && told.stderr.contains("is no name"),
        "{told:#?}"
    );
    assert_eq!(lane.checkout.git(&["status", "--porcelain", "bench-results"]), "");
}

#[test]
fn a_commit_that_was_measured_is_found_again() {
    let artifact = |id: u32, name: &str, head: &str, expired: bool| json!({"id": id, "name": name, "expired": expired, "workflow_run": {"id": 1000 + id, "head_sha": head}});
    let world = World::new();
    let earlier = |pages: &[Value]| {
        world.set("artifacts", pages);
        CommandOutput::run(world.script("earlier.sh", &["owner/name", "abc"]))
            .fine()
            .stdout
    };
    let first = json!({"artifacts": [
        artifact(5, "comparison", "other", false),
        artifact(4, "comparison", "abc", true),
        artifact(2, "comparison", "abc", false),
    ]});
    let second =
        json!({"artifacts": [artifact(3, "comparison", "abc", false), artifact(6, "comparison-2", "abc", false)]});
    assert_eq!(earlier(&[first.clone(), second]), "run=1003\n");
    assert_eq!(world.asked(), ["GET repos/owner/name/actions/artifacts"]);
    assert_eq!(earlier(&[first]), "run=1002\n");
    assert_eq!(earlier(&[json!({"artifacts": []})]), "run=\n");

    world.fail(&["GET artifacts gh: Not Found (HTTP 404)"]);
    let told = CommandOutput::run(world.script("earlier.sh", &["owner/name", "abc"]));
    failed(&told, "the token needs the permission actions: read");
    assert_eq!(told.stdout, "");
}

#[test]
fn the_site_has_an_address_that_no_event_must_tell() {
    let address = |repository: &str| {
        let mut command = script(".github/scripts/site-url.sh", &[]);
        command.env("GITHUB_REPOSITORY", repository);
        CommandOutput::run(command).fine().stdout
    };
    assert_eq!(address("Owner/Name"), "https://owner.github.io/Name/\n");
    assert_eq!(address("Owner/owner.github.io"), "https://owner.github.io/\n");
}
