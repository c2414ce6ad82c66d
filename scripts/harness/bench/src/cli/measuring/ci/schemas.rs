//! What is generated from the types and committed: schemas, for results next to them and for what is published next to its description,
//! the site's words, and the docs' table of verdicts.

use std::fs;
use std::path::{Path, PathBuf};

use analyze::compare::outcome::Comparison;
use analyze::compare::self_test::SelfTest;
use analyze::history::HistoryReport;
use analyze::probes::{Clients, ProbeStory, WhatBreaks};
use analyze::releases::Releases;
use anyhow::Context as _;
use model::Record;
use report::site::{Figures, Forecasts, Index, RunFigures, Runs, Scaling, Summaries, words};
use schemars::{Schema, schema_for};

use crate::cli::json;

const PUBLISHED: &str = "scripts/harness/docs/published";
const READING: &str = "scripts/harness/docs/reading.md";
const HEAD: &str = "| verdict | what happened | what still counts |\n| --- | --- | --- |\n";

/// Each file of the repository at `root`, with what must stand in it.
pub fn generated(root: &Path) -> anyhow::Result<Vec<(PathBuf, String)>> {
    let schemas = [
        ("bench-results", "record", schema_for!(Record)),
        ("bench-results", "comparison", schema_for!(Comparison)),
        ("bench-results", "self-test", schema_for!(SelfTest)),
        (PUBLISHED, "index", schema_for!(Index)),
        (PUBLISHED, "runs", schema_for!(Runs)),
        (PUBLISHED, "figures", schema_for!(Figures)),
        (PUBLISHED, "run", schema_for!(RunFigures)),
        (PUBLISHED, "summaries", schema_for!(Summaries<'_>)),
        (PUBLISHED, "changes", schema_for!(HistoryReport)),
        (PUBLISHED, "breaks", schema_for!(WhatBreaks)),
        (PUBLISHED, "clients", schema_for!(Clients)),
        (PUBLISHED, "probe-changes", schema_for!(ProbeStory)),
        (PUBLISHED, "scaling", schema_for!(Scaling<'_>)),
        (PUBLISHED, "forecasts", schema_for!(Forecasts)),
        (PUBLISHED, "releases", schema_for!(Releases)),
    ];
    let file = |(folder, name, schema): &(&str, &str, Schema)| {
        let path = root.join(folder).join(format!("{name}.schema.json"));
        anyhow::Ok((path, json(schema)?))
    };
    let mut files = schemas.iter().map(file).collect::<anyhow::Result<Vec<_>>>()?;
    files.push((root.join(PUBLISHED).join("words.json"), json(&words())?));
    let reading = root.join(READING);
    let text = fs::read_to_string(&reading).with_context(|| reading.display().to_string())?;
    files.push((
        reading,
        with_verdicts(&text).context("reading.md has no table of verdicts")?,
    ));
    Ok(files)
}

/// The page with its table of verdicts made anew; `None` if it has none.
fn with_verdicts(page: &str) -> Option<String> {
    let (before, table) = page.split_once(HEAD)?;
    let (_, after) = table.split_once("\n\n")?;
    let words = words();
    let rows = words["verdicts"].as_array()?.iter().map(|verdict| {
        let [id, happened, counts] = ["id", "happened", "counts"].map(|key| verdict[key].as_str());
        Some(format!("| `{}` | {} | {} |\n", id?, happened?, counts?))
    });
    Some(format!("{before}{HEAD}{}\n{after}", rows.collect::<Option<String>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_generated_is_committed() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        for (path, text) in generated(&root).unwrap() {
            let committed = fs::read_to_string(&path).unwrap_or_default();
            assert!(committed == text, "{}: `bench ci schemas` writes it", path.display());
        }
    }
}
