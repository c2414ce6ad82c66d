//! JSON documents of ours: minified, versioned, read strictly.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The text of a document: minified, with a line feed at its end.
pub fn text<T: Serialize>(document: &T) -> String {
    let mut text = serde_json::to_string(document).expect("it has no key that JSON lacks");
    text.push('\n');
    text
}

/// Reads a document of this version; the error says what is wrong in it.
pub fn read<T: DeserializeOwned>(text: &str, version: u32) -> Result<T, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    match value.get("schema_version").and_then(Value::as_u64) {
        Some(found) if found == u64::from(version) => {}
        Some(found) if found > u64::from(version) => {
            return Err(format!(
                "it has schema version {found}, and this program reads version {version}; use the newer bench that wrote it"
            ));
        }
        Some(found) => {
            return Err(format!(
                "it has schema version {found}, and this program reads version {version}"
            ));
        }
        None => return Err("it has no `schema_version`".into()),
    }
    serde_json::from_value(value).map_err(|error| error.to_string())
}
