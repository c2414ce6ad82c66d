//! A run that is no result: its record has too little to be called one.

use std::collections::BTreeSet;

use model::{Cell, Keeps, Record, Role};

use crate::caveat::Partial;
use crate::disturbance::disturbance;

/// Why a run is no result: most cells have no figure that counts for reasons of the machine, or neither reference nor ceiling was measured in most
/// scenarios, so that nothing could be compared with anything. A framework that fails is a result.
pub fn mostly_failed(record: &Record) -> Option<Partial> {
    if record.measures_costs() {
        return None;
    }
    // That the server failed or is incomplete is no fault of the machine.
    let is_lost = |cell: &&Cell| cell.verdict.keeps() != Keeps::Nothing && !counts(cell);
    let lost: Vec<&Cell> = record.summary.iter().filter(is_lost).collect();
    if 2 * lost.len() > record.summary.len() {
        return Some(Partial::Lost {
            cells: lost.len(),
            of: record.summary.len(),
            why: disturbance(record).map_or_else(|| reason(&lost), |found| found.to_string()),
        });
    }
    let anchors = |cell: &&Cell| {
        let app = record.app(&cell.app, &cell.variant);
        app.is_some_and(|app| matches!(app.role, Role::Reference | Role::Ceiling))
    };
    let of_anchors: Vec<&Cell> = record.summary.iter().filter(anchors).collect();
    let scenarios: BTreeSet<&str> = of_anchors.iter().map(|cell| &*cell.scenario).collect();
    let measured: BTreeSet<&str> = of_anchors
        .iter()
        .filter(|cell| counts(cell))
        .map(|cell| &*cell.scenario)
        .collect();
    (2 * measured.len() < scenarios.len()).then(|| Partial::NoAnchors {
        scenarios: scenarios.len() - measured.len(),
        of: scenarios.len(),
        why: reason(&of_anchors),
    })
}

/// Whether it has a figure that a load gave, and that counts.
fn counts(cell: &Cell) -> bool {
    !cell.verdict.is_failure() && cell.metrics.values().any(|summary| summary.trusted)
}

fn reason(cells: &[&Cell]) -> String {
    let mut reasons = cells.iter().flat_map(|cell| &cell.reasons);
    reasons.next().map_or("nobody knows why", String::as_str).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Verdict;

    #[test]
    fn most_are_more_than_half_and_failed_frameworks_do_not_count() {
        let (lost, crashed, valid) = (Verdict::EnvironmentFailed, Verdict::Crashed, Verdict::Valid);
        let frameworks = |verdict: Verdict| move |role: Role| if role == Role::Framework { verdict } else { valid };
        let message = |verdict: &dyn Fn(Role) -> Verdict| {
            let mut record = samples::sensible();
            let apps = record.apps.clone();
            for cell in &mut record.summary {
                let app = apps.iter().find(|app| app.id == cell.app).unwrap();
                cell.verdict = verdict(app.role);
                if cell.verdict != valid {
                    cell.reasons = vec!["the disk is full".into()];
                    cell.metrics.clear();
                }
            }
            mostly_failed(&record).map(|why| why.to_string())
        };
        assert_eq!(
            message(&|_| lost).unwrap(),
            "nothing could be measured: the disk is full"
        );
        assert_eq!(message(&frameworks(crashed)), None);
        assert_eq!(message(&|_| valid), None);
        assert_eq!(
            message(&|role| if role == Role::Framework { valid } else { crashed }).unwrap(),
            "reference and ceiling failed in 2 of 2 scenarios: the disk is full"
        );
        assert_eq!(
            message(&|role| if role == Role::Reference { crashed } else { valid }),
            None
        );
    }

    /// As a first look beside a compiler ended: each cell has one trial of eight.
    #[test]
    fn one_valid_trial_of_eight_is_no_figure() {
        assert_eq!(mostly_failed(&samples::disturbed(5)), None);
        for valid in [0, 1, 4] {
            let record = samples::disturbed(valid);
            let expected = "nothing could be measured: other programs used 93 % of the cpus (cargo 1.8 cpus)";
            assert_eq!(mostly_failed(&record).unwrap().to_string(), expected, "{valid}");
        }
    }

    #[test]
    fn one_scenario_of_two_is_not_most() {
        let mut record = samples::sensible();
        let roles = record.apps.clone();
        let is_anchor = |cell: &Cell| {
            roles
                .iter()
                .any(|app| app.id == cell.app && app.role != Role::Framework)
        };
        for cell in record.summary.iter_mut().filter(|cell| cell.scenario == "plaintext") {
            if is_anchor(cell) {
                cell.metrics.clear();
            }
        }
        assert_eq!(mostly_failed(&record), None);
    }
}
