//! Whether a run can go on: with the same programs, load generators and engine, on the same machine.

use std::collections::BTreeMap;

use anyhow::ensure;
use record::scenario::GeneratorKind;

use crate::build::BuiltApp;
use crate::container::Engine;
use crate::journal::Head;
use crate::machine::cpus::Split;
use crate::machine::environment;

/// A run that goes on must go on with the same programs on the same machine.
pub fn same_as_before(head: &Head, subjects: &[BuiltApp], split: &Split, oha: &str) -> anyhow::Result<()> {
    let id = &head.id;
    for subject in subjects {
        let now = &subject.app;
        let before = head
            .apps
            .iter()
            .find(|app| app.id == now.id && app.variant == now.variant);
        let same = before.is_some_and(|before| {
            (&before.source_hash, &before.lockfile_hash) == (&now.source_hash, &now.lockfile_hash)
        });
        ensure!(
            same,
            "run {id} cannot go on: {} has changed since; start a new run",
            now.id
        );
    }
    let machine = environment::describe(split, 0.0, String::new(), String::new());
    let before = &head.environment;
    ensure!(
        before.cpu_model == machine.cpu_model,
        "run {id} cannot go on: it was begun on another machine"
    );
    ensure!(
        before.oha == oha,
        "run {id} cannot go on: it was begun with {}, this is {oha}",
        before.oha
    );
    Ok(())
}

/// The other load generators too.
pub fn same_generators(head: &Head, versions: &BTreeMap<GeneratorKind, String>) -> anyhow::Result<()> {
    for (kind, before) in &head.environment.generators {
        let (id, program) = (&head.id, kind.program());
        let now = versions.get(kind).map_or("none", String::as_str);
        ensure!(
            before == now,
            "run {id} cannot go on: it was begun with {program} {before}, this is {now}"
        );
    }
    Ok(())
}

/// And what runs the containers.
pub fn same_engine(head: &Head, engine: Option<&Engine>) -> anyhow::Result<()> {
    let before = head.environment.container_engine.as_deref().unwrap_or("none");
    let now = engine.map_or("none", |engine| engine.version.as_str());
    ensure!(
        before == now,
        "run {} cannot go on: its containers were run by {before}, and these would be by {now}; --container-engine names another",
        head.id
    );
    Ok(())
}
