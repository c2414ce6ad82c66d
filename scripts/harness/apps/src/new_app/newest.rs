//! Finds the newest version of a crate that the pinned compiler builds with all that is beneath it.
//!
//! Cargo's resolver leaves out what needs a newer compiler and says so (`rust-version`). What does not say so is found by compiling it: then
//! the next older version of the refused crate is tried, and where there is none, an older one of what depends on it.

use std::collections::BTreeMap;

use anyhow::{anyhow, bail};
use cargo_lock::{Package, Version};

use crate::compile_error::Refused;

/// Most attempts to compile: what was compiled before is not compiled again.
const MOST_TRIES: u32 = 60;

/// A version from which on a crate is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ceiling {
    /// The oldest version that is known to be refused.
    pub below: Version,
    /// Why, as the rest of a sentence that begins with that version.
    pub why: String,
}

/// Ceilings by crate.
pub type Ceilings = BTreeMap<String, Ceiling>;

/// Cargo, with a package that requires the wanted crates and nothing else.
pub trait Registry {
    /// What the resolver chooses under these ceilings, and what [`Registry::compile`] means from then on; the error is cargo's.
    fn choose(&mut self, ceilings: &Ceilings) -> Result<Vec<Package>, String>;
    /// Compiles what was chosen, and returns the first package that is refused.
    fn compile(&mut self) -> anyhow::Result<Option<Refused>>;
}

/// What was found.
#[derive(Debug, PartialEq, Eq)]
pub struct Found {
    /// The versions of all crates.
    pub chosen: Vec<Package>,
    /// The ceilings without which it does not build.
    pub ceilings: Ceilings,
    /// Attempts to compile.
    pub tries: u32,
}

impl Found {
    /// The version of a crate; the newest if there are several.
    pub fn version(&self, name: &str) -> Option<&Version> {
        newest(&self.chosen, name)
    }
}

fn newest<'a>(chosen: &'a [Package], name: &str) -> Option<&'a Version> {
    let own = chosen.iter().filter(|package| package.name.as_str() == name);
    own.map(|package| &package.version).max()
}

/// Searches for the newest versions of `wanted` that build. `report` gets what is tried.
pub fn newest_that_build(
    wanted: &[String],
    registry: &mut dyn Registry,
    report: &mut dyn FnMut(&str),
) -> anyhow::Result<Found> {
    let mut ceilings = Ceilings::new();
    let mut chosen = registry.choose(&ceilings).map_err(|said| anyhow!(said))?;
    for tries in 1..=MOST_TRIES {
        let versions = wanted.iter().filter_map(|name| Some((name, newest(&chosen, name)?)));
        let all: Vec<String> = versions.map(|(name, version)| format!("{name} {version}")).collect();
        report(&format!("try {tries}: {}", all.join(", ")));
        let Some(refused) = registry.compile()? else {
            // An older version of what needed a crate may not need it any longer.
            let is_needed = |name: &String| {
                let mut needs = chosen.iter().flat_map(|package| &package.dependencies);
                wanted.contains(name) || needs.any(|needed| needed.name.as_str() == name)
            };
            ceilings.retain(|name, _| is_needed(name));
            return Ok(Found {
                chosen,
                ceilings,
                tries,
            });
        };
        chosen = lower(registry, &chosen, &mut ceilings, refused)?;
    }
    bail!("no version was found that builds, in {MOST_TRIES} tries")
}

