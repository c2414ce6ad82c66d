//! The feed: confirmed changes of all lanes, and releases that are steps, as Atom (RFC 4287), for maintainers of frameworks who do not want to
//! visit the site.
//!
//! It is a pure function of these: its time is when the newest run began, never when it was written.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use atom_syndication::{Content, Entry, Feed, FixedDateTime, Generator, Link, Person, Text};
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

use crate::document::plain;
use crate::history::{causes, ending, word};
use analyze::history::{Change, Direction, HistoryReport, State};
use analyze::releases::{CrateReleases, Releases, Upgrade};
use model::escape::{NAME, SENTENCE, clean};
use model::label;
use model::{Lane, Metric, WEEKLY};

/// Most entries; older ones are in `changes.json`.
const MOST: usize = 100;

/// Whose changes a feed has: a framework's id, its name, and the ids of all its apps.
pub type Framework<'a> = (&'a str, &'a str, &'a BTreeSet<&'a str>);

/// The file name of the feed of all changes, or of the framework with this id.
pub fn file(framework: Option<&str>) -> String {
    framework.map_or_else(|| "feed.xml".to_owned(), |id| format!("feed-{id}.xml"))
}

/// The text of the feed, of one framework or of all.
pub fn feed(
    newest: Timestamp,
    reports: &[(Lane, HistoryReport)],
    releases: &Releases,
    base: Option<&str>,
    of: Option<Framework<'_>>,
) -> String {
    let changes = reports.iter().flat_map(|(lane, report)| {
        // The weekly profile is not named: its entries got their ids before other profiles had any.
        let other = report.profile.as_deref().filter(|profile| *profile != WEEKLY);
        report.changes.iter().map(move |change| (*lane, other, change))
    });
    let confirmed = changes
        .filter(|(.., change)| change.state == State::Confirmed)
        .filter(|(.., change)| of.is_none_or(|(.., apps)| apps.contains(change.app.as_str())));
    let confirmed = confirmed.map(|of| (of.2.started_at, entry(of)));
    let own = releases
        .crates
        .iter()
        .filter(|one| of.is_none_or(|(.., apps)| apps.contains(one.app.as_str())));
    let steps = own.flat_map(|one| one.releases.iter().filter_map(move |release| step(one, release)));
    let mut entries: Vec<(Timestamp, Entry)> = confirmed.chain(steps).collect();
    entries.sort_by_cached_key(|(at, entry)| (Reverse(*at), entry.id.clone()));
    entries.truncate(MOST);
    let updated = entries.iter().map(|(at, _)| *at).chain([newest]).max();
    let name = "bench site".to_owned();
    let about = of.map_or("Rust web frameworks".into(), |(_, name, _)| clean(name, NAME));
    let own_id = of.map(|(framework, ..)| id(&format!("feed\0{framework}")));
    let feed = Feed {
        title: Text::plain(format!("{about}, measured: what became faster or slower")),
        id: own_id.unwrap_or_else(|| base.map_or_else(|| id("feed"), str::to_owned)),
        updated: time(updated.unwrap_or(newest)),
        generator: Some(Generator {
            value: name.clone(),
            ..Generator::default()
        }),
        authors: vec![Person {
            name,
            ..Person::default()
        }],
        links: vec![link("self", &file(of.map(|(id, ..)| id))), link("alternate", "./")],
        base: base.map(str::to_owned),
        lang: Some("en".to_owned()),
        entries: entries.into_iter().map(|(_, entry)| entry).collect(),
        ..Feed::default()
    };
    feed.to_string() + "\n"
}

fn link(relation: &str, target: &str) -> Link {
    Link {
        href: target.to_owned(),
        rel: relation.to_owned(),
        ..Link::default()
    }
}

