//! How a comparison was measured: what differs, on which machines, by which rules, and how long it took.

use std::collections::BTreeSet;

use analyze::compare::gates::COMPARED;
use analyze::compare::outcome::{Cause, Comparison};
use analyze::compare::sharding::Sharding;
use model::Environment;

use super::reason;
use crate::document::{Text, joined, name, own, text};
use crate::labels::{count, grouped};

/// The lines of the section.
pub fn how(comparison: &Comparison) -> Vec<Text> {
    let mut lines: Vec<Text> = Vec::new();
    let causes = comparison.apps.iter().flat_map(|app| &app.causes);
    let causes: BTreeSet<&str> = causes.map(|cause| cause_name(*cause)).collect();
    if !causes.is_empty() {
        lines.push(text!["Differs: ", joined(causes, ", ")]);
    }
    lines.extend(machines(comparison));
    lines.extend(comparison.environment.as_ref().map(|_| rules(comparison)));
    let probed = comparison.probes.as_ref();
    lines.extend(probed.map(|probes| format!("Probed without load: {} quick cases on both sides", probes.made).into()));
    lines.push(time(comparison).into());
    let untouched = comparison.untouched.len();
    lines.extend((untouched > 0).then(|| format!("Not touched by this change: {}", count(untouched, "app")).into()));
    lines
}

/// A line for each kind of machine.
fn machines(comparison: &Comparison) -> Vec<Text> {
    let line = |machine: &Environment| {
        let cpus = format!(", {} logical cpus; ", machine.logical_cpus);
        let (cpu, rustc) = (reason(&machine.cpu_model), reason(&machine.rustc));
        // None where nothing was driven.
        let oha = (!machine.oha.is_empty()).then(|| text!["; oha ", name(&machine.oha)]);
        text![cpu, own(cpus), rustc, oha]
    };
    let Some(sharding) = merged(comparison) else {
        let machine = comparison.environment.iter();
        return machine.map(|machine| text!["Machine: ", line(machine)]).collect();
    };
    let shards = sharding.measured.iter();
    let kinds = grouped(shards.filter_map(|shard| Some((line(shard.environment.as_ref()?), shard.number.to_string()))));
    let line = |(kind, of): (Text, Vec<String>)| {
        let shards = if of.len() == 1 { "Shard " } else { "Shards " };
        text![shards, of.join(", "), ": ", kind]
    };
    kinds.into_iter().map(line).collect()
}

/// When a change is named, and how often one is named that is none.
fn rules(comparison: &Comparison) -> Text {
    let gates = COMPARED.into_iter().filter_map(|(_, metric, title)| {
        let minimum = comparison.gates.minimum_effect.get(&metric)?;
        Some(own(format!("{title} {:.1} %", minimum * 100.0)))
    });
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
    let named = "A change is named if an exact test distinguishes it from zero and it is estimated at ";
    let gates = joined(gates, ", ");
    text![named, gates, " or more; ", often, "; intervals are 95 % intervals"]
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
