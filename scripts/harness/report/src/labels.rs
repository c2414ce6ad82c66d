//! Words for people: what a verdict, a lane, a tier or a scenario is called, and what a verdict means.

use std::collections::{BTreeMap, BTreeSet};

use crate::document::{Text, listed, name, own, plain, sentence, text};
use crate::figure::significant;
use analyze::caveat::Caveat;
use jiff::Timestamp;
use model::escape::{NAME, clean};
use model::scenario::{GeneratorKind, Isolation, LoadModel, Protocol, Scenario};
use model::{AppRecord, Environment, Metric, Record, Role, Stopped, Tier, Verdict};

/// The frameworks that most readers ask about first, by their crates.
const BEST_KNOWN: [&str; 3] = ["actix-web", "axum", "rocket"];

/// Whether it is a server of one of these.
pub fn is_best_known(app: &AppRecord) -> bool {
    BEST_KNOWN.contains(&&*app.framework)
}

/// A note next to the name of an app that is not simply a maintained framework.
pub fn standing(role: Role, tier: Tier) -> Option<&'static str> {
    match (role, tier) {
        (Role::Reference, _) => Some("reference"),
        (Role::Ceiling, _) => Some("ceiling"),
        (Role::Control, _) => Some("control"),
        (Role::Framework, Tier::Engine) => Some("engine"),
        (Role::Framework, Tier::Legacy) => Some("legacy"),
        (Role::Framework, Tier::OwnStack) => Some("own driver"),
        (Role::Framework, Tier::Driver) => Some("driver"),
        (Role::Framework, Tier::Maintained) => None,
    }
}

/// A version as a row shows it: one with a hyphen is a pre-release, unless the hyphen follows a plus, as the name of a build does
/// (Semantic Versioning 2.0.0, items 9 and 10).
pub fn version(version: &str) -> String {
    let (number, _) = version.split_once('+').unwrap_or((version, ""));
    let standing = if number.contains('-') { " (pre-release)" } else { "" };
    format!("{}{standing}", clean(version, NAME))
}

/// Why the run ended.
pub fn stopped(stopped: Stopped) -> &'static str {
    match stopped {
        Stopped::RoundsDone => "all completed",
        Stopped::TimeBudgetSpent => "stopped early: the time budget was spent",
    }
}

pub use model::count;

/// Rounds that a run made; `None` for a run of costs.
pub fn rounds_made(record: &Record) -> Option<u32> {
    record.trials.iter().map(|trial| trial.round).max()
}

/// How many cells (an app under a scenario) have which verdict.
pub fn verdicts(record: &Record) -> BTreeMap<Verdict, u32> {
    let mut counted = BTreeMap::new();
    for cell in &record.summary {
        *counted.entry(cell.verdict).or_default() += 1;
    }
    counted
}

/// Values by their keys, which stay in the order of their first occurrence.
pub fn grouped<K: PartialEq, V>(pairs: impl IntoIterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in pairs {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(value),
            None => groups.push((key, vec![value])),
        }
    }
    groups
}

/// Values without repetition, in the order of their first occurrence.
pub fn distinct<K: PartialEq>(values: impl IntoIterator<Item = K>) -> Vec<K> {
    let groups = grouped(values.into_iter().map(|value| (value, ())));
    groups.into_iter().map(|(value, _)| value).collect()
}

/// `a`, `a and b`, `a, b and c`.
pub fn list(names: &[impl AsRef<str>]) -> String {
    plain(&listed(names.iter().map(|name| own(name.as_ref()))))
}

/// A title or name within a sentence: `Goodput` → `goodput`, but `JSON` and `10,000` as they are.
pub fn lower_first(title: &str) -> String {
    let mut characters = title.chars();
    match (characters.next(), characters.clone().next()) {
        (Some(first), Some(next)) if next.is_lowercase() || next == ' ' => {
            first.to_lowercase().chain(characters).collect()
        }
        _ => title.to_owned(),
    }
}

/// A sentence with a capital letter at its beginning.
pub fn upper_first(sentence: &str) -> String {
    let mut characters = sentence.chars();
    let first = characters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(characters).collect()
}

/// Name of a group of apps: those that are ranked among themselves, and those to compare with.
pub fn group(role: Role, tier: Tier) -> &'static str {
    match (role, tier) {
        (Role::Framework, Tier::Maintained) => "Frameworks",
        (Role::Framework, Tier::Engine) => "Engines, no framework",
        (Role::Framework, Tier::Legacy) => "Legacy, no longer maintained",
        (Role::Framework, Tier::OwnStack) => "Frameworks with a driver of their own",
        (Role::Framework, Tier::Driver) => "Drivers",
        (Role::Reference | Role::Ceiling | Role::Control, _) => "To compare with",
    }
}

/// The model and number of the cpus.
pub fn machine(machine: &Environment) -> Text {
    let cpus = count(machine.logical_cpus as usize, "logical cpu");
    text![cpu(&machine.cpu_model), ", ", cpus]
}

/// The model of a cpu or a compiler, which may be as long as two names.
pub fn cpu(model: &str) -> Text {
    clean(model, 2 * NAME).into()
}

/// What is to be known of a run; what the record itself says is as long as a sentence.
pub fn caveat(caveat: &Caveat) -> Text {
    match caveat {
        Caveat::Recorded(warning) => sentence(warning),
        other => other.to_string().into(),
    }
}

