//! `tune.sh`, on a made-up /sys and /proc.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{installed, scripts, write};
use crate::common::CommandOutput;

/// A machine out of the box, as the kernel shows it: what is wanted of it is nowhere the case.
pub struct Machine(tempfile::TempDir);

const UNTUNED: [(&str, &str); 11] = [
    ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave"),
    ("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "schedutil"),
    ("sys/devices/system/cpu/intel_pstate/no_turbo", "0"),
    ("sys/devices/system/cpu/cpufreq/boost", "1"),
    ("sys/devices/system/cpu/smt/control", "on"),
    ("proc/sys/net/core/somaxconn", "128"),
    ("proc/sys/net/ipv4/ip_local_port_range", "32768\t40000"),
    ("proc/sys/net/ipv4/tcp_tw_reuse", "0"),
    ("proc/sys/vm/swappiness", "60"),
    ("proc/sys/kernel/numa_balancing", "1"),
    ("proc/sys/kernel/nmi_watchdog", "1"),
];

impl Machine {
    pub fn untuned() -> Self {
        let machine = Self(tempfile::tempdir().unwrap());
        for (path, value) in UNTUNED {
            machine.set(path, value);
        }
        machine
    }

    pub fn root(&self) -> &Path {
        self.0.path()
    }

    fn set(&self, path: &str, value: &str) {
        write(&self.root().join(path), &format!("{value}\n"));
    }

    fn get(&self, path: &str) -> String {
        let text = fs::read_to_string(self.root().join(path)).unwrap();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn remembered(&self) -> PathBuf {
        self.root().join("run/bench-tune/before")
    }

    pub fn tune(&self, what: &str) -> CommandOutput {
        let mut tune = Command::new(scripts().join("tune.sh"));
        tune.arg(what).env("TUNE_ROOT", self.root());
        CommandOutput::run(tune)
    }

    fn tuned(&self, what: &str) -> String {
        self.tune(what).fine().stdout
    }

    pub fn assert_untuned(&self) {
        for (path, value) in UNTUNED {
            assert_eq!(self.get(path), value.replace('\t', " "), "{path}");
        }
    }
}

#[test]
fn apply_sets_every_item_and_restore_puts_every_one_back() {
    let machine = Machine::untuned();
    assert_eq!(machine.tuned("restore"), "nothing to put back\n");
    let before = machine.tune("check");
    assert_eq!(before.status, Some(1));
    let governor = "differs  governor                      found powersave, schedutil";
    assert!(before.stdout.contains(governor), "{before:#?}");
    assert_eq!(before.stdout.matches("differs ").count(), 10, "{before:#?}");

    machine.tuned("apply");
    let checked = machine.tuned("check");
    assert_eq!(checked.matches("ok ").count(), 10, "{checked}");
    assert_eq!(
        machine.get("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor"),
        "performance"
    );
    assert_eq!(machine.get("sys/devices/system/cpu/smt/control"), "off");
    assert_eq!(machine.get("proc/sys/net/ipv4/ip_local_port_range"), "15000 65000");

    machine.tuned("restore");
    machine.assert_untuned();
    assert!(!machine.remembered().exists());
    assert_eq!(machine.tuned("restore"), "nothing to put back\n");
}

#[test]
fn a_second_apply_keeps_what_the_first_remembered() {
    let machine = Machine::untuned();
    machine.tuned("apply");
    // Something else changed a value behind our back, and a cpu came.
    machine.set("proc/sys/vm/swappiness", "30");
    machine.set("sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "ondemand");
    machine.tuned("apply");
    assert_eq!(machine.get("proc/sys/vm/swappiness"), "1");
    machine.tuned("restore");
    machine.assert_untuned();
    assert_eq!(
        machine.get("sys/devices/system/cpu/cpu2/cpufreq/scaling_governor"),
        "ondemand"
    );
}

#[test]
fn an_apply_that_was_killed_half_way_can_be_put_back() {
    let machine = Machine::untuned();
    machine.tuned("apply");
    // What it remembered is whole before the first change; the last changes were not made, and one file half written.
    machine.set("sys/devices/system/cpu/smt/control", "on");
    let torn = machine.root().join("run/bench-tune/before.Ab12cd");
    fs::write(&torn, "bench tune 1\n/proc/sys/vm/swa").unwrap();
    machine.tuned("apply");
    machine.tuned("restore");
    machine.assert_untuned();
}

/// What is good already stays as it is: a longer queue than ours is not cut.
#[test]
fn a_good_value_is_neither_set_nor_remembered() {
    let machine = Machine::untuned();
    machine.set("proc/sys/net/core/somaxconn", "65535");
    machine.set("sys/devices/system/cpu/smt/control", "notsupported");
    machine.tuned("apply");
    assert_eq!(machine.get("proc/sys/net/core/somaxconn"), "65535");
    assert_eq!(machine.get("sys/devices/system/cpu/smt/control"), "notsupported");
    let remembered = fs::read_to_string(machine.remembered()).unwrap();
    assert!(
        !remembered.contains("somaxconn") && !remembered.contains("smt"),
        "{remembered}"
    );
}

#[test]
fn what_a_machine_does_not_show_is_said_and_left_out() {
    let machine = Machine(tempfile::tempdir().unwrap());
    machine.set("proc/sys/vm/swappiness", "60");
    let applied = machine.tuned("apply");
    assert!(
        applied.contains("governor: not shown by this machine, left out"),
        "{applied}"
    );
    let checked = machine.tuned("check");
    assert_eq!(checked.matches("absent ").count(), 9, "{checked}");
    machine.tuned("restore");
    assert_eq!(machine.get("proc/sys/vm/swappiness"), "60");
}

/// A file that cannot be written stands for a kernel that refuses; root may write everything but a folder's device.
#[test]
fn what_the_kernel_refuses_is_named_and_the_rest_is_still_set() {
    let machine = Machine::untuned();
    let knob = machine.root().join("proc/sys/vm/swappiness");
    fs::remove_file(&knob).unwrap();
    // Reads as nothing that is wanted, and fails to be written for everybody.
    std::os::unix::fs::symlink("/proc/self/mountinfo", &knob).unwrap();
    let output = machine.tune("apply");
    assert_eq!(output.status, Some(2));
    let message = "error: /proc/sys/vm/swappiness: the kernel does not take '1'";
    assert!(output.stderr.contains(message), "{output:#?}");
    assert_eq!(machine.get("sys/devices/system/cpu/smt/control"), "off");
}

#[test]
fn a_state_file_that_is_not_ours_is_refused_and_kept() {
    for text in [
        "",
        "something else\n",
        "bench tune 1\n/etc/passwd\troot\n",
        "bench tune 1\n/sys/../etc/x\troot\n",
    ] {
        let machine = Machine::untuned();
        write(&machine.remembered(), text);
        for what in ["apply", "restore"] {
            let output = machine.tune(what);
            assert_eq!(output.status, Some(2), "{text:?}");
            assert!(output.error().contains("look at it and remove it"), "{output:#?}");
        }
        machine.assert_untuned();
        assert_eq!(fs::read_to_string(machine.remembered()).unwrap(), text);
    }
}

#[test]
fn without_root_nothing_is_changed_and_the_remedy_is_named() {
    // As root, the test first becomes nobody.
    let root = nix::unistd::geteuid().is_root();
    let folder = installed("");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let script = folder.path().join("tune.sh");
    for what in ["apply", "restore"] {
        let mut tune = Command::new(if root { "setpriv" } else { "env" });
        if root {
            tune.args(["--reuid", "65534", "--regid", "65534", "--clear-groups", "--"]);
        }
        tune.arg(&script).arg(what).env_remove("TUNE_ROOT");
        let output = CommandOutput::run(tune);
        assert_eq!(output.status, Some(2), "{output:#?}");
        assert!(output.error().contains("needs root: sudo "), "{output:#?}");
    }
}

#[test]
fn a_wrong_word_is_refused_and_help_is_given() {
    let machine = Machine::untuned();
    assert_eq!(machine.tune("aply").status, Some(2));
    assert!(machine.tuned("--help").contains("tune.sh restore"));
    machine.assert_untuned();
}

#[test]
fn what_programs_read_is_judged_as_what_people_read() {
    let machine = Machine::untuned();
    machine.set("proc/sys/net/ipv4/tcp_tw_reuse", "1");
    let listed = machine.tuned("list");
    assert!(
        listed.contains("governor|differs|powersave, schedutil|performance|other governors"),
        "{listed}"
    );
    assert!(
        listed.contains("net.ipv4.tcp_tw_reuse|ok|1|2|ports of closed"),
        "{listed}"
    );
    let none = Machine(tempfile::tempdir().unwrap()).tuned("list");
    assert!(none.lines().all(|line| line.contains("|absent||")), "{none}");
}

/// Words, numbers of any length, and ranges, of which the length counts.
#[test]
fn a_value_is_a_word_of_the_list_or_large_enough() {
    const SMT: (&str, &str) = ("sys/devices/system/cpu/smt/control", "smt");
    const QUEUE: (&str, &str) = ("proc/sys/net/core/somaxconn", "net.core.somaxconn");
    const PORTS: (&str, &str) = ("proc/sys/net/ipv4/ip_local_port_range", "net.ipv4.ip_local_port_range");
    let machine = Machine::untuned();
    for ((file, name), value, state) in [
        (SMT, "forceoff", "ok"),
        (SMT, "off forceoff", "differs"),
        (QUEUE, "4096", "ok"),
        (QUEUE, "08", "differs"),
        (QUEUE, "-1", "differs"),
        (QUEUE, "many", "differs"),
        (PORTS, "32768\t60999", "ok"),
        (PORTS, "32768 33000", "differs"),
        (PORTS, "60999 32768", "differs"),
        (PORTS, "1 2 3", "differs"),
    ] {
        machine.set(file, value);
        let listed = machine.tuned("list");
        assert!(listed.contains(&format!("{name}|{state}|")), "{value}: {listed}");
    }
}
