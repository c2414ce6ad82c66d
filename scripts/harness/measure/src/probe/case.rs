//! The cases: files that a reader can hold against their sources.

use std::time::Duration;

use anyhow::{Context, ensure};
use record::probe::{Group, Level, ProbeCase};
use record::scenario::Protocol;
use record::{AppRecord, Part};
use serde::Deserialize;

use super::behaviour::{ACTS, Act, SUITES, Suite};
use super::exchange::Exchange;
use super::{KEPT, escaped};

const FILES: [&str; 12] = [
    include_str!("../../../probes/connections.toml"),
    include_str!("../../../probes/request-line.toml"),
    include_str!("../../../probes/fields.toml"),
    include_str!("../../../probes/bodies.toml"),
    include_str!("../../../probes/slow-clients.toml"),
    include_str!("../../../probes/idle-connections.toml"),
    include_str!("../../../probes/overload.toml"),
    include_str!("../../../probes/http2.toml"),
    include_str!("../../../probes/tls.toml"),
    include_str!("../../../probes/lifecycle.toml"),
    include_str!("../../../probes/exhaustion.toml"),
    include_str!("../../../probes/database.toml"),
];
/// Most bytes that one case sends.
const MOST_BYTES: usize = 8 << 20;

/// One case, or those of a suite.
#[derive(Debug, Clone)]
pub struct Case {
    /// What a reader of its results must know.
    pub about: ProbeCase,
    /// Protocols over which it is made, where the app speaks them.
    pub protocols: Vec<Protocol>,
    /// Whether it measures something that other work on this machine would disturb.
    pub timed: bool,
    /// How it is made.
    pub course: Course,
}

/// How a case is made.
#[derive(Debug, Clone)]
pub enum Course {
    /// Bytes are sent, and what comes is judged.
    Exchange(Exchange),
    /// Code acts on a server of its own.
    Behaviour(Act),
    /// A program of others makes many cases: those with these ids, or all.
    Suite(Suite, Vec<String>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    group: Group,
    case: Vec<Entry>,
}

/// A case in a file.
#[derive(Deserialize)]
struct Entry {
    id: String,
    title: String,
    level: Level,
    source: String,
    demand: String,
    #[serde(default)]
    smuggles: bool,
    #[serde(default = "http1")]
    protocols: Vec<Protocol>,
    #[serde(default)]
    timed: bool,
    /// Empty for a behaviour. An unknown field ends up here, and is no part of an exchange.
    #[serde(flatten)]
    exchange: toml::Table,
}

fn http1() -> Vec<Protocol> {
    vec![Protocol::Http1]
}

impl Case {
    /// All cases that this program carries.
    ///
    /// # Panics
    /// Never in a program that passed its tests: the files are compiled in, and a test reads them.
    pub fn built_in() -> Vec<Self> {
        parse(&FILES).expect("the cases are checked by a test")
    }

    /// Those that take an app some seconds, all together: the exchanges, which wait side by side.
    pub fn quick() -> Vec<Self> {
        Self::built_in().into_iter().filter(Self::is_exchange).collect()
    }

    /// Whether it is an exchange of bytes.
    pub fn is_exchange(&self) -> bool {
        matches!(self.course, Course::Exchange(_))
    }

    /// What is done, where it is more than an exchange and not of a suite.
    pub fn act(&self) -> Option<Act> {
        match self.course {
            Course::Behaviour(act) => Some(act),
            Course::Exchange(_) | Course::Suite(..) => None,
        }
    }

    /// The part of the contract whose servers it is for.
    pub fn part(&self) -> Part {
        if self.about.group == Group::Database {
            Part::Database
        } else {
            Part::Plain
        }
    }

    /// Whether it can be put to this app.
    pub fn is_for(&self, app: &AppRecord) -> bool {
        self.part() == app.part()
    }

