//! A listing of things that follow from a seed, compressed as the client takes it.

use std::io::{self, Write};

use flate2::{Compression, write::GzEncoder};
use hyper::{
    HeaderMap, StatusCode,
    header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderValue, VARY},
};
use serde::Serialize;

use crate::exchange::{Answer, Refusal, with_type};

#[derive(Serialize)]
struct Listing {
    items: Vec<Item>,
}

#[derive(Serialize)]
struct Item {
    id: u32,
    name: String,
    about: String,
    cents: u32,
    stocked: bool,
}

const ITEMS: u32 = 163;
const WORDS: [&str; 32] = [
    "amber", "basket", "bright", "candle", "copper", "cotton", "delta", "ember", "fabric", "garden", "glass", "harbor",
    "indigo", "jasmine", "kettle", "lantern", "linen", "maple", "meadow", "nickel", "olive", "paper", "quartz",
    "ribbon", "saddle", "silver", "timber", "umber", "velvet", "willow", "woolen", "zephyr",
];
/// What the libraries and most middleware take: level 6 of gzip, 4 of Brotli with a window of 4 MiB, 3 of Zstandard.
const BROTLI_QUALITY: u32 = 4;
const BROTLI_WINDOW: u32 = 22;
const BUFFER: usize = 4096;

/// `SplitMix64`, by Steele, Lea and Flood (2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn words(&mut self, count: u32) -> String {
        let mut bits = self.next();
        let mut words = String::with_capacity(64);
        for _ in 0..count {
            if !words.is_empty() {
                words.push(' ');
            }
            words.push_str(WORDS[usize::from(bits.to_le_bytes()[0] & 31)]);
            bits >>= 5;
        }
        words
    }
}

fn listing(seed: u32) -> Listing {
    let mut random = Random(u64::from(seed));
    let item = |id| Item {
        id,
        name: random.words(2),
        about: random.words(8),
        cents: 1000 + u32::from(random.next().to_le_bytes()[0]) * 35,
        stocked: random.next() & 1 == 1,
    };
    Listing {
        items: (0..ITEMS).map(item).collect(),
    }
}

/// The listing of a seed.
pub fn answer(seed: u32, headers: &HeaderMap) -> Result<Answer, Refusal> {
    let plain = serde_json::to_vec(&listing(seed)).map_err(Refusal::internal)?;
    let accepted = headers
        .get(ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let (coding, bytes) = match accepted {
        "gzip" => (Some("gzip"), gzip(&plain)),
        "br" => (Some("br"), brotli(&plain)),
        "zstd" => (
            Some("zstd"),
            zstd::bulk::compress(&plain, zstd::DEFAULT_COMPRESSION_LEVEL),
        ),
        _ => (None, Ok(plain)),
    };
    let mut answer = with_type(
        StatusCode::OK,
        "application/json",
        bytes.map_err(Refusal::internal)?.into(),
    );
    let fields = answer.headers_mut();
    fields.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if let Some(coding) = coding {
        fields.insert(CONTENT_ENCODING, HeaderValue::from_static(coding));
    }
    Ok(answer)
}

fn gzip(plain: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain)?;
    encoder.finish()
}

fn brotli(plain: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = brotli::CompressorWriter::new(Vec::new(), BUFFER, BROTLI_QUALITY, BROTLI_WINDOW);
    encoder.write_all(plain)?;
    Ok(encoder.into_inner())
}
