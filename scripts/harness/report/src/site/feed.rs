//! The feed: confirmed changes of all lanes as Atom (RFC 4287), for maintainers of frameworks who do not want to visit the site.
//!
//! It is a pure function of the changes and of the index: its time is that of the newest run, never that of writing.

use std::str::FromStr;

use atom_syndication::{Content, Entry, Feed, FixedDateTime, Generator, Link, Person, Text};
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

use super::index::Index;
use analyze::history::{Cause, Change, Direction, HistoryReport, Kind, State};
use model::escape::{NAME, SENTENCE, clean};
use model::label;
use model::{Lane, Metric, WEEKLY};

/// Most entries; older ones are in `changes.json`.
const MOST: usize = 100;

/// Address of the published site: `http` or `https`, with a `/` at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteUrl(String);

impl FromStr for SiteUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/%".contains(c);
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        let host = rest.and_then(|rest| rest.split('/').next()).unwrap_or_default();
        if host.is_empty() || text.len() > 200 || !text.chars().all(plain) {
            return Err("write it as https://OWNER.github.io/REPO/".to_owned());
        }
        let slash = if text.ends_with('/') { "" } else { "/" };
        Ok(Self(format!("{text}{slash}")))
    }
}

/// The text of the feed; `None` where there is no run yet.
pub fn feed(index: &Index, reports: &[(Lane, HistoryReport)], base: Option<&SiteUrl>) -> Option<String> {
    let newest = index.newest()?;
    let changes = reports.iter().flat_map(|(lane, report)| {
        // The weekly profile is not named: its entries got their ids before other profiles had any.
        let other = report.profile.as_deref().filter(|profile| *profile != WEEKLY);
        let of = SeriesName { lane: *lane, other };
        report.changes.iter().map(move |change| (of, change))
    });
    let mut confirmed: Vec<(SeriesName, &Change)> =
        changes.filter(|(_, change)| change.state == State::Confirmed).collect();
    let name = |(of, change): &(SeriesName, &Change)| format!("{of:?}{change:?}");
    confirmed.sort_by_cached_key(|of| (std::cmp::Reverse(of.1.started_at), name(of)));
    confirmed.truncate(MOST);
    let name = "bench site".to_owned();
    let feed = Feed {
        title: Text::plain("Rust web frameworks, measured: what became faster or slower"),
        id: base.map_or_else(|| id("feed"), |base| base.0.clone()),
        updated: time(newest),
        generator: Some(Generator {
            value: name.clone(),
            ..Generator::default()
        }),
        authors: vec![Person {
            name,
            ..Person::default()
        }],
        links: vec![link("self", "feed.xml"), link("alternate", "./")],
        base: base.map(|base| base.0.clone()),
        lang: Some("en".to_owned()),
        entries: confirmed.into_iter().map(|(of, change)| entry(of, change)).collect(),
        ..Feed::default()
    };
    Some(feed.to_string() + "\n")
}

fn link(relation: &str, target: &str) -> Link {
    Link {
        href: target.to_owned(),
        rel: relation.to_owned(),
        ..Link::default()
    }
}

/// The series of a change.
#[derive(Debug, Clone, Copy)]
struct SeriesName<'a> {
    lane: Lane,
    /// Its profile, if that is not the weekly one.
    other: Option<&'a str>,
}