    /// Whether it stands for the cases of a program of others.
    pub fn is_suite(&self) -> bool {
        matches!(self.course, Course::Suite(..))
    }
}

fn parse(files: &[&str]) -> anyhow::Result<Vec<Case>> {
    let mut cases: Vec<Case> = Vec::new();
    for text in files {
        let file: File = toml::from_str(text)?;
        for entry in file.case {
            let id = entry.id.clone();
            let case = case(file.group, entry).with_context(|| format!("case {id}"))?;
            ensure!(
                cases.iter().all(|other| other.about.id != id),
                "there are two cases {id}"
            );
            cases.push(case);
        }
    }
    Ok(cases)
}

fn case(group: Group, entry: Entry) -> anyhow::Result<Case> {
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    ensure!(
        !entry.id.is_empty() && entry.id.chars().all(is_name),
        "its id is not a name"
    );
    ensure!(
        !entry.source.starts_with("RFC") || entry.source.contains(", section "),
        "its source names no section"
    );
    ensure!(entry.demand.ends_with(['.', ')']), "its demand is not a sentence");
    ensure!(!entry.protocols.is_empty(), "it is for no protocol");
    let act = ACTS.iter().flat_map(|acts| acts.iter()).find(|(id, _)| *id == entry.id);
    let suite = SUITES.iter().find(|(id, _)| *id == entry.id);
    let (course, sent) = match (act, suite) {
        (Some((_, act)), _) => (Course::Behaviour(*act), String::new()),
        (_, Some((_, suite))) => (Course::Suite(*suite, Vec::new()), String::new()),
        (None, None) => {
            let exchange = entry.exchange.clone().try_into().context("it is no behaviour")?;
            let exchange = checked(exchange)?;
            let sent = escaped(&exchange.beginning(KEPT + 1));
            (Course::Exchange(exchange), sent)
        }
    };
    ensure!(
        matches!(course, Course::Exchange(_)) || entry.exchange.is_empty(),
        "it is a behaviour, and has fields of an exchange"
    );
    Ok(Case {
        about: ProbeCase {
            id: entry.id,
            group,
            title: entry.title,
            level: entry.level,
            source: entry.source,
            demand: entry.demand,
            smuggles: entry.smuggles,
            sent,
        },
        protocols: entry.protocols,
        timed: entry.timed,
        course,
    })
}

fn checked(exchange: Exchange) -> anyhow::Result<Exchange> {
    ensure!(
        exchange.allow.is_empty() == exchange.answers.is_some(),
        "it needs either `allow` or `answers`"
    );
    ensure!(
        exchange.beginning(MOST_BYTES + 1).len() <= MOST_BYTES,
        "it sends too much"
    );
    ensure!(exchange.pauses() < Duration::from_secs(5), "it waits too long");
    Ok(exchange)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cases_are_sound() {
        let cases = parse(&FILES).unwrap();
        assert!(cases.len() >= 100, "{}", cases.len());
        assert!(cases.iter().any(|case| case.about.smuggles));
        // What is code is described, and what is described is code.
        let acts = ACTS.iter().flat_map(|acts| acts.iter()).map(|(id, _)| *id);
        for id in acts.chain(SUITES.iter().map(|(id, _)| *id)) {
            assert!(cases.iter().any(|case| case.about.id == id), "{id} is in no file");
        }
    }

    #[test]
    fn what_is_no_case_is_refused() {
        let good = "group = \"fields\"\n[[case]]\nid = \"a\"\ntitle = \"A\"\nlevel = \"must\"\nsource = \"RFC 9112, section 2\"\n\
                    demand = \"It is so.\"\nsend = [\"x\"]\nallow = [\"200\"]\n";
        assert_eq!(parse(&[good]).unwrap().len(), 1);
        for (from, to, told) in [
            ("id = \"a\"", "id = \"A b\"", "its id is not a name"),
            ("\"must\"", "\"shall\"", "shall"),
            ("\"fields\"", "\"meadows\"", "meadows"),
            ("[\"200\"]", "[]", "either `allow` or `answers`"),
            ("[\"200\"]", "[\"2000\"]", "2000"),
            ("section 2", "page 2", "names no section"),
            ("[\"x\"]", "[{ repeat = \"x\", times = 10000000 }]", "sends too much"),
            ("[\"x\"]", "[{ bogus = 1 }]", "Part"),
            ("send =", "sends =", "sends"),
            ("send =", "protocols = []\nsend =", "for no protocol"),
        ] {
            let error = format!("{:#}", parse(&[&good.replace(from, to)]).unwrap_err());
            assert!(error.contains(told), "{to}: {error}");
        }
        let error = parse(&[good, good]).unwrap_err().to_string();
        assert!(error.contains("two cases a"), "{error}");
    }
}
