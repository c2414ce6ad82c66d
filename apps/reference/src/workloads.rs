//! The messages and the work of the reference. A copy of what it needs of `apps/contract`: that library moves with the
//! frameworks, and a reference that depended on it would move as well.

use std::{hint::black_box, time::Duration};

use ::bcrypt::BcryptError;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub const GREETING: &str = "Hello, World!";
pub const TIMED: Duration = Duration::from_millis(20);
const BCRYPT_COST: u32 = 10;
const HEAVY_ITEMS: usize = 10_000;
const RAM_BYTES: usize = 40 * 1024 * 1024;

#[derive(Debug, Serialize)]
pub struct Hello {
    message: &'static str,
    id: Uuid,
    timestamp: Timestamp,
}

impl Hello {
    pub fn new() -> Self {
        Self {
            message: GREETING,
            id: Uuid::new_v4(),
            timestamp: Timestamp::now(),
        }
    }
}

#[derive(Debug, Serialize)]
pub struct HeavyItem {
    message: String,
    id: Uuid,
    timestamp: Timestamp,
}

pub fn heavy() -> Vec<HeavyItem> {
    (0..HEAVY_ITEMS)
        .map(|number| HeavyItem {
            message: format!("Heavy response item {number}"),
            id: Uuid::new_v4(),
            timestamp: Timestamp::now(),
        })
        .collect()
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "u32")]
pub struct Index(u32);

impl Default for Index {
    fn default() -> Self {
        Self(30)
    }
}

impl TryFrom<u32> for Index {
    type Error = String;

    fn try_from(n: u32) -> Result<Self, String> {
        if n > 40 {
            Err(format!("n is {n}, the largest is 40"))
        } else {
            Ok(Self(n))
        }
    }
}

#[derive(Debug, Deserialize)]
pub struct CpuQuery {
    #[serde(default)]
    pub n: Index,
}

#[derive(Debug, Serialize)]
pub struct Fibonacci {
    n: u32,
    result: u64,
}

pub fn fib(Index(n): Index) -> Fibonacci {
    Fibonacci { n, result: recurse(n) }
}

fn recurse(n: u32) -> u64 {
    if n < 2 {
        u64::from(n)
    } else {
        recurse(black_box(n - 1)) + recurse(black_box(n - 2))
    }
}

#[derive(Debug, Serialize)]
pub struct Ram {
    bytes: usize,
    checksum: u64,
}

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

#[derive(Debug, Deserialize, Serialize)]
pub struct Payload {
    payload: String,
}

pub fn greet(request: &Payload) -> Payload {
    Payload {
        payload: format!("Hello, {}", request.payload),
    }
}

pub fn bcrypt(request: &Payload) -> Result<Payload, BcryptError> {
    Ok(Payload {
        payload: ::bcrypt::hash(&request.payload, BCRYPT_COST)?,
    })
}
