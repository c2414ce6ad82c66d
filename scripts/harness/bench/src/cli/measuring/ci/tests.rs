use serde_json::{Value, json};

use super::*;

/// What is planned with these settings, on main if they do not say otherwise.
fn try_to_plan(settings: &[(&str, &str)]) -> anyhow::Result<[Value; 3]> {
    let value = |name: &str| {
        let found = settings.iter().find(|(key, _)| *key == name);
        found
            .map_or(if name == "REF" { MAIN } else { "" }, |(_, value)| value)
            .to_owned()
    };
    let now = "2026-11-23T00:23:00.5Z".parse().unwrap();
    let lines = lanes(&value, &serde_json::from_str::<Vec<Entry>>(SCHEDULE).unwrap(), now)?;
    let values: Vec<Value> = ["lanes=", "builders=", "run="]
        .into_iter()
        .zip(lines.lines())
        .map(|(name, line)| serde_json::from_str(line.strip_prefix(name).unwrap()).unwrap())
        .collect();
    Ok(values.try_into().unwrap())
}

fn planned(settings: &[(&str, &str)]) -> [Value; 3] {
    try_to_plan(settings).unwrap()
}

#[test]
fn a_schedule_measures_everything_on_every_machine_there_is() {
    let [lanes, builders, run] = planned(&[("SCHEDULE", "23 0 * * 1")]);
    let lane = |lane, architecture, label| json!({"lane": lane, "architecture": architecture, "runner": [label], "environment": "", "group": "", "proposes": false});
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
        "environment": "self-hosted", "group": "", "proposes": true});
    assert_eq!(own[3], wanted);
}

/// At most one pull request a week, with all that it brought, and one for who asks for it.
#[test]
fn the_last_run_of_a_week_proposes_what_it_brought_to_the_lane_of_the_readme() {
    let proposing = |settings: &[(&str, &str)]| {
        let [lanes, ..] = planned(settings);
        let lanes = lanes.as_array().unwrap().iter();
        let proposing = lanes.filter(|lane| lane["proposes"] == true);
        proposing
            .map(|lane| lane["lane"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let own = [("README_LANE", "self-hosted"), ("RUNNER", r#"["bench"]"#)];
    for (day, groups) in [
        (1, vec![""]),
        (2, vec!["database"]),
        (3, vec![]),
        (4, vec![]),
        (5, vec![]),
    ] {
        let cron = format!("23 0 * * {day}");
        let scheduled = ("SCHEDULE", cron.as_str());
        let is_last = day == 5;
        assert_eq!(
            proposing(&[scheduled]),
            ["hosted-arm64"][..usize::from(is_last)],
            "{cron}"
        );
        assert_eq!(
            proposing(&[scheduled, own[0], own[1]]),
            ["self-hosted"][..usize::from(is_last)],
            "{cron}"
        );
        let [lanes, ..] = planned(&[scheduled]);
        let lanes = lanes.as_array().unwrap().iter();
        let probes = lanes
            .filter(|lane| lane["lane"] == "probes")
            .map(|lane| lane["group"].as_str().unwrap());
        assert_eq!(probes.collect::<Vec<_>>(), groups, "{cron}");
    }
    assert_eq!(proposing(&[("PROFILE", "smoke")]), ["hosted-arm64"]);
    assert_eq!(proposing(&[("PROFILE", "smoke"), ("PUBLISH", "false")]), [""; 0]);
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
        let error = try_to_plan(&settings).unwrap_err().to_string();
        assert!(error.contains(expected), "{settings:?}: {error}");
    }
    let [lanes, builders, _] = planned(&[("REF", "refs/heads/other"), ("PUBLISH", "false"), ("LANES", "probes")]);
    assert_eq!(
        (&lanes[0]["lane"], builders.as_object().unwrap().len()),
        (&json!("probes"), 1)
    );
}
