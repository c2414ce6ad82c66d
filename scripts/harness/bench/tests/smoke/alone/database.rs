//! A real PostgreSQL behind the servers.

use std::fs;

use model::Verdict;

use crate::common::{Bench, CommandOutput, open_folder, planned};

#[test]
fn servers_with_a_database_are_measured_and_who_cheats_is_found() {
    let bench = Bench::on_fixtures();
    let temporary = open_folder(); // to PostgreSQL's user
    let line = "--app good-postgres,keeps-rows-under-load --scenario db,orders,updates,db-r1000 --rounds 1 --duration 200ms --connections 8";
    let mut command = bench.run_command(line);
    command.env("TMPDIR", temporary.path());
    CommandOutput::run(command).fine();
    let left = fs::read_dir(temporary.path()).unwrap().count();
    assert_eq!(left, 0, "the database is gone");

    let record = bench.record();
    let database = record.environment.database.as_ref().unwrap();
    assert!(database.version.starts_with("PostgreSQL "), "{database:?}");
    assert_eq!(database.settings["autovacuum"], "off");
    assert_eq!(database.cpus, record.environment.generator_cpus, "two cpus: they share");
    let mut warnings = record.environment.warnings.iter();
    assert!(warnings.any(|warning| warning.contains("the database shares the load generator's cpus")));
    let app = record.apps.iter().find(|app| app.id == "good-postgres").unwrap();
    assert_eq!(app.stack.as_deref(), Some("postgres"));

    let trials = |app: &'static str| planned(&record).filter(move |trial| trial.app == app);
    assert_eq!(trials("good-postgres").count(), 4);
    for trial in trials("good-postgres").chain(trials("reference-postgres")) {
        assert!(trial.verdict < Verdict::ContractFailed, "{trial:?}");
        if trial.verdict < Verdict::EnvironmentFailed {
            let shares = [trial.database_cpu_us_per_request, trial.database_cpu_share];
            assert!(
                shares.iter().all(|share| share.is_some_and(|share| share > 0.0)),
                "{trial:?}"
            );
            let slices = trial.slices.as_ref().unwrap();
            assert_eq!(slices.database_cpu_us.len(), slices.answers.len());
        }
    }
    let cheat = trials("keeps-rows-under-load")
        .find(|trial| trial.scenario == "db")
        .unwrap();
    assert_eq!(cheat.verdict, Verdict::ContractFailed, "{cheat:?}");
    let reason = &cheat.reasons[0];
    assert!(
        reason.starts_with("under load, ") && reason.contains("of `world`"),
        "{cheat:?}"
    );
}
