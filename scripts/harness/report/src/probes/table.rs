//! The result of a probe on a terminal.

use analyze::probes::{Judged, Subject, figures_of, observed, subjects};
use model::Record;
use model::probe::{Level, ProbeOutcome};

use crate::document::{Block, Rows, Text, name, own, sentence, text};
use crate::terminal::{Style, terminal};

/// A line for each server, and below it each case that it fails. With `bytes`, what was sent and what came.
pub fn probes(probes: &Record, bytes: bool) -> String {
    let mut blocks = Vec::new();
    for subject in observed(probes) {
        if bytes {
            blocks.extend(subject.results.iter().flat_map(|one| result(&subject, one, true)));
        } else {
            let rows = Rows::of(&subject.results).words(name(&subject.app.name), |one| name(&one.case.id));
            blocks.push(rows.words("did", |one| sentence(&one.probed.got)).table());
        }
    }
    let mut subjects = subjects(probes);
    subjects.retain(|subject| !subject.results.is_empty());
    let count = |subject: &Subject, level: Level| {
        let all = subject.results.iter().filter(|one| one.case.level == level);
        format!("{} of {}", all.clone().filter(|one| one.failed()).count(), all.count())
    };
    let table = Rows::of(&subjects)
        .words("fails", |subject| name(&subject.label()))
        .figures("must", |subject| count(subject, Level::Must))
        .figures("should", |subject| count(subject, Level::Should))
        .figures("may", |subject| count(subject, Level::May))
        .figures("smuggle", |subject| subject.tally(None).smuggles.to_string())
        .figures("of engine", |subject| subject.tally(None).of_engine.to_string())
        .figures("flickers", |subject| subject.tally(None).flickered.to_string());
    blocks.extend((!subjects.is_empty()).then(|| table.table()));
    for subject in &subjects {
        blocks.extend(subject.results.iter().flat_map(|one| result(subject, one, bytes)));
    }
    terminal(&blocks, Style::PLAIN)
}

/// What came of a case, if there is something to say about it.
fn result(subject: &Subject<'_>, one: &Judged<'_>, bytes: bool) -> Vec<Block> {
    let (case, probed) = (one.case, one.probed);
    let word = match probed.outcome {
        _ if case.level == Level::Observed => "observed in",
        ProbeOutcome::Failed => case.level.word(),
        ProbeOutcome::Flaky => "flickers",
        ProbeOutcome::Passed if bytes => "passes",
        ProbeOutcome::NotApplicable if bytes => "not applicable",
        ProbeOutcome::Passed | ProbeOutcome::NotApplicable => return Vec::new(),
    };
    let engine = one
        .engine
        .map(|engine| text![" (as ", name(&engine.app), " ", name(&engine.version), " does)"]);
    let what = text![name(&subject.label()), " ", word, " ", name(&case.id)];
    let title = text![what, ": ", sentence(&probed.got), engine];
    let mut lines = vec![text![sentence(&case.demand), " (", sentence(&case.source), ")"]];
    if bytes {
        let figures = figures_of(probed).into_iter();
        lines.extend(figures.map(|(figure, value)| text![figure.title(), own(format!(": {value:.1}"))]));
        if !case.sent.is_empty() {
            let whole = |bytes: &String| Text::from(bytes.clone());
            lines.push(text!["sent ", whole(&case.sent)]);
            lines.push(text!["came ", whole(&probed.received)]);
        }
    }
    vec![Block::Heading(2, title), Block::List(lines)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_on_a_terminal() {
        insta::assert_snapshot!(probes(&samples::probes(), true));
    }

    #[test]
    fn what_was_only_observed_is_told_and_with_its_bytes_where_they_are_wanted() {
        let seen = probes(&samples::client_probes(), false);
        assert!(
            seen.contains("slash-behind") && seen.contains("404, kept") && !seen.contains("must"),
            "{seen}"
        );
        let with_bytes = probes(&samples::client_probes(), true);
        assert!(with_bytes.contains("sent GET /hello/ HTTP/1.1"), "{with_bytes}");
    }
}
