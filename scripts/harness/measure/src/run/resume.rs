//! How a run is resumed: with the same options, programs, load generators and engine, on the same machine.

use anyhow::{bail, ensure};
use model::escape::shell;
use model::{Environment, Record, count};

use super::runner::RunRequest;
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
        "it was begun with another PostgreSQL or other settings of it; --postgres names another"
    );
    let [engine, engine_now] = [before, now].map(|machine| machine.container_engine.as_deref().unwrap_or("none"));
    ensure!(
        engine == engine_now,
        "its containers were run by {engine}, and these would be by {engine_now}; --container-engine names another"
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

/// The options that a run needs again to be resumed, as they are written in a shell, each after a blank. Those that are no secret: a
/// database's address has a password in it.
pub fn again(request: &RunRequest) -> String {
    let paths = [
        ("--out", &request.out),
        ("--binaries", &request.binaries),
        ("--oha", &request.oha),
        ("--wrk", &request.wrk),
        ("--h2load", &request.h2load),
        ("--postgres", &request.postgres),
        ("--container-engine", &request.container_engine),
    ];
    let paths = paths.into_iter();
    let named = paths.filter_map(|(option, path)| Some((option, path.as_ref()?.display().to_string())));
    let again = named.fold(String::new(), |all, (option, value)| {
        format!("{all} {option} {}", shell(&value))
    });
    let hidden = [
        ("--database", request.database.is_some()),
        ("--load-from", request.load_from.is_some()),
        ("--listen", request.listen.is_some()),
    ];
    let hidden: Vec<&str> = hidden
        .iter()
        .filter(|(_, given)| *given)
        .map(|(option, _)| *option)
        .collect();
    match hidden.as_slice() {
        [] => again,
        some => format!("{again}, with the same {}", some.join(" and ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_resumed_with_the_options_that_it_began_with() {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            request: RunRequest,
        }
        let options = |words: &[&str]| {
            let words = ["run"].iter().chain(words);
            again(&<Line as clap::Parser>::try_parse_from(words).unwrap().request)
        };
        assert_eq!(options(&["--rounds", "3"]), "");
        assert_eq!(options(&["--out", "a folder"]), " --out 'a folder'");
        assert_eq!(
            options(&["--binaries", "it's", "--database", "postgres://a:secret@h/b"]),
            " --binaries 'it'\\''s', with the same --database"
        );
    }
}
