//! Copies the repository, including uncommitted changes, so that builds do not touch the user's files.

use std::fs;
use std::io;
use std::path::Path;

/// Folders that no build reads; `target` alone may have gigabytes.
const LEFT_OUT: [&str; 4] = [".git", "target", "node_modules", "bench-results"];

/// Copies the folder `from` to the new folder `to`, without [`LEFT_OUT`] and `target`, wherever they are.
pub fn tree(from: &Path, to: &Path, target: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        let kind = entry.file_type()?;
        let destination = to.join(&name);
        if kind.is_dir() {
            // The second condition matters if the target folder has another name: the copy lies inside it.
            if !LEFT_OUT.iter().any(|left_out| name == *left_out) && path != target {
                tree(&path, &destination, target)?;
            }
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(&path)?, &destination)?;
        } else if kind.is_file() {
            fs::copy(&path, &destination)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_built_from_is_copied_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        for path in [
            "apps/a/src/main.rs",
            "apps/a/target/x",
            ".cargo/config.toml",
            ".git/HEAD",
            "built/y",
        ] {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), path).unwrap();
        }
        std::os::unix::fs::symlink("apps", root.join("link")).unwrap();
        let target = root.join("built");
        let to = target.join("copy");
        tree(&root, &to, &target).unwrap();
        let mut copied: Vec<_> = fs::read_dir(&to)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        copied.sort();
        assert_eq!(copied, [".cargo", "apps", "link"]);
        assert_eq!(
            fs::read_to_string(to.join("link/a/src/main.rs")).unwrap(),
            "apps/a/src/main.rs"
        );
        assert!(!to.join("apps/a/target").exists());
    }
}
