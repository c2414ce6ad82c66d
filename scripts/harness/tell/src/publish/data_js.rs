//! `data.js` of github-action-benchmark: read strictly, merged, written as the action itself writes it.
//!
//! The file is `window.BENCHMARK_DATA = ` and a JSON object, `{lastUpdate, repoUrl, entries: {SUITE: [entry, …]}}`. The
//! action replaces a file that it cannot read by an empty history, so a broken one must be found before the action runs.
//!
//! What two checkouts have added is united here: an entry is known by commit, date and tool. Entries and unknown keys keep
//! their text to the letter. Because entries are only ever added, the action's `max-items-in-chart` has no effect on what
//! is published.

use std::fmt::{self, Write as _};

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// What stands before the JSON; the action cuts off as many characters, whatever they are.
const PREFIX: &str = "window.BENCHMARK_DATA = ";
/// The key that holds the suites.
const ENTRIES: &str = "entries";
/// The key that holds the time of the last change, in milliseconds since 1970.
const LAST_UPDATE: &str = "lastUpdate";

/// A readable `data.js`.
#[derive(Debug, Clone)]
pub struct DataJs {
    /// Every key but `entries`, in the order of the file.
    fields: Vec<(String, Box<RawValue>)>,
    /// How many of those stand before `entries`.
    place: usize,
    suites: Vec<(String, Vec<Entry>)>,
}

/// What one run of the action has added to a suite.
#[derive(Debug, Clone)]
pub struct Entry {
    key: Key,
    text: Box<RawValue>,
}

/// What an entry is known by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Commit that was measured.
    pub commit: String,
    /// When the action ran, in milliseconds since 1970.
    pub date: u64,
    /// The action's name for the kind of input.
    pub tool: String,
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let commit: String = self.commit.chars().take(12).collect();
        write!(f, "{commit} at {} by {}", self.date, self.tool)
    }
}

