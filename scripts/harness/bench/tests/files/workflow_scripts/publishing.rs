//! From the handover to the pull request: `take.sh`, `charts.sh`, `pages.sh`, `with-token.sh`, `site-url.sh`, `results.sh`,
//! `probed.sh`, `pack.sh`, `unpack.sh`, `earlier.sh`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use model::probe::Group;
use model::store;
use serde_json::{Value, json};

use super::{CommandOutput, Repository, git, json_output, output, root, script};
use crate::github::world::{World, failed};

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
    let mut records: Vec<_> = records
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("20"))
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

/// The program of a build, as an artifact leaves it (not to be executed), with its digest.
fn built(folder: &Path) -> (PathBuf, String) {
    let program = folder.join("bench");
    fs::write(&program, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o644)).unwrap();
    let digest = digest(&program);
    (program, digest)
}

fn digest(file: &Path) -> String {
    let mut sum = Command::new("sha256sum");
    sum.arg(file);
    let told = CommandOutput::run(sum).fine();
    told.stdout.split_whitespace().next().unwrap().to_owned()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn what_was_built_is_taken_over_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let (program, digest) = built(folder.path());
    let (into, records) = (folder.path().join("into"), folder.path().join("records"));
    fs::create_dir(&records).unwrap();
    let take = |lane: &str| {
        let arguments = [text(&program), &digest, text(&into), text(&records), lane];
        CommandOutput::run(script(".github/scripts/take.sh", &arguments))
    };
    assert!(take("hosted-x64").stderr.contains("0 records where one was expected"));

    let name = "20261121T110000Z-2a.json";
    fs::write(
        records.join(name),
        record("hosted-x64", "20261121T110000Z-2a", "weekly"),
    )
    .unwrap();
    let told = take("hosted-x64").fine();
    let bench = Path::new(output(&told, "bench"));
    assert_eq!(
        fs::metadata(bench).unwrap().permissions().mode() & 0o777,
        0o700,
        "{told:#?}"
    );
    assert_eq!(Path::new(output(&told, "record")), records.join(name));

    let other = take("self-hosted");
    assert!(
        other.status == Some(1) && other.stderr.contains("its lane is not self-hosted"),
        "{other:#?}"
    );
    fs::write(records.join("b.json"), "{}").unwrap();
    assert!(take("hosted-x64").stderr.contains("2 records where one was expected"));

    // What breaks has no lane.
    fs::remove_file(records.join("b.json")).unwrap();
    fs::write(records.join(name), "{}").unwrap();
    take("probes").fine();
    assert!(take("hosted-x64").stderr.contains("its lane is not hosted-x64"));

    // The site is published without one.
    let arguments = [text(&program), &digest, text(&into)];
    let alone = CommandOutput::run(script(".github/scripts/take.sh", &arguments)).fine();
    assert_eq!(alone.stdout, format!("bench={}\n", bench.display()));
}

/// A name stands in summaries, which are Markdown, and in outputs of steps, which are lines.
#[test]
fn a_record_with_a_name_that_could_mean_something_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (program, digest) = built(folder.path());
    for name in [
        "a`<script>.json",
        "a b.json",
        "[a](b).json",
        "..json",
        "$(id).json",
        "a\nbench=x.json",
        "\u{1b}[31m.json",
    ] {
        let records = tempfile::tempdir().unwrap();
        fs::write(records.path().join(name), record("hosted-x64", "a", "weekly")).unwrap();
        let into = folder.path().join("into");
        let arguments = [text(&program), &digest, text(&into), text(records.path()), "hosted-x64"];
        let told = CommandOutput::run(script(".github/scripts/take.sh", &arguments));
        assert_eq!((told.status, told.stderr.lines().count()), (Some(1), 1), "{told:#?}");
        assert!(
            told.stderr.starts_with("error: the name ") && told.stderr.contains("is not that of a record"),
            "{told:#?}"
        );
        assert!(
            !told.stdout.contains("record=") && !told.stderr.contains('\u{1b}'),
            "{told:#?}"
        );
    }
}

