//! What a run has learned about its servers.

use std::collections::{BTreeMap, BTreeSet};

use machine::interrupt::Interrupted;
use model::scenario::{Isolation, Protocol, Scenario};
use model::{SubjectId, Trial, Verdict, count};
use servers::contract::Scope;
use servers::failure::{Failure, Lack};

/// What is known about the servers after their first round.
#[derive(Debug, Default)]
pub struct KnownServers {
    /// What each subject lacks of the contract in a protocol. A server that is known to break a rule which a scenario touches is not started
    /// for it again; one that broke one under a load may bear another load.
    lacks: BTreeMap<Key, Vec<Lack>>,
    /// Servers that use the cpu while idle, and so are driven apart from the others.
    restless: BTreeSet<Key>,
}

type Key = (SubjectId, Protocol, Isolation);

impl KnownServers {
    /// Why a server has no figures in this scenario, if that is known.
    pub fn reason_against(&self, subject: &SubjectId, scenario: &Scenario) -> Option<(Verdict, String)> {
        let mut lacks = self.lacks.get(&key(subject, scenario))?.iter();
        let lack = lacks.find(|lack| lack.scope.touches(scenario))?;
        Some((lack.verdict, format!("before the load, {}", lack.reason)))
    }

    /// Learns what a server lacks, unless that is known, from a `proof` by a server of its own: one that has answered all of the contract has
    /// another memory than one under load. The inner error says why it has no figures in this scenario.
    pub fn prove(
        &mut self,
        subject: &SubjectId,
        scenario: &Scenario,
        proof: impl FnOnce() -> Result<Vec<Lack>, Failure>,
    ) -> Result<Result<(), (Verdict, String)>, Interrupted> {
        let key = key(subject, scenario);
        if self.lacks.contains_key(&key) {
            return Ok(Ok(()));
        }
        let lacks = match proof() {
            Ok(lacks) => lacks,
            Err(failure) => vec![Lack::new(Scope::Server, failure)?],
        };
        // What the machine did is not known of the server.
        if let Some(lack) = lacks.iter().find(|lack| lack.verdict == Verdict::EnvironmentFailed) {
            return Ok(Err((lack.verdict, lack.reason.clone())));
        }
        self.lacks.insert(key, lacks);
        Ok(self.reason_against(subject, scenario).map_or(Ok(()), Err))
    }

    /// Whether it uses the cpu while idle.
    pub fn is_restless(&self, subject: &SubjectId, scenario: &Scenario) -> bool {
        self.restless.contains(&key(subject, scenario))
    }

    /// Learns that it does.
    pub fn add_restless(&mut self, subject: &SubjectId, scenario: &Scenario) {
        self.restless.insert(key(subject, scenario));
    }

    /// Marks the trial of a server that lacks what its scenario does not touch.
    pub fn mark(&self, trial: &mut Trial, scenario: &Scenario) {
        let subject = SubjectId::new(&trial.app, &trial.variant);
        let lacks = self.lacks.get(&key(&subject, scenario)).map_or(&[][..], Vec::as_slice);
        let Some(lack) = lacks.first().filter(|_| trial.verdict.keeps_costs()) else {
            return;
        };
        let more = match lacks.len() - 1 {
            0 => String::new(),
            more => format!(", and {}", count(more, "other rule")),
        };
        trial.verdict = Verdict::Incomplete;
        trial.reasons.insert(0, format!("it fails {}{more}", lack.reason));
    }
}

fn key(subject: &SubjectId, scenario: &Scenario) -> Key {
    (subject.clone(), scenario.protocol, scenario.isolation)
}
