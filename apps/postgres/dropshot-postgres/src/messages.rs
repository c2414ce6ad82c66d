//! What is read of a path and a query, with the schema that Dropshot requires of it for the API's description.

use postgres_contract::CountQuery;
use schemars::JsonSchema;
use serde::Deserialize;

/// Parameters are registered one by one: the schema of a query must name each of them.
#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Number(#[schemars(with = "NumberSchema")] pub CountQuery);

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only a schema is derived from it")]
struct NumberSchema {
    n: Option<u16>,
}

/// The number that the path of an order ends in.
#[derive(Deserialize, JsonSchema)]
pub struct OrderPath {
    pub id: i32,
}
