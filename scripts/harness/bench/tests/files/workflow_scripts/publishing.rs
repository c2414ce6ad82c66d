//! From the handover to the pull request: `take.sh`, `pages.sh`, `with-token.sh`, `results.sh`, and the check that its pull request requires.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use model::probe::Group;
use model::store;
use serde_json::{Value, json};

use super::{CommandOutput, Repository, git, newest_in, output, root, script};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
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

/// A checkout whose README is this repository's, and a checkout of gh-pages.
struct Week {
    checkout: Repository,
    pages: tempfile::TempDir,
}

/// The repository's newest record or document of probes in a folder of bench-results.
fn newest(folder: &str) -> Value {
    let path = newest_in(folder);
    serde_json::from_str(&store::read_text(&path, store::LARGEST).unwrap()).unwrap()
}

impl Week {
    fn new() -> Self {
        let checkout = Repository::new();
        fs::create_dir_all(checkout.root().join("scripts/harness")).unwrap();
        let docs = "scripts/harness/docs";
        std::os::unix::fs::symlink(root().join(docs), checkout.root().join(docs)).unwrap();
        let same = |file: &str| (file.to_owned(), fs::read_to_string(root().join(file)).unwrap());
        let files = [same("README.md"), same("bench-results/probes/summary.md")];
        let files = files.each_ref().map(|(name, text)| (name.as_str(), text.as_str()));
        checkout.commit(&files);
        let pages = tempfile::tempdir().unwrap();
        git(pages.path(), &["init", "--quiet", "--initial-branch=gh-pages"]);
        Self { checkout, pages }
    }

    /// Publishes a document as a lane does, with this day as its id.
    fn publish(&self, folder: &str, mut document: Value, day: &str) {
        let time = format!("{}-{}-{}T00:23:00Z", &day[..4], &day[4..6], &day[6..]);
        document["id"] = json!(format!("{day}T002300Z-1"));
        (document["started_at"], document["finished_at"]) = (json!(time), json!(time));
        let file = self.checkout.root().join(format!(".git/{folder}/{day}.json"));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, document.to_string()).unwrap();
        let pages = text(self.pages.path());
        let arguments = ["publish", text(&file), "--pages", pages, "--accept-moved"];
        let mut bench = Command::new(env!("CARGO_BIN_EXE_bench"));
        bench
            .args(arguments)
            .env("BENCH_ROOT", root())
            .env("GITHUB_ACTIONS", "false");
        CommandOutput::run(bench).fine();
        git(self.pages.path(), &["add", "--all"]);
        git(self.pages.path(), &["commit", "--quiet", "--message=Publish"]);
        let to = "+gh-pages:refs/remotes/origin/gh-pages";
        self.checkout.git(&["fetch", "--quiet", pages, to]);
    }

    fn run(&self, lane: &str, profile: &str, day: &str, folder: &str) {
        let mut record = newest(folder);
        (record["lane"], record["profile"]) = (json!(lane), json!(profile));
        record["harness"]["whole"] = json!(profile != "partial");
        self.publish(lane, record, day);
    }

    fn probes(&self, kind: Group, day: &str) {
        let mut probes = newest("probes");
        if kind == Group::Database {
            probes["origin"]["whole"] = json!(false);
            let cases = probes["cases"].as_array_mut().unwrap().iter_mut();
            cases.for_each(|case| case["group"] = json!("database"));
        }
        self.publish("probes", probes, day);
    }

    /// The title of what is proposed, committed as it is.
    fn propose(&self, lane: &str) -> String {
        let body = self.checkout.root().join(".git/body.md");
        let arguments = [
            lane,
            text(self.pages.path()),
            text(&body),
            "https://github.example/o/n/blob",
        ];
        let printed = CommandOutput::run(self.checkout.script("results.sh", &arguments)).fine();
        self.checkout.git(&["add", "--all"]);
        output(&printed, "title").to_owned()
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.checkout.root().join(file)).unwrap()
    }

    /// What the pull request would change.
    fn changes(&self) -> Vec<String> {
        let names = self.checkout.git(&["diff", "--cached", "--name-only"]);
        names.lines().map(str::to_owned).collect()
    }

    fn merge(&self) {
        self.checkout.git(&["commit", "--quiet", "--message=Results"]);
    }

    /// What every pull request requires of README's block: status, and what is said.
    fn check(&self) -> (Option<i32>, String) {
        let mut python = Command::new("python3");
        python.args(["scripts/harness/docs/readme.py", "--block"]);
        let checked = CommandOutput::run({
            python.current_dir(self.checkout.root());
            python
        });
        (checked.status, checked.stdout)
    }
}

const LANE: &str = "hosted-x64";