/// Puts a ceiling on the crate that was refused or, where there is no older one, on what needs it; what is chosen then.
fn lower(
    registry: &mut dyn Registry,
    chosen: &[Package],
    ceilings: &mut Ceilings,
    refused: Refused,
) -> anyhow::Result<Vec<Package>> {
    let (mut name, mut why) = (refused.name, refused.why);
    let mut version: Version = refused.version.parse()?;
    loop {
        let (below, reason) = (version.clone(), why.clone());
        ceilings.insert(name.clone(), Ceiling { below, why: reason });
        // Another package may still need the newer one beside it.
        let is_older = |chosen: &Vec<Package>| newest(chosen, &name).is_some_and(|found| *found < version);
        if let Some(older) = registry.choose(ceilings).ok().filter(is_older) {
            return Ok(older);
        }
        ceilings.remove(&name);
        let needs_it = |package: &&Package| {
            let mut needs = package.dependencies.iter();
            needs.any(|needed| (needed.name.as_str(), &needed.version) == (&name, &version))
        };
        let Some(parent) = chosen.iter().find(needs_it) else {
            bail!("no version of {name} was found that builds: {name} {version} {why}");
        };
        why = format!("needs {name} {version}, which {why}");
        (name, version) = (parent.name.to_string(), parent.version.clone());
    }
}

#[cfg(test)]
mod tests {
    use cargo_lock::Lockfile;

    use super::*;

