//! What every text has to be, whatever it was made of.

/// What would run, by how it begins.
const RUNNING: [&str; 5] = ["<script", "<iframe", "<img on", "](javascript:", "href=\"javascript:"];

/// A text in Markdown: no control characters but the end of a line, nothing that turns the direction of writing, no script, and no
/// attribute that runs one.
pub fn inert(text: &str) {
    if let Some(bad) = unprintable(text) {
        panic!("{bad:?} is shown in {text:?}");
    }
    if let Some(bad) = running(text) {
        panic!("{bad} is shown");
    }
}

fn unprintable(text: &str) -> Option<char> {
    text.chars().find(|letter| match letter {
        '\n' => false,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        letter => letter.is_control(),
    })
}

fn running(text: &str) -> Option<&'static str> {
    let text = text.to_ascii_lowercase();
    RUNNING.into_iter().find(|bad| text.contains(bad))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_not_be_shown_is_found() {
        for bad in [
            '\u{0}', '\u{7}', '\r', '\u{1b}', '\u{7f}', '\u{80}', '\u{9f}', '\u{202a}', '\u{202e}', '\u{2066}',
            '\u{2069}',
        ] {
            assert_eq!(unprintable(&format!("é{bad}")), Some(bad));
        }
        assert_eq!(unprintable("a\n\u{a0}é\u{2029}\u{202f}\u{2065}\u{206a}\u{1f980}"), None);
        for bad in RUNNING {
            assert_eq!(running(&format!("a {} b", bad.to_uppercase())), Some(bad));
        }
        assert_eq!(
            running("<scrip> [t](https://x) href=\"https://javascript:\" <img src"),
            None
        );
    }
}
