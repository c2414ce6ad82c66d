//! What the compiler said of a crate that it refused, for people: the first line says what, in which crate, and where.

use cargo_metadata::CompilerMessage;

use crate::registry_paths::without_folders;
use model::escape::{SENTENCE, clean};

/// Longest place that is shown, in characters; the rest of the line is the error's.
const LONGEST_PLACE: usize = 120;

/// The error as the compiler shows it, and in its first line also crate, file and line:
/// `error[E0308]: mismatched types (axum-app, apps/axum/src/routes.rs:12)`.
pub(crate) fn with_place(compiler: &CompilerMessage) -> String {
    let message = &compiler.message;
    let rendered = message.rendered.as_deref().unwrap_or(&message.message);
    let rendered = without_folders(rendered.trim());
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
fn package_name(id: &str) -> &str {
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
                "message": title, "code": null, "level": "error", "spans": [span], "children": [],
                "rendered": format!("{title}\n  --> {file}:12:1\n   |\n12 | x\n\n"),
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
}
