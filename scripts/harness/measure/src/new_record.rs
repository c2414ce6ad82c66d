//! A record, before anything is measured.

use machine::clock;
use model::{Environment, Harness, Record, SCHEMA_VERSION, run_id};

use crate::programs::Programs;

/// A record that begins now, of what was built from `programs` by a cargo profile, on this machine; nothing is measured yet. `version` is this
/// program's.
pub fn new_record(
    programs: &Programs,
    cargo_profile: &str,
    (version, seed): (&str, u64),
    mut environment: Environment,
) -> Record {
    let (started_at, (commit, dirty)) = (clock::now(), programs.commit.clone().unzip());
    environment.warnings.extend(programs.warnings());
    Record {
        schema_version: SCHEMA_VERSION,
        id: run_id(started_at, seed),
        seed,
        started_at,
        finished_at: started_at,
        harness: Harness {
            version: version.to_owned(),
            commit,
            dirty,
            cargo_profile: cargo_profile.to_owned(),
            foreign_settings: programs.foreign_settings.clone(),
            ..Harness::default()
        },
        environment,
        ..Record::default()
    }
}
