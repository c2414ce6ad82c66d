//! How a comparison was measured: what differs, on which machine, by which rules, and how long it took.

use std::collections::BTreeSet;

use analyze::compare::gates::COMPARED;
use analyze::compare::outcome::{Cause, Comparison};
use model::Environment;

use super::reason;
use crate::document::{Block, Text, joined, name, own, text};
use crate::labels::count;

/// The lines of the section.
pub fn how(comparison: &Comparison) -> Vec<Block> {
    let causes = comparison.apps.iter().flat_map(|app| &app.causes);
    let causes: BTreeSet<&str> = causes.map(|cause| cause_name(*cause)).collect();
    let differs = (!causes.is_empty()).then(|| text!["Differs: ", joined(causes, ", ")]);
    let measured = comparison.environment.as_ref();
    let rules = measured
        .filter(|_| !comparison.series.is_empty())
        .map(|_| rules(comparison));
    let seed = measured.and(comparison.seed);
    let seed = seed.map(|seed| own(format!("Order of starts, slices and layouts drawn with seed {seed}")));
    // Nobody was asked where none could be started.
    let probed = comparison.probes.as_ref().filter(|probes| !probes.apps.is_empty());
    let probed = probed.map(|probes| {
        own(format!(
            "Probed without load: {} quick cases on both sides",
            probes.made
        ))
    });
    let untouched = comparison.untouched.len();
    let untouched = (untouched > 0).then(|| own(format!("Not touched by this change: {}", count(untouched, "app"))));
    let time = Some(own(time(comparison)));
    Block::list([differs, measured.map(machine), rules, seed, probed, time, untouched])
}

/// The machine.
fn machine(machine: &Environment) -> Text {
    let cpus = format!(", {} logical cpus; ", machine.logical_cpus);
    let (cpu, rustc) = (reason(&machine.cpu_model), reason(&machine.rustc));
    // None where nothing was driven.
    let oha = (!machine.oha.is_empty()).then(|| text!["; oha ", name(&machine.oha)]);
    text!["Machine: ", cpu, own(cpus), rustc, oha]
}

/// When a change is named, and how often one is named that is none.
fn rules(comparison: &Comparison) -> Text {
    let gates = COMPARED.into_iter().filter_map(|(_, metric, title)| {
        let minimum = comparison.gates.minimum_effect.get(&metric)?;
        Some(own(format!("{title} {:.1} %", minimum * 100.0)))
    });
    let often = format!(
        "at most {:.0} in 100 comparisons without a change name one; intervals are 95 % intervals",
        comparison.gates.false_alarms * 100.0
    );
    let named = "A change is named if an exact test distinguishes it from zero and it is estimated at ";
    text![named, joined(gates, ", "), " or more; ", often]
}

fn time(comparison: &Comparison) -> String {
    let seconds = comparison.finished_at.duration_since(comparison.started_at).as_secs();
    let budget = comparison.budget_spent.then_some(", and the time budget was spent");
    format!("Took {seconds} s{}", budget.unwrap_or_default())
}

fn cause_name(cause: Cause) -> &'static str {
    match cause {
        Cause::Sources => "sources",
        Cause::Dependencies => "dependencies",
        Cause::Profile => "build profile",
        Cause::Toolchain => "compiler",
    }
}
