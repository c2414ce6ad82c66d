//! From the handover to gh-pages: `take.sh`, `pages.sh`, `with-token.sh`, `publish.sh`. What they do when all goes well, and what `results.sh`
//! proposes, `./scripts/rehearse month` shows.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::{CommandOutput, git, script};

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
    let take = || CommandOutput::run(script_in(folder.path(), "take.sh", &[text(&program), text(&records)]));
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

/// An empty repository, whose remote `origin` this is.
fn clone_of(origin: &str) -> tempfile::TempDir {
    let clone = tempfile::tempdir().unwrap();
    git(clone.path(), &["init", "--quiet"]);
    git(clone.path(), &["remote", "add", "origin", origin]);
    clone
}

fn script_in(folder: &Path, name: &str, arguments: &[&str]) -> Command {
    let mut command = script(&format!(".github/scripts/{name}"), arguments);
    command.current_dir(folder);
    command
}

#[test]
fn a_remote_that_does_not_answer_is_no_empty_one() {
    let clone = clone_of("/no/such/repository");
    let answer = CommandOutput::run(script_in(clone.path(), "pages.sh", &[]));
    assert_ne!(answer.status, Some(0));
    assert_eq!(git(clone.path(), &["branch", "--list", "gh-pages"]), "");
}

#[test]
fn a_token_is_given_to_git_and_to_nothing_else() {
    let clone = clone_of("/no/such/repository");
    let header = "http.https://github.example/.extraheader";
    let with = |arguments: &[&str]| {
        let mut command = script_in(clone.path(), "with-token.sh", arguments);
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
    let committer = with(&["git", "var", "GIT_COMMITTER_IDENT"]).fine().stdout;
    assert!(committer.starts_with("github-actions[bot] <"), "{committer}");
    assert_eq!(with(&["sh", "-c", "exit 7"]).status, Some(7));
    let config = fs::read_to_string(clone.path().join(".git/config")).unwrap();
    assert!(!config.contains("extraheader"), "{config}");
    let without = script_in(clone.path(), "with-token.sh", &["true"]);
    assert_ne!(CommandOutput::run(without).status, Some(0));
}

/// A second run of a lane appends to the same chart as the first, and a branch may be closed.
#[test]
fn what_cannot_be_pushed_is_an_error_and_nothing_is_lost() {
    let bare = tempfile::tempdir().unwrap();
    git(bare.path(), &["init", "--quiet", "--bare"]);
    let clone = clone_of(text(bare.path()));
    CommandOutput::run(script_in(clone.path(), "pages.sh", &[])).fine();
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = ["one", "other"].map(|name| {
        git(
            folder.path(),
            &["clone", "--quiet", "--branch=gh-pages", text(bare.path()), name],
        );
        folder.path().join(name)
    });
    let push = |checkout: &Path, file: &str| {
        fs::write(checkout.join(file), text(checkout)).unwrap();
        let mut publish = script_in(checkout, "publish.sh", &[text(checkout), "Publish"]);
        publish.env("TRIES", "1");
        CommandOutput::run(publish)
    };
    let tip = || git(bare.path(), &["rev-parse", "gh-pages"]);
    push(&one, "data.js").fine();
    let first = tip();
    let refused = push(&other, "data.js");
    assert_eq!((refused.status, tip()), (Some(2), first.clone()), "{refused:#?}");
    assert!(
        refused.stderr.contains("does not go on top of gh-pages of origin"),
        "{refused:#?}"
    );

    let hook = bare.path().join("hooks/pre-receive");
    fs::write(&hook, "#!/bin/sh\necho 'the branch is closed' >&2; exit 1\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let refused = push(&one, "another.json");
    assert_eq!((refused.status, tip()), (Some(2), first), "{refused:#?}");
    assert!(refused.stderr.contains("the branch is closed"), "{refused:#?}");
    fs::remove_file(hook).unwrap();
    push(&one, "another.json").fine();
    let published = git(bare.path(), &["ls-tree", "--name-only", "gh-pages"]);
    assert_eq!(published, ".nojekyll\nanother.json\ndata.js");
}
