//! Machines that make load: network namespaces of this one, each with a real sshd. A bridge with the address of the servers' machine links
//! them.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};

use machine::network;

use crate::common::{Bench, CommandOutput, PATIENCE, open_folder, script, wait, words};

/// The user who logs in.
fn user() -> String {
    let user = nix::unistd::User::from_uid(nix::unistd::getuid());
    user.unwrap().unwrap().name
}

/// Runs a command as root, whose the network is.
pub fn as_root(line: &str) -> String {
    CommandOutput::run(root_command(line)).fine().stdout
}

fn root_command(line: &str) -> Command {
    let mut words = words(line);
    let mut command = network::as_root(words.next().unwrap());
    command.args(words).stdin(Stdio::null());
    command
}

/// What is unusual about a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oddity {
    /// Its clock is ten minutes ahead.
    ClockAhead,
    /// The folder for its temporary files is full.
    FullDisk,
    /// It claims to be another machine than the servers'.
    AnotherMachine,
    /// Its host key is not the one that is known.
    WrongKey,
}

/// Some machines.
pub struct World {
    name: String,
    machines: Vec<Machine>,
    folder: tempfile::TempDir,
}

struct Machine {
    namespace: String,
    sshd: Child,
    /// A file system that is full.
    mounted: Option<PathBuf>,
}

impl World {
    /// So many machines as there are items; `load-1` is the first.
    pub fn new(oddities: &[Option<Oddity>]) -> Self {
        static NUMBER: AtomicU8 = AtomicU8::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        // The name of an interface has 15 letters at most.
        let name = format!("b{}x{number}", std::process::id() % 100_000);
        let mut world = Self {
            name: name.clone(),
            machines: Vec::new(),
            folder: open_folder(),
        };
        let at = world.folder.path().to_owned();
        key(&at.join("user"));
        let net = format!("10.213.{}", number.wrapping_add((std::process::id() % 97) as u8));
        as_root(&format!("ip link add {name} type bridge"));
        as_root(&format!("ip address add {net}.1/24 dev {name}"));
        as_root(&format!("ip link set {name} up"));
        let (mut known, mut configuration) = (String::new(), String::new());
        for (number, oddity) in (1..).zip(oddities) {
            let host = format!("{net}.{}", number + 1);
            key(&at.join(format!("host-{number}")));
            world.start(number, &host, *oddity);
            let public = match oddity {
                Some(Oddity::WrongKey) => fs::read_to_string(at.join("user.pub")),
                _ => fs::read_to_string(at.join(format!("host-{number}.pub"))),
            };
            let public = public.unwrap();
            let public = public.rsplit_once(' ').unwrap().0;
            let _ = writeln!(known, "{host} {public}");
            let _ = writeln!(configuration, "Host load-{number}\n  HostName {host}");
        }
        let shown = at.display();
        let _ = write!(
            configuration,
            "Host *\n  User {}\n  IdentityFile {shown}/user\n  IdentitiesOnly yes\n  UserKnownHostsFile {shown}/known\n  GlobalKnownHostsFile /dev/null\n",
            user()
        );
        fs::write(at.join("known"), known).unwrap();
        fs::write(at.join("config"), configuration).unwrap();
        // OpenSSH looks for its configuration where the user's entry in passwd says, so it is named here.
        fs::create_dir(at.join("bin")).unwrap();
        let line = format!("exec /usr/bin/ssh -F {shown}/config \"$@\"");
        script(&at.join("bin/ssh"), &line);
        for number in 1..=oddities.len() {
            world.wait_for_sshd(number);
        }
        world
    }

    fn start(&mut self, number: usize, host: &str, oddity: Option<Oddity>) {
        let (name, at) = (&self.name, self.folder.path().to_owned());
        let namespace = format!("{name}n{number}");
        as_root(&format!("ip netns add {namespace}"));
        as_root(&format!(
            "ip link add {name}o{number} type veth peer name eth0 netns {namespace}"
        ));
        as_root(&format!("ip link set {name}o{number} master {name} up"));
        for line in [
            &format!("address add {host}/24 dev eth0"),
            "link set eth0 up",
            "link set lo up",
        ] {
            as_root(&format!("ip -n {namespace} {line}"));
        }
        let temporary = at.join(format!("temporary-{number}"));
        fs::create_dir(&temporary).unwrap();
        let mut mounted = None;
        let mut environment = format!("TMPDIR={}", temporary.display());
        match oddity {
            Some(Oddity::FullDisk) => {
                as_root(&format!("mount -t tmpfs -o size=64k none {}", temporary.display()));
                mounted = Some(temporary);
            }
            Some(Oddity::ClockAhead) => {
                let _ = write!(
                    environment,
                    " LD_PRELOAD={} FAKETIME=+600s FAKETIME_DONT_FAKE_MONOTONIC=1",
                    faketime()
                );
            }
            _ => {}
        }
        let configuration = at.join(format!("sshd-{number}"));
        // Without it, an account that has no password is locked.
        let pam = if user() == "root" { "no" } else { "yes" };
        let shown = at.display();
        fs::write(
            &configuration,
            format!(
                "ListenAddress {host}\nHostKey {shown}/host-{number}\nAuthorizedKeysFile {shown}/user.pub\nStrictModes no\nUsePAM {pam}\n\
                 PidFile none\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin yes\nSetEnv {environment}\n"
            ),
        )
        .unwrap();
        let boot = at.join(format!("boot-{number}"));
        let script = match oddity {
            Some(Oddity::AnotherMachine) => {
                fs::write(&boot, format!("another-{number}\n")).unwrap();
                format!("mount --bind {} /proc/sys/kernel/random/boot_id && ", boot.display())
            }
            _ => String::new(),
        };
        // It wants a folder of its own where it drops its rights.
        let script = format!(
            "mkdir -p /run/sshd && {script}exec /usr/sbin/sshd -D -e -f {}",
            configuration.display()
        );
        let mut command = root_command(&format!("ip netns exec {namespace} sh -c"));
        command.arg(script);
        let log = fs::File::create(at.join(format!("log-{number}"))).unwrap();
        let sshd = command.stdout(Stdio::null()).stderr(log).spawn().unwrap();
        self.machines.push(Machine {
            namespace,
            sshd,
            mounted,
        });
    }

