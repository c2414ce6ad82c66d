//! TLS for frameworks that take a configuration of rustls: the same for all of them, so that no framework is measured with
//! another cipher, version or cryptography than its neighbour.

use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::version::TLS13;
use rustls::{Error, ServerConfig};

use crate::{Http, Tls, cannot_start};

/// TLS 1.3 with ring, which offers by ALPN only the requested version of HTTP; or the end of the process.
#[must_use]
pub fn tls_config_or_exit(tls: &Tls, http: Http) -> ServerConfig {
    config(tls, http).unwrap_or_else(|error| cannot_start(error))
}

fn config(tls: &Tls, http: Http) -> Result<ServerConfig, String> {
    let chain = CertificateDer::pem_file_iter(&tls.cert).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let chain = chain.map_err(|error| {
        format!(
            "TLS_CERT is {}, which holds no certificate: {error}",
            tls.cert.display()
        )
    })?;
    let key = PrivateKeyDer::from_pem_file(&tls.key)
        .map_err(|error| format!("TLS_KEY is {}, which holds no private key: {error}", tls.key.display()))?;
    let unusable = |error: Error| format!("TLS_CERT and TLS_KEY cannot be used together: {error}");
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[&TLS13])
        .map_err(unusable)?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(unusable)?;
    config.alpn_protocols = match http {
        Http::One => vec![b"http/1.1".to_vec()],
        Http::Two => vec![b"h2".to_vec()],
    };
    Ok(config)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn files(folder: &Path) -> Tls {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let [cert, key] = ["cert.pem", "key.pem"].map(|name| folder.join(name));
        fs::write(&cert, made.cert.pem()).unwrap();
        fs::write(&key, made.signing_key.serialize_pem()).unwrap();
        Tls { cert, key }
    }

    #[test]
    fn the_version_of_http_is_the_only_one_offered() {
        let folder = tempfile::tempdir().unwrap();
        let tls = files(folder.path());
        assert_eq!(config(&tls, Http::One).unwrap().alpn_protocols, [b"http/1.1"]);
        assert_eq!(config(&tls, Http::Two).unwrap().alpn_protocols, [b"h2"]);
    }

    #[test]
    fn a_file_that_holds_something_else_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let tls = files(folder.path());
        fs::write(&tls.key, "nonsense").unwrap();
        let error = config(&tls, Http::One).unwrap_err();
        assert!(
            error.starts_with("TLS_KEY is") && error.contains("no private key"),
            "{error}"
        );
    }

    #[test]
    fn a_key_of_another_certificate_is_refused() {
        let [one, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let (mut tls, strange) = (files(one.path()), files(other.path()));
        tls.key = strange.key;
        let error = config(&tls, Http::Two).unwrap_err();
        assert!(error.contains("cannot be used together"), "{error}");
    }
}
