//! Which scenarios a rule of the contract touches. A server that breaks a rule of one endpoint is measured at the others; one that breaks a
//! rule of the whole server, at none.

use std::fmt;

use model::Service;
use model::scenario::Scenario;

use super::{Answers, Backend, Violation, database, endpoints};

/// What a rule is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// The server: an unknown path, its connections, its settings, its end. A missing answer is of this kind, whatever was requested, if
    /// nothing else is answered then.
    Server,
    /// One endpoint, by the path of its proof.
    Endpoint(&'static str),
    /// What is needed for any of these features.
    Services(Vec<Service>),
}

impl Scope {
    /// That of a request to this path; an endpoint's own, or the server's if there is no such endpoint.
    pub(super) fn of_path(backend: &Backend, path: &str) -> Self {
        proof_of_path(backend.endpoints(), path).map_or(Self::Server, |(proven, _)| Self::Endpoint(proven))
    }

    /// Whether who breaks such a rule has no figures in `scenario`.
    pub fn touches(&self, scenario: &Scenario) -> bool {
        match self {
            Self::Server => true,
            Self::Endpoint(path) => proof_of_scenario(scenario).is_some_and(|(proven, _)| proven == path),
            Self::Services(kinds) => scenario.service.is_some_and(|served| kinds.contains(&served.kind)),
        }
    }

    /// Whether who breaks such a rule has not proven the `other`.
    pub fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Server, _) => true,
            (Self::Services(kinds), Self::Services(others)) => others.iter().any(|other| kinds.contains(other)),
            _ => self == other,
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server => f.write_str("the server"),
            Self::Endpoint(path) => f.write_str(path),
            Self::Services(kinds) => f.write_str(&kinds.iter().map(|kind| kind.id()).collect::<Vec<_>>().join(", ")),
        }
    }
}

/// The proof of an endpoint, by its path. `/orders/` stands for all paths under it.
fn proof_of_path(proofs: &'static [(&str, Answers)], path: &str) -> Option<&'static (&'static str, Answers)> {
    let path = path.split('?').next().unwrap_or_default();
    let is_its = |proven: &str| path == proven || proven.len() > 1 && proven.ends_with('/') && path.starts_with(proven);
    proofs.iter().find(|(proven, _)| is_its(proven))
}

/// The proof of a scenario's request, if it is no feature of services.
pub(super) fn proof_of_scenario(scenario: &Scenario) -> Option<&'static (&'static str, Answers)> {
    let proofs = match (scenario.service, scenario.database) {
        (Some(_), _) => return None,
        (None, Some(_)) => database::PROOFS,
        (None, None) => endpoints::PROOFS,
    };
    proof_of_path(proofs, &scenario.path)
}

/// A violation, and what it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breach {
    /// What the broken rule is about.
    pub scope: Scope,
    /// The violation.
    pub violation: Violation,
}

#[cfg(test)]
mod tests {
    use super::*;
    use apps::profile::Profiles;

    #[test]
    fn a_rule_of_an_endpoint_touches_the_scenarios_that_request_it() {
        let profiles = Profiles::built_in();
        let quick = profiles.profile("quick").unwrap();
        let touched = |scope: Scope| -> Vec<&str> {
            let names = ["plaintext", "simple", "bcrypt", "cpu", "order", "compress-gzip"];
            names
                .into_iter()
                .filter(|name| scope.touches(&profiles.scenario(name, quick).unwrap()))
                .collect()
        };
        let of = |path| Scope::of_path(&Backend::Nothing, path);
        assert_eq!(touched(of("/test/bcrypt")), ["bcrypt"]);
        assert_eq!(touched(of("/cpu?n=abc")), ["cpu"]);
        assert_eq!(touched(of("/test/bcrypt-inline")), [""; 0]);
        let all = ["plaintext", "simple", "bcrypt", "cpu", "order", "compress-gzip"];
        assert_eq!(touched(of("/no-such-1")), all, "nobody may ignore it");
        assert_eq!(touched(Scope::Endpoint("/orders/")), ["order"]);
        assert_eq!(
            touched(Scope::Services(vec![Service::Brotli, Service::Gzip])),
            ["compress-gzip"]
        );
    }
}
