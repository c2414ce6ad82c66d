//! Files of this process that servers read as users of their own: a certificate, and what they serve as files. Both are made when one of
//! them is first needed.

use std::fs;
use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::version::TLS13;
use rustls::{ClientConfig, RootCertStore};
use tempfile::TempDir;

use crate::workload::unforeseen;
use model::scenario::Protocol;

/// Made once, however many threads need it. Statics are never dropped: see [`Removal`].
static OWN: OnceLock<Result<SharedFiles, String>> = OnceLock::new();

/// Everybody may read.
const FOLDER: u32 = 0o755;
const FILE: u32 = 0o644;

pub(crate) struct SharedFiles {
    folder: TempDir,
    pub certificate: Certificate,
    pub served: ServedFiles,
}

/// The files of this process.
pub(crate) fn own() -> io::Result<&'static SharedFiles> {
    let make = || {
        let folder = tempfile::Builder::new()
            .prefix("bench-files-")
            .permissions(Permissions::from_mode(FOLDER))
            .tempdir()?;
        Ok(SharedFiles {
            certificate: Certificate::make(&make_folder(folder.path(), "tls")?)?,
            served: ServedFiles::make(&make_folder(folder.path(), "served")?)?,
            folder,
        })
    };
    let own = OWN.get_or_init(|| make().map_err(|error: io::Error| error.to_string()));
    own.as_ref().map_err(|error| io::Error::other(error.clone()))
}

/// Makes a folder that servers may read.
pub(crate) fn make_folder(parent: &Path, name: &str) -> io::Result<PathBuf> {
    let path = parent.join(name);
    DirBuilder::new().mode(FOLDER).create(&path)?;
    fs::set_permissions(&path, Permissions::from_mode(FOLDER))?;
    Ok(path)
}

/// Writes a file that servers may read.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::write(path, bytes)?;
    fs::set_permissions(path, Permissions::from_mode(FILE))
}

/// Removes the files of this process when it is dropped; `main` holds it.
#[derive(Debug)]
pub struct Removal;

impl Drop for Removal {
    fn drop(&mut self) {
        if let Some(Ok(own)) = OWN.get() {
            let _ = fs::remove_dir_all(own.folder.path()); // there is nobody left to tell
        }
    }
}

/// Names and sizes, in bytes.
const FILES: [(&str, usize); 2] = [("4k.bin", 4096), ("1m.bin", 1 << 20)];
/// A file next to the folder, which no server may send.
const SECRET: &str = "secret.txt";

/// A folder of random files for servers of services: new ones for each process, so that no server can have them beforehand.
#[derive(Debug)]
pub struct ServedFiles {
    /// What a server serves.
    pub folder: PathBuf,
    /// A file outside of it.
    pub secret: PathBuf,
    /// Names of the files, and what they have in them.
    pub contents: Vec<(&'static str, Vec<u8>)>,
}

impl ServedFiles {
    /// The files of this process.
    pub fn own() -> io::Result<&'static Self> {
        own().map(|own| &own.served)
    }

    fn make(around: &Path) -> io::Result<Self> {
        let folder = make_folder(around, "files")?;
        let mut rng = ChaCha8Rng::seed_from_u64(unforeseen());
        let mut contents = Vec::new();
        for (name, size) in FILES {
            let mut bytes = vec![0; size];
            rng.fill_bytes(&mut bytes);
            write(&folder.join(name), &bytes)?;
            contents.push((name, bytes));
        }
        let secret = around.join(SECRET);
        write(&secret, format!("{:016x}", rng.next_u64()).as_bytes())?;
        Ok(Self {
            folder,
            secret,
            contents,
        })
    }
}

/// Names that the certificate is for.
const NAMES: [&str; 2] = ["localhost", "127.0.0.1"];

/// A key and a certificate for this machine, as files. A key in the repository would not be secret and would expire; making one
/// takes a millisecond.
#[derive(Debug)]
pub struct Certificate {
    /// The certificate in PEM format.
    pub cert: PathBuf,
    /// Its key in PEM format.
    pub key: PathBuf,
    der: CertificateDer<'static>,
}

impl Certificate {
    /// The certificate of this process.
    pub fn own() -> io::Result<&'static Self> {
        own().map(|own| &own.certificate)
    }

    /// Makes one in `folder`.
    fn make(folder: &Path) -> io::Result<Self> {
        let names: Vec<String> = NAMES.map(str::to_owned).into();
        let generated = rcgen::generate_simple_self_signed(names).map_err(io::Error::other)?;
        // The key proves nothing to anybody but this process.
        let [cert, key] = ["cert.pem", "key.pem"].map(|name| folder.join(name));
        write(&cert, generated.cert.pem().as_bytes())?;
        write(&key, generated.signing_key.serialize_pem().as_bytes())?;
        let der = generated.cert.der().clone();
        Ok(Self { cert, key, der })
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
