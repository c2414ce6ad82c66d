//! Chooses the cpus of a run: those that the user names, or the split that a try with the ceiling shows to be best.

use anyhow::Context;

use super::cpus::Cpus;
use super::driver::{self, Running as _, Served};
use crate::progress::Reporter;
use apps::build::BuiltApp;
use apps::profile::Profiles;
use generator::{Generator, Generators};
use machine::cpus::{Split, Topology};
use machine::program::Program;
use machine::quota;
use machine::split::{calibrate, candidates, server_is_limit};
use model::scenario::{GeneratorKind, Scenario};
use model::{Role, SplitTried, Verdict, expected_answers};
use servers::failure::Failure;
use servers::server::{Launch, Server};
use servers::workload::Workload;

/// Profile and scenario of the tries: the one that demands most of the generator for each answer.
const TRIED_BY: (&str, &str) = ("quick", "plaintext");
/// Loads of each try, after a warm-up; the median counts, so that a short disturbance decides nothing.
const LOADS: usize = 3;
/// Length of each, in seconds.
const SECONDS: f64 = 0.4;

/// The split of a run, and the tries that led to it. One that is not the usual one stands. Otherwise the ceiling among `subjects` is driven
/// under each candidate; if that fails, which its trials will show too, the usual one is taken.
pub fn choose_split(
    cpus: &Cpus,
    subjects: &[BuiltApp],
    generators: &Generators,
    reporter: &dyn Reporter,
) -> anyhow::Result<(Split, Vec<SplitTried>)> {
    let (split, tried) = match cpus {
        Cpus::Begun(split) => return Ok((split.clone(), Vec::new())),
        Cpus::Named(split) => (split.clone(), Vec::new()),
        Cpus::Usual(first) => best(first, subjects, generators, reporter)?,
    };
    let quota = generator_is_limit(&split, &tried) && quota::is_available();
    Ok((Split { quota, ..split }, tried))
}

fn best(
    first: &Split,
    subjects: &[BuiltApp],
    generators: &Generators,
    reporter: &dyn Reporter,
) -> anyhow::Result<(Split, Vec<SplitTried>)> {
    let candidates = candidates(&Topology::of_this_machine())?;
    let ceiling = subjects.iter().find(|subject| subject.app.role == Role::Ceiling);
    let ceiling = ceiling.and_then(|subject| subject.binary.as_ref());
    let oha = generators.get(&GeneratorKind::Oha);
    let (Some(ceiling), Some(oha), true) = (ceiling, oha, candidates.len() > 1) else {
        return Ok((first.clone(), Vec::new()));
    };
    let profiles = Profiles::built_in();
    let profile = profiles.profile(TRIED_BY.0);
    let scenario = profile.and_then(|profile| profiles.scenario(TRIED_BY.1, profile));
    let scenario = scenario.context("what splits are tried by is built in")?;
    let progress = reporter.begin("trying which cpus serve and which load", candidates.len() as u64);
    let calibrated = calibrate(candidates, |split| {
        progress.begins(&format!("{} serve, {} load", split.server.len(), split.generator.len()));
        let tried = try_out(&ceiling.program, oha, &scenario, split);
        progress.step();
        tried
    });
    match calibrated {
        Ok(calibrated) => Ok(calibrated),
        Err(trouble) => {
            let (_, reason) = trouble.into_verdict()?;
            progress.warn(&format!("no split could be tried, the usual one is taken: {reason}"));
            Ok((first.clone(), Vec::new()))
        }
    }
}

/// Whether the generator, and not the server, is the limit of the ceiling, so that servers of cheap answers get a quota: by the split's own
/// try, which is the first of `tried`, or where there is none, by the numbers of cpus.
fn generator_is_limit(split: &Split, tried: &[SplitTried]) -> bool {
    let few = !split.generator.is_empty() && split.generator.len() <= split.server.len();
    tried.first().map_or(few, |own| !server_is_limit(own))
}

/// Whether servers of these scenarios need a quota that they do not have under this split: their figures are closer to each other than they are.
pub fn lacks_quota(split: &Split, tried: &[SplitTried], scenarios: &[Scenario]) -> bool {
    !split.quota && generator_is_limit(split, tried) && scenarios.iter().any(Scenario::takes_quota)
}

/// Drives the ceiling under a split.
fn try_out(
    program: &Program,
    generator: &Generator,
    scenario: &Scenario,
    split: &Split,
) -> Result<SplitTried, Failure> {
    let generator = generator.with_cpus(&split.generator);
    let server = Server::start(Launch::alone(program), &split.server, scenario.protocol)?;
    let mut server = Served::new(server, &generator);
    let workload = Workload::of(scenario);
    let mut tried = Vec::new();
    for _ in 0..=LOADS {
        let before = server.cpu_time()?;
        let load = driver::drive(&workload, SECONDS, &mut server)?;
        let cpu = server.cpu_time()?.saturating_sub(before);
        let answers = expected_answers(&load.requests);
        if answers == 0 {
            let reason = "the ceiling answered no request as expected".to_owned();
            return Err(Failure::Verdict(Verdict::ContractFailed, reason));
        }
        tried.push(SplitTried {
            server_cpus: split.server.clone(),
            generator_cpus: split.generator.clone(),
            goodput_rps: answers as f64 / load.seconds,
            server_cpu_share: cpu.as_secs_f64() / load.seconds / split.server.len() as f64,
            generator_cpu_share: load.generator_share(split.generator.len()),
        });
    }
    tried.remove(0);
    tried.sort_by(|a, b| a.goodput_rps.total_cmp(&b.goodput_rps));
    Ok(tried.swap_remove(LOADS / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_tried_says_who_is_the_limit_and_else_the_numbers_of_cpus() {
        let machine = |cpus: u32| Topology::from_cores((0..cpus).map(|cpu| (cpu, cpu.to_string())));
        let of = |server: usize, generator: usize, tried: &[SplitTried]| {
            generator_is_limit(&machine(4).counted(server, generator).unwrap(), tried)
        };
        let tried = |server_cpu_share, generator_cpu_share| SplitTried {
            server_cpus: vec![0],
            generator_cpus: vec![1],
            goodput_rps: 100_000.0,
            server_cpu_share,
            generator_cpu_share,
        };
        assert_eq!([of(1, 1, &[]), of(2, 2, &[]), of(1, 3, &[])], [true, true, false]);
        assert!(of(1, 3, &[tried(0.6, 1.0), tried(0.99, 0.5)]), "the first is its own");
        assert!(!of(2, 2, &[tried(0.99, 0.5)]));
        assert!(
            !generator_is_limit(&machine(4).all_serving(), &[]),
            "the load comes from elsewhere"
        );

        let profiles = Profiles::built_in();
        let scenario = |name| profiles.scenario(name, profiles.profile("weekly").unwrap()).unwrap();
        let lacks = |server, generator, quota, name| {
            let split = machine(4).counted(server, generator).unwrap();
            lacks_quota(&Split { quota, ..split }, &[], &[scenario(name)])
        };
        assert!(lacks(2, 2, false, "plaintext"));
        assert!(!lacks(2, 2, true, "plaintext"), "it has one");
        assert!(!lacks(1, 3, false, "plaintext"), "the server is the limit");
        assert!(!lacks(2, 2, false, "bcrypt"), "nor where the server has enough to do");
    }
}
