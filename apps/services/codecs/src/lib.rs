//! JSON by one library or another. A framework's own extractor reads and writes by `serde_json` and offers no other, so a service that
//! wants one takes the body as bytes and answers bytes; what it calls meanwhile is here. `SerdeJson` is there to tell the two apart: what
//! a server gains by the other way, it gains with the same library too.

use std::fmt::{Debug, Display};

use serde::{Serialize, de::DeserializeOwned};

/// A library that reads and writes JSON.
pub trait Codec: 'static {
    /// Why a text is not read, or a value not written.
    type Error: Debug + Display + 'static;

    /// The value that `body` says. It is made an `M`, which may be written to, only for a library that works in place.
    fn read<T, M>(body: impl AsRef<[u8]> + Into<M>) -> Result<T, Self::Error>
    where
        T: DeserializeOwned,
        M: AsMut<[u8]>;

    /// The text of `value`.
    fn write(value: &impl Serialize) -> Result<Vec<u8>, Self::Error>;
}

/// The library of the frameworks' own extractors.
pub struct SerdeJson;

/// sonic-rs, which chooses its instructions when it is compiled: here those that every `x86_64` has.
pub struct SonicRs;

/// simd-json, which chooses its instructions when it runs.
pub struct SimdJson;

impl Codec for SerdeJson {
    type Error = serde_json::Error;

    fn read<T: DeserializeOwned, M: AsMut<[u8]>>(body: impl AsRef<[u8]> + Into<M>) -> Result<T, Self::Error> {
        serde_json::from_slice(body.as_ref())
    }

    fn write(value: &impl Serialize) -> Result<Vec<u8>, Self::Error> {
        serde_json::to_vec(value)
    }
}

impl Codec for SonicRs {
    type Error = sonic_rs::Error;

    fn read<T: DeserializeOwned, M: AsMut<[u8]>>(body: impl AsRef<[u8]> + Into<M>) -> Result<T, Self::Error> {
        sonic_rs::from_slice(body.as_ref())
    }

    fn write(value: &impl Serialize) -> Result<Vec<u8>, Self::Error> {
        sonic_rs::to_vec(value)
    }
}

impl Codec for SimdJson {
    type Error = simd_json::Error;

    fn read<T: DeserializeOwned, M: AsMut<[u8]>>(body: impl AsRef<[u8]> + Into<M>) -> Result<T, Self::Error> {
        // It unescapes strings where they stand. Bytes that nobody else holds become an `M` as they are; shared ones, which a
        // framework that read body and head into one buffer hands over, are copied.
        let mut body: M = body.into();
        simd_json::from_slice(body.as_mut())
    }

    fn write(value: &impl Serialize) -> Result<Vec<u8>, Self::Error> {
        simd_json::to_vec(value)
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq, Serialize)]
    struct Thing {
        name: String,
        score: f64,
        tags: Vec<u64>,
        note: Option<String>,
    }

    fn read<C: Codec>(text: &str) -> Result<Thing, C::Error> {
        C::read::<_, Vec<u8>>(text.as_bytes())
    }

    fn keeps_its_word<C: Codec>() {
        let text = r#" {"more": [1, {}], "name": "\u00e9\n", "score": -1.5e2, "tags": [0, 18446744073709551615], "note": null} "#;
        let thing = read::<C>(text).unwrap();
        let written = String::from_utf8(C::write(&thing).unwrap()).unwrap();
        assert_eq!(
            written,
            "{\"name\":\"\u{e9}\\n\",\"score\":-150.0,\"tags\":[0,18446744073709551615],\"note\":null}"
        );
        assert_eq!(read::<C>(&written).unwrap(), thing);
        for wrong in [
            "",
            "{}",
            "[]",
            "{\"name\":",
            &format!("{written}x"),
            &written.replace('\u{e9}', "\n"),
        ] {
            assert!(read::<C>(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn all_read_and_write_the_same() {
        keeps_its_word::<SerdeJson>();
        keeps_its_word::<SonicRs>();
        keeps_its_word::<SimdJson>();
    }
}
