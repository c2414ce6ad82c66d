//! What goes with a release: crates of its own, or all of a day.

use std::path::Path;

use anyhow::anyhow;
use jiff::Timestamp;

use super::{Patch, cargo, finished, own_folders, requirements};
use crate::versions::older;
use apps::catalog::App;

/// Takes all, one after the other as they are accepted: where crates of one release need each other, cargo does not take the lower one first.
pub fn in_any_order<T>(mut left: Vec<T>, mut take: impl FnMut(&T) -> anyhow::Result<()>) -> anyhow::Result<()> {
    loop {
        let (before, mut refused) = (left.len(), None);
        left.retain(|one| match take(one) {
            Ok(()) => false,
            Err(error) => {
                refused = Some(error);
                true
            }
        });
        match refused {
            None => return Ok(()),
            Some(error) if left.len() == before => return Err(error),
            Some(_) => {}
        }
    }
}

impl Patch {
    /// The crates of an app that are released together with this one, each in its version: they have its name before their own, and are locked
    /// in the same version.
    pub fn together(&self, app: &App) -> Vec<Self> {
        let locked = app.dependencies.get(&self.name);
        let is_own = |name: &str| {
            name.strip_prefix(&self.name)
                .is_some_and(|rest| rest.starts_with(['-', '_']))
        };
        let all = app.dependencies.iter();
        let own = all.filter(|(name, versions)| is_own(name) && Some(*versions) == locked);
        let patch = |name: &String| Self {
            name: name.clone(),
            ..self.clone()
        };
        own.map(|(name, _)| patch(name)).collect()
    }
}

/// Locks all crates of a workspace anew, to the newest that were published by `day`; what was not compatible yet then is older. Only an
/// unstable option of cargo can do that.
pub fn lock_as_of(workspace: &Path, day: Timestamp) -> anyhow::Result<()> {
    for folder in own_folders(workspace)? {
        requirements::loosen(&folder.join("Cargo.toml"), &|_, least| Some(older(least)))?;
    }
    let mut command = cargo(workspace, "generate-lockfile");
    command.args(["-Zunstable-options", "--publish-time", &day.to_string()]);
    command.env("RUSTC_BOOTSTRAP", "1");
    finished(command)
        .map(|_| ())
        .map_err(|error| anyhow!("cargo finds no crates of {day}: {error}"))
}

#[cfg(test)]
mod tests {
    use anyhow::ensure;

    use super::*;

    #[test]
    fn what_needs_another_first_is_taken_after_it() {
        let taken = |refuses_first: bool| {
            let mut taken = Vec::new();
            let all = in_any_order(vec!["core", "server", "first"], |name| {
                let needs = match *name {
                    "core" => "server",
                    "server" => "first",
                    _ => "",
                };
                ensure!(needs.is_empty() || taken.contains(&needs), "{needs} is too new");
                ensure!(!refuses_first, "no first");
                taken.push(*name);
                Ok(())
            });
            (all.map_err(|error| error.to_string()), taken)
        };
        assert_eq!(taken(false), (Ok(()), vec!["first", "server", "core"]));
        assert_eq!(taken(true), (Err("no first".to_owned()), Vec::new()));
    }

    #[test]
    fn what_is_released_together_has_the_name_and_the_version() {
        let locked = [
            ("tako-rs", "2.6.0"),
            ("tako-rs-server", "2.6.0"),
            ("tako-rs-macros", "2.0.0"),
            ("tako-rson", "2.6.0"),
            ("tokio", "2.6.0"),
        ];
        let app = App {
            dependencies: locked
                .map(|(name, version)| (name.to_owned(), vec![version.to_owned()]))
                .into(),
            ..samples::framework("axum")
        };
        let patch: Patch = "tako-rs=2.4.2".parse().unwrap();
        let together: Vec<String> = patch.together(&app).iter().map(ToString::to_string).collect();
        assert_eq!(together, ["tako-rs-server=2.4.2"]);
    }
}
