//! The work of `GET /cpu`: a number that takes long to find, and the rule for which numbers may be requested.

use std::{hint::black_box, str::FromStr};

use serde::{Deserialize, Serialize};

/// Which Fibonacci number is wanted.
///
/// At most [`Index::MAX`]: each step costs 1.6 times the one before, and a request must not hold a worker for minutes.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(try_from = "u32")]
pub struct Index(u32);

impl Index {
    /// The largest that is answered: less than a second on the machine it was tried on.
    pub const MAX: u32 = 40;
    /// The one above [`Index::MAX`] that is not refused: [`fib`] panics, so that `bench probe` sees what a server makes of a panic in a
    /// handler. No other request makes any server panic.
    pub const PANICS: u32 = 999_999;

    /// What a query string holds for `n`; [`Index::default`] where it holds none.
    pub fn from_query(n: Option<&str>) -> Result<Self, IndexError> {
        n.map_or_else(|| Ok(Self::default()), str::parse)
    }

    #[must_use]
    pub fn get(self) -> u32 {
        self.0
    }
}

impl Default for Index {
    fn default() -> Self {
        Self(30)
    }
}

impl TryFrom<u32> for Index {
    type Error = IndexError;

    fn try_from(n: u32) -> Result<Self, IndexError> {
        if n > Self::MAX && n != Self::PANICS {
            Err(IndexError::TooLarge(n))
        } else {
            Ok(Self(n))
        }
    }
}

impl FromStr for Index {
    type Err = IndexError;

    fn from_str(text: &str) -> Result<Self, IndexError> {
        text.parse::<u32>().map_err(|_| IndexError::NotANumber)?.try_into()
    }
}

/// Why a number is not worked out. The text goes to the client.
#[derive(Debug, Eq, PartialEq, thiserror::Error)]
pub enum IndexError {
    #[error("n must be a whole number from 0 to {}", Index::MAX)]
    NotANumber,
    #[error("n is {0}, the largest is {max}", max = Index::MAX)]
    TooLarge(u32),
}

/// The query string of `GET /cpu`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct CpuQuery {
    #[serde(default)]
    pub n: Index,
}

/// The answer of `GET /cpu`.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Fibonacci {
    pub n: u32,
    pub result: u64,
}

/// The Fibonacci number at `n`, the slow way.
///
/// # Panics
/// At [`Index::PANICS`].
#[must_use]
pub fn fib(n: Index) -> Fibonacci {
    assert!(n.get() != Index::PANICS, "a handler panics, as requested");
    Fibonacci {
        n: n.get(),
        result: recurse(n.get()),
    }
}

/// One call for every step. Without `black_box` the compiler turns half of the recursion into a loop, and each version
/// of it a different half.
fn recurse(n: u32) -> u64 {
    if n < 2 {
        u64::from(n)
    } else {
        recurse(black_box(n - 1)) + recurse(black_box(n - 2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_are_the_sequence() {
        let numbers: Vec<u64> = (0..11).map(|n| fib(Index::try_from(n).unwrap()).result).collect();
        assert_eq!(numbers, [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55]);
    }

    #[test]
    fn thirty_is_the_default() {
        assert_eq!(fib(Index::default()), Fibonacci { n: 30, result: 832_040 });
        assert_eq!(Index::from_query(None), Ok(Index::default()));
    }

    #[test]
    fn forty_is_the_last() {
        assert_eq!(Index::from_query(Some("40")).map(Index::get), Ok(40));
        assert_eq!(Index::from_query(Some("41")), Err(IndexError::TooLarge(41)));
    }

    #[test]
    #[should_panic(expected = "as requested")]
    fn one_number_panics_where_it_is_worked_out() {
        let _ = fib(Index::from_query(Some("999999")).unwrap());
    }

    #[test]
    fn what_is_not_a_number_is_refused() {
        for text in ["", "abc", "-1", "1.5", " 1", "0x10", "4294967296", "\u{fffd}"] {
            assert_eq!(Index::from_query(Some(text)), Err(IndexError::NotANumber), "{text:?}");
        }
    }

    #[test]
    fn serde_applies_the_same_rule() {
        let query = |json| serde_json::from_str::<CpuQuery>(json).map(|query| query.n.get());
        assert_eq!(query("{}").unwrap(), 30);
        assert_eq!(query(r#"{"n":12}"#).unwrap(), 12);
        let refused = query(r#"{"n":41}"#).unwrap_err().to_string();
        assert!(refused.starts_with("n is 41, the largest is 40"), "{refused}");
    }
}
