//! The work that a request costs besides its handling.

use std::{hint::black_box, time::Duration};

use ::bcrypt::BcryptError;
use serde::{Deserialize, Serialize};

use crate::Payload;

/// How long `POST /test/timed` sleeps, by the framework's own asynchronous sleep.
pub const TIMED: Duration = Duration::from_millis(20);

/// How dear a hash of `POST /test/bcrypt` is: 2^10 rounds, some 80 ms. The usual 12 would take four times that, and a
/// short trial would see too few answers.
pub const BCRYPT_COST: u32 = 10;

/// What `GET /ram` allocates, in bytes.
pub const RAM_BYTES: usize = 40 * 1024 * 1024;

/// The answer of `GET /ram`.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Ram {
    /// How much was allocated.
    pub bytes: usize,
    /// Sum of all words that were read back. The same for each request and below 2^53, so that JSON carries it exactly.
    pub checksum: u64,
}

/// Allocates [`RAM_BYTES`], fills them with numbers and reads all of them back.
#[must_use]
pub fn ram() -> Ram {
    let words = (RAM_BYTES / size_of::<u64>()) as u64;
    let memory: Vec<u64> = (0..words).collect();
    // Not known to the compiler from here on: else it would work out the sum and allocate nothing.
    let memory = black_box(memory);
    Ram {
        bytes: size_of_val(memory.as_slice()),
        checksum: memory.iter().sum(),
    }
}

/// The answer of `POST /test/simple` and `POST /test/timed`.
#[must_use]
pub fn greet(request: &Payload) -> Payload {
    Payload {
        payload: format!("Hello, {}", request.payload),
    }
}

/// The answer of `POST /test/bcrypt`: holds a worker or a thread for as long as the hash takes.
///
/// As bcrypt is defined, only the first 72 bytes count; a longer payload is no error. What is left as an error is a
/// machine without random numbers.
pub fn bcrypt(request: &Payload) -> Result<Payload, BcryptError> {
    Ok(Payload {
        payload: ::bcrypt::hash(&request.payload, BCRYPT_COST)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload(text: &str) -> Payload {
        Payload {
            payload: text.to_owned(),
        }
    }

    #[test]
    fn ram_touches_all_of_it() {
        let words = 5_242_880_u64;
        assert_eq!(
            ram(),
            Ram {
                bytes: 41_943_040,
                checksum: words * (words - 1) / 2
            }
        );
        assert!(ram().checksum < 1 << 53);
    }

    #[test]
    fn greets_by_name() {
        assert_eq!(greet(&payload("world")), payload("Hello, world"));
        assert_eq!(greet(&payload("")), payload("Hello, "));
    }

    #[test]
    fn a_hash_verifies_and_is_salted() {
        let [one, other] = [(); 2].map(|()| bcrypt(&payload("world")).unwrap().payload);
        assert!(one.starts_with("$2b$10$"), "{one}");
        assert!(::bcrypt::verify("world", &one).unwrap());
        assert!(!::bcrypt::verify("World", &one).unwrap());
        assert_ne!(one, other);
    }

    #[test]
    fn every_string_can_be_hashed() {
        for text in ["", "a\0b", "ß", &"x".repeat(1_000)] {
            assert!(bcrypt(&payload(text)).is_ok(), "{text:?}");
        }
    }
}
