//! Strangers' artifacts: refused, or shown without any meaning of their own.

use std::fs;
use std::os::unix::fs::symlink;

use analyze::compare::outcome::{App, Decision, Status};
use apps::profile::Profiles;
use measure::probe::Case;
use model::DEFAULT_VARIANT;
use report::artifact::{Known, check, check_upstream, folder};
use serde_json::{Value, json};

use super::world::{FIRST, SECOND, World, comparison};

/// What `bench comment` knows of the repository of [`World::read`].
fn known() -> Known {
    let apps = ["good", "good-two"].map(str::to_owned);
    Known {
        apps: apps.clone().map(|app| (app, vec![DEFAULT_VARIANT.to_owned()])).into(),
        probed: apps.into(),
        scenarios: Profiles::built_in().scenario_names().map(str::to_owned).collect(),
        cases: Case::quick().into_iter().map(|case| case.about).collect(),
    }
}

/// Changes of a comparison that is right.
type Change = (fn(&mut Value), &'static str);

#[test]
#[allow(clippy::too_many_lines)] // one table
fn what_a_stranger_may_put_into_an_artifact_is_refused() {
    let table: &[Change] = &[
        (
            |all| all["head"]["commit"] = SECOND.into(),
            "another commit than the event names",
        ),
        (|all| all["head"]["dirty"] = true.into(), "working tree with changes"),
        (
            |all| all["head"]["patches"] = json!(["a=../a"]),
            "it takes crates from elsewhere",
        ),
        (
            |all| all["base"]["patches"] = json!(["a=../a"]),
            "its base takes crates from elsewhere",
        ),
        (|all| all["base"]["commit"] = "main".into(), "`base.commit`"),
        (|all| all["schema_version"] = 1.into(), "schema version 1"),
        (|all| all["pull_request"] = 8.into(), "unknown field `pull_request`"),
        (|all| all["series"][0]["<b>@org/team</b>"] = 8.into(), "unknown field"),
        (|all| all["gates"]["false_alarms"] = 0.5.into(), "other rules"),
        (
            |all| all["gates"]["minimum_effect"]["goodput_rps"] = 0.5.into(),
            "other rules",
        ),
        (
            |all| {
                all["series"][0]["judged"] = false.into();
            },
            "`series[0]` is not judged",
        ),
        (
            |all| all["series"][0]["metric"] = "capacity_rps".into(),
            "`series[0]` holds an impossible metric",
        ),
        (
            |all| all["series"][0]["pairs"][3]["head"] = 0.into(),
            "`series[0]` holds",
        ),
        (
            |all| all["series"][0]["pairs"][3]["head"] = (-1).into(),
            "`series[0]` holds",
        ),
        (
            |all| all["series"][0]["pairs"][3]["head"] = 1e200.into(),
            "`series` is an impossible number",
        ),
        (
            |all| all["series"][0]["pairs"][3]["head"] = Value::Null,
            "invalid type: null",
        ),
        (
            |all| all["series"][0]["pairs"] = vec![json!({"base": 1, "head": 1}); 500].into(),
            "`series[0]` has more than 100 pairs",
        ),
        (
            |all| all["series"] = vec![all["series"][0].clone(); 2].into(),
            "`series[1]` is there twice",
        ),
        (
            |all| all["series"] = vec![all["series"][0].clone(); 1500].into(),
            "`series` has more than 1000 entries",
        ),
        (
            |all| all["series"][0]["scenario"] = "@org/team".into(),
            "`series[0]` names a scenario",
        ),
        (
            |all| all["series"][0]["app"] = "good-two".into(),
            "`series[0]` is about an app that was not measured",
        ),
        (
            |all| {
                let pair = json!({"base": 1, "head": 2});
                let of = json!({"app": "good-two", "variant": "default", "scenario": "plaintext", "functions": [],
                    "instructions": pair, "allocations": pair});
                all["explanations"] = json!([of]);
            },
            "`explanations[0]` explains no series",
        ),
        (
            |all| all["series"][0]["reason"] = "x".repeat(100_000).into(),
            "`series` is too long, or not text",
        ),
        (|all| all["series"] = json!([]), "an app was measured but has no series"),
        (
            |all| all["others"] = all["series"].clone(),
            "`others[0]` holds an impossible metric",
        ),
        (
            |all| {
                all["others"] = json!([all["series"][0]]);
                all["others"][0]["metric"] = "startup_ms".into();
                all["others"][0]["scenario"] = "@org/team".into();
            },
            "`others[0]` names a scenario",
        ),
        (|all| all["environment"] = Value::Null, "no `environment`"),
        (|all| all["probes"] = Value::Null, "measured but not probed"),
        (|all| all["probes"]["apps"] = json!([]), "measured but not probed"),
        (|all| all["probes"]["made"] = 3.into(), "probed other cases"),
        (
            |all| all["probes"]["cases"][0]["level"] = "should".into(),
            "probed other cases",
        ),
        (
            |all| all["probes"]["cases"][0]["demand"] = "@org/team".into(),
            "probed other cases",
        ),
        (
            |all| all["probes"]["cases"] = vec![all["probes"]["cases"][0].clone(); 6000].into(),
            "`probes` has more than 1000 entries",
        ),
        (
            |all| {
                let mut other = all["probes"]["apps"][0].clone();
                other["app"] = "@org/team".into();
                all["probes"]["apps"].as_array_mut().unwrap().push(other);
            },
            "`probes` holds an app",
        ),
        (
            |all| all["probes"]["apps"][0]["results"][0]["case"] = "date".into(),
            "`probes` holds a result of no case",
        ),
        (
            |all| all["probes"]["apps"][0]["results"][0]["head"]["got"] = "a\u{0}b".into(),
            "`probes` is too long, or not text",
        ),
        (
            |all| all["probes"]["apps"][0]["results"][0]["head"]["received"] = "x".repeat(100_000).into(),
            "`probes` is too long, or not text",
        ),
        (
            |all| all["apps"][0]["id"] = "unheard-of".into(),
            "`apps[0]` is not new, and an app or variant",
        ),
        (
            |all| all["apps"][0]["variant"] = "../..".into(),
            "`apps[0]` is not new, and an app or variant",
        ),
        (
            |all| all["apps"][0]["reason"] = "a\u{0}b".into(),
            "`apps` is too long, or not text",
        ),
        (|all| all["apps"][0]["status"] = "splendid".into(), "unknown variant"),
        (
            |all| all["apps"] = vec![all["apps"][0].clone(); 6000].into(),
            "`apps` has more than 1000 entries",
        ),
        (
            |all| all["apps"][0]["dependencies"] = vec![all["apps"][0]["dependencies"][0].clone(); 6000].into(),
            "`apps` has more than 1000 entries",
        ),
        (|all| all["untouched"][0] = "@org/team".into(), "`untouched[0]`"),
        (
            |all| all["environment"]["cpu_model"] = "two\u{0}lines".into(),
            "`environment` is too long, or not text",
        ),
        (
            |all| all["environment"]["oha"] = "x".repeat(100_000).into(),
            "`environment` is too long, or not text",
        ),
        (
            |all| all["environment"]["steal_share"] = 1e300.into(),
            "`environment` is an impossible number",
        ),
        (|all| all["seed"] = 4_294_967_296_u64.into(), "expected u32"),
        (|all| all["seed"] = "@org/team".into(), "expected u32"),
    ];
    let world = World::new();
    let known = known();
    let answer = || check(&folder::read(world.artifact.path())?, &FIRST.parse().unwrap(), &known);
    let refused = |expected: &str| {
        let error = answer().expect_err(expected).to_string();
        assert!(error.starts_with("the artifact is refused: "), "{error}");
        assert!(error.contains(expected), "{expected}: {error}");
    };
    let right = serde_json::to_value(comparison(FIRST, 0.05)).unwrap();
    for (change, expected) in table {
        let mut all = right.clone();
        change(&mut all);
        assert_ne!(all, right, "{expected}");
        world.artifact_is(&all.to_string());
        refused(expected);
    }

    let text = right.to_string();
    let change = |from: &str, to: &str| {
        let damaged = text.replacen(from, to, 1);
        assert_ne!(damaged, text, "{from}");
        damaged
    };
    let base = format!("\"base\":{}", right["series"][0]["pairs"][0]["base"]);
    for (damaged, expected) in [
        (change(&base, "\"base\":NaN"), "expected value"),
        (change(&base, "\"base\":Infinity"), "expected value"),
        (change(&base, "\"base\":1e999"), "number out of range"),
        (change("{", "{\"harness\":\"0\","), "duplicate field"),
        (
            change("\"warnings\":[", &format!("\"warnings\":{}", "[".repeat(200_000))),
            "expected `,` or `]`",
        ),
        (
            change(
                "\"warnings\":[]",
                &format!("\"warnings\":{}{}", "[".repeat(200_000), "]".repeat(200_000)),
            ),
            "invalid type: sequence",
        ),
        (text[..text.len() / 2].to_owned(), "EOF"),
        (String::new(), "EOF"),
        (format!("{text}{text}"), "trailing characters"),
        (format!("{text}{}", " ".repeat(4 << 20)), "more than 4 MiB"),
    ] {
        world.artifact_is(&damaged);
        refused(expected);
    }

    let file = world.artifact.path().join("comparison.json");
    fs::File::create(&file).unwrap().set_len(100 << 20).unwrap();
    refused("more than 4 MiB");
    world.artifact_is(&text);
    let second = world.artifact.path().join("..");
    assert!(second.is_dir()); // what `..` means is no entry; a name that begins so is one
    for name in ["..comparison.json", "comparison.json ", "a\nb", "index.html"] {
        fs::write(world.artifact.path().join(name), &text).unwrap();
        refused("holds more than comparison.json");
        fs::remove_file(world.artifact.path().join(name)).unwrap();
    }
    let elsewhere = tempfile::tempdir().unwrap();
    let target = elsewhere.path().join("comparison.json");
    fs::rename(&file, &target).unwrap();
    refused("holds no comparison.json");
    symlink(&target, &file).unwrap();
    refused("is a link");
    fs::remove_file(&file).unwrap();
    fs::hard_link(&target, &file).unwrap();
    refused("hard link");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    refused("is not a file");

    fs::remove_dir(&file).unwrap();
    fs::write(&file, text).unwrap();
    answer().unwrap(); // the same, unspoilt
}

/// Of what is coming, a job writes that has run every framework's main branch.
#[test]
fn what_is_coming_concerns_one_app_and_a_commit_of_its_framework() {
    const UPSTREAM: &str = "tokio=git+https://github.com/tokio-rs/tokio#";
    let table: &[Change] = &[
        (
            |all| all["head"]["patches"] = json!(["tokio=../tokio"]),
            "it is not about a commit of tokio=git+",
        ),
        (
            |all| all["head"]["patches"] = json!([format!("{UPSTREAM}main")]),
            "it is not about a commit",
        ),
        (
            |all| all["head"]["patches"] = json!([format!("{UPSTREAM}{FIRST}"), "a=../a"]),
            "it is not about a commit",
        ),
        (
            |all| all["base"]["commit"] = SECOND.into(),
            "its base is another commit",
        ),
        (
            |all| all["head"]["commit"] = SECOND.into(),
            "another commit than the event names",
        ),
        (
            |all| {
                let mut other = all["apps"][0].clone();
                (other["id"], other["status"]) = ("good-two".into(), "crashed".into());
                all["apps"].as_array_mut().unwrap().push(other);
            },
            "it is not about `good` alone",
        ),
    ];
    let answer = |all: &Value| {
        let wanted = ("good", UPSTREAM);
        check_upstream(all.to_string().as_bytes(), &FIRST.parse().unwrap(), wanted, &known())
    };
    let mut right = comparison(FIRST, 0.05);
    right.base.commit = FIRST.into();
    right.head.patches = vec![format!("{UPSTREAM}{SECOND}")];
    let right = serde_json::to_value(right).unwrap();
    assert_eq!(answer(&right).unwrap().decision, Decision::Regression);
    for (change, expected) in table {
        let mut all = right.clone();
        change(&mut all);
        let error = answer(&all).expect_err(expected).to_string();
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

/// What a stranger says of the pairs is not listened to.
#[test]
fn what_follows_from_the_pairs_is_computed() {
    let right = comparison(FIRST, 0.05).analyzed();
    let lies: [fn(&mut Value); 4] = [
        |all| all["decision"] = "no_change".into(),
        |all| all["series"][0]["decision"] = "inconclusive".into(),
        |all| {
            all["series"][0]["change"] = 0.5.into();
            all["series"][0]["interval"]["low"] = (-0.5).into();
            all["series"][0]["head"] = 1e14.into();
        },
        // What head breaks cannot be hidden behind the series.
        |all| {
            all["probes"]["apps"][0]["results"][0]["base"]["outcome"] = "passed".into();
            all["series"] = all["series"].take();
            all["decision"] = "no_change".into();
        },
    ];
    for lie in lies {
        let mut all = right.clone();
        lie(&mut all);
        assert_ne!(all, right);
        let read = check(all.to_string().as_bytes(), &FIRST.parse().unwrap(), &known()).unwrap();
        assert_eq!(read.decision, Decision::Regression);
        assert_eq!(
            read.analyzed()["series"],
            right["series"],
            "as if nothing had been said"
        );
    }
}

#[test]
fn what_a_stranger_may_say_means_nothing_in_the_comment() {
    let mut comparison = comparison(FIRST, 0.05);
    let attack = "@org/team <script>x</script> ![x](http://example.org/x.png) #1 GH-1 `x` https://example.org \u{202e}";
    (comparison.base.revision, comparison.head.revision) = (attack.into(), attack.into());
    comparison.harness = attack.into();
    comparison.warnings = vec![attack.into()];
    comparison.apps.push(App {
        id: "good-two".into(),
        status: Status::Crashed,
        reason: Some(format!("\u{1b}[31m{attack}\n\n# Approved\n")),
        dependencies: Vec::new(),
        ..comparison.apps[0].clone()
    });
    let new = |id: &str| App {
        id: id.into(),
        status: Status::New,
        reason: Some(attack.into()),
        ..comparison.apps[0].clone()
    };
    let news = [new("spam-example-org"), new("more-spam")];
    comparison.apps.extend(news);
    comparison.untouched.clear();
    let environment = comparison.environment.as_mut().unwrap();
    (environment.cpu_model, environment.rustc, environment.oha) = (attack.into(), attack.into(), attack.into());
    let world = World::with(&comparison);
    let body = world.read(FIRST, &[]).fine().stdout;
    for meant in [
        "@org",
        "<script",
        "[x](",
        "x](",
        "://",
        "#1",
        "GH-1",
        "\u{202e}",
        "\u{1b}",
        "spam",
        "\n# Approved",
    ] {
        assert!(!body.contains(meant), "{meant}: {body}");
    }
    assert!(
        body.contains("- good-two · **crashes**: \\[31m@&#8203;org/team &lt;script&gt;"),
        "{body}"
    );
    let new = "an app or variant that is new to main · new: there is nothing to compare it with";
    assert_eq!(body.matches(new).count(), 1, "{body}");
}
