//! The share of a load that one of several generators makes.

use model::scenario::{LoadModel, Scenario};

/// A share of a load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// Connections.
    pub connections: u32,
    /// Requests, if they are counted.
    pub requests: Option<u64>,
    /// Requests per second, in an open loop.
    pub rate_rps: Option<f64>,
    /// Threads of the generator.
    pub threads: usize,
}

impl Share {
    /// The whole load.
    pub fn whole(scenario: &Scenario, threads: usize) -> Self {
        Self {
            connections: scenario.connections,
            requests: scenario.requests,
            rate_rps: match scenario.load {
                LoadModel::Open { rate_rps } => Some(rate_rps),
                LoadModel::Closed | LoadModel::Capacity { .. } => None,
            },
            threads,
        }
    }

    /// Divides the whole among generators that have this many cpus each, by their cpus. One that would get no connection, or no request,
    /// gets `None`.
    pub fn divide(scenario: &Scenario, cpus: &[usize]) -> Vec<Option<Self>> {
        let whole = Self::whole(scenario, 0);
        let all: usize = cpus.iter().sum::<usize>().max(1);
        // Shares end where the cpus up to them end, so that they add up to the whole.
        let part = |total: u64, from: usize, to: usize| {
            let until = |end: usize| u128::from(total) * end as u128 / all as u128;
            u64::try_from(until(to) - until(from)).unwrap_or(u64::MAX)
        };
        let mut from = 0;
        let share = |own: &usize| {
            let to = from + own;
            let connections = u32::try_from(part(u64::from(whole.connections), from, to)).unwrap_or(u32::MAX);
            let requests = whole.requests.map(|requests| part(requests, from, to));
            from = to;
            // The rate follows the connections: each of them sends as often as those of the others.
            let share = f64::from(connections) / f64::from(whole.connections.max(1));
            (connections > 0 && requests != Some(0)).then_some(Self {
                connections,
                requests,
                rate_rps: whole.rate_rps.map(|rate| rate * share),
                threads: *own,
            })
        };
        cpus.iter().map(share).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use apps::profile::Profiles;

    fn scenario(connections: u32, requests: Option<u64>, load: LoadModel) -> Scenario {
        let profiles = Profiles::built_in();
        let quick = profiles.profile("quick").unwrap();
        Scenario {
            connections,
            requests,
            load,
            ..profiles.scenario("plaintext", quick).unwrap()
        }
    }

    #[test]
    fn parts_add_up_to_the_whole_and_follow_the_cpus() {
        let scenario = scenario(65, Some(1001), LoadModel::Open { rate_rps: 2600.0 });
        let parts: Vec<Share> = Share::divide(&scenario, &[1, 3]).into_iter().flatten().collect();
        let connections: Vec<u32> = parts.iter().map(|part| part.connections).collect();
        assert_eq!(connections, [16, 49]);
        assert_eq!(parts.iter().filter_map(|part| part.requests).sum::<u64>(), 1001);
        assert_eq!(parts.iter().map(|part| part.threads).collect::<Vec<_>>(), [1, 3]);
        let rates: Vec<f64> = parts.iter().filter_map(|part| part.rate_rps).collect();
        assert_eq!(rates, [640.0, 1960.0]);
    }

    #[test]
    fn one_connection_is_made_by_one_of_them() {
        let parts = Share::divide(&scenario(1, None, LoadModel::Closed), &[2, 2]);
        assert_eq!(parts[0], None);
        assert_eq!(parts[1].map(|part| (part.connections, part.threads)), Some((1, 2)));
        let parts = Share::divide(&scenario(64, Some(1), LoadModel::Closed), &[2, 2]);
        assert_eq!(parts.iter().flatten().count(), 1);
    }
}
