//! The server without a database.

use contract::{MAX_BODY_BYTES, Settings, Tls};
use rocket::{
    Config,
    config::{CipherSuite, TlsConfig},
    data::{Limits, ToByteUnit},
};

use crate::config;

/// With the protocols that the others do not speak.
#[must_use]
pub fn with_protocols(settings: &Settings) -> Config {
    Config {
        tls: settings.tls.as_ref().map(tls),
        ..config(settings, Limits::default().limit("json", MAX_BODY_BYTES.bytes()))
    }
}

/// TLS 1.3 only, as the other servers have it. Rocket offers both versions of HTTP by ALPN, and cannot be set to offer
/// one.
fn tls(files: &Tls) -> TlsConfig {
    TlsConfig::from_paths(&files.cert, &files.key).with_ciphers(CipherSuite::TLS_V13_SET)
}