/// The attack: what a build script leaves behind waits until the digest of what was built is taken, and then replaces it.
#[test]
fn a_bench_that_a_build_script_replaced_is_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let (program, digest) = built(folder.path());
    let mut build = script(
        "scripts/harness/bench/tests/fixtures/builds/replaces-bench.sh",
        &[text(&program)],
    );
    build.env("WAIT_FOR", folder.path().join("digest-is-taken"));
    assert!(build.status().unwrap().success(), "the build is over");
    fs::write(folder.path().join("digest-is-taken"), "").unwrap();
    let replaced = || fs::read_to_string(&program).unwrap().contains("stolen");
    for _ in 0..200 {
        if replaced() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(replaced(), "what the build left behind did its work");

    let into = folder.path().join("into");
    let arguments = [text(&program), &digest, text(&into)];
    let told = CommandOutput::run(script(".github/scripts/take.sh", &arguments));
    assert_eq!((told.status, told.stdout.as_str()), (Some(1), ""), "{told:#?}");
    assert_eq!(
        told.stderr,
        format!(
            "error: {0}: it is not what was built: its digest is {1} and not {digest}; find out who replaced it\n",
            program.display(),
            self::digest(&program)
        )
    );
    assert!(!into.join("bench").exists(), "nothing of it is left to be run");
}

/// What `write` hands to the jobs that may push and open issues.
struct Packed {
    folder: tempfile::TempDir,
    sha256: String,
}

impl Packed {
    /// Of a checkout that was changed, with its texts.
    fn new(checkout: &Repository) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("body.md"), "the text\n").unwrap();
        fs::write(folder.path().join("history.md"), "").unwrap();
        let archive = folder.path().join("results.tar");
        let told = CommandOutput::run(checkout.script("pack.sh", &[text(&archive), text(folder.path())])).fine();
        Self {
            sha256: output(&told, "sha256").to_owned(),
            folder,
        }
    }

    fn archive(&self) -> PathBuf {
        self.folder.path().join("results.tar")
    }

    /// Adds to it what no checkout has, and takes the digest again.
    fn add(&mut self, arguments: &[&str]) {
        let mut tar = Command::new("tar");
        tar.args(["--append", "--file"])
            .arg(self.archive())
            .args(arguments)
            .current_dir(self.folder.path());
        CommandOutput::run(tar).fine();
        self.sha256 = digest(&self.archive());
    }

    /// Into a checkout, what the weekly run of a lane may change.
    fn unpack(&self, checkout: &Repository) -> CommandOutput {
        self.unpack_of("hosted-x64", "results", checkout)
    }

    fn unpack_of(&self, folder: &str, block: &str, checkout: &Repository) -> CommandOutput {
        let (archive, into) = (self.archive(), tempfile::tempdir().unwrap());
        let arguments = [
            text(&archive),
            &self.sha256,
            folder,
            text(into.path()),
            text(checkout.root()),
            block,
        ];
        CommandOutput::run(checkout.script("unpack.sh", &arguments))
    }
}

