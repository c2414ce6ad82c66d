//! Strangers' artifacts: refused, or shown without any meaning of their own.

use analyze::compare::outcome::{App, Decision, Status};
use apps::profile::Profiles;
use measure::probe::Case;
use model::DEFAULT_VARIANT;
use report::artifact::{Known, check, check_upstream};
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

/// A field of a comparison that is right, what a stranger puts there, and the words of the refusal. `LONG` is a text of 100,000 characters,
/// and `N TIMES` an array that has its first entry so often.
const REFUSED: &str = r#"
/head/commit                             | "2222222222222222222222222222222222222222" | another commit than the event names
/head/dirty                              | true            | working tree with changes
/head/patches                            | ["a=../a"]      | it takes crates from elsewhere
/base/patches                            | ["a=../a"]      | its base takes crates from elsewhere
/base/commit                             | "main"          | `base.commit`
/schema_version                          | 1               | schema version 1
/pull_request                            | 8               | unknown field `pull_request`
/series/0/@org                           | 8               | unknown field
/gates/false_alarms                      | 0.5             | other rules
/gates/minimum_effect/goodput_rps        | 0.5             | other rules
/series/0/judged                         | false           | `series[0]` is not judged
/series/0/metric                         | "capacity_rps"  | `series[0]` holds an impossible metric
/series/0/pairs/3/head                   | 0               | `series[0]` holds
/series/0/pairs/3/head                   | -1              | `series[0]` holds
/series/0/pairs/3/head                   | 1e200           | `series` is an impossible number
/series/0/pairs/3/head                   | null            | invalid type: null
/series/0/pairs                          | 500 TIMES       | `series[0]` has more than 100 pairs
/series                                  | 2 TIMES         | `series[1]` is there twice
/series                                  | 1500 TIMES      | `series` has more than 1000 entries
/series/0/scenario                       | "@org/team"     | `series[0]` names a scenario
/series/0/app                            | "good-two"      | `series[0]` is about an app that was not measured
/series/0/reason                         | LONG            | `series` is too long, or not text
/series                                  | []              | an app was measured but has no series
/environment                             | null            | no `environment`
/probes                                  | null            | measured but not probed
/probes/apps                             | []              | measured but not probed
/probes/made                             | 3               | probed other cases
/probes/cases/0/level                    | "should"        | probed other cases
/probes/cases/0/demand                   | "@org/team"     | probed other cases
/probes/cases                            | 6000 TIMES      | `probes` has more than 1000 entries
/probes/apps/0/results/0/case            | "date"          | `probes` holds a result of no case
/probes/apps/0/results/0/head/got        | "a\u0000b"      | `probes` is too long, or not text
/probes/apps/0/results/0/head/received   | LONG            | `probes` is too long, or not text
/apps/0/id                               | "unheard-of"    | `apps[0]` is not new, and an app or variant
/apps/0/variant                          | "../.."         | `apps[0]` is not new, and an app or variant
/apps/0/reason                           | "a\u0000b"      | `apps` is too long, or not text
/apps/0/status                           | "splendid"      | unknown variant
/apps                                    | 6000 TIMES      | `apps` has more than 1000 entries
/apps/0/dependencies                     | 6000 TIMES      | `apps` has more than 1000 entries
/untouched/0                             | "@org/team"     | `untouched[0]`
/environment/cpu_model                   | "two\u0000lines" | `environment` is too long, or not text
/environment/oha                         | LONG            | `environment` is too long, or not text
/environment/steal_share                 | 1e300           | `environment` is an impossible number
/seed                                    | 4294967296      | expected u32
/seed                                    | "@org/team"     | expected u32
"#;

/// A change of a comparison that is right, and the words of the refusal.
type Change = (fn(&mut Value), &'static str);

/// What the table cannot say.
const ALSO_REFUSED: [Change; 4] = [
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
    (
        |all| {
            let mut other = all["probes"]["apps"][0].clone();
            other["app"] = "@org/team".into();
            all["probes"]["apps"].as_array_mut().unwrap().push(other);
        },
        "`probes` holds an app",
    ),
];

/// What a table asks for, each with the words of the refusal.
fn changed(right: &Value, table: &'static str) -> impl Iterator<Item = (Value, &'static str)> {
    table.trim().lines().map(|row| {
        let [field, value, expected] = row.splitn(3, '|').map(str::trim).collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        let mut all = right.clone();
        let value = match value.strip_suffix(" TIMES") {
            Some(times) => vec![all.pointer(field).unwrap()[0].clone(); times.parse().unwrap()].into(),
            None if value == "LONG" => "x".repeat(100_000).into(),
            None => serde_json::from_str(value).expect(row),
        };
        let (parent, name) = field.rsplit_once('/').unwrap();
        match all.pointer_mut(parent).expect(row) {
            Value::Array(entries) => entries[name.parse::<usize>().unwrap()] = value,
            object => object[name] = value,
        }
        assert_ne!(all, *right, "{row}");
        (all, expected)
    })
}

#[test]
fn what_a_stranger_may_put_into_an_artifact_is_refused() {
    let known = known();
    let answer = |text: &str| check(text.as_bytes(), &FIRST.parse().unwrap(), &known);
    let refused = |text: &str, expected: &str| {
        let error = answer(text).expect_err(expected).to_string();
        assert!(error.starts_with("the artifact is refused: "), "{error}");
        assert!(error.contains(expected), "{expected}: {error}");
    };
    let right = serde_json::to_value(comparison(FIRST, 0.05)).unwrap();
    let also = ALSO_REFUSED.map(|(change, expected)| {
        let mut all = right.clone();
        change(&mut all);
        (all, expected)
    });
    for (all, expected) in changed(&right, REFUSED).chain(also) {
        refused(&all.to_string(), expected);
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
    ] {
        refused(&damaged, expected);
    }

    answer(&text).unwrap(); // the same, unspoilt
}

/// Of what is coming, a job writes that has run every framework's main branch.
#[test]
fn what_is_coming_concerns_one_app_and_a_commit_of_its_framework() {
    const UPSTREAM: &str = "tokio=git+https://github.com/tokio-rs/tokio#";
    const REFUSED: &str = r#"
/head/patches | ["tokio=../tokio"] | it is not about a commit of tokio=git+
/head/patches | ["tokio=git+https://github.com/tokio-rs/tokio#main"] | it is not about a commit
/head/patches | ["tokio=git+https://github.com/tokio-rs/tokio#1111111111111111111111111111111111111111", "a=../a"] | it is not about a commit
/base/commit  | "2222222222222222222222222222222222222222" | its base is another commit
/head/commit  | "2222222222222222222222222222222222222222" | another commit than the event names
"#;
    let answer = |all: &Value| {
        let wanted = ("good", UPSTREAM);
        check_upstream(all.to_string().as_bytes(), &FIRST.parse().unwrap(), wanted, &known())
    };
    let mut right = comparison(FIRST, 0.05);
    right.base.commit = FIRST.into();
    right.head.patches = vec![format!("{UPSTREAM}{SECOND}")];
    let right = serde_json::to_value(right).unwrap();
    assert_eq!(answer(&right).unwrap().decision, Decision::Regression);
    let mut two = right.clone();
    let mut other = right["apps"][0].clone();
    (other["id"], other["status"]) = ("good-two".into(), "crashed".into());
    two["apps"].as_array_mut().unwrap().push(other);
    for (all, expected) in changed(&right, REFUSED).chain([(two, "it is not about `good` alone")]) {
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
