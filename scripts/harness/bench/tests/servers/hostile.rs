//! Servers that behave for the prover and cheat under load, or that work where nobody looks: what becomes of them.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Mutex;
use std::thread;

use measure::asked::Asked;
use measure::confine;
use measure::contract::{self, Client};
use measure::generator::Generator;
use measure::profile::Profiles;
use record::scenario::{GeneratorKind, Protocol, Scenario};
use record::{Cell, Confinement, Record, Verdict};

use crate::common::{Bench, PATIENCE, oha, wait, words};

fn run(bench: &Bench, apps: &str, more: &str) -> Record {
    let arguments = format!("--app {apps} --scenario plaintext --duration 200ms --connections 16 {more}");
    bench.run(&words(&arguments)).fine();
    bench.record()
}

fn cell<'a>(record: &'a Record, app: &str) -> &'a Cell {
    record.summary.iter().find(|cell| cell.app == app).unwrap()
}

#[test]
fn answers_that_are_wrong_under_load_only_are_found_by_their_size_or_by_the_witness() {
    let bench = Bench::on_fixtures();
    let record = run(&bench, "empty-under-load,wrong-under-load,good", "--rounds 1");
    let empty = cell(&record, "empty-under-load");
    assert_eq!(empty.verdict, Verdict::ContractFailed, "{empty:?}");
    assert_eq!(
        empty.reasons,
        ["under load, answers had 0 bytes on average; the one that was proven had 13"]
    );
    let wrong = cell(&record, "wrong-under-load");
    assert_eq!(wrong.verdict, Verdict::ContractFailed, "{wrong:?}");
    assert_eq!(
        wrong.reasons,
        ["under load, GET /: expected `Hello, World!`, got `Hello, Wurld!`"]
    );
    assert!(cell(&record, "good").verdict < Verdict::EnvironmentFailed);
    assert!(empty.metrics.is_empty() && wrong.metrics.is_empty());
}

#[test]
fn the_work_and_the_memory_of_child_processes_are_the_servers() {
    let bench = Bench::on_fixtures();
    let record = run(&bench, "prefork,good", "--rounds 1");
    for trial in record.trials.iter().filter(|trial| trial.app == "prefork") {
        assert!(trial.verdict < Verdict::EnvironmentFailed, "{trial:?}");
        // A process that waits for its children uses nothing; an answer takes a few system calls, each some tenths of a
        // microsecond.
        assert!(trial.server_cpu_us_per_request.unwrap() > 0.5, "{trial:?}");
        assert!(trial.rss_bytes.as_ref().unwrap().peak > 0, "{trial:?}");
    }
    assert!(bench.children().is_empty());
}

#[test]
fn a_process_that_a_server_leaves_ends_with_it() {
    let left = || {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let lines = processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
        lines.filter(|line| line.starts_with(b"/bin/sleep\x00300\x00")).count()
    };
    let before = left();
    let bench = Bench::on_fixtures();
    let record = run(&bench, "leaves-process", "--rounds 1");
    assert!(cell(&record, "leaves-process").verdict < Verdict::EnvironmentFailed);
    wait(PATIENCE, "what the server started is gone", || left() == before);
}

#[test]
fn a_process_that_hides_ends_with_the_last_server() {
    let left = || {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let lines = processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
        lines.filter(|line| line.starts_with(b"/bin/sleep\x00301\x00")).count()
    };
    let before = left();
    let bench = Bench::on_fixtures();
    let record = run(&bench, "hides-process", "--rounds 1");
    assert!(cell(&record, "hides-process").verdict <= Verdict::EnvironmentFailed);
    wait(PATIENCE, "what the server started is gone", || left() == before);
}

/// Whether servers are kept from something on this machine, by any of these.
fn confined_by(kinds: &[Confinement]) -> bool {
    kinds.iter().any(|kind| confine::available().contains(kind))
}

#[test]
fn who_kills_the_harness_or_a_rival_is_refused_or_costs_the_round_under_way() {
    let bench = Bench::on_fixtures();
    let arguments = words("--app kills-others,good --scenario plaintext --duration 200ms --connections 16 --rounds 1");
    let told = bench.run(&arguments);
    if confined_by(&[Confinement::OwnUser, Confinement::NoSignals]) {
        let record = bench.record();
        told.fine();
        assert_eq!(&record.environment.confined, confine::available());
        assert_ne!(cell(&record, "good").verdict, Verdict::Crashed);
        assert_ne!(cell(&record, "kills-others").verdict, Verdict::Crashed);
    } else {
        assert_eq!(told.status, None, "it was killed: {told:#?}");
        assert!(
            bench.files()[0].to_string_lossy().ends_with(".journal.jsonl"),
            "it can be resumed"
        );
    }
}

