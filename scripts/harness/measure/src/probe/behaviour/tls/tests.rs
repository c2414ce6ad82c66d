use std::net::TcpListener;

use record::probe::ProbeOutcome::{Failed, NotApplicable, Passed};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection};

use super::*;

/// A server of rustls that answers each connection once and closes it, in order if `notifies`. It ends with the test.
fn correct(alpn: bool, notifies: bool) -> SocketAddr {
    let own = Certificate::own().unwrap();
    let chain = vec![CertificateDer::from_pem_file(own.cert()).unwrap()];
    let key = PrivateKeyDer::from_pem_file(own.key()).unwrap();
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

#[test]
fn a_correct_server_passes() {
    let address = correct(true, true);
    for attempt in [
        version(address, hello::Version::Tls11),
        version(address, hello::Version::Tls12),
        alpn_without_common(address),
        no_tls(address, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        no_tls(address, &[0xff; 600]),
        close_notify(address),
        cut(address, i32::try_from(std::process::id()).unwrap()),
        stalled(address),
    ] {
        let attempt = attempt.unwrap();
        assert_eq!(attempt.outcome, Passed, "{attempt:?}");
    }
    assert_eq!(
        alpn_without_common(correct(false, true)).unwrap().outcome,
        NotApplicable
    );
}

#[test]
fn servers_that_break_the_cases_fail() {
    let old = says(&[22, 3, 2, 0, 60, 2, 0, 0, 56, 3, 2, 0]);
    let plain = says(b"HTTP/1.1 200 OK\r\n\r\n");
    let silent = serve(|stream| {
        thread::sleep(Duration::from_secs(20));
        drop(stream);
    });
    for attempt in [
        version(old, hello::Version::Tls11),
        version(plain, hello::Version::Tls12),
        version(silent, hello::Version::Tls12),
        no_tls(plain, b"GET / HTTP/1.1\r\n\r\n"),
        no_tls(silent, &[0xff; 600]),
        alpn_without_common(plain),
        stalled(silent),
        cut(silent, i32::try_from(std::process::id()).unwrap()),
        close_notify(correct(true, false)),
    ] {
        let attempt = attempt.unwrap();
        assert_eq!(attempt.outcome, Failed, "{attempt:?}");
    }
}
