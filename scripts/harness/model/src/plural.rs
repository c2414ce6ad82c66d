//! Numbers of things in a sentence.

/// `1 round`, `5 rounds`.
#[must_use]
pub fn count(number: usize, one: &str) -> String {
    if number == 1 {
        format!("1 {one}")
    } else {
        format!("{number} {one}s")
    }
}