#[test]
fn who_floods_stderr_is_ended_for_it_and_nobody_else_is() {
    let bench = Bench::on_fixtures();
    let record = run(&bench, "floods-stderr,good", "--rounds 1");
    let flooder = cell(&record, "floods-stderr");
    assert_eq!(flooder.verdict, Verdict::Crashed, "{flooder:?}");
    let told = "it was ended, because it wrote more than 16 MiB to stderr; it said: ";
    assert!(flooder.reasons[0].contains(told), "{flooder:?}");
    assert!(cell(&record, "good").verdict <= Verdict::EnvironmentFailed);
}

#[test]
fn who_fills_the_disk_is_refused_it_and_nobody_else_is() {
    let bench = Bench::on_fixtures();
    let record = run(&bench, "fills-disk,good", "--rounds 1");
    let flooder = cell(&record, "fills-disk");
    assert_eq!(flooder.verdict, Verdict::Crashed, "{flooder:?}");
    // The second where the signal of the third is ignored by who started us.
    let told = if confined_by(&[Confinement::NoWrites]) {
        &["exit status 28; it said: no room is left: Permission denied"][..]
    } else {
        &[
            "exit status 28; it said: no room is left: File too large",
            "signal 25 (SIGXFSZ)",
        ]
    };
    assert!(told.iter().any(|told| flooder.reasons[0].contains(told)), "{flooder:?}");
    assert!(cell(&record, "good").verdict <= Verdict::EnvironmentFailed);
}

#[test]
fn a_server_that_keeps_answers_is_found_by_a_body_that_it_has_seen() {
    let bench = Bench::on_fixtures();
    let arguments = "--app keeps-answers,good --scenario timed,bcrypt --duration 600ms --connections 8 --rounds 1";
    bench.run(&words(arguments)).fine();
    let record = bench.record();
    for (scenario, told) in [
        ("timed", "`: expected an answer after 20 ms, got one after "),
        (
            "bcrypt",
            "`: expected another hash for each answer, for each has a new salt, got the same one twice",
        ),
    ] {
        let of = |app: &str| {
            let mut cells = record.summary.iter();
            cells.find(|cell| cell.app == app && cell.scenario == scenario).unwrap()
        };
        let keeps = of("keeps-answers");
        assert_eq!(keeps.verdict, Verdict::ContractFailed, "{keeps:?}");
        // A hash takes so long that the second answer to the witness may come after the load.
        let asked = format!("load, POST /test/{scenario} `{{\"payload\":\"");
        let (when, _) = keeps.reasons[0].split_once(&asked).unwrap();
        assert!(["under ", "after the "].contains(&when), "{keeps:?}");
        assert!(keeps.reasons[0].contains(told), "{keeps:?}");
        assert!(keeps.metrics.is_empty());
        assert!(of("good").verdict <= Verdict::EnvironmentFailed, "{:?}", of("good"));
    }
}

/// Everything that `ask` sends to an address, as requests: each gets an answer, though not a good one. The load and the prover keep a
/// connection open, and end it when they are done.
fn heard(ask: impl FnOnce(SocketAddr) + Send) -> Vec<String> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let requests = Mutex::new(Vec::new());
    thread::scope(|scope| {
        let asked = scope.spawn(move || ask(address));
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        while let Some(request) = request(&mut stream) {
            let port = address.port().to_string();
            requests.lock().unwrap().push(request.replace(&port, "PORT"));
            let answer = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
            stream.write_all(answer).unwrap();
        }
        asked.join().unwrap();
    });
    requests.into_inner().unwrap()
}

/// The head and body of the next request; `None` at the end of the connection.
fn request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; 4096];
        let read = match stream.read(&mut chunk) {
            // A client of WebSocket that is answered with something else leaves it unread.
            Err(error) if error.kind() == ErrorKind::ConnectionReset => 0,
            read => read.unwrap(),
        };
        bytes.extend_from_slice(&chunk[..read]);
        if read == 0 {
            assert!(bytes.is_empty(), "half a request");
            return None;
        }
        // A letter of two bytes may have come by half.
        let Ok(request) = std::str::from_utf8(&bytes) else {
            continue;
        };
        let Some((head, body)) = request.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head
            .split_once("content-length: ")
            .map_or(0, |(_, rest)| rest.lines().next().unwrap().parse::<usize>().unwrap());
        if body.len() >= length {
            return Some(request.to_owned());
        }
    }
}