#[test]
fn what_a_lane_proposes_comes_as_plain_files_and_changes_results_only() {
    let lane = Lane::publishing(&[(FIRST, "weekly")]);
    lane.write(FIRST, "results").fine();
    let readme = fs::read_to_string(lane.checkout.root().join("README.md")).unwrap();
    let packed = Packed::new(&lane.checkout);
    let written = lane.checkout.git(&["ls-files", "--others", "--modified"]);

    // Meanwhile somebody changed another line of README.md.
    let other = Repository::new();
    other.commit(&[("README.md", &README.replace("# Title", "# Another title"))]);
    assert_eq!(packed.unpack(&other).fine().stdout, "");
    assert_eq!(other.git(&["ls-files", "--others", "--modified"]), written);
    assert_eq!(
        fs::read_to_string(other.root().join("README.md")).unwrap(),
        readme.replace("# Title", "# Another title")
    );
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
pub(super) fn hosted() -> (tempfile::TempDir, Repository) {
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
        for (id, profile) in runs {
            published(pages.path(), "hosted-x64", id, &record("hosted-x64", id, profile));
        }
        Self { checkout, pages }
    }

    /// `results.sh` for this run of the lane's own kind.
    fn write(&self, id: &str, block: &str) -> CommandOutput {
        let record = self.pages.path().join(format!("{id}.json"));
        let arguments = [text(&record), text(self.pages.path()), "hosted-x64", block];
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
const FOURTH: &str = "20261117T002300Z-1";
const FIFTH: &str = "20261118T002300Z-1";

#[test]
fn a_pull_request_brings_every_record_that_main_does_not_have() {
    let lane = Lane::publishing(&[(FIRST, "weekly"), (SECOND, "smoke"), (THIRD, "weekly")]);
    let told = lane.write(THIRD, "").fine();
    assert_eq!(
        lane.records(),
        [FIRST, THIRD].map(|id| format!("{id}.json")),
        "those of its kind"
    );
    assert_eq!(
        output(&told, "record"),
        format!("bench-results/hosted-x64/{THIRD}.json")
    );
    assert_eq!(output(&told, "id"), THIRD);
    let previous = Path::new(output(&told, "previous"));
    assert!(
        previous.ends_with(format!("{FIRST}.json.gz")),
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

/// What the schedule of a day plans for hosted-x64 is written and proposed, as lane.yml and the action of its pull request do it: from
/// the newest `main`, onto a branch that is made again. Returns the branch.
fn proposed(cron: &str, profile: &str, id: &str, pages: &Path, remote: &Path) -> String {
    let (writer, proposer) = (Repository::clone_of(remote), Repository::clone_of(remote));
    let mut plan = writer.script("lanes.sh", &[]);
    plan.env("SCHEDULE", cron).env("REF", "refs/heads/main");
    let plan = CommandOutput::run(plan).fine();
    assert_eq!(output(&plan, "profile"), profile);
    let lanes = json_output(&plan, "lanes");
    let planned = |field: &str| lanes["hosted-x64"][field].as_str().unwrap().to_owned();
    let (folder, branch, block) = (planned("folder"), planned("branch"), planned("readme"));

    let measured = published(pages, "hosted-x64", id, &record("hosted-x64", id, profile));
    let arguments = [text(&measured), text(pages), &folder, &block];
    CommandOutput::run(writer.script("results.sh", &arguments)).fine();
    Packed::new(&writer).unpack_of(&folder, &block, &proposer).fine();
    proposer.git(&["switch", "--quiet", "--create", &branch]);
    proposer.git(&["add", "bench-results", "README.md"]);
    proposer.git(&["commit", "--quiet", "--message=Add results"]);
    proposer.git(&["push", "--quiet", "--force", "origin", &branch]);
    branch
}

#[test]
fn readme_shows_the_lane_that_it_is_told_to() {
    let lane = Lane::publishing(&[(FIRST, "weekly")]);
    let told = lane.write(FIRST, "results").fine();
    assert_eq!(output(&told, "previous"), "");
    let readme = fs::read_to_string(lane.checkout.root().join("README.md")).unwrap();
    assert!(
        readme.contains("bench-results/hosted-x64/charts/overview.svg"),
        "{readme}"
    );
    assert!(!readme.contains("the block before"));
}

#[test]
fn what_was_compared_is_found_again_by_base_and_head() {
    let artifact = |id: u32, name: &str, head: &str, expired: bool| json!({"id": id, "name": name, "expired": expired, "workflow_run": {"id": 1000 + id, "head_sha": head}});
    let world = World::new();
    let earlier = |pages: &[Value]| {
        world.set("artifacts", pages);
        CommandOutput::run(world.script("earlier.sh", &["owner/name", "b1", "abc"]))
            .fine()
            .stdout
    };
    let first = json!({"artifacts": [
        artifact(5, "comparison-b1", "other", false),
        artifact(4, "comparison-b1", "abc", true),
        artifact(2, "comparison-b1", "abc", false),
    ]});
    let second = json!({"artifacts": [
        artifact(3, "comparison-b1", "abc", false),
        artifact(6, "comparison-b2", "abc", false),
        artifact(7, "comparison", "abc", false),
    ]});
    assert_eq!(earlier(&[first.clone(), second]), "run=1003\n");
    assert_eq!(world.asked(), ["GET repos/owner/name/actions/artifacts"]);
    assert_eq!(earlier(&[first]), "run=1002\n");
    let edited = json!({"artifacts": [artifact(8, "comparison-b2", "abc", false)]});
    assert_eq!(
        earlier(&[edited]),
        "run=\n",
        "with another base, nothing was compared yet"
    );

    world.fail(&["GET artifacts gh: Not Found (HTTP 404)"]);
    let told = CommandOutput::run(world.script("earlier.sh", &["owner/name", "b1", "abc"]));
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
        let url = "https://github.example/probes";
        let arguments = [text(document), text(pages.path()), text(texts.path()), folder, url];
        CommandOutput::run(repository.script("probed.sh", &arguments))
    };
    let body = || fs::read_to_string(texts.path().join("body.md")).unwrap();
    let (first, second) = (document(FIRST, Kind::Whole), document(SECOND, Kind::Whole));
    assert_eq!(probed(&second, "probes").fine().stdout, format!("id={SECOND}\n"));
    let proposed = repository.root().join("bench-results/probes");
    assert_eq!(
        fs::read(proposed.join(first.file_name().unwrap())).unwrap(),
        fs::read(&first).unwrap(),
        "the week whose pull request was not merged comes, too"
    );
    let summary = |folder: &str| fs::read_to_string(repository.root().join(folder).join("summary.md")).unwrap();
    assert!(summary("bench-results/probes").starts_with("# What breaks"));
    for wanted in [
        &format!("[{SECOND}](https://github.example/probes/{SECOND}.json)"),
        "No case began or ceased to fail.",
        "[summary](https://github.example/probes/summary.md)",
    ] {
        assert!(body().contains(wanted), "{wanted}: {}", body());
    }

    // Those of some apps, and those of servers with a database, have places of their own.
    let (third, fourth) = (document(THIRD, Kind::Partial), document(FOURTH, Kind::Database));
    probed(&third, "probes/partial").fine();
    assert!(body().contains("neither summary nor history"), "{}", body());
    probed(&fourth, "probes/database").fine();
    assert!(summary("bench-results/probes/database").starts_with("# What breaks"));
    assert!(
        body().contains("Every case is in the [summary]") && !body().contains("began or ceased"),
        "{}",
        body()
    );
    repository.git(&["add", "bench-results"]);
    let documents = repository.git(&["ls-files", "bench-results"]);
    let wanted = [
        format!("bench-results/probes/{FIRST}.json"),
        format!("bench-results/probes/{SECOND}.json"),
        format!("bench-results/probes/database/{FOURTH}.json"),
        "bench-results/probes/database/summary.md".to_owned(),
        format!("bench-results/probes/partial/{THIRD}.json"),
        "bench-results/probes/summary.md".to_owned(),
    ];
    assert_eq!(documents.lines().collect::<Vec<_>>(), wanted);

    // One that was to be whole and is not changes no summary.
    let narrowed = document(FIFTH, Kind::Partial);
    fs::write(proposed.join("summary.md"), "as it was").unwrap();
    probed(&narrowed, "probes").fine();
    assert!(proposed.join(format!("{FIFTH}.json")).is_file());
    assert_eq!(summary("bench-results/probes"), "as it was");

    fs::remove_file(pages.path().join(format!("runs/probes/{SECOND}.json.gz"))).unwrap();
    let told = probed(&second, "probes");
    assert_eq!(told.status, Some(1));
    assert!(told.error().contains("is not on gh-pages"), "{told:#?}");
}

/// What a document of probes is of.
#[derive(PartialEq, Clone, Copy)]
enum Kind {
    Whole,
    Partial,
    Database,
}

mod slow {
    use super::*;

    /// Nobody merges anything until Wednesday: each day's pull request stands beside those before it, and in any order they come together.
    #[test]
    fn a_week_of_pull_requests_that_wait_loses_nothing() {
        const MONDAY: &str = "20261102T002300Z-1";
        const TUESDAY: &str = "20261103T002300Z-1";
        const WEDNESDAY: &str = "20261104T002300Z-1";
        const NEXT_MONDAY: &str = "20261109T002300Z-1";
        let (bare, clone) = hosted();
        let blocks = format!(
            "{README}\n## With a database\n\n<!-- database-results:begin -->\nthe table before\n<!-- database-results:end -->\n"
        );
        clone.commit(&[("README.md", &blocks)]);
        clone.git(&["push", "--quiet", "origin", "main"]);
        let pages = tempfile::tempdir().unwrap();
        let day = |cron: &str, profile: &str, id: &str| proposed(cron, profile, id, pages.path(), bare.path());

        let branches = [
            day("23 0 * * 1", "weekly", MONDAY),
            day("23 0 * * 2", "database", TUESDAY),
            day("23 0 * * 3", "drivers", WEDNESDAY),
        ];
        let changed = branches.clone().map(|branch| {
            let files = git(bare.path(), &["diff", "--name-only", "main", &branch]);
            let results = files.lines().filter(|file| *file != "README.md");
            results.map(String::from).collect::<Vec<_>>()
        });
        for (files, (folder, id)) in changed.iter().zip([
            ("hosted-x64", MONDAY),
            ("hosted-x64/database", TUESDAY),
            ("hosted-x64/drivers", WEDNESDAY),
        ]) {
            for wanted in [&format!("{id}.json"), "summary.md", "charts/overview.svg"] {
                assert!(
                    files.contains(&format!("bench-results/{folder}/{wanted}")),
                    "{folder}/{wanted}: {files:?}"
                );
            }
        }
        for (one, other) in [(0, 1), (0, 2), (1, 2)] {
            let both: Vec<_> = changed[one]
                .iter()
                .filter(|file| changed[other].contains(file))
                .collect();
            assert!(both.is_empty(), "{} and {}: {both:?}", branches[one], branches[other]);
        }

        // The last first, and Monday's only a week later.
        let merge = |branch: &String| {
            clone.git(&["fetch", "--quiet", "origin"]);
            clone.git(&["merge", "--quiet", "--no-edit", &format!("origin/{branch}")]);
            clone.git(&["push", "--quiet", "origin", "main"]);
        };
        let readme = || fs::read_to_string(clone.root().join("README.md")).unwrap();
        merge(&branches[2]);
        assert_eq!(readme(), blocks, "README.md shows no drivers");
        merge(&branches[1]);
        assert!(
            readme().contains("the block before") && !readme().contains("the table before"),
            "{}",
            readme()
        );
        assert_eq!(day("23 0 * * 1", "weekly", NEXT_MONDAY), branches[0]);
        merge(&branches[0]);
        let merged = readme();
        let (results, database) = merged.split_once("## With a database").unwrap();
        for (block, folder, id, scenario) in [
            (results, "hosted-x64", NEXT_MONDAY, "**plaintext**"),
            (database, "hosted-x64/database", TUESDAY, "**db**"),
        ] {
            for wanted in [
                &format!("(bench-results/{folder}/charts/overview.svg)"),
                &format!("(bench-results/{folder}/{id}.json)"),
                scenario,
            ] {
                assert!(block.contains(wanted), "{wanted}: {block}");
            }
        }
        let records = clone.git(&["ls-files", "bench-results/**/2*.json"]);
        let wanted = [
            format!("bench-results/hosted-x64/{MONDAY}.json"),
            format!("bench-results/hosted-x64/{NEXT_MONDAY}.json"),
            format!("bench-results/hosted-x64/database/{TUESDAY}.json"),
            format!("bench-results/hosted-x64/drivers/{WEDNESDAY}.json"),
        ];
        assert_eq!(records.lines().collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn what_is_proposed_can_be_nothing_but_results() {
        let lane = Lane::publishing(&[(FIRST, "weekly")]);
        lane.write(FIRST, "").fine();
        let victim = Repository::new();
        let refused = |packed: &Packed, reason: &str| {
            let told = packed.unpack(&victim);
            assert_eq!((told.status, told.stderr.lines().count()), (Some(1), 1), "{told:#?}");
            assert!(told.stderr.contains(reason), "{reason}: {told:#?}");
            assert_eq!(victim.git(&["status", "--porcelain"]), "", "nothing was changed");
        };
        for (name, link, reason) in [
            (
                ".github/workflows/evil.yml",
                false,
                "is no file that hosted-x64 may change",
            ),
            (
                "bench-results/hosted-arm64/a.json",
                false,
                "is no file that hosted-x64 may change",
            ),
            (
                "bench-results/hosted-x64/database/a.json",
                false,
                "is no file that hosted-x64 may change",
            ),
            (
                "bench-results/hosted-x64/a.sh",
                false,
                "is no file that hosted-x64 may change",
            ),
            (
                "bench-results/hosted-x64/.git/a.md",
                false,
                "is no file that hosted-x64 may change",
            ),
            (
                "bench-results/hosted-x64/a\nb.md",
                false,
                "is no file that hosted-x64 may change",
            ),
            ("bench-results/hosted-x64/b.md", true, "is not a plain file"),
        ] {
            let mut packed = Packed::new(&lane.checkout);
            let path = packed.folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            if link {
                std::os::unix::fs::symlink("/etc/passwd", path).unwrap();
            } else {
                fs::write(path, "x").unwrap();
            }
            packed.add(&[name]);
            refused(&packed, reason);
        }
        let packed = Packed::new(&lane.checkout);
        let archive = packed.archive();
        fs::write(&archive, [fs::read(&archive).unwrap(), vec![0]].concat()).unwrap();
        refused(&packed, "it is not what was packed: its digest is");

        let mut packed = Packed::new(&lane.checkout);
        fs::write(packed.folder.path().join("README.md"), "# Mine\n").unwrap();
        packed.add(&["README.md"]);
        refused(&packed, "README.md has not one block results");
    }

    /// Two runners are measured side by side: what moved is asked of the runs on one of them, and both are proposed.
    #[test]
    fn what_moved_is_asked_of_the_same_runner_where_there_is_one() {
        let lane = Lane::publishing(&[]);
        let publish = |id: &str, runner: &str| {
            let mut record: Value = serde_json::from_str(&record("hosted-x64", id, "weekly")).unwrap();
            record["environment"]["runner"] = json!([runner]);
            published(lane.pages.path(), "hosted-x64", id, &record.to_string());
        };
        publish(FIRST, "ubuntu-24.04");
        publish(SECOND, "ubuntu-26.04");
        publish(THIRD, "ubuntu-24.04");
        publish(FOURTH, "ubuntu-26.04");
        let previous = |id: &str| {
            let told = lane.write(id, "").fine();
            store::id_of(Path::new(output(&told, "previous"))).map(ToOwned::to_owned)
        };
        assert_eq!(previous(SECOND).as_deref(), Some(FIRST), "there is no other");
        assert_eq!(previous(FOURTH).as_deref(), Some(SECOND));
        assert_eq!(lane.records().len(), 4);
    }

    #[test]
    fn what_was_taken_out_of_main_stays_out() {
        let lane = Lane::publishing(&[(FIRST, "weekly"), (SECOND, "weekly"), (THIRD, "weekly")]);
        let second = format!("bench-results/hosted-x64/{SECOND}.json");
        lane.checkout
            .commit(&[(&second, &record("hosted-x64", SECOND, "weekly"))]);
        lane.write(THIRD, "").fine();
        assert_eq!(lane.records(), [SECOND, THIRD].map(|id| format!("{id}.json")));
    }

    #[test]
    fn a_record_of_the_future_is_not_proposed_and_hides_none() {
        let far = "99991230T220000Z-1";
        let lane = Lane::publishing(&[(FIRST, "weekly"), (SECOND, "weekly"), (far, "weekly")]);
        lane.write(FIRST, "").fine();
        let told = lane.write(SECOND, "").fine();
        assert_eq!(lane.records(), [FIRST, SECOND].map(|id| format!("{id}.json")));
        assert!(
            output(&told, "previous").ends_with(&format!("{FIRST}.json.gz")),
            "{told:#?}"
        );
    }

    #[test]
    fn what_is_not_published_is_not_proposed() {
        let lane = Lane::publishing(&[(FIRST, "weekly")]);
        let elsewhere = lane.pages.path().join("elsewhere.json");
        let propose = |content: String| {
            fs::write(&elsewhere, content).unwrap();
            let arguments = [text(&elsewhere), text(lane.pages.path()), "hosted-x64"];
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
        let told = propose(record("hosted-arm64", FIRST, "weekly"));
        assert!(
            told.status == Some(1) && told.stderr.contains("it is of hosted-arm64"),
            "{told:#?}"
        );
        assert_eq!(lane.checkout.git(&["status", "--porcelain", "bench-results"]), "");
    }
}
