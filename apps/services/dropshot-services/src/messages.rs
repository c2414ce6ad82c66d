//! The contract's messages with the schema that Dropshot requires of all that it reads and writes, for the API's description.

use dropshot::{ErrorStatusCode, HttpError, HttpResponseError};
use schemars::{JsonSchema, r#gen::SchemaGenerator, schema::Schema};
use serde::{Deserialize, Serialize};
use services_contract::WrongFields;

/// Described as whatever is JSON: the contract keeps the fields of its types to itself.
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

/// The number that a path ends in.
#[derive(Deserialize, JsonSchema)]
pub struct Seed {
    pub seed: u32,
}

/// What stands at the end of a path.
#[derive(Deserialize, JsonSchema)]
pub struct Thing {
    pub id: String,
}

#[derive(Deserialize, JsonSchema)]
pub struct Authorization {
    pub authorization: Option<String>,
}

/// Why an order has no total, as in the example `custom-error`: what extractors refuse becomes one of these, too.
#[derive(Serialize, JsonSchema, thiserror::Error, Debug)]
#[serde(untagged)]
pub enum Refusal {
    #[error("fields are wrong")]
    Fields(#[schemars(with = "Vec<String>")] WrongFields),
    #[error("{message}")]
    Other {
        message: String,
        #[serde(skip)]
        status: ErrorStatusCode,
    },
}

impl HttpResponseError for Refusal {
    fn status_code(&self) -> ErrorStatusCode {
        match self {
            Self::Fields(_) => ErrorStatusCode::UNPROCESSABLE_ENTITY,
            Self::Other { status, .. } => *status,
        }
    }
}

impl From<HttpError> for Refusal {
    fn from(error: HttpError) -> Self {
        Self::Other {
            message: error.external_message,
            status: error.status_code,
        }
    }
}
