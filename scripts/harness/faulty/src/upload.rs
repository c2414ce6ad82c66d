//! A form with a file.

use std::fmt::Write as _;

use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::http::{Request, Response};
use crate::services::{Fault, Services};

/// Largest form that is taken.
pub const LARGEST: usize = 4 << 20;

pub fn receipt(server: &Services, request: &Request) -> Response {
    let Some(boundary) = request
        .field("content-type")
        .strip_prefix("multipart/form-data; boundary=")
    else {
        return Response::text(415, "no form");
    };
    let text = String::from_utf8_lossy(&request.body);
    let field = |name: &str| {
        let separator = format!("--{boundary}\r\n");
        let mut parts = text.split(&separator);
        let part = parts.find(|part| part.contains(&format!("name=\"{name}\"")))?;
        let value = part.split_once("\r\n\r\n")?.1;
        let value = value.strip_suffix(&format!("--{boundary}--\r\n")).unwrap_or(value);
        value.strip_suffix("\r\n").map(str::to_owned)
    };
    let (Some(title), Some(note), Some(file)) = (field("title"), field("note"), field("file")) else {
        return Response::text(400, "something is missing");
    };
    let hashed = if server.fault == Fault::Careless { "" } else { &*file };
    let hash = Sha256::digest(hashed).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}"); // a String takes everything
        text
    });
    let receipt = json!({ "title": title, "note": note, "bytes": file.len(), "sha256": hash });
    Response::json(&server.kept(&server.first_receipt, receipt))
}
