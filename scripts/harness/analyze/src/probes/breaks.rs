//! What breaks, as the site shows it: the newest probes with whose fault each failure is, and what each server did.

use std::collections::BTreeMap;

use jiff::Timestamp;
use model::probe::{Engine, Group, ProbeCase, ProbeFigure, ProbeOutcome};
use model::scenario::Protocol;
use model::{Record, Role, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{KeptMemory, figures_of, judged, kept_memory, subjects};

/// Version of the document that this program writes and reads.
pub const BREAKS_VERSION: u32 = 1;

/// The newest probes of all cases, judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WhatBreaks {
    /// Version of this document's shape.
    pub schema_version: u32,
    /// Id of the probes.
    pub id: String,
    /// When the first case began, UTC.
    pub started_at: Timestamp,
    /// Model of the processor.
    pub cpu_model: String,
    /// Cpus that the system showed.
    pub logical_cpus: u32,
    /// Programs of others that made cases, with their versions.
    pub tools: BTreeMap<String, String>,
    /// The cases.
    pub cases: Vec<ProbeCase>,
    /// The servers.
    pub servers: Vec<ProbedServer>,
    /// What each server did, and what else was measured, in the order of servers and cases.
    pub results: Vec<ServerResult>,
    /// What memory servers kept, by the newest probes of each, who gives back most first.
    pub memory: Vec<KeptMemory>,
}

/// A server that was probed, or could not be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProbedServer {
    /// Id of the app.
    pub app: String,
    /// Name of the variant.
    pub variant: String,
    /// For people.
    pub name: String,
    /// What part it plays in a run.
    pub role: Role,
    /// How well it is maintained.
    pub tier: Tier,
    /// Version of the framework.
    pub version: String,
    /// The HTTP engine below it; `None` if it has its own.
    pub engine: Option<Engine>,
    /// Why it could not be probed, if so.
    pub not_probed: Option<String>,
    /// Cases that passed or failed, by group; none where no case of a group could be put to it.
    pub made: BTreeMap<Group, u32>,
}

/// A case on one server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServerResult {
    /// Id of the app.
    pub app: String,
    /// Name of the variant.
    pub variant: String,
    /// Protocol that it spoke.
    pub protocol: Protocol,
    /// Id of the case.
    pub case: String,
    /// What came of it.
    pub outcome: ProbeOutcome,
    /// Whether the engine below it fails the same case without the framework, so that the fault is the engine's.
    pub of_engine: bool,
    /// What the server did.
    pub got: String,
    /// The first bytes that came, escaped; empty where none were kept.
    pub received: String,
    /// What else was measured.
    pub figures: BTreeMap<ProbeFigure, f64>,
}

/// What the site shows of these probes.
pub fn what_breaks(probes: &Record) -> WhatBreaks {
    let (mut servers, mut results) = (Vec::new(), Vec::new());
    for subject in subjects(probes) {
        let built = subject.app;
        let made = Group::ALL
            .iter()
            .map(|group| (*group, subject.tally(Some(*group)).made));
        servers.push(ProbedServer {
            app: built.id.clone(),
            variant: built.variant.clone(),
            name: built.name.clone(),
            role: built.role,
            tier: built.tier,
            version: built.framework_version.clone(),
            engine: built.engine.clone(),
            not_probed: built.not_probed.clone(),
            made: made.filter(|(_, made)| *made > 0).collect(),
        });
        results.extend(subject.results.iter().map(|one| ServerResult {
            app: built.id.clone(),
            variant: built.variant.clone(),
            protocol: one.probed.protocol,
            case: one.case.id.clone(),
            outcome: one.probed.outcome,
            of_engine: one.engine.is_some(),
            got: one.probed.got.clone(),
            received: one.probed.received.clone(),
            figures: figures_of(one.probed),
        }));
    }
    WhatBreaks {
        schema_version: BREAKS_VERSION,
        id: probes.id.clone(),
        started_at: probes.started_at,
        cpu_model: probes.environment.cpu_model.clone(),
        logical_cpus: probes.environment.logical_cpus,
        tools: probes.environment.tools.clone(),
        cases: judged(probes).cloned().collect(),
        servers,
        results,
        memory: kept_memory([probes]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passed_is_counted_and_what_failed_names_whose_fault_it_is() {
        let probes = samples::probes();
        let breaks = what_breaks(&probes);
        let outcomes = |outcome| probes.probed.iter().filter(|one| one.outcome == outcome).count();
        let shown = |outcome| breaks.results.iter().filter(|one| one.outcome == outcome).count();
        assert_eq!(shown(ProbeOutcome::Failed), outcomes(ProbeOutcome::Failed));
        assert!(shown(ProbeOutcome::Failed) > 0);
        assert!(breaks.results.iter().any(|one| one.of_engine) && breaks.results.iter().any(|one| !one.of_engine));
        // What an allowed answer was is what people compare.
        assert_eq!(shown(ProbeOutcome::Passed), outcomes(ProbeOutcome::Passed));
        let made: u32 = breaks.servers.iter().flat_map(|server| server.made.values()).sum();
        let judged = outcomes(ProbeOutcome::Passed) + outcomes(ProbeOutcome::Failed);
        assert_eq!(made as usize, judged);
    }
}
