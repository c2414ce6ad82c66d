//! What the requests of a program cost.

use std::path::Path;

use anyhow::anyhow;

use super::ensure_installed;
use crate::plan::Plan;
use crate::request_counts::{PATIENCE, instructions, reason_against, syscalls};
use machine::environment::version_of;
use machine::interrupt;
use machine::process::one_line;
use machine::program::Program;
use model::scenario::{Protocol, Scenario};
use model::{AnswerHead, CostTools, RequestCosts, Verdict};
use servers::contract;
use servers::contract::Steady;
use servers::failure::Failure;
use servers::server::{Launch, Server};
use servers::workload::Workload;

/// What is counted, where, and by which tools.
#[derive(Debug)]
pub struct Counting<'a> {
    /// Its scenarios are counted.
    pub plan: &'a Plan,
    /// Cpus that the servers run on; builds take all.
    pub server_cpus: &'a [u32],
    /// What is measured with.
    pub tools: CostTools,
    /// How many starts of a program are counted. The least counts: what a timer does for a slower request only adds.
    pub starts: usize,
}

impl<'a> Counting<'a> {
    /// With the tools that are installed; `root` is a folder to start them in.
    pub fn new(plan: &'a Plan, server_cpus: &'a [u32], root: &Path, starts: usize) -> Self {
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        let tools = CostTools {
            jobs: u32::try_from(jobs).unwrap_or(u32::MAX),
            valgrind: instructions::version(root),
            strace: syscalls::version(root),
            strip: version_of("strip".as_ref(), root).ok(),
        };
        Self {
            plan,
            server_cpus,
            tools,
            starts,
        }
    }

    /// The costs of a request of each scenario. `report` gets each step before it begins.
    pub fn requests(&self, program: &Program, mut report: impl FnMut(&str)) -> anyhow::Result<Vec<RequestCosts>> {
        let (cpus, tools) = (self.server_cpus, &self.tools);
        report("its answers");
        let heads = self.heads(program).map_err(|error| error.to_string());
        let counts = self.plan.scenarios.iter().enumerate().map(|(index, scenario)| {
            interrupt::check()?;
            let head = match (reason_against(scenario), &heads) {
                (Some(reason), _) => Err(reason.to_owned()),
                (None, Err(reason)) => Err(reason.clone()),
                (None, Ok(heads)) => heads[index].clone(),
            };
            let countable = |version: &Option<String>, tool| match &head {
                Err(reason) => Err(anyhow!("{reason}")),
                Ok(_) => ensure_installed(version.as_ref(), tool, tool),
            };
            report(&format!("instructions, {}", scenario.id));
            let each = countable(&tools.valgrind, "valgrind").and_then(|()| {
                let start = |_| Ok(instructions::per_request(program.into(), cpus, &[scenario]).map_err(reason)?[0]);
                (0..self.starts).map(start).collect::<anyhow::Result<Vec<f64>>>()
            });
            report(&format!("system calls, {}", scenario.id));
            let syscalls = countable(&tools.strace, "strace")
                .and_then(|()| syscalls::per_request(program, cpus, scenario).map_err(reason));
            Ok(RequestCosts {
                scenario: scenario.id.clone(),
                head: head.into(),
                instructions: each
                    .as_ref()
                    .map(|each| each.iter().copied().fold(f64::INFINITY, f64::min))
                    .map_err(|error| anyhow!("{error}"))
                    .into(),
                instructions_each: each.ok().filter(|each| each.len() > 1).unwrap_or_default(),
                syscalls: syscalls.into(),
            })
        });
        counts.collect()
    }

    /// The head of an answer to each scenario, by a server that has proven that it keeps the contract.
    fn heads(&self, program: &Program) -> anyhow::Result<Vec<Result<AnswerHead, String>>> {
        let started = Server::start(Launch::alone(program), self.server_cpus, Protocol::Http1);
        let mut server = started.map_err(reason)?;
        let proven = server.prove(|client| contract::prove_all(client, self.plan.seed));
        proven.map_err(|failure| match failure {
            Failure::Verdict(Verdict::ContractFailed, _) => reason(failure.prefixed("it breaks the contract: ")),
            // One that died has not answered wrongly.
            other => reason(other),
        })?;
        let client = Steady::new(server.address, PATIENCE)?;
        let mut head = |scenario: &Scenario| {
            let head = client.head(&Workload::counted(scenario));
            head.map_err(|violation| reason(server.failure_from(&violation)).to_string())
        };
        Ok(self.plan.scenarios.iter().map(&mut head).collect())
    }
}

/// A failure as the reason for a missing figure.
fn reason(failure: Failure) -> anyhow::Error {
    let verdict = failure.into_verdict();
    verdict.map_or_else(Into::into, |(_, reason)| anyhow!(one_line(&reason)))
}
