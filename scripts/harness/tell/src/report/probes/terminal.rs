//! The result of a probe on a terminal.

use judge::probes::{Judged, Subject, subjects};
use record::escape::{self, NAME, SENTENCE, clean};
use record::probe::{Level, ProbeOutcome, Probes};

use crate::report::table;

/// A line for each server, and below it each case that it fails. With `bytes`, what was sent and what came.
pub fn probes(probes: &Probes, bytes: bool) -> String {
    let subjects = subjects(probes);
    let subjects: Vec<&Subject<'_>> = subjects.iter().filter(|subject| !subject.results.is_empty()).collect();
    let rows = subjects.iter().map(|subject| {
        let count = |level| {
            let all = subject.results.iter().filter(|one| one.case.level == level);
            let failed = all.clone().filter(|one| one.failed());
            format!("{} of {}", failed.count(), all.count())
        };
        let tally = subject.tally(None);
        vec![
            clean(&subject.label(), NAME),
            count(Level::Must),
            count(Level::Should),
            count(Level::May),
            tally.smuggles.to_string(),
            tally.of_engine.to_string(),
            tally.flickered.to_string(),
        ]
    });
    let header = ["fails", "must", "should", "may", "smuggle", "of engine", "flickers"];
    let mut lines = table::terminal(header, &[0], rows);
    for subject in &subjects {
        for one in &subject.results {
            lines.extend(result(subject, one, bytes).unwrap_or_default());
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

/// What came of a case, if there is something to say about it.
fn result(subject: &Subject<'_>, one: &Judged<'_>, bytes: bool) -> Option<Vec<String>> {
    let (case, probed) = (one.case, one.probed);
    let word = match probed.outcome {
        ProbeOutcome::Failed => case.level.word(),
        ProbeOutcome::Flaky => "flickers",
        ProbeOutcome::Passed if bytes => "passes",
        ProbeOutcome::NotApplicable if bytes => "not applicable",
        ProbeOutcome::Passed | ProbeOutcome::NotApplicable => return None,
    };
    let clean = |text: &str| clean(text, SENTENCE);
    let engine = one.engine.map_or(String::new(), |engine| {
        format!(" (as {} {} does)", clean(&engine.app), clean(&engine.version))
    });
    let mut lines = vec![String::new()];
    lines.extend(table::wrapped(
        &format!("{} {word} ", clean(&subject.label())),
        &format!("{}: {}{engine}", clean(&case.id), clean(&probed.got)),
    ));
    let demand = format!("{} ({})", clean(&case.demand), clean(&case.source));
    lines.extend(table::wrapped("  ", &demand));
    for (figure, value) in probed.figures.iter().filter(|_| bytes) {
        lines.push(format!("  {}: {value:.1}", figure.title()));
    }
    if bytes && !case.sent.is_empty() {
        lines.extend(table::wrapped("  sent ", &escape::clean(&case.sent, usize::MAX)));
        lines.extend(table::wrapped("  came ", &escape::clean(&probed.received, usize::MAX)));
    }
    Some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_on_a_terminal() {
        insta::assert_snapshot!(probes(&record::sample::probes(), true));
    }
}
