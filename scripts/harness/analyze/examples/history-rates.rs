//! How often `bench history` is right, by simulation: over a grid of the unknown properties of a machine, not at one favourable point.
//!
//! ```console
//! $ cargo run --release -p analyze --example history-rates -- 400 >bench-results/local/history-self-test.json
//! ```

#[path = "../src/history/tests/simulate.rs"]
mod simulate;

use analyze::history::{
    Change, Direction, Ending, Facts, HistoryReport, NoLockfiles, Run, Series, State, Timeline, judge,
};
use serde_json::json;
use simulate::{Episodes, Rates, Script, Shared, counts, history, kept, rates, shared};
use stats::random;

/// Each app's own noise: what pairs of real runs suggest, and values around it.
const OWN: [f64; 4] = [0.02, 0.03, 0.04, 0.05];
/// Correlation of that with the week before.
const RHO: [f64; 3] = [0.0, 0.25, 0.5];
/// Apps in each history, and how many of them share an update. As many as there were when the published rates were made; more would
/// make others.
const APPS: usize = 17;
const TOUCHED: [usize; 4] = [2, 9, 12, 15];
/// Weeks after an episode.
const LATER: [usize; 5] = [0, 8, 12, 20, 30];

fn main() {
    let histories: usize = std::env::args()
        .nth(1)
        .map_or(300, |number| number.parse().expect("a number of histories"));
    let script = |machine_known, own, rho| Script {
        machine_known,
        own,
        rho,
        ..Script::quiet(0, APPS)
    };
    // A quiet year has as many weeks as a dozen histories with a change.
    let quiet = histories.div_ceil(12);
    let of = |script| rates(history, script, histories, quiet, &[0.05, 0.10, 0.15, 0.20]);
    let usual = script(true, 0.03, 0.0);
    let cells = OWN.iter().flat_map(|own| RHO.iter().map(move |rho| (*own, *rho)));
    let grid = cells.map(|(own, rho)| rates(history, script(true, own, rho), histories, quiet, &[0.05, 0.10, 0.20]));
    let theirs = [true, false].into_iter().flat_map(|reference| {
        let of = move |touched| shared(Script { reference, ..usual }, touched, 0.10, histories);
        TOUCHED.into_iter().map(of)
    });
    println!(
        "{:#}",
        json!({
            "machine_told": of(usual),
            "machine_not_told": of(script(false, 0.03, 0.0)),
            "heavy_tails": of(Script { heavy: true, ..usual }),
            "grid": grid.collect::<Vec<Rates>>(),
            "shared": theirs.collect::<Vec<Shared>>(),
            "kept": episodes(histories),
            "counts": rates(counts, script(true, 0.0002, 0.0), histories, quiet, &[0.005, 0.01]),
        })
    );
}

/// Changes that do not last.
fn episodes(histories: usize) -> Vec<Episodes> {
    let script = |own, from, size, phases| Script {
        machine_known: true,
        own,
        change: Some((from, 1.0 + size, 1)),
        phases,
        ..Script::quiet(0, APPS)
    };
    let mut all = Vec::new();
    for own in [0.015, 0.03] {
        let of = |name, size, phases, steps: &[usize], later| {
            kept(name, script(own, steps[0], size, phases), steps, later, histories)
        };
        let mended: &[(usize, f64)] = &[(8, 1.0), (1, 0.0)];
        all.extend(LATER.map(|later| of("8 weeks after 20", 0.10, mended, &[20, 28], later)));
        all.push(of("8 weeks between 26 and 26", 0.20, mended, &[26, 34], 26));
        all.push(of(
            "8, 7, 6 and 6 weeks in turn",
            0.10,
            &[(7, 1.0), (6, 0.0), (1, 1.0)],
            &[8, 15, 21],
            6,
        ));
        all.push(of(
            "three steps up",
            0.10,
            &[(10, 1.0), (10, 2.0), (1, 3.0)],
            &[20, 30, 40],
            10,
        ));
    }
    all
}
