//! Situations of a machine in which somebody starts the command, as a table that is a text: what is so, a line of a shell, and what it comes
//! to. Each is run in a folder with blanks and umlauts in its name, and printed as it went.
//!
//! ```text
//! TMPDIR is missing
//! $ TMPDIR=/nonexistent "$bench" doctor
//! 1 words that are printed … and others
//! ```
//!
//! `(cargo)` after what is so: it takes cargo and a repository, of which other users see nothing. `(root)`: it takes the right to make
//! namespaces, mounts or control groups. Otherwise it takes the command alone, and every user runs it. `0|2`: either status is right.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{AUTHOR, CommandOutput, skip};

/// A row of the table.
struct Situation<'a> {
    what: &'a str,
    line: &'a str,
    statuses: Vec<i32>,
    words: Vec<&'a str>,
}

impl<'a> Situation<'a> {
    fn parse(row: &'a str) -> Self {
        let (what, rest) = row.split_once("\n$ ").unwrap();
        let (line, right) = rest.rsplit_once('\n').unwrap();
        let (statuses, words) = right.split_once(' ').unwrap_or((right, ""));
        let words = words.split(" … ").map(str::trim).filter(|word| !word.is_empty());
        Self {
            what,
            line,
            statuses: statuses.split('|').map(|status| status.parse().unwrap()).collect(),
            words: words.collect(),
        }
    }

    /// Whether the answer is right; a panic is never.
    fn allows(&self, answer: &CommandOutput, said: &str) -> bool {
        let is_status = answer.status.is_some_and(|status| self.statuses.contains(&status));
        is_status && self.words.iter().all(|word| said.contains(word)) && !said.contains("panicked")
    }

    /// The row with what was printed: the lines with the words that matter, or the first.
    fn shown(&self, user: Option<u32>, answer: &CommandOutput, said: &str) -> String {
        let user = user.map_or("", |_| ", as a user without rights");
        let mut row = format!("{}{user}\n  $ {}\n", self.what, self.line);
        let matter = |line: &&str| self.words.is_empty() || self.words.iter().any(|word| line.contains(word));
        for line in said.lines().filter(matter).take(3) {
            let _ = writeln!(row, "  {}", line.chars().take(240).collect::<String>());
        }
        let status = answer.status.map_or("a signal".to_owned(), |status| status.to_string());
        let _ = writeln!(row, "  exit status {status}");
        row
    }
}

const UNPRIVILEGED: u32 = 65534;
/// Folder of each situation.
const FOLDER: &str = "Grüße & ein Ordner";
/// `limited cpu 1.5 COMMAND`, `limited memory 1G COMMAND`: in a control group of its own, of whichever version there is. What it is in by then
/// is left behind: a group that has processes cannot be removed.
const LIMITED: &str = r#"
limited() {
    local what=$1 limit=$2 root=/sys/fs/cgroup
    shift 2
    if [ -e $root/cgroup.controllers ]; then
        group=$root/bench-test-$BASHPID
        mkdir "$group" || return 77
        case $what in
        cpu) awk -v cpus="$limit" 'BEGIN { print int(cpus * 100000), 100000 }' >"$group/cpu.max" ;;
        memory) echo "$limit" >"$group/memory.max" ;;
        esac || return 77
    else
        group=$root/$what/bench-test-$BASHPID
        mkdir "$group" || return 77
        case $what in
        cpu) awk -v cpus="$limit" 'BEGIN { print int(cpus * 100000) }' >"$group/cpu.cfs_quota_us" ;;
        memory) echo "$limit" >"$group/memory.limit_in_bytes" ;;
        esac || return 77
    fi 2>/dev/null
    local status=0
    (echo $BASHPID >"$group/cgroup.procs" && "$@") || status=$?
    rmdir "$group"
    return $status
}
"#;
/// The exit status of a line that cannot be run here.
const NOT_HERE: i32 = 77;

/// Runs the table as this user, and what takes the command alone also as one without rights where this is root. `prepare` puts into the
/// folder what the lines need; `functions` and `variables` are theirs, besides `$bench`.
pub fn run(functions: &str, table: &str, variables: &[(&str, &Path)], prepare: impl Fn(&Path)) {
    let is_root = nix::unistd::geteuid().is_root();
    let place = tempfile::tempdir().unwrap();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    // Where every user may start it.
    let bench = place.path().join("bench");
    fs::copy(env!("CARGO_BIN_EXE_bench"), &bench).unwrap();
    let mut wrong = String::new();
    for (number, row) in table.trim().split("\n\n").enumerate() {
        let situation = Situation::parse(row);
        let takes_root = situation.what.ends_with("(root)");
        let users: &[Option<u32>] = match () {
            () if takes_root && !is_root => {
                skip(&format!("{}: only root may make that so", situation.what));
                continue;
            }
            () if takes_root || !is_root || situation.what.ends_with("(cargo)") => &[None],
            () => &[None, Some(UNPRIVILEGED)],
        };
        for user in users {
            let of_user = format!("{number} {}", user.unwrap_or_default());
            let folder = place.path().join(of_user).join(FOLDER);
            fs::create_dir_all(&folder).unwrap();
            prepare(&folder);
            if user.is_some() {
                chown(&folder, *user, *user).unwrap();
            }
            let script = format!("{LIMITED}{functions}\n{}", situation.line);
            let answer = CommandOutput::run(shell(&script, &folder, &bench, *user, variables));
            if answer.status == Some(NOT_HERE) {
                skip(&format!("{}: this machine does not allow it", situation.what));
                continue;
            }
            let said = format!("{}{}", answer.stdout, answer.stderr);
            let said = said.replace(place.path().to_str().unwrap(), "…");
            let row = situation.shown(*user, &answer, &said);
            let _ = write!(std::io::stderr(), "{row}"); // what a test that passes prints is shown to nobody
            if !situation.allows(&answer, &said) {
                let _ = writeln!(
                    wrong,
                    "{row}wanted {:?} and {:?}\n{said}",
                    situation.statuses, situation.words
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn shell(script: &str, folder: &Path, bench: &Path, user: Option<u32>, variables: &[(&str, &Path)]) -> Command {
    let mut command = match user {
        None => Command::new("bash"),
        Some(id) => {
            let mut command = Command::new("setpriv");
            let ids = [format!("--reuid={id}"), format!("--regid={id}")];
            command.args(ids).args(["--clear-groups", "bash"]);
            command
        }
    };
    command
        .args(["-o", "pipefail", "-c", script])
        .current_dir(folder)
        .env("bench", bench)
        .env("BENCH_LOCK", folder.join("lock"))
        .env_remove("GITHUB_ACTIONS")
        .envs(AUTHOR)
        .envs(variables.iter().copied())
        .stdin(Stdio::null());
    // What another cargo has set for these tests says nothing of a build that a line starts.
    for name in [
        "RUSTC_WORKSPACE_WRAPPER",
        "CLIPPY_ARGS",
        "CARGO_TARGET_DIR",
        "BENCH_BUILD_PROFILE",
    ] {
        command.env_remove(name);
    }
    command
}

/// A folder of links to these programs, which are then all that a `PATH` of it has.
pub fn only(folder: &Path, programs: &[&str]) -> PathBuf {
    fs::create_dir_all(folder).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    for program in programs {
        let found = std::env::split_paths(&path)
            .map(|place| place.join(program))
            .find(|file| file.is_file());
        symlink(found.unwrap(), folder.join(program)).unwrap();
    }
    folder.to_owned()
}
