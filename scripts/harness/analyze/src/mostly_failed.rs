//! A run that could not measure: its record has too little to be called one.

use model::{Cell, Verdict};

/// How many of how many cells have no figures for reasons of the machine, with the first reason, if they are most of them. A server
/// that fails is not the machine's fault.
pub fn mostly_failed(cells: &[Cell]) -> Option<String> {
    let is_lost = |cell: &&Cell| cell.verdict == Verdict::EnvironmentFailed && cell.metrics.is_empty();
    let lost: Vec<&Cell> = cells.iter().filter(is_lost).collect();
    let first = lost.first()?;
    (2 * lost.len() > cells.len()).then(|| {
        let reason = first.reasons.first().map_or("nobody knows why", String::as_str);
        format!(
            "{} of {} cells could not be measured: {reason}",
            lost.len(),
            cells.len()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_are_more_than_half_and_failed_servers_do_not_count() {
        let template = &samples::record().summary[0];
        let with = |verdict: Verdict| {
            let mut cell = template.clone();
            (cell.verdict, cell.reasons) = (verdict, vec!["the disk is full".into()]);
            cell.metrics.clear();
            cell
        };
        let told = |verdicts: &[Verdict]| {
            let cells: Vec<Cell> = verdicts.iter().copied().map(with).collect();
            mostly_failed(&cells)
        };
        let (lost, crashed, valid) = (Verdict::EnvironmentFailed, Verdict::Crashed, Verdict::Valid);
        assert_eq!(
            told(&[valid, lost, lost]).unwrap(),
            "2 of 3 cells could not be measured: the disk is full"
        );
        for few in [&[][..], &[valid, lost], &[crashed, crashed, lost], &[valid]] {
            assert_eq!(told(few), None);
        }
        let disturbed = Cell {
            verdict: lost,
            ..template.clone()
        };
        assert!(!disturbed.metrics.is_empty());
        assert_eq!(mostly_failed(&[disturbed]), None, "it has figures");
    }
}