/// What a request says beside its body, and its body.
fn parts(request: &str) -> (&str, &str) {
    request.split_once("\r\n\r\n").unwrap()
}

/// The head of a request of a load, without the path that was drawn for it.
fn head_of(asked: &Asked<'_>, request: &str) -> String {
    let (head, _) = parts(request);
    let path = head.split(' ').nth(1).unwrap();
    assert!(asked.paths().iter().any(|known| known == path), "{request}");
    head.replacen(path, "PATH", 1)
}

#[test]
fn a_websocket_is_opened_by_the_prover_as_by_the_load() {
    let profiles = Profiles::built_in();
    let generator = Generator::new(GeneratorKind::Oha, oha(), &[0]).unwrap();
    let scenario = Scenario {
        connections: 1,
        ..profiles
            .scenario("websocket-64", profiles.profile("services").unwrap())
            .unwrap()
    };
    let asked = Asked::of(&scenario);
    let load = heard(|address| drop(generator.drive(&asked, 0.1, address, || true).unwrap()));
    let client = |address| Client::new(address, Protocol::Http1).unwrap();
    let witness = heard(|address| drop(contract::prove_beside(&asked, &client(address), 1).unwrap()));
    let without_key = |requests: &[String]| -> Vec<String> {
        let (head, key) = requests[0].split_once("Sec-WebSocket-Key: ").unwrap();
        let (_, rest) = key.split_once("\r\n").unwrap();
        vec![head.to_owned(), rest.to_owned()]
    };
    assert_eq!(without_key(&load), without_key(&witness));
}

#[test]
fn the_prover_asks_as_the_load_generator_does() {
    let profiles = Profiles::built_in();
    let generator = Generator::new(GeneratorKind::Oha, oha(), &[0]).unwrap();
    // To the fortunes the prover says nothing without a database; its request has neither body nor number.
    for name in profiles.scenario_names().filter(|name| *name != "fortunes") {
        let built_in = profiles.scenario(name, profiles.profile("quick").unwrap()).unwrap();
        let is_socket = built_in.service.is_some_and(|served| served.message_bytes.is_some());
        // Over a network of the run's own, plaintext is asked as everywhere.
        let is_elsewhere = built_in.round_trip_us.is_some();
        if built_in.protocol != Protocol::Http1 || built_in.varies.is_some() || is_socket || is_elsewhere {
            continue;
        }
        let scenario = Scenario {
            connections: 1,
            requests: Some(20),
            ..built_in
        };
        let asked = Asked::of(&scenario);
        let load = heard(|address| drop(generator.drive(&asked, 10.0, address, || true).unwrap()));
        assert_eq!(load.len(), 20, "{name}");
        let client = |address| Client::new(address, Protocol::Http1).unwrap();
        let witness = heard(|address| {
            let client = client(address);
            for seed in 0..20 {
                // It does not like the answer; only what it asked is of interest.
                let _ = contract::prove_beside(&asked, &client, seed).unwrap();
            }
        });
        let weighed = heard(|address| drop(contract::answer_size(&asked, &client(address), 1)));
        for request in load.iter().chain(&witness).chain(&weighed) {
            let (_, body) = parts(request);
            assert_eq!(head_of(&asked, request), head_of(&asked, &load[0]), "{name}");
            let of_the_load = asked.bodies().iter().any(|known| known == body);
            assert!(
                of_the_load || (body.is_empty() && asked.bodies().is_empty()),
                "{request}"
            );
        }
        // Each draws among the same bodies, and neither of them always draws the same.
        if asked.bodies().len() > 1 {
            for requests in [&load, &witness] {
                assert!(requests.iter().any(|request| *request != requests[0]), "{name}");
            }
            // Before a load, the prover's word differs in its letters only.
            let before = heard(|address| {
                let _ = contract::prove_request(&scenario, &client(address), 1).unwrap();
            });
            assert_eq!(parts(&before[0]).0, parts(&load[0]).0, "{name}");
            assert_eq!(parts(&before[0]).1.len(), parts(&load[0]).1.len(), "{name}");
        }
    }
}
