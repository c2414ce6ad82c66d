//! What two load generators measured, as a table for a terminal and for Markdown.

use analyze::cross_check::{Agreement, Check};
use model::Metric;

use super::document::{Block, Rows, Text, name, own, padded_markdown, sentence, text};
use super::figure;

/// A line for each app and scenario, then the reasons where they do not agree, then the totals.
pub fn cross_check_table(checks: &[Check]) -> String {
    let table = Rows::of(checks)
        .words("App", |check| label(check))
        .words("Scenario", |check| name(&check.scenario).code())
        .words("With", |check| check.with.program())
        .figures("Compared", |check| check.metric.map(Metric::name))
        .figures("Ratio to oha", |check| {
            Some(own(figure::ratio_and_interval(check.ratio.as_ref()?)))
        })
        .words("Verdict", |check| verdict(check.agreement));
    let unsettled = checks.iter().filter(|one| !one.reason.is_empty()).map(|check| {
        let (scenario, reason) = (name(&check.scenario).code(), sentence(&check.reason));
        text![label(check), ", ", scenario, ", ", check.with.program(), ": ", reason]
    });
    let count = |agreement| checks.iter().filter(|check| check.agreement == agreement).count();
    let [agree, differ, open] = [Agreement::Agree, Agreement::Differ, Agreement::CannotTell].map(count);
    let totals = format!(
        "{agree} agree, {differ} differ, {open} are undecided. Ratio: the other's figure ÷ oha's, paired within the rounds, with its 95 % \
         interval; CPU time per request where a generator and not the server was the limit."
    );
    let mut blocks = vec![table.table()];
    blocks.extend(Block::list(unsettled));
    blocks.push(Block::paragraph(totals));
    padded_markdown(&blocks)
}

fn verdict(agreement: Agreement) -> Text {
    match agreement {
        Agreement::Agree => "agree".into(),
        Agreement::Differ => own("differ").bold(),
        Agreement::CannotTell => "cannot tell".into(),
    }
}

fn label(check: &Check) -> Text {
    name(&model::label(&check.app, &check.variant)).code()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::scenario::GeneratorKind;
    use model::{Interval, Ratio};
    use samples::{HOSTILE_NAME, HOSTILE_REASON};

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
                ..Ratio::default()
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
