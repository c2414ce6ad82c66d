//! A `ClientHello` of versions that rustls does not speak, byte by byte (RFC 5246, section 7.4.1.2).

/// The newest version that the client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// RFC 4346.
    Tls11,
    /// RFC 5246.
    Tls12,
}

/// The cipher suites that a server with a key of ECDSA or RSA may choose: ECDHE with AES in GCM and CBC, or `ChaCha20`.
const SUITES: [u16; 12] = [
    0xc02b, 0xc02c, 0xcca9, 0xc02f, 0xc030, 0xcca8, 0xc009, 0xc00a, 0xc013, 0xc014, 0x009c, 0x002f,
];
/// Extensions: groups x25519 and P-256, points that are not compressed, signatures by ECDSA and RSA, extended master secret.
const EXTENSIONS: &[u8] = &[
    0, 10, 0, 6, 0, 4, 0, 29, 0, 23, //
    0, 11, 0, 2, 1, 0, //
    0, 13, 0, 14, 0, 12, 4, 3, 5, 3, 8, 4, 4, 1, 5, 1, 2, 1, //
    0, 23, 0, 0,
];

/// The hello in one record. Its random number is always the same: nobody goes on with the handshake.
pub fn client_hello(version: Version) -> Vec<u8> {
    let minor = match version {
        Version::Tls11 => 2,
        Version::Tls12 => 3,
    };
    let mut body = vec![3, minor];
    body.extend([0x5a; 32]);
    body.push(0); // no session
    body.extend(length(SUITES.len() * 2));
    body.extend(SUITES.iter().flat_map(|suite| suite.to_be_bytes()));
    body.extend([1, 0]); // no compression
    body.extend(length(EXTENSIONS.len()));
    body.extend(EXTENSIONS);
    let mut record = vec![22, 3, 1];
    record.extend(length(body.len() + 4));
    record.extend([1, 0]);
    record.extend(length(body.len()));
    record.extend(body);
    record
}

fn length(bytes: usize) -> [u8; 2] {
    u16::try_from(bytes).unwrap_or(u16::MAX).to_be_bytes()
}