/// An object's keys in their order, each once.
struct Object(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Object;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut fields: Vec<(String, Box<RawValue>)> = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, Box<RawValue>>()? {
                    if fields.iter().any(|(known, _)| *known == key) {
                        return Err(serde::de::Error::custom(format!("it has two `{key}`")));
                    }
                    fields.push((key, value));
                }
                Ok(Object(fields))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

impl DataJs {
    /// A file without any entry, as the action begins it.
    pub fn empty() -> Self {
        Self::read(&format!(
            "{PREFIX}{{\"{LAST_UPDATE}\": 0, \"repoUrl\": \"\", \"{ENTRIES}\": {{}}}}"
        ))
        .expect("it is readable")
    }

    /// Reads the text of a file; the error says what is wrong in it.
    pub fn read(text: &str) -> Result<Self, String> {
        let json = text
            .strip_prefix(PREFIX)
            .ok_or_else(|| format!("it does not begin with `{}`", PREFIX.trim_end()))?;
        let Object(mut fields) = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let place = fields
            .iter()
            .position(|(key, _)| key == ENTRIES)
            .ok_or_else(|| format!("it has no `{ENTRIES}`"))?;
        let (_, entries) = fields.remove(place);
        let Object(suites) = serde_json::from_str(entries.get()).map_err(|error| format!("`{ENTRIES}`: {error}"))?;
        let suites = suites.into_iter().map(|(name, text)| {
            let entries = suite(&text).map_err(|reason| format!("suite `{name}`: {reason}"))?;
            Ok((name, entries))
        });
        let suites = suites.collect::<Result<_, String>>()?;
        let data = Self { fields, place, suites };
        match data.last_update() {
            Some(_) => Ok(data),
            None => Err(format!("`{LAST_UPDATE}` is no time")),
        }
    }

    /// The text of the file, as the action writes it.
    pub fn text(&self) -> String {
        let mut members: Vec<String> = self
            .fields
            .iter()
            .map(|(key, text)| format!("{}: {}", quoted(key), text.get()))
            .collect();
        members.insert(self.place, format!("\"{ENTRIES}\": {}", self.suites_text()));
        format!("{PREFIX}{{\n  {}\n}}", members.join(",\n  "))
    }

    fn suites_text(&self) -> String {
        let mut text = String::new();
        for (name, entries) in &self.suites {
            let comma = if text.is_empty() { "" } else { "," };
            let entries: Vec<&str> = entries.iter().map(|entry| entry.text.get()).collect();
            let entries = match entries.as_slice() {
                [] => "[]".to_owned(),
                some => format!("[\n      {}\n    ]", some.join(",\n      ")),
            };
            let _ = write!(text, "{comma}\n    {}: {entries}", quoted(name)); // a String takes everything
        }
        if text.is_empty() {
            "{}".to_owned()
        } else {
            format!("{{{text}\n  }}")
        }
    }

    /// What this file has more than `base`: entries that are not there, and the keys that go with them. `None` if there
    /// is no such entry.
    pub fn added_to(mut self, base: &Self) -> Option<Self> {
        for (name, entries) in &mut self.suites {
            entries.retain(|entry| base.entry(name, &entry.key).is_none());
        }
        self.suites.retain(|(_, entries)| !entries.is_empty());
        (!self.suites.is_empty()).then_some(self)
    }

    /// Adds the entries of `added` that are missing, each at the place of its date, and says whether there were any. Two
    /// different entries of one key are an error.
    pub fn add(&mut self, added: &Self) -> Result<bool, String> {
        let mut changed = false;
        for (name, entry) in added.entries() {
            if let Some(there) = self.entry(name, &entry.key) {
                if !there.same_as(entry) {
                    return Err(format!(
                        "suite `{name}` holds another entry of {}, and nothing is overwritten",
                        entry.key
                    ));
                }
                continue;
            }
            let entries = self.suite(name);
            let place = entries.iter().rposition(|there| there.key.date <= entry.key.date);
            entries.insert(place.map_or(0, |place| place + 1), entry.clone());
            changed = true;
        }
        if changed {
            self.take_fields(added);
        }
        Ok(changed)
    }

    /// Every entry with the name of its suite.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.suites
            .iter()
            .flat_map(|(name, entries)| entries.iter().map(move |entry| (name.as_str(), entry)))
    }

    /// Whether the same entry is in the suite of this name.
    pub fn has(&self, suite: &str, entry: &Entry) -> bool {
        self.entry(suite, &entry.key).is_some_and(|there| there.same_as(entry))
    }

    fn entry(&self, suite: &str, key: &Key) -> Option<&Entry> {
        let (_, entries) = self.suites.iter().find(|(name, _)| name == suite)?;
        entries.iter().find(|entry| entry.key == *key)
    }

    /// The suite of this name, which is begun if it is not there.
    fn suite(&mut self, name: &str) -> &mut Vec<Entry> {
        let place = self.suites.iter().position(|(known, _)| known == name);
        let place = place.unwrap_or_else(|| {
            self.suites.push((name.to_owned(), Vec::new()));
            self.suites.len() - 1
        });
        &mut self.suites[place].1
    }

    /// The keys beside the entries: those of the later file, as the action sets them at each run; none is dropped.
    fn take_fields(&mut self, added: &Self) {
        let later = added.last_update() >= self.last_update();
        for (key, text) in &added.fields {
            match self.fields.iter_mut().find(|(known, _)| known == key) {
                Some((_, known)) if later => known.clone_from(text),
                Some(_) => {}
                None => self.fields.push((key.clone(), text.clone())),
            }
        }
    }

    fn last_update(&self) -> Option<u64> {
        let (_, text) = self.fields.iter().find(|(key, _)| key == LAST_UPDATE)?;
        serde_json::from_str(text.get()).ok()
    }
}

impl Entry {
    /// What it is known by.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// Whether both say the same, however it is written.
    fn same_as(&self, other: &Self) -> bool {
        let value = |entry: &Self| serde_json::from_str::<Value>(entry.text.get()).ok();
        self.text.get() == other.text.get() || value(self) == value(other)
    }
}

