//! What every text has to be, whatever it was made of.

/// A text for a terminal or in Markdown: no control characters but the end of a line, and nothing that turns the direction of
/// writing.
pub fn plain(text: &str) {
    let bad = |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if let Some(at) = text.find(bad) {
        let around: String = text[..at].chars().rev().take(80).collect();
        let around: String = around.chars().rev().collect();
        panic!("{:?} is shown after {around:?}", &text[at..].chars().next());
    }
}

/// The same of a text in which HTML counts, and of a picture: no script, and no attribute that runs one.
pub fn inert(text: &str) {
    plain(text);
    let lower = text.to_lowercase();
    for bad in ["<script", "<iframe", "<img on", "](javascript:", "href=\"javascript:"] {
        assert!(!lower.contains(bad), "{bad} is shown");
    }
}
