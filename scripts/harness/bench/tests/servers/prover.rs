//! The prover during a load: it sends what the load generator sends, so that no server can tell them apart, and finds those that cheat.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Mutex;
use std::thread;

use apps::profile::Profiles;
use generator::Generator;
use model::Verdict;
use model::scenario::{GeneratorKind, Protocol, Scenario};
use servers::contract::{self, Client};
use servers::workload::Workload;

use crate::common::{Bench, PATIENCE, cell, oha};

#[test]
fn answers_that_are_wrong_under_load_only_are_found_by_their_size_or_by_the_witness() {
    let bench = Bench::on_fixtures();
    let apps = "--app empty-under-load,wrong-under-load,good";
    let arguments = format!("{apps} --scenario plaintext --duration 200ms --connections 16 --rounds 1");
    bench.run(&arguments).fine();
    let record = bench.record();
    let cell = |app| cell(&record, app, "plaintext");
    let empty = cell("empty-under-load");
    assert_eq!(empty.verdict, Verdict::ContractFailed, "{empty:?}");
    assert_eq!(
        empty.reasons,
        ["under load, answers had 0 bytes on average; the one that was proven had 13"]
    );
    let wrong = cell("wrong-under-load");
    assert_eq!(wrong.verdict, Verdict::ContractFailed, "{wrong:?}");
    assert_eq!(
        wrong.reasons,
        ["under load, GET /: expected `Hello, World!`, got `Hello, Wurld!`"]
    );
    assert!(cell("good").verdict < Verdict::EnvironmentFailed);
    assert!(empty.metrics.is_empty() && wrong.metrics.is_empty());
}

/// The requests that `send` makes to an address: each gets an answer, though not a good one. The load and the prover keep a
/// connection open, and end it when they are done.
fn heard(send: impl FnOnce(SocketAddr) + Send) -> Vec<String> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let requests = Mutex::new(Vec::new());
    thread::scope(|scope| {
        let sender = scope.spawn(move || send(address));
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        while let Some(request) = request(&mut stream) {
            let port = address.port().to_string();
            requests.lock().unwrap().push(request.replace(&port, "PORT"));
            let answer = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
            stream.write_all(answer).unwrap();
        }
        sender.join().unwrap();
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

/// The head of a request, and its body.
fn parts(request: &str) -> (&str, &str) {
    request.split_once("\r\n\r\n").unwrap()
}

/// The head of a request of a load, without the path that was drawn for it.
fn head_of(workload: &Workload<'_>, request: &str) -> String {
    let (head, _) = parts(request);
    let path = head.split(' ').nth(1).unwrap();
    assert!(workload.paths.iter().any(|known| known == path), "{request}");
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
    let workload = Workload::of(&scenario);
    let load = heard(|address| drop(generator.drive(&workload, 0.1, address, || true).unwrap()));
    let client = |address| Client::new(address, Protocol::Http1).unwrap();
    let witness = heard(|address| drop(contract::prove_under_load(&workload, &client(address), 1).unwrap()));
    let without_key = |requests: &[String]| -> Vec<String> {
        let (head, key) = requests[0].split_once("Sec-WebSocket-Key: ").unwrap();
        let (_, rest) = key.split_once("\r\n").unwrap();
        vec![head.to_owned(), rest.to_owned()]
    };
    assert_eq!(without_key(&load), without_key(&witness));
}

#[test]
fn the_prover_sends_what_the_load_generator_sends() {
    let profiles = Profiles::built_in();
    let generator = Generator::new(GeneratorKind::Oha, oha(), &[0]).unwrap();
    // To the fortunes the prover says nothing without a database; its request has neither body nor number.
    for name in profiles.scenario_names().filter(|name| *name != "fortunes") {
        let built_in = profiles.scenario(name, profiles.profile("quick").unwrap()).unwrap();
        let is_socket = built_in.service.is_some_and(|served| served.message_bytes.is_some());
        // Over a network of the run's own, plaintext is requested as everywhere.
        let is_elsewhere = built_in.round_trip_us.is_some();
        if built_in.protocol != Protocol::Http1 || built_in.varies.is_some() || is_socket || is_elsewhere {
            continue;
        }
        let scenario = Scenario {
            connections: 1,
            requests: Some(20),
            ..built_in
        };
        let workload = Workload::of(&scenario);
        let load = heard(|address| drop(generator.drive(&workload, 10.0, address, || true).unwrap()));
        assert_eq!(load.len(), 20, "{name}");
        let client = |address| Client::new(address, Protocol::Http1).unwrap();
        let witness = heard(|address| {
            let client = client(address);
            for seed in 0..20 {
                // It rejects the answer; only its request matters.
                let _ = contract::prove_under_load(&workload, &client, seed).unwrap();
            }
        });
        let weighed = heard(|address| drop(contract::answer_size(&workload, &client(address), 1)));
        for request in load.iter().chain(&witness).chain(&weighed) {
            let (_, body) = parts(request);
            assert_eq!(head_of(&workload, request), head_of(&workload, &load[0]), "{name}");
            let of_the_load = workload.bodies.iter().any(|known| known == body);
            assert!(
                of_the_load || (body.is_empty() && workload.bodies.is_empty()),
                "{request}"
            );
        }
        // Each draws among the same bodies, and neither of them always draws the same.
        if workload.bodies.len() > 1 {
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
