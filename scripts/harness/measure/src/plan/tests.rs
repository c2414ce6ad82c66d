use super::*;
use apps::catalog::Variant;
use model::scenario::Protocol;
use model::{Part, Tier};

/// actix-web and rocket with `tuned`, hyper with `current-thread`, tide from legacy, reference and ceiling.
fn catalog() -> Catalog {
    let app = |id: &str, other: Option<&str>, role, tier| {
        let mut app = App {
            role,
            tier,
            ..samples::framework(id)
        };
        app.variants.extend(other.map(|name| Variant {
            rustflags: Vec::new(),
            added_work: None,
            name: name.into(),
            binary: format!("{id}-app-{name}"),
        }));
        app
    };
    Catalog::new(
        std::path::PathBuf::new(),
        vec![
            app("actix-web", Some("tuned"), Role::Framework, Tier::Maintained),
            app("ceiling", None, Role::Ceiling, Tier::Engine),
            app("hyper", Some("current-thread"), Role::Framework, Tier::Engine),
            app("reference", None, Role::Reference, Tier::Engine),
            app("rocket", Some("tuned"), Role::Framework, Tier::Maintained),
            app("tide", None, Role::Framework, Tier::Legacy),
        ],
    )
}

fn plan(profile: &str, wish: impl FnOnce(&mut RunOptions)) -> anyhow::Result<Plan> {
    let mut options = RunOptions {
        profile: Some(profile.into()),
        seed: Some(7),
        ..RunOptions::default()
    };
    wish(&mut options);
    Plan::new(&options, &catalog(), &Profiles::built_in())
}

fn labels(subjects: &[SubjectId]) -> Vec<String> {
    subjects.iter().map(SubjectId::label).collect()
}

fn ids(plan: &Plan) -> Vec<&str> {
    plan.scenarios.iter().map(|scenario| scenario.id.as_str()).collect()
}

#[test]
fn a_profile_of_tiers_leaves_out_what_no_longer_moves_unless_all_are_requested() {
    let usual = plan("weekly", |_| {}).unwrap();
    assert_eq!(
        labels(&usual.subjects),
        ["actix-web", "ceiling", "hyper", "reference", "rocket"]
    );
    let all = plan("weekly", |options| options.apps = vec!["all".into()]).unwrap();
    assert!(labels(&all.subjects).contains(&"tide".to_owned()));
}

#[test]
fn all_apps_stand_for_all_their_variants_where_programs_are_made_or_checked() {
    let with_all = subjects(
        &["all".into()],
        &[],
        Purpose::Build,
        &Parts::only(Part::Plain),
        &catalog(),
    )
    .unwrap();
    assert_eq!(
        with_all,
        subjects(&[], &[], Purpose::Build, &Parts::only(Part::Plain), &catalog()).unwrap()
    );
    assert_eq!(with_all.len(), 9);
    let alone = subjects(
        &["hyper".into()],
        &[],
        Purpose::Inspect,
        &Parts::only(Part::Plain),
        &catalog(),
    )
    .unwrap();
    assert!(alone.iter().all(|subject| subject.app == "hyper"), "{alone:?}");
    let named = subjects(
        &["ceiling".into()],
        &[],
        Purpose::Inspect,
        &Parts::only(Part::Plain),
        &catalog(),
    )
    .unwrap();
    assert!(named.iter().any(|subject| subject.app == "ceiling"), "{named:?}");
    let one = subjects(
        &["rocket".into()],
        &[],
        Purpose::Build,
        &Parts::only(Part::Plain),
        &catalog(),
    )
    .unwrap();
    assert_eq!(labels(&one), ["ceiling", "reference", "rocket", "rocket (tuned)"]);
}

#[test]
fn a_whole_run_has_all_that_its_profile_has_unchanged() {
    let is_whole = |wish: fn(&mut RunOptions)| {
        let plan = plan("weekly", wish).unwrap();
        plan.is_whole(&catalog(), &Profiles::built_in())
    };
    assert!(is_whole(|_| {}));
    for more in [
        |options: &mut RunOptions| options.apps = vec!["all".into()],
        |options: &mut RunOptions| options.rounds = Some(100),
        |options: &mut RunOptions| options.variants = vec!["default".into(), "tuned".into()],
    ] {
        assert!(is_whole(more));
    }
    for other in [
        |options: &mut RunOptions| options.apps = vec!["rocket".into()],
        |options: &mut RunOptions| options.scenarios = vec!["plaintext".into()],
        |options: &mut RunOptions| options.rounds = Some(1),
        |options: &mut RunOptions| options.seconds = Some(0.1),
        |options: &mut RunOptions| options.connections = Some(3),
        |options: &mut RunOptions| options.variants = vec!["tuned".into()],
    ] {
        assert!(!is_whole(other));
    }
    let driven = simple(|options| options.generators = vec![GeneratorKind::Wrk]);
    assert!(!driven.is_whole(&catalog(), &Profiles::built_in()));
}

