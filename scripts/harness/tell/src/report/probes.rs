//! What breaks: how many cases each app fails, and which.

use record::label;
use record::probe::{Level, ProbeCase, ProbeOutcome, Probed, Probes};

use super::table;
use record::escape::{self, SENTENCE};

/// A line for each app, and below it each case that it fails. With `bytes`, what was sent and what came.
pub fn probes(probes: &Probes, bytes: bool) -> String {
    let mut subjects: Vec<(&str, &str)> = probes.results.iter().map(|one| (&*one.app, &*one.variant)).collect();
    subjects.dedup();
    let of = |subject: &(&str, &str)| -> Vec<(&ProbeCase, &Probed)> {
        let results = probes
            .results
            .iter()
            .filter(|one| (&*one.app, &*one.variant) == *subject);
        let known = results.filter_map(|one| Some((probes.case(&one.case)?, one)));
        known.collect()
    };
    let rows = subjects.iter().map(|subject| {
        let results = of(subject);
        let failed: Vec<&ProbeCase> = results
            .iter()
            .filter(|(_, one)| one.outcome == ProbeOutcome::Failed)
            .map(|(case, _)| *case)
            .collect();
        let count = |level| {
            let all = results.iter().filter(|(case, _)| case.level == level).count();
            let failed = failed.iter().filter(|case| case.level == level).count();
            format!("{failed} of {all}")
        };
        let smuggles = failed.iter().filter(|case| case.smuggles).count();
        let flickered = results.iter().filter(|(_, one)| one.outcome == ProbeOutcome::Flickered);
        let flickered = flickered.count();
        let name = escape::clean(&label(subject.0, subject.1), escape::NAME);
        vec![
            name,
            count(Level::Must),
            count(Level::Should),
            count(Level::May),
            smuggles.to_string(),
            flickered.to_string(),
        ]
    });
    let header = ["fails", "must", "should", "may", "smuggle", "flickers"];
    let mut lines = table::terminal(header, &[0], rows);
    for subject in &subjects {
        for (case, one) in of(subject) {
            let word = match &one.outcome {
                ProbeOutcome::Failed => case.level.word(),
                ProbeOutcome::Flickered => "flickers",
                ProbeOutcome::Passed if bytes => "passes",
                ProbeOutcome::NotApplicable if bytes => "not applicable",
                ProbeOutcome::Passed | ProbeOutcome::NotApplicable => continue,
            };
            let clean = |text: &str| escape::clean(text, SENTENCE);
            lines.push(String::new());
            lines.extend(table::wrapped(
                &format!("{} {word} ", clean(&label(subject.0, subject.1))),
                &format!("{}: {}", clean(&one.case), clean(&one.got)),
            ));
            lines.extend(table::wrapped(
                "  ",
                &format!("{} ({})", clean(&case.demand), clean(&case.source)),
            ));
            if bytes {
                lines.extend(table::wrapped("  sent ", &escape::clean(&case.sent, usize::MAX)));
                lines.extend(table::wrapped("  came ", &escape::clean(&one.received, usize::MAX)));
            }
        }
    }
    lines.push(String::new());
    lines.join("\n")
}
