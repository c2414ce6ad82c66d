//! Servers at several widths: each gets what its width has.

use std::fs;

use apps::catalog::Catalog;
use apps::profile::Profiles;
use machine::cpus::{Split, Topology};
use machine::program::Program;
use measure::plan::{Plan, RunOptions};
use measure::run::round::{Entry, Round};
use measure::run::sliced;
use model::scenario::GeneratorKind;
use model::{Trial, Verdict};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use servers::server::Launch;

use crate::common::{Bench, build_united, oha};

/// Cpus and `WORKERS` of the processes that run a program.
fn found(program: &Program) -> Vec<(String, String)> {
    let after = |text: &str, key: &str, end: char| {
        let (_, rest) = text.split_once(key)?;
        Some(rest.split(end).next()?.trim().to_owned())
    };
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let of = processes.filter(|entry| fs::read_link(entry.path().join("exe")).is_ok_and(|exe| exe == program.path()));
    of.filter_map(|entry| {
        let status = fs::read_to_string(entry.path().join("status")).ok()?;
        let settings = fs::read_to_string(entry.path().join("environ")).ok()?;
        Some((
            after(&status, "Cpus_allowed_list:", '\n')?,
            after(&settings, "WORKERS=", '\0')?,
        ))
    })
    .collect()
}

/// Two cpus are too few to serve at two widths and to make the load as well: here the load generator takes its time from the server, and
/// no speed is checked. Everything else is as in a run.
#[test]
fn a_server_has_as_many_workers_as_its_width_each_with_a_cpu() {
    let bench = Bench::on_fixtures();
    build_united(bench.root(), &["--bin", "good-app"]);
    let catalog = Catalog::read(bench.root()).unwrap();
    let app = catalog.app("good").unwrap();
    let path = app.target.join("debug").join("good-app");
    let program = Program::at(&path.canonicalize().unwrap()).unwrap();
    let machine = Topology::of_this_machine();
    let cpus = machine.cores.concat();
    let both = machine.listed(&cpus[..1], &cpus[1..2]).unwrap();
    let both = Split {
        server: both.cpus(),
        ..both
    };
    let options = RunOptions {
        profile: Some("scaling".into()),
        apps: vec!["good".into()],
        scenarios: vec!["plaintext".into()],
        seconds: Some(0.2),
        seed: Some(1),
        ..RunOptions::default()
    };
    let plan = Plan::new(&options, &catalog, &Profiles::built_in()).unwrap();
    let plan = plan.at_widths(&machine.widths(&both.server).unwrap(), 4).unwrap();
    assert_eq!(plan.widths(), [1, 2]);
    let generator = generator::Generator::new(GeneratorKind::Oha, oha(), &both.generator).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for scenario in &plan.scenarios {
        let split = both.narrowed(scenario.workers, &machine);
        let round = Round {
            scenario,
            slices: scenario.slices().unwrap(),
            driver: &generator,
            clock: &(),
            split: &split,
            seek_restless: true,
        };
        let entry = Entry {
            launch: Launch::alone(&program),
            seed: 1,
        };
        let mut seen = Vec::new();
        let driven = round
            .drive(&[entry], &mut rng, |_, _| seen.extend(found(&program)))
            .unwrap();
        let workers = scenario.workers.unwrap();
        let cpus = match workers {
            1 => cpus[0].to_string(),
            _ if cpus[1] == cpus[0] + 1 => format!("{}-{}", cpus[0], cpus[1]),
            _ => format!("{},{}", cpus[0], cpus[1]),
        };
        assert!(!seen.is_empty());
        assert!(
            seen.iter().all(|seen| *seen == (cpus.clone(), workers.to_string())),
            "{seen:?}"
        );
        let level = sliced::levels(&driven)[0];
        let trial = sliced::trial(&round, Trial::default(), &driven[0], level);
        assert_eq!(scenario.id, format!("plaintext-w{workers}"));
        // Whatever else the machine does: no more than its cpus can give, and answers as proven.
        assert!(trial.verdict <= Verdict::EnvironmentFailed, "{trial:?}");
        assert!(
            trial.server_cpu_share.is_none_or(|share| share > 0.0 && share < 1.1),
            "{trial:?}"
        );
    }
    assert!(found(&program).is_empty(), "every server has ended");
}
