//! A listing, compressed as the client wants it.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use serde_json::Value;

use crate::contract::Violation;
use crate::contract::client::{Answer, Client};
use crate::contract::input::Input;
use crate::service_input::seeds;
use crate::workload::ACCEPT_ENCODING;

/// Most bytes of a listing, unpacked.
const MOST: u64 = 64 * 1024;

pub(super) fn coded(client: &Client, input: &mut Input<'_>, coding: &str) -> Result<(), Violation> {
    if let Some(path) = input.path_of_load() {
        return unpacks(&client.get_with(path, input.fields_of_load())?, coding, path);
    }
    let path = format!("/listing/{}", seeds::seed(&mut input.rng));
    let accepting = |value: &str| client.get_with(&path, &[(ACCEPT_ENCODING, value.to_owned())]);
    unpacks(&accepting(coding)?, coding, &path)?;
    // A client that accepts no coding gets it as it is.
    for plain in [client.get(&path)?, accepting("identity")?] {
        let named = plain.field("content-encoding");
        let is_plain = matches!(&*named, "" | "identity");
        plain.ensure(is_plain, "no Content-Encoding", format_args!("{named:?}"))?;
        plain.expect_json(200, &expected(&path))?;
    }
    Ok(())
}

fn expected(path: &str) -> Value {
    seeds::seed_in(path).map(seeds::listing).unwrap_or_default()
}

fn unpacks(answer: &Answer, coding: &str, path: &str) -> Result<(), Violation> {
    answer.expect_type(200, "application/json")?;
    let named = answer.field("content-encoding");
    let expected_coding = format!("Content-Encoding `{coding}`");
    answer.ensure(named == coding, expected_coding, format_args!("{named:?}"))?;
    let unpacked = unpack(coding, &answer.body);
    let unpacked = unpacked.map_err(|error| answer.violation(format_args!("a body in {coding}"), error))?;
    let holds = serde_json::from_slice::<Value>(&unpacked).ok() == Some(expected(path));
    let begin: String = String::from_utf8_lossy(&unpacked).chars().take(100).collect();
    let got = format!("unpacked, `{}`", begin.escape_debug());
    answer.ensure(holds, "the listing of this seed", got)
}

/// What was packed by a coding of HTTP, up to a limit.
fn unpack(coding: &str, bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    let decoder: &mut dyn Read = match coding {
        "gzip" => &mut MultiGzDecoder::new(bytes),
        "br" => &mut brotli_decompressor::Decompressor::new(bytes, 4096),
        _ => &mut ruzstd::decoding::StreamingDecoder::new(bytes)?,
    };
    let mut unpacked = Vec::new();
    decoder.take(MOST).read_to_end(&mut unpacked)?;
    Ok(unpacked)
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
        assert_eq!(unpack("gzip", &bomb).unwrap().len(), 64 * 1024);
        // "hello", by the tools `brotli` and `zstd`.
        let brotli = [0x0b, 0x02, 0x80, b'h', b'e', b'l', b'l', b'o', 0x03];
        assert_eq!(unpack("br", &brotli).unwrap(), b"hello");
        let zstd = [
            0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x05, 0x29, 0, 0, b'h', b'e', b'l', b'l', b'o',
        ];
        assert_eq!(unpack("zstd", &zstd).unwrap(), b"hello");
        for coding in ["gzip", "br", "zstd"] {
            assert!(unpack(coding, b"no such thing").is_err(), "{coding}");
        }
    }
}
