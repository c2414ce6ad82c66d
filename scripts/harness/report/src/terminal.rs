//! Documents for a terminal, which fit into its columns.
//!
//! What is not trusted stands in parentheses, dimmed where colour is wanted.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, presets};

use super::document::{Block, Cell, Column, Mark, Medium, Span, Text, markdown};

/// Begin and end of what is painted, until the document is laid out: characters without width, which
/// [`model::escape::clean`] removes from other text.
const DIM: char = '\u{200b}';
const RED: char = '\u{200c}';
const BOLD: char = '\u{200d}';
const END: char = '\u{2060}';
const CODES: [(char, &str); 4] = [
    (DIM, "\u{1b}[2m"),
    (RED, "\u{1b}[31m"),
    (BOLD, "\u{1b}[1m"),
    (END, "\u{1b}[0m"),
];

/// How a terminal is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// With ANSI colours, and lines that are drawn; else all rules are of hyphens.
    pub colour: bool,
    /// Its columns.
    pub width: u16,
}

impl Style {
    /// For pipes and logs.
    pub const PLAIN: Self = Self {
        colour: false,
        width: 100,
    };
}

/// The document for a terminal of this style, or as Markdown.
pub fn shown(blocks: &[Block], style: Option<Style>) -> String {
    style.map_or_else(|| markdown(blocks), |style| terminal(blocks, style))
}

/// The document for a terminal.
pub fn terminal(blocks: &[Block], style: Style) -> String {
    let mut lines = Vec::new();
    write(blocks, style.width, &mut lines);
    let text = lines.join("\n") + "\n";
    let text = if style.colour {
        text
    } else {
        text.replace(['─', '┄'], "-")
    };
    CODES.iter().fold(text, |text, (mark, code)| {
        text.replace(*mark, if style.colour { code } else { "" })
    })
}

fn write(blocks: &[Block], width: u16, lines: &mut Vec<String>) {
    let mut after_table = false;
    for block in blocks {
        let begins = matches!(block, Block::Heading(..) | Block::Details(..));
        let apart = begins || after_table && matches!(block, Block::Table(_) | Block::Paragraph(_));
        if apart && !lines.is_empty() {
            lines.push(String::new());
        }
        after_table = matches!(block, Block::Table(_));
        match block {
            Block::Heading(_, title) => {
                let title = wrapped(width, "", &inline(title));
                lines.extend(title.iter().map(|line| painted(BOLD, line)));
            }
            Block::Paragraph(text) => lines.extend(wrapped(width, "", &inline(text))),
            Block::List(items) => {
                let items = items.iter().map(inline).filter(|item| !item.is_empty());
                lines.extend(items.flat_map(|item| wrapped(width, "- ", &item)));
            }
            Block::Table(table) => lines.extend(grid(table, width)),
            Block::Details(summary, inside) => {
                lines.push(painted(BOLD, &inline(summary)));
                write(inside, width, lines);
            }
            Block::Only(Medium::Terminal, inside) => write(inside, width, lines),
            Block::Image(..) | Block::Picture(..) | Block::Only(Medium::Markdown, _) => {}
        }
    }
}

fn painted(mark: char, text: &str) -> String {
    format!("{mark}{text}{END}")
}

fn inline(text: &Text) -> String {
    text.0.iter().map(span).collect()
}

fn span(span: &Span) -> String {
    match span {
        Span::Own(text) => text.replace(['\u{a0}', '\n'], " "),
        Span::Untrusted(text) => text.clone(),
        Span::Marked(Mark::Only(Medium::Markdown), _) => String::new(),
        Span::Marked(Mark::Doubtful, text) => painted(DIM, &format!("({})", inline(text))),
        Span::Marked(Mark::Bad, text) => painted(RED, &inline(text)),
        Span::Marked(_, text) => inline(text),
    }
}

fn bare(width: u16, rows: impl IntoIterator<Item = Vec<String>>) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width)
        .add_rows(rows);
    table
}

