//! The blocks of README.md that programs write: each is enclosed by two comments, so that it can be replaced without touching the
//! rest of the file.

use anyhow::Context;

/// A block of README.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadmeBlock {
    /// The results.
    Results,
    /// How often a comparison is wrong.
    SelfTest,
}

impl ReadmeBlock {
    /// The comments before the block and after it.
    fn comments(self) -> [String; 2] {
        let name = match self {
            Self::Results => "results",
            Self::SelfTest => "self-test",
        };
        ["begin", "end"].map(|place| format!("<!-- {name}:{place} -->"))
    }
}

/// `readme` with `text` between the two comments. Repeating it with the same text changes nothing.
pub fn replace_block(readme: &str, block: ReadmeBlock, text: &str) -> anyhow::Result<String> {
    let [begin, end] = block.comments();
    let missing =
        |line: &str| format!("the line `{line}` is missing: put `{begin}` and `{end}` where the block belongs");
    let (before, rest) = readme.split_once(&begin).with_context(|| missing(&begin))?;
    let (_, after) = rest.split_once(&end).with_context(|| missing(&end))?;
    Ok(format!("{before}{begin}\n{}\n{end}{after}", text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: ReadmeBlock = ReadmeBlock::Results;

    #[test]
    fn only_the_block_is_replaced_and_only_once() {
        let [begin, end] = BLOCK.comments();
        let other = ReadmeBlock::SelfTest.comments().join("\nother\n");
        let readme = format!("# Title\n\n{begin}\nbefore\n{end}\n\n{other}\n");
        let once = replace_block(&readme, BLOCK, "new").expect("both comments are there");
        assert_eq!(once, format!("# Title\n\n{begin}\nnew\n{end}\n\n{other}\n"));
        assert_eq!(
            replace_block(&once, BLOCK, "new").expect("both comments are still there"),
            once
        );
    }

    #[test]
    fn both_comments_must_be_there() {
        let [begin, end] = &BLOCK.comments();
        let error = |readme: &str| replace_block(readme, BLOCK, "new").unwrap_err().to_string();
        insta::assert_snapshot!([error(end), error(begin)].join("\n"));
    }
}
