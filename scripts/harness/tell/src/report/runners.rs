//! Where a series goes on on another runner, in words.

use judge::history::{Joined, Joint};
use record::Metric;

use super::document::{Block, Text, joined, name, own, text};
use super::history::day;
use super::labels::count;

/// A line for each joint.
pub(super) fn joints(joints: &[Joint]) -> Vec<Block> {
    Block::list(joints.iter().map(sentence))
}

/// From when on which runner, and how the figures before are comparable.
fn sentence(joint: &Joint) -> Text {
    let (before, after) = (runner(&joint.before), runner(&joint.after));
    let since = text!["From ", day(joint.started_at), " on ", after];
    if joint.pairs == 0 {
        let rest = ", so every figure begins again; a step from one to the other is no change.";
        return text![since, ": no run of the same commit saw both it and ", before, rest];
    }
    let pairs = count(joint.pairs, "run");
    if joint.joined.is_empty() {
        let rest = ", but measured no figure on both, so every figure begins again.";
        return text![since, ": ", pairs, " saw both it and ", before, rest];
    }
    let figures = joined(joint.joined.iter().map(metric), "; ");
    text![
        since,
        ", joined with ",
        before,
        " by ",
        pairs,
        " that both saw: ",
        figures,
        "."
    ]
}

fn metric(joined: &Joined) -> Text {
    let name = Metric::from_id(&joined.metric).map_or_else(|| name(&joined.metric), |metric| metric.name().into());
    let again = match joined.begun_again {
        0 => String::new(),
        some => format!(", {some} of {} begin again", some + joined.figures),
    };
    // Two digits are what an uncertainty is worth.
    let uncertainty = 100.0 * joined.uncertainty;
    let digits = usize::from(uncertainty < 10.0) + usize::from(uncertainty < 1.0) + usize::from(uncertainty < 0.1);
    let size = 100.0 * joined.size;
    text![
        name,
        own(format!(
            " ±{uncertainty:.digits$} % ({size:+.1} % for the same commit{again})"
        ))
    ]
}

fn runner(runner: &str) -> Text {
    if runner.is_empty() {
        "an unknown runner".into()
    } else {
        name(runner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joint(pairs: usize, joined: Vec<Joined>) -> Joint {
        Joint {
            run: "20261130T004000Z-1".to_owned(),
            started_at: "2026-11-30T00:40:00Z".parse().unwrap(),
            before: "ubuntu-24.04".to_owned(),
            after: "ubuntu-26.04".to_owned(),
            pairs,
            joined,
        }
    }

    fn of(metric: &str, begun_again: usize) -> Joined {
        Joined {
            metric: metric.to_owned(),
            figures: 60,
            begun_again,
            size: 0.0512,
            uncertainty: 0.0213,
        }
    }

    #[test]
    fn joints_are_told_in_a_line_each() {
        let mut hostile = joint(0, Vec::new());
        hostile.after = judge::sample::HOSTILE_NAME.to_owned();
        hostile.before = String::new();
        let cases = [
            joint(
                3,
                vec![of("server_cpu_us_per_request", 0), of("instructions_per_request", 4)],
            ),
            joint(1, Vec::new()),
            joint(0, Vec::new()),
            hostile,
        ];
        insta::assert_snapshot!(crate::report::document::markdown(&joints(&cases)));
        assert!(joints(&[]).is_empty());
    }
}
