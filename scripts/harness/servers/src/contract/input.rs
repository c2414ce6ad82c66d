//! What proofs send: random input, or the requests of a load that is under way.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::client::Field;
use crate::service_input::letters;
use crate::workload::{Word, Workload};

/// The input of some proofs.
pub(super) struct Input<'a> {
    /// What else is random.
    pub rng: ChaCha8Rng,
    /// The load that is under way. Then a proof sends requests of that load and no others, or the server would recognise it, and
    /// changes nothing beneath the server.
    pub load: Option<&'a Workload<'a>>,
}

impl<'a> Input<'a> {
    /// Random input from `seed`, for proofs with or without a load.
    pub fn new(seed: u64, load: Option<&'a Workload<'a>>) -> Self {
        let rng = ChaCha8Rng::seed_from_u64(seed);
        Self { rng, load }
    }

    /// Whether the server is under load by others.
    pub fn is_witness(&self) -> bool {
        self.load.is_some()
    }

    /// Path and query of a request of the load, if there is one.
    pub fn path_of_load(&mut self) -> Option<&'a str> {
        self.load.map(|workload| workload.path(&mut self.rng))
    }

    /// Fields that requests of the load have in their head besides the usual ones.
    pub fn fields_of_load(&self) -> &'a [Field] {
        self.load.map_or(&[], |load| &load.headers)
    }

    /// A path of the load, or one that is made.
    pub fn path_or(&mut self, make: impl FnOnce(&mut ChaCha8Rng) -> String) -> String {
        let of_load = self.path_of_load().map(str::to_owned);
        of_load.unwrap_or_else(|| make(&mut self.rng))
    }

    /// A body of the load, or one that is made.
    pub fn body_or(&mut self, make: impl FnOnce(&mut ChaCha8Rng) -> String) -> String {
        let of_load = self.body_of_load().map(str::to_owned);
        of_load.unwrap_or_else(|| make(&mut self.rng))
    }

    /// A body of the load, if there is one that has bodies.
    pub fn body_of_load(&mut self) -> Option<&'a str> {
        self.load.and_then(|workload| workload.body(&mut self.rng))
    }

    /// A word of the load, or a new one.
    pub fn word(&mut self) -> String {
        let word = self.body_of_load().and_then(Word::read);
        // As many letters as in the scenarios.
        word.unwrap_or_else(|| letters(&mut self.rng, 5))
    }
}
