//! What every report is made of, and how it is written as Markdown; [`super::terminal`] writes the same for a terminal.
//!
//! Own text is what stands in this program: a `&'static str` or [`own`]. Every other string may come from somebody else's code or
//! machine, so it becomes one line without invisible characters, and Markdown escapes what has a meaning in it.

mod table;

use comfy_table::presets::ASCII_MARKDOWN;
use model::escape::{self, NAME, SENTENCE, clean};

pub(super) use table::Column;
pub use table::{Cell, Rows, Table, table_of};

/// Shown where there is no figure.
pub const NONE: &str = "–";
/// Shortest word of hexadecimal digits that GitHub may take for a commit.
const SHORTEST_COMMIT: usize = 7;

/// Where something is shown, if not everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Medium {
    Terminal,
    Markdown,
}

/// A part of a document.
#[derive(Debug, Clone)]
pub enum Block {
    /// With its level.
    Heading(usize, Text),
    Paragraph(Text),
    List(Vec<Text>),
    Table(Table),
    /// Folded below its summary.
    Details(Text, Vec<Block>),
    /// Path and text alternative.
    Image(String, Text),
    /// Paths of a picture and of a narrow one for phones, and text alternative.
    Picture([String; 2], Text),
    Only(Medium, Vec<Block>),
}

impl Block {
    /// A heading and what belongs to it; nothing where that is empty.
    pub fn section(level: usize, title: impl Into<Text>, blocks: Vec<Self>) -> Vec<Self> {
        let heading = (!blocks.is_empty()).then(|| Self::Heading(level, title.into()));
        heading.into_iter().chain(blocks).collect()
    }

    /// Sections of the second level.
    pub fn sections<T: Into<Text>>(sections: impl IntoIterator<Item = (T, Vec<Self>)>) -> impl Iterator<Item = Self> {
        let sections = sections.into_iter();
        sections.flat_map(|(title, blocks)| Self::section(2, title, blocks))
    }

    /// A list of the items that are not empty; nothing where none is.
    pub fn list<T: Into<Text>>(items: impl IntoIterator<Item = T>) -> Vec<Self> {
        let items: Vec<Text> = not_empty(items).collect();
        let list = (!items.is_empty()).then_some(Self::List(items));
        list.into_iter().collect()
    }

    /// A list of `most` items and the number of the others.
    pub fn list_of(most: usize, items: Vec<Text>, others: &'static str) -> Vec<Self> {
        let more = items.len().saturating_sub(most);
        let more = (more > 0).then(|| text!["and ", more.to_string(), others]);
        Self::list(items.into_iter().take(most).chain(more))
    }

    /// Folded below their summaries, without those that are empty.
    pub fn folded<T: Into<Text>>(parts: impl IntoIterator<Item = (T, Vec<Self>)>) -> impl Iterator<Item = Self> {
        let parts = parts.into_iter().filter(|(_, inside)| !inside.is_empty());
        parts.map(|(summary, inside)| Self::Details(summary.into(), inside))
    }

    pub fn paragraph(text: impl Into<Text>) -> Self {
        Self::Paragraph(text.into())
    }
}

/// Text with its marks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text(pub(super) Vec<Span>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Span {
    Own(String),
    Untrusted(String),
    Marked(Mark, Text),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    Bold,
    Italic,
    Code,
    Small,
    /// A figure that is not trusted.
    Doubtful,
    /// Bad news.
    Bad,
    Link(String),
    Only(Medium),
}

/// Several parts as one text.
macro_rules! text {
    ($($part:expr),* $(,)?) => { $crate::document::Text::default()$(.and($part))* };
}
pub(crate) use text;

/// What this program wrote: figures, words and their marks.
pub fn own(text: impl Into<String>) -> Text {
    Text(vec![Span::Own(text.into())])
}

/// A name, id or version.
pub fn name(text: &str) -> Text {
    clean(text, NAME).into()
}

/// A reason or an error.
pub fn sentence(text: &str) -> Text {
    clean(text, SENTENCE).into()
}

/// The first characters of a commit or hash.
pub fn start_of(hash: &str, characters: usize) -> Text {
    let start: String = clean(hash, NAME).chars().take(characters).collect();
    Text::from(start).code()
}

fn not_empty<T: Into<Text>>(texts: impl IntoIterator<Item = T>) -> impl Iterator<Item = Text> {
    let texts = texts.into_iter().map(Into::into);
    texts.filter(|text| !text.is_empty())
}

/// Texts that are not empty, with something between them.
pub fn joined<T: Into<Text>>(texts: impl IntoIterator<Item = T>, between: impl Into<Text>) -> Text {
    let between = between.into();
    let both = |all: Text, one: Text| text![all, between.clone(), one];
    not_empty(texts).reduce(both).unwrap_or_default()
}

/// `a, b, and 3 more`.
pub fn some_of(most: usize, texts: impl IntoIterator<Item = Text>) -> Text {
    let mut texts = texts.into_iter();
    let some = joined(texts.by_ref().take(most), ", ");
    let more = texts.count();
    text![some, (more > 0).then(|| format!(", and {more} more"))]
}

