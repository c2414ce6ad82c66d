//! Servers that behave for the prover and cheat under load, or that work where nobody looks: what becomes of them.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use measure::confine;
use measure::contract::Client;
use record::scenario::Protocol;
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

/// The head and body of the only request that `ask` sends to an address; it gets a good answer.
fn heard(ask: impl FnOnce(SocketAddr) + Send) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::scope(|scope| {
        let asked = scope.spawn(move || ask(address));
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let mut request = Vec::new();
        let mut chunk = [0; 4096];
        let is_whole = |request: &[u8]| {
            let text = String::from_utf8_lossy(request);
            let Some((head, body)) = text.split_once("\r\n\r\n") else {
                return false;
            };
            !head.contains("content-length") || !body.is_empty()
        };
        while !is_whole(&request) {
            let read = stream.read(&mut chunk).unwrap();
            assert!(read > 0, "half a request: {}", String::from_utf8_lossy(&request));
            request.extend_from_slice(&chunk[..read]);
        }
        stream
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
            .unwrap();
        drop(stream);
        asked.join().unwrap();
        String::from_utf8(request)
            .unwrap()
            .replace(&address.port().to_string(), "PORT")
    })
}

#[test]
fn the_prover_asks_as_the_load_generator_does() {
    const BODY: &str = r#"{"payload":"world"}"#;
    let load = |arguments: &[&str], path: &str| {
        heard(|address| {
            let mut command = Command::new(oha());
            command
                .args(["--no-tui", "--disable-compression", "--redirect=0", "-c1", "-n1"])
                .args(arguments);
            command.arg(format!("http://{address}{path}"));
            let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
            assert!(status.success());
        })
    };
    let client = |address| Client::new(address, Protocol::Http1).unwrap();
    let got = heard(|address| drop(client(address).get("/hello").unwrap()));
    assert_eq!(got, load(&["--method=GET"], "/hello"));
    let posted = heard(|address| drop(client(address).post("/test/simple", BODY).unwrap()));
    let body = format!("-d{BODY}");
    assert_eq!(
        posted,
        load(&["--method=POST", &body, "-Tapplication/json"], "/test/simple")
    );
}
