//! What is sent in pieces: the chunks of `GET /stream/{seed}`, and the events of `GET /events/{seed}`.

use std::time::Duration;

/// Chunks of a stream.
pub const CHUNKS: u32 = 100;
/// Bytes of a chunk.
pub const CHUNK_BYTES: usize = 1024;
/// Events that a listener gets.
pub const EVENTS: u32 = 20;
/// From one event to the next, and from the request to the first: the last is due after 200 ms.
pub const EVENT_EVERY: Duration = Duration::from_millis(10);

const LETTERS: &[u8; 26] = b"abcdefghijklmnopqrstuvwxyz";

/// The chunk with this index, from 0: made on demand, so that a server that wants all of them before it sends one pays
/// with the time to its first byte.
#[must_use]
pub fn chunk(seed: u32, index: u32) -> Vec<u8> {
    let letter = LETTERS[(seed.wrapping_add(index) % 26) as usize];
    vec![letter; CHUNK_BYTES]
}

/// The data of the event with this number, from 1.
#[must_use]
pub fn event(seed: u32, number: u32) -> String {
    format!("{seed}-{number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_and_events_are_their_seeds() {
        assert_eq!(chunk(1, 0), vec![b'b'; 1024]);
        assert_eq!(chunk(u32::MAX, 1), vec![b'a'; 1024]);
        assert_eq!(event(7, 20), "7-20");
    }
}
