//! Finds load generators that the user has installed.

use std::env;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use record::scenario::GeneratorKind;

/// The first program of this name in `PATH`. Looked up here, because the generator is started with an empty environment.
pub fn in_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let mut candidates = env::split_paths(&path).map(|folder| folder.join(program));
    candidates.find(|file| {
        file.metadata()
            .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
    })
}

/// The package of Debian and Ubuntu that holds it.
pub fn package(kind: GeneratorKind) -> &'static str {
    match kind {
        GeneratorKind::Oha => "oha",
        GeneratorKind::Wrk => "wrk",
        GeneratorKind::H2load => "nghttp2-client",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_and_a_missing_one_is_not() {
        assert!(in_path("sh").is_some_and(|path| path.is_absolute()));
        assert_eq!(in_path("no-such-program"), None);
    }
}
