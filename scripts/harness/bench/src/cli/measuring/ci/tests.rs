use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::*;

fn schedule() -> Vec<Entry> {
    serde_json::from_str(SCHEDULE).unwrap()
}

/// What is planned with these settings, on main if they do not say otherwise.
fn planned_by(schedule: &[Entry], settings: &[(&str, &str)]) -> anyhow::Result<[Value; 3]> {
    let value = |name: &str| {
        let found = settings.iter().find(|(key, _)| *key == name);
        found
            .map_or(if name == "REF" { MAIN } else { "" }, |(_, value)| value)
            .to_owned()
    };
    let now = "2026-11-23T00:23:00.5Z".parse().unwrap();
    let lines = lanes(&value, schedule, now)?;
    let values: Vec<Value> = ["lanes=", "builders=", "run="]
        .into_iter()
        .zip(lines.lines())
        .map(|(name, line)| serde_json::from_str(line.strip_prefix(name).unwrap()).unwrap())
        .collect();
    Ok(values.try_into().unwrap())
}

fn planned(settings: &[(&str, &str)]) -> [Value; 3] {
    planned_by(&schedule(), settings).unwrap()
}

#[test]
fn a_schedule_measures_everything_on_every_machine_there_is() {
    let [lanes, builders, run] = planned(&[("SCHEDULE", "23 0 * * 1")]);
    let lane = |lane, architecture, label| {
        json!({"lane": lane, "architecture": architecture, "runner": [label], "environment": "", "folder": lane,
            "branch": format!("bench-results/{lane}"), "summary": lane == "hosted-x64", "group": ""})
    };
    assert_eq!(
        lanes,
        json!([
            lane("hosted-arm64", "arm64", "ubuntu-24.04-arm"),
            lane("hosted-x64", "x64", "ubuntu-24.04"),
            lane("probes", "x64", "ubuntu-24.04")
        ])
    );
    assert_eq!(builders, json!({"x64": "ubuntu-24.04", "arm64": "ubuntu-24.04-arm"}));
    assert_eq!(
        run,
        json!({"profile": "weekly", "apps": "", "scenarios": "", "rounds": "", "publish": true, "started": "2026-11-23T00:23:00Z"})
    );
    let [own, ..] = planned(&[
        ("RUNNER", r#"["self-hosted", "bench"]"#),
        ("README_LANE", "self-hosted"),
    ]);
    let wanted = json!({"lane": "self-hosted", "architecture": "x64", "runner": ["self-hosted", "bench"],
        "environment": "self-hosted", "folder": "self-hosted", "branch": "bench-results/self-hosted", "summary": true, "group": ""});
    assert_eq!(own[3], wanted);
    assert_eq!(own[1]["summary"], false, "README.md shows one lane");
}

#[test]
fn each_kind_of_run_has_a_day_and_files_of_its_own() {
    let mut places: BTreeSet<(String, String)> = BTreeSet::new();
    let mut add = |settings: &[(&str, &str)]| {
        let [lanes, ..] = planned(settings);
        for lane in lanes.as_array().unwrap() {
            places.insert((
                lane["folder"].as_str().unwrap().into(),
                lane["branch"].as_str().unwrap().into(),
            ));
        }
        lanes
    };
    for (cron, folder, probes) in [
        ("23 0 * * 1", "hosted-x64", json!(["probes", ""])),
        (
            "23 0 * * 2",
            "hosted-x64/database",
            json!(["probes/database", "database"]),
        ),
        ("23 0 * * 3", "hosted-x64/drivers", Value::Null),
        ("23 0 * * 4", "hosted-x64/services", Value::Null),
        ("23 0 * * 5", "hosted-x64/variants", Value::Null),
    ] {
        let lanes = add(&[("SCHEDULE", cron)]);
        assert_eq!(
            (&lanes[1]["folder"], &lanes[1]["summary"]),
            (&json!(folder), &json!(true)),
            "{cron}"
        );
        let found = lanes.get(2).map(|lane| json!([lane["folder"], lane["group"]]));
        assert_eq!(found.unwrap_or_default(), probes, "{cron}");
    }
    for by_hand in [("PROFILE", "smoke"), ("ROUNDS", "1"), ("APPS", "axum")] {
        let lanes = add(&[by_hand]);
        let is_whole = by_hand.0 == "PROFILE";
        assert_eq!(lanes[1]["summary"], is_whole, "a partial run has no summary");
        assert_ne!(lanes[1]["folder"], "hosted-x64");
    }
    // Git keeps branches as files: none may be a folder of another. And no two may share one, or a folder.
    for (folder, branch) in &places {
        let same = places
            .iter()
            .filter(|(other, of)| (other == folder) != (of == branch) || of.starts_with(&format!("{branch}/")));
        assert_eq!(same.count(), 0, "{folder}, {branch}: {places:?}");
    }
    assert_eq!(places.len(), 17, "{places:?}");
}

#[test]
fn a_lane_is_measured_on_two_runners_side_by_side() {
    let mut schedule = schedule();
    let second = json!({"cron": "23 9 * * 1", "profile": "weekly", "lane": "hosted-x64", "runner": ["ubuntu-22.04"]});
    schedule.push(serde_json::from_value(second).unwrap());
    let [lanes, builders, _] = planned_by(&schedule, &[("SCHEDULE", "23 9 * * 1")]).unwrap();
    assert_eq!(lanes.as_array().unwrap().len(), 1);
    let lane = &lanes[0];
    assert_eq!(lane["branch"], "bench-results/hosted-x64-beside");
    assert_eq!(
        (&lane["folder"], &lane["summary"]),
        (&json!("hosted-x64/beside"), &json!(false))
    );
    assert_eq!(
        (&lane["runner"], &builders["x64"]),
        (&json!(["ubuntu-22.04"]), &json!("ubuntu-22.04"))
    );
    let [first, ..] = planned_by(&schedule, &[("SCHEDULE", "23 0 * * 1")]).unwrap();
    assert_eq!(
        (&first[1]["summary"], &first[1]["runner"]),
        (&json!(true), &json!(["ubuntu-24.04"]))
    );
}

#[test]
fn what_cannot_be_is_refused() {
    let runner = ("RUNNER", r#"["bench"]"#);
    for (settings, expected) in [
        (vec![("LANES", "hosted-x46")], "no lane 'hosted-x46'"),
        (vec![("LANES", "self-hosted")], "there is no runner"),
        (vec![("RUNNER", "bench")], "a JSON array of labels"),
        (vec![("RUNNER", "[]")], "a JSON array of labels"),
        (vec![("PROFILE", "$(id)")], "is none"),
        (vec![("APPS", "axum; id")], "ids with commas"),
        (vec![("APPS", "--out=/")], "ids with commas"),
        (vec![("SCENARIOS", "a\nlanes={}")], "names with commas"),
        (vec![("ROUNDS", "-1")], "a number"),
        (vec![("PUBLISH", "maybe")], "true or false"),
        (vec![("SCHEDULE", "23 0 * * 6")], "is not in schedule.json"),
        (vec![("REF", "refs/heads/other")], "only main is published"),
        (
            vec![("REF", "refs/heads/other"), ("PUBLISH", "false"), runner],
            "only main runs on the self-hosted",
        ),
    ] {
        let error = planned_by(&schedule(), &settings).unwrap_err().to_string();
        assert!(error.contains(expected), "{settings:?}: {error}");
    }
    let [lanes, builders, _] = planned(&[("REF", "refs/heads/other"), ("PUBLISH", "false"), ("LANES", "probes")]);
    assert_eq!(
        (&lanes[0]["lane"], builders.as_object().unwrap().len()),
        (&json!("probes"), 1)
    );
}
