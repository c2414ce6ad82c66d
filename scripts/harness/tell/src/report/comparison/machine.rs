//! How a comparison was measured: what differs, on which machines, by which rules, and how long it took.

use std::collections::BTreeSet;

use judge::compare::gates::COMPARED;
use judge::compare::outcome::{Cause, Comparison};
use judge::compare::sharding::Sharding;
use record::Environment;

use super::foreign::{name, text};
use super::section;
use crate::report::words::count;

/// The section.
pub fn how(comparison: &Comparison) -> String {
    let mut lines = Vec::new();
    let causes = comparison.apps.iter().flat_map(|app| &app.causes);
    let causes: BTreeSet<&str> = causes.map(|cause| cause_name(*cause)).collect();
    if !causes.is_empty() {
        let causes: Vec<&str> = causes.into_iter().collect();
        lines.push(format!("Differs: {}", causes.join(", ")));
    }
    lines.extend(machines(comparison));
    if comparison.environment.is_some() {
        lines.push(rules(comparison));
    }
    if let Some(probes) = &comparison.probes {
        lines.push(format!(
            "Probed without load: {} quick cases on both sides",
            probes.made
        ));
    }
    lines.push(time(comparison));
    section("How it was measured", lines.into_iter())
}

/// A line for each kind of machine.
fn machines(comparison: &Comparison) -> Vec<String> {
    let line = |machine: &Environment| {
        format!(
            "{}, {} logical cpus; {}; oha {}",
            text(&machine.cpu_model),
            machine.logical_cpus,
            text(&machine.rustc),
            name(&machine.oha)
        )
    };
    let Some(sharding) = merged(comparison) else {
        let machine = comparison.environment.iter();
        return machine.map(|machine| format!("Machine: {}", line(machine))).collect();
    };
    let mut kinds: Vec<(String, Vec<u32>)> = Vec::new();
    for measured in &sharding.measured {
        let Some(machine) = &measured.environment else { continue };
        let kind = line(machine);
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, numbers)) => numbers.push(measured.number),
            None => kinds.push((kind, vec![measured.number])),
        }
    }
    let numbers = |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let told = kinds.iter().map(|(kind, of)| {
        let shards = if of.len() == 1 { "Shard" } else { "Shards" };
        format!("{shards} {}: {kind}", numbers(of))
    });
    told.collect()
}

/// When a change is named, and how often one is named that is none.
fn rules(comparison: &Comparison) -> String {
    let gates = COMPARED
        .iter()
        .filter_map(|(_, metric)| comparison.gates.gate.get(metric));
    let gates: Vec<String> = gates
        .map(|gate| format!("{} {:.1} %", name(&gate.title), gate.minimum_effect * 100.0))
        .collect();
    let whole = format!(
        "at most {:.0} in 100 comparisons without a change name one",
        comparison.gates.false_alarms * 100.0
    );
    let sharding = comparison.sharding.as_ref();
    let often = match sharding.map(|sharding| (sharding, sharding.number)) {
        None => whole,
        Some((sharding, None)) => format!("{whole}, over all {} shards together", sharding.shards.len()),
        Some((sharding, Some(number))) => format!(
            "of the whole, {whole}: this shard, {number} of {}, has {:.0} % of that",
            sharding.shards.len(),
            sharding.share(number) * 100.0
        ),
    };
    format!(
        "A change is named if an exact test tells it from zero and it is estimated at {} or more; {often}; intervals are 95 % intervals",
        gates.join(", "),
    )
}

fn time(comparison: &Comparison) -> String {
    let seconds = comparison.finished_at.duration_since(comparison.started_at).as_secs();
    let budget = if comparison.budget_spent {
        ", and the time budget was spent"
    } else {
        ""
    };
    let machines = merged(comparison).map(|sharding| {
        let each = sharding.measured.iter();
        let each = each.map(|measured| measured.finished_at.duration_since(measured.started_at).as_secs());
        let machines = count(sharding.measured.len(), "machine");
        format!(
            " from the first start to the last end; {} s on {machines}",
            each.sum::<i64>()
        )
    });
    format!("Took {seconds} s{}{budget}", machines.unwrap_or_default())
}

fn merged(comparison: &Comparison) -> Option<&Sharding> {
    comparison
        .sharding
        .as_ref()
        .filter(|sharding| sharding.number.is_none())
}

fn cause_name(cause: Cause) -> &'static str {
    match cause {
        Cause::Sources => "sources",
        Cause::Dependencies => "dependencies",
        Cause::Profile => "build profile",
        Cause::Toolchain => "compiler",
    }
}
