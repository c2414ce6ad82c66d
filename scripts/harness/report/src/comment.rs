//! The comment that a pull request gets: a comparison as Markdown, between a mark by which the comment is found again and
//! the commit that was measured.
//!
//! A comment outlives the push that it was written for. A second mark records what it reported, so that the next push can say
//! whether that is resolved.

use std::collections::BTreeMap;

use serde::Serialize;

use analyze::compare::outcome::{Comparison, Decision, Series, Side};
use model::escape;

use super::{comparison, document};

/// First line of the comment that says what the gate goes by.
const MARK: &str = "<!-- bench compare -->";
/// First line of the comment that answers `/bench`; `.github/scripts/comment.sh` knows it, too.
const ANSWER: &str = "<!-- bench command -->";
/// Longest body in bytes. GitHub allows 65,536 characters.
const LONGEST: usize = 65_536;

/// What comments report, the less important first, each with the second line of a comment that reported it.
const REPORTED: [(Decision, &str); 2] = [
    (Decision::Improvement, "<!-- told: improvement -->"),
    (Decision::Regression, "<!-- told: regression -->"),
];

/// All that `.github/scripts/comment.sh` needs in order to keep the comment of a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Comment {
    /// First line of each body, by which the comment is found again.
    pub mark: &'static str,
    /// Commit that was measured.
    pub head: String,
    /// Commit that it was compared with, as the artifact says. It is no verdict on a pull request with another base.
    pub base: String,
    /// Whether there is something to say: comments on pushes that change nothing would soon be ignored. An existing comment is always
    /// updated.
    pub first: bool,
    /// Markdown of a first comment, and of one whose second line is not in `after`.
    pub body: String,
    /// Markdown for an existing comment, by its second line, which says what an earlier push has done.
    pub after: BTreeMap<&'static str, String>,
    /// Markdown for an existing comment of a pull request whose base is not `base`; the marks go before it.
    pub stale: String,
}

impl Comment {
    /// The comment on a comparison that was checked.
    pub fn new(comparison: &Comparison) -> Self {
        let after = |(before, mark)| (mark, markdown(comparison, Some(before)));
        Self {
            mark: MARK,
            head: comparison.head.commit.clone(),
            base: comparison.base.commit.clone(),
            first: is_news(comparison),
            body: markdown(comparison, None),
            after: REPORTED.map(after).into(),
            stale: stale(comparison),
        }
    }

    /// The comment that answers `/bench`. It may cover a part, so it takes nothing back that another has reported.
    pub fn answer(comparison: &Comparison) -> Self {
        let lead = "Requested by a maintainer with `/bench`. It may be a part: the check goes by the comparison of all that this pull \
                    request touches.";
        Self {
            mark: ANSWER,
            first: true,
            body: fitting(ANSWER, Some(lead), comparison, true),
            after: BTreeMap::new(),
            ..Self::new(comparison)
        }
    }
}

/// Whether a pull request needs a first comment: not where nothing changed, nor where what is open cannot be as bad as what would be named.
fn is_news(comparison: &Comparison) -> bool {
    let may_be_worse = |series: &Series| {
        let is_more = series.metric.more_is_better();
        let worst = series.interval.map(|of| if is_more { -of.low } else { of.high });
        let least = comparison.gates.minimum_effect.get(&series.metric);
        worst.zip(least).is_none_or(|(worst, least)| worst >= *least)
    };
    match comparison.decision {
        Decision::NoChange | Decision::NothingToMeasure => false,
        Decision::Inconclusive => {
            comparison.lost().next().is_some()
                || comparison::judged(comparison, Decision::Inconclusive).any(may_be_worse)
        }
        Decision::Improvement | Decision::Regression => true,
    }
}

/// The comment's body, given what it reported before.
fn markdown(comparison: &Comparison, before: Option<Decision>) -> String {
    let reported = |(decision, _): &&(Decision, _)| *decision == comparison.decision || Some(*decision) == before;
    let mark = REPORTED.iter().rev().find(reported);
    let marks = mark.map_or_else(|| MARK.to_owned(), |(_, mark)| format!("{MARK}\n{mark}"));
    // Where nothing was found, nobody has to read how.
    let is_whole = comparison.decision != Decision::Inconclusive;
    fitting(&marks, lead(before, comparison.decision), comparison, is_whole)
}

