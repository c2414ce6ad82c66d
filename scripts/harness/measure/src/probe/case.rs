//! The cases: files that a reader can hold against their sources.

use std::net::SocketAddr;
use std::time::Instant;

use anyhow::{Context, bail};
use model::probe::{Group, Level, ProbeCase};
use model::scenario::Protocol;
use model::{AppRecord, PLAIN, Part};
use serde::Deserialize;

use super::behaviour::flood::Flood;
use super::behaviour::{ACTS, Act, h2spec};
use super::crowd::Crowd;
use super::exchange::Exchange;
use super::runner::CaseResult;
use super::{Attempt, KEPT, Target, escaped};
use servers::failure::Failure;

const FILES: [&str; 13] = [
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
    include_str!("../../../probes/clients.toml"),
];

/// What is the same of all cases that are only observed.
const OBSERVED: [(&str, &str); 3] = [
    ("level", "observed"),
    ("source", "left open"),
    (
        "demand",
        "What the guide's own server does is told; nothing is demanded.",
    ),
];

/// One case, or a suite of them.
#[derive(Debug, Clone)]
pub struct Case {
    /// What a reader of its results must know.
    pub about: ProbeCase,
    /// Protocols over which it is made, where the app speaks them.
    pub protocols: Vec<Protocol>,
    /// Whether it measures something that other work on this machine would disturb.
    pub timed: bool,
    /// Whether it is put to the guide's own server, and to no other.
    pub plain: bool,
    /// How it is made.
    pub course: Course,
}

/// How a case is made.
#[derive(Debug, Clone)]
pub enum Course {
    /// Bytes are sent, and what comes is judged.
    Exchange(Exchange),
    /// Clients come together, and what the server bears is judged.
    Crowd(Box<Crowd>),
    /// Frames of HTTP/2 are sent without end.
    Flood(Flood),
    /// Code acts.
    Act(Act),
    /// h2spec makes many cases: those with these ids, or all.
    H2spec(Vec<String>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    group: Group,
    case: Vec<toml::Table>,
}

/// A case in a file.
#[derive(Deserialize)]
struct Entry {
    #[serde(flatten)]
    about: ProbeCase,
    #[serde(default = "http1")]
    protocols: Vec<Protocol>,
    #[serde(default)]
    timed: bool,
    #[serde(default)]
    plain: bool,
    crowd: Option<Box<Crowd>>,
    flood: Option<Flood>,
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
        let is_quick = |case: &Self| case.is_exchange() && !case.plain;
        Self::built_in().into_iter().filter(is_quick).collect()
    }

    /// Whether it is an exchange of bytes that is made at the same time as others.
    pub fn is_exchange(&self) -> bool {
        matches!(&self.course, Course::Exchange(exchange) if !exchange.alone && exchange.wait_seconds.is_none())
    }

    /// Whether it is only observed.
    pub fn is_observed(&self) -> bool {
        self.about.level == Level::Observed
    }

    /// Whether it is an exchange that mostly waits.
    pub fn is_wait(&self) -> bool {
        matches!(&self.course, Course::Exchange(exchange) if exchange.wait_seconds.is_some())
    }

    /// What comes of it with the server at `address`, if it is an exchange.
    pub(super) fn exchange(&self, address: SocketAddr) -> Option<Attempt> {
        let Course::Exchange(exchange) = &self.course else {
            return None;
        };
        let began = Instant::now();
        let mut attempt = exchange.put_to(address, self.about.level);
        attempt.milliseconds = began.elapsed().as_secs_f64() * 1e3;
        Some(attempt)
    }

    /// What comes of it, or of each case of a suite, with a fresh server.
    pub(super) fn made(&self, target: &Target<'_>) -> Result<Vec<CaseResult>, Failure> {
        let began = Instant::now();
        let mut made = match &self.course {
            Course::H2spec(only) => h2spec::suite(target, only)?,
            _ => vec![(self.about.clone(), self.attempt(target)?)],
        };
        let each = began.elapsed().as_secs_f64() * 1e3 / made.len().max(1) as f64;
        for (_, attempt) in &mut made {
            attempt.milliseconds = each;
        }
        Ok(made)
    }

