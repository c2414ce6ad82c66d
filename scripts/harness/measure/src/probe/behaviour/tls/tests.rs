use std::net::{TcpListener, TcpStream};
use std::thread;

use model::probe::ProbeOutcome::{Failed, NotApplicable, Passed};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection};

use super::*;
use crate::probe::KEPT;
use crate::probe::behaviour::fake;
use crate::probe::case::{Case, Course};

/// A server of rustls that answers each connection once and closes it, in order if `notifies`. It ends with the test.
fn correct(alpn: bool, notifies: bool) -> SocketAddr {
    let own = Certificate::own().unwrap();
    let chain = vec![CertificateDer::from_pem_file(&own.cert).unwrap()];
    let key = PrivateKeyDer::from_pem_file(&own.key).unwrap();
    let mut config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    if alpn {
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
    }
    let config = Arc::new(config);
    serve(move |stream| {
        let mut stream = StreamOwned::new(ServerConnection::new(Arc::clone(&config)).unwrap(), stream);
        let mut part = [0; 4096];
        let read = stream.read(&mut part);
        if read.is_ok_and(|bytes| bytes > 0) {
            let _ = stream
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\nHello, World!");
            if notifies {
                stream.conn.send_close_notify();
            }
        }
        while stream.conn.wants_write() && stream.conn.write_tls(&mut stream.sock).is_ok() {}
    })
}

fn put(id: &str, address: SocketAddr) -> io::Result<Attempt> {
    let case = Case::built_in().into_iter().find(|case| case.about.id == id).unwrap();
    match case.course {
        Course::Exchange(exchange) => Ok(exchange.put_to(address, case.about.level)),
        Course::Act(OnServer(act)) => act(fake::watched(address)),
        other => panic!("{id} is {other:?}"),
    }
}

fn serve(answer: impl Fn(TcpStream) + Clone + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let answer = answer.clone();
            thread::spawn(move || answer(stream.unwrap()));
        }
    });
    address
}

/// Reads a little, sends these bytes, and closes.
fn says(bytes: &'static [u8]) -> SocketAddr {
    serve(move |mut stream| {
        let _ = stream.read(&mut [0; 4096]);
        let _ = stream.write_all(bytes);
    })
}

fn each_case() -> impl Iterator<Item = &'static str> {
    ACTS.iter().map(|(id, _)| *id).chain(["tls-plain-http", "tls-garbage"])
}

#[test]
fn a_correct_server_passes() {
    let server = correct(true, true);
    for id in each_case() {
        let attempt = put(id, server).unwrap();
        assert_eq!(attempt.outcome, Passed, "{id}: {attempt:?}");
    }
    assert_eq!(
        put("tls-alpn-none", correct(false, true)).unwrap().outcome,
        NotApplicable
    );
}

#[test]
fn each_case_fails_on_a_server_that_breaks_it() {
    let old = says(&[22, 3, 2, 0, 60, 2, 0, 0, 56, 3, 2, 0]);
    let plain = says(b"HTTP/1.1 200 OK\r\n\r\n");
    let silent = serve(|stream| {
        thread::sleep(Duration::from_secs(20));
        drop(stream);
    });
    let cuts = correct(true, false);
    let on = |id| match id {
        "tls-1-1" => old,
        "tls-1-2" | "tls-plain-http" | "tls-alpn-none" => plain,
        "tls-garbage" => silent,
        "tls-close-notify" => cuts,
        _ => panic!("no server breaks {id}"),
    };
    for id in each_case() {
        let attempt = put(id, on(id)).unwrap();
        assert_eq!(attempt.outcome, Failed, "{id}: {attempt:?}");
    }
}

/// Whatever a server does, a case ends, and keeps little of what comes.
#[test]
fn no_server_holds_a_case_up() {
    let endless = |bytes: &'static [u8], pause: u64| {
        serve(move |mut stream| {
            while stream.write_all(bytes).is_ok() {
                thread::sleep(Duration::from_millis(pause));
            }
        })
    };
    let servers = [
        // A record of a handshake, a byte at a time; garbage; and records of alerts that end nothing.
        endless(&[22], 100),
        endless(&[b'x'; 16 << 10], 0),
        endless(&[21, 3, 3, 0, 2, 1, 90], 0),
    ];
    let began = Instant::now();
    thread::scope(|scope| {
        for (id, server) in each_case().flat_map(|id| servers.iter().map(move |server| (id, server))) {
            scope.spawn(move || {
                // An error is a case that could not be made, which ends it as well.
                let received = put(id, *server).map_or(0, |attempt| attempt.received.len());
                assert!(received <= 4 * KEPT + 4, "{id} kept {received} bytes");
            });
        }
    });
    assert!(began.elapsed() < Duration::from_mins(1), "{:?}", began.elapsed());
}
