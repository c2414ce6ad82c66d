//! Columns for a terminal, as wide as what stands in them.

use comfy_table::{ContentArrangement, Table, presets};

/// Rows below a header, each line indented by two. What is wider than 100 columns goes on in the next line of its cell.
pub fn aligned(header: &[&str], rows: &[Vec<String>]) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(100)
        .set_header(header)
        .add_rows(rows);
    let lines: Vec<String> = table.lines().map(|line| format!(" {}", line.trim_end())).collect();
    format!("{}\n", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_below_each_other_and_long_text_wraps() {
        let rows = [
            vec!["plaintext".to_owned(), "64".to_owned(), "word ".repeat(40)],
            vec!["cpu".to_owned(), "8".to_owned(), "short".to_owned()],
        ];
        let text = aligned(&["name", "connections", "title"], &rows);
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        assert!(text.lines().count() > 4, "{text}");
        let at = |word: &str| text.lines().find_map(|line| line.find(word)).unwrap();
        assert_eq!((at("name"), at("plaintext"), at("cpu")), (2, 2, 2), "{text}");
        assert_eq!(
            (at("64"), at("8"), at("short")),
            (at("connections"), at("connections"), at("title")),
            "{text}"
        );
    }
}
