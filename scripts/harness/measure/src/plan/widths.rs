//! A plan at several widths: each of its scenarios once for each number of workers.

use std::collections::BTreeMap;

use anyhow::{anyhow, ensure};

use super::Plan;
use model::scenario::{Dimension, LoadModel, Scenario, Varies};

impl Plan {
    /// The plan with every scenario at each of these `widths` instead, as `plaintext-w4`, with so many connections for each worker.
    ///
    /// Connections grow with the workers, and what each of them has to do stays: as N. J. Gunther's law wants it for processors
    /// (Guerrilla Capacity Planning, Springer 2007, chapter 4). With as many for all widths, a narrow server would have a long queue, and
    /// a wide one workers without a connection.
    ///
    /// Fails for scenarios whose load would not grow with the server, or whose connections are what they are about.
    pub fn at_widths(mut self, widths: &[u32], connections_per_worker: u32) -> anyhow::Result<Self> {
        let mut scenarios = Vec::new();
        let mut by_scenario = BTreeMap::new();
        for scenario in &self.scenarios {
            let id = &scenario.id;
            ensure!(
                scenario.load == LoadModel::Closed && scenario.requests.is_none(),
                "`{id}` offers a load that does not grow with the server; name scenarios with a closed loop"
            );
            let by = scenario.varies.as_ref().map(|varies| varies.by);
            ensure!(
                by != Some(Dimension::Connections),
                "`{id}` is about the number of connections, which here follows from the workers; name the scenario that it is like"
            );
            for width in widths {
                let wide = at_width(scenario, *width, connections_per_worker);
                wide.check()
                    .map_err(|reason| anyhow!("scenario {}: {reason}", wide.id))?;
                if let Some(subjects) = self.asked.get(id) {
                    by_scenario.insert(wide.id.clone(), subjects.clone());
                }
                scenarios.push(wide);
            }
        }
        (self.scenarios, self.asked) = (scenarios, by_scenario);
        Ok(self)
    }

    /// The widths of its scenarios, ascending; none where it compares none.
    pub fn widths(&self) -> Vec<u32> {
        let mut widths: Vec<u32> = self.scenarios.iter().filter_map(|scenario| scenario.workers).collect();
        widths.sort_unstable();
        widths.dedup();
        widths
    }
}

fn at_width(scenario: &Scenario, workers: u32, connections_per_worker: u32) -> Scenario {
    Scenario {
        id: format!("{}-w{workers}", scenario.id),
        varies: Some(Varies {
            like: scenario.id.clone(),
            by: Dimension::Workers,
        }),
        workers: Some(workers),
        connections: workers.saturating_mul(connections_per_worker),
        ..scenario.clone()
    }
}
