//! The contract's messages, each with the description of its type that `poem-openapi` reads and writes by.

use contract::Id;
use jiff::Timestamp;
use poem_openapi::{
    Object,
    types::{Any, ParseError, ParseResult},
};
use serde_json::Value;

#[derive(Object)]
pub struct Hello {
    message: String,
    #[oai(deserialize_with = "unread")]
    id: Any<Id>,
    timestamp: Any<Timestamp>,
}

impl From<contract::Hello> for Hello {
    fn from(hello: contract::Hello) -> Self {
        Self {
            message: hello.message.to_owned(),
            id: Any(hello.id),
            timestamp: Any(hello.timestamp),
        }
    }
}

#[derive(Object)]
pub struct HeavyItem {
    message: String,
    #[oai(deserialize_with = "unread")]
    id: Any<Id>,
    timestamp: Any<Timestamp>,
}

impl From<contract::HeavyItem> for HeavyItem {
    fn from(item: contract::HeavyItem) -> Self {
        Self {
            message: item.message,
            id: Any(item.id),
            timestamp: Any(item.timestamp),
        }
    }
}

/// What `poem-openapi` writes, it can also read; the contract's ids are only written.
fn unread(_: Option<Value>) -> ParseResult<Any<Id>> {
    Err(ParseError::custom("only written"))
}

#[derive(Object)]
#[oai(remote = "contract::Fibonacci")]
pub struct Fibonacci {
    n: u32,
    result: u64,
}

#[derive(Object)]
#[oai(remote = "contract::Ram")]
pub struct Ram {
    bytes: usize,
    checksum: u64,
}

#[derive(Object)]
#[oai(remote = "contract::Payload")]
pub struct Payload {
    #[oai(deserialize_with = "text")]
    payload: String,
}

/// By itself, `poem-openapi` takes numbers for texts as well.
fn text(value: Option<Value>) -> ParseResult<String> {
    match value {
        Some(Value::String(text)) => Ok(text),
        other => Err(ParseError::expected_type(other.unwrap_or_default())),
    }
}
