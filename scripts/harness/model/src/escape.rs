//! Strings of a record, made harmless for the format that they are written into.
//!
//! Names, reasons, versions and the cpu's model come from other people's code and machines, and the text that is built
//! from them ends up in pull requests, terminals and pictures. So none of them is written as it is: first [`clean`] removes what
//! cannot be seen and what is too long, then the format's own function escapes what has a meaning in it.

/// Longest name, id or version that is shown, in characters.
pub const NAME: usize = 40;

/// Longest reason or error that is shown, in characters: two lines of a terminal are enough to say what went wrong.
pub const SENTENCE: usize = 240;

/// Breaks what GitHub would turn into a link or a mention; itself invisible.
const BREAK: &str = "&#8203;";

/// One line without control or invisible characters, at most `longest` characters; the end of what is cut is `…`.
#[must_use]
pub fn clean(text: &str, longest: usize) -> String {
    let visible: String = text.chars().filter_map(visible).collect();
    let line = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    cut(&line, longest)
}

/// At most `longest` characters; the end of what is cut is `…`.
#[must_use]
pub fn cut(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_owned();
    }
    let kept: String = text.chars().take(longest.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// Control characters become spaces; invisible characters and those that change the direction of writing are removed.
fn visible(character: char) -> Option<char> {
    match character {
        '\u{ad}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{fff0}'..='\u{fffb}'
        // The last two are not allowed in XML.
        | '\u{fffe}'..='\u{ffff}'
        | '\u{e0000}'..='\u{e0fff}' => None,
        _ if character.is_control() => Some(' '),
        _ => Some(character),
    }
}

/// Text for Markdown, also within a table or an HTML element of it: no markup, no HTML, no mention, no link.
///
/// Takes what [`clean`] gave.
#[must_use]
pub fn markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        let rest = text.get(at + character.len_utf8()..).unwrap_or_default();
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            // What GitHub documents for a dollar sign that begins no formula.
            '$' => escaped.push_str("<span>$</span>"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '|' | '~' | '!' => escaped.extend(['\\', character]),
            _ => escaped.push(character),
        }
        if begins_link(character, &text[..at], rest) {
            escaped.push_str(BREAK);
        }
    }
    escaped
}

/// Whether GitHub would turn what follows this character into a mention, a reference or a link.
fn begins_link(character: char, before: &str, rest: &str) -> bool {
    match character {
        '@' | '#' => true,
        ':' => rest.starts_with("//"),
        // GH-12 is an issue.
        '-' => before.to_ascii_lowercase().ends_with("gh") && rest.starts_with(|next: char| next.is_ascii_digit()),
        'w' | 'W' => before.to_ascii_lowercase().ends_with("ww") && rest.starts_with('.'),
        _ => false,
    }
}

/// An id or a hash for Markdown, as code if it is plain enough to be.
///
/// Takes what [`clean`] gave.
#[must_use]
pub fn markdown_code(text: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || " .,:/?=#+-_()".contains(character);
    if !text.trim().is_empty() && text.chars().all(plain) {
        format!("`{text}`")
    } else {
        markdown(text)
    }
}

/// The target of a Markdown link or picture: a relative path or an https address; everything unusual is percent-encoded.
#[must_use]
pub fn markdown_target(path: &str) -> String {
    let encoded = |byte: u8| match byte {
        _ if byte.is_ascii_alphanumeric() || b"-._~/:?#=&%+".contains(&byte) => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    path.bytes().map(encoded).collect()
}

/// Text for XML, within an element or an attribute.
///
/// Takes what [`clean`] gave.
#[must_use]
pub fn xml(text: &str) -> String {
    let entities = [
        ('&', "&amp;"),
        ('<', "&lt;"),
        ('>', "&gt;"),
        ('"', "&quot;"),
        ('\'', "&#39;"),
    ];
    entities.iter().fold(text.to_owned(), |text, (character, entity)| {
        text.replace(*character, entity)
    })
}

/// A string as part of a file's name: lowercase ASCII letters, digits and single hyphens; `unnamed` if nothing is left.
#[must_use]
pub fn file_stem(text: &str) -> String {
    let words = text.split(|character: char| !character.is_ascii_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    let stem = cut(&words.join("-").to_ascii_lowercase(), NAME).replace('…', "");
    if stem.is_empty() { "unnamed".to_owned() } else { stem }
}

/// A word as a POSIX shell reads it.
pub fn shell(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:@,=+%#".contains(c);
    if !word.is_empty() && !word.starts_with('#') && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_invisible_characters_vanish() {
        assert_eq!(
            clean("a\u{1b}[31mred\u{7}\r\n\tb\u{202e}c\u{200b}d\u{9b}2J", 80),
            "a [31mred bcd 2J"
        );
        assert_eq!(clean("line\u{2028}line", 80), "line line");
    }

    #[test]
    fn what_is_too_long_is_cut_between_characters() {
        assert_eq!(clean("ääääää", 4), "äää…");
        assert_eq!(clean("abcd", 4), "abcd");
        assert_eq!(clean(&"x".repeat(10_000), NAME).chars().count(), NAME);
    }

    #[test]
    fn markdown_means_nothing_any_more() {
        assert_eq!(
            markdown("a|b `c` <d> & *e* [f](g)"),
            r"a\|b \`c\` &lt;d&gt; &amp; \*e\* \[f\](g)"
        );
        assert_eq!(
            markdown("@octocat #1 $x$"),
            "@&#8203;octocat #&#8203;1 <span>$</span>x<span>$</span>"
        );
        assert_eq!(markdown("https://a.b www.a.b"), "https:&#8203;//a.b www&#8203;.a.b");
        assert_eq!(markdown("GH-1 high-end"), "GH-&#8203;1 high-end");
        assert_eq!(markdown("0.8.4 (tokio-rs/axum)"), "0.8.4 (tokio-rs/axum)");
    }

    #[test]
    fn code_is_code_only_if_it_is_plain() {
        assert_eq!(markdown_code("GET /cpu?n=30"), "`GET /cpu?n=30`");
        assert_eq!(markdown_code("a`|b"), r"a\`\|b");
    }

    #[test]
    fn xml_is_text() {
        assert_eq!(xml(r#"<a b="c">&'"#), "&lt;a b=&quot;c&quot;&gt;&amp;&#39;");
    }

    #[test]
    fn a_file_stem_stays_in_its_folder() {
        assert_eq!(file_stem("../../etc/Passwd"), "etc-passwd");
        assert_eq!(file_stem("json @ 256"), "json-256");
        assert_eq!(file_stem("…"), "unnamed");
    }
}
