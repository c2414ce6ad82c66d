//! Periods: months, which contain all their runs, and finished years, which contain a point for every month.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A month in UTC, `2026-11`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Month {
    year: u16,
    month: u8,
}

/// A year, `2026`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Year(u16);

impl Month {
    /// The month of a run, which its id begins with: `20261121T110000Z-2a`. `None` if it is no such id.
    pub fn from_run_id(id: &str) -> Option<Self> {
        let (date, rest) = id.split_at_checked(8)?;
        let is_date = date.bytes().all(|byte| byte.is_ascii_digit()) && rest.starts_with('T');
        let (year, month) = (date.get(..4)?, date.get(4..6)?);
        is_date.then(|| format!("{year}-{month}").parse().ok()).flatten()
    }

    /// Its year.
    pub fn year(self) -> Year {
        Year(self.year)
    }
}

/// The years of these months that are finished: a run of a later year is there.
pub fn finished(months: &BTreeSet<Month>) -> BTreeSet<Year> {
    let newest = months.last().map(|month| month.year());
    let years = months.iter().map(|month| month.year());
    years.filter(|year| Some(*year) < newest).collect()
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}

impl fmt::Display for Year {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}", self.0)
    }
}

impl FromStr for Month {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = || {
            let (year, month) = text.split_once('-')?;
            let month: u8 = month.parse().ok().filter(|month| (1..=12).contains(month))?;
            Some(Self {
                year: year.parse().ok()?,
                month,
            })
        };
        let month = parsed().filter(|month| month.to_string() == text);
        month.ok_or_else(|| format!("{text:?} is no month"))
    }
}

impl FromStr for Year {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let year = text.parse().ok().map(Self).filter(|year| year.to_string() == text);
        year.ok_or_else(|| format!("{text:?} is no year"))
    }
}

macro_rules! as_text {
    ($period:ident, $pattern:literal) => {
        impl JsonSchema for $period {
            fn schema_name() -> Cow<'static, str> {
                stringify!($period).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "pattern": $pattern })
            }
        }

        impl Serialize for $period {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $period {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

as_text!(Month, r"^\d{4}-(0[1-9]|1[0-2])$");
as_text!(Year, r"^\d{4}$");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_begins_with_its_month() {
        let month = Month::from_run_id("20261121T110000Z-2a").unwrap();
        assert_eq!(
            (month.to_string(), month.year().to_string()),
            ("2026-11".into(), "2026".into())
        );
        for bad in ["1", "20261321T110000Z-1", "2026-11-21T", "20261121", "é0261121T1"] {
            assert_eq!(Month::from_run_id(bad), None, "{bad}");
        }
        for bad in ["2026-1", "2026-00", "26-01", "+026-01", "2026-11-01"] {
            assert!(bad.parse::<Month>().is_err(), "{bad}");
        }
        assert!("+999".parse::<Year>().is_err() && "12345".parse::<Year>().is_ok_and(|year| year.0 == 12_345));
    }

    #[test]
    fn a_year_is_finished_when_a_later_one_has_begun() {
        let months = |texts: &[&str]| {
            texts
                .iter()
                .map(|text| text.parse().unwrap())
                .collect::<BTreeSet<Month>>()
        };
        assert!(finished(&months(&["2026-01", "2026-12"])).is_empty());
        let both = finished(&months(&["2024-12", "2026-12", "2027-01"]));
        assert_eq!(
            both.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["2024", "2026"]
        );
    }
}
