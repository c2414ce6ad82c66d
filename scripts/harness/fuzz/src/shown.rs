//! What every text has to be, whatever it was made of. Texts are long and looked at in every execution, so bytes are: what is looked for
//! is ASCII, or begins with a byte that nothing else begins with.

/// A text for a terminal or in Markdown: no control characters but the end of a line, and nothing that turns the direction of
/// writing.
pub fn plain(text: &str) {
    if let Some(at) = unprintable(text.as_bytes()) {
        let around: String = text[..at].chars().rev().take(80).collect();
        let around: String = around.chars().rev().collect();
        panic!("{:?} is shown after {around:?}", &text[at..].chars().next());
    }
}

/// The same of a text in which HTML counts, and of a picture: no script, and no attribute that runs one.
pub fn inert(text: &str) {
    plain(text);
    if let Some(bad) = running(text.as_bytes()) {
        panic!("{bad} is shown");
    }
}

/// Where the first character is that may not be shown: U+0000 to U+001F without the end of a line, U+007F to U+009F, U+202A to U+202E,
/// U+2066 to U+2069.
fn unprintable(text: &[u8]) -> Option<usize> {
    (0..text.len()).find(|at| match text[*at] {
        b'\n' => false,
        0..0x20 | 0x7f => true,
        0xc2 => matches!(text.get(at + 1), Some(0x80..=0x9f)),
        0xe2 => matches!(
            (text.get(at + 1), text.get(at + 2)),
            (Some(0x80), Some(0xaa..=0xae)) | (Some(0x81), Some(0xa6..=0xa9))
        ),
        _ => false,
    })
}

/// What would run, by how it begins.
const RUNNING: [&str; 5] = ["<script", "<iframe", "<img on", "](javascript:", "href=\"javascript:"];

fn running(text: &[u8]) -> Option<&'static str> {
    let begins = |at: usize, bad: &str| {
        let here = text.get(at..at + bad.len());
        here.is_some_and(|here| here.eq_ignore_ascii_case(bad.as_bytes()))
    };
    let of_interest = |at: &usize| matches!(text[*at], b'<' | b']' | b'h' | b'H');
    let mut places = (0..text.len()).filter(of_interest);
    places.find_map(|at| RUNNING.into_iter().find(|bad| begins(at, bad)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_not_be_shown_is_found_where_it_is() {
        for bad in [
            "\u{0}", "\u{7}", "\r", "\u{1b}", "\u{7f}", "\u{80}", "\u{9f}", "\u{202a}", "\u{202e}", "\u{2066}",
            "\u{2069}",
        ] {
            assert_eq!(unprintable(format!("é{bad}").as_bytes()), Some(2), "{bad:?}");
        }
        assert_eq!(
            unprintable("a\n\u{a0}é\u{2029}\u{202f}\u{2065}\u{206a}\u{1f980}".as_bytes()),
            None
        );
        for bad in RUNNING {
            assert_eq!(running(format!("a {} b", bad.to_uppercase()).as_bytes()), Some(bad));
        }
        assert_eq!(
            running("<scrip> [t](https://x) href=\"https://javascript:\" <img src".as_bytes()),
            None
        );
    }
}