/// A change of a lane, with its profile if that is not the weekly one.
fn entry((lane, other, change): (Lane, Option<&str>, &Change)) -> Entry {
    let app = clean(&label(&change.app, &change.variant), NAME);
    let scenario = clean(&change.scenario, NAME);
    let metric = Metric::from_id(&change.metric).map(|metric| metric.name().to_owned());
    let metric = metric.unwrap_or_else(|| clean(&change.metric, NAME));
    let article = if change.verdict == Direction::Improvement {
        "an"
    } else {
        "a"
    };
    let verdict = format!("{article} {}", word(change.verdict));
    let [size, low, high] = [change.size, change.low, change.high].map(|share| format!("{:+.1} %", share * 100.0));
    let causes = match plain(&causes(&change.causes)) {
        none if none.is_empty() => "Nothing is known that changed with it.".to_owned(),
        some => format!("What changed with it: {some}."),
    };
    let ending = ending(change).map(|ending| format!(" The level {}.", plain(&ending)));
    let (ending, run) = (ending.unwrap_or_default(), clean(&change.run, NAME));
    let text = format!(
        "{metric} of {app} in {scenario} changed by {size} ({low} to {high}) relative to the other apps with run {run}: {verdict}, \
         confirmed. {causes}{ending}"
    );
    let subject = [lane.name(), &change.app, &change.variant];
    // The date of a change may be refined; the run that confirmed it stays.
    let since = change.confirmed_by.as_ref().unwrap_or(&change.run);
    let figure = [&change.scenario, &change.metric, since].map(String::as_str);
    let key: Vec<&str> = subject.into_iter().chain(figure).chain(other).collect();
    let of = other.map(|profile| format!(", {}", clean(profile, NAME)));
    // What the site calls a series: `hosted-x64`, or `hosted-x64:quick`.
    let series = other.map(|profile| format!("{}:{profile}", lane.name()));
    let series = series.unwrap_or(lane.name().to_owned());
    let (lane, of) = (lane.name(), of.unwrap_or_default());
    let ended = if change.ended.is_some() { ", ended" } else { "" };
    let title = format!("{app}: {metric} {size} in {scenario} ({lane}{of}), {verdict}{ended}");
    let at = change.ended.as_ref().map_or(change.started_at, |end| end.started_at);
    let target = format!("./#/run/{}?lane={series}", change.run);
    of_texts(&key, at, (title, text), &target)
}

/// An entry about something with this key, by title and content.
fn of_texts(key: &[&str], at: Timestamp, (title, content): (String, String), target: &str) -> Entry {
    Entry {
        title: Text::plain(title),
        id: id(&key.join("\0")),
        updated: time(at),
        links: vec![Link {
            mime_type: Some("text/html".to_owned()),
            ..link("alternate", target)
        }],
        content: Some(Content {
            value: Some(content),
            content_type: Some("text".to_owned()),
            ..Content::default()
        }),
        ..Entry::default()
    }
}

