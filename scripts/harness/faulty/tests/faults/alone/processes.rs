//! Servers as processes: their start, their settings, their end, what they leave behind, and what they do to others.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use faulty::plain::Fault;
use machine::confine;
use machine::cpus::Split;
use machine::parallel_map::parallel_map;
use measure::run::memory;
use model::scenario::Protocol;
use model::{Confinement, Part, Verdict};
use servers::check::{follows_workers, impossible, prove_end, prove_refused};
use servers::contract::prove_request;
use servers::failure::Failure;
use servers::server::{Launch, Server};

use crate::{Programs, load, scenario, verdict};

/// Longest wait for something that must come. Far longer than it takes, because a machine may be busy.
const PATIENCE: Duration = Duration::from_mins(1);

fn wait(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "still not: {what}");
        sleep(Duration::from_millis(10));
    }
}

fn cpus() -> Vec<u32> {
    Split::of_this_machine().unwrap().server
}

fn try_start(fault: Fault, protocol: Protocol) -> Result<Server, Failure> {
    let programs = Programs::new();
    Server::start(Launch::alone(&programs.with("", fault)), &cpus(), protocol)
}

fn start(fault: Fault) -> Server {
    try_start(fault, Protocol::Http1).unwrap()
}

/// Whether servers are kept from something on this machine, by any of these.
fn confined_by(kinds: &[Confinement]) -> bool {
    kinds.iter().any(|kind| confine::available().contains(kind))
}

#[test]
fn a_server_that_dies_is_reported_with_its_last_words() {
    let died = try_start(Fault::DiesAtOnce, Protocol::Http1).map(drop);
    assert_eq!(
        verdict(died),
        (
            Verdict::Crashed,
            "the server died before its first answer: exit status 7; it said: no luck today".to_owned()
        )
    );
}

#[test]
fn a_protocol_that_is_claimed_and_not_spoken_ends_the_start() {
    let (_, refused) = verdict(try_start(Fault::None, Protocol::Http2).map(drop));
    assert!(
        refused.starts_with("the server died before its first answer: exit status 2; it said: error: "),
        "{refused}"
    );
}

#[test]
fn a_missing_answer_is_reported_with_the_last_words_on_stderr() {
    let outcome = start(Fault::Panics).prove(|client| prove_request(&scenario("hello"), client, 1));
    let (failed, reason) = verdict(outcome);
    assert_eq!(failed, Verdict::ContractFailed);
    assert!(reason.starts_with("GET /hello: expected an answer, got "), "{reason}");
    assert!(reason.contains("the handler is out of luck"), "{reason}");
}

#[test]
fn more_workers_must_be_more_threads() {
    let programs = Programs::new();
    let (_, reason) = verdict(follows_workers(&programs.with("", Fault::IgnoresWorkers), &cpus()));
    assert_eq!(
        reason,
        "WORKERS=3: expected more threads than the 64 of WORKERS=1, got 64"
    );
    follows_workers(&programs.with("", Fault::None), &cpus()).unwrap();
}

#[test]
fn a_server_must_end_on_sigterm_while_a_connection_is_idle() {
    for (fault, outcome) in [
        (Fault::None, None),
        (
            Fault::IgnoresSigterm,
            Some(
                "SIGTERM while a connection is idle: expected the end of the server within 1 s, got a server that still runs",
            ),
        ),
    ] {
        let mut server = start(fault);
        let client = server.client().unwrap();
        client.get("/").unwrap();
        let ended = prove_end(&mut server, Duration::from_secs(1));
        assert_eq!(ended.err().map(|violation| violation.to_string()).as_deref(), outcome);
    }
}

