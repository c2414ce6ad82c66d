//! The result of a probe as Markdown: servers by groups of cases, and every fault once.

use judge::probes::{Fault, ProbeStory, Subject, faults, subjects};
use record::escape::{self, NAME, SENTENCE, clean, markdown_name as text};
use record::probe::{Group, Level, ProbeOutcome, Probes};
use record::{count, label};

use crate::report::history::causes;
use crate::report::table;

/// Most changes that are listed.
const MOST_CHANGES: usize = 50;

/// Everything that a document says.
pub fn markdown(probes: &Probes) -> String {
    let subjects = subjects(probes);
    let mut blocks = vec![
        "# What breaks".to_owned(),
        introduction(probes),
        matrix(probes, &subjects),
        "Each cell is the number of failed cases and of cases. Rows are in the order of failed MUST cases. \
         *of its engine* counts failures that the engine without a framework has too."
            .to_owned(),
    ];
    blocks.extend(figures(probes));
    let faults = faults(probes);
    for group in Group::ALL {
        let of_group: Vec<String> = faults
            .iter()
            .filter(|fault| fault.case.group == group)
            .map(fault)
            .collect();
        if !of_group.is_empty() {
            blocks.push(format!("## {}", group.title()));
            blocks.push(of_group.join("\n"));
        }
    }
    blocks.extend(flickers(probes));
    blocks.push(String::new());
    blocks.join("\n\n")
}

fn introduction(probes: &Probes) -> String {
    let origin = &probes.origin;
    let tools = origin
        .tools
        .iter()
        .map(|(name, version)| format!(", {} {}", text(name), text(version)));
    format!(
        "{} on {}, probed on {} ({}, {}{}). A failure happened on three fresh servers. \
         `./scripts/bench probe --app APP --case CASE` shows the bytes of both sides. What a case demands has its source; \
         what the server was set up to do is in its folder below `apps/`.",
        count(probes.cases.len(), "case"),
        count(probes.apps.len(), "server"),
        probes.started_at.strftime("%Y-%m-%d"),
        escape::markdown(&clean(&origin.cpu_model, 2 * NAME)),
        count(origin.logical_cpus as usize, "logical cpu"),
        tools.collect::<String>()
    )
}