/// A release of which a request takes more or less than of the one before, with the time when that was counted.
fn step(one: &CrateReleases, release: &Upgrade) -> Option<(Timestamp, Entry)> {
    let steps = clean(&plain(&crate::releases::steps(one, release)?), SENTENCE);
    let [of, name] = [&one.of, &one.name].map(|name| clean(name, NAME));
    let beneath = (!one.is_framework).then(|| format!(" beneath {name}"));
    let beneath = beneath.unwrap_or_default();
    let title = format!("{of} {steps}{beneath}, instructions of a request");
    let text = format!(
        "Against the release before, all else being the same, a request of {name} takes other instructions in user space since {of} {steps}."
    );
    let key = ["release", &one.app, &one.of, &release.release.version];
    let (at, target) = (release.counted_at, format!("./#/framework/{}", one.app));
    Some((at, of_texts(&key, at, (title, text), &target)))
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
    use super::super::tests::changes;
    use super::*;
    use analyze::history::{End, Ending};
    use analyze::releases::releases;

    fn newest() -> Timestamp {
        samples::record().started_at
    }

    /// The feed of all of them, read.
    fn read(lanes: &[(Lane, HistoryReport)]) -> Feed {
        feed(newest(), lanes, &releases(&[]), None, None).parse().unwrap()
    }

    fn lanes() -> Vec<(Lane, HistoryReport)> {
        vec![(Lane::HostedX64, changes())]
    }

    #[test]
    fn confirmed_changes_are_told_and_names_are_text() {
        let text = feed(
            newest(),
            &lanes(),
            &releases(&[]),
            Some("https://owner.github.io/repo/"),
            None,
        );
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
        let read = read(&[]);
        assert!(read.entries().is_empty() && read.base().is_none() && !read.title().is_empty());
        assert_eq!(read.updated().to_rfc3339(), "2026-11-21T11:00:00+00:00");
    }

    #[test]
    fn a_release_that_is_a_step_has_an_entry_of_the_day_when_it_was_counted() {
        let versions = [
            ("0.8.2", "2026-03-01", Some(1_030.0)),
            ("0.8.1", "2026-02-01", Some(1_000.0)),
            ("0.8.0", "2026-01-01", Some(1_000.0)),
        ];
        let found = ["axum", "tokio"].map(|of| samples::releases("2026-11-23", of, &versions));
        let of = |apps: &[&str]| {
            let apps = apps.iter().copied().collect();
            let text = feed(newest(), &[], &releases(&found), None, Some(("axum", "Axum", &apps)));
            text.parse::<Feed>().unwrap()
        };
        let own = of(&["axum"]);
        let titles: BTreeSet<&str> = own.entries().iter().map(|entry| entry.title().as_str()).collect();
        let expected = [
            "axum 0.8.2: plaintext +3.0 % and json +3.0 %, instructions of a request",
            "tokio 0.8.2: plaintext +3.0 % and json +3.0 % beneath axum, instructions of a request",
        ];
        assert_eq!(titles, expected.into());
        assert_eq!(own.updated(), own.entries()[0].updated());
        assert_eq!(own.updated().to_rfc3339()[..10], *"2026-11-23");
        assert!(of(&["rocket"]).entries().is_empty());
    }

    #[test]
    fn a_framework_has_a_feed_of_its_own_changes() {
        let of = |apps: &[&str]| {
            let apps = apps.iter().copied().collect();
            let base = Some("https://owner.github.io/repo/");
            let text = feed(newest(), &lanes(), &releases(&[]), base, Some(("axum", "Axum", &apps)));
            text.parse::<Feed>().unwrap()
        };
        let own = of(&["axum", "axum-postgres"]);
        assert_eq!(own.title().as_str(), "Axum, measured: what became faster or slower");
        assert_eq!((own.entries().len(), own.links()[0].href()), (1, "feed-axum.xml"));
        assert!(
            own.id().starts_with("urn:uuid:"),
            "not the address, which is the id of all changes"
        );
        assert!(of(&["rocket"]).entries().is_empty());
    }

    #[test]
    fn an_entry_keeps_its_id_and_no_two_have_the_same() {
        let mut more = lanes();
        let changes = &mut more[0].1;
        for number in 0..150 {
            let mut other = changes.changes[0].clone();
            other.confirmed_by = Some(format!("2026{number:04}T000000Z-1"));
            changes.changes.push(other);
        }
        let ids = |changes: &[(Lane, HistoryReport)]| {
            let feed = read(changes);
            let ids = feed.entries().iter().map(|entry| entry.id().to_owned());
            ids.collect::<BTreeSet<_>>()
        };
        assert_eq!(ids(&more).len(), MOST);
        assert_eq!(ids(&lanes()).len(), 1);
        let mut refined = lanes();
        refined[0].1.changes[0].run = "20261114T110000Z-1".to_owned();
        assert_eq!(ids(&refined), ids(&lanes()));
    }

    #[test]
    fn an_end_is_reported_and_updates_the_entry() {
        let mut lanes = lanes();
        let change = &mut lanes[0].1.changes[0];
        change.ended = Some(End {
            run: "20261212T110000Z-1".to_owned(),
            started_at: "2026-12-12T11:00:00Z".parse().unwrap(),
            by: Ending::Change,
            causes: change.causes.clone(),
        });
        let read = read(&lanes);
        let entry = &read.entries()[0];
        assert!(entry.title().ends_with("a regression, ended"), "{entry:?}");
        assert_eq!(entry.updated().to_rfc3339(), "2026-12-12T11:00:00+00:00");
        let text = entry.content().unwrap().value().unwrap();
        assert!(text.contains("The level ended 2026-12-12 ("), "{text}");
    }
}
