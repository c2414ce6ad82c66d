//! The command and its script wherever somebody starts them: how cargo is configured, what git says, and what the disk, the network and the
//! machine's limits say. Nothing is measured here; `tests/servers/situations.rs` has what takes a run.

use std::fs;
use std::path::Path;

use crate::common::situation::{only, run};
use crate::common::{begin, copy, fixtures, git};
use crate::files::command::root;

#[test]
fn disk_network_and_limits() {
    let table = r#"
standard output is full
$ "$bench" --help >/dev/full
2 error: cannot write what this prints: No space left on device

the same, of a result
$ "$bench" doctor --format json >/dev/full
2 error: cannot write what this prints: No space left on device

standard output is closed
$ "$bench" --help >&-
0

nobody reads to the end
$ "$bench" --help | head -c 1 >/dev/null
0

stderr is full
$ "$bench" report nowhere --results . 2>/dev/full
2

stderr is closed
$ "$bench" report nowhere --results . 2>&-
2

all three are closed
$ "$bench" report nowhere --results . <&- >&- 2>&-
2

TMPDIR is missing
$ TMPDIR=/nonexistent "$bench" doctor
1 BAD    temporary files … cannot write temporary files to /nonexistent: No such file or directory

the same, of a run (cargo)
$ TMPDIR=/nonexistent BENCH_ROOT=$fixtures "$bench" run --app good
2 error: cannot write temporary files to /nonexistent: No such file or directory … TMPDIR names another folder

TMPDIR is a file
$ touch file && TMPDIR=file "$bench" doctor
1 cannot write temporary files to file: Not a directory

TMPDIR may not be written to (root)
$ mkdir t; unshare --mount true || exit 77; unshare --mount sh -c 'mount -t tmpfs -o ro none t || exit 77; TMPDIR=$PWD/t "$bench" doctor'
1 Read-only file system

TMPDIR is full (root)
$ mkdir t; unshare --mount true || exit 77; unshare --mount sh -c 'mount -t tmpfs -o size=64k none t || exit 77; TMPDIR=$PWD/t BENCH_ROOT=$fixtures "$bench" run --app good'
2 error: cannot write temporary files to … No space left on device

the results cannot be written (cargo)
$ BENCH_ROOT=$fixtures "$bench" run --app good --out /proc/results
2 error: cannot write to /proc/results:

the lock cannot be written (cargo)
$ BENCH_LOCK=/proc/lock BENCH_ROOT=$fixtures "$bench" run --app good
2 error: cannot lock this machine by /proc/lock:

the loopback network is down (root)
$ unshare --net true || exit 77; unshare --net env BENCH_ROOT="$fixtures" "$bench" run --app good
2 error: this machine cannot connect to itself at 127.0.0.1:  … `ip link set lo up`

/proc is not mounted (root)
$ unshare --mount true || exit 77; unshare --mount sh -c 'umount -l /proc; [ ! -e /proc/self ] || exit 77; "$bench" doctor'
2 error: /proc is not there … `mount -t proc proc /proc`

one cpu only
$ taskset -c "$(taskset -cp $$ | sed 's/.*: *//; s/[,-].*//')" "$bench" doctor
1 measuring needs two cpus … this process may use 1

the control group has the time of one and a half cpus (root)
$ limited cpu 1.5 "$bench" doctor
1 this process may use 1, because its control group has the time of 1.5 cpus

the control group has 1 GiB (root)
$ limited memory 1G "$bench" doctor
0|1 1.0 GiB, the limit of its control group; the machine has

wrk is not installed (cargo)
$ PATH=$cargo BENCH_ROOT=$fixtures "$bench" run --app good --load-generator wrk
2 error: wrk is not installed; `apt-get install wrk` does that on Debian and Ubuntu, or name the program with --wrk PATH

nor is h2load (cargo)
$ PATH=$cargo BENCH_ROOT=$fixtures "$bench" cross-check --app good --with h2load
2 error: h2load is not installed … `apt-get install nghttp2-client`

nor is a container engine (cargo)
$ PATH=$cargo BENCH_ROOT=$fixtures "$bench" run --app good --isolation docker-bridge
2 error: … neither docker nor podman is installed; install one

few files may be open
$ ulimit -n 512; "$bench" doctor
1 hard limit 512
"#;
    let folder = tempfile::tempdir().unwrap();
    let tools = only(&folder.path().join("tools"), &["cargo", "rustc"]);
    run("", table, &[("fixtures", &fixtures()), ("cargo", &tools)], |_| ());
}

