//! How a run is resumed: with the same programs, load generators and engine, on the same machine.

use anyhow::{bail, ensure};
use model::{Environment, Record, count};

use apps::build::BuiltApp;

/// Fails if anything has changed since the run began.
pub fn ensure_same(begun: &Record, subjects: &[BuiltApp], now: &Environment) -> anyhow::Result<()> {
    for subject in subjects {
        let now = &subject.app;
        let same = begun.apps.iter().any(|before| {
            (&before.id, &before.variant) == (&now.id, &now.variant)
                && (&before.source_hash, &before.lockfile_hash) == (&now.source_hash, &now.lockfile_hash)
                && before.binary_bytes == now.binary_bytes
        });
        ensure!(same, "{} has changed since; start a new run", now.id);
    }
    let before = &begun.environment;
    ensure!(before.cpu_model == now.cpu_model, "it was begun on another machine");
    ensure!(
        before.oha == now.oha,
        "it was begun with {}, this is {}",
        before.oha,
        now.oha
    );
    for (kind, before) in &before.generators {
        let (program, now) = (kind.program(), now.generators.get(kind).map_or("none", String::as_str));
        ensure!(before == now, "it was begun with {program} {before}, this is {now}");
    }
    ensure!(
        before.database == now.database,
        "it was begun with another PostgreSQL or other settings of it"
    );
    let [engine, engine_now] = [before, now].map(|machine| machine.container_engine.as_deref().unwrap_or("none"));
    ensure!(
        engine == engine_now,
        "its containers were run by {engine}, and these would be by {engine_now}"
    );
    let (before, now) = (&before.load_machines, &now.load_machines);
    match before.len() {
        many if many == now.len() => {}
        0 => bail!("its load was made by this machine; leave --load-from away"),
        many => bail!(
            "its load came from {}; name them with --load-from",
            count(many, "other machine")
        ),
    }
    for (number, (before, now)) in (1..).zip(before.iter().zip(now)) {
        let same = (&before.cpu_model, before.logical_cpus, &before.generator_hash)
            == (&now.cpu_model, now.logical_cpus, &now.generator_hash);
        ensure!(
            same,
            "load machine {number} is another one, or has another load generator"
        );
    }
    Ok(())
}