    /// What comes of it with a fresh server.
    ///
    /// # Panics
    /// If it is a suite.
    pub fn attempt(&self, target: &Target<'_>) -> Result<Attempt, Failure> {
        match &self.course {
            Course::Exchange(exchange) => target.on(target.start()?, |server| {
                Ok(exchange.put_to(server.address, self.about.level))
            }),
            Course::Crowd(crowd) => crowd.meet(target),
            Course::Flood(flood) => target.on(target.start()?, |server| Ok(flood.meet(server))),
            Course::Act(Act::OnServer(act)) => target.on(target.start()?, act),
            Course::Act(Act::Alone(act)) => act(target),
            Course::H2spec(_) => unreachable!("the cases of a suite are made together"),
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

    /// Whether it can be put to this app. What only waits is for servers of services, too: they have variants with other allocators.
    pub fn is_for(&self, app: &AppRecord) -> bool {
        let is_part = self.part() == app.part() || self.is_for_services() && app.part() == Part::Services;
        is_part && self.plain == (app.variant == PLAIN)
    }

    /// Whether it can be put to servers of services that are named.
    pub fn is_for_services(&self) -> bool {
        self.about.group == Group::IdleConnections
    }

    /// Whether it is made at the same time as its like, with turns at what would disturb the others.
    pub fn takes_turns(&self) -> bool {
        matches!(&self.course, Course::Crowd(crowd) if crowd.takes_turns())
    }
}

fn parse(files: &[&str]) -> anyhow::Result<Vec<Case>> {
    let mut cases: Vec<Case> = Vec::new();
    for text in files {
        let file: File = toml::from_str(text)?;
        let group = toml::Value::try_from(file.group)?;
        for mut entry in file.case {
            let id = entry.get("id").map(ToString::to_string).unwrap_or_default();
            entry.insert("group".to_owned(), group.clone());
            entry.insert("sent".to_owned(), "".into());
            entry.entry("smuggles").or_insert(false.into());
            if file.group == Group::Clients {
                entry.extend(OBSERVED.map(|(field, value)| (field.to_owned(), value.into())));
                entry.insert("plain".to_owned(), true.into());
            }
            let entry = entry.try_into().map_err(anyhow::Error::from);
            cases.push(entry.and_then(case).with_context(|| format!("case {id}"))?);
        }
    }
    Ok(cases)
}

fn case(entry: Entry) -> anyhow::Result<Case> {
    let (mut about, is_plain) = (entry.about, entry.exchange.is_empty());
    let data = entry.crowd.map(Course::Crowd).or(entry.flood.map(Course::Flood));
    let course = match data.or_else(|| code(&about.id)) {
        Some(_) if !is_plain => bail!("it is a behaviour, and has fields of an exchange"),
        Some(course) => course,
        None => Course::Exchange(entry.exchange.try_into().context("it is no behaviour")?),
    };
    if let Course::Exchange(exchange) = &course {
        about.sent = escaped(&exchange.beginning(KEPT + 1));
    }
    Ok(Case {
        about,
        protocols: entry.protocols,
        timed: entry.timed,
        plain: entry.plain,
        course,
    })
}

/// What is code under this id.
fn code(id: &str) -> Option<Course> {
    if id == h2spec::ID {
        return Some(Course::H2spec(Vec::new()));
    }
    let act = ACTS.concat().into_iter().find(|(known, _)| *known == id);
    act.map(|(_, act)| Course::Act(act))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::exchange::Part;

    #[test]
    fn the_cases_are_sound() {
        let cases = parse(&FILES).unwrap();
        assert!(cases.len() >= 100, "{}", cases.len());
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        for (number, case) in cases.iter().enumerate() {
            let about = &case.about;
            let id = about.id.as_str();
            assert!(!id.is_empty() && id.chars().all(is_name), "{id} is not a name");
            let is_sourced = !about.source.starts_with("RFC") || about.source.contains(", section ");
            assert!(is_sourced, "the source of {id} names no section");
            assert!(
                about.demand.ends_with(['.', ')']),
                "the demand of {id} is not a sentence"
            );
            assert!(!case.protocols.is_empty(), "{id} is for no protocol");
            let twice = cases[..number].iter().any(|other| other.about.id == id);
            assert!(!twice, "there are two cases {id}");
            if let Course::Exchange(exchange) = &case.course {
                assert_eq!(
                    exchange.allow.is_empty(),
                    case.is_observed(),
                    "{id} allows nothing, or is observed"
                );
                let pause = |part: &Part| match part {
                    Part::Pause { pause_ms } => *pause_ms,
                    _ => 0,
                };
                let pauses: u64 = exchange.send.iter().map(pause).sum();
                assert!(pauses < 5000, "{id} waits too long");
                assert!(
                    exchange.beginning((8 << 20) + 1).len() <= 8 << 20,
                    "{id} sends too much"
                );
            }
        }
        assert!(cases.iter().any(|case| case.about.smuggles));
        // What is code is described, and what is described is code.
        for id in ACTS.concat().into_iter().map(|(id, _)| id).chain([h2spec::ID]) {
            assert!(cases.iter().any(|case| case.about.id == id), "{id} is in no file");
        }
    }

    #[test]
    fn what_is_no_case_is_refused() {
        let good = "group = \"fields\"\n[[case]]\nid = \"a\"\ntitle = \"A\"\nlevel = \"must\"\nsource = \"RFC 9112, section 2\"\n\
                    demand = \"It is so.\"\nsend = [\"x\"]\nallow = [\"200\"]\n";
        assert_eq!(parse(&[good]).unwrap().len(), 1);
        for (from, to, expected) in [
            ("\"must\"", "\"shall\"", "shall"),
            ("\"fields\"", "\"meadows\"", "meadows"),
            ("[\"200\"]", "[\"2000\"]", "2000"),
            ("[\"x\"]", "[{ bogus = 1 }]", "Part"),
            ("send =", "sends =", "sends"),
        ] {
            let error = format!("{:#}", parse(&[&good.replace(from, to)]).unwrap_err());
            assert!(error.contains(expected), "{to}: {error}");
        }
    }
}
