//! The cases: data that a reader can hold against the RFC.

use std::time::Duration;

use anyhow::{Context, ensure};
use record::probe::{Level, ProbeCase};
use serde::Deserialize;

use super::allowed::Allowed;

const HTTP1: &str = include_str!("../../../probes/http1.toml");
/// Most bytes that one case sends.
const MOST_BYTES: usize = 8 << 20;

/// One case.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its id, in all cases the only one.
    pub id: String,
    /// What is done, in a few words.
    pub title: String,
    /// How binding the demand is.
    pub level: Level,
    /// Where it stands.
    pub source: String,
    /// The demand, in our own words.
    pub demand: String,
    /// Whether a server that fails can disagree with a proxy on where a request ends.
    #[serde(default)]
    pub smuggles: bool,
    /// What is sent.
    pub send: Vec<Part>,
    /// Methods of the requests where they are not all GET or POST: an answer to HEAD has no body.
    #[serde(default)]
    pub methods: Vec<String>,
    /// What may come.
    pub allow: Vec<Allowed>,
    /// Instead of `allow`: as many answers of one status.
    #[serde(default)]
    pub answers: Option<Answers>,
    /// The body that the first answer must have if it is a 200.
    #[serde(default)]
    pub body: Option<String>,
    /// A field that an answer of this status must have.
    #[serde(default)]
    pub field_of: Option<FieldOf>,
}

/// A piece of what is sent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Part {
    /// Text as it is.
    Text(String),
    /// Text that is repeated.
    Repeat {
        /// The text.
        repeat: String,
        /// How often.
        times: usize,
    },
    /// Nothing for a while; what was sent before is a packet of its own.
    Pause {
        /// For how long.
        pause_ms: u64,
    },
    /// The client says that it sends no more, and still reads.
    Shut {
        /// Always true.
        shut: bool,
    },
}

/// Equal answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answers {
    /// Their status.
    pub status: u16,
    /// How many.
    pub times: usize,
}

/// A field that must be there.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldOf {
    /// In an answer of this status.
    pub status: u16,
    /// Its name in small letters.
    pub name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Case>,
}

impl Case {
    /// All cases that this program carries.
    ///
    /// # Panics
    /// Never in a program that passed its tests: the file is compiled in, and a test reads it.
    pub fn built_in() -> Vec<Self> {
        parse(HTTP1).expect("the cases are checked by a test")
    }

    /// What a reader of its results must know.
    pub fn about(&self) -> ProbeCase {
        ProbeCase {
            id: self.id.clone(),
            title: self.title.clone(),
            level: self.level,
            source: self.source.clone(),
            demand: self.demand.clone(),
            smuggles: self.smuggles,
        }
    }

    /// What may come, `answers` included.
    pub fn allowed(&self) -> Vec<Allowed> {
        let equal = self
            .answers
            .iter()
            .map(|equal| Allowed::equal(equal.status, equal.times));
        self.allow.iter().cloned().chain(equal).collect()
    }

    /// The first bytes that are sent, at most `most`.
    pub fn beginning(&self, most: usize) -> Vec<u8> {
        let bytes = self.send.iter().flat_map(|part| match part {
            Part::Text(text) => vec![(text, 1)],
            Part::Repeat { repeat, times } => vec![(repeat, *times)],
            Part::Pause { .. } | Part::Shut { .. } => Vec::new(),
        });
        let bytes = bytes.flat_map(|(text, times)| std::iter::repeat_n(text.bytes(), times).flatten());
        bytes.take(most).collect()
    }

    /// Time that it waits by itself.
    pub fn pauses(&self) -> Duration {
        let pauses = self.send.iter().map(|part| match part {
            Part::Pause { pause_ms } => *pause_ms,
            _ => 0,
        });
        Duration::from_millis(pauses.sum())
    }
}

fn parse(text: &str) -> anyhow::Result<Vec<Case>> {
    let File { case: cases } = toml::from_str(text)?;
    for (place, case) in cases.iter().enumerate() {
        check(case).with_context(|| format!("case {}", case.id))?;
        let first = cases.iter().position(|other| other.id == case.id);
        ensure!(first == Some(place), "there are two cases {}", case.id);
    }
    Ok(cases)
}

fn check(case: &Case) -> anyhow::Result<()> {
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    ensure!(
        !case.id.is_empty() && case.id.chars().all(is_name),
        "its id is not a name"
    );
    ensure!(case.source.contains(", section "), "its source names no section");
    ensure!(case.demand.ends_with(['.', ')']), "its demand is not a sentence");
    ensure!(
        case.allow.is_empty() == case.answers.is_some(),
        "it needs either `allow` or `answers`"
    );
    ensure!(case.beginning(MOST_BYTES + 1).len() <= MOST_BYTES, "it sends too much");
    ensure!(case.pauses() < Duration::from_secs(5), "it waits too long");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cases_are_sound() {
        let cases = parse(HTTP1).unwrap();
        assert!(cases.len() >= 100, "{}", cases.len());
        assert!(cases.iter().any(|case| case.smuggles));
    }

    #[test]
    fn what_is_no_case_is_refused() {
        let good = "[[case]]\nid = \"a\"\ntitle = \"A\"\nlevel = \"must\"\nsource = \"RFC 9112, section 2\"\n\
                    demand = \"It is so.\"\nsend = [\"x\"]\nallow = [\"200\"]\n";
        assert_eq!(parse(good).unwrap().len(), 1);
        for (from, to, told) in [
            ("id = \"a\"", "id = \"A b\"", "its id is not a name"),
            ("\"must\"", "\"shall\"", "shall"),
            ("[\"200\"]", "[]", "either `allow` or `answers`"),
            ("[\"200\"]", "[\"2000\"]", "2000"),
            ("section 2", "page 2", "names no section"),
            ("[\"x\"]", "[{ repeat = \"x\", times = 10000000 }]", "sends too much"),
            ("[\"x\"]", "[{ bogus = 1 }]", "Part"),
        ] {
            let error = format!("{:#}", parse(&good.replace(from, to)).unwrap_err());
            assert!(error.contains(told), "{to}: {error}");
        }
        assert!(parse(&good.repeat(2)).unwrap_err().to_string().contains("two cases a"));
    }
}
