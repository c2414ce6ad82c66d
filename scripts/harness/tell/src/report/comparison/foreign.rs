//! Text of a comparison, which anybody may have written, as Markdown that means nothing: one line, bounded, no markup, no mention,
//! no link.

use record::escape;

/// Longest reason that is shown.
const LONGEST_REASON: usize = 600;
/// Shortest word of hexadecimal digits that GitHub may take for a commit.
const SHORTEST_COMMIT: usize = 7;

/// A foreign text.
pub fn text(foreign: &str) -> String {
    commits_as_code(&escape::markdown(&escape::clean(foreign, LONGEST_REASON)))
}

/// A foreign name, version or unit.
pub fn name(foreign: &str) -> String {
    commits_as_code(&escape::markdown(&escape::clean(foreign, escape::NAME)))
}

/// Formats words as code that GitHub would link to a commit of this repository or a fork.
fn commits_as_code(escaped: &str) -> String {
    let mut marked = String::with_capacity(escaped.len());
    let mut rest = escaped;
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        let (word, after) = rest.split_at(word.max(first.len_utf8()));
        if word.len() >= SHORTEST_COMMIT && word.chars().all(|c| c.is_ascii_hexdigit()) {
            marked.extend(["`", word, "`"]);
        } else {
            marked.push_str(word);
        }
        rest = after;
    }
    marked
}
