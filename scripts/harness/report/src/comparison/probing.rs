//! What the quick cases have shown: what the change breaks, with what proves it, and the rest in a line for each kind.

use analyze::compare::probing::{Affected, Effect, Probing};
use model::escape::clean;

use super::{count, label, reason};
use crate::document::{Block, Text, name, some_of, text};

/// Most cases that are named in a list or a line.
const MOST: usize = 20;
/// Longest part of the bytes that came.
const LONGEST_BYTES: usize = 300;

/// The cases that must pass, and that head breaks.
pub fn broken(probing: &Probing) -> Vec<Block> {
    let lines = probing.with(Effect::Breaks).map(|one| broken_line(&one)).collect();
    Block::section(2, "Broken", Block::list_of(MOST, lines, " more"))
}

fn broken_line(one: &Affected<'_>) -> Text {
    let came = match one.sides.head.received.as_str() {
        "" => Text::default(),
        bytes => text!["; what came: ", code(bytes)],
    };
    let demand = text![reason(&one.case.source), ": ", reason(&one.case.demand)];
    let (base, head) = (reason(&one.sides.base.got), reason(&one.sides.head.got));
    let command = format!("./scripts/bench probe --app {} --case {}", one.pair.app, one.case.id);
    let sides = text![" Base: ", base, ". Head: ", head, came];
    text![labelled(one), " · ", demand, sides, ". Show it: ", code(&command)]
}

/// What decides nothing.
pub fn others(probing: &Probing) -> Vec<Block> {
    let named = |title: &'static str, effect: Effect| {
        let some = some_of(MOST, probing.with(effect).map(|one| labelled(&one)));
        (!some.is_empty()).then(|| text![title, some])
    };
    let still = probing.with(Effect::FailsStill).count();
    let still = (still > 0).then(|| text!["Fail on both sides: ", count(still, "case")]);
    let lost = probing.apps.iter().filter_map(|pair| {
        let why = reason(pair.not_probed.as_deref()?);
        Some(text![label(&pair.app, &pair.variant), " was not probed: ", why])
    });
    let differ = some_of(MOST, probing.with(Effect::Differs).map(|one| moved(&one)));
    let differ = (!differ.is_empty()).then(|| text!["Clients may notice, though both are allowed: ", differ]);
    let lines = [
        differ,
        named("Begin to pass: ", Effect::Repairs),
        named(
            "Begin to fail, and decide nothing, because no source says must: ",
            Effect::Weakens,
        ),
        named("Flicker, or cannot be put to a side: ", Effect::Unproven),
        still,
    ];
    let lines = lines.into_iter().flatten().chain(lost.take(MOST));
    Block::section(2, "Cases of `bench probe`", Block::list(lines))
}

fn moved(one: &Affected<'_>) -> Text {
    let [base, head] = [&one.sides.base, &one.sides.head].map(|side| reason(&side.got));
    text![labelled(one), ", ", base, " → ", head]
}

fn labelled(one: &Affected<'_>) -> Text {
    text![label(&one.pair.app, &one.pair.variant), " · ", name(&one.case.id)]
}

fn code(untrusted: &str) -> Text {
    Text::from(clean(untrusted, LONGEST_BYTES)).code()
}
