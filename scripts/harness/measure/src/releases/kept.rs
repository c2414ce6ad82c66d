//! What was measured of a release is kept until something changes that it was measured of.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use model::AppRecord;
use serde::{Deserialize, Serialize};

use crate::app_costs::Counting;
use apps::catalog::App;

/// What was measured of a release, and what of: another is measured anew.
#[derive(Serialize, Deserialize)]
struct Kept {
    of: String,
    app: AppRecord,
}

/// All that a release is measured with but for itself.
pub fn what(app: &App, counting: &Counting<'_>) -> String {
    let scenarios = counting.plan.scenarios.iter().map(|scenario| scenario.id.as_str());
    let tools = [&counting.tools.valgrind, &counting.tools.strace].map(|tool| tool.as_deref().unwrap_or("none"));
    let (sources, lockfile) = (app.source_hash(), app.lockfile_hash.as_str());
    let starts = counting.starts.to_string();
    let all = [sources.as_str(), lockfile, &starts]
        .into_iter()
        .chain(tools)
        .chain(scenarios);
    all.collect::<Vec<_>>().join(" ")
}

/// What is kept at `path` of the same.
pub fn kept(path: &Path, of: &str) -> Option<AppRecord> {
    let kept: Kept = serde_json::from_str(&fs::read_to_string(path).ok()?).ok()?;
    (kept.of == of).then_some(kept.app)
}

/// Keeps what was found if it was built and counted: a reason may be gone the next time.
pub fn keep(path: &Path, of: String, app: AppRecord) -> anyhow::Result<AppRecord> {
    let kept = Kept { of, app };
    let mut counts = kept.app.costs.iter().flat_map(|costs| &costs.requests);
    if kept.app.build_error.is_none() && counts.all(|request| request.instructions.figure().is_some()) {
        fs::write(path, serde_json::to_string(&kept)?).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(kept.app)
}

#[cfg(test)]
mod tests {
    use model::Cost;

    use super::*;

    #[test]
    fn what_was_measured_of_the_same_is_not_measured_again_and_what_did_not_build_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("axum-0.8.9.json");
        let app = |name: &str, error: Option<&str>| AppRecord {
            name: name.to_owned(),
            build_error: error.map(str::to_owned),
            ..AppRecord::default()
        };
        let found = |of: &str, app: AppRecord| {
            kept(&path, of)
                .unwrap_or_else(|| keep(&path, of.to_owned(), app).unwrap())
                .name
        };
        assert_eq!(found("a", app("broken", Some("error"))), "broken");
        let mut uncounted = app("uncounted", None);
        let mut costs = samples::full()
            .apps
            .into_iter()
            .find_map(|app| app.costs)
            .expect("a sample has costs");
        for request in &mut costs.requests {
            request.instructions = Cost::NotAvailable("no time".to_owned());
        }
        uncounted.costs = Some(costs);
        assert_eq!(found("a", uncounted), "uncounted");
        assert_eq!(found("a", app("first", None)), "first");
        assert_eq!(found("a", app("second", None)), "first");
        assert_eq!(found("b", app("third", None)), "third", "of another lockfile");
        fs::write(&path, "{").unwrap();
        assert_eq!(found("b", app("fourth", None)), "fourth", "half a file");
    }
}
