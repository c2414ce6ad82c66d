//! The listing that `GET /listing/{seed}` answers with: text that compresses as a catalog does, and that nobody can keep compressed,
//! because each seed has another one.

use serde::Serialize;

/// Things in a list: about 20 KiB of JSON.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Listing {
    items: Vec<Item>,
}

#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
struct Item {
    id: u32,
    name: String,
    about: String,
    cents: u32,
    stocked: bool,
}

const ITEMS: u32 = 163;
const WORDS: [&str; 32] = [
    "amber", "basket", "bright", "candle", "copper", "cotton", "delta", "ember", "fabric", "garden", "glass", "harbor",
    "indigo", "jasmine", "kettle", "lantern", "linen", "maple", "meadow", "nickel", "olive", "paper", "quartz",
    "ribbon", "saddle", "silver", "timber", "umber", "velvet", "willow", "woolen", "zephyr",
];

/// `SplitMix64`, by Steele, Lea and Flood (2014): small, and the same wherever it is written down.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// So many words, each from five other bits of one number.
    fn words(&mut self, count: u32) -> String {
        let mut bits = self.next();
        let mut words = String::with_capacity(64);
        for _ in 0..count {
            if !words.is_empty() {
                words.push(' ');
            }
            words.push_str(WORDS[usize::from(bits.to_le_bytes()[0] & 31)]);
            bits >>= 5;
        }
        words
    }
}

/// The listing of a seed.
#[must_use]
pub fn listing(seed: u32) -> Listing {
    let mut random = Random(u64::from(seed));
    let item = |id| Item {
        id,
        name: random.words(2),
        about: random.words(8),
        // Four digits and one bit of the same number.
        cents: 1000 + u32::from(random.next().to_le_bytes()[0]) * 35,
        stocked: random.next() & 1 == 1,
    };
    Listing {
        items: (0..ITEMS).map(item).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_has_20_kib_and_is_its_seeds() {
        for seed in [0, 1, u32::MAX] {
            let bytes = serde_json::to_vec(&listing(seed)).unwrap().len();
            assert!((19_000..22_000).contains(&bytes), "{bytes}");
            assert_eq!(listing(seed), listing(seed));
        }
        assert_ne!(listing(1), listing(2));
        // The prover makes the same ones, from code of its own.
        let first = serde_json::to_value(listing(7)).unwrap()["items"][0].clone();
        let expected = serde_json::json!({
            "id": 0, "name": "ribbon kettle", "about": "velvet linen silver saddle candle timber zephyr timber", "cents": 1070,
            "stocked": true
        });
        assert_eq!(first, expected);
    }
}
