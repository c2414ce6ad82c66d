//! `data.js` of github-action-benchmark, which is only checked. The action replaces a file that it cannot read by an empty history,
//! so a broken one must be found before the action runs.
//!
//! The file is `window.BENCHMARK_DATA = ` and a JSON object, `{lastUpdate, repoUrl, entries: {SUITE: [entry, …]}}`.

use serde_json::Value;

/// What comes before the JSON; the action cuts off this many characters without looking at them.
const PREFIX: &str = "window.BENCHMARK_DATA = ";

/// Says what the action, or the page that it writes, could not read in the text of a file.
pub fn check(text: &str) -> Result<(), String> {
    let json = text
        .strip_prefix(PREFIX)
        .ok_or_else(|| format!("it does not begin with `{}`", PREFIX.trim_end()))?;
    let file: Value = serde_json::from_str(json).map_err(|error| error.to_string())?;
    if !file["lastUpdate"].is_u64() {
        return Err("`lastUpdate` is not a time".into());
    }
    let suites = file["entries"].as_object().ok_or("it has no `entries`")?;
    for (name, entries) in suites {
        let entries = entries.as_array().ok_or_else(|| format!("suite `{name}` is no list"))?;
        for (place, one) in (1..).zip(entries) {
            entry(one).map_err(|reason| format!("suite `{name}`: entry {place}: {reason}"))?;
        }
    }
    Ok(())
}

/// Whether an entry has everything that the page needs.
fn entry(entry: &Value) -> Result<(), String> {
    let known = [
        ("commit.id", entry["commit"]["id"].is_string()),
        ("date", entry["date"].is_u64()),
        ("tool", entry["tool"].is_string()),
    ];
    if let Some((name, _)) = known.iter().find(|(_, there)| !there) {
        return Err(format!("it has no `{name}`"));
    }
    let benches = entry["benches"].as_array().ok_or("it has no `benches`")?;
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
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written by the action (1.22.0, `storeDataJs`) at its second run.
    const WRITTEN: &str = include_str!("fixtures/data.js");

    fn entry(commit: &str, date: u64, value: f64) -> String {
        format!(
            "{{\"commit\":{{\"id\":\"{commit}\"}},\"date\":{date},\"tool\":\"customBiggerIsBetter\",\
             \"benches\":[{{\"name\":\"axum\",\"value\":{value},\"unit\":\"req/s\"}}]}}"
        )
    }

    #[test]
    fn what_the_action_wrote_is_fine() {
        check(WRITTEN).unwrap();
        check(&format!(
            "{PREFIX}{{\"lastUpdate\":0,\"repoUrl\":\"\",\"entries\":{{}}}}"
        ))
        .unwrap();
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
            (format!("{PREFIX}[]"), "`lastUpdate`"),
            (format!("{PREFIX}{{\"lastUpdate\":1}}"), "no `entries`"),
            (format!("{PREFIX}{{\"entries\":{{}}}}"), "`lastUpdate`"),
            (with("[]"), "no `entries`"),
            (with("{\"s\":{}}"), "suite `s`"),
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
            let error = check(&text).unwrap_err();
            assert!(error.contains(told), "{told}: {error}");
        }
    }
}