    fn wait_for_sshd(&self, number: usize) {
        let log = self.folder.path().join(format!("log-{number}"));
        wait(PATIENCE, "sshd listens", || {
            fs::read_to_string(&log).unwrap().contains("Server listening")
        });
    }

    /// The command with the configuration of these machines.
    pub fn call(&self, bench: &Bench, line: &str) -> CommandOutput {
        CommandOutput::run(self.command(bench, line))
    }

    /// The same, not yet started.
    pub fn command(&self, bench: &Bench, line: &str) -> Command {
        let mut command = bench.run_command(line);
        self.reached_by(&mut command);
        command
    }

    /// Lets a command know the configuration.
    pub fn reached_by(&self, command: &mut Command) {
        let path = std::env::var("PATH").unwrap();
        command.env("PATH", format!("{}:{path}", self.folder.path().join("bin").display()));
    }

    /// Processes on a machine apart from sshd itself: a session's, and what it has started.
    pub fn processes(&self, number: usize) -> Vec<String> {
        let namespace = &self.machines[number - 1].namespace;
        let pids = as_root(&format!("ip netns pids {namespace}"));
        let names = pids
            .split_whitespace()
            .filter_map(|pid| fs::read_to_string(format!("/proc/{pid}/cmdline")).ok());
        names
            .map(|name| name.replace('\0', " "))
            .filter(|name| !name.is_empty() && !name.contains("sshd -D") && !name.contains("[listener]"))
            .collect()
    }

    /// Files that are left where a machine puts temporary ones.
    pub fn files(&self, number: usize) -> Vec<PathBuf> {
        let folder = self.folder.path().join(format!("temporary-{number}"));
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    /// Waits until nothing is left on any machine, nor here.
    pub fn wait_for_nothing_left(&self, bench: &Bench) {
        for number in 1..=self.machines.len() {
            wait(PATIENCE, "nothing runs on a load machine", || {
                self.processes(number).is_empty()
            });
            let left = self.files(number);
            assert!(left.is_empty(), "{left:?}");
        }
        bench.wait_for_no_children(PATIENCE);
    }

    /// Cuts the link to a machine, or mends it.
    pub fn link(&self, number: usize, state: &str) {
        as_root(&format!("ip link set {}o{number} {state}", self.name));
    }

    /// Lets at most so much pass from a machine to the servers.
    pub fn throttle(&self, number: usize, rate: &str) {
        let namespace = &self.machines[number - 1].namespace;
        as_root(&format!(
            "tc -n {namespace} qdisc add dev eth0 root tbf rate {rate} burst 16kb latency 100ms"
        ));
    }

    /// Kills sshd, and with it every session.
    pub fn kill(&self, number: usize) {
        let namespace = &self.machines[number - 1].namespace;
        for pid in as_root(&format!("ip netns pids {namespace}")).split_whitespace() {
            let _ = root_command(&format!("kill -KILL {pid}")).output(); // it may have ended with another
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        for number in 1..=self.machines.len() {
            self.kill(number);
        }
        for machine in &mut self.machines {
            let _ = machine.sshd.wait();
            if let Some(path) = &machine.mounted {
                let _ = root_command(&format!("umount {}", path.display())).output();
            }
            let _ = root_command(&format!("ip netns delete {}", machine.namespace)).output();
        }
        let _ = root_command(&format!("ip link delete {}", self.name)).output();
    }
}

fn key(path: &Path) {
    let mut command = Command::new("ssh-keygen");
    command.args(words("-q -t ed25519 -C test -N")).args(["", "-f"]);
    assert!(command.arg(path).status().unwrap().success());
}

/// The library that shows a program another time.
fn faketime() -> String {
    let folders = fs::read_dir("/usr/lib").unwrap().flatten();
    let mut found = folders.map(|folder| folder.path().join("faketime/libfaketime.so.1"));
    let found = found.find(|path| path.exists()).expect("libfaketime is installed");
    found.display().to_string()
}
