//! Artifacts of strangers: refused, or told without any meaning of their own.

use std::fs;
use std::os::unix::fs::symlink;

use judge::compare::gates::Gates;
use judge::compare::outcome::{App, Status};
use measure::probe::Case;
use measure::profile::Profiles;
use record::DEFAULT_VARIANT;
use serde_json::{Value, json};
use tell::artifact::{Known, Unchecked, folder};

use super::world::{FIRST, SECOND, World, comparison};

/// What `bench comment` knows of the repository of [`World::read`].
fn known() -> Known {
    let apps = ["good", "good-two"].map(str::to_owned);
    Known {
        apps: apps.clone().map(|app| (app, vec![DEFAULT_VARIANT.to_owned()])).into(),
        probed: apps.into(),
        scenarios: Profiles::built_in().scenario_names().map(str::to_owned).collect(),
        cases: Case::quick().into_iter().map(|case| case.about).collect(),
        gates: Gates::built_in(),
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
        (|all| all["base"]["commit"] = "main".into(), "`base.commit`"),
        (|all| all["schema_version"] = 1.into(), "schema version 1"),
        (|all| all["pull_request"] = 8.into(), "unknown field `pull_request`"),
        (|all| all["series"][0]["<b>@org/team</b>"] = 8.into(), "unknown field"),
        (|all| all["gates"]["false_alarms"] = 0.5.into(), "other rules"),
        (
            |all| all["gates"]["gate"]["goodput_rps"]["title"] = "@org/team".into(),
            "other rules",
        ),
        (|all| all["decision"] = "no_change".into(), "`decision` does not follow"),
        (
            |all| {
                all["decision"] = "no_change".into();
                all["series"][0]["decision"] = "no_change".into();
            },
            "the decision of `series[0]`",
        ),
        (
            |all| {
                all["decision"] = "inconclusive".into();
                all["series"][0]["decision"] = "inconclusive".into();
            },
            "the decision of `series[0]`",
        ),
        (
            |all| {
                all["decision"] = "nothing_to_measure".into();
                all["series"][0]["judged"] = false.into();
            },
            "the decision of `series[0]`",
        ),
        (
            |all| all["series"][0]["change"] = 0.5.into(),
            "the figures of `series[0]`",
        ),
        (
            |all| all["series"][0]["interval"]["low"] = (-0.5).into(),
            "the figures of `series[0]`",
        ),
        (
            |all| all["series"][0]["head"] = 1e300.into(),
            "the figures of `series[0]`",
        ),
        (
            |all| all["series"][0]["pairs"][3]["head"] = 0.into(),
            "`series[0].pairs` holds",
        ),
        (
            |all| all["series"][0]["pairs"][3]["head"] = (-1).into(),
            "`series[0].pairs` holds",
        ),
        (
            |all| all["series"][0]["pairs"][3]["head"] = 1e200.into(),
            "`series[0].pairs` holds",
        ),
        (
            |all| all["series"][0]["pairs"][3]["head"] = Value::Null,
            "invalid type: null",
        ),
        (
            |all| all["series"][0]["pairs"] = vec![json!({"base": 1, "head": 1}); 5000].into(),
            "more than 100 entries",
        ),
        (
            |all| all["series"] = vec![all["series"][0].clone(); 2].into(),
            "`series[1]` is there twice",
        ),
        (
            |all| all["series"] = vec![all["series"][0].clone(); 1500].into(),
            "more than 1000 entries",
        ),
        (
            |all| all["series"][0]["scenario"] = "@org/team".into(),
            "`series[0].scenario`",
        ),
        (
            |all| all["series"][0]["app"] = "good-two".into(),
            "`series[0]` is about an app that was not measured",
        ),
        (
            |all| all["series"][0]["reason"] = "x".repeat(100_000).into(),
            "`series[0].reason`",
        ),
        (|all| all["series"] = json!([]), "an app was measured but has no series"),
        (|all| all["environment"] = Value::Null, "no `environment`"),
        (|all| all["probes"] = Value::Null, "measured but not probed"),
        (|all| all["probes"]["apps"] = json!([]), "measured but not probed"),
        (|all| all["probes"]["made"] = 3.into(), "probed other cases"),
        (
            |all| all["probes"]["cases"][0]["level"] = "should".into(),
            "`probes.cases[0]`",
        ),
        (
            |all| all["probes"]["cases"][0]["demand"] = "@org/team".into(),
            "`probes.cases[0]`",
        ),
        (
            |all| all["probes"]["cases"] = vec![all["probes"]["cases"][0].clone(); 2].into(),
            "`probes.cases[1]`",
        ),
        (
            |all| all["probes"]["cases"] = vec![all["probes"]["cases"][0].clone(); 500].into(),
            "`probes.cases` has more than",
        ),
        (
            |all| all["probes"]["apps"][0]["app"] = "good-two".into(),
            "`probes.apps[0]`",
        ),
        (
            |all| all["probes"]["apps"] = vec![all["probes"]["apps"][0].clone(); 2].into(),
            "`probes.apps` has more than 1",
        ),
        (
            |all| all["probes"]["apps"][0]["not_probed"] = "no".into(),
            "was not probed, and has results",
        ),
        (
            |all| all["probes"]["apps"][0]["results"][0]["case"] = "date".into(),
            "`probes.apps[0].results[0]`",
        ),
        (
            |all| {
                let one = all["probes"]["apps"][0]["results"][0].clone();
                all["probes"]["apps"][0]["results"] = vec![one; 2].into();
            },
            "`probes.apps[0].results` has more than 1",
        ),
        (
            |all| {
                for side in ["base", "head"] {
                    all["probes"]["apps"][0]["results"][0][side]["outcome"] = "passed".into();
                }
            },
            "passed on both sides",
        ),
        (
            |all| all["probes"]["apps"][0]["results"][0]["head"]["got"] = "a\u{0}b".into(),
            "results[0].head.got`",
        ),
        (
            |all| all["probes"]["apps"][0]["results"][0]["head"]["received"] = "a\nb".into(),
            "results[0].head.received`",
        ),
        (
            |all| all["probes"]["apps"][0]["results"][0]["head"]["received"] = "x".repeat(10_000).into(),
            "results[0].head.received`",
        ),
        // What head breaks cannot be hidden behind the series.
        (
            |all| {
                all["probes"]["apps"][0]["results"][0]["base"]["outcome"] = "passed".into();
                all["series"][0]["decision"] = "no_change".into();
                all["decision"] = "no_change".into();
            },
            "does not follow",
        ),
        (
            |all| all["apps"][0]["id"] = "unheard-of".into(),
            "`apps[0]` is an app or variant",
        ),
        (
            |all| all["apps"][0]["id"] = "@org/team".into(),
            "`apps[0].id` is not a name",
        ),
        (
            |all| all["apps"][0]["id"] = "<script>".into(),
            "`apps[0].id` is not a name",
        ),
        (
            |all| all["apps"][0]["variant"] = "../..".into(),
            "`apps[0].variant` is not a name",
        ),
        (|all| all["apps"][0]["reason"] = "a\u{0}b".into(), "`apps[0].reason`"),
        (|all| all["apps"][0]["status"] = "splendid".into(), "unknown variant"),
        (
            |all| all["apps"] = vec![all["apps"][0].clone(); 2].into(),
            "`apps[1]` is there twice",
        ),
        (
            |all| all["apps"] = vec![all["apps"][0].clone(); 300].into(),
            "`apps` has more than 200",
        ),
        (
            |all| all["apps"][0]["dependencies"][0]["name"] = "[x](https://example.org)".into(),
            "is not a name",
        ),
        (
            |all| all["apps"][0]["dependencies"][0]["after"][0] = "https://example.org".into(),
            "not a version",
        ),
        (
            |all| all["apps"][0]["dependencies"] = vec![all["apps"][0]["dependencies"][0].clone(); 3000].into(),
            "more than 2000 entries",
        ),
        (|all| all["untouched"][0] = "@org/team".into(), "`untouched[0]`"),
        (|all| all["untouched"][0] = "good".into(), "`untouched[0]`"),
        (
            |all| all["warnings"] = vec!["x"; 21].into(),
            "`warnings` has more than 20",
        ),
        (
            |all| all["environment"]["cpu_model"] = "two\nlines".into(),
            "`environment.cpu_model`",
        ),
        (
            |all| all["environment"]["oha"] = "x".repeat(20_000).into(),
            "`environment.oha`",
        ),
        (
            |all| all["environment"]["logical_cpus"] = 4_000_000_000_u32.into(),
            "impossible number",
        ),
        (
            |all| all["environment"]["steal_share"] = 1e308.into(),
            "impossible number",
        ),
        (
            |all| all["finished_at"] = "2026-11-20T11:00:00Z".into(),
            "ends before it begins",
        ),
        (
            |all| all["finished_at"] = "2999-01-01T00:00:00Z".into(),
            "ends before it begins, or",
        ),
    ];
    let world = World::new();
    let known = known();
    let answer = || {
        let unchecked = Unchecked::parse(&folder::read(world.artifact.path())?)?;
        unchecked.check(&FIRST.parse().unwrap(), &known)
    };
    let refused = |told: &str| {
        let error = answer().expect_err(told).to_string();
        assert!(error.starts_with("the artifact is refused: "), "{error}");
        assert!(error.contains(told), "{told}: {error}");
    };
    let right = serde_json::to_value(comparison(FIRST, 0.05)).unwrap();
    for (change, told) in table {
        let mut all = right.clone();
        change(&mut all);
        assert_ne!(all, right, "{told}");
        world.write(&all.to_string());
        refused(told);
    }

    let text = right.to_string();
    let change = |from: &str, to: &str| {
        let spoilt = text.replacen(from, to, 1);
        assert_ne!(spoilt, text, "{from}");
        spoilt
    };
    let low = format!("\"low\":{}", right["series"][0]["interval"]["low"]);
    for (spoilt, told) in [
        (change(&low, "\"low\":NaN"), "expected value"),
        (change(&low, "\"low\":Infinity"), "expected value"),
        (change(&low, "\"low\":1e999"), "number out of range"),
        (change("{", "{\"decision\":\"no_change\","), "duplicate field"),
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
        world.write(&spoilt);
        refused(told);
    }

    let file = world.artifact.path().join("comparison.json");
    fs::File::create(&file).unwrap().set_len(100 << 20).unwrap();
    refused("more than 4 MiB");
    world.write(&text);
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
