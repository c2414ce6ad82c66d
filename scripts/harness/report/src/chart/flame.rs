//! Differential flame graph (B. Gregg, *The Flame Graph*, CACM 59, 2016): the stacks of base and head in one picture, the outermost
//! function on top.
//!
//! A function is as wide as its own instructions on the side that has more of them, with all that it calls. So nothing that only one side
//! has is missing, and colour alone says which side has more.

use std::collections::BTreeMap;

use analyze::compare::explanation::Explanation;

use super::svg::{Canvas, MARGIN, ROOM, WIDTH, fit};
use crate::figure::significant;

const TOP: f64 = 62.0;
const ROW: f64 = 17.0;
/// What is narrower is not drawn.
const NARROWEST: f64 = 0.5;

/// A function under one chain of callers.
#[derive(Debug, Default)]
struct Node<'a> {
    /// Instructions of base and head, with its callees'.
    inclusive: [f64; 2],
    own: [f64; 2],
    callees: BTreeMap<&'a str, Node<'a>>,
}

impl<'a> Node<'a> {
    fn add(&mut self, stack: &'a [String], side: usize, count: f64) {
        self.inclusive[side] += count;
        match stack {
            [] => self.own[side] += count,
            [callee, rest @ ..] => self.callees.entry(callee).or_default().add(rest, side, count),
        }
    }

    fn width(&self) -> f64 {
        self.own[0].max(self.own[1]) + self.callees.values().map(Node::width).sum::<f64>()
    }

    fn difference(&self) -> f64 {
        self.inclusive[1] - self.inclusive[0]
    }

    /// The largest difference of a function.
    fn largest(&self) -> f64 {
        let below = self.callees.values().map(Node::largest);
        below.fold(self.difference().abs(), f64::max)
    }
}

/// The stacks of both sides of an explanation that was just made.
pub fn flame_graph(explanation: &Explanation) -> String {
    let mut root = Node::default();
    for (side, profile) in explanation.profiles.iter().enumerate() {
        for (stack, count) in &profile.stacks {
            root.add(stack, side, *count);
        }
    }
    let mut picture = Picture {
        canvas: Canvas::of(WIDTH),
        scale: ROOM / root.width().max(1.0),
        largest: root.largest().max(1.0),
        whole: root.inclusive[0].max(1.0),
        rows: 0,
    };
    let [base, head] = root.inclusive.map(significant);
    let (app, scenario) = (&explanation.app, &explanation.scenario);
    let title = format!("{app} · {scenario}: {base} → {head} instructions per request");
    let note =
        "Orange: head has more; blue: head has fewer; grey: no difference. Each function stands below its caller.";
    picture.canvas.heading(&title, note);
    picture.callees(&root, MARGIN, 0);
    let bottom = TOP + f64::from(picture.rows) * ROW + MARGIN;
    picture.canvas.finish(bottom, &title, note)
}

struct Picture {
    canvas: Canvas,
    /// Width of an instruction.
    scale: f64,
    /// Difference of the strongest colour.
    largest: f64,
    /// Instructions of base.
    whole: f64,
    rows: u32,
}

impl Picture {
    /// Draws what `node` calls, from `left` on, in the row of this number.
    fn callees(&mut self, node: &Node<'_>, mut left: f64, row: u32) {
        for (function, callee) in &node.callees {
            let width = callee.width() * self.scale;
            if width >= NARROWEST {
                self.function(function, callee, (left, width), row);
                self.callees(callee, left, row + 1);
            }
            left += width;
        }
    }

    fn function(&mut self, function: &str, node: &Node<'_>, (left, width): (f64, f64), row: u32) {
        self.rows = self.rows.max(row + 1);
        let (top, share) = (TOP + f64::from(row) * ROW, node.difference() / self.largest);
        // Below a hundredth of the largest it is noise.
        let class = match share {
            0.01.. => "b-s1",
            ..=-0.01 => "b-s0",
            _ => "b-behind",
        };
        let opacity = 0.2 + 0.7 * share.abs();
        let [base, head] = node.inclusive.map(significant);
        let percent = node.difference() / self.whole * 100.0;
        let tooltip = format!("{function}: {base} → {head} instructions ({percent:+.2} % of the request)");
        self.canvas
            .area(class, opacity, (left, top), (width - 0.5, ROW - 1.0), &tooltip);
        let label = fit(&short(function), width - 6.0);
        if label.chars().count() > 2 {
            self.canvas.text("b-text", (left + 3.0, top + ROW - 5.0), &label);
        }
    }
}

/// A path without its modules: `<Dispatcher as Future>::poll`.
fn short(path: &str) -> String {
    let parts = path.split_inclusive("::").map(|part| {
        let Some(before) = part.strip_suffix("::") else {
            return part;
        };
        let other = before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').len();
        let is_module = before[other..].starts_with(char::is_lowercase);
        if is_module { &before[..other] } else { part }
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use analyze::compare::explanation::Profile;

    fn explanation(stacks: [&[(&str, f64)]; 2]) -> Explanation {
        let profiles = stacks.map(|stacks| {
            let stack = |(stack, count): &(&str, f64)| (stack.split(' ').map(str::to_owned).collect(), *count);
            Profile {
                stacks: stacks.iter().map(stack).collect(),
                allocations: 0.0,
            }
        });
        Explanation::new("axum", "default", "plaintext", profiles)
    }

    #[test]
    fn what_one_side_lacks_is_drawn_and_what_differs_is_coloured() {
        let base = [("run a::parse", 600.0), ("run a::gone", 50.0), ("run", 350.0)];
        let head = [("run a::parse", 600.0), ("run <new>", 100.0), ("run", 350.0)];
        insta::assert_snapshot!(flame_graph(&explanation([&base, &head])));
    }

    #[test]
    fn modules_are_left_out_of_labels() {
        for (path, label) in [
            ("hyper::proto::h1::role::Server::encode", "Server::encode"),
            (
                "<hyper::proto::Dispatcher as core::future::Future>::poll",
                "<Dispatcher as Future>::poll",
            ),
            ("core::ptr::drop_in_place<h2::frame::Data>", "drop_in_place<Data>"),
            ("malloc", "malloc"),
            ("ä::ß::", ""),
        ] {
            assert_eq!(short(path), label);
        }
    }
}
