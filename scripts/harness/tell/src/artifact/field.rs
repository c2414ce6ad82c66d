//! Single fields of an untrusted document. Errors give the place of a bad one, never its content.

/// Longest name, version or commit, in bytes.
const LONGEST_NAME: usize = 100;
/// Longest text that is one line, in bytes.
const LONGEST_LINE: usize = 400;
/// Longest reason, in bytes: what a compiler or a dying server said.
const LONGEST_REASON: usize = 64 << 10;

/// Longest escaped text: 2 KiB, each byte as four characters, and `…`.
const LONGEST_BYTES: usize = 4 * 2048 + '…'.len_utf8();

/// Why something is refused: the place and what is wrong, without quoting the document.
pub type Checked = Result<(), String>;

pub fn ensure(holds: bool, what: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(what()) }
}

pub fn at_most(place: &str, count: usize, most: usize) -> Checked {
    ensure(count <= most, || format!("`{place}` has more than {most} entries"))
}

/// A name of a folder, bin target or crate.
pub fn name(place: &str, text: &str) -> Checked {
    let is_name = (1..=LONGEST_NAME).contains(&text.len())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
        && !text.starts_with('-');
    ensure(is_name, || format!("`{place}` is not a name"))
}

pub fn version(place: &str, text: &str) -> Checked {
    let is_version = (1..=LONGEST_NAME).contains(&text.len())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+'));
    ensure(is_version, || {
        format!("`{place}` holds something that is not a version")
    })
}

pub fn line(place: &str, text: &str) -> Checked {
    ensure(
        text.len() <= LONGEST_LINE && !text.chars().any(char::is_control),
        || format!("`{place}` is too long, or not one line of text"),
    )
}

/// Output of programs. Line ends and colours are allowed, and are removed where it is shown.
pub fn reason(place: &str, text: &str) -> Checked {
    let is_text = |c: char| !c.is_control() || matches!(c, '\n' | '\r' | '\t' | '\u{1b}');
    ensure(text.len() <= LONGEST_REASON && text.chars().all(is_text), || {
        format!("`{place}` is too long, or not text")
    })
}

/// Bytes that were escaped: printable ASCII, and `…` where they are cut.
pub fn bytes(place: &str, text: &str) -> Checked {
    let is_escaped = |c: char| c == ' ' || c.is_ascii_graphic() || c == '…';
    ensure(text.len() <= LONGEST_BYTES && text.chars().all(is_escaped), || {
        format!("`{place}` is too long, or not escaped")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    type Check = fn(&str, &str) -> Checked;

    #[test]
    fn only_what_looks_like_what_it_is_passes() {
        let long = "x".repeat(100_000);
        let cases: [(Check, &[&str], &[&str]); 5] = [
            (
                name,
                &["axum", "actix-web", "a_1"],
                &["", "-x", "a.b", "a/b", "a b", "ä", "@x", &long],
            ),
            (version, &["1.0.0-rc.1+a"], &["", "1 0", "https://x", "<b>", &long]),
            (
                line,
                &["", "AMD EPYC 7763 | 4"],
                &["a\nb", "a\u{1b}b", "a\u{9b}b", &long],
            ),
            (
                reason,
                &["", "a\n\tb", "\u{1b}[31mred"],
                &["a\u{0}b", "a\u{9b}b", &long],
            ),
            (bytes, &["", r"400 \r\n\x00…"], &["a\nb", "ä", "\u{202e}", &long]),
        ];
        for (check, good, bad) in cases {
            assert!(good.iter().all(|text| check("x", text).is_ok()), "{good:?}");
            for text in bad {
                let told = check("place", text).unwrap_err();
                assert!(
                    told.starts_with("`place` ") && (text.is_empty() || !told.contains(text)),
                    "{told}"
                );
            }
        }
    }
}
