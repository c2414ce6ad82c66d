//! What the compiler, or cargo, said of a crate that it refused, for people: the first line says what, in which crate, and where, or what is
//! to be done where a dependency is newer than the pinned compiler.

use std::path::Path;

use cargo_metadata::CompilerMessage;
use cargo_metadata::semver::Version;

use crate::cargo;
use crate::registry_paths::without_folders;
use model::escape::{SENTENCE, clean};

/// Longest place that is shown, in characters; the rest of the line is the error's.
const LONGEST_PLACE: usize = 120;
/// Errors of what only a newer compiler has, or none but the nightly one.
const UNSTABLE: [&str; 2] = ["E0554", "E0658"];

/// A crate of a registry that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Why, as the rest of a sentence that begins with both.
    pub why: String,
}

impl Refused {
    /// The crate that this error is in, unless it is one of the repository.
    pub fn by_compiler(compiler: &CompilerMessage, rustc: &str) -> Option<Self> {
        let id = &compiler.package_id.repr;
        let (name, version) = id.split_once('#')?.1.split_once('@')?;
        let code = compiler.message.code.as_ref()?.code.as_str();
        let why = if UNSTABLE.contains(&code) {
            format!("needs a newer Rust than {rustc} without saying so")
        } else {
            format!("does not compile with Rust {rustc} and the crates beneath it")
        };
        id.starts_with("registry+").then(|| Self {
            name: name.to_owned(),
            version: version.to_owned(),
            why,
        })
    }

    /// The crate that cargo does not even give to the compiler: `foo@1.2.0 requires rustc 1.97`, or a manifest that it cannot read, of a newer
    /// edition, say.
    pub fn by_cargo(said: &str, rustc: &str) -> Option<Self> {
        let of = |(name, version): (&str, &str), why| Self {
            name: name.to_owned(),
            version: version.to_owned(),
            why,
        };
        said.lines().find_map(|line| {
            if let Some((package, needed)) = line.trim().split_once(" requires rustc ") {
                let why = format!("needs Rust {needed}, and rust-toolchain.toml has {rustc}");
                return Some(of(package.split_once('@')?, why));
            }
            let manifest = line.split_once("failed to parse manifest at `")?.1;
            let folder = manifest.strip_suffix("/Cargo.toml`")?.rsplit_once("/registry/src/")?.1;
            let package = folder.rsplit('/').next()?;
            let mut dashes = package.match_indices('-').map(|(at, _)| at);
            let at = dashes.find(|at| package[at + 1..].starts_with(|letter: char| letter.is_ascii_digit()))?;
            let why = format!("has a manifest that cargo {rustc} cannot read, of a newer edition perhaps");
            Some(of((&package[..at], &package[at + 1..]), why))
        })
    }

    /// What it is, and what to do.
    fn way_out(&self) -> String {
        let Self { name, version, why } = self;
        let older = version
            .parse()
            .map_or(format!("<{version}"), |version| older_than(&version));
        let text = format!(
            "{name} {version} {why}: `cargo update -p {name} --precise OLDER`, or `{name} = \"{older}\"` in the app's Cargo.toml \
             (apps/README.md, Add a framework)"
        );
        clean(&text, SENTENCE)
    }
}

/// The requirement of an older version that takes the place of this one: of another major version, both would be chosen.
pub(crate) fn older_than(version: &Version) -> String {
    match (version.major, version.minor) {
        (0, minor) => format!(">=0.{minor}, <{version}"),
        (major, _) => format!(">={major}, <{version}"),
    }
}

/// The error as the compiler shows it, and in its first line also crate, file and line:
/// `error[E0308]: mismatched types (axum-app, apps/axum/src/routes.rs:12)`. Above it, where a dependency is newer than the compiler, whose
/// version is asked for then, what to do.
pub(crate) fn in_words(compiler: &CompilerMessage, rustc: impl FnOnce() -> String) -> String {
    let code = compiler.message.code.as_ref().map(|code| code.code.as_str());
    let is_newer = code.is_some_and(|code| UNSTABLE.contains(&code));
    let refused = is_newer.then(|| Refused::by_compiler(compiler, &rustc())).flatten();
    let way_out = refused.map(|refused| format!("{}\n", refused.way_out()));
    format!("{}{}", way_out.unwrap_or_default(), with_place(compiler))
}

