//! Documents for a terminal of 100 columns.
//!
//! What is not trusted stands in parentheses, dimmed where colour is wanted.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, presets};

use super::document::{Block, Cell, Column, Mark, Medium, Span, Text};

/// Columns of the terminal that tables and text fit into.
const WIDTH: u16 = 100;

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
pub enum Style {
    /// With ANSI colours.
    Colour,
    /// Without: for pipes, logs and `NO_COLOR`.
    Plain,
}

/// The document for a terminal.
pub fn terminal(blocks: &[Block], style: Style) -> String {
    let mut lines = Vec::new();
    write(blocks, &mut lines);
    let text = lines.join("\n") + "\n";
    CODES.iter().fold(text, |text, (mark, code)| {
        text.replace(*mark, if style == Style::Colour { code } else { "" })
    })
}

fn write(blocks: &[Block], lines: &mut Vec<String>) {
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
                lines.extend(wrapped("", &inline(title)).iter().map(|line| painted(BOLD, line)));
            }
            Block::Paragraph(text) => lines.extend(wrapped("", &inline(text))),
            Block::List(items) => {
                let items = items.iter().map(inline).filter(|item| !item.is_empty());
                lines.extend(items.flat_map(|item| wrapped("- ", &item)));
            }
            Block::Table(table) => lines.extend(grid(table)),
            Block::Details(summary, inside) => {
                lines.push(painted(BOLD, &inline(summary)));
                write(inside, lines);
            }
            Block::Only(Medium::Terminal, inside) => write(inside, lines),
            Block::Image(..) | Block::Only(Medium::Markdown, _) => {}
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

fn bare(rows: impl IntoIterator<Item = Vec<String>>) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(WIDTH)
        .add_rows(rows);
    table
}

fn lines_of(table: &Table) -> Vec<String> {
    table.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// Rows below a header, each line indented by two. What is wider than the terminal goes on in the next line of its cell.
pub fn aligned(header: &[&str], rows: &[Vec<String>]) -> String {
    let mut table = bare(rows.iter().cloned());
    table.set_header(header);
    let lines: Vec<String> = lines_of(&table).iter().map(|line| format!(" {line}")).collect();
    format!("{}\n", lines.join("\n"))
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
    lines_of(&table)
}

/// A column as it is laid out: flush left or not, its title and its fields.
type Laid = (bool, Vec<String>);

/// Columns without any field are left out; small texts stand in a column of their own, if it has a title.
fn columns(column: &Column) -> Vec<Laid> {
    let title = &column.title;
    let laid = |title: &Text, none: &str, part: fn(&Cell) -> &Text| -> Option<Laid> {
        let fields: Vec<String> = column.cells.iter().map(|cell| inline(part(cell))).collect();
        let known = fields.iter().any(|field| !field.is_empty());
        let shown = fields.into_iter();
        let shown = shown.map(|field| if field.is_empty() { none.to_owned() } else { field });
        known.then(|| (column.words, std::iter::once(inline(title)).chain(shown).collect()))
    };
    let main = laid(&title.main, column.none(), |cell| &cell.main);
    let small = Some(&title.small).filter(|title| !title.is_empty());
    let small = small.and_then(|title| laid(title, "", |cell| &cell.small));
    main.into_iter().chain(small).collect()
}

/// A line for the header, a rule, and a line for each row. What does not fit is cut, the widest columns first.
fn grid(table: &super::document::Table) -> Vec<String> {
    let columns: Vec<Laid> = table.columns(Medium::Terminal).into_iter().flat_map(columns).collect();
    let mut laid = bare((0..=table.rows).map(|row| columns.iter().map(|(_, fields)| fields[row].clone()).collect()));
    for row in laid.row_iter_mut() {
        row.max_height(1);
    }
    let widths = laid.column_max_content_widths();
    let gaps = u16::try_from(widths.len().saturating_sub(1)).unwrap_or(WIDTH);
    let gap = if widths.iter().sum::<u16>() + 2 * gaps <= WIDTH {
        2
    } else {
        1
    };
    for (place, column) in laid.column_iter_mut().enumerate() {
        column.set_padding((if place == 0 { 0 } else { gap }, 0));
        if !columns[place].0 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut lines = lines_of(&laid);
    let visible = |line: &String| {
        line.chars()
            .filter(|character| CODES.iter().all(|(mark, _)| mark != character))
            .count()
    };
    let width = lines.iter().map(visible).max().unwrap_or(0);
    for (row, title) in table.groups.iter().rev() {
        lines.insert(row + 1, format!("{:┄<width$}", format!("┄┄ {title} ")));
    }
    if let Some(header) = lines.first_mut() {
        *header = painted(BOLD, header);
        lines.insert(1, "─".repeat(width));
    }
    lines
}
