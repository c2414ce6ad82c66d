//! Controls: servers whose true cost is known, driven like any other, which shows what the other figures of a run are worth.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AppRecord, Trial};

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