/// `a, b and c`.
pub fn listed<T: Into<Text>>(texts: impl IntoIterator<Item = T>) -> Text {
    let mut texts: Vec<Text> = texts.into_iter().map(Into::into).collect();
    let last = texts.pop().unwrap_or_default();
    if texts.is_empty() {
        last
    } else {
        joined(texts, ", ").and(" and ").and(last)
    }
}

impl Text {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[must_use]
    pub fn and(mut self, part: impl Into<Self>) -> Self {
        self.0.extend(part.into().0);
        self
    }

    fn marked(self, mark: Mark) -> Self {
        self.marked_if(true, mark)
    }

    pub fn marked_if(self, is_marked: bool, mark: Mark) -> Self {
        if is_marked && !self.is_empty() {
            Self(vec![Span::Marked(mark, self)])
        } else {
            self
        }
    }

    pub fn bold(self) -> Self {
        self.marked(Mark::Bold)
    }

    pub fn italic(self) -> Self {
        self.marked(Mark::Italic)
    }

    pub fn code(self) -> Self {
        self.marked(Mark::Code)
    }

    pub fn small(self) -> Self {
        self.marked(Mark::Small)
    }

    pub fn bad(self) -> Self {
        self.marked(Mark::Bad)
    }

    /// Marked as doubtful unless it is trusted.
    pub fn trusted(self, trusted: bool) -> Self {
        self.marked_if(!trusted, Mark::Doubtful)
    }

    pub fn only(self, medium: Medium) -> Self {
        self.marked(Mark::Only(medium))
    }

    /// Leads to an https address or a relative path; nowhere else.
    pub fn link(self, target: &str) -> Self {
        let leads = target.starts_with("https://") || !target.is_empty() && !target.contains(':');
        self.marked_if(leads, Mark::Link(target.to_owned()))
    }
}

impl From<&'static str> for Text {
    fn from(text: &'static str) -> Self {
        if text.is_empty() { Self::default() } else { own(text) }
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        let spans = (!text.is_empty()).then(|| Span::Untrusted(clean(&text, usize::MAX)));
        Self(spans.into_iter().collect())
    }
}

impl<T: Into<Self>> From<Option<T>> for Text {
    fn from(text: Option<T>) -> Self {
        text.map(Into::into).unwrap_or_default()
    }
}

/// The document as GitHub's Markdown.
pub fn markdown(blocks: &[Block]) -> String {
    format!("{}\n", written(blocks, false).join("\n\n"))
}

/// The same with tables that are aligned, so that it can be read in a terminal too.
pub fn padded_markdown(blocks: &[Block]) -> String {
    format!("{}\n", written(blocks, true).join("\n\n"))
}

fn written(blocks: &[Block], padded: bool) -> Vec<String> {
    blocks.iter().flat_map(|block| block_markdown(block, padded)).collect()
}

fn block_markdown(block: &Block, padded: bool) -> Vec<String> {
    vec![match block {
        Block::Heading(level, title) => format!("{} {}", "#".repeat(*level), inline(title)),
        Block::Paragraph(text) => inline(text),
        Block::List(items) => {
            let items = items.iter().map(inline).filter(|item| !item.is_empty());
            items.map(|item| format!("- {item}")).collect::<Vec<_>>().join("\n")
        }
        Block::Table(table) => table_markdown(table, padded),
        Block::Details(summary, inside) => {
            let inside = written(inside, padded).join("\n\n");
            format!(
                "<details>\n<summary>{}</summary>\n\n{inside}\n\n</details>",
                inline(summary)
            )
        }
        Block::Image(path, alt) => format!("![{}]({})", inline(alt), escape::markdown_target(path)),
        Block::Picture([path, narrow], alt) => {
            let [path, narrow] = [path, narrow].map(|path| escape::xml(&escape::markdown_target(path)));
            let alt = escape::xml(&plain(alt));
            format!(
                "<picture><source media=\"(max-width: 600px)\" srcset=\"{narrow}\"><img src=\"{path}\" alt=\"{alt}\"></picture>"
            )
        }
        Block::Only(Medium::Markdown, blocks) => return written(blocks, padded),
        Block::Only(Medium::Terminal, _) => return Vec::new(),
    }]
}

/// A text within a block.
pub(super) fn inline(text: &Text) -> String {
    text.0.iter().map(span).collect()
}

fn span(span: &Span) -> String {
    let (mark, text) = match span {
        Span::Own(text) => return text.replace('\u{a0}', "&nbsp;").replace('\n', "<br>"),
        Span::Untrusted(text) => return with_code(text),
        Span::Marked(mark, text) => (mark, text),
    };
    match mark {
        Mark::Code => escape::markdown_code(&plain(text)),
        Mark::Only(Medium::Terminal) => String::new(),
        Mark::Only(Medium::Markdown) | Mark::Bad => inline(text),
        Mark::Bold => format!("**{}**", inline(text)),
        Mark::Italic => format!("*{}*", inline(text)),
        Mark::Small => format!("<sub>{}</sub>", inline(text)),
        Mark::Doubtful => format!("~~{}~~", inline(text)),
        Mark::Link(target) => format!("[{}]({})", inline(text), escape::markdown_target(target)),
    }
}

