//! Servers that break the cases on purpose, and some that try to break the probe.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::thread;
use std::time::{Duration, Instant};

use super::super::KEPT;
use super::super::behaviour::fake;
use super::super::case::{Case, Course};
use super::*;
use machine::parallel_map::parallel_map;
use model::probe::{ProbeCase, ProbeOutcome};

/// A server that answers the first bytes of each connection with `reply` as often as it says, and then closes or waits. It ends with
/// the test.
fn server(reply: &'static [u8], times: usize, closes: bool) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            thread::spawn(move || {
                let _ = stream.read(&mut [0; 4096]);
                for _ in 0..times {
                    if stream.write_all(reply).is_err() {
                        return;
                    }
                }
                if !closes {
                    // Until the client is gone.
                    let _ = std::io::copy(&mut stream, &mut std::io::sink());
                }
            });
        }
    });
    address
}

fn passed(attempt: &Attempt) -> bool {
    attempt.outcome == ProbeOutcome::Passed
}

fn exchanges() -> impl Iterator<Item = (ProbeCase, Exchange)> {
    Case::built_in().into_iter().filter_map(|case| match case.course {
        Course::Exchange(exchange) => Some((case.about, exchange)),
        _ => None,
    })
}

fn on(address: SocketAddr, id: &str) -> Attempt {
    let (about, exchange) = exchanges().find(|(about, _)| about.id == id).unwrap();
    exchange.put_to(address, about.level)
}

#[test]
fn each_case_fails_on_a_server_that_breaks_it() {
    const FAULT: &[u8] = b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n";
    let servers = [
        server(FAULT, 1, true),
        server(FAULT, 1, false),
        server(b"hello", 1, true),
    ];
    // Those that are alone have other tests.
    let can_fail = |(about, exchange): &(ProbeCase, Exchange)| !exchange.alone && about.level != Level::Observed;
    let exchanges: Vec<(ProbeCase, Exchange)> = exchanges().filter(can_fail).collect();
    parallel_map(&[(); 8], &exchanges, |(), (about, exchange)| {
        let passes = |server: &SocketAddr| passed(&exchange.put_to(*server, about.level));
        assert!(!servers.iter().all(passes), "{} passes on each of them", about.id);
        Ok::<_, ()>(())
    })
    .unwrap();
}

#[test]
fn a_case_that_no_framework_passes_can_be_passed() {
    let strict = server(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", 1, true);
    assert!(passed(&on(strict, "host-invalid")));
}

#[test]
fn a_body_and_a_field_that_are_demanded_are_looked_at() {
    let other = server(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", 1, false);
    let attempt = on(other, "plain-get");
    assert!(!passed(&attempt));
    assert_eq!(attempt.got, "200 open, with another body");
    assert_eq!(attempt.received, "HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nhi");
    let attempt = on(other, "date");
    assert_eq!(
        (passed(&attempt), attempt.got.as_str()),
        (false, "200 open, without date")
    );
    let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    let attempt = on(server(chunked, 1, true), "http10-streamed");
    assert_eq!(
        (passed(&attempt), attempt.got.as_str()),
        (false, "200 closed, with transfer-encoding")
    );
    let right = b"HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 13\r\n\r\nHello, World!";
    let right = server(right, 1, false);
    assert!(passed(&on(right, "plain-get")) && passed(&on(right, "date")));
    // An answer too many is none that is allowed.
    let twice = server(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 2, false);
    assert_eq!(on(twice, "value-empty").got, "200 200 open");
}

#[test]
fn a_panic_is_a_500_or_an_end() {
    let outcome = |address| on(address, "handler-panics").outcome;
    let says = |reply| outcome(server(reply, 1, true));
    assert_eq!(
        says(b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"),
        ProbeOutcome::Passed
    );
    assert_eq!(says(b""), ProbeOutcome::Passed);
    let refused = says(b"HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(refused, ProbeOutcome::NotApplicable);
    // It answers 200 to everything.
    assert_eq!(outcome(fake::each_by_a_thread()), ProbeOutcome::Failed);
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    assert_eq!(outcome(silent.local_addr().unwrap()), ProbeOutcome::Failed);
}

#[test]
fn no_server_holds_the_probe_up() {
    let began = Instant::now();
    let silent = server(b"", 1, false);
    assert_eq!(on(silent, "plain-get").got, "silent");
    let endless_head = server(b"X-Endless: header\r\n", usize::MAX, false);
    assert!(on(endless_head, "plain-get").got.starts_with("no HTTP"));
    let huge = server(&[b'x'; 8192], usize::MAX, false);
    let attempt = on(huge, "plain-get");
    assert!(
        attempt.got.starts_with("no HTTP") && attempt.received.len() < 2 * KEPT,
        "{}",
        attempt.got
    );
    let large_answer = server(b"HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n", 1, false);
    assert_eq!(on(large_answer, "plain-get").got, "no HTTP open");
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert!(on(closed, "plain-get").got.starts_with("no connection"));
    assert!(began.elapsed() < Duration::from_mins(1), "{:?}", began.elapsed());
}