#[test]
fn a_pull_request_brings_figures_and_no_record_and_readme_loses_nothing() {
    let week = Week::new();
    assert_eq!(week.propose(LANE), "", "nothing is published");
    week.run(LANE, "weekly", "20261102", "local");
    week.run(LANE, "partial", "20261103", "local");
    week.run("hosted-arm64", "weekly", "20261104", "local");
    let title = week.propose(LANE);
    assert_eq!(
        title,
        "hosted-x64 2026-11-02: No failure, first run of its series (weekly)"
    );
    // README would lose the columns of PostgreSQL and of the rules.
    let folder = "bench-results/hosted-x64";
    let wanted = ["charts/overview.svg", "figures.json", "summary.md"].map(|file| format!("{folder}/{file}"));
    assert_eq!(week.changes(), wanted);
    let figures: Value = serde_json::from_str(&week.read(&wanted[1])).unwrap();
    let place = "https://github.example/o/n/blob/gh-pages/runs/hosted-x64/20261102T002300Z-1.json.gz";
    assert_eq!(figures["record"]["url"], json!(place));
    let (body, summary) = (week.read(".git/body.md"), week.read(&wanted[2]));
    let sha = figures["record"]["sha256"].as_str().unwrap();
    assert!(summary.contains(place) && summary.contains(sha), "{summary}");
    let chart = format!("https://github.example/o/n/blob/{folder}/{folder}/charts/overview.svg");
    assert!(
        body.starts_with("# weekly, 2026-11-02\n\n**No failure") && body.contains(&chart),
        "{body}"
    );
    week.merge();
    assert_eq!(week.propose(LANE), "", "main has it");
}

mod slow {
    use super::*;

    /// Its pull request must not be red, and neither must be all others once it is merged.
    #[test]
    fn all_that_a_week_brings_passes_the_check_of_its_pull_request_and_so_does_main() {
        for lane in ["hosted-arm64", LANE] {
            let week = Week::new();
            let folder = format!("bench-results/{lane}");
            week.run(lane, "weekly", "20261102", "local");
            week.probes(Group::Fields, "20261102");
            for (profile, day, of) in [
                ("database", "20261103", "local/database"),
                ("drivers", "20261104", "local/drivers"),
                ("services", "20261105", "local/services"),
                ("variants", "20261106", "local"),
            ] {
                week.run(lane, profile, day, of);
            }
            week.probes(Group::Database, "20261103");
            let title = week.propose(lane);
            assert!(
                title.starts_with(&format!("{lane} 2026-11-06: "))
                    && title.contains("nothing begins to fail (probes, probes of database)"),
                "{title}"
            );
            let changes = week.changes();
            for profile in ["", "/database", "/drivers", "/services", "/variants"] {
                assert!(
                    changes.contains(&format!("{folder}{profile}/figures.json")),
                    "{changes:?}"
                );
            }
            assert!(
                !changes.iter().any(|file| file.contains(".gz")),
                "no record: {changes:?}"
            );
            let readme = week.read("README.md");
            for kept in [
                &format!("[All results]({folder}/summary.md)"),
                "With one PostgreSQL row behind it",
                "Of the HTTP rules",
                &format!("runs/{lane}/20261103T002300Z-1.json.gz"),
            ] {
                assert!(readme.contains(kept), "{kept}: {readme}");
            }
            let fine = (Some(0), "README.md says what its records say\n".to_owned());
            assert_eq!(week.check(), fine, "the pull request");
            week.merge();

            // Runs of the next week change nothing on main, until they are proposed.
            week.run(lane, "weekly", "20261109", "local");
            week.probes(Group::Fields, "20261110");
            assert_eq!(week.check(), fine, "main, and every other pull request");
            week.propose(lane);
            assert!(week.read("README.md").contains("With one PostgreSQL row behind it"));
            assert_eq!(week.check(), fine, "a week in which nothing else was measured");
            week.merge();

            // Four sessions, of which some are later than the one that README shows.
            week.run(lane, "weekly", "20261116", "local");
            week.run(lane, "variants", "20261120", "local");
            week.propose(lane);
            assert!(week.read("README.md").contains("another session"));
            assert_eq!(week.check(), fine, "a week in which intervals hold for other sessions");
            week.merge();
            week.run(lane, "variants", "20261121", "local");
            assert_eq!(week.check(), fine, "main");

            let other = week.read("README.md").replacen("| **best** | ", "| +99 % | ", 1);
            week.checkout.commit(&[("README.md", &other)]);
            let (status, said) = week.check();
            assert!(status == Some(1) && said.contains("row of "), "{said}");
            week.checkout.git(&["update-ref", "-d", "refs/remotes/origin/gh-pages"]);
            let (status, said) = week.check();
            assert!(
                status == Some(0) && said.starts_with("not checked: the results block"),
                "{said}"
            );
        }
    }
}