fn suite(text: &RawValue) -> Result<Vec<Entry>, String> {
    let texts: Vec<Box<RawValue>> = serde_json::from_str(text.get()).map_err(|error| error.to_string())?;
    let entry = |(place, text): (usize, Box<RawValue>)| match key(&text) {
        Ok(key) => Ok(Entry { key, text }),
        Err(reason) => Err(format!("entry {place}: {reason}")),
    };
    (1..).zip(texts).map(entry).collect()
}

/// What an entry is known by, if it has all that the page cannot do without. By hand: serde would take arrays for structs.
fn key(text: &RawValue) -> Result<Key, String> {
    let entry: Value = serde_json::from_str(text.get()).map_err(|error| error.to_string())?;
    let lacks = |what: &str| format!("it has no `{what}`");
    let key = Key {
        commit: entry["commit"]["id"]
            .as_str()
            .ok_or_else(|| lacks("commit.id"))?
            .to_owned(),
        date: entry["date"].as_u64().ok_or_else(|| lacks("date"))?,
        tool: entry["tool"].as_str().ok_or_else(|| lacks("tool"))?.to_owned(),
    };
    let benches = entry["benches"].as_array().ok_or_else(|| lacks("benches"))?;
    for (place, bench) in (1..).zip(benches) {
        let is_text = |name: &str, must: bool| bench.get(name).map_or(!must, Value::is_string);
        let whole = bench["value"].is_number()
            && is_text("name", true)
            && is_text("unit", true)
            && is_text("range", false)
            && is_text("extra", false);
        if !whole {
            return Err(format!("figure {place} is not of {{name, value, unit, range, extra}}"));
        }
    }
    if benches.is_empty() {
        return Err("it holds no figure".into());
    }
    Ok(key)
}

