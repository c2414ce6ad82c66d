//! A listing, compressed as the client wants it.

use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use serde_json::Value;

use super::same_json;
use crate::asked;
use crate::asked::ACCEPT_ENCODING;
use crate::contract::Violation;
use crate::contract::client::{Answer, Client};
use crate::contract::input::Input;
use crate::service_input::seeds;
use record::Service;

/// Most bytes of a listing, unpacked.
const MOST: u64 = 64 * 1024;

/// How a listing is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    Gzip,
    Brotli,
    Zstd,
}

impl Coding {
    /// Its name in HTTP.
    fn name(self) -> &'static str {
        let kind = match self {
            Self::Gzip => Service::Gzip,
            Self::Brotli => Service::Brotli,
            Self::Zstd => Service::Zstd,
        };
        asked::coding(kind).unwrap_or_default()
    }

    fn unpack(self, bytes: &[u8]) -> Result<Vec<u8>, String> {
        let mut unpacked = Vec::new();
        let read = match self {
            Self::Gzip => MultiGzDecoder::new(bytes).take(MOST).read_to_end(&mut unpacked),
            Self::Brotli => {
                let decoder = brotli_decompressor::Decompressor::new(bytes, 4096);
                decoder.take(MOST).read_to_end(&mut unpacked)
            }
            Self::Zstd => {
                let decoder = ruzstd::decoding::StreamingDecoder::new(bytes).map_err(|error| error.to_string())?;
                decoder.take(MOST).read_to_end(&mut unpacked)
            }
        };
        read.map(|_| unpacked).map_err(|error| error.to_string())
    }
}

pub(super) fn gzip(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    coded(client, input, Coding::Gzip)
}

pub(super) fn brotli(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    coded(client, input, Coding::Brotli)
}

pub(super) fn zstd(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    coded(client, input, Coding::Zstd)
}

fn coded(client: &Client, input: &mut Input<'_>, coding: Coding) -> Result<(), Violation> {
    if let Some(path) = input.path_of_load() {
        return unpacks(&client.get_with(path, input.headers_of_load())?, coding, path);
    }
    let path = format!("/listing/{}", seeds::seed(&mut input.rng));
    let field = |value: &str| [(ACCEPT_ENCODING, value.to_owned())];
    unpacks(&client.get_with(&path, &field(coding.name()))?, coding, &path)?;
    // A client that accepts no coding gets it as it is.
    for plain in [client.get(&path)?, client.get_with(&path, &field("identity"))?] {
        let told = plain.field("content-encoding");
        if !matches!(&*told, "" | "identity") {
            return Err(plain.violation("no Content-Encoding", format!("{told:?}")));
        }
        same_json(&plain, &expected(&path))?;
    }
    super::no_seed(client, "/listing/")
}

fn expected(path: &str) -> Value {
    seeds::seed_in(path).map(seeds::listing).unwrap_or_default()
}

fn unpacks(answer: &Answer, coding: Coding, path: &str) -> Result<(), Violation> {
    answer.expect(200, "application/json")?;
    let told = answer.field("content-encoding");
    if told != coding.name() {
        return Err(answer.violation(format!("Content-Encoding `{}`", coding.name()), format!("{told:?}")));
    }
    let unpacked = coding.unpack(&answer.body);
    let unpacked = unpacked.map_err(|error| answer.violation(format!("a body in {}", coding.name()), error))?;
    if serde_json::from_slice::<Value>(&unpacked).ok() == Some(expected(path)) {
        return Ok(());
    }
    let begin: String = String::from_utf8_lossy(&unpacked).chars().take(100).collect();
    Err(answer.violation(
        "the listing of this seed",
        format!("unpacked, `{}`", begin.escape_debug()),
    ))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn what_is_packed_unpacks_within_bounds() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packed.write_all(&vec![b'a'; 10 << 20]).unwrap();
        let bomb = packed.finish().unwrap();
        assert_eq!(Coding::Gzip.unpack(&bomb).unwrap().len(), 64 * 1024);
        // "hello", by the tools `brotli` and `zstd`.
        let brotli = [0x0b, 0x02, 0x80, b'h', b'e', b'l', b'l', b'o', 0x03];
        assert_eq!(Coding::Brotli.unpack(&brotli).unwrap(), b"hello");
        let zstd = [
            0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x05, 0x29, 0, 0, b'h', b'e', b'l', b'l', b'o',
        ];
        assert_eq!(Coding::Zstd.unpack(&zstd).unwrap(), b"hello");
        for coding in [Coding::Gzip, Coding::Brotli, Coding::Zstd] {
            assert!(coding.unpack(b"no such thing").is_err(), "{coding:?}");
        }
    }
}