    /// A release of a crate: its version, what it needs (crate, and its oldest version), and whether it compiles.
    type Release = (u64, &'static [(&'static str, u64)], bool);
    /// Versions by crate.
    type Taken = BTreeMap<&'static str, u64>;

    /// A registry of minor versions, from which `framework` is wanted. It chooses like cargo: the newest that fit, and one version of each.
    struct Fake<'a> {
        /// The oldest release first.
        crates: BTreeMap<&'static str, &'a [Release]>,
        chosen: Vec<Package>,
        listed: usize,
    }

    fn version(minor: u64) -> Version {
        Version::new(1, minor, 0)
    }

    impl<'a> Fake<'a> {
        fn new<const N: usize>(crates: [(&'static str, &'a [Release]); N]) -> Self {
            Self {
                crates: crates.into_iter().collect(),
                chosen: Vec::new(),
                listed: 0,
            }
        }

        /// Depth first, with the newest first.
        fn solve(&self, open: &[(&'static str, u64)], taken: &Taken, ceilings: &Ceilings) -> Option<Taken> {
            let Some(((name, from), rest)) = open.split_first() else {
                return Some(taken.clone());
            };
            let below = ceilings.get(*name).map_or(u64::MAX, |ceiling| ceiling.below.minor);
            let fits = |minor| (*from..below).contains(&minor) && taken.get(name).is_none_or(|taken| *taken == minor);
            let releases = self.crates.get(name)?.iter().rev();
            releases.filter(|release| fits(release.0)).find_map(|release| {
                let mut taken = taken.clone();
                taken.insert(*name, release.0);
                self.solve(&[rest, release.1].concat(), &taken, ceilings)
            })
        }

        fn release(&self, name: &str, at: &Version) -> &Release {
            let mut releases = self.crates[name].iter();
            releases.find(|release| version(release.0) == *at).unwrap()
        }

        /// The first package that does not compile: what is beneath one is compiled first.
        fn refused(&self, name: &str, at: &Version) -> Option<Refused> {
            let is_it = |package: &&Package| package.name.as_str() == name && package.version == *at;
            let mut needs = self.chosen.iter().find(is_it).unwrap().dependencies.iter();
            let beneath = needs.find_map(|needed| self.refused(needed.name.as_str(), &needed.version));
            beneath.or_else(|| {
                (!self.release(name, at).2).then(|| Refused {
                    why: "is too new".into(),
                    version: at.to_string(),
                    name: name.to_owned(),
                })
            })
        }
    }

    impl Registry for Fake<'_> {
        fn choose(&mut self, ceilings: &Ceilings) -> Result<Vec<Package>, String> {
            self.listed += 1;
            let limited = self.crates.keys().filter(|name| ceilings.contains_key(**name));
            let mut open = vec![("framework", 0)];
            open.extend(limited.map(|name| (*name, 0)));
            let found = self.solve(&open, &Taken::new(), ceilings).ok_or("nothing fits")?;
            let package = |(name, minor): (&str, u64)| {
                let needs = self.release(name, &version(minor)).1.iter();
                let needs: Vec<&str> = needs.map(|(needed, _)| *needed).collect();
                format!("[[package]]\nname = {name:?}\nversion = \"1.{minor}.0\"\ndependencies = {needs:?}\n")
            };
            let lock: String = found.into_iter().map(package).collect();
            self.chosen = lock.parse::<Lockfile>().unwrap().packages;
            Ok(self.chosen.clone())
        }

        fn compile(&mut self) -> anyhow::Result<Option<Refused>> {
            let framework = newest(&self.chosen, "framework").unwrap().clone();
            Ok(self.refused("framework", &framework))
        }
    }

    fn found(fake: &mut Fake<'_>) -> anyhow::Result<Found> {
        newest_that_build(&["framework".to_owned()], fake, &mut |_| {})
    }

    fn ceilings(found: &Found) -> Vec<(&str, u64, &str)> {
        let ceilings = found.ceilings.iter();
        ceilings
            .map(|(name, ceiling)| (name.as_str(), ceiling.below.minor, ceiling.why.as_str()))
            .collect()
    }

    #[test]
    fn the_newest_that_builds_is_found_wherever_it_is() {
        for newest in 0..50 {
            let releases: Vec<Release> = (0..50).map(|minor| (minor, &[][..], minor <= newest)).collect();
            let found = found(&mut Fake::new([("framework", &releases)])).unwrap();
            assert_eq!(found.version("framework"), Some(&version(newest)));
            assert_eq!(u64::from(found.tries), 50 - newest);
            assert_eq!(found.ceilings.is_empty(), newest == 49);
        }
    }

    #[test]
    fn an_older_dependency_leaves_the_framework_as_new_as_it_can_be() {
        let http: Vec<Release> = (0..10).map(|minor| (minor, &[][..], minor <= 6)).collect();
        let framework: &[Release] = &[
            (3, &[("http", 2)], true),
            (4, &[("http", 5)], true),
            (5, &[("http", 8)], true),
        ];
        let mut fake = Fake::new([("framework", framework), ("http", &http)]);
        let found = found(&mut fake).unwrap();
        // 5 needs what does not build, so the resolver steps down to 4 by itself, and http need not be older than 6.
        assert_eq!(
            (found.version("framework"), found.version("http")),
            (Some(&version(4)), Some(&version(6)))
        );
        assert_eq!(ceilings(&found), [("http", 7, "is too new")]);
    }

    #[test]
    fn where_no_older_dependency_builds_what_needs_it_is_older() {
        let framework: &[Release] = &[(1, &[], true), (2, &[("http", 0)], true), (3, &[("http", 0)], true)];
        let mut fake = Fake::new([("framework", framework), ("http", &[(0, &[], false), (1, &[], false)])]);
        let found = found(&mut fake).unwrap();
        assert_eq!(found.version("framework"), Some(&version(1)));
        assert_eq!(
            ceilings(&found),
            [("framework", 2, "needs http 1.0.0, which is too new")]
        );
    }

    #[test]
    fn a_crate_that_misses_what_another_one_no_longer_has_is_older_too() {
        // As trillium-server-common, which says it takes an older trillium-http than it does.
        let mut fake = Fake::new([
            ("framework", &[(4, &[("common", 0), ("http", 0)], true)]),
            ("common", &[(11, &[("http", 0)], true), (12, &[("http", 0)], false)]),
            ("http", &[(1, &[], true), (2, &[], false)]),
        ]);
        let found = found(&mut fake).unwrap();
        assert_eq!(
            ceilings(&found),
            [("common", 12, "is too new"), ("http", 2, "is too new")]
        );
    }

    #[test]
    fn where_nothing_builds_it_says_why_and_ends() {
        let never: Vec<Release> = (0..30).map(|minor| (minor, &[][..], false)).collect();
        let mut fake = Fake::new([("framework", &never)]);
        let error = found(&mut fake).unwrap_err().to_string();
        assert!(
            error.starts_with("no version of framework was found that builds: framework 1.0.0 is too new"),
            "{error}"
        );
        assert!(fake.listed < 100, "{}", fake.listed);
        assert_eq!(found(&mut Fake::new([])).unwrap_err().to_string(), "nothing fits");
    }
}
