//! The contract's messages with the schema that Dropshot requires of all that it reads and writes, for the API's description.

use contract::{CpuQuery, Fibonacci, HeavyItem, Hello, Payload, Ram};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Number(#[schemars(with = "schemas::CpuQuery")] pub CpuQuery);

#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Greeting(#[schemars(with = "schemas::Hello")] pub Hello);

#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Greetings(#[schemars(with = "Vec<schemas::Hello>")] pub Vec<HeavyItem>);

#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Computed(#[schemars(with = "schemas::Fibonacci")] pub Fibonacci);

#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Filled(#[schemars(with = "schemas::Ram")] pub Ram);

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Text(#[schemars(with = "schemas::Payload")] pub Payload);

/// What the contract's types would say of themselves. Only their descriptions are made.
#[expect(dead_code, reason = "only a schema is derived from each")]
mod schemas {
    use schemars::JsonSchema;

    #[derive(JsonSchema)]
    pub struct CpuQuery {
        n: Option<u32>,
    }

    #[derive(JsonSchema)]
    pub struct Hello {
        message: String,
        id: String,
        timestamp: String,
    }

    #[derive(JsonSchema)]
    pub struct Fibonacci {
        n: u32,
        result: u64,
    }

    #[derive(JsonSchema)]
    pub struct Ram {
        bytes: usize,
        checksum: u64,
    }

    #[derive(JsonSchema)]
    pub struct Payload {
        payload: String,
    }
}
