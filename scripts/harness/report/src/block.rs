//! The blocks of README.md that programs write: each is enclosed by two comments, so that it can be replaced without touching the
//! rest of the file.

use model::{AppRecord, Part, Record, Tier};
use thiserror::Error;

/// A block of README.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadmeBlock {
    /// The results of a run.
    Results,
    /// The same of servers with a database.
    Database,
    /// How often a comparison is wrong.
    SelfTest,
}

impl ReadmeBlock {
    fn name(self) -> &'static str {
        match self {
            Self::Results => "results",
            Self::Database => "database-results",
            Self::SelfTest => "self-test",
        }
    }

    /// The block that the results of `record` belong in; `None` where it is of drivers or of services, which README.md does not show.
    #[must_use]
    pub fn for_record(record: &Record) -> Option<Self> {
        let parts = || record.apps.iter().map(AppRecord::part);
        if record.apps.iter().any(|app| app.tier == Tier::Driver) || parts().any(|part| part == Part::Services) {
            None
        } else if parts().any(|part| part == Part::Database) {
            Some(Self::Database)
        } else {
            Some(Self::Results)
        }
    }

    /// The comment before the block.
    #[must_use]
    pub fn begin(self) -> String {
        format!("<!-- {}:begin -->", self.name())
    }

    /// The comment after the block.
    #[must_use]
    pub fn end(self) -> String {
        format!("<!-- {}:end -->", self.name())
    }
}

/// Why a block could not be replaced.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BlockError {
    /// A comment is missing.
    #[error("the line `{0}` is missing: put `{begin}` and `{end}` where the block belongs", begin = .1.begin(), end = .1.end())]
    Missing(String, ReadmeBlock),
    /// A comment is there more than once.
    #[error("the line `{0}` occurs more than once: keep one of them")]
    Repeated(String),
    /// The end comes first.
    #[error("`{end}` comes before `{begin}`: swap them", begin = .0.begin(), end = .0.end())]
    Reversed(ReadmeBlock),
    /// The new block contains one of the comments and could never be replaced again.
    #[error("the new block contains `{0}` itself: nothing was replaced")]
    Nested(String),
}

/// `readme` with `text` between the two comments, each of which must occur once and in order. Repeating it with the same text
/// changes nothing.
pub fn replace_block(readme: &str, block: ReadmeBlock, text: &str) -> Result<String, BlockError> {
    let (begin, end) = (block.begin(), block.end());
    if let Some(marker) = [&begin, &end].into_iter().find(|marker| text.contains(*marker)) {
        return Err(BlockError::Nested(marker.clone()));
    }
    let (from, to) = (only(readme, &begin, block)?, only(readme, &end, block)?);
    if to < from {
        return Err(BlockError::Reversed(block));
    }
    let (before, after) = (&readme[..from + begin.len()], &readme[to..]);
    Ok(format!("{before}\n{}\n{after}", text.trim()))
}

/// Where a comment is, which must occur once.
fn only(readme: &str, marker: &str, block: ReadmeBlock) -> Result<usize, BlockError> {
    let mut places = readme.match_indices(marker);
    match (places.next(), places.next()) {
        (None, _) => Err(BlockError::Missing(marker.to_owned(), block)),
        (Some((place, _)), None) => Ok(place),
        (Some(_), Some(_)) => Err(BlockError::Repeated(marker.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: ReadmeBlock = ReadmeBlock::Results;

    #[test]
    fn only_the_block_is_replaced_and_only_once() {
        let (begin, end) = (BLOCK.begin(), BLOCK.end());
        let other = format!(
            "{}\nother\n{}",
            ReadmeBlock::SelfTest.begin(),
            ReadmeBlock::SelfTest.end()
        );
        let readme = format!("# Title\n\n{begin}\nbefore\n{end}\n\n{other}\n");
        let once = replace_block(&readme, BLOCK, "new").expect("both comments are there");
        assert_eq!(once, format!("# Title\n\n{begin}\nnew\n{end}\n\n{other}\n"));
        assert_eq!(
            replace_block(&once, BLOCK, "new").expect("both comments are still there"),
            once
        );
    }

    #[test]
    fn a_run_with_a_database_has_a_block_of_its_own_and_one_of_drivers_has_none() {
        let mut record = samples::record();
        assert_eq!(ReadmeBlock::for_record(&record), Some(ReadmeBlock::Results));
        record.apps[0].stack = Some(String::from("tokio-postgres, deadpool"));
        assert_eq!(ReadmeBlock::for_record(&record), Some(ReadmeBlock::Database));
        record.apps[0].tier = Tier::Driver;
        assert_eq!(ReadmeBlock::for_record(&record), None);
    }

    #[test]
    fn comments_must_be_there_once_and_in_order() {
        let (begin, end) = (&BLOCK.begin(), &BLOCK.end());
        let error = |readme: &str, text: &str| {
            replace_block(readme, BLOCK, text)
                .expect_err("not to be replaced")
                .to_string()
        };
        let texts = [
            error(end, "new"),
            error(begin, "new"),
            error(&format!("{begin}{begin}{end}"), "new"),
            error(&format!("{begin}{end}{end}"), "new"),
            error(&format!("{end}{begin}"), "new"),
            error(&format!("{begin}{end}"), end),
        ];
        insta::assert_snapshot!(texts.join("\n"));
    }
}
