//! The token that `GET /auth` requires: a JSON Web Token (RFC 7519) signed by HMAC with SHA-256.

use std::sync::LazyLock;

use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::{Deserialize, Serialize};

/// The key of the signatures. In a repository it is no secret, and it protects nothing here.
const SECRET: &[u8] = b"what stands in a repository is no secret";

static KEY: LazyLock<DecodingKey> = LazyLock::new(|| DecodingKey::from_secret(SECRET));
/// One algorithm only, so that a token cannot choose a weaker one; and its end, without leeway.
static VALIDATION: LazyLock<Validation> = LazyLock::new(|| {
    let mut validation = Validation::new(Algorithm::HS256);
    validation.leeway = 0;
    validation
});

/// What a token says, as it is answered.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Claims {
    /// The user.
    pub sub: String,
    /// What that user may do.
    pub role: String,
    /// Until when the token is valid, in seconds since 1970.
    pub exp: u64,
}

/// Why a request is not served; the text is the answer's body, with status 401.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Unauthorized {
    /// There is no `Authorization: Bearer`.
    #[error("want a bearer token")]
    Missing,
    /// The token is not valid: forged, expired or no token at all.
    #[error("this token is not valid")]
    Invalid,
}

/// The claims of the value of a header `Authorization`.
pub fn claims(authorization: Option<&str>) -> Result<Claims, Unauthorized> {
    let token = authorization
        .and_then(|value| value.strip_prefix("Bearer "))
        .ok_or(Unauthorized::Missing)?;
    let token = jsonwebtoken::decode(token, &KEY, &VALIDATION);
    token.map(|token| token.claims).map_err(|_| Unauthorized::Invalid)
}

#[cfg(test)]
mod tests {
    use jsonwebtoken::{EncodingKey, Header, encode, get_current_timestamp};

    use super::*;

    fn token(header: &Header, exp: u64, secret: &[u8]) -> String {
        let claims = Claims {
            sub: "ada".into(),
            role: "admin".into(),
            exp,
        };
        format!(
            "Bearer {}",
            encode(header, &claims, &EncodingKey::from_secret(secret)).unwrap()
        )
    }

    #[test]
    fn only_a_token_of_ours_that_has_not_ended_is_valid() {
        let later = get_current_timestamp() + 60;
        let valid = token(&Header::default(), later, SECRET);
        assert_eq!(claims(Some(&valid)).unwrap().sub, "ada");
        let (ended, weaker) = (get_current_timestamp() - 1, Header::new(Algorithm::HS512));
        for (wrong, reason) in [
            (None, Unauthorized::Missing),
            (Some("Basic YTpi"), Unauthorized::Missing),
            (Some("Bearer "), Unauthorized::Invalid),
            (Some(&*token(&Header::default(), ended, SECRET)), Unauthorized::Invalid),
            (
                Some(&*token(&Header::default(), later, b"another")),
                Unauthorized::Invalid,
            ),
            (Some(&*token(&weaker, later, SECRET)), Unauthorized::Invalid),
            // {"alg":"none"}
            (
                Some("Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIiwicm9sZSI6ImIiLCJleHAiOjk5OTk5OTk5OTl9."),
                Unauthorized::Invalid,
            ),
        ] {
            assert_eq!(claims(wrong), Err(reason), "{wrong:?}");
        }
    }
}
