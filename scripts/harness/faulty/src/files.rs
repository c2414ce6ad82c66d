//! Files of a folder, and a listing that is compressed.

use std::fs;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::http::{Request, Response};
use crate::services::{Fault, Services};

pub const FOLDER: &str = "/static/";
/// No file changes while a server runs: one date is enough.
const DATE: &str = "Wed, 25 Nov 2026 00:00:00 GMT";
const WORDS: &str = "amber basket bright candle copper cotton delta ember fabric garden glass harbor indigo jasmine kettle lantern \
                     linen maple meadow nickel olive paper quartz ribbon saddle silver timber umber velvet willow woolen zephyr";

pub fn answer(server: &Services, request: &Request) -> Response {
    let fault = server.fault;
    let name = request.path.trim_start_matches(FOLDER);
    let follows = fault == Fault::Careless;
    let folder = server.settings.files.display();
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.') && !name.starts_with('.');
    let Some(content) = (is_plain || follows)
        .then(|| fs::read(format!("{folder}/{name}")).ok())
        .flatten()
    else {
        return Response::text(404, "no such file");
    };
    if request.field("if-modified-since") == DATE && fault != Fault::Careless {
        return Response::new(304, "application/octet-stream", Vec::new());
    }
    let length = content.len();
    let mut whole = Response::new(200, "application/octet-stream", content);
    whole.fields = format!("last-modified: {DATE}\r\n");
    let Some((first, last)) = request
        .field("range")
        .strip_prefix("bytes=")
        .and_then(|range| range.split_once('-'))
    else {
        return whole;
    };
    let number = |text: &str| text.parse::<usize>().ok();
    let (first, last) = match (number(first), number(last)) {
        (Some(first), last) => (first, last.unwrap_or(length).min(length - 1)),
        (None, Some(count)) => (length - count.min(length), length - 1),
        (None, None) => return whole,
    };
    if first > last {
        return Response::text(416, "no such part");
    }
    // One byte to the left, where there is one.
    let moved = usize::from(fault == Fault::Careless && first > 0);
    let part = whole.body[first - moved..=last - moved].to_vec();
    let mut answer = Response::new(206, "application/octet-stream", part);
    answer.fields = format!("content-range: bytes {first}-{last}/{length}\r\n");
    answer
}

pub fn listing(server: &Services, request: &Request) -> Response {
    let Some(seed) = request
        .path
        .strip_prefix("/listing/")
        .and_then(|seed| seed.parse::<u32>().ok())
    else {
        return Response::text(400, "no seed");
    };
    let mut answer = Response::json(&of_seed(seed));
    if request.field("accept-encoding") != "gzip" {
        return answer;
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let _ = encoder.write_all(&answer.body); // a Vec takes everything
    let packed = server.kept(&server.first_listing, encoder.finish().unwrap_or_default());
    if server.fault != Fault::Careless {
        answer = Response::new(200, answer.content_type, packed);
    }
    answer.fields = "content-encoding: gzip\r\n".into();
    answer
}

fn of_seed(seed: u32) -> Value {
    let words: Vec<&str> = WORDS.split(' ').filter(|word| !word.is_empty()).collect();
    let mut state = u64::from(seed);
    let mut next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    let text = |bits: u64, count: u32| {
        let word = |number: u32| words[(bits >> (5 * number) & 31) as usize];
        (0..count).map(word).collect::<Vec<_>>().join(" ")
    };
    let item = |id: u32| {
        let (name, about, cents, stocked) = (next(), next(), next(), next());
        json!({ "id": id, "name": text(name, 2), "about": text(about, 8), "cents": 1000 + (cents & 255) * 35, "stocked": stocked & 1 == 1 })
    };
    json!({ "items": (0..163).map(item).collect::<Vec<_>>() })
}
