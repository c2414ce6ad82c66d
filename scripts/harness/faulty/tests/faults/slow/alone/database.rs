//! Servers with a real PostgreSQL behind them.

use std::sync::Arc;

use faulty::Running;
use faulty::database::{Backed, Fault};
use machine::cpus::Split;
use measure::probe::{Case, Target};
use model::probe::{Group, ProbeOutcome};
use model::scenario::Method;
use servers::contract::{self, Backend, Client, prove_request, prove_under_load};
use servers::database::work::Work;
use servers::database::{Database, Programs as PostgreSql, Role};
use servers::workload::Workload;

use crate::{Programs, load, scenario, serving};

/// Connections of a server to its database: with fewer, a load's would wait.
const CONNECTIONS: u32 = 8;

fn database() -> Arc<Database> {
    let split = Split::of_this_machine().unwrap().with_database();
    Arc::new(Database::start(&PostgreSql::find(None).unwrap(), &split.database).unwrap())
}

/// A server with a role of its own.
fn backed(fault: Fault, database: &Arc<Database>) -> (Running, Client, Arc<Role>) {
    let role = Arc::new(Role::open(database, CONNECTIONS).unwrap());
    let (server, client) = serving(Backed::new(fault, role.url(), CONNECTIONS as usize));
    (server, client.with_backend(Backend::Database(Arc::clone(&role))), role)
}

#[test]
fn each_way_to_cheat_is_found_and_an_honest_server_is_not() {
    let database = database();
    for (fault, reason) in [
        (
            Fault::KeepsRows,
            "1 answer: reads of `world`: 20 with 20 rows needed, 0 with 0 rows counted",
        ),
        (
            Fault::BatchesQueries,
            "1 answer: reads of `world`: 20 with 20 rows needed, 1 with 20 rows counted",
        ),
        (
            Fault::ForgetsTransaction,
            "expected nothing of a refused order in the database, got 1 orders and 0 lines more",
        ),
        (
            Fault::PretendsTransaction,
            "POST /updates?n=5: expected all rows written in one transaction, got 5 transactions",
        ),
        (
            Fault::SkipsEscaping,
            "GET /fortunes: expected messages that are escaped",
        ),
    ] {
        let (_server, client, _) = backed(fault, &database);
        let found = contract::violations(&client, 1).unwrap();
        let reasons: Vec<String> = found.iter().map(|breach| breach.violation.to_string()).collect();
        assert!(
            reasons.iter().any(|one| one.contains(reason)),
            "{fault:?}: {reasons:#?}"
        );
    }
    // The last two are honest without a load.
    for fault in [Fault::None, Fault::KeepsRowsUnderLoad, Fault::UndoesUnderLoad] {
        let (_server, client, _) = backed(fault, &database);
        assert_eq!(contract::violations(&client, 1).unwrap(), [], "{fault:?}");
    }
}

#[test]
fn who_cheats_under_load_is_found_by_what_the_database_did_and_by_the_witness() {
    const ANSWERS: u64 = 20;
    let database = database();
    let get_rows = |client: &Client| {
        for _ in 0..ANSWERS {
            client.get("/db").unwrap().expect_status(200).unwrap();
        }
    };
    let read = Work::of_request(Method::Get, "/db", "", 0).unwrap();
    for (fault, reason) in [
        (Fault::None, None),
        (
            Fault::KeepsRowsUnderLoad,
            Some("20 answers: reads of `world`: 20 with 20 rows needed, 0 with 0 rows counted"),
        ),
    ] {
        let (server, client, role) = backed(fault, &database);
        let _load = load(server.address);
        get_rows(&client); // it reads what it keeps
        let before = role.work().unwrap();
        get_rows(&client);
        let work = role.work().unwrap().since(&before);
        assert_eq!(work.reason_against(&read, ANSWERS).as_deref(), reason, "{work:?}");
    }
    for (fault, is_found) in [(Fault::None, false), (Fault::UndoesUnderLoad, true)] {
        // Both servers draw the same rows and numbers.
        database.scatter(1).unwrap();
        let (server, client, _) = backed(fault, &database);
        let _load = load(server.address);
        for (name, reason) in [
            ("orders", "expected an order in the database, got no order"),
            (
                "updates",
                "POST /updates?n=5: expected the new numbers in the database, got other ones",
            ),
        ] {
            let witnessed = prove_under_load(&Workload::of(&scenario(name)), &client, 1).unwrap();
            let missed = witnessed.err().map(|violation| violation.to_string());
            let is_missed = |missed: &String| missed.contains(reason);
            assert_eq!(missed.as_ref().is_some_and(is_missed), is_found, "{missed:?}");
            assert_eq!(missed.is_some(), is_found, "{missed:?}");
        }
    }
}

#[test]
fn no_server_can_end_lock_out_or_change_a_rival_in_the_database() {
    let database = database();
    for fault in [Fault::EndsRivals, Fault::ChangesPassword] {
        let (rival, of_rival, role) = backed(Fault::None, &database);
        let _busy = load(rival.address);
        of_rival.get("/db").unwrap().expect_status(200).unwrap();
        let open = role.connections().unwrap().open;
        let (attacker, of_attacker, _) = backed(fault, &database);
        let _load = load(attacker.address);
        let _ = of_attacker.get("/db"); // the attack
        assert_eq!(role.connections().unwrap().open, open, "{fault:?}");
        for name in ["db", "orders"] {
            assert_eq!(
                prove_request(&scenario(name), &of_rival, 1).unwrap(),
                Ok(()),
                "{fault:?}"
            );
        }
        // Nor who comes after it, with the same role.
        drop((of_attacker, attacker));
        let (_next, of_next, _) = backed(Fault::None, &database);
        assert_eq!(
            prove_request(&scenario("orders"), &of_next, 1).unwrap(),
            Ok(()),
            "{fault:?}"
        );
    }
}

#[test]
fn a_failing_database_is_survived_or_reported() {
    let (database, programs) = (database(), Programs::new());
    let split = Split::of_this_machine().unwrap().with_database();
    let cases = Case::built_in();
    let of_database = cases.iter().filter(|case| case.about.group == Group::Database);
    let put = |case: &Case, fault: Fault| {
        let target = Target {
            program: &programs.with("Database", fault),
            split: &split,
            protocol: case.protocols[0],
            connections: None,
            database: Some(&database),
            services: None,
            ordinary: "/",
        };
        case.attempt(&target).unwrap()
    };
    let expected = [
        ("database-stops", Fault::KeepsRows, "without a database it answered"),
        (
            "database-crashes",
            Fault::NeverReconnects,
            "it did not answer as before within 10 s",
        ),
        ("database-locked", Fault::OneAtATime, "0 other requests were answered"),
        // Which can only mean that orders are without their lines.
        (
            "database-client-leaves",
            Fault::ForgetsTransaction,
            "all transactions ended",
        ),
    ];
    let mut seen = 0;
    for case in of_database {
        let good = put(case, Fault::None);
        assert_eq!(good.outcome, ProbeOutcome::Passed, "{good:#?}");
        let broken = expected.iter().find(|(id, ..)| *id == case.about.id);
        if let Some((_, fault, reason)) = broken {
            let attempt = put(case, *fault);
            assert_eq!(attempt.outcome, ProbeOutcome::Failed, "{attempt:#?}");
            assert!(attempt.got.contains(reason), "{attempt:#?}");
        }
        seen += 1;
    }
    assert_eq!(seen, 5);
}
