//! The controls of a plan.

use super::Plan;
use apps::catalog::Catalog;
use apps::profile::Profile;
use model::scenario::{Isolation, LoadModel, Protocol, Scenario};

impl Plan {
    /// The plan with the controls of the catalog, in the first scenario that drives plain servers in turns as fast as they can: their work
    /// shows most where an answer costs least, and once is enough. A profile that drives none, or compares widths, has no controls.
    pub(super) fn with_controls(mut self, catalog: &Catalog, profile: &Profile) -> Self {
        let has_none = profile.costs.is_some() || profile.widths.is_some();
        let Some(first) = self.scenarios.iter().find(|scenario| !has_none && shows_work(scenario)) else {
            return self;
        };
        for id in catalog.control_ids() {
            self.asked.entry(first.id.clone()).or_default().push(id.clone());
            self.subjects.push(id);
        }
        self
    }
}

fn shows_work(scenario: &Scenario) -> bool {
    let is_plain = scenario.database.is_none() && scenario.service.is_none() && scenario.isolation == Isolation::Native;
    let is_full = scenario.load == LoadModel::Closed && scenario.requests.is_none() && scenario.keep_alive;
    is_plain && is_full && scenario.protocol == Protocol::Http1 && scenario.slice_seconds.is_some()
}
