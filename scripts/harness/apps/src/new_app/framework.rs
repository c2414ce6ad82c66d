//! What is known of the framework of a new app before its server is written.

use std::path::Path;

use anyhow::{Context as _, ensure};

use super::newest::{Found, newest_that_build};
use super::trial_package::TrialPackage;

/// A framework, as a new app's `Cargo.toml` names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Framework {
    /// Its name for people.
    title: String,
    /// The crate whose version is reported.
    name: String,
    /// Where it lives.
    link: String,
    /// What `[dependencies]` gets for it.
    pub requirements: String,
    /// Attempts to compile that it took to find them.
    pub tries: u32,
}

impl Framework {
    /// Nothing is known: what stands in its place is what the template needs itself.
    pub fn unknown(name: &str) -> Self {
        Self {
            title: name.to_owned(),
            name: "tokio".into(),
            link: "https://github.com/tokio-rs/tokio".into(),
            requirements: String::new(),
            tries: 0,
        }
    }

    /// The framework of the first of these `crates`, at the newest versions that build in the repository at `root`. `report` gets what is tried.
    pub fn find(root: &Path, crates: &[String], report: &mut dyn FnMut(&str)) -> anyhow::Result<Self> {
        for name in crates {
            let is_name = name.starts_with(|letter: char| letter.is_ascii_alphabetic())
                && name
                    .chars()
                    .all(|letter| letter.is_ascii_alphanumeric() || ['-', '_'].contains(&letter));
            ensure!(is_name, "`{}` cannot be the name of a crate", name.escape_debug());
        }
        let first = crates.first().context("no crate is named")?;
        let mut package = TrialPackage::new(root, crates)?;
        let found = newest_that_build(crates, &mut package, report)
            .with_context(|| format!("nothing was made for `{}`", crates.join("`, `")))?;
        let link = package.link(first);
        Ok(Self {
            title: title(first),
            name: first.clone(),
            link: link.unwrap_or_else(|| format!("https://crates.io/crates/{first}")),
            requirements: requirements(crates, &found),
            tries: found.tries,
        })
    }

    pub(super) fn filled_in(&self, template: &str) -> String {
        let fields = [
            ("{title}", &self.title),
            ("{framework}", &self.name),
            ("{link}", &self.link),
            ("{requirements}", &self.requirements),
        ];
        fields
            .iter()
            .fold(template.to_owned(), |text, (field, value)| text.replace(field, value))
    }
}

/// A crate's name as most write it: `actix-web` is Actix Web.
fn title(name: &str) -> String {
    let word = |word: &str| match word.split_at_checked(1) {
        Some((first, rest)) => format!("{}{rest}", first.to_ascii_uppercase()),
        None => String::new(),
    };
    name.split(['-', '_']).map(word).collect::<Vec<_>>().join(" ")
}

/// What is wanted, and what must be older than it would be, each with the reason.
fn requirements(crates: &[String], found: &Found) -> String {
    let others = found.ceilings.keys().filter(|name| !crates.contains(name));
    let lines = crates.iter().chain(others).filter_map(|name| {
        let version = found.version(name)?;
        let Some(ceiling) = found.ceilings.get(name) else {
            return Some(format!("{name} = \"{version}\"\n"));
        };
        let requirement = format!("\">={version}, <{}\"", ceiling.below);
        let requirement = if crates.contains(name) {
            requirement
        } else {
            format!("{{ version = {requirement}, default-features = false }}")
        };
        Some(format!(
            "# Not {}: it {}.\n{name} = {requirement}\n",
            ceiling.below, ceiling.why
        ))
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use cargo_lock::{Lockfile, Version};

    use super::*;
    use crate::new_app::newest::Ceiling;

    #[test]
    fn requirements_say_why_they_are_not_the_newest() {
        let lock = "version = 4\n[[package]]\nname = \"trillium\"\nversion = \"1.4.1\"\n\
                    [[package]]\nname = \"trillium-http\"\nversion = \"1.6.1\"\n";
        let ceiling = Ceiling {
            below: Version::new(1, 6, 2),
            why: "needs a newer Rust than 1.95.0 without saying so".into(),
        };
        let found = Found {
            chosen: lock.parse::<Lockfile>().unwrap().packages,
            ceilings: [("trillium-http".to_owned(), ceiling)].into(),
            tries: 7,
        };
        assert_eq!(
            requirements(&["trillium".to_owned()], &found),
            "trillium = \"1.4.1\"\n\
             # Not 1.6.2: it needs a newer Rust than 1.95.0 without saying so.\n\
             trillium-http = { version = \">=1.6.1, <1.6.2\", default-features = false }\n"
        );
    }

    #[test]
    fn a_title_is_the_name_in_words() {
        assert_eq!(
            ["trillium", "actix-web", "may_minihttp"].map(title),
            ["Trillium", "Actix Web", "May Minihttp"]
        );
    }

    #[test]
    fn what_is_no_name_of_a_crate_reaches_no_manifest() {
        for name in ["", "a b", "a\"", "../a", "a=\"1\"", "9"] {
            let error = Framework::find(Path::new("."), &[name.to_owned()], &mut |_| {}).unwrap_err();
            assert!(error.to_string().ends_with("cannot be the name of a crate"), "{error}");
        }
    }
}
