//! Checks that a run can be resumed: with the same programs, load generators and engine, on the same machine.

use std::collections::BTreeMap;

use anyhow::ensure;
use record::scenario::GeneratorKind;

use crate::build::BuiltApp;
use crate::container::Engine;
use crate::database::Database;
use crate::journal::Head;
use crate::machine::cpus::Split;
use crate::machine::environment;

/// Fails if anything has changed since the run began.
pub fn ensure_same(
    head: &Head,
    subjects: &[BuiltApp],
    split: &Split,
    oha: &str,
    generators: &BTreeMap<GeneratorKind, String>,
    engine: Option<&Engine>,
    database: Option<&Database>,
) -> anyhow::Result<()> {
    for subject in subjects {
        let now = &subject.app;
        let same = head.apps.iter().any(|before| {
            (&before.id, &before.variant) == (&now.id, &now.variant)
                && (&before.source_hash, &before.lockfile_hash) == (&now.source_hash, &now.lockfile_hash)
                && before.binary_bytes == now.binary_bytes
        });
        ensure!(same, "{} has changed since; start a new run", now.id);
    }
    let machine = environment::describe(split, 0.0, String::new(), String::new());
    let before = &head.environment;
    ensure!(before.cpu_model == machine.cpu_model, "it was begun on another machine");
    ensure!(before.oha == oha, "it was begun with {}, this is {oha}", before.oha);
    for (kind, before) in &before.generators {
        let (program, now) = (kind.program(), generators.get(kind).map_or("none", String::as_str));
        ensure!(before == now, "it was begun with {program} {before}, this is {now}");
    }
    let database = database.map(Database::describe).transpose()?;
    ensure!(
        before.database == database,
        "it was begun with another PostgreSQL or other settings of it; --postgres names another"
    );
    let before = before.container_engine.as_deref().unwrap_or("none");
    let now = engine.map_or("none", |engine| engine.version.as_str());
    ensure!(
        before == now,
        "its containers were run by {before}, and these would be by {now}; --container-engine names another"
    );
    Ok(())
}