/// `2026-11-21`
pub fn day(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d").to_string()
}

/// `weekly on hosted-x64, 2026-11-21`.
pub fn run(record: &Record) -> Text {
    let day = day(record.started_at);
    text![name(&record.profile), " on ", record.lane.name(), ", ", day]
}

/// `26 November 2026`
pub fn date(at: Timestamp) -> String {
    at.strftime("%-d %B %Y").to_string()
}

/// From when to when a run was made.
pub fn time(record: &Record) -> String {
    let start = record.started_at.strftime("%Y-%m-%d %H:%M");
    format!("{start} to {}", record.finished_at.strftime("%Y-%m-%d %H:%M UTC"))
}

/// The request line of a scenario, `GET /cpu?n=30`.
pub fn request(scenario: &Scenario) -> String {
    format!("{} {}", scenario.method.as_str(), clean(&scenario.path, NAME))
}

/// How a scenario's request is sent, `over HTTP/1.1, 64 connections, closed loop, 1.6 s in slices of 50 ms after 0.2 s of
/// warm-up`.
pub fn load(scenario: &Scenario) -> String {
    let protocol = protocol(scenario.protocol);
    let connections = count(scenario.connections as usize, "connection");
    let streams = match scenario.streams {
        1 => String::new(),
        streams => format!(" with {streams} streams each"),
    };
    let kept = (!scenario.keep_alive).then_some(", a new one for each request");
    let kept = kept.unwrap_or_default();
    let model = match scenario.load {
        LoadModel::Closed => "closed loop".to_owned(),
        LoadModel::Open { rate_rps } => format!("open loop at {} req/s", significant(rate_rps)),
        LoadModel::Capacity { p99_ms } => {
            let within = significant(p99_ms);
            format!("open loops at rising rates, as long as 99 % are answered within {within} ms")
        }
    };
    let around = match scenario.isolation {
        Isolation::Native => "",
        Isolation::Docker => ", in a container with the host's network",
        Isolation::DockerBridge => ", in a container behind a bridge",
    };
    let generator = match scenario.generator {
        GeneratorKind::Oha => String::new(),
        other => format!(", driven by {}", other.program()),
    };
    let length = match scenario.requests {
        Some(requests) => count(usize::try_from(requests).unwrap_or(usize::MAX), "request"),
        None => format!("{} s", scenario.seconds),
    };
    let slices = scenario.slice_seconds;
    let slices = slices.map(|seconds| format!(" in slices of {} ms", (seconds * 1000.0).round()));
    let (slices, warmup) = (slices.unwrap_or_default(), scenario.warmup_seconds);
    format!(
        "over {protocol}, {connections}{streams}{kept}, {model}{around}{generator}, {length}{slices} after {warmup} s of warm-up"
    )
}

/// Which tails so few requests say nothing of, `too few requests for p99`; `None` where the load has none.
pub fn too_few_requests(scenario: &Scenario) -> Option<String> {
    let is_open = scenario.offered().is_some();
    let mut unknown = Metric::ALL.to_vec();
    unknown.retain(|metric| is_open && !metric.is_known_in(scenario));
    let unknown: Vec<&str> = unknown.into_iter().map(Metric::name).collect();
    (!unknown.is_empty()).then(|| format!("too few requests for {}", list(&unknown)))
}

/// Name of a protocol.
pub fn protocol(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Http1 => "HTTP/1.1",
        Protocol::Http1Tls => "HTTP/1.1 over TLS",
        Protocol::Http2 => "HTTP/2",
        Protocol::Http2Tls => "HTTP/2 over TLS",
    }
}

/// The load generators and the container engine: `oha 1.16.0, wrk 4.1.0; containers by docker 28.2.2`.
pub fn driven_by(record: &Record) -> String {
    if record.measures_costs() {
        return "no load generator".to_owned();
    }
    let environment = &record.environment;
    let kinds: BTreeSet<_> = record.scenarios.iter().map(|scenario| scenario.generator).collect();
    let named = kinds.into_iter().map(|kind| {
        let version = match kind {
            GeneratorKind::Oha => Some(&environment.oha),
            other => environment.generators.get(&other),
        };
        let version = version.map(|version| clean(version, NAME)).unwrap_or_default();
        format!("{} {version}", kind.program()).trim_end().to_owned()
    });
    let named = named.collect::<Vec<_>>().join(", ");
    match &environment.container_engine {
        Some(engine) => format!("{named}; containers by {}", clean(engine, NAME)),
        None => named,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_says_its_slices() {
        let mut scenario = samples::record().scenarios.remove(0);
        (scenario.seconds, scenario.slice_seconds) = (1.6, Some(0.05));
        let text = load(&scenario);
        assert!(
            text.ends_with("closed loop, 1.6 s in slices of 50 ms after 2 s of warm-up"),
            "{text}"
        );
    }

    #[test]
    fn names_and_titles_stand_in_sentences() {
        assert_eq!(list(&["a"]), "a");
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
        let lower = ["The cost", "A hash", "JSON", "10,000 items", "CPU per request"].map(lower_first);
        assert_eq!(lower, ["the cost", "a hash", "JSON", "10,000 items", "CPU per request"]);
    }
}
