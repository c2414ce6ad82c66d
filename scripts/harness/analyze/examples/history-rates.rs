//! How often `bench history` is right, by simulation: over a grid of the unknown properties of a machine, not at one favourable point.
//!
//! ```console
//! $ cargo run --release -p analyze --example history-rates -- 400 bench-results/local >bench-results/local/history-self-test.json
//! ```

#[path = "../src/history/simulate.rs"]
mod simulate;

use std::path::Path;

use analyze::history::{Direction, Facts, NoLockfiles, Run, Series, State, Timeline, judge, own_noise};
use model::Lane;
use serde_json::json;
use simulate::{Rates, Script, counts, history, rates, shared};
use stats::random;

/// Each app's own noise: what pairs of real runs suggest, and values around it.
const OWN: [f64; 4] = [0.02, 0.03, 0.04, 0.05];
/// Correlation of that with the week before.
const RHO: [f64; 3] = [0.0, 0.25, 0.5];
/// Apps in each history, and how many of them share an update. As many as there were when the published rates were made; more would
/// make others.
const APPS: usize = 17;
const TOUCHED: usize = 15;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let histories: usize = arguments
        .next()
        .map_or(300, |number| number.parse().expect("a number of histories"));
    let results = arguments.next().unwrap_or_else(|| "bench-results".to_owned());
    let script = |machine_known, own, rho| Script {
        machine_known,
        own,
        rho,
        ..Script::quiet(0, APPS)
    };
    // A quiet year has as many weeks as a dozen histories with a change.
    let quiet = histories.div_ceil(12);
    let of = |known| {
        rates(
            history,
            script(known, 0.03, 0.0),
            histories,
            quiet,
            &[0.05, 0.10, 0.15, 0.20],
        )
    };
    let cells = OWN.iter().flat_map(|own| RHO.iter().map(move |rho| (*own, *rho)));
    let grid = cells.map(|(own, rho)| rates(history, script(true, own, rho), histories, quiet, &[0.05, 0.10, 0.20]));
    let theirs = [0.03, 0.05].map(|own| shared(script(true, own, 0.0), TOUCHED, 0.10, histories));
    let weekly = analyze::reading::records_of_lane(Path::new(&results), Lane::Local).unwrap_or_default();
    println!(
        "{:#}",
        json!({
            "machine_told": of(true),
            "machine_not_told": of(false),
            "grid": grid.collect::<Vec<Rates>>(),
            "shared": theirs,
            "counts": rates(counts, script(true, 0.0002, 0.0), histories, quiet, &[0.005, 0.01]),
            "real": own_noise(&[Timeline::from_records(&weekly)]).map(|(sd, pairs)| json!({ "pairs": pairs, "sd": sd })),
        })
    );
}
