//! The page of fortunes by Askama.

use askama::Template;

use crate::rows::Fortune;

#[derive(Template)]
#[template(path = "fortunes.html")]
struct Page<'a> {
    fortunes: &'a [Fortune],
}

/// The page, with every message escaped.
pub fn page(fortunes: &[Fortune]) -> Result<String, askama::Error> {
    Page { fortunes }.render()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_a_message_is_text() {
        let fortune = Fortune {
            id: 11,
            message: "<script>alert(\"x\")</script>".into(),
        };
        let page = page(&[fortune]).unwrap();
        assert!(
            page.contains("<tr><td>11</td><td>&#60;script&#62;alert(&#34;x&#34;)"),
            "{page}"
        );
    }
}