/// A text without marks.
pub(super) fn plain(text: &Text) -> String {
    let part = |span: &Span| match span {
        Span::Own(text) | Span::Untrusted(text) => text.clone(),
        Span::Marked(_, text) => plain(text),
    };
    text.0.iter().map(part).collect()
}

/// What stands between two backticks is code; one that is left over is a backtick.
fn with_code(text: &str) -> String {
    let escaped = |text: &str| commits_as_code(&escape::markdown(text));
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return escaped(text);
    }
    let part = |(at, part): (usize, &&str)| match escape::markdown_code(part) {
        _ if at % 2 == 0 => escaped(part),
        code if code.starts_with('`') => code,
        code => format!(r"\`{code}\`"),
    };
    parts.iter().enumerate().map(part).collect()
}

/// Formats words as code that GitHub would link to a commit of this repository or a fork.
fn commits_as_code(escaped: &str) -> String {
    let is_end = |character: char| !character.is_alphanumeric();
    let marked = escaped.split_inclusive(is_end).map(|part| {
        let word = part.trim_end_matches(is_end);
        let is_hex = word.chars().all(|character| character.is_ascii_hexdigit());
        // Only digits are a date or a number.
        if word.len() < SHORTEST_COMMIT || !is_hex || word.parse::<u128>().is_ok() {
            part.to_owned()
        } else {
            format!("`{word}`{}", &part[word.len()..])
        }
    });
    marked.collect()
}

fn table_markdown(table: &Table, padded: bool) -> String {
    let columns = table.columns(Medium::Markdown);
    let header: Vec<String> = columns.iter().map(|column| cell_markdown(&column.title, "")).collect();
    let cell = |row: usize| move |column: &&Column| cell_markdown(&column.cells[row], column.none());
    let rows = (0..table.rows).map(|row| columns.iter().map(cell(row)).collect());
    let mut rows: Vec<Vec<String>> = rows.collect();
    for (row, title) in table.groups.iter().rev() {
        let mut group = vec![String::new(); columns.len()];
        let place = columns.iter().position(|column| column.words).unwrap_or(0);
        group[place] = format!("*{title}*");
        rows.insert(*row, group);
    }
    if padded {
        let mut table = comfy_table::Table::new();
        table.load_style(ASCII_MARKDOWN).set_header(header).add_rows(rows);
        return table.to_string();
    }
    let rule = |column: &&Column| if column.words { ":--" } else { "--:" }.to_owned();
    rows.splice(0..0, [header, columns.iter().map(rule).collect()]);
    let lines = rows.iter().map(|row| format!("| {} |", row.join(" | ")));
    lines.collect::<Vec<_>>().join("\n")
}

impl Column {
    /// What stands in an empty field.
    pub(super) fn none(&self) -> &'static str {
        if self.words { "" } else { NONE }
    }
}

fn cell_markdown(cell: &Cell, none: &str) -> String {
    match (inline(&cell.main).as_str(), inline(&cell.small).as_str()) {
        ("", "") => none.to_owned(),
        (main, "") => main.to_owned(),
        ("", small) => format!("<sub>{small}</sub>"),
        (main, small) => format!("{main}<br><sub>{small}</sub>"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_like_a_commit_is_code_and_leads_nowhere() {
        let shown = |text: &str| inline(&sentence(text));
        assert_eq!(
            shown("see 59807616e, (DEADBEEF) `012345f` and deadbeefs"),
            "see `59807616e`, (`DEADBEEF`) `012345f` and deadbeefs"
        );
        for text in ["30000 µs é123456f", "ubuntu24 20261116.1"] {
            assert_eq!(shown(text), text);
        }
    }

    #[test]
    fn what_is_between_backticks_is_code_if_it_is_plain() {
        for (text, expected) in [
            (
                "its variant `tuned` takes `60`, not `1`",
                "its variant `tuned` takes `60`, not `1`",
            ),
            ("one ` is no code_", r"one \` is no code\_"),
            ("`a|b` and ``", r"\`a\|b\` and \`\`"),
            ("`<b>@x`", r"\`&lt;b&gt;@&#8203;x\`"),
        ] {
            assert_eq!(inline(&sentence(text)), expected);
        }
    }

    #[test]
    fn a_link_leads_to_https_or_a_path() {
        let link = |target: &str| inline(&name("x").link(target));
        assert_eq!(link("https://a/) [y](z"), "[x](https://a/%29%20%5By%5D%28z)");
        assert_eq!(link("charts/a.svg"), "[x](charts/a.svg)");
        assert_eq!(link("javascript:alert(1)"), "x");
    }
}
