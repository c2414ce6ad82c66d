//! What two load generators measured, as a table for a terminal and for Markdown.

use crate::report::figure;
use crate::report::table::padded_markdown;
use judge::cross_check::{Agreement, Check};
use record::escape::{SENTENCE, clean, markdown, markdown_id as code};

const HEADER: [&str; 6] = ["App", "Scenario", "With", "Compared", "Ratio to oha", "Verdict"];

/// A line for each app and scenario, then the reasons where they do not agree, then the totals.
#[must_use]
pub fn cross_check_table(checks: &[Check]) -> String {
    let table = padded_markdown(&HEADER, checks.iter().map(row));
    let mut lines: Vec<String> = table.lines().map(ToOwned::to_owned).collect();
    lines.push(String::new());
    let unsettled = checks.iter().filter(|one| !one.reason.is_empty());
    lines.extend(unsettled.map(|check| {
        let reason = markdown(&clean(&check.reason, SENTENCE));
        format!(
            "- {}, {}, {}: {reason}",
            label(check),
            code(&check.scenario),
            check.with.program()
        )
    }));
    if lines.last().is_some_and(|last| !last.is_empty()) {
        lines.push(String::new());
    }
    lines.push(format!(
        "{} agree, {} differ, {} are undecided. Ratio: the other's figure ÷ oha's, paired within the rounds, with its 95 % \
         interval; CPU time per request where a generator and not the server was the limit.",
        count(checks, Agreement::Agree),
        count(checks, Agreement::Differ),
        count(checks, Agreement::CannotTell)
    ));
    lines.join("\n") + "\n"
}

fn count(checks: &[Check], agreement: Agreement) -> usize {
    checks.iter().filter(|check| check.agreement == agreement).count()
}

fn row(check: &Check) -> Vec<String> {
    let ratio = check.ratio.as_ref().map(|ratio| match ratio.interval {
        Some(interval) => format!("{:.3} ({:.3} to {:.3})", ratio.estimate, interval.low, interval.high),
        None => format!("{:.3}", ratio.estimate),
    });
    let verdict = match check.agreement {
        Agreement::Agree => "agree",
        Agreement::Differ => "**differ**",
        Agreement::CannotTell => "cannot tell",
    };
    vec![
        label(check),
        code(&check.scenario),
        check.with.program().to_owned(),
        check.metric.map_or(figure::NONE, |metric| metric.name()).to_owned(),
        ratio.unwrap_or_else(|| figure::NONE.to_owned()),
        verdict.to_owned(),
    ]
}

fn label(check: &Check) -> String {
    code(&record::label(&check.app, &check.variant))
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::sample::{HOSTILE_NAME, HOSTILE_REASON};
    use record::scenario::GeneratorKind;
    use record::{Interval, Metric, Ratio};

    fn check(app: &str, agreement: Agreement, reason: &str) -> Check {
        let known = agreement != Agreement::CannotTell;
        Check {
            app: app.to_owned(),
            variant: if app == "axum" { "tuned" } else { "default" }.to_owned(),
            scenario: "plaintext".to_owned(),
            with: GeneratorKind::Wrk,
            agreement,
            metric: known.then_some(Metric::GoodputRps),
            ratio: known.then_some(Ratio {
                estimate: 1.021,
                interval: Some(Interval { low: 1.0, high: 1.04 }),
            }),
            tolerance: 0.05,
            reason: reason.to_owned(),
        }
    }

    #[test]
    fn who_agrees_is_told_in_a_table_and_why_not_below_it() {
        let checks = [
            check("axum", Agreement::Agree, ""),
            check(
                "rocket",
                Agreement::Differ,
                "beyond the 5 % that generators may differ by",
            ),
            check(HOSTILE_NAME, Agreement::CannotTell, HOSTILE_REASON),
        ];
        insta::assert_snapshot!(cross_check_table(&checks));
        assert!(cross_check_table(&checks[..1]).lines().count() == 5);
    }
}