fn lines_of(table: &Table) -> Vec<String> {
    table.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// Rows below a header, each line indented by two. What is wider than the terminal goes on in the next line of its cell.
pub fn aligned(width: u16, header: &[&str], rows: &[Vec<String>]) -> String {
    let mut table = bare(width, rows.iter().cloned());
    table.set_header(header);
    let lines: Vec<String> = lines_of(&table).iter().map(|line| format!(" {line}")).collect();
    format!("{}\n", lines.join("\n"))
}

/// Text in lines that fit into the terminal; the first begins with `start`, the others are indented as far.
pub(super) fn wrapped(width: u16, start: &str, text: &str) -> Vec<String> {
    let cells = [start, text].into_iter().filter(|cell| !cell.is_empty());
    let mut table = bare(width, [cells.map(str::to_owned).collect()]);
    for column in table.column_iter_mut() {
        column.set_padding((0, 0));
    }
    if let (false, Some(first)) = (start.is_empty(), table.column_mut(0)) {
        first.set_constraint(ColumnConstraint::ContentWidth);
    }
    lines_of(&table)
}

/// A column as it is laid out.
struct Laid {
    /// Flush left.
    words: bool,
    spare: bool,
    /// Its title and its fields.
    fields: Vec<String>,
}

impl Laid {
    fn width(&self) -> u16 {
        let widths = self.fields.iter().map(|field| visible(field));
        u16::try_from(widths.max().unwrap_or(0)).unwrap_or(u16::MAX)
    }
}

/// Characters that are seen of a line.
fn visible(line: &str) -> usize {
    let is_seen = |character: &char| CODES.iter().all(|(mark, _)| mark != character);
    line.chars().filter(is_seen).count()
}

/// Columns without any field are left out; small texts stand in a column of their own, if it has a title.
fn columns(column: &Column) -> Vec<Laid> {
    let title = &column.title;
    let laid = |title: &Text, none: &str, part: fn(&Cell) -> &Text| -> Option<Laid> {
        let fields: Vec<String> = column.cells.iter().map(|cell| inline(part(cell))).collect();
        let known = fields.iter().any(|field| !field.is_empty());
        let shown = fields.into_iter();
        let shown = shown.map(|field| if field.is_empty() { none.to_owned() } else { field });
        known.then(|| Laid {
            words: column.words,
            spare: column.spare,
            fields: std::iter::once(inline(title)).chain(shown).collect(),
        })
    };
    let main = laid(&title.main, column.none(), |cell| &cell.main);
    let small = Some(&title.small).filter(|title| !title.is_empty());
    let small = small.and_then(|title| laid(title, "", |cell| &cell.small));
    main.into_iter().chain(small).collect()
}

/// A line for the header, a rule, and a line for each row. What does not fit is left out, the last spare column first, and then cut, the
/// widest columns first.
fn grid(table: &super::document::Table, width: u16) -> Vec<String> {
    let mut columns: Vec<Laid> = table.columns(Medium::Terminal).into_iter().flat_map(columns).collect();
    let taken = |columns: &[Laid], gap: u16| {
        let gaps = u16::try_from(columns.len().saturating_sub(1)).unwrap_or(width);
        columns.iter().map(Laid::width).sum::<u16>() + gap * gaps
    };
    while taken(&columns, 1) > width
        && let Some(last) = columns.iter().rposition(|column| column.spare)
    {
        columns.remove(last);
    }
    let row = |row: usize| columns.iter().map(|column: &Laid| column.fields[row].clone()).collect();
    let mut laid = bare(width, (0..=table.rows).map(row));
    for row in laid.row_iter_mut() {
        row.max_height(1);
    }
    let gap = if taken(&columns, 2) <= width { 2 } else { 1 };
    for (place, column) in laid.column_iter_mut().enumerate() {
        column.set_padding((if place == 0 { 0 } else { gap }, 0));
        if !columns[place].words {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut lines = lines_of(&laid);
    let width = lines.iter().map(|line| visible(line)).max().unwrap_or(0);
    for (row, title) in table.groups.iter().rev() {
        lines.insert(row + 1, format!("{:┄<width$}", format!("┄┄ {title} ")));
    }
    if let Some(header) = lines.first_mut() {
        *header = painted(BOLD, header);
        lines.insert(1, "─".repeat(width));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::document::{Rows, own};
    use super::*;

    #[test]
    fn what_is_spare_is_left_out_before_anything_is_cut() {
        let table = Rows::of([0, 1])
            .words("App", |row| own(["actix-web", "axum"][*row]))
            .figures("CPU", |_| own("0.977 [0.939, 1.016]"))
            .figures("Busy", |_| own("78 %"))
            .spare()
            .figures("In flight", |_| own("62.1"))
            .spare()
            .table();
        for (width, busy, in_flight, whole) in [
            (60, true, true, true),
            (40, true, false, true),
            (32, false, false, true),
            (20, false, false, false),
        ] {
            let text = terminal(std::slice::from_ref(&table), Style { colour: false, width });
            assert!(
                text.lines().all(|line| line.chars().count() <= usize::from(width)),
                "{text}"
            );
            let found = ["Busy", "In flight", "0.977 [0.939, 1.016]"].map(|part| text.contains(part));
            assert_eq!(found, [busy, in_flight, whole], "{width}: {text}");
        }
    }
}