fn matrix(probes: &Probes, subjects: &[Subject<'_>]) -> String {
    let is_used = |group: &Group| probes.cases.iter().any(|case| case.group == *group);
    let groups: Vec<Group> = Group::ALL.into_iter().filter(is_used).collect();
    let mut header = vec!["Server".to_owned(), "MUST".to_owned()];
    header.extend(groups.iter().map(|group| group.title().to_owned()));
    header.extend(["of its engine".to_owned(), "smuggling".to_owned()]);
    let mut order: Vec<&Subject<'_>> = subjects.iter().collect();
    order.sort_by_key(|subject| (subject.app.not_probed.is_some(), subject.tally(None).must));
    let rows = order.into_iter().map(|subject| {
        let app = &subject.app.app;
        let name = format!(
            "{} {}",
            text(&label(&app.name, &app.variant)),
            text(&app.framework_version)
        );
        if let Some(reason) = &subject.app.not_probed {
            let mut row = vec![name, escape::markdown(&clean(reason, SENTENCE))];
            row.resize(header.len(), String::new());
            return row;
        }
        let all = subject.tally(None);
        let must = subject.results.iter().filter(|one| {
            let made = [ProbeOutcome::Passed, ProbeOutcome::Failed].contains(&one.probed.outcome);
            made && one.case.level == Level::Must
        });
        let cell = |group: &Group| {
            let tally = subject.tally(Some(*group));
            match tally.made {
                0 => "–".to_owned(),
                made => format!("{} of {made}", tally.failed),
            }
        };
        let mut row = vec![name, format!("**{}** of {}", all.must, must.count())];
        row.extend(groups.iter().map(cell));
        row.extend([all.of_engine.to_string(), all.smuggles.to_string()]);
        row
    });
    let rows: Vec<Vec<String>> = rows.collect();
    table::markdown(&header, &[0], rows)
}

/// Figures of cases that measure something: a table for each case.
fn figures(probes: &Probes) -> Vec<String> {
    let mut blocks = Vec::new();
    for case in &probes.cases {
        let results = probes
            .results
            .iter()
            .filter(|one| one.case == case.id && !one.figures.is_empty());
        let results: Vec<_> = results.collect();
        let kinds: std::collections::BTreeSet<_> = results.iter().flat_map(|one| one.figures.keys()).collect();
        if kinds.is_empty() {
            continue;
        }
        let header: Vec<String> = ["Server".to_owned(), "protocol".to_owned()]
            .into_iter()
            .chain(kinds.iter().map(|kind| kind.title().to_owned()))
            .collect();
        let rows = results.iter().map(|one| {
            let figure = |kind: &&record::probe::ProbeFigure| {
                one.figures.get(*kind).map_or("–".to_owned(), |value| number(*value))
            };
            [text(&label(&one.app, &one.variant)), one.protocol.id().to_owned()]
                .into_iter()
                .chain(kinds.iter().map(figure))
                .collect::<Vec<String>>()
        });
        blocks.push(format!(
            "<details><summary>{}</summary>\n\n{}\n\n</details>",
            escape::markdown(&clean(&case.title, SENTENCE)),
            table::markdown(&header, &[0, 1], rows.collect::<Vec<_>>())
        ));
    }
    if !blocks.is_empty() {
        blocks.insert(0, "## Figures".to_owned());
    }
    blocks
}

/// Three digits, which is more than these repeat by.
fn number(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

fn fault(fault: &Fault<'_>) -> String {
    let case = fault.case;
    let escape = |text: &str| escape::markdown(&clean(text, SENTENCE));
    let (first, others) = fault.apps.split_first().expect("a fault has a server");
    let names: Vec<String> = others.iter().map(|name| text(name)).collect();
    let sharing = if names.is_empty() {
        String::new()
    } else {
        format!(" and, on it, {}", names.join(", "))
    };
    let smuggles = if case.smuggles { ", can smuggle" } else { "" };
    format!(
        "- **{}** ({}{smuggles}), {}: {}{sharing}: {}. {} ({})",
        text(&case.id),
        case.level.word(),
        fault.probed.protocol.id(),
        text(first),
        escape(&fault.probed.got),
        escape(&case.demand),
        escape(&case.source)
    )
}

/// What is no fault, because it happened now and then.
fn flickers(probes: &Probes) -> Option<String> {
    let flickered = probes.results.iter().filter(|one| one.outcome == ProbeOutcome::Flaky);
    let names: Vec<String> = flickered
        .map(|one| format!("{} in {}", text(&label(&one.app, &one.variant)), text(&one.case)))
        .collect();
    (!names.is_empty()).then(|| {
        format!(
            "## Not certain\n\nNow one thing, now another, and no fault: {}.",
            names.join("; ")
        )
    })
}

/// Which cases began or ceased to fail.
pub fn changes(story: &ProbeStory) -> String {
    let heading = format!("What breaks, over {}", count(story.runs.len(), "probe"));
    if story.changes.is_empty() {
        return format!("{heading}: nothing began or ceased to fail.\n");
    }
    let rows = story.changes.iter().take(MOST_CHANGES).map(|change| {
        vec![
            change.started_at.strftime("%Y-%m-%d").to_string(),
            text(&label(&change.app, &change.variant)),
            format!("{} ({})", text(&change.case), change.level.word()),
            change.protocol.id().to_owned(),
            if change.fails {
                format!("fails now: {}", escape::markdown(&clean(&change.got, SENTENCE)))
            } else {
                "passes now".to_owned()
            },
            causes(&change.causes),
        ]
    });
    let header = ["since", "app", "case", "protocol", "what", "what else was different"];
    let rows: Vec<Vec<String>> = rows.collect();
    let more = match story.changes.len().saturating_sub(MOST_CHANGES) {
        0 => String::new(),
        more => format!("\n{more} older ones are left out.\n"),
    };
    format!(
        "{heading}:\n\n{}\n{more}",
        table::markdown(&header, &[0, 1, 2, 3, 4, 5], rows)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::history::NoLockfiles;
    use judge::probes::story;

    #[test]
    fn a_probe_as_markdown() {
        insta::assert_snapshot!(markdown(&record::sample::probes()));
    }

    #[test]
    fn changes_of_probes() {
        let first = record::sample::probes();
        let mut second = first.clone();
        second.started_at = "2026-11-28T11:00:00Z".parse().unwrap();
        second.id = "20261128T110000Z-1".into();
        for one in &mut second.results {
            one.outcome = match one.outcome {
                ProbeOutcome::Passed => ProbeOutcome::Failed,
                ProbeOutcome::Failed => ProbeOutcome::Passed,
                other => other,
            };
        }
        assert!(changes(&story(std::slice::from_ref(&first), &NoLockfiles)).contains("nothing began"));
        insta::assert_snapshot!(changes(&story(&[first, second], &NoLockfiles)));
    }
}
