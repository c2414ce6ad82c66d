//! A form with a file, as `POST /upload` takes it (RFC 7578).

use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use super::letters;
use model::store::sha256;

/// Size of the file in a load, in bytes.
pub const FILE_BYTES: usize = 1 << 20;
/// What stands between the parts. Letters of files are lowercase, so that it is in none.
const BOUNDARY: &str = "----------------BENCH0123456789";
/// The type of its bodies.
pub const CONTENT_TYPE: &str = "multipart/form-data; boundary=----------------BENCH0123456789";

/// The fields of a form, in the order in which they are sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form(Vec<(&'static str, String)>);

impl Form {
    /// One with a file of this many letters, and a text after it.
    pub fn with_file(bytes: usize, rng: &mut ChaCha8Rng) -> Self {
        Self(vec![
            ("title", letters(rng, 20)),
            ("file", letters(rng, bytes)),
            ("note", letters(rng, 40)),
        ])
    }

    /// The same in the opposite order.
    pub fn reversed(mut self) -> Self {
        self.0.reverse();
        self
    }

    /// The same without a field.
    pub fn without(mut self, name: &str) -> Self {
        self.0.retain(|(field, _)| *field != name);
        self
    }

    /// With this file.
    pub fn with(mut self, file: &str) -> Self {
        for (_, value) in self.0.iter_mut().filter(|(name, _)| *name == "file") {
            file.clone_into(value);
        }
        self
    }

    /// As a body.
    pub fn body(&self) -> String {
        let part = |(name, value): &(&str, String)| {
            let file = if *name == "file" {
                "; filename=\"file.txt\"\r\nContent-Type: application/octet-stream"
            } else {
                ""
            };
            format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n{value}\r\n")
        };
        let parts: String = self.0.iter().map(part).collect();
        format!("{parts}--{BOUNDARY}--\r\n")
    }

    /// What a server answers.
    pub fn receipt(&self) -> Value {
        let fields: std::collections::BTreeMap<_, _> = self.0.iter().map(|(name, value)| (*name, value)).collect();
        let value = |name| fields.get(name).map(|value| value.as_str());
        let file = value("file").unwrap_or_default();
        json!({ "title": value("title"), "note": value("note"), "bytes": file.len(), "sha256": sha256([file.as_bytes()]) })
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    #[test]
    fn a_receipt_is_of_the_fields_that_are_there() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let form = Form::with_file(100, &mut rng);
        assert_eq!(form.receipt()["bytes"], 100);
        let odd = form.with("\r\n--almost\r\n\r\n").reversed();
        assert_eq!(odd.clone().without("note").receipt()["note"], Value::Null);
        // The example of FIPS 180-2, appendix B.1.
        let hash = odd.with("abc").receipt()["sha256"].clone();
        assert_eq!(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
