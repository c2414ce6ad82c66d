//! A figure of the first two servers, while the others are still to be built.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::round::{Entry, Round};
use super::sliced;
use crate::plan::Plan;
use crate::progress::Reporter;
use apps::build::BuiltApp;
use generator::Generator;
use machine::cpus::Split;
use servers::server::Launch;

/// Slices of each server: a second of load.
const SLICES: u32 = 12;

/// Drives these servers in turns for a moment by the first scenario with slices, and reports what a request cost. A failure is left to the
/// run, which says it in full.
pub fn show(plan: &Plan, built: &[BuiltApp], oha: &Generator, split: &Split, reporter: &dyn Reporter) {
    let scenario = plan.scenarios.iter().find(|scenario| scenario.slice_seconds.is_some());
    let programs: Option<Vec<_>> = built.iter().map(|subject| subject.binary.as_ref()).collect();
    let (Some(scenario), Some(programs)) = (scenario, programs) else {
        return;
    };
    let progress = reporter.begin("measuring the first servers", 1);
    let entries: Vec<Entry<'_>> = programs
        .iter()
        .map(|binary| Entry {
            launch: Launch::alone(&binary.program),
            seed: plan.seed,
        })
        .collect();
    let round = Round {
        scenario,
        slices: SLICES,
        driver: oha,
        clock: &(),
        split,
        seek_restless: false,
    };
    let mut rng = ChaCha8Rng::seed_from_u64(plan.seed);
    let Ok(driven) = round.drive(&entries, &mut rng, |_, _| {}) else {
        return;
    };
    let figures: Option<Vec<String>> = built
        .iter()
        .zip(sliced::levels(&driven))
        .map(|(subject, levels)| Some(format!("{} {:.1} µs", subject.app.name, levels.cpu_us_per_request?)))
        .collect();
    if let Some(figures) = figures {
        progress.news(&format!(
            "first figure, {}: {} of CPU time per request, in one short round without an interval",
            scenario.id,
            figures.join(", ")
        ));
    }
}
