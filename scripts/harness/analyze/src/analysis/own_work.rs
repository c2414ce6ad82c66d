//! A server's own work: where its CPU time lies between that of the smallest possible server and that of a heavy one, both measured in the same
//! rounds.
//!
//! The CPU time of a request is a part that is alike for all servers, of socket and kernel, and the server's own work at a price for each
//! instruction. Both are the machine's, so a ratio of two servers is another one on another cpu; the place between two servers is free of
//! both. What else a cpu does to a server is in [`MARGIN`], which docs/ranking.md takes from records of several.

use model::scenario::{LoadModel, Protocol, Scenario};
use model::{AppRecord, DEFAULT_VARIANT, Metric, OwnWork, Part, Record, Role};

use super::Standing;

/// The heavy end of the scale: id and version. Another version does other work, so with it there is no scale until a server of this one is
/// kept apart, as the reference is.
const HEAVY: (&str, &str) = ("rocket", "0.5.2");
/// Where the heavy end lies.
const WHOLE: f64 = 100.0;
/// How far from its place on one cpu a server is on another one, with 95 %: so many hundredths of the scale, and so large a part of the place.
const MARGIN: (f64, f64) = (6.0, 0.4);
/// The requests whose margin was earned: what a server does besides is the same for all, and little.
const WORKS: [&str; 3] = ["/", "/hello", "/test/simple"];
/// How many times the CPU time of the smallest server the heavy one must take: where both do the same work, nothing lies between them.
const APART: f64 = 1.5;

/// CPU time between the two ends in microseconds, of the scenario in which it is least: 6.3 to 8.0 on cpus in a good state, of two kinds.
const USUAL: f64 = 7.0;

/// How many times the usual the servers' own work cost on the machine of a run; `None` where a run has no scale.
pub fn price(record: &Record) -> Option<f64> {
    let spans = record.scenarios.iter().filter_map(|scenario| {
        let ends = Ends::of(&record.apps, Metric::ServerCpuUsPerRequest, scenario)?;
        let cost = |end: usize| {
            let app = &record.apps[end];
            let cell = record.cell(&app.id, &app.variant, &scenario.id)?;
            cell.metrics
                .get(&Metric::ServerCpuUsPerRequest)
                .filter(|summary| summary.own_work.is_some())
        };
        Some(cost(ends.high)?.median - cost(ends.low)?.median)
    });
    spans.min_by(f64::total_cmp).map(|span| span / USUAL)
}

/// The two ends of the scale, as places in the record's `apps`.
pub(super) struct Ends {
    low: usize,
    high: usize,
}

impl Ends {
    /// `None` where one of the two was not measured, and for what is no CPU time of [`WORKS`] in a closed loop over kept connections.
    pub(super) fn of(apps: &[AppRecord], metric: Metric, scenario: &Scenario) -> Option<Self> {
        let is_work = scenario.part() == Part::Plain && WORKS.contains(&&*scenario.path) && !scenario.refused;
        let is_usual =
            scenario.load == LoadModel::Closed && scenario.keep_alive && scenario.protocol == Protocol::Http1;
        if metric != Metric::ServerCpuUsPerRequest || !is_work || !is_usual {
            return None;
        }
        let place = |is: &dyn Fn(&AppRecord) -> bool| apps.iter().position(is);
        Some(Self {
            low: place(&|app| app.role == Role::Ceiling)?,
            high: place(&|app| (&*app.id, &*app.framework_version) == HEAVY && app.variant == DEFAULT_VARIANT)?,
        })
    }

    /// An app's own work. The margin also covers what its rounds leave open.
    pub(super) fn own_work(&self, standing: &Standing, app: usize) -> Option<OwnWork> {
        let whole = standing.difference(self.high, self.low)?;
        if whole.estimate < APART.ln() {
            return None;
        }
        if app == self.low || app == self.high {
            let estimate = if app == self.low { 0.0 } else { WHOLE };
            return Some(OwnWork { estimate, margin: 0.0 });
        }
        let [above_low, above_high] = [self.low, self.high].map(|end| standing.difference(app, end));
        let place = stats::scale::place(above_low?, whole, above_high?)?;
        let estimate = WHOLE * place.estimate;
        let of_cpus = MARGIN.0.hypot(MARGIN.1 * estimate);
        Some(OwnWork {
            estimate,
            margin: of_cpus.hypot(WHOLE * place.half_width),
        })
    }
}
