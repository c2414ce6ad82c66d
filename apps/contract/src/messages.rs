//! The JSON that goes over the wire.

use jiff::Timestamp;
use serde::{Deserialize, Serialize, Serializer};
use uuid::{Builder, Uuid};

use crate::GREETING;

/// A random UUID (version 4), written in JSON as the crate uuid writes its own.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Id(Uuid);

impl Id {
    /// A new one. Not by uuid's feature `v4`, which frameworks would have with it.
    fn random() -> Self {
        Self(Builder::from_random_bytes(rand::random()).into_uuid())
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.as_hyphenated().encode_lower(&mut Uuid::encode_buffer()))
    }
}

/// The answer of `GET /hello`.
#[derive(Debug, Serialize)]
pub struct Hello {
    pub message: &'static str,
    pub id: Id,
    /// RFC 3339, in UTC.
    pub timestamp: Timestamp,
}

impl Hello {
    /// One with a new id and the time of now.
    #[must_use]
    pub fn new() -> Self {
        Self {
            message: GREETING,
            id: Id::random(),
            timestamp: Timestamp::now(),
        }
    }
}

impl Default for Hello {
    fn default() -> Self {
        Self::new()
    }
}

/// How many items `GET /heavy` answers with.
pub const HEAVY_ITEMS: usize = 10_000;

/// One item of the answer of `GET /heavy`.
#[derive(Debug, Serialize)]
pub struct HeavyItem {
    pub message: String,
    pub id: Id,
    /// RFC 3339, in UTC.
    pub timestamp: Timestamp,
}

/// All items of `GET /heavy`, numbered from 0. Each call makes new ones: nothing of them may be kept, because
/// the making and sending of a large answer is what is measured.
#[must_use]
pub fn heavy() -> Vec<HeavyItem> {
    (0..HEAVY_ITEMS)
        .map(|number| HeavyItem {
            message: format!("Heavy response item {number}"),
            id: Id::random(),
            timestamp: Timestamp::now(),
        })
        .collect()
}

/// What `POST /test/…` takes and answers.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Payload {
    pub payload: String,
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::Value;

    use super::*;

    #[test]
    fn hello_has_the_three_fields_in_their_order() {
        let json = serde_json::to_string(&Hello::new()).unwrap();
        let order: Vec<usize> = ["message", "id", "timestamp"]
            .iter()
            .map(|key| json.find(key).unwrap())
            .collect();
        assert!(order.is_sorted(), "{json}");
        let value: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value["message"], "Hello, World!");
        assert_eq!(value.as_object().unwrap().len(), 3);
    }

    #[test]
    fn ids_are_random_and_never_repeat() {
        let (one, other) = (Hello::new(), Hello::new());
        assert_eq!(one.id.0.get_version_num(), 4);
        assert_eq!(serde_json::to_value(one.id).unwrap(), one.id.0.to_string());
        assert_ne!(one.id, other.id);
        let ids: HashSet<Id> = heavy().into_iter().map(|item| item.id).collect();
        assert_eq!(ids.len(), HEAVY_ITEMS);
    }

    #[test]
    fn timestamps_are_rfc_3339_in_utc() {
        let json = serde_json::to_value(Hello::new()).unwrap();
        let text = json["timestamp"].as_str().unwrap();
        assert_eq!(
            (&text[4..5], &text[10..11], &text[text.len() - 1..]),
            ("-", "T", "Z"),
            "{text}"
        );
        let age = Timestamp::now().duration_since(text.parse().unwrap());
        assert!(age.as_secs() < 60, "{text}");
    }

    #[test]
    fn heavy_is_numbered_and_of_the_documented_size() {
        let items = heavy();
        assert_eq!(items[0].message, "Heavy response item 0");
        assert_eq!(items[9_999].message, "Heavy response item 9999");
        let megabytes = serde_json::to_vec(&items).unwrap().len() as f64 / 1e6;
        assert!((1.24..1.30).contains(&megabytes), "{megabytes} MB");
    }

    #[test]
    fn a_payload_is_one_string() {
        assert_eq!(
            serde_json::from_str::<Payload>(r#"{"payload":"world"}"#)
                .unwrap()
                .payload,
            "world"
        );
        for wrong in [
            "",
            "{}",
            r#"{"payload":1}"#,
            r#"{"payload":null}"#,
            r#"{"payload":"cut"#,
        ] {
            assert!(serde_json::from_str::<Payload>(wrong).is_err(), "{wrong}");
        }
    }
}
