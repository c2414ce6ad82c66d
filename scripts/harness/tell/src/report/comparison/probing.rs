//! What the quick cases have shown: what the change breaks, with what proves it, and the rest in a line for each kind.

use judge::compare::probing::{Affected, Effect, Probing};
use record::escape;

use super::foreign::{name, text};
use super::{count, label, section};

/// Most cases that are named in a list or a line.
const MOST: usize = 20;
/// Longest part of the bytes that came.
const LONGEST_BYTES: usize = 300;

/// The cases that must pass, and that head breaks.
pub fn broken(probing: &Probing) -> String {
    let all: Vec<Affected<'_>> = probing.with(Effect::Breaks).collect();
    let mut lines: Vec<String> = all.iter().take(MOST).map(broken_line).collect();
    if all.len() > MOST {
        lines.push(format!("and {} more", all.len() - MOST));
    }
    section("Broken", lines.into_iter())
}

fn broken_line(one: &Affected<'_>) -> String {
    let came = match one.sides.head.received.as_str() {
        "" => String::new(),
        bytes => format!("; what came: {}", code(bytes)),
    };
    format!(
        "{} · {}: {} Base: {}. Head: {}{came}. Show it: {}",
        labelled(one),
        text(&one.case.source),
        text(&one.case.demand),
        text(&one.sides.base.got),
        text(&one.sides.head.got),
        code(&format!(
            "./scripts/bench probe --app {} --case {}",
            one.pair.app, one.case.id
        ))
    )
}

/// What decides nothing.
pub fn others(probing: &Probing) -> String {
    let named = |title: &str, effect: Effect| {
        let all: Vec<Affected<'_>> = probing.with(effect).collect();
        let named: Vec<String> = all.iter().take(MOST).map(labelled).collect();
        let more = match all.len().saturating_sub(MOST) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        (!all.is_empty()).then(|| format!("{title}: {}{more}", named.join(", ")))
    };
    let still = probing.with(Effect::FailsStill).count();
    let still = (still > 0).then(|| format!("Fail on both sides: {}", count(still, "case")));
    let lost = probing.apps.iter().filter_map(|pair| {
        let reason = pair.not_probed.as_deref()?;
        Some(format!(
            "{} was not probed: {}",
            label(&pair.app, &pair.variant),
            text(reason)
        ))
    });
    let lines = [
        named("Begin to pass", Effect::Repairs),
        named(
            "Begin to fail, and decide nothing, because no source says must",
            Effect::Weakens,
        ),
        named("Flicker, or cannot be put to a side", Effect::Unproven),
        still,
    ];
    section(
        "Cases of `bench probe`",
        lines.into_iter().flatten().chain(lost.take(MOST)),
    )
}

fn labelled(one: &Affected<'_>) -> String {
    format!("{} · {}", label(&one.pair.app, &one.pair.variant), name(&one.case.id))
}

fn code(foreign: &str) -> String {
    escape::markdown_code(&escape::clean(foreign, LONGEST_BYTES))
}
