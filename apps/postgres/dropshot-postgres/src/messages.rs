//! What is read and written, with the schema that Dropshot requires of it for the API's description.

use postgres_contract::CountQuery;
use schemars::{JsonSchema, r#gen::SchemaGenerator, schema::Schema};
use serde::{Deserialize, Serialize};

/// Described as whatever is JSON, so that the contract's types need to know nothing of schemas.
#[derive(Deserialize, Serialize)]
#[serde(transparent)]
pub struct Message<T>(pub T);

impl<T> JsonSchema for Message<T> {
    fn is_referenceable() -> bool {
        false
    }

    fn schema_name() -> String {
        "Message".to_owned()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        Schema::Bool(true)
    }
}

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
