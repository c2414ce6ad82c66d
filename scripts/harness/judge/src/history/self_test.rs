//! How often history is right: over a grid of the unknown properties of a machine, not at one favourable point.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::noise::OwnNoise;
use super::simulate::bridge::{Bridge, BridgeRates, bridge_rates};
use super::simulate::{Rates, Script, Shared, counts, history, rates, shared};

/// Each app's own noise: what pairs of real runs suggest, and values around it.
const OWN: [f64; 4] = [0.02, 0.03, 0.04, 0.05];
/// Correlation of that with the week before.
const RHO: [f64; 3] = [0.0, 0.25, 0.5];
/// Sizes of the changes that are planted.
const SIZES: [f64; 4] = [0.05, 0.10, 0.15, 0.20];
/// Sizes of the changes in the grid.
const OF_GRID: [f64; 3] = [0.05, 0.10, 0.20];
/// Sizes of the changes of counts.
const OF_COUNTS: [f64; 2] = [0.005, 0.01];
/// Own noise where the runner changes.
const OF_BRIDGES: [f64; 3] = [0.01, 0.02, 0.03];
/// Apps in each history, and how many of them share an update. As many as there were when the published rates were made; more would
/// make others.
const APPS: usize = 17;
const TOUCHED: usize = 15;

/// Everything that is published of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SelfTest {
    /// Own noise of 3 %, independent weeks, and runs that name their machine.
    pub machine_told: Rates,
    /// The same for runs that do not.
    pub machine_not_told: Rates,
    /// Every own noise with every correlation of weeks; runs name their machine.
    pub grid: Vec<Rates>,
    /// A change of 10 % that most apps share, for an own noise of 3 % and of 5 %.
    pub shared: Vec<Shared>,
    /// Instructions, on four cpu models in turn; the first app repeats to 0.02 %.
    pub counts: Rates,
    /// A change of the runner that moves every app by about 5 % and the reference by 12 %: with a bridge of two weeks and without, by own
    /// noise, with correlated weeks, and for instructions.
    #[serde(default)]
    pub bridges: Vec<BridgeRates>,
    /// Own noise of the existing records; `None` where no two runs can be compared.
    pub real: Option<OwnNoise>,
}

impl SelfTest {
    /// Runs it with this many histories of each kind.
    pub fn run(histories: usize, real: Option<OwnNoise>) -> Self {
        let script = |machine_told, own, rho| Script {
            machine_told,
            own,
            rho,
            ..Script::quiet(0, APPS)
        };
        // A quiet year has as many weeks as a dozen histories with a change.
        let quiet = histories.div_ceil(12);
        let of = |machine_told| rates(history, script(machine_told, 0.03, 0.0), histories, quiet, &SIZES);
        let cells = OWN.iter().flat_map(|own| RHO.iter().map(move |rho| (*own, *rho)));
        let grid = cells.map(|(own, rho)| rates(history, script(true, own, rho), histories, quiet, &OF_GRID));
        let theirs = [0.03, 0.05].map(|own| shared(script(true, own, 0.0), TOUCHED, 0.10, histories));
        Self {
            machine_told: of(true),
            machine_not_told: of(false),
            grid: grid.collect(),
            shared: theirs.into(),
            counts: rates(counts, script(true, 0.0002, 0.0), histories, quiet, &OF_COUNTS),
            bridges: bridges(histories),
            real,
        }
    }
}

fn bridges(histories: usize) -> Vec<BridgeRates> {
    let with = Bridge::quiet();
    let without = Bridge { pairs: 0, ..with };
    let by_noise = OF_BRIDGES
        .iter()
        .flat_map(|own| [with, without].map(|script| Bridge { own: *own, ..script }));
    let correlated = Bridge { rho: 0.5, ..with };
    let times = by_noise
        .chain([correlated])
        .map(|script| bridge_rates(script, histories, &OF_GRID[..2]));
    let counts = [with, without].map(|script| Bridge {
        counted: true,
        own: 0.0002,
        ..script
    });
    let counts = counts.map(|script| bridge_rates(script, histories, &OF_COUNTS));
    times.chain(counts).collect()
}
