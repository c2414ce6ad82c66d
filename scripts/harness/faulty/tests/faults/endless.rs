//! Servers that try the patience of their clients: time and memory have bounds.

use std::time::{Duration, Instant};

use faulty::Running;
use faulty::hostile::Hostile;
use faulty::plain::Fault;
use machine::parallel_map::parallel_map;
use model::scenario::Protocol;
use servers::contract::{Client, Steady, Symptom};
use servers::workload::Workload;

use crate::scenario;

const PATIENCE: Duration = Duration::from_secs(1);
/// On a busy machine.
const LATE: Duration = Duration::from_secs(10);
const HOSTILE: [Fault; 4] = [
    Fault::FallsSilent,
    Fault::AnswersWithoutEnd,
    Fault::FieldsWithoutEnd,
    Fault::Drips,
];

#[test]
fn no_server_holds_the_prover_up() {
    let tasks: Vec<_> = HOSTILE
        .into_iter()
        .flat_map(|fault| [Protocol::Http1, Protocol::Http2].map(|protocol| (fault, protocol)))
        .collect();
    let violations = parallel_map(&[(); 8], &tasks, |(), (fault, protocol)| {
        let server = Running::start(Hostile::new(*fault, protocol.is_http2())).unwrap();
        let client = Client::new(server.address, *protocol).unwrap().with_patience(PATIENCE);
        let began = Instant::now();
        let violation = client.get("/").unwrap_err();
        assert!(
            began.elapsed() < PATIENCE + LATE,
            "{fault:?}, {protocol:?}: {violation}"
        );
        assert_eq!(
            violation.symptom,
            Symptom::Silence,
            "{fault:?}, {protocol:?}: {violation}"
        );
        assert!(violation.got.len() < 200, "{violation}");
        Ok::<_, ()>((*fault, *protocol, violation.got))
    });
    for (fault, protocol, got) in violations.unwrap() {
        let reason = match (fault, protocol.is_http2()) {
            (Fault::FallsSilent, _) | (Fault::Drips, false) => "nothing within 1 s",
            (Fault::AnswersWithoutEnd, false) => "more than 4194304 bytes",
            // A frame that nobody expects, and fields that are too many, end the connection.
            _ => "",
        };
        assert!(got.contains(reason), "{fault:?}, {protocol:?}: {got}");
    }
}

#[test]
fn no_server_holds_up_what_counts_its_work() {
    parallel_map(&[(); 4], &HOSTILE, |(), fault| {
        let server = Running::start(Hostile::new(*fault, false)).unwrap();
        let mut steady = Steady::new(server.address, PATIENCE).unwrap();
        let began = Instant::now();
        let violation = steady.ask(&Workload::of(&scenario("plaintext")), 0).unwrap_err();
        assert!(began.elapsed() < PATIENCE + LATE, "{fault:?}: {violation}");
        assert_eq!(violation.symptom, Symptom::Silence, "{fault:?}: {violation}");
        Ok::<_, ()>(())
    })
    .unwrap();
}
