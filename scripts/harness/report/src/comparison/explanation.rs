//! The functions between which a request's instructions moved.

use analyze::compare::explanation::{Explanation, Function};
use analyze::compare::inlining::Border;
use analyze::compare::outcome::{Comparison, Pair, Series};
use model::Metric;
use model::escape::clean;

use super::label;
use crate::document::{Block, Text, markdown, name, own, text};
use crate::figure::significant;

/// Longest path of a function that is shown.
const LONGEST_FUNCTION: usize = 160;
/// How the list is meant.
const ABOUT: &str = "The functions whose own instructions changed most: with what the compiler inlined into them, and all instances of a \
                     generic one together. “In all” counts what they call, too.";

/// An explanation alone.
pub fn explanation_markdown(explanation: &Explanation) -> String {
    markdown(&Block::section(1, "Where the instructions went", blocks(explanation)))
}

/// A comparison's explanations of what its decisions name.
pub fn explanations(comparison: &Comparison) -> Vec<Block> {
    let is_named = |explained: &&Explanation| {
        let of = (&explained.app, &explained.variant, &explained.scenario);
        let is_explained = |series: &Series| {
            let is_count = series.metric == Metric::InstructionsPerRequest;
            is_count && (&series.app, &series.variant, &series.scenario) == of && series.decision.names_a_change()
        };
        comparison.series.iter().any(is_explained)
    };
    let named = comparison.explanations.iter().filter(is_named);
    named.flat_map(blocks).collect()
}

fn blocks(explanation: &Explanation) -> Vec<Block> {
    let (instructions, allocations) = (explanation.instructions, explanation.allocations);
    let functions = &explanation.functions;
    let allocated = (allocations.base.max(allocations.head) > 0.0).then(|| {
        let [base, head] = [allocations.base, allocations.head].map(|count| format!("{count:.1}"));
        own(format!(", {base} → {head} allocations"))
    });
    let (app, scenario) = (
        label(&explanation.app, &explanation.variant),
        name(&explanation.scenario),
    );
    let counted = own(format!(" · {} instructions", arrow(instructions)));
    let sum = text![app, " · ", scenario, counted, allocated, " per request"];
    if functions.is_empty() {
        let none = text![sum, ". No function changed by a thousandth of them."];
        return vec![Block::Paragraph(none)];
    }
    let lines = functions.iter().map(|function| {
        let border = function.border(functions);
        let inlined = border.and_then(|border| inlining(function, border));
        text![line(function, instructions.base), inlined]
    });
    let rest = instructions.difference() - functions.iter().map(|function| function.own.difference()).sum::<f64>();
    let rest = own(format!("all others · {}", change(rest, instructions.base)));
    vec![
        Block::Paragraph(sum),
        Block::List(lines.chain([rest]).collect()),
        Block::Paragraph(ABOUT.into()),
    ]
}

/// `hyper::proto::h1::role::Server::encode · +1,020 instructions (+3.08 %), 2,100 → 3,120; in all +1,050`
fn line(function: &Function, whole: f64) -> Text {
    let path = Text::from(clean(&function.name, LONGEST_FUNCTION)).code();
    let (moved, own_counts) = (change(function.own.difference(), whole), arrow(function.own));
    let inclusive = signed(function.inclusive.difference());
    text![path, own(format!(" · {moved}, {own_counts}; in all {inclusive}"))]
}

/// `; was part of hyper::proto::h1::role::parse`
fn inlining(function: &Function, border: Border) -> Option<Text> {
    let caller = clean(&function.caller.as_ref()?.name, LONGEST_FUNCTION);
    let caller = Text::from(caller).code();
    let is_new = function.own.difference() > 0.0;
    let part = if is_new { "was part of " } else { "is part of " };
    let now = if is_new { "" } else { " now" };
    Some(match border {
        Border::Part => text!["; ", part, caller, now],
        Border::Unclear if is_new => text!["; new, or ", part, caller, ": counts cannot tell"],
        Border::Unclear => text!["; gone, or ", part, caller, now, ": counts cannot tell"],
        Border::Absent => return None,
    })
}

fn change(difference: f64, whole: f64) -> String {
    let percent = difference / whole * 100.0;
    format!("{} instructions ({percent:+.2} %)", signed(difference))
}

fn signed(difference: f64) -> String {
    let sign = if difference < 0.0 { '-' } else { '+' };
    format!("{sign}{}", significant(difference.abs()))
}

fn arrow(pair: Pair) -> String {
    format!("{} → {}", significant(pair.base), significant(pair.head))
}