/// A string as JSON.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written by the action (1.22.0, `storeDataJs`) at its second run.
    const WRITTEN: &str = include_str!("fixtures/data.js");
    const SUITE: &str = "hosted-x64 throughput";

    fn entry(commit: &str, date: u64, value: f64) -> String {
        format!(
            "{{\"commit\":{{\"id\":\"{commit}\"}},\"date\":{date},\"tool\":\"customBiggerIsBetter\",\
             \"benches\":[{{\"name\":\"axum\",\"value\":{value},\"unit\":\"req/s\"}}]}}"
        )
    }

    fn file(suites: &[(&str, &[String])], last_update: u64) -> DataJs {
        let suites: Vec<String> = suites
            .iter()
            .map(|(name, entries)| format!("\"{name}\":[{}]", entries.join(",")))
            .collect();
        let suites = suites.join(",");
        let text = format!("{PREFIX}{{\"lastUpdate\":{last_update},\"repoUrl\":\"\",\"entries\":{{{suites}}}}}");
        DataJs::read(&text).unwrap()
    }

    fn dates(data: &DataJs) -> Vec<u64> {
        data.entries().map(|(_, entry)| entry.key.date).collect()
    }

    #[test]
    fn what_the_action_wrote_is_written_again_to_the_letter() {
        let read = DataJs::read(WRITTEN).unwrap();
        assert_eq!(read.text(), WRITTEN);
        assert_eq!(read.entries().count(), 3);
        let empty = "window.BENCHMARK_DATA = {\n  \"lastUpdate\": 0,\n  \"repoUrl\": \"\",\n  \"entries\": {}\n}";
        assert_eq!(DataJs::empty().text(), empty);
    }

    #[test]
    fn an_entry_that_was_added_elsewhere_is_written_as_the_action_would_have() {
        // The same history without its last entry, and what the second run of the action made of it.
        let whole = DataJs::read(WRITTEN).unwrap();
        let mut before = whole.clone();
        before.suites[0].1.pop();
        let added = whole.added_to(&before).unwrap();
        assert_eq!(added.entries().count(), 1);
        assert!(before.add(&added).unwrap());
        assert_eq!(before.text(), WRITTEN);
        assert!(!before.add(&added).unwrap(), "twice is once");
    }

    #[test]
    fn two_that_added_at_once_lose_nothing_and_stand_by_date() {
        let base = file(&[(SUITE, &[entry("a", 10, 1.0)])], 10);
        let ours = file(
            &[
                (SUITE, &[entry("a", 10, 1.0), entry("b", 20, 2.0)]),
                ("latency", &[entry("b", 21, 3.0)]),
            ],
            21,
        );
        let mut theirs = file(&[(SUITE, &[entry("a", 10, 1.0), entry("b", 30, 2.5)])], 30);
        let added = ours.added_to(&base).unwrap();
        assert_eq!(dates(&added), [20, 21]);
        assert!(theirs.add(&added).unwrap());
        assert_eq!(dates(&theirs), [10, 20, 30, 21]);
        assert_eq!(theirs.last_update(), Some(30), "the later one");
        assert!(added.entries().all(|(suite, entry)| theirs.has(suite, entry)));
        assert!(base.added_to(&theirs).is_none());
    }

    #[test]
    fn unknown_keys_stay() {
        let text = format!(
            "{PREFIX}{{\"lastUpdate\":1,\"note\":{{\"z\":1.0,\"a\":1e2}},\"entries\":{{\"s\":[{{\"more\":true,{}]}},\"end\":[]}}",
            entry("a", 1, 1.0).trim_start_matches('{')
        );
        let mut data = DataJs::read(&text).unwrap();
        data.add(&file(&[("s", &[entry("b", 2, 1.0)])], 2)).unwrap();
        let written = data.text();
        for kept in [
            "\"note\": {\"z\":1.0,\"a\":1e2}",
            "\"more\":true",
            "\"end\": []",
            "\"lastUpdate\": 2",
        ] {
            assert!(written.contains(kept), "{kept}: {written}");
        }
        assert!(DataJs::read(&written).is_ok());
    }

    #[test]
    fn the_same_key_with_another_figure_is_refused() {
        let mut base = file(&[(SUITE, &[entry("a", 10, 1.0)])], 10);
        let error = base.add(&file(&[(SUITE, &[entry("a", 10, 2.0)])], 10)).unwrap_err();
        assert!(error.contains("another entry of a at 10"), "{error}");
        // Written in another way, it is the same.
        let spaced = entry("a", 10, 1.0).replace(',', " , ");
        assert!(!base.add(&file(&[(SUITE, &[spaced])], 10)).unwrap());
    }

    #[test]
    fn what_the_page_could_not_show_is_refused_with_its_place() {
        let with = |entries: &str| format!("{PREFIX}{{\"lastUpdate\":1,\"entries\":{entries}}}");
        let good = entry("a", 1, 1.0);
        let cases = [
            (String::new(), "does not begin"),
            (WRITTEN.replacen("window", "Window", 1), "does not begin"),
            (WRITTEN[..WRITTEN.len() / 2].to_owned(), "EOF"),
            (format!("{WRITTEN};"), "trailing characters"),
            (format!("{PREFIX}[]"), "an object"),
            (format!("{PREFIX}{{}}"), "no `entries`"),
            (format!("{PREFIX}{{\"entries\":{{}}}}"), "`lastUpdate`"),
            (with("[]"), "an object"),
            (with("{\"s\":{}}"), "suite `s`"),
            (with("{\"s\":[],\"s\":[]}"), "two `s`"),
            (with("{\"s\":[1]}"), "entry 1"),
            (
                with(&format!("{{\"s\":[{good},{{}}]}}")),
                "entry 2: it has no `commit.id`",
            ),
            (
                with(&format!("{{\"s\":[{}]}}", good.replace("1,\"unit\"", "NaN,\"unit\""))),
                "column",
            ),
            (
                with(&format!(
                    "{{\"s\":[{}]}}",
                    good.replace("\"value\":1", "\"value\":\"1\"")
                )),
                "entry 1: figure 1",
            ),
            (with("{\"s\":[[{\"id\":\"a\"},1,\"t\",[]]]}"), "entry 1"),
        ];
        for (text, told) in cases {
            let error = DataJs::read(&text).unwrap_err();
            assert!(error.contains(told), "{told}: {error}");
        }
    }
}
