//! Controls: servers whose true cost is known, driven like any other, which shows what the other figures of a run are worth.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AppRecord, SubjectId, Trial};

/// A control. It is the reference once more, its sections in another order ([`AppRecord::layout_seed`]), with known extra work in each
/// request ([`AppRecord::added_work`]); of no work it has the reference's own cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Control {
    /// The server, as it was built.
    pub app: AppRecord,
    /// Its trials, all in one scenario, in the sub-rounds of all other servers.
    pub trials: Vec<Trial>,
}

impl Control {
    /// Which control it is.
    pub fn subject(&self) -> SubjectId {
        self.app.subject()
    }

    /// By round, the CPU time in nanoseconds that its extra work was measured to take for one request. What its own
    /// `server_cpu_us_per_request` is above the reference's in that round should be this.
    pub fn injected_ns(&self) -> impl Iterator<Item = (u32, f64)> {
        let trials = self.trials.iter();
        trials.filter_map(|trial| Some((trial.round, trial.injected_ns?)))
    }
}
