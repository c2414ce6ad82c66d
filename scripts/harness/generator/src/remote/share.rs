//! The share of a load that one of several generators makes.

use model::scenario::{LoadModel, Scenario};

/// Divides a load among generators that have this many cpus each, by their cpus. One that would get no connection, or no request, gets
/// `None`.
pub fn divide(whole: &Scenario, cpus: &[usize]) -> Vec<Option<Scenario>> {
    let all: usize = cpus.iter().sum::<usize>().max(1);
    let mut from = 0;
    let share = |own: &usize| {
        // Shares end where the cpus up to them end, so that they add up to the whole.
        let until = |total: u64, end: usize| total * end as u64 / all as u64;
        let part = |total| until(total, from + own) - until(total, from);
        let connections = u32::try_from(part(whole.connections.into())).unwrap_or(u32::MAX);
        let requests = whole.requests.map(part);
        from += own;
        let mut share = Scenario {
            connections,
            requests,
            ..whole.clone()
        };
        if let LoadModel::Open { rate_rps } = &mut share.load {
            // The rate follows the connections: each of them sends as often as any other machine's.
            *rate_rps *= f64::from(connections) / f64::from(whole.connections.max(1));
        }
        (connections > 0 && requests != Some(0)).then_some(share)
    };
    cpus.iter().map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::plaintext;

    fn scenario(connections: u32, requests: Option<u64>, load: LoadModel) -> Scenario {
        Scenario {
            connections,
            requests,
            load,
            ..plaintext()
        }
    }

    #[test]
    fn parts_add_up_to_the_whole_and_follow_the_cpus() {
        let scenario = scenario(65, Some(1001), LoadModel::Open { rate_rps: 2600.0 });
        let parts: Vec<Scenario> = divide(&scenario, &[1, 3]).into_iter().flatten().collect();
        let connections: Vec<u32> = parts.iter().map(|part| part.connections).collect();
        assert_eq!(connections, [16, 49]);
        assert_eq!(parts.iter().filter_map(|part| part.requests).sum::<u64>(), 1001);
        let rates = [640.0, 1960.0].map(|rate_rps| LoadModel::Open { rate_rps });
        assert!(parts.iter().map(|part| part.load).eq(rates));
    }

    #[test]
    fn one_connection_is_made_by_one_of_them() {
        let parts = divide(&scenario(1, None, LoadModel::Closed), &[2, 2]);
        assert_eq!(parts[0], None);
        assert_eq!(parts[1].as_ref().map(|part| part.connections), Some(1));
        let parts = divide(&scenario(64, Some(1), LoadModel::Closed), &[2, 2]);
        assert_eq!(parts.iter().flatten().count(), 1);
    }
}