#[test]
fn a_variant_that_nobody_has_is_refused_if_the_user_named_it() {
    let named = plan("quick", |options| options.variants = vec!["tunedd".into()]);
    assert_eq!(
        named.unwrap_err().to_string(),
        "there is no variant `tunedd`; did you mean `tuned`? `bench list` shows all"
    );
    // Classic includes `current-thread` too, which only hyper has.
    let usual = plan("classic", |options| options.apps = vec!["rocket".into()]).unwrap();
    assert_eq!(labels(&usual.subjects), ["ceiling", "reference", "rocket"]);
}

#[test]
fn what_cannot_be_planned_is_reported_in_one_line() {
    let refused = |profile: &str, wish: fn(&mut RunOptions)| plan(profile, wish).unwrap_err().to_string();
    let errors = [
        refused("quik", |_| {}),
        refused("quick", |options| options.apps = vec!["rokcet".into()]),
        refused("quick", |options| options.scenarios = vec!["plaintxt".into()]),
        refused("quick", |options| options.connections = Some(0)),
        refused("quick", |options| options.seconds = Some(0.001)),
    ];
    insta::assert_snapshot!(errors.join("\n"), @r"
    there is no profile `quik`; did you mean `quick`? `bench list` shows all
    there is no app `rokcet`; did you mean `rocket`? `bench list` shows all
    there is no scenario `plaintxt`; did you mean `plaintext`? `bench list` shows all
    0 connections send no request: --connections takes 1 or more
    --duration takes 10ms or more
    ");
}

#[test]
fn less_time_shortens_no_load_that_counts_its_requests() {
    let lengths = |seconds| {
        let plan = plan("classic", |options| {
            options.scenarios = vec!["classic-c16".into(), "classic-bcrypt".into()];
            options.seconds = Some(seconds);
        });
        let plan = plan.unwrap();
        plan.scenarios
            .iter()
            .map(|scenario| scenario.seconds)
            .collect::<Vec<_>>()
    };
    assert_eq!(lengths(1.0), [1.0, 300.0]);
    assert_eq!(lengths(400.0), [400.0, 400.0]);
}

#[test]
fn controls_are_driven_in_the_first_full_load_in_turns_and_are_no_app() {
    let mut catalog = catalog();
    let work = |name: &str, steps| Variant {
        name: name.into(),
        binary: "control-app".into(),
        rustflags: Vec::new(),
        added_work: Some(steps),
    };
    catalog.controls.push(App {
        role: Role::Control,
        variants: vec![work("default", 0), work("plus-2", 100)],
        ..samples::framework("control")
    });
    let controlled = |profile: &str, scenarios: &[&str]| {
        let options = RunOptions {
            profile: Some(profile.into()),
            scenarios: scenarios.iter().map(|name| (*name).to_owned()).collect(),
            ..RunOptions::default()
        };
        let plan = Plan::new(&options, &catalog, &Profiles::built_in()).unwrap();
        let measured = plan
            .round(1)
            .into_iter()
            .filter(|(subject, _)| subject.app == "control");
        let mut measured: Vec<String> = measured
            .map(|(subject, scenario)| format!("{} {}", subject.label(), scenario.id))
            .collect();
        measured.sort();
        assert_eq!(
            measured.is_empty(),
            plan.subjects.iter().all(|subject| subject.app != "control")
        );
        measured
    };
    for profile in ["first-look", "quick", "weekly"] {
        let both = ["control (plus-2) plaintext", "control plaintext"];
        assert_eq!(controlled(profile, &[]), both, "{profile}");
    }
    let after_slow_ones = controlled("quick", &["hello-r1000", "plaintext-tls", "hello"]);
    assert_eq!(after_slow_ones, ["control (plus-2) hello", "control hello"]);
    for (profile, scenarios) in [("quick", &["capacity"][..]), ("costs", &[]), ("scaling", &[])] {
        assert_eq!(controlled(profile, scenarios), [""; 0], "{profile}");
    }
    let parts = Parts::only(Part::Plain);
    let chosen = |apps: &[String], purpose| subjects(apps, &[], purpose, &parts, &catalog);
    let all = ["all".to_owned()];
    assert!(
        chosen(&all, Purpose::Inspect)
            .unwrap()
            .iter()
            .all(|subject| subject.app != "control")
    );
    assert!(labels(&chosen(&all, Purpose::Build).unwrap()).contains(&"control (plus-2)".to_owned()));
    assert!(chosen(&["control".into()], Purpose::Inspect).is_err());
}

/// One scenario, changed as `wish` says.
fn simple(wish: impl FnOnce(&mut RunOptions)) -> Plan {
    let plan = plan("quick", |options| {
        options.scenarios = vec!["simple".into()];
        wish(options);
    });
    plan.unwrap()
}

#[test]
fn a_scenario_in_containers_stands_next_to_the_native_one() {
    let plan = simple(|options| options.isolations = vec![Isolation::Native, Isolation::DockerBridge]);
    assert_eq!(ids(&plan), ["simple", "simple-docker-bridge"]);
    let like = plan.scenarios[1].varies.as_ref().unwrap();
    assert_eq!((like.like.as_str(), like.by), ("simple", Dimension::Isolation));
}

#[test]
fn whoever_is_compared_with_wrk_has_as_many_whole_seconds() {
    let plan = simple(|options| options.generators = vec![GeneratorKind::Oha, GeneratorKind::Wrk]);
    assert_eq!(ids(&plan), ["simple", "simple-wrk"]);
    assert!(plan.scenarios.iter().all(|scenario| scenario.seconds.fract() == 0.0));
}

#[test]
fn a_load_that_a_generator_cannot_make_is_refused_before_anything_is_built() {
    let refused = plan("latency", |options| options.generators = vec![GeneratorKind::Wrk]);
    assert_eq!(
        refused.unwrap_err().to_string(),
        "wrk cannot make the load of `hello-r1000-wrk`; name scenarios with a closed loop, HTTP/1.1 and a length in seconds"
    );
}

#[test]
fn nobody_is_measured_in_a_protocol_that_it_does_not_speak() {
    let plan = plan("protocols", |_| {}).unwrap();
    assert!(
        plan.round(1)
            .iter()
            .all(|(_, scenario)| scenario.protocol == Protocol::Http1)
    );
}

/// The catalog with two servers that have a database, one of them for its driver, and the reference for them.
fn with_databases() -> Catalog {
    let backed = |id: &str, role, tier| App {
        role,
        tier,
        stack: Some("a driver".into()),
        ..samples::framework(id)
    };
    let mut catalog = catalog();
    catalog.apps.extend([
        backed("reference-postgres", Role::Reference, Tier::Engine),
        backed("rocket-postgres", Role::Framework, Tier::Maintained),
        backed("rocket-sqlx", Role::Framework, Tier::Driver),
    ]);
    catalog
}

fn plan_with_databases(profile: &str, wish: impl FnOnce(&mut RunOptions)) -> anyhow::Result<Plan> {
    let mut options = RunOptions {
        profile: Some(profile.into()),
        seed: Some(7),
        ..RunOptions::default()
    };
    wish(&mut options);
    Plan::new(&options, &with_databases(), &Profiles::built_in())
}

#[test]
fn scenarios_with_a_database_take_servers_that_have_one_and_no_others() {
    let subjects = |profile| labels(&plan_with_databases(profile, |_| {}).unwrap().subjects);
    assert_eq!(subjects("database"), ["reference-postgres", "rocket-postgres"]);
    assert_eq!(subjects("drivers"), ["reference-postgres", "rocket-sqlx"]);
    assert!(!subjects("weekly").iter().any(|label| label.contains("postgres")));
    let mixed = plan_with_databases("smoke", |options| options.scenarios = vec!["hello".into(), "db".into()]).unwrap();
    let measured = |scenario: &str| -> Vec<String> {
        let trials = mixed.round(1).into_iter();
        let mut measured: Vec<String> = trials
            .filter(|(_, other)| other.id == scenario)
            .map(|(subject, _)| subject.label())
            .collect();
        measured.sort();
        measured
    };
    assert_eq!(measured("db"), ["reference-postgres", "rocket-postgres", "rocket-sqlx"]);
    assert!(
        measured("hello")
            .iter()
            .all(|label| !label.contains("postgres") && label != "rocket-sqlx")
    );
}

#[test]
fn who_cannot_be_measured_is_named_with_who_can() {
    let refused = |scenario: &str, app: &str| {
        let wish = |options: &mut RunOptions| {
            options.scenarios = vec![scenario.into()];
            options.apps = vec![app.into()];
        };
        plan_with_databases("quick", wish).unwrap_err().to_string()
    };
    assert_eq!(
        refused("db", "rocket"),
        "`rocket` has no database, which these scenarios need; did you mean `rocket-postgres`?"
    );
    assert_eq!(
        refused("db", "hyper"),
        "`hyper` has no database, which these scenarios need; `bench list` shows those that do"
    );
    assert_eq!(
        refused("hello", "rocket-postgres"),
        "`rocket-postgres` has a database behind it, and is measured only for that, as by `bench run --scenario db`"
    );
}

#[test]
fn programs_of_one_kind_are_all_that_a_profile_can_need() {
    let profiles = Profiles::built_in();
    let built = |profile| {
        let parts = profiles.parts(profile).unwrap();
        labels(&subjects(&[], &[], Purpose::Build, &parts, &with_databases()).unwrap())
    };
    assert_eq!(
        built("drivers"),
        ["reference-postgres", "rocket-postgres", "rocket-sqlx"]
    );
    let alone = built("weekly");
    assert!(alone.contains(&"hyper (current-thread)".to_owned()), "{alone:?}");
    assert!(alone.iter().all(|label| !label.contains("postgres")), "{alone:?}");
    assert!(
        profiles
            .parts("wekly")
            .unwrap_err()
            .to_string()
            .contains("did you mean `weekly`?")
    );
}

/// Each of the profile's scenarios at these widths.
fn scaling(widths: &[u32], wish: impl FnOnce(&mut RunOptions)) -> anyhow::Result<Plan> {
    plan("scaling", wish)?.at_widths(widths, 16)
}

#[test]
fn a_width_is_a_scenario_with_connections_for_each_worker() {
    let quick = plan("quick", |_| {}).unwrap();
    let plan = scaling(&[1, 2, 3], |_| {}).unwrap();
    assert_eq!(
        ids(&plan),
        [
            "plaintext-w1",
            "plaintext-w2",
            "plaintext-w3",
            "simple-w1",
            "simple-w2",
            "simple-w3"
        ]
    );
    assert_eq!(plan.widths(), [1, 2, 3]);
    let widest = &plan.scenarios[5];
    assert_eq!((widest.workers, widest.connections), (Some(3), 48));
    let varies = widest.varies.as_ref().unwrap();
    assert_eq!((varies.like.as_str(), varies.by), ("simple", Dimension::Workers));
    assert_eq!(plan.round(1).len(), 6 * plan.subjects.len());
    assert!(quick.widths().is_empty());
}

#[test]
fn containers_and_generators_are_measured_at_each_width() {
    let contained = scaling(&[1, 2], |options| {
        options.scenarios = vec!["hello".into()];
        options.isolations = vec![Isolation::Native, Isolation::Docker];
    });
    assert_eq!(
        ids(&contained.unwrap()),
        ["hello-w1", "hello-w2", "hello-docker-w1", "hello-docker-w2"]
    );
    let driven = scaling(&[1, 2], |options| options.generators = vec![GeneratorKind::Wrk]).unwrap();
    assert_eq!(driven.scenarios[0].id, "plaintext-wrk-w1");
    assert_eq!(driven.scenarios[0].generator, GeneratorKind::Wrk);
}

#[test]
fn a_load_that_does_not_grow_with_the_server_has_no_widths() {
    for (scenario, expected) in [
        ("hello-r1000", "a load that does not grow"),
        ("capacity", "a load that does not grow"),
        ("classic-simple", "a load that does not grow"),
        ("plaintext-c256", "about the number of connections"),
    ] {
        let error = scaling(&[1, 2], |options| options.scenarios = vec![scenario.into()]).unwrap_err();
        let error = error.to_string();
        assert!(error.contains(expected) && error.contains(scenario), "{error}");
    }
    let many = plan("scaling", |_| {}).unwrap().at_widths(&[1, 4096], 16);
    assert!(
        many.unwrap_err()
            .to_string()
            .contains("plaintext-w4096: its `connections`")
    );
}

#[test]
fn a_run_of_widths_is_whole_with_those_that_its_machine_has() {
    let is_whole = |plan: &Plan| plan.is_whole(&catalog(), &Profiles::built_in());
    assert!(is_whole(&scaling(&[1, 2], |_| {}).unwrap()));
    assert!(is_whole(&scaling(&[1, 2, 4, 8], |_| {}).unwrap()));
    assert!(!is_whole(
        &scaling(&[1, 2], |options| options.scenarios = vec!["simple".into()]).unwrap()
    ));
    assert!(!is_whole(
        &plan("scaling", |_| {}).unwrap().at_widths(&[1, 2], 4).unwrap()
    ));
    assert!(!is_whole(&plan("scaling", |_| {}).unwrap()), "no width at all");
    let mut lacking = scaling(&[1, 2], |_| {}).unwrap();
    lacking.scenarios.pop();
    assert!(!is_whole(&lacking), "simple at two workers");
}
