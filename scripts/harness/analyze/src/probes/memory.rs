//! What memory servers keep of connections that came, waited and left several times.

use std::collections::BTreeMap;

use model::probe::{MemoryAt, ProbeFigure, Probed};
use model::{AppRecord, Record};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A server's memory while connections came and left.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeptMemory {
    /// Id of the app.
    pub app: String,
    /// Name of the variant.
    pub variant: String,
    /// For people.
    pub name: String,
    /// Id of the case.
    pub case: String,
    /// With all connections, and at the last look before others came, each time.
    pub waves: Vec<[MemoryAt; 2]>,
    /// Share of what the last of them had added that was given back in the end, from 0 to 1.
    pub given_back: f64,
    /// All that was seen, in the order of time.
    pub looks: Vec<MemoryAt>,
}

impl KeptMemory {
    /// What was seen in a case; `None` if connections did not come and leave several times.
    fn of(app: &AppRecord, probed: &Probed) -> Option<Self> {
        let waves = waves(&probed.memory);
        Some(Self {
            app: app.id.clone(),
            variant: app.variant.clone(),
            name: app.name.clone(),
            case: probed.case.clone(),
            given_back: given_back(&probed.memory).filter(|_| waves.len() > 1)?,
            waves,
            looks: probed.memory.clone(),
        })
    }
}

/// Each time that connections came and left.
fn waves(memory: &[MemoryAt]) -> Vec<[MemoryAt; 2]> {
    let each = memory.chunk_by(|_, next| next.connections == 0);
    let gone = each.filter(|looks| looks[0].connections > 0 && looks.len() > 1);
    gone.map(|looks| [looks[0], looks[looks.len() - 1]]).collect()
}

/// Who took nothing has nothing to give back.
fn given_back(memory: &[MemoryAt]) -> Option<f64> {
    let [with, after] = waves(memory).pop()?;
    let added = with.bytes.saturating_sub(memory[0].bytes) as f64;
    let given = with.bytes.saturating_sub(after.bytes) as f64;
    Some(if added > 0.0 { (given / added).min(1.0) } else { 1.0 })
}

/// The figures of a case, with the one that follows from what was seen of memory.
pub fn figures_of(probed: &Probed) -> BTreeMap<ProbeFigure, f64> {
    let mut figures = probed.figures.clone();
    figures.extend(given_back(&probed.memory).map(|share| (ProbeFigure::GivenBack, share)));
    figures
}

/// The newest of each server, who gives back most first.
pub fn kept_memory<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<KeptMemory> {
    let mut records: Vec<&Record> = records.into_iter().collect();
    records.sort_by_key(|record| record.started_at);
    let mut newest = BTreeMap::new();
    for subject in records.into_iter().flat_map(super::subjects) {
        let seen = subject
            .results
            .iter()
            .map(|one| KeptMemory::of(subject.app, one.probed));
        newest.extend(seen.flatten().map(|one| ((subject.app.label(), one.case.clone()), one)));
    }
    let mut kept: Vec<KeptMemory> = newest.into_values().collect();
    kept.sort_by(|a, b| b.given_back.total_cmp(&a.given_back));
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_given_back_is_of_what_the_last_connections_had_added() {
        let older = samples::probes();
        let mut newer = older.clone();
        newer.started_at = "2026-11-28T11:00:00Z".parse().unwrap();
        newer.probed.retain(|one| one.app == "hyper");
        for look in newer.probed.iter_mut().flat_map(|one| &mut one.memory) {
            look.bytes += 1 << 20;
        }
        let kept = kept_memory([&newer, &older]);
        let found = kept
            .iter()
            .map(|one| (&*one.app, one.looks[0].bytes >> 20, one.given_back));
        let newest_of_each = [("rocket", 5, 1.0), ("hyper", 6, 0.0)];
        assert_eq!(found.collect::<Vec<_>>(), newest_of_each);
        let waves = kept[0].waves.iter().map(|looks| looks.map(|look| look.bytes >> 20));
        assert_eq!(waves.collect::<Vec<_>>(), [[105, 5], [105, 5]]);
    }

    #[test]
    fn connections_that_came_once_are_no_saw_tooth() {
        let mut probes = samples::probes();
        for one in &mut probes.probed {
            one.memory.truncate(4);
        }
        assert_eq!(kept_memory([&probes]), []);
        let shares = probes
            .probed
            .iter()
            .filter_map(|one| figures_of(one).get(&ProbeFigure::GivenBack).copied());
        assert_eq!(shares.collect::<Vec<_>>(), [1.0, 0.0], "but it was given back or not");
    }
}