/// As much of it as a comment can hold, or in brief.
fn fitting(marks: &str, lead: Option<&'static str>, comparison: &Comparison, is_whole: bool) -> String {
    let text = |is_whole| document::markdown(&comparison::blocks(comparison, lead.map(Into::into), is_whole));
    let brief = text(false);
    let commit = commit(&comparison.head);
    let body = |text: &str, note: &str| format!("{marks}\n{text}\n---\n\n{note}Measured at commit {commit}.\n");
    let note = if is_whole {
        "What did not move, was not judged, and how it was measured is left out: this comment would be too long. "
    } else {
        "The check's summary has all series, and how they were measured. "
    };
    let whole = is_whole.then(|| body(&text(true), ""));
    let mut bodies = whole.into_iter().chain([body(&brief, note)]);
    bodies.find(|body| body.len() <= LONGEST).unwrap_or_else(|| {
        let note = "The rest is left out: this comment would be too long. ";
        let room = LONGEST.saturating_sub(body("", note).len());
        // The whole lines that fit.
        let end = brief[..brief.floor_char_boundary(room)].rfind('\n');
        body(&brief[..end.map_or(0, |end| end + 1)], note)
    })
}

fn commit(side: &Side) -> String {
    escape::markdown_code(&escape::clean(&side.commit, 64))
}

/// What this push means for what the comment reported before.
fn lead(before: Option<Decision>, now: Decision) -> Option<&'static str> {
    match (before?, now) {
        (_, Decision::Regression) | (Decision::Improvement, Decision::Improvement) => None,
        (Decision::Regression, Decision::NoChange | Decision::NothingToMeasure | Decision::Improvement) => {
            Some("**Resolved:** what an earlier push of this pull request made worse is gone.")
        }
        (Decision::Regression, Decision::Inconclusive) => Some(
            "**Not shown to be resolved:** an earlier push of this pull request was worse, and this one was found neither \
             worse nor unchanged.",
        ),
        _ => Some("What an earlier push of this pull request made better is gone."),
    }
}

