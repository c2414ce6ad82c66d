//! What may come: `200 200`, `200*100`, `400 closed`, `200 announced`, `4xx`, `silent`, `other`.

use std::fmt::{self, Display};
use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::{Deserialize, Deserializer};

use super::answers::{Answer, End, Heard};

/// A sequence of answers, and what becomes of the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowed {
    statuses: Vec<RangeInclusive<u16>>,
    /// Whether bytes follow that are no answer.
    is_other: bool,
    end: Option<End>,
    /// Whether the last answer must say that the connection ends.
    is_announced: bool,
}

impl Allowed {
    /// Whether this is what the server did.
    pub fn is(&self, heard: &Heard) -> bool {
        heard.is_other == self.is_other
            && self.begins_with(&heard.answers)
            && self.statuses.len() == heard.answers.len()
            && self.end.is_none_or(|end| end == heard.end)
            && (!self.is_announced || heard.announces_its_end())
    }

    /// Whether it can still become this after these answers.
    pub fn begins_with(&self, answers: &[Answer]) -> bool {
        let mut both = self.statuses.iter().zip(answers);
        self.statuses.len() >= answers.len() && both.all(|(statuses, answer)| statuses.contains(&answer.status))
    }
}

impl FromStr for Allowed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut allowed = Self {
            statuses: Vec::new(),
            is_other: false,
            end: None,
            is_announced: false,
        };
        for word in text.split_whitespace() {
            if allowed.end.is_some() {
                return Err(format!("{text:?}: nothing follows the end of a connection"));
            }
            match word {
                "closed" => allowed.end = Some(End::Closed),
                "announced" => (allowed.end, allowed.is_announced) = (Some(End::Closed), true),
                "open" => allowed.end = Some(End::Open),
                "silent" if allowed.statuses.is_empty() => allowed.end = Some(End::Open),
                "other" => allowed.is_other = true,
                _ => {
                    let (status, times) = word.split_once('*').unwrap_or((word, "1"));
                    let both = statuses(status).zip(times.parse().ok());
                    let (statuses, times) = both.ok_or_else(|| format!("{word:?} is no status"))?;
                    allowed.statuses.extend(std::iter::repeat_n(statuses, times));
                }
            }
        }
        if allowed.statuses.is_empty() && allowed.end.is_none() && !allowed.is_other {
            return Err("nothing is allowed".into());
        }
        Ok(allowed)
    }
}

fn statuses(word: &str) -> Option<RangeInclusive<u16>> {
    let range = match (word, word.strip_suffix("xx")) {
        ("any", _) => 100..=599,
        (_, Some(class)) => {
            let class: u16 = class.parse().ok().filter(|class| *class < 6)?;
            class * 100..=class * 100 + 99
        }
        (_, None) => {
            let status = word.parse().ok()?;
            status..=status
        }
    };
    (100..600).contains(range.start()).then_some(range)
}

impl<'de> Deserialize<'de> for Allowed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl Display for Heard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 5;
        for answer in self.answers.iter().take(SHOWN) {
            write!(formatter, "{} ", answer.status)?;
        }
        if self.answers.len() > SHOWN {
            write!(formatter, "… ({} answers) ", self.answers.len())?;
        }
        if self.is_other {
            formatter.write_str("no HTTP ")?;
        }
        formatter.write_str(match (self.end, self.answers.is_empty() && !self.is_other) {
            (End::Closed, _) => "closed",
            (End::Open, false) => "open",
            (End::Open, true) => "silent",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(statuses: &[u16], end: End) -> Heard {
        let answer = |status: &u16| Answer {
            status: *status,
            ..Answer::default()
        };
        Heard {
            answers: statuses.iter().map(answer).collect(),
            is_other: false,
            is_cut: false,
            end,
        }
    }

    #[test]
    fn what_is_allowed_is_recognised() {
        for (text, statuses, end, is) in [
            ("200 200", &[200, 200][..], End::Open, true),
            ("200 200", &[200], End::Open, false),
            ("200", &[200, 200], End::Open, false),
            ("200", &[200], End::Closed, true),
            ("400 closed", &[400], End::Open, false),
            ("400 closed", &[400], End::Closed, true),
            ("200 open", &[200], End::Closed, false),
            ("200*3", &[200; 3], End::Open, true),
            ("200*3", &[200; 4], End::Open, false),
            ("4xx", &[431], End::Closed, true),
            ("4xx", &[500], End::Closed, false),
            ("any closed", &[500], End::Closed, true),
            ("closed", &[], End::Closed, true),
            ("closed", &[400], End::Closed, false),
            ("silent", &[], End::Open, true),
            ("silent", &[], End::Closed, false),
            ("other", &[], End::Open, false),
        ] {
            let heard = heard(statuses, end);
            assert_eq!(text.parse::<Allowed>().unwrap().is(&heard), is, "{text}: {heard}");
        }
        let announced = "200 announced".parse::<Allowed>().unwrap();
        let mut says = heard(&[200], End::Closed);
        assert!(!announced.is(&says));
        says.answers[0]
            .fields
            .push(("connection".to_owned(), "Close".to_owned()));
        assert!(announced.is(&says) && !announced.is(&Heard { end: End::Open, ..says }));
        let mut other = heard(&[], End::Closed);
        other.is_other = true;
        assert!(!"closed".parse::<Allowed>().unwrap().is(&other));
        assert!("other".parse::<Allowed>().unwrap().is(&other));
        assert_eq!(other.to_string(), "no HTTP closed");
        assert_eq!(heard(&[], End::Open).to_string(), "silent");
        assert_eq!(
            heard(&[200; 7], End::Open).to_string(),
            "200 200 200 200 200 … (7 answers) open"
        );
    }

    #[test]
    fn what_is_no_outcome_is_refused() {
        for text in ["", "200*", "2000", "0", "6xx", "closed 200", "ok", "200 silent"] {
            assert!(text.parse::<Allowed>().is_err(), "{text}");
        }
    }
}
