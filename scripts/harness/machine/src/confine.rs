//! What keeps a server away from everything but its requests.
//!
//! Where this process may, it gives each server a user of its own, so that the server can neither signal nor trace nor write to
//! anybody else. Where the kernel has Landlock, which needs no rights, a server writes no file, traces and signals only its own
//! processes, and connects to nobody. Both cost nothing while it serves: they are checked when files are opened, signals sent and
//! connections begun, and not when bytes are read or written.
//!
//! Everywhere it gets no new rights (`no_new_privs`), and may not write more to a file than it is granted.

use std::collections::BTreeSet;
use std::io;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use landlock::{
    ABI, Access, AccessFs, AccessNet, LandlockStatus, NetPort, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};
use nix::sys::resource::{Resource, setrlimit};
use procfs::process::Process;

use model::Confinement;

/// Users of servers, each used by one server at a time. systemd gives these numbers to services for as long as they run, so no
/// person has one (systemd.io/UIDS-GIDS).
const USERS: std::ops::RangeInclusive<u32> = 61_184..=65_519;
/// Rights (capabilities(7)) that are needed to start, read, signal and end processes of another user: `CAP_DAC_OVERRIDE`,
/// `CAP_KILL`, `CAP_SETGID`, `CAP_SETUID`, `CAP_SYS_PTRACE`, and `CAP_CHOWN` for the files that a server gets.
const RIGHTS: u64 = 1 | 1 << 1 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 19;
/// The newest Landlock that this requests; an older kernel gives what it has.
const NEWEST: ABI = ABI::V6;

/// How servers are confined on this machine.
pub fn available() -> &'static BTreeSet<Confinement> {
    static FOUND: OnceLock<BTreeSet<Confinement>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let abi = landlock_here();
        let mut found = BTreeSet::new();
        found.extend(has_rights().then_some(Confinement::OwnUser));
        found.extend(abi.map(|_| Confinement::NoWrites));
        found.extend(abi.filter(|abi| *abi >= ABI::V4).map(|_| Confinement::NoConnections));
        found.extend(abi.filter(|abi| *abi >= ABI::V6).map(|_| Confinement::NoSignals));
        found
    })
}

/// What servers can still do to others here, as one line; `None` if they can do nothing.
pub fn gaps(found: &BTreeSet<Confinement>) -> Option<String> {
    let lacks = |one, other| !found.contains(&one) && !found.contains(&other);
    let mut gaps = Vec::new();
    if lacks(Confinement::OwnUser, Confinement::NoWrites) {
        gaps.push("overwrite files");
    }
    if lacks(Confinement::OwnUser, Confinement::NoSignals) {
        gaps.push("stop or kill other processes");
    }
    (!gaps.is_empty()).then(|| {
        format!(
            "servers run as the user who measures, and this kernel lets them {}: run as root, or on Linux 6.12 or later with Landlock",
            gaps.join(" and ")
        )
    })
}

/// A server's own user and group; `None` where it cannot have any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct User(u32);

impl User {
    /// One that no other server of this process has.
    pub fn next() -> Option<Self> {
        static USED: AtomicU32 = AtomicU32::new(0);
        let many = USERS.end() - USERS.start() + 1;
        // Another bench may run; it begins elsewhere.
        let first = std::process::id().wrapping_mul(64);
        let number = first.wrapping_add(USED.fetch_add(1, Ordering::Relaxed)) % many;
        available()
            .contains(&Confinement::OwnUser)
            .then_some(Self(USERS.start() + number))
    }

    /// Lets this user run `command`.
    pub fn runs(self, command: &mut Command) {
        // The standard library also leaves all other groups.
        command.uid(self.0).gid(self.0);
    }

    /// Whether this is the user with that number.
    pub fn is(self, uid: u32) -> bool {
        self.0 == uid
    }
}

/// Confines what `command` starts. In `folder` it may make files, each of at most that many bytes, and elsewhere none; it may connect
/// to `port`, where its database listens, and to no other.
///
/// What may make files is a program that counts, and with it a server: valgrind must signal the `vgdb` that commands it, so Landlock
/// leaves it the signals.
pub fn confine(
    command: &mut Command,
    user: Option<User>,
    folder: Option<(&Path, u64)>,
    port: Option<u16>,
) -> io::Result<()> {
    if let Some(user) = user {
        if let Some((folder, _)) = folder {
            chown(folder, Some(user.0), Some(user.0))?;
        }
        user.runs(command);
    }
    let most_bytes = folder.map_or(0, |(_, bytes)| bytes);
    let landlock = available().contains(&Confinement::NoWrites);
    let rules = landlock.then(|| ruleset(folder.map(|(folder, _)| folder), port));
    let mut rules = rules.transpose().map_err(io::Error::other)?;
    let prepare = move || {
        nix::sys::prctl::set_no_new_privs()?;
        setrlimit(Resource::RLIMIT_FSIZE, most_bytes, most_bytes)?;
        if let Some(rules) = rules.take() {
            let _ = rules
                .restrict_self()
                .map_err(|_| io::Error::from(io::ErrorKind::PermissionDenied))?;
        }
        Ok(())
    };
    // SAFETY: between fork and exec only async-signal-safe calls are allowed. `prepare` makes four system calls; the rules were
    // made before the fork, and neither applying nor dropping them touches the heap.
    #[allow(unsafe_code)]
    unsafe {
        command.pre_exec(prepare);
    }
    Ok(())
}

