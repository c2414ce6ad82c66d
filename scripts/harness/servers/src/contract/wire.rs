//! The protocol spoken with a server: the version of HTTP, and TLS with a certificate that this process makes.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::version::TLS13;
use rustls::{ClientConfig, RootCertStore};

use crate::shared_files;
use model::scenario::Protocol;

/// Names that the certificate is for.
const NAMES: [&str; 2] = ["localhost", "127.0.0.1"];

/// A key and a certificate for this machine, as files. A key in the repository would not be secret and would expire; making one
/// takes a millisecond.
#[derive(Debug)]
pub struct Certificate {
    folder: PathBuf,
    der: CertificateDer<'static>,
}

impl Certificate {
    /// The certificate of this process.
    pub fn own() -> io::Result<&'static Self> {
        shared_files::own().map(|own| &own.certificate)
    }

    /// Makes one in `folder`.
    pub(crate) fn make(folder: PathBuf) -> io::Result<Self> {
        let names: Vec<String> = NAMES.map(str::to_owned).into();
        let generated = rcgen::generate_simple_self_signed(names).map_err(io::Error::other)?;
        // The key proves nothing to anybody but this process.
        let (cert, key) = (generated.cert.pem(), generated.signing_key.serialize_pem());
        shared_files::write(&folder.join("cert.pem"), cert.as_bytes())?;
        shared_files::write(&folder.join("key.pem"), key.as_bytes())?;
        let der = generated.cert.der().clone();
        Ok(Self { folder, der })
    }

    /// The certificate in PEM format.
    pub fn cert(&self) -> PathBuf {
        self.folder.join("cert.pem")
    }

    /// Its key in PEM format.
    pub fn key(&self) -> PathBuf {
        self.folder.join("key.pem")
    }

    /// A client that trusts only this certificate and speaks only TLS 1.3 and this version of HTTP, so that a server that
    /// prefers something older fails.
    pub fn client(&self, protocol: Protocol) -> io::Result<Arc<ClientConfig>> {
        let mut roots = RootCertStore::empty();
        roots.add(self.der.clone()).map_err(io::Error::other)?;
        let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&[&TLS13])
            .map_err(io::Error::other)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![alpn(protocol).to_vec()];
        Ok(Arc::new(config))
    }
}

/// Name of the version of HTTP within TLS (RFC 7301).
pub fn alpn(protocol: Protocol) -> &'static [u8] {
    if protocol.is_http2() { b"h2" } else { b"http/1.1" }
}
