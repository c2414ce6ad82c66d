//! An answer in pieces: Astra reads a body from what is `Read`, as much as one call gives at a time.

use std::io::{self, Cursor, Read};

use services_contract::CHUNKS;

/// The chunks of a seed, each made when the one before it has been read.
pub struct Chunks {
    seed: u32,
    next: u32,
    chunk: Cursor<Vec<u8>>,
}

impl Chunks {
    pub fn new(seed: u32) -> Self {
        Self {
            seed,
            next: 0,
            chunk: Cursor::default(),
        }
    }
}

impl Read for Chunks {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.chunk.read(buffer)?;
        if read > 0 || self.next == CHUNKS {
            return Ok(read);
        }
        self.chunk = Cursor::new(services_contract::chunk(self.seed, self.next));
        self.next += 1;
        self.chunk.read(buffer)
    }
}