/// Lets what `command` starts have at most `most` files open.
pub fn limit_files(command: &mut Command, most: u64) {
    let prepare = move || Ok(setrlimit(Resource::RLIMIT_NOFILE, most, most)?);
    // SAFETY: between fork and exec only async-signal-safe calls are allowed. `prepare` makes one system call.
    #[allow(unsafe_code)]
    unsafe {
        command.pre_exec(prepare);
    }
}

/// No writing but in `folder` and to the device that swallows everything, no connections but to `port`, and without a folder no signals
/// to others.
fn ruleset(folder: Option<&Path>, port: Option<u16>) -> Result<RulesetCreated, RulesetError> {
    // Not the control of devices: a server may do what it likes with its terminal or its random numbers.
    let writing = AccessFs::from_write(NEWEST) & !AccessFs::IoctlDev;
    let mut scopes = Scope::from_all(NEWEST);
    if folder.is_some() {
        scopes.remove(Scope::Signal);
    }
    let rules = Ruleset::default()
        .handle_access(writing)?
        .handle_access(AccessNet::ConnectTcp)?
        .scope(scopes)?
        .create()?;
    let null = PathFd::new("/dev/null").ok();
    let null = null.map(|null| PathBeneath::new(null, AccessFs::WriteFile | AccessFs::Truncate));
    let folder = folder.and_then(|folder| PathFd::new(folder).ok());
    let folder = folder.map(|folder| PathBeneath::new(folder, writing));
    let port = port.map(|port| NetPort::new(port, AccessNet::ConnectTcp));
    rules
        .add_rules(null.into_iter().chain(folder).map(Ok::<_, RulesetError>))?
        .add_rules(port.into_iter().map(Ok::<_, RulesetError>))
}

/// The Landlock of this kernel, up to [`NEWEST`], if servers can be confined by it. It is tried on a thread of its own, because
/// it cannot be taken back.
fn landlock_here() -> Option<ABI> {
    let tried = std::thread::spawn(|| ruleset(None, None)?.restrict_self()).join();
    match tried.ok()?.ok()?.landlock {
        LandlockStatus::Available { effective_abi, .. } => Some(effective_abi),
        _ => None,
    }
}

fn has_rights() -> bool {
    let status = Process::myself().and_then(|own| own.status());
    status.is_ok_and(|status| status.capeff & RIGHTS == RIGHTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_still_possible_is_one_line() {
        let gaps = |found: &[Confinement]| gaps(&found.iter().copied().collect());
        let both = gaps(&[]).unwrap();
        assert!(
            both.contains("overwrite files and stop or kill other processes: run as root"),
            "{both}"
        );
        let signals = gaps(&[Confinement::NoWrites, Confinement::NoConnections]).unwrap();
        assert!(
            signals.contains("lets them stop or kill other processes: "),
            "{signals}"
        );
        assert_eq!(gaps(&[Confinement::OwnUser]), None);
        assert_eq!(gaps(&[Confinement::NoWrites, Confinement::NoSignals]), None);
    }

    fn printed(folder: Option<(&Path, u64)>, script: &str) -> String {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).env_clear();
        confine(&mut command, User::next(), folder, None).unwrap();
        let output = command.output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    #[test]
    fn a_confined_process_writes_only_where_it_may_and_only_so_much() {
        assert_eq!(printed(None, "grep NoNewPrivs /proc/self/status"), "NoNewPrivs:\t1");
        assert_eq!(printed(None, "echo > /dev/null && echo written"), "written");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        let script = format!(
            "echo 12345 > {0} && echo written; echo 123456 >> {0} && echo more",
            file.display()
        );
        assert_eq!(printed(Some((folder.path(), 8)), &script), "written");
        assert_eq!(std::fs::metadata(&file).unwrap().len(), 8);
        assert_eq!(printed(None, &script), "");
        assert_eq!(std::fs::metadata(&file).unwrap().len(), 8);
    }

    #[test]
    fn a_confined_process_connects_to_its_database_and_to_nobody_else() {
        if !available().contains(&Confinement::NoConnections) {
            return; // a kernel before 6.7: `bench doctor` says so
        }
        let listeners = [(); 2].map(|()| std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap());
        let [database, other] = listeners
            .each_ref()
            .map(|listener| listener.local_addr().unwrap().port());
        let script = format!(
            "for port in {database} {other}; do (exec 3<>/dev/tcp/127.0.0.1/$port) 2>/dev/null && echo $port; done"
        );
        let mut command = Command::new("/bin/bash");
        command.args(["-c", &script]).env_clear();
        confine(&mut command, User::next(), None, Some(database)).unwrap();
        let output = command.output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), database.to_string());
    }

    #[test]
    fn a_confined_process_cannot_reach_this_one() {
        for (by, attack) in [
            (Confinement::NoSignals, "kill -0 $PPID 2>&1"),
            (Confinement::NoWrites, "cat /proc/$PPID/environ"),
        ] {
            if [Confinement::OwnUser, by].iter().any(|kind| available().contains(kind)) {
                let printed = printed(None, &format!("{attack} && echo reached"));
                assert!(!printed.contains("reached"), "{attack}");
            }
        }
    }
}
