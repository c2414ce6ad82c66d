//! The requested number of rows.

use std::str::FromStr;

use serde::Deserialize;

/// From 1 to [`Count::MAX`].
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(try_from = "u16")]
pub struct Count(u16);

impl Count {
    /// The largest that is answered.
    pub const MAX: u16 = 100;

    /// What a query string holds for `n`; 1 where it holds none.
    pub fn from_query(n: Option<&str>) -> Result<Self, CountError> {
        n.map_or_else(|| Ok(Self::default()), str::parse)
    }

    #[must_use]
    pub fn get(self) -> usize {
        self.0.into()
    }
}

impl Default for Count {
    fn default() -> Self {
        Self(1)
    }
}

impl TryFrom<u16> for Count {
    type Error = CountError;

    fn try_from(n: u16) -> Result<Self, CountError> {
        (1..=Self::MAX).contains(&n).then_some(Self(n)).ok_or(CountError)
    }
}

impl FromStr for Count {
    type Err = CountError;

    fn from_str(text: &str) -> Result<Self, CountError> {
        text.parse::<u16>().map_err(|_| CountError)?.try_into()
    }
}

/// Why nothing is read. The text goes to the client, with status 400.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("n must be a whole number from 1 to {}", Count::MAX)]
pub struct CountError;

/// The query string of `GET /queries` and `POST /updates`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct CountQuery {
    #[serde(default)]
    pub n: Count,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_one_to_a_hundred_and_nothing_else() {
        assert_eq!(Count::from_query(None).map(Count::get), Ok(1));
        assert_eq!(Count::from_query(Some("20")).map(Count::get), Ok(20));
        assert_eq!(Count::from_query(Some("100")).map(Count::get), Ok(100));
        for text in ["", "0", "101", "-1", "1.5", "x", "99999999999"] {
            assert_eq!(Count::from_query(Some(text)), Err(CountError), "{text:?}");
        }
    }

    #[test]
    fn serde_applies_the_same_rule() {
        let query = |json| serde_json::from_str::<CountQuery>(json).map(|query| query.n.get());
        assert_eq!(query("{}").unwrap(), 1);
        assert_eq!(query(r#"{"n":5}"#).unwrap(), 5);
        assert!(query(r#"{"n":101}"#).is_err());
    }
}