/// What is left to say of a comparison with another base than the pull request's.
fn stale(comparison: &Comparison) -> String {
    let [base, head] = [&comparison.base, &comparison.head].map(commit);
    format!(
        "**Stale:** {head} was compared with {base}, which is no longer the base of this pull request. Run *Pull request \
         benchmark* again.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::tests::sample::{all_strings, attacks, comparison};
    use analyze::compare::outcome::Status;
    use model::{Interval, Metric};

    fn decided(decision: Decision) -> Comparison {
        let mut comparison = comparison();
        comparison.decision = decision;
        comparison
    }

    /// Of twelve self-tests five were inconclusive, and four of these excluded a regression of the least effect that is named.
    #[test]
    fn a_first_comment_is_written_where_there_is_something_to_say() {
        use Decision::{Improvement, Inconclusive, NoChange, NothingToMeasure, Regression};
        let (cpu, goodput) = (Metric::ServerCpuUsPerRequest, Metric::GoodputRps);
        for (decision, metric, interval, first) in [
            (Regression, cpu, None, true),
            (Improvement, cpu, None, true),
            (NoChange, cpu, None, false),
            (NothingToMeasure, cpu, None, false),
            (Inconclusive, cpu, None, true), // excludes nothing
            (Inconclusive, cpu, Some((-0.023, 0.008)), false),
            (Inconclusive, cpu, Some((-0.017, 0.02)), true),
            (Inconclusive, goodput, Some((-0.008, 0.05)), false),
            (Inconclusive, goodput, Some((-0.08, 0.05)), true),
        ] {
            let mut comparison = decided(decision);
            let series = &mut comparison.series[3];
            (series.metric, series.interval) = (metric, interval.map(|(low, high)| Interval { low, high }));
            let comment = Comment::new(&comparison);
            assert_eq!(comment.first, first, "{decision:?} {metric:?} {interval:?}");
            assert!(comment.body.starts_with(MARK), "{decision:?}");
            comparison.apps[0].status = Status::NotMeasured;
            let may_be_worse = first || decision == Inconclusive;
            assert_eq!(
                Comment::new(&comparison).first,
                may_be_worse,
                "what is missing may be worse"
            );
        }
    }

    #[test]
    fn each_failure_has_the_advice_that_fits() {
        let mut comparison = decided(Decision::Regression);
        let body = |comparison: &Comparison| Comment::new(comparison).body;
        let fails = body(&comparison); // it is slower and an app crashes
        assert!(
            fails.contains("Mend what fails. It is shown by `./scripts/bench check --app rocket`"),
            "{fails}"
        );
        assert!(
            fails.contains("Try it yourself: ") && !fails.contains("accept-regression"),
            "{fails}"
        );
        comparison.series.clear();
        comparison.apps[1].status = Status::BuildFailed;
        comparison.probes.as_mut().unwrap().apps.clear();
        let fails = body(&comparison);
        assert!(fails.contains("**does not build**"), "{fails}");
        for no_figure_has in ["Try it yourself", "A change is named if", "Probed"] {
            assert!(!fails.contains(no_figure_has), "{no_figure_has}: {fails}");
        }
        comparison.decision = Decision::Inconclusive;
        comparison.apps[1].status = Status::NotMeasured;
        let lost = body(&comparison);
        assert!(
            lost.contains("# Incomplete: 1 app could not be measured") && lost.contains("by *Re-run failed jobs*"),
            "{lost}"
        );
    }

    #[test]
    fn what_decided_nothing_is_said_in_brief() {
        let mut comparison = decided(Decision::Inconclusive);
        let open = comparison.series[3].clone();
        comparison.series.extend(vec![open; 40]);
        let [brief, answer] = [Comment::new(&comparison), Comment::answer(&comparison)].map(|comment| comment.body);
        assert!(
            !brief.contains("<details>") && !brief.contains("How it was measured"),
            "{brief}"
        );
        assert!(
            brief.contains("- and 36 more") && brief.contains(" --time-budget 30m"),
            "{brief}"
        );
        assert!(answer.contains("How it was measured"), "{answer}");
    }

    /// The body that the next push gives a comment.
    fn next(there: &str, decision: Decision) -> String {
        let comment = Comment::new(&decided(decision));
        let second = there.lines().nth(1).unwrap();
        comment.after.get(second).unwrap_or(&comment.body).clone()
    }

    #[test]
    fn the_next_push_says_what_became_of_it_and_saying_it_twice_is_once() {
        let first = Comment::new(&decided(Decision::Regression)).body;
        assert!(
            first.starts_with("<!-- bench compare -->\n<!-- told: regression -->\n# Regression"),
            "{first}"
        );
        assert!(first.ends_with("\n---\n\nMeasured at commit `0123456789abcdef0123456789abcdef`.\n"));
        assert!(!first.contains("Resolved"));
        let mut body = first;
        for (decision, expected) in [
            (Decision::Inconclusive, "\n\n**Not shown to be resolved:** "),
            (Decision::NoChange, "# No change in 4 series\n\n**Resolved:** "),
            (Decision::NothingToMeasure, "\n\n**Resolved:** "),
            (Decision::Improvement, "\n\n**Resolved:** "),
        ] {
            body = next(&body, decision);
            assert!(body.contains(expected), "{body}");
            assert_eq!(next(&body, decision), body);
        }
        let again = next(&body, Decision::Regression);
        assert!(!again.contains("Resolved"), "{again}");

        let better = Comment::new(&decided(Decision::Improvement)).body;
        let gone = next(&better, Decision::NoChange);
        assert!(gone.contains("made better is gone"), "{gone}");
        let worse = next(&gone, Decision::Regression);
        assert!(
            worse.starts_with(&format!("{MARK}\n<!-- told: regression -->\n")),
            "{worse}"
        );
        let unknown = next(&format!("{MARK}\n# Something else\n"), Decision::NoChange);
        assert!(unknown.starts_with(&format!("{MARK}\n# No change")), "{unknown}");
    }

    #[test]
    fn what_is_too_long_is_shortened_and_says_so() {
        let mut comparison = decided(Decision::Regression);
        let still = comparison.series[1].clone();
        assert_eq!(still.decision, Decision::NoChange);
        comparison.series.extend(vec![still; 1000]);
        let body = markdown(&comparison, None);
        assert!(
            body.len() <= LONGEST && !body.contains("<details>") && body.contains("What did not move"),
            "{body}"
        );

        let worse = comparison.series[0].clone();
        comparison.series.extend(vec![worse; 1000]);
        let body = markdown(&comparison, None);
        assert!(body.len() <= LONGEST && body.len() > LONGEST - 1000, "{}", body.len());
        assert!(body.contains("\n---\n\nThe rest is left out:"), "{body}");
    }

    /// Without what is set as code: in it nothing means anything.
    fn without_code(text: &str) -> String {
        let mut left = String::new();
        for line in text.split_inclusive('\n') {
            let mut is_code = false;
            for (index, part) in line.split('`').enumerate() {
                // Each part but the first begins after a backtick; one after a backslash is only a backtick.
                is_code = index > 0 && (!is_code && !left.ends_with('\\'));
                left.push_str(if is_code { "" } else { part });
            }
            assert!(!is_code, "code without end: {line}");
        }
        left
    }

    /// Without what a backslash makes plain.
    fn without_escapes(text: &str) -> String {
        let mut left = String::new();
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            if character == '\\' {
                characters.next();
            } else {
                left.push(character);
            }
        }
        left
    }

    /// What is left when everything is taken away that was written here: the artifact's own.
    #[test]
    fn no_string_of_a_comparison_means_anything() {
        for attack in attacks() {
            let body = markdown(&all_strings(&attack), None);
            assert!(body.len() <= LONGEST);
            let (marks, rest) = body.split_at(body.find("# ").unwrap());
            assert_eq!(marks, format!("{MARK}\n<!-- told: regression -->\n"));
            let plain = rest
                .replace("<details>\n<summary>", "")
                .replace("</summary>", "")
                .replace("</details>", "")
                .replace("<span>$</span>", "");
            let plain = without_code(&plain);
            assert!(!plain.contains(['<', '>']), "HTML: {attack:?}: {plain}");
            assert!(
                !plain.contains("://") && !plain.contains("www."),
                "a link: {attack:?}: {plain}"
            );
            assert!(!without_escapes(&plain).contains("]("), "a link: {attack:?}: {plain}");
            let bare = |mark: char| {
                plain.match_indices(mark).any(|(at, _)| {
                    let (before, after) = (&plain[..at], &plain[at + 1..]);
                    let heading = before.is_empty() || before.ends_with('\n') || before.ends_with('#');
                    !(after.starts_with("&#8203;") || before.ends_with('&') || (mark == '#' && heading))
                })
            };
            assert!(!bare('@') && !bare('#'), "a mention or reference: {attack:?}: {plain}");
            assert!(!plain.contains("GH-1"), "a reference: {attack:?}: {plain}");
            assert!(
                !plain
                    .chars()
                    .any(|c| c.is_control() && c != '\n' || ('\u{202a}'..='\u{202e}').contains(&c)),
                "invisible: {attack:?}: {plain}"
            );
            assert!(!plain.contains("```"), "code: {attack:?}: {plain}");
            let headings = |text: &str| {
                text.lines()
                    .filter(|line| line.starts_with("# ") || line.starts_with("## "))
                    .count()
            };
            let is_whole = !body.contains("this comment would be too long");
            let harmless = all_strings("harmless");
            let harmless = document::markdown(&comparison::blocks(&harmless, None, is_whole));
            assert_eq!(headings(&body), headings(&harmless), "structure: {attack:?}: {plain}");
        }
    }
}
