//! Which rows are read, and what is written into them.

use rand::Rng as _;

use crate::rows::World;

/// A row of `world`.
#[must_use]
pub fn random_id() -> i32 {
    rand::rng().random_range(1..=World::ROWS)
}

/// A new number for a row of `world`.
#[must_use]
pub fn random_number() -> i32 {
    rand::rng().random_range(1..=World::ROWS)
}

/// `n` different rows of `world` in ascending order: two transactions that lock rows in the same order never wait for each other in a
/// circle.
#[must_use]
pub fn different_ids(n: usize) -> Vec<i32> {
    let mut ids = Vec::with_capacity(n);
    while ids.len() < n {
        let id = random_id();
        if let Err(place) = ids.binary_search(&id) {
            ids.insert(place, id);
        }
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_different_and_ascending() {
        let ids = different_ids(100);
        assert_eq!(ids.len(), 100);
        assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
        assert!(ids.iter().all(|id| (1..=World::ROWS).contains(id)), "{ids:?}");
    }
}
