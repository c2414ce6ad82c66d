//! The landing page: plain HTML without a script, until a site replaces it.

use std::collections::BTreeSet;

use super::PublishError;
use super::index::{Index, LaneIndex, path_of};
use super::overlay::Overlay;
use super::tree::Tree;
use crate::report::words::count;
use record::Lane;
use record::escape::{NAME, SENTENCE, clean, xml};

/// The path of the page.
pub const LANDING: &str = "index.html";
/// The page without its lanes.
const FRAME: &str = include_str!("landing.html");
/// Where the lanes are inserted.
const LANES: &str = "<!-- lanes -->";
/// Distinguishes our page from a site that has replaced it, which is left alone.
const MARK: &str = r#"<meta name="generator" content="bench publish">"#;
/// Characters of a commit that are shown: enough to find it by.
const COMMIT: usize = 12;

/// The path of a lane's charts.
pub fn charts_of(lane: Lane) -> String {
    format!("charts/{}/", lane.name())
}

/// Whether a page was written by [`page`].
pub fn is_ours(page: &str) -> bool {
    page.contains(MARK)
}

/// Writes the page, unless something else is in its place.
pub fn put(tree: &mut Overlay, index: &Index) -> Result<(), PublishError> {
    if tree.text(LANDING)?.is_some_and(|page| !is_ours(&page)) {
        return Ok(());
    }
    let has_charts = |lane: &Lane| tree.known().contains(&format!("{}data.js", charts_of(*lane)));
    let charts = Lane::ALL.into_iter().filter(has_charts).collect();
    tree.put(LANDING, page(index, &charts).into_bytes())
}

/// The page of an index; the lanes of `charts` have charts.
pub fn page(index: &Index, charts: &BTreeSet<Lane>) -> String {
    let sections = index.lanes.iter().map(|(lane, published)| {
        let charts = charts.contains(lane).then(|| charts_of(*lane));
        section(*lane, published, charts.as_deref())
    });
    let sections: Vec<String> = sections.collect();
    let lanes = match sections.as_slice() {
        [] => "<p>Nothing has been published yet.</p>".to_owned(),
        some => some.join("\n"),
    };
    FRAME.replace(LANES, &lanes)
}

fn section(lane: Lane, published: &LaneIndex, charts: Option<&str>) -> String {
    let newest = &published.newest;
    let run = format!(
        "{}: {}, {} UTC, {}, {}{}",
        link(&path_of(lane, &newest.id), &newest.id),
        text(&newest.profile, NAME),
        newest.started_at.strftime("%Y-%m-%d %H:%M"),
        count(newest.rounds as usize, "round"),
        count(newest.apps as usize, "app"),
        newest
            .commit
            .as_ref()
            .map(|commit| commit_of(commit))
            .unwrap_or_default()
    );
    let verdicts = newest
        .verdicts
        .iter()
        .map(|(verdict, cells)| format!("{cells} {}", verdict.name()));
    let machine = format!(
        "{}, {}",
        text(&newest.machine.cpu_model, SENTENCE),
        count(newest.machine.logical_cpus as usize, "logical cpu")
    );
    let charts = charts.map(|charts| format!(", {}", link(charts, "as charts")));
    let all = count(published.records(), "run") + &charts.unwrap_or_default();
    let facts = [
        ("Newest run", run),
        ("Verdicts", verdicts.collect::<Vec<_>>().join(", ")),
        ("Machine", machine),
        ("All runs", all),
    ];
    let facts = facts.map(|(name, fact)| format!("<dt>{name}</dt>\n<dd>{fact}</dd>\n"));
    let name = lane.name();
    format!("<section>\n<h2>{name}</h2>\n<dl>\n{}</dl>\n</section>", facts.concat())
}

fn commit_of(commit: &str) -> String {
    let short: String = commit.chars().take(COMMIT).collect();
    format!(", commit {}", text(&short, NAME))
}

fn link(path: &str, name: &str) -> String {
    format!("<a href=\"{}\">{}</a>", xml(path), text(name, 2 * NAME))
}

fn text(text: &str, longest: usize) -> String {
    xml(&clean(text, longest))
}

#[cfg(test)]
mod tests {
    use super::super::index::tests::index;
    use super::*;

    #[test]
    fn every_lane_leads_to_its_newest_record_and_its_charts() {
        let page = page(&index(), &BTreeSet::from([Lane::HostedX64]));
        assert!(is_ours(&page));
        assert!(!page.contains("<script"), "a cpu's name is text");
        insta::assert_snapshot!(page);
    }

    #[test]
    fn a_branch_without_a_run_says_so() {
        let page = page(&Index::empty(), &BTreeSet::new());
        assert!(page.contains("Nothing has been published yet."), "{page}");
        assert!(!is_ours("<html>a site</html>"));
    }
}
