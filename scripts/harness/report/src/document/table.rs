//! Tables, column by column.

use super::{Block, Medium, Text, own};

/// A field of a table: its text, and a small one below it. A terminal shows the small ones in a column of their own, where the
/// column's title has one.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    pub(crate) main: Text,
    pub(crate) small: Text,
}

impl Cell {
    pub fn new(main: impl Into<Text>, small: impl Into<Text>) -> Self {
        Self {
            main: main.into(),
            small: small.into(),
        }
    }
}

impl<T: Into<Text>> From<T> for Cell {
    fn from(main: T) -> Self {
        Self::new(main, "")
    }
}

/// A column of a table.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub title: Cell,
    /// Whether it is flush left: words and not figures.
    pub words: bool,
    pub only: Option<Medium>,
    /// Whether a terminal that is too narrow leaves it out.
    pub spare: bool,
    pub cells: Vec<Cell>,
}

/// A table, column by column.
#[derive(Debug, Clone)]
pub struct Table {
    columns: Vec<Column>,
    /// Titles of groups, by the row before which they stand.
    pub(crate) groups: Vec<(usize, &'static str)>,
    pub(crate) rows: usize,
}

impl Table {
    pub(crate) fn columns(&self, medium: Medium) -> Vec<&Column> {
        let is_empty = |cell: &Cell| cell.main.is_empty() && cell.small.is_empty();
        let shown =
            |column: &&Column| column.only.is_none_or(|only| only == medium) && !column.cells.iter().all(is_empty);
        self.columns.iter().filter(shown).collect()
    }
}

/// The rows of a table, to which columns are added.
pub struct Rows<T> {
    rows: Vec<T>,
    table: Table,
}

impl<T> Rows<T> {
    pub fn of(rows: impl IntoIterator<Item = T>) -> Self {
        let rows: Vec<T> = rows.into_iter().collect();
        let table = Table {
            columns: Vec::new(),
            groups: Vec::new(),
            rows: rows.len(),
        };
        Self { rows, table }
    }

    fn column<C: Into<Cell>>(mut self, words: bool, title: Cell, cell: impl Fn(&T) -> C) -> Self {
        self.table.columns.push(Column {
            title,
            words,
            only: None,
            spare: false,
            cells: self.rows.iter().map(|row| cell(row).into()).collect(),
        });
        self
    }

    /// A column of words, which are flush left.
    pub fn words<C: Into<Cell>>(self, title: impl Into<Cell>, cell: impl Fn(&T) -> C) -> Self {
        self.column(true, title.into(), cell)
    }

    /// A column of figures, which are flush right.
    pub fn figures<C: Into<Cell>>(self, title: impl Into<Cell>, cell: impl Fn(&T) -> C) -> Self {
        self.column(false, title.into(), cell)
    }

    fn last(mut self, change: impl FnOnce(&mut Column)) -> Self {
        self.table.columns.last_mut().map(change);
        self
    }

    /// Shows the last column there only.
    pub fn only(self, medium: impl Into<Option<Medium>>) -> Self {
        self.last(|column| column.only = medium.into())
    }

    /// Leaves the last column out where a terminal is too narrow.
    pub fn spare(self) -> Self {
        self.last(|column| column.spare = true)
    }

    /// A title before each row whose group differs from the row before.
    pub fn groups(mut self, first: &'static str, group: impl Fn(&T) -> &'static str) -> Self {
        let mut before = first;
        for (at, row) in self.rows.iter().enumerate() {
            if group(row) != before {
                before = group(row);
                self.table.groups.push((at, before));
            }
        }
        self
    }

    pub fn table(self) -> Block {
        Block::Table(self.table)
    }
}

/// A table of the first things and, as a paragraph, how many more there are; nothing without any.
pub fn table_of<T>(
    most: usize,
    things: impl IntoIterator<Item = T>,
    columns: impl FnOnce(Rows<T>) -> Rows<T>,
    others: impl FnOnce(usize) -> String,
) -> Vec<Block> {
    let mut things: Vec<T> = things.into_iter().collect();
    let more = things.len().saturating_sub(most);
    things.truncate(most);
    let table = (!things.is_empty()).then(|| columns(Rows::of(things)).table());
    let more = (more > 0).then(|| Block::Paragraph(own(others(more))));
    table.into_iter().chain(more).collect()
}
