//! What is said to a remote, and what it answers: names that can stand in a command, and refusals told from races.

use record::escape::{SENTENCE, clean};

/// Whether a name of a remote or a branch can stand in a command.
pub fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    (1..=100).contains(&name.len())
        && name.chars().all(plain)
        && !name.starts_with(['-', '.', '/'])
        && !name.ends_with(['.', '/'])
        && name.strip_suffix(".lock").is_none()
        && !name.contains("..")
        && !name.contains("//")
}

/// Why a push was refused, from its report for programs: `!\t<from>:<to>\t[rejected] (fetch first)`.
pub fn refusal(report: &str) -> Option<String> {
    let line = report.lines().find_map(|line| line.strip_prefix("!\t"))?;
    let (_, reason) = line.split_once('\t')?;
    Some(clean(reason, SENTENCE))
}

/// Whether somebody else was quicker, or is at it at this moment.
pub fn is_race(reason: &str) -> bool {
    let words = [
        "cannot lock ref",
        "failed to update ref",
        "incorrect old value",
        "reference already exists",
        "stale info",
    ];
    reason.starts_with("[rejected]") || words.iter().any(|word| reason.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_no_option_and_no_address() {
        for good in ["origin", "gh-pages", "site/pages", "v1.2"] {
            assert!(is_name(good), "{good}");
        }
        for bad in [
            "",
            "-f",
            "--upload-pack=x",
            "a b",
            "a..b",
            "/a",
            "a.lock",
            "https://x",
            "a:b",
            "ext::sh",
            "é",
        ] {
            assert!(!is_name(bad), "{bad}");
        }
    }

    #[test]
    fn a_race_is_told_from_a_refusal() {
        let report = |reason: &str| format!("To /x\n!\tabc:refs/heads/gh-pages\t{reason}\nDone\n");
        for race in [
            "[rejected] (fetch first)",
            "[rejected] (non-fast-forward)",
            "[remote rejected] (cannot lock ref 'refs/heads/gh-pages': is at a but expected b)",
            "[remote rejected] (failed to update ref)",
        ] {
            assert!(is_race(&refusal(&report(race)).unwrap()), "{race}");
        }
        for refused in [
            "[remote rejected] (pre-receive hook declined)",
            "[remote rejected] (shallow update not allowed)",
        ] {
            assert!(!is_race(&refusal(&report(refused)).unwrap()), "{refused}");
        }
        assert_eq!(refusal("fatal: no network"), None);
    }
}
