//! What servers make from a seed that stands in the path: listings, chunks and events. The code of `apps/services/contract` is another
//! one, so that a mistake in one of them is found.

use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use super::below;

/// Things in a listing.
const ITEMS: u32 = 163;
/// Chunks of a stream, and bytes of one.
pub const CHUNKS: usize = 100;
const CHUNK_BYTES: usize = 1024;
/// Events that a listener gets, and milliseconds from one to the next.
pub const EVENTS: u32 = 20;
pub const EVENT_EVERY_MS: u32 = 10;

const WORDS: &str = "amber basket bright candle copper cotton delta ember fabric garden glass harbor indigo jasmine kettle lantern \
                     linen maple meadow nickel olive paper quartz ribbon saddle silver timber umber velvet willow woolen zephyr";

/// A seed of ten digits, so that paths and answers are always equally long.
pub fn seed(rng: &mut ChaCha8Rng) -> u32 {
    1_000_000_000 + below(rng, 3_000_000_000)
}

/// The seed of a path such as `/listing/1234567890`.
pub fn seed_in(path: &str) -> Option<u32> {
    path.rsplit('/').next()?.parse().ok()
}

/// What `GET /listing/{seed}` answers.
pub fn listing(seed: u32) -> Value {
    let words: Vec<&str> = WORDS.split_ascii_whitespace().collect();
    let mut state = u64::from(seed);
    // SplitMix64, by Steele, Lea and Flood (2014).
    let mut next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    let text = |bits: u64, count: u32| {
        let word = |number: u32| words[usize::try_from(bits >> (5 * number) & 31).unwrap_or_default()];
        (0..count).map(word).collect::<Vec<_>>().join(" ")
    };
    let mut items = Vec::new();
    for id in 0..ITEMS {
        let (name, about, cents, stocked) = (next(), next(), next(), next());
        items.push(json!({
            "id": id,
            "name": text(name, 2),
            "about": text(about, 8),
            "cents": 1000 + (cents & 255) * 35,
            "stocked": stocked & 1 == 1,
        }));
    }
    json!({ "items": items })
}

/// What `GET /stream/{seed}` answers.
pub fn stream(seed: u32) -> Vec<u8> {
    let letter = |index: usize| b'a' + u8::try_from((seed as usize + index) % 26).unwrap_or_default();
    (0..CHUNKS).flat_map(|index| [letter(index); CHUNK_BYTES]).collect()
}

/// The data of the events of `GET /events/{seed}`.
pub fn events(seed: u32) -> Vec<String> {
    (1..=EVENTS).map(|number| format!("{seed}-{number}")).collect()
}

/// The data of the events in a body, as the standard has them read: "Server-sent events", HTML Living Standard, 9.2.6. `None` if it is
/// no stream of events.
pub fn data_of_events(body: &str) -> Option<Vec<String>> {
    let mut all = Vec::new();
    let mut data: Vec<&str> = Vec::new();
    for line in body.lines() {
        if line.is_empty() {
            if !data.is_empty() {
                all.push(data.join("\n"));
                data.clear();
            }
            continue;
        }
        match line.split_once(':').unwrap_or((line, "")) {
            ("data", value) => data.push(value.strip_prefix(' ').unwrap_or(value)),
            // A comment, or a field that says nothing here.
            ("" | "event" | "id" | "retry", _) => {}
            _ => return None,
        }
    }
    data.is_empty().then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_is_that_of_the_servers() {
        // As the contract of the servers has it in its own test.
        let expected = json!({
            "id": 0, "name": "ribbon kettle", "about": "velvet linen silver saddle candle timber zephyr timber", "cents": 1070,
            "stocked": true
        });
        assert_eq!(listing(7)["items"][0], expected);
        assert!((19_000..22_000).contains(&listing(7).to_string().len()));
        assert_eq!(seed_in("/listing/4294967295"), Some(u32::MAX));
    }

    #[test]
    fn a_stream_is_that_of_the_servers() {
        let stream = stream(u32::MAX);
        assert_eq!(stream.len(), 102_400);
        // 4,294,967,295 is 26 times 165,191,049 and 21.
        assert_eq!((stream[0], stream[1023], stream[1024]), (b'v', b'v', b'w'));
    }

    #[test]
    fn events_are_read_as_the_standard_has_it() {
        let read = |body| data_of_events(body).unwrap_or_default();
        assert_eq!(read("data: a\n\ndata:b\r\nid: 1\r\n\r\n: keep alive\n\n"), ["a", "b"]);
        assert_eq!(read("data: a\ndata:  b\n\n"), ["a\n b"]);
        // An event that has no end is none.
        assert_eq!(data_of_events("data: a\n"), None);
        assert_eq!(data_of_events("<html>\n\n"), None);
        assert_eq!(events(7)[19], "7-20");
    }
}
