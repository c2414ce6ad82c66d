//! A form with a file, hashed as it comes in.

use http_body_util::BodyExt;
use hyper::{HeaderMap, StatusCode, body::Incoming, header::CONTENT_TYPE};
use multer::{Constraints, Error, Field, Multipart, SizeLimit};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::exchange::Refusal;

/// The largest form, in bytes.
const MAX_UPLOAD_BYTES: u64 = 4 * 1024 * 1024;

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// What is answered.
#[derive(Serialize)]
pub struct Receipt {
    title: String,
    note: String,
    bytes: u64,
    sha256: String,
}

#[derive(Default)]
struct Parts {
    title: Option<String>,
    note: Option<String>,
    file: Option<(u64, Sha256)>,
}

/// Reads a form. The body that is left of a refused one is read by nobody: the connection ends with the answer.
pub async fn receive(headers: &HeaderMap, body: Incoming) -> Result<Receipt, Refusal> {
    let declared = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let boundary = multer::parse_boundary(declared.unwrap_or_default())
        .map_err(|error| Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, error))?;
    let limits = Constraints::new().size_limit(SizeLimit::new().whole_stream(MAX_UPLOAD_BYTES));
    let mut form = Multipart::with_constraints(body.into_data_stream(), boundary, limits);
    let mut parts = Parts::default();
    while let Some(field) = form.next_field().await.map_err(refusal)? {
        parts.take(field).await.map_err(refusal)?;
    }
    parts
        .receipt()
        .ok_or_else(|| Refusal::new(StatusCode::BAD_REQUEST, "want the fields title, note and file"))
}

fn refusal(error: Error) -> Refusal {
    let status = match error {
        Error::StreamSizeExceeded { .. } => StatusCode::PAYLOAD_TOO_LARGE,
        _ => StatusCode::BAD_REQUEST,
    };
    Refusal::new(status, error)
}

impl Parts {
    async fn take(&mut self, mut field: Field<'_>) -> Result<(), Error> {
        match field.name() {
            Some("title") => self.title = Some(field.text().await?),
            Some("note") => self.note = Some(field.text().await?),
            Some("file") => {
                let (bytes, hash) = self.file.get_or_insert_default();
                while let Some(chunk) = field.chunk().await? {
                    *bytes += chunk.len() as u64;
                    hash.update(&chunk);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn receipt(self) -> Option<Receipt> {
        let (bytes, hash) = self.file?;
        let digit = |four: u8| char::from(DIGITS[usize::from(four)]);
        let digits = hash
            .finalize()
            .into_iter()
            .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]);
        Some(Receipt {
            title: self.title?,
            note: self.note?,
            bytes,
            sha256: digits.collect(),
        })
    }
}
