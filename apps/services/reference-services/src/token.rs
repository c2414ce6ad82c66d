//! A JSON Web Token (RFC 7519) signed by HMAC with SHA-256.

use hyper::{HeaderMap, StatusCode, header::AUTHORIZATION};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode};
use serde::{Deserialize, Serialize};

use crate::exchange::Refusal;

/// The key of the signatures. In a repository it is no secret, and it protects nothing here.
const SECRET: &[u8] = b"what stands in a repository is no secret";

/// What a token says, as it is answered.
#[derive(Deserialize, Serialize)]
pub struct Claims {
    sub: String,
    role: String,
    exp: u64,
}

/// Checks tokens.
pub struct Checker {
    key: DecodingKey,
    validation: Validation,
}

impl Checker {
    pub fn new() -> Self {
        let mut validation = Validation::new(Algorithm::HS256);
        validation.leeway = 0;
        Self {
            key: DecodingKey::from_secret(SECRET),
            validation,
        }
    }

    pub fn claims(&self, headers: &HeaderMap) -> Result<Claims, Refusal> {
        let refusal = |reason| Refusal::new(StatusCode::UNAUTHORIZED, reason);
        let value = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let token = value.and_then(|value| value.strip_prefix("Bearer "));
        let token = token.ok_or_else(|| refusal("want a bearer token"))?;
        let token = decode(token, &self.key, &self.validation);
        token
            .map(|token| token.claims)
            .map_err(|_| refusal("this token is not valid"))
    }
}
