//! What proofs ask with: random input, or the requests of a load that is under way.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::asked::{Asked, Word};

/// The input of some proofs.
pub(super) struct Input<'a> {
    /// What else is random.
    pub rng: ChaCha8Rng,
    /// The load beside which they ask. Then a proof asks what that load asks and nothing else, or the server would know who asks, and
    /// changes nothing beneath the server.
    beside: Option<&'a Asked<'a>>,
}

impl<'a> Input<'a> {
    /// Random input from `seed`, for proofs with or without a load.
    pub fn new(seed: u64, beside: Option<&'a Asked<'a>>) -> Self {
        Self {
            rng: ChaCha8Rng::seed_from_u64(seed),
            beside,
        }
    }

    /// Whether the server is under load by others.
    pub fn is_witness(&self) -> bool {
        self.beside.is_some()
    }

    /// Path and query of a request of the load, if there is one.
    pub fn path_of_load(&mut self) -> Option<&'a str> {
        self.beside.map(|asked| asked.path(&mut self.rng))
    }

    /// Fields of the head that requests of the load have beside the usual ones.
    pub fn headers_of_load(&self) -> &'a [(&'static str, String)] {
        self.beside.map_or(&[], Asked::headers)
    }

    /// A body of the load, if there is one that has bodies.
    pub fn body_of_load(&mut self) -> Option<&'a str> {
        self.beside.and_then(|asked| asked.body(&mut self.rng))
    }

    /// Bytes of each message of the load, if there is one over WebSocket.
    pub fn message_bytes_of_load(&self) -> Option<usize> {
        self.beside.and_then(Asked::message_bytes)
    }

    /// A word of the load, or a new one.
    pub fn word(&mut self) -> String {
        let word = self.body_of_load().and_then(Word::read);
        word.unwrap_or_else(|| Word::new(&mut self.rng)).payload
    }
}