/// What cargo said, below what to do where it refused a dependency.
pub(crate) fn of_cargo(said: String, folder: &Path) -> String {
    match Refused::by_cargo(&said, &rustc(folder)) {
        Some(refused) => format!("{}\n{said}", refused.way_out()),
        None => said,
    }
}

/// The version of the compiler that builds in `folder`: `1.95.0`.
pub(crate) fn rustc(folder: &Path) -> String {
    let version = cargo::rustc(folder).unwrap_or_default();
    version.split(' ').nth(1).unwrap_or("the pinned one").to_owned()
}

fn with_place(compiler: &CompilerMessage) -> String {
    let message = &compiler.message;
    let rendered = message.rendered.as_deref().unwrap_or(&message.message);
    // A long type is in a file of this machine, which is no part of the error.
    let lines = rendered
        .trim()
        .lines()
        .filter(|line| !line.contains("has been written to '/"));
    let rendered = without_folders(&lines.collect::<Vec<_>>().join("\n"));
    let (title, rest) = rendered.split_once('\n').unwrap_or((&rendered, ""));
    let mut place = package_name(&compiler.package_id.repr).to_owned();
    if let Some(span) = message.spans.iter().find(|span| span.is_primary) {
        place = format!("{place}, {}:{}", without_folders(&span.file_name), span.line_start);
    }
    let place = clean(&place, LONGEST_PLACE);
    let title = clean(title, SENTENCE - LONGEST_PLACE - 3);
    let rest = rest.trim_end();
    let separator = if rest.is_empty() { "" } else { "\n" };
    format!("{title} ({place}){separator}{rest}")
}