fn entry(SeriesName { lane, other }: SeriesName<'_>, change: &Change) -> Entry {
    let app = clean(&label(&change.app, &change.variant), NAME);
    let scenario = clean(&change.scenario, NAME);
    let metric = Metric::from_id(&change.metric).map(|metric| metric.name().to_owned());
    let metric = metric.unwrap_or_else(|| clean(&change.metric, NAME));
    let verdict = match change.verdict {
        Direction::Regression => "a regression",
        Direction::Improvement => "an improvement",
        Direction::Change => "a change",
    };
    let [size, low, high] = [change.size, change.low, change.high].map(|share| format!("{:+.1} %", share * 100.0));
    let causes: Vec<String> = change.causes.iter().map(cause_text).collect();
    let causes = match causes.as_slice() {
        [] => "Nothing is known that changed with it.".to_owned(),
        some => format!("What changed with it: {}.", some.join("; ")),
    };
    let text = format!(
        "{metric} of {app} in {scenario} changed by {size} ({low} to {high}) relative to the other apps with run {}: {verdict}, \
         confirmed. {causes}",
        clean(&change.run, NAME),
    );
    let subject = [lane.name(), &change.app, &change.variant];
    let figure = [&change.scenario, &change.metric, &change.run].map(String::as_str);
    let key: Vec<&str> = subject.into_iter().chain(figure).chain(other).collect();
    let of = other.map(|profile| format!(", {}", clean(profile, NAME)));
    // What the site calls a series: `hosted-x64`, or `hosted-x64:quick`.
    let series = other.map(|profile| format!("{}:{profile}", lane.name()));
    let series = series.unwrap_or(lane.name().to_owned());
    Entry {
        title: Text::plain(format!(
            "{app}: {metric} {size} in {scenario} ({}{}), {verdict}",
            lane.name(),
            of.unwrap_or_default()
        )),
        id: id(&key.join("\0")),
        updated: time(change.started_at),
        links: vec![Link {
            mime_type: Some("text/html".to_owned()),
            ..link("alternate", &format!("./#/run/{}?lane={series}", change.run))
        }],
        content: Some(Content {
            value: Some(text),
            content_type: Some("text".to_owned()),
            ..Content::default()
        }),
        ..Entry::default()
    }
}

fn cause_text(cause: &Cause) -> String {
    if cause.kind == Kind::Environment {
        return "nothing that is known: the environment".to_owned();
    }
    let side = |side: &str| clean(if side.is_empty() { "none" } else { side }, NAME);
    let (name, before, after) = (side(&cause.name), side(&cause.before), side(&cause.after));
    clean(&format!("{name} {before} → {after}"), SENTENCE)
}

/// A name that stays the same for the same thing, wherever it is published.
fn id(key: &str) -> String {
    let digest = Sha256::digest(format!("bench feed\0{key}"));
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    uuid::Builder::from_random_bytes(bytes).into_uuid().urn().to_string()
}

fn time(at: Timestamp) -> FixedDateTime {
    let text = at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    text.parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{changes, index};
    use super::*;

    fn lanes() -> Vec<(Lane, HistoryReport)> {
        vec![(Lane::HostedX64, changes())]
    }

    #[test]
    fn confirmed_changes_are_told_and_names_are_text() {
        let base: SiteUrl = "https://owner.github.io/repo".parse().unwrap();
        let text = feed(&index(), &lanes(), Some(&base)).unwrap();
        insta::assert_snapshot!(text);
        let read: Feed = text.parse().unwrap();
        assert_eq!(read.entries().len(), 1, "a suspected change is none yet");
        assert!(
            read.entries()[0]
                .title()
                .starts_with("axum: CPU per request +12.0 % in plaintext")
        );
        assert_eq!(read.base(), Some("https://owner.github.io/repo/"));
    }

    #[test]
    fn without_changes_it_is_a_feed_with_the_time_of_the_newest_run() {
        let text = feed(&index(), &[], None).unwrap();
        let read: Feed = text.parse().unwrap();
        assert!(read.entries().is_empty() && read.base().is_none() && !read.title().is_empty());
        assert_eq!(read.updated().to_rfc3339(), "2026-11-21T11:00:00+00:00");
        assert_eq!(feed(&Index::empty(), &[], None), None);
    }

    #[test]
    fn an_entry_keeps_its_id_and_no_two_have_the_same() {
        let mut more = lanes();
        let changes = &mut more[0].1;
        for number in 0..150 {
            let mut other = changes.changes[0].clone();
            other.run = format!("2026{number:04}T000000Z-1");
            changes.changes.push(other);
        }
        let ids = |changes: &[(Lane, HistoryReport)]| {
            let feed: Feed = feed(&index(), changes, None).unwrap().parse().unwrap();
            feed.entries()
                .iter()
                .map(|entry| entry.id().to_owned())
                .collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!(ids(&more).len(), MOST);
        assert_eq!(ids(&lanes()).len(), 1);
    }

    #[test]
    fn an_address_is_one_of_the_web() {
        let good: SiteUrl = "https://owner.github.io/repo".parse().unwrap();
        assert_eq!(good.0, "https://owner.github.io/repo/");
        for bad in [
            "owner.github.io",
            "ftp://x/",
            "https://",
            "https:///x",
            "https://x/\"><script>",
            "javascript:alert(1)",
        ] {
            assert!(bad.parse::<SiteUrl>().is_err(), "{bad}");
        }
    }
}
