//! Tables and wrapped text for a terminal, by the width that characters have on the screen, and tables in Markdown.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, presets};

/// Columns of the terminal that tables and text fit into.
const WIDTH: u16 = 100;
/// Characters of an app's name in a table.
pub const NAME_WIDTH: usize = 24;

fn bare(rows: impl IntoIterator<Item = Vec<String>>) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(WIDTH)
        .add_rows(rows);
    table
}

/// Rows below a header, each line indented by two. What is wider than the terminal goes on in the next line of its cell.
pub fn aligned(header: &[&str], rows: &[Vec<String>]) -> String {
    let mut table = bare(rows.iter().cloned());
    table.set_header(header);
    let lines: Vec<String> = table.lines().map(|line| format!(" {}", line.trim_end())).collect();
    format!("{}\n", lines.join("\n"))
}

/// A line for the header and one for each row. Columns whose places are in `words` are flush left; the others hold figures and
/// are flush right. What does not fit into the terminal is cut, the widest columns first.
pub(super) fn terminal<'a>(
    header: impl IntoIterator<Item = &'a str>,
    words: &[usize],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> Vec<String> {
    let header = header.into_iter().map(str::to_owned).collect();
    let mut table = bare(std::iter::once(header).chain(rows));
    for row in table.row_iter_mut() {
        row.max_height(1);
    }
    let widths = table.column_max_content_widths();
    let gaps = u16::try_from(widths.len().saturating_sub(1)).unwrap_or(WIDTH);
    let gap = if widths.iter().sum::<u16>() + 2 * gaps <= WIDTH {
        2
    } else {
        1
    };
    for (place, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if place == 0 { 0 } else { gap }, 0));
        if !words.contains(&place) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// Text in lines that fit into the terminal; the first begins with `start`, the others are indented as far.
pub(super) fn wrapped(start: &str, text: &str) -> Vec<String> {
    let cells = [start, text].into_iter().filter(|cell| !cell.is_empty());
    let mut table = bare([cells.map(str::to_owned).collect()]);
    for column in table.column_iter_mut() {
        column.set_padding((0, 0));
    }
    if let (false, Some(first)) = (start.is_empty(), table.column_mut(0)) {
        first.set_constraint(ColumnConstraint::ContentWidth);
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// A table in Markdown. Columns whose places are in `words` are flush left, those of figures flush right.
pub(super) fn markdown<H: AsRef<str>, R: AsRef<[String]>>(
    header: &[H],
    words: &[usize],
    rows: impl IntoIterator<Item = R>,
) -> String {
    let header: Vec<&str> = header.iter().map(AsRef::as_ref).collect();
    let rule = (0..header.len()).map(|place| if words.contains(&place) { ":--" } else { "--:" });
    let rule: Vec<&str> = rule.collect();
    let mut lines = vec![
        format!("| {} |", header.join(" | ")),
        format!("| {} |", rule.join(" | ")),
    ];
    lines.extend(rows.into_iter().map(|row| format!("| {} |", row.as_ref().join(" | "))));
    lines.join("\n")
}

/// A table in Markdown whose columns are padded, so that it reads well in a terminal too.
pub(super) fn padded_markdown(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::ASCII_MARKDOWN)
        .set_header(header)
        .add_rows(rows);
    format!("{table}\n")
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

    #[test]
    fn figures_are_flush_right_by_their_width_on_the_screen_and_names_are_cut() {
        let row = |name: &str, figure: &str| vec![name.to_owned(), figure.to_owned()];
        let lines = terminal(["app", "µs"], &[0], [row("漢字", "8.42"), row("axum", "100")]);
        assert_eq!(lines, ["app     µs", "漢字  8.42", "axum   100"]);
        let long = terminal(["app", "µs"], &[0], [row(&"x".repeat(200), "8.42")]);
        assert!(
            long[1].ends_with("x… 8.42") && long[1].chars().count() == 100,
            "{long:?}"
        );
    }

    #[test]
    fn text_is_wrapped_below_its_start() {
        let lines = wrapped("failed: ", &format!("{} {}", "word ".repeat(30), "x".repeat(120)));
        assert!(lines.iter().all(|line| line.chars().count() <= 100), "{lines:?}");
        assert!(
            lines[0].starts_with("failed: word") && lines[1].starts_with("        word"),
            "{lines:?}"
        );
        assert_eq!(wrapped("", "one two"), ["one two"]);
    }
}