/// The name in a package's id: `tokio` of `registry+https://…#tokio@1.54.1`, `server` of `path+file:///…/server#0.1.0`
/// (`cargo help pkgid`).
pub(crate) fn package_name(id: &str) -> &str {
    let (address, fragment) = id.split_once('#').unwrap_or((id, ""));
    match fragment.split_once('@') {
        Some((name, _)) => name,
        None => address.rsplit('/').next().unwrap_or(address),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What cargo prints of an error in a package.
    fn message(id: &str, title: &str, file: &str) -> CompilerMessage {
        let code = title
            .split(['[', ']'])
            .nth(1)
            .map(|code| serde_json::json!({"code": code, "explanation": null}));
        let text = serde_json::json!({"text": "x", "highlight_start": 1, "highlight_end": 2});
        let span = serde_json::json!({
            "file_name": file, "byte_start": 0, "byte_end": 1, "line_start": 12, "line_end": 12,
            "column_start": 1, "column_end": 2, "is_primary": true, "text": [text],
            "label": null, "suggested_replacement": null, "suggestion_applicability": null, "expansion": null,
        });
        serde_json::from_value(serde_json::json!({
            "package_id": id, "manifest_path": "/x/Cargo.toml",
            "target": {"kind": ["lib"], "crate_types": ["lib"], "name": "x", "src_path": "/x/lib.rs", "edition": "2024"},
            "message": {
                "message": title, "code": code, "level": "error", "spans": [span], "children": [],
                "rendered": format!("{title}\n  --> {file}:12:1\n   |\n12 | x\n   = note: the full name for the type has been written to '/x/target/long.txt'\n\n"),
            },
        }))
        .unwrap()
    }

    #[test]
    fn an_error_in_an_app_has_crate_file_and_line_in_its_first_line() {
        let id = "path+file:///home/x/apps/axum#axum-app@0.1.0";
        assert_eq!(
            with_place(&message(
                id,
                "error[E0308]: mismatched types",
                "apps/axum/src/routes.rs"
            )),
            "error[E0308]: mismatched types (axum-app, apps/axum/src/routes.rs:12)\n  \
             --> apps/axum/src/routes.rs:12:1\n   |\n12 | x"
        );
    }

    #[test]
    fn an_error_in_a_dependency_has_no_folder_of_this_machine() {
        let id = "registry+https://github.com/rust-lang/crates.io-index#tokio@1.54.1";
        let file = "/home/x/.cargo/registry/src/index.crates.io-1949cf/tokio-1.54.1/src/net.rs";
        let words = with_place(&message(id, "error: no", file));
        assert_eq!(
            words.lines().next(),
            Some("error: no (tokio, tokio-1.54.1/src/net.rs:12)")
        );
        assert!(!words.contains("/home/x"), "{words}");
    }

    #[test]
    fn the_first_line_is_short_and_safe_and_keeps_its_place() {
        let title = format!("error: \u{1b}[31m{}", "long ".repeat(100));
        let words = with_place(&message("path+file:///x/server#0.1.0", &title, "src/lib.rs"));
        let first = words.lines().next().unwrap();
        assert!(first.ends_with("… (server, src/lib.rs:12)"), "{first}");
        assert!(
            first.chars().count() <= SENTENCE && !first.contains('\u{1b}'),
            "{first}"
        );
    }

    #[test]
    fn a_dependency_that_is_newer_than_the_compiler_comes_with_what_to_do() {
        let id = "registry+https://github.com/rust-lang/crates.io-index#trillium-http@1.8.0";
        let unstable = message(
            id,
            "error[E0658]: use of unstable library feature `x`",
            "/r/registry/src/i/trillium-http-1.8.0/src/body.rs",
        );
        let refused = Refused::by_compiler(&unstable, "1.95.0").unwrap();
        assert_eq!(
            refused.way_out(),
            "trillium-http 1.8.0 needs a newer Rust than 1.95.0 without saying so: `cargo update -p trillium-http --precise OLDER`, or \
             `trillium-http = \">=1, <1.8.0\"` in the app's Cargo.toml (apps/README.md, Add a framework)"
        );
        let words = in_words(&unstable, || "1.95.0".to_owned());
        let second = words.lines().nth(1).unwrap();
        assert_eq!(
            second,
            "error[E0658]: use of unstable library feature `x` (trillium-http, trillium-http-1.8.0/src/body.rs:12)"
        );
        // Another error may be the fault of a crate beneath it, and one of the repository's own crates is mended there.
        let other = message(id, "error[E0432]: unresolved import", "src/lib.rs");
        assert!(in_words(&other, || "1.95.0".to_owned()).starts_with("error[E0432]"));
        assert!(
            Refused::by_compiler(&other, "1.95.0")
                .unwrap()
                .why
                .starts_with("does not compile with Rust 1.95.0")
        );
        let own = message(
            "path+file:///x/apps/axum#axum-app@0.1.0",
            "error[E0658]: no",
            "src/main.rs",
        );
        assert_eq!(Refused::by_compiler(&own, "1.95.0"), None);
    }

    #[test]
    fn what_cargo_refuses_itself_is_named_with_its_version() {
        let refused =
            |said| Refused::by_cargo(said, "1.95.0").map(|refused| (refused.name, refused.version, refused.why));
        assert_eq!(
            refused(
                "error: rustc 1.95.0 is not supported by the following package:\n  foo-bar@1.2.3 requires rustc 1.97\nEither upgrade"
            ),
            Some((
                "foo-bar".into(),
                "1.2.3".into(),
                "needs Rust 1.97, and rust-toolchain.toml has 1.95.0".into()
            ))
        );
        let (name, version, _) = refused(
            "error: failed to parse manifest at `/home/x/.cargo/registry/src/index.crates.io-1949cf/foo-bar-1.2.3-rc.1/Cargo.toml`",
        )
        .unwrap();
        assert_eq!((name.as_str(), version.as_str()), ("foo-bar", "1.2.3-rc.1"));
        assert_eq!(
            refused("error: failed to parse manifest at `/home/x/apps/axum/Cargo.toml`"),
            None
        );
        assert_eq!(refused("error: linking with `cc` failed"), None);
    }
}
