//! Where a series goes on on another runner, in words.

use super::history::day;
use super::words::count;
use judge::history::{Joined, Joint};
use record::Metric;
use record::escape::markdown_name as text;

/// A line for each joint; `None` without any.
pub(super) fn joints(joints: &[Joint]) -> Option<String> {
    let lines: Vec<String> = joints.iter().map(|joint| format!("- {}\n", sentence(joint))).collect();
    (!lines.is_empty()).then(|| lines.concat())
}

/// From when on which runner, and how the figures before are comparable.
fn sentence(joint: &Joint) -> String {
    let (before, after) = (name(&joint.before), name(&joint.after));
    let since = format!("From {} on {after}", day(joint.started_at));
    if joint.pairs == 0 {
        return format!(
            "{since}: no run of the same commit saw both it and {before}, so every figure begins again; a step from one to the other is \
             no change."
        );
    }
    let pairs = count(joint.pairs, "run");
    if joint.joined.is_empty() {
        return format!(
            "{since}: {pairs} saw both it and {before}, but measured no figure on both, so every figure begins again."
        );
    }
    let joined: Vec<String> = joint.joined.iter().map(metric).collect();
    format!(
        "{since}, joined with {before} by {pairs} that both saw: {}.",
        joined.join("; ")
    )
}

fn metric(joined: &Joined) -> String {
    let name = Metric::from_id(&joined.metric).map_or_else(|| text(&joined.metric), |metric| metric.name().to_owned());
    let again = match joined.begun_again {
        0 => String::new(),
        some => format!(", {some} of {} begin again", some + joined.figures),
    };
    // Two digits are what an uncertainty is worth.
    let uncertainty = 100.0 * joined.uncertainty;
    let digits = usize::from(uncertainty < 10.0) + usize::from(uncertainty < 1.0) + usize::from(uncertainty < 0.1);
    format!(
        "{name} ±{uncertainty:.digits$} % ({:+.1} % for the same commit{again})",
        100.0 * joined.size
    )
}

fn name(runner: &str) -> String {
    if runner.is_empty() {
        "an unknown runner".to_owned()
    } else {
        text(runner)
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
        insta::assert_snapshot!(joints(&cases).unwrap());
        assert_eq!(joints(&[]), None);
    }
}