/// The states that git can be in, here and elsewhere.
#[test]
fn git_says() {
    let table = r#"
a base that is not there (cargo)
$ plan here --base nowhere
2 error: git knows no revision `nowhere`

a head that would be an option (cargo)
$ plan here --head=--output=x
2 error: git knows no revision `--output=x`

another app (cargo)
$ plan here --app god
2 error: there is no app `god`; did you mean `good`

another scenario (cargo)
$ plan here --scenario plain
2 error: there is no scenario `plain`; did you mean `plaintext`

not in git (cargo)
$ rm -r here/.git && plan here
2 error: a comparison needs revisions … not a git repository

no git (cargo)
$ PATH=$cargo plan here
2 git rev-parse: it cannot be started: No such file or directory

of another owner (cargo)
$ GIT_TEST_ASSUME_DIFFERENT_OWNER=1 plan here
2 fatal: detected dubious ownership … git config --global --add safe.directory

the same, of a machine that is looked at (cargo)
$ GIT_TEST_ASSUME_DIFFERENT_OWNER=1 BENCH_ROOT=$PWD/here "$bench" doctor
0|1 detected dubious ownership

a broken configuration (cargo)
$ echo '[x' >broken && GIT_CONFIG_GLOBAL=$PWD/broken plan here
2 fatal: bad config line 1 in file

new files are hidden (cargo)
$ git -C here config status.showUntrackedFiles no && touch here/apps/good/new && plan here --format json
0 "dirty": true

shallow (cargo)
$ git clone -q --depth 1 --branch mine "file://$PWD/here" new && plan new
2 no common ancestor … this clone is shallow, `git fetch --unshallow` brings the rest

shallow, and a base is named (cargo)
$ git clone -q --depth 1 --branch mine "file://$PWD/here" new && plan new --base HEAD~1
2 this clone is shallow

the toolchain of a checkout that is patched in is not ours (cargo)
$ mkdir it bin && printf '[package]\nname = "part"\nversion = "1.0.0"\n[lib]\npath = "lib.rs"\n' >it/Cargo.toml && touch it/lib.rs && echo none >it/rust-toolchain.toml && printf '#!/bin/sh\ngrep -s none rust-toolchain.toml && exit 1\nexec %s "$@"\n' "$(command -v cargo)" >bin/cargo && chmod +x bin/cargo && unset CARGO && PATH=$PWD/bin:$PATH plan here --patch part=it
2 `cargo tree` … part

the reason why a folder is no crate (cargo)
$ mkdir it && echo '[package' >it/Cargo.toml && plan here --patch part=it
2 cargo finds no crate in … unclosed table

a changed file that git was told not to look at (cargo)
$ git -C here update-index --skip-worktree apps/good/src/main.rs && echo >>here/apps/good/src/main.rs && plan here --format json
0 "dirty": true

main is behind the remote's (cargo)
$ git clone -q here new && git -C here commit -q --allow-empty -m more && git -C here branch -f main && git -C new fetch -q && git -C new checkout -qb new origin/main && plan new
0 Nothing to measure against merge-base with origin/main (
"#;
    let folder = tempfile::tempdir().unwrap();
    let tools = only(&folder.path().join("tools"), &["cargo", "rustc"]);
    let made = folder.path().join("made");
    crate::common::repository(&made, &["good"]);
    git(&made, "checkout -q -b mine");
    fs::write(made.join("apps/good/src/more.rs"), "").unwrap();
    git(&made, "add -A");
    git(&made, "commit -q -m More");
    let functions = r#"plan() { BENCH_ROOT=$PWD/$1 "$bench" compare --plan "${@:2}"; }"#;
    run(functions, table, &[("cargo", &tools)], |here| {
        copy(&made, &here.join("here"));
    });
}

/// What builds the command, and the servers.
#[test]
fn cargo_and_its_configuration() {
    let table = r#"
nothing (cargo)
$ here/scripts/bench a 'b c'
0 tiny ["a", "b c"]

from another folder (cargo)
$ cd here/src && ../scripts/bench
0 tiny

another target, after a usual build (cargo)
$ here/scripts/bench && sed -i s/tiny/changed/ here/src/main.rs && CARGO_BUILD_TARGET=$(rustc -vV | sed -n 's/host: //p') here/scripts/bench
0 tiny … changed

another target, by the user's configuration (cargo)
$ mkdir home && echo "[build] target = \"$(rustc -vV | sed -n 's/host: //p')\"" | sed 's/] /]\n/' >home/config.toml && CARGO_HOME=$PWD/home here/scripts/bench
0 tiny

another target folder, relative, from another folder (cargo)
$ cd here/src && CARGO_TARGET_DIR='ein Ziel' ../scripts/bench && ls -d 'ein Ziel'
0 tiny … ein Ziel

another target folder, absolute (cargo)
$ CARGO_TARGET_DIR=$PWD/ziel here/scripts/bench && ls -d ziel
0 tiny … ziel

a checkout with CRLF (cargo)
$ git -c core.autocrlf=true clone -q here new && new/scripts/bench
0 tiny

no cargo (cargo)
$ PATH=$shell bash here/scripts/bench
2 error: there is no cargo; install Rust with rustup

flags that the compiler does not know (cargo)
$ RUSTFLAGS=--nonsense here/scripts/bench
2 error: the harness could not be built; the lines above say why … nonsense

flags reach the servers (cargo)
$ RUSTFLAGS=-Cforce-frame-pointers CARGO_PROFILE_RELEASE_LTO=off "$bench" doctor
0|1 builds … RUSTFLAGS=-Cforce-frame-pointers … CARGO_PROFILE_RELEASE_LTO=off

the user's configuration reaches the servers (cargo)
$ mkdir home && printf '[profile.release]\nlto = false\n' >home/config.toml && CARGO_HOME=$PWD/home "$bench" doctor
0|1 profile.release.lto=false

another compiler (cargo)
$ printf '#!/bin/sh\necho rustc 1.99.0-dev\n' >rustc && chmod +x rustc && RUSTC=$PWD/rustc "$bench" doctor
0|1 rustc 1.99.0-dev

a compiler that is not there (cargo)
$ RUSTC=/nowhere/rustc "$bench" doctor
0|1 the version of /nowhere/rustc: it cannot be started: No such file or directory
"#;
    let folder = tempfile::tempdir().unwrap();
    let shell = only(
        &folder.path().join("shell"),
        &["bash", "dirname", "realpath", "sed", "cut"],
    );
    run("", table, &[("shell", &shell)], |here| tiny(&here.join("here")));
}

/// A repository with the script, and a command that is built in no time.
fn tiny(at: &Path) {
    for folder in ["scripts", "src/bin"] {
        fs::create_dir_all(at.join(folder)).unwrap();
    }
    for file in ["scripts/bench", ".gitattributes"] {
        fs::copy(root().join(file), at.join(file)).unwrap();
    }
    let manifest = "[package]\nname = \"bench\"\nedition = \"2024\"\n[workspace]\n[profile.first-look]\ninherits = \"dev\"\ndebug = false\n";
    fs::write(at.join("Cargo.toml"), manifest).unwrap();
    fs::write(
        at.join("Cargo.lock"),
        "version = 4\n\n[[package]]\nname = \"bench\"\nversion = \"0.0.0\"\n",
    )
    .unwrap();
    let main = "fn main() {\n    println!(\"tiny {:?}\", std::env::args().skip(1).collect::<Vec<_>>());\n}\n";
    fs::write(at.join("src/main.rs"), main).unwrap();
    fs::write(at.join("src/bin/oha.rs"), "fn main() {}\n").unwrap();
    begin(at);
}
