//! Reads and judges the settings that `scripts/runner/tune.sh` changes on a measuring machine. Nothing is changed here.
//!
//! The list is in one file, `scripts/runner/tuning.txt`, which the script reads and which is compiled into this program. A test
//! proves that both judge alike (`tests/runner/tuning.rs`).

use std::fs;
use std::path::{Path, PathBuf};

use crate::kernel_files::read_small_file;

const TABLE: &str = include_str!("../../../../runner/tuning.txt");

/// The command that applies the wanted settings.
pub const REMEDY: &str = "sudo scripts/runner/tune.sh apply";

/// One setting of the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    /// Its name; that of the sysctl where it is one.
    pub name: &'static str,
    /// Where the kernel shows it; `*` stands for the number of every cpu.
    file: &'static str,
    /// What it is set to.
    pub wanted: &'static str,
    /// Values that need no change: words, or `>=` and a number.
    accepted: &'static str,
    /// What goes wrong with another value.
    pub why: &'static str,
}

/// An item with its values on a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelSetting {
    /// The item.
    pub item: Item,
    /// Its values; several if cpus differ, none if the machine does not show it.
    pub values: Vec<String>,
}

impl KernelSetting {
    /// Whether every value is acceptable. A setting that is not shown is, because nothing can be done about it.
    pub fn fits(&self) -> bool {
        self.values.iter().all(|value| fits(value, self.item.accepted))
    }

    /// The values, separated by commas; `None` if the machine does not show it.
    pub fn value(&self) -> Option<String> {
        (!self.values.is_empty()).then(|| self.values.join(", "))
    }
}

/// All items, as `root` (`/` for this machine) shows them, in the order in which they are set.
pub fn look(root: &Path) -> Vec<KernelSetting> {
    items()
        .map(|item| KernelSetting {
            item,
            values: distinct(files(root, item.file).into_iter().filter_map(value)),
        })
        .collect()
}

fn items() -> impl Iterator<Item = Item> {
    let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.filter_map(|line| {
        let mut fields = line.splitn(5, '|').map(str::trim);
        Some(Item {
            name: fields.next()?,
            file: fields.next()?,
            wanted: fields.next()?,
            accepted: fields.next()?,
            why: fields.next()?,
        })
    })
}

/// The files that a pattern stands for, ordered by name.
fn files(root: &Path, pattern: &str) -> Vec<PathBuf> {
    let below = |path: &str| root.join(path.trim_start_matches('/'));
    let Some((before, after)) = pattern.split_once('*') else {
        return vec![below(pattern)];
    };
    let (folder, start) = before.rsplit_once('/').unwrap_or(("", before));
    let after = after.trim_start_matches('/');
    let mut paths: Vec<PathBuf> = fs::read_dir(below(folder))
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(start))
        .map(|entry| entry.path().join(after))
        .collect();
    paths.sort();
    paths
}

/// A value with one space between its words.
fn value(file: PathBuf) -> Option<String> {
    let text = read_small_file(file)?;
    let words: Vec<&str> = text.lines().next()?.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// Each value once, in the order of first appearance.
pub(super) fn distinct(values: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = Vec::new();
    for value in values {
        if !seen.contains(&value) {
            seen.push(value);
        }
    }
    seen
}

/// For a range, `>=` applies to its length.
fn fits(value: &str, accepted: &str) -> bool {
    let Some(least) = accepted.strip_prefix(">=") else {
        return accepted.split_whitespace().any(|good| good == value);
    };
    let numbers: Option<Vec<i64>> = value.split_whitespace().map(|word| word.parse().ok()).collect();
    let counted = match numbers.as_deref() {
        Some([number]) => *number,
        Some([low, high]) => high - low + 1,
        _ => return false,
    };
    least.parse().is_ok_and(|least: i64| counted >= least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_an_item_whose_own_value_is_good() {
        let lines = TABLE.lines().filter(|line| !line.starts_with('#')).count();
        assert!(lines >= 8);
        assert_eq!(items().count(), lines);
        for item in items() {
            assert!(fits(item.wanted, item.accepted), "{item:?}");
            assert!(!item.why.is_empty(), "{item:?}");
        }
    }

    #[test]
    fn a_value_is_a_word_of_the_list_or_large_enough() {
        for (value, accepted, good) in [
            ("performance", "performance", true),
            ("schedutil", "performance", false),
            ("forceoff", "off forceoff", true),
            ("off forceoff", "off forceoff", false),
            ("4096", ">=4096", true),
            ("512", ">=4096", false),
            ("32768 60999", ">=16384", true),
            ("32768 33000", ">=16384", false),
            ("60999 32768", ">=16384", false),
            ("many", ">=16384", false),
        ] {
            assert_eq!(fits(value, accepted), good, "{value} {accepted}");
        }
    }

    #[test]
    fn every_cpu_is_looked_at() {
        let root = tempfile::tempdir().unwrap();
        for (cpu, governor) in [("cpu0", "performance"), ("cpu1", "powersave"), ("cpu10", "powersave")] {
            let folder = root.path().join(format!("sys/devices/system/cpu/{cpu}/cpufreq"));
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("scaling_governor"), format!("{governor}\n")).unwrap();
        }
        fs::create_dir_all(root.path().join("sys/devices/system/cpu/cpuidle")).unwrap();
        let found = look(root.path());
        let governor = found.iter().find(|found| found.item.name == "governor").unwrap();
        assert_eq!(governor.value().as_deref(), Some("performance, powersave"));
        assert!(!governor.fits());
        for other in found.iter().filter(|found| found.item.name != "governor") {
            assert_eq!(other.value(), None);
            assert!(other.fits());
        }
    }
}