#[test]
fn settings_that_are_impossible_must_be_refused() {
    let programs = Programs::new();
    let reasons = |fault: Fault| -> Vec<String> {
        let program = programs.with("", fault);
        let settings = impossible(&[Protocol::Http1], Part::Plain).unwrap();
        let refused = parallel_map(&[(); 8], &settings, |(), setting| {
            Ok::<_, ()>(prove_refused(&program, &cpus(), setting).err())
        });
        let failed = refused.unwrap().into_iter().flatten();
        failed.map(|failure| verdict(Err(failure)).1).collect()
    };
    assert_eq!(reasons(Fault::None), [""; 0]);
    let expected = "expected one line on stderr and exit status 2, got a server that runs";
    let found = reasons(Fault::IgnoresSettings);
    let of = [
        "WORKERS=0: ",
        "HTTP=3: ",
        "TLS_KEY=key.pem: ",
        "HTTP=1 with ",
        "HTTP=2 (http2, ",
        "HTTP=2 with TLS_CERT and TLS_KEY (http2-tls, ",
    ];
    assert_eq!(found.len(), of.len(), "{found:#?}");
    for (reason, begin) in found.iter().zip(of) {
        assert!(reason.starts_with(begin) && reason.ends_with(expected), "{reason}");
    }
}

#[test]
fn the_work_and_the_memory_of_child_processes_are_the_servers() {
    let server = start(Fault::Prefork);
    let before = server.cpu_time().unwrap();
    let client = server.client().unwrap();
    // Each takes a tenth of a second or so; the process that waits for its children uses nothing.
    for _ in 0..3 {
        client.post("/test/bcrypt", r#"{"payload":"world"}"#).unwrap();
    }
    let used = server.cpu_time().unwrap().saturating_sub(before);
    assert!(used > Duration::from_millis(50), "{used:?}");
    let pids = server.pids();
    assert!(pids.len() >= 2, "{pids:?}");
    assert!(memory::peak(&pids).unwrap() > memory::peak(&pids[..1]).unwrap());
    drop(server);
    let is_there = |pid: &i32| fs::exists(format!("/proc/{pid}")).unwrap();
    wait("all of its processes are gone", || !pids.iter().any(is_there));
}

#[test]
fn a_process_that_a_server_leaves_ends_with_it() {
    const LINE: &[u8] = b"/bin/sleep\x00300\x00";
    if !confined_by(&[Confinement::OwnUser]) {
        return; // in a session of its own nothing shows whose it is
    }
    let sleeping = || {
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
        lines.filter(|found| found == LINE).count()
    };
    let before = sleeping();
    let server = start(Fault::LeavesProcess);
    wait("it has started a process", || sleeping() > before);
    drop(server);
    wait("what the server started is gone", || sleeping() == before);
}

#[test]
fn who_kills_others_is_refused() {
    if !confined_by(&[Confinement::OwnUser, Confinement::NoSignals]) {
        return; // it would kill this test
    }
    let (mut rival, server) = (start(Fault::None), start(Fault::KillsOthers));
    // Its attack is over when these are answered.
    drop(load(server.address));
    assert_eq!(rival.exit_reason(), None);
    rival.client().unwrap().get("/").unwrap();
}

#[test]
fn who_floods_stderr_is_ended_for_it() {
    let mut server = start(Fault::FloodsStderr);
    drop(load(server.address));
    let mut reason = None;
    wait("it has ended", || {
        reason = server.exit_reason();
        reason.is_some()
    });
    let reason = reason.unwrap();
    assert!(
        reason.contains("it was ended, because it wrote more than 16 MiB to stderr; it said: "),
        "{reason}"
    );
}

#[test]
fn who_fills_the_disk_is_refused_it() {
    let mut server = start(Fault::FillsDisk);
    // It ends during the requests.
    let clients: Vec<_> = (0..4).map(|_| server.client().unwrap()).collect();
    for client in &clients {
        let _ = client.get("/");
    }
    let reason = server.await_exit_reason().unwrap();
    // The last one where the signal before it is ignored by who started us.
    let expected = if confined_by(&[Confinement::NoWrites]) {
        &["exit status 28; it said: no room is left: Permission denied"][..]
    } else {
        &[
            "signal 25 (SIGXFSZ)",
            "exit status 28; it said: no room is left: File too large",
        ]
    };
    assert!(expected.iter().any(|one| reason.contains(one)), "{reason}");
}
