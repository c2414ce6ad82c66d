//! What `POST /upload` says of the file that it got.

use serde::Serialize;
use sha2::{Digest, Sha256};

/// The largest upload that a server takes, in bytes; a larger one is answered with 413. Files have 1 MiB.
pub const MAX_UPLOAD_BYTES: usize = 4 * 1024 * 1024;

/// A form with a file: its texts as they came, and what is known of the file.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Receipt {
    /// The field `title`.
    pub title: String,
    /// The field `note`, which may come after the file.
    pub note: String,
    /// Length of the field `file`.
    pub bytes: u64,
    /// Its SHA-256, in lowercase hexadecimal digits.
    pub sha256: String,
}

/// The parts of a form, as they come in.
#[derive(Clone, Debug, Default)]
pub struct Upload {
    title: Option<String>,
    note: Option<String>,
    file: Option<File>,
}

#[derive(Clone, Debug, Default)]
struct File {
    bytes: u64,
    hash: Sha256,
}

/// The form lacks this field; the text is the answer's body, with status 400.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the form has no field {0}")]
pub struct Missing(&'static str);

impl Upload {
    /// The field `name` has this text. Names that are not of the form are passed over.
    pub fn text(&mut self, name: &str, text: String) {
        match name {
            "title" => self.title = Some(text),
            "note" => self.note = Some(text),
            _ => {}
        }
    }

    /// The next bytes of the field `file`.
    pub fn bytes(&mut self, bytes: &[u8]) {
        let file = self.file.get_or_insert_default();
        file.bytes += bytes.len() as u64;
        file.hash.update(bytes);
    }

    /// What is answered, if nothing is missing.
    pub fn receipt(self) -> Result<Receipt, Missing> {
        let file = self.file.ok_or(Missing("file"))?;
        Ok(Receipt {
            title: self.title.ok_or(Missing("title"))?,
            note: self.note.ok_or(Missing("note"))?,
            bytes: file.bytes,
            sha256: hexadecimal(&file.hash.finalize()),
        })
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |index: u8| char::from(DIGITS[usize::from(index)]);
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_wants_all_fields() {
        let mut upload = Upload::default();
        upload.bytes(b"ab");
        upload.text("title", "a title".into());
        upload.text("more", "passed over".into());
        assert_eq!(upload.clone().receipt(), Err(Missing("note")));
        upload.text("note", String::new());
        upload.bytes(b"c");
        // The example of FIPS 180-2, appendix B.1.
        assert_eq!(
            upload.receipt(),
            Ok(Receipt {
                title: "a title".into(),
                note: String::new(),
                bytes: 3,
                sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad".into(),
            })
        );
        assert_eq!(Upload::default().receipt(), Err(Missing("file")));
    }
}
