//! Where GitHub is and who we are there, from the environment: checked once, so that the token is never sent in the clear and
//! never printed.

use std::fmt;

use ureq::http::Uri;

use super::client::GithubError;
use super::wait::Patience;

/// Where the API is, unless `GITHUB_API_URL` says something else.
const API: &str = "https://api.github.com";

/// How to reach GitHub.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Address, without a `/` at its end.
    pub(super) api: String,
    pub(super) is_local: bool,
    pub(super) token: Token,
    /// How long is waited, and how often tried.
    pub patience: Patience,
}

/// Never printed.
#[derive(Clone)]
pub(super) struct Token(String);

impl Token {
    /// For the header that it is sent in.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(a token)")
    }
}

impl Settings {
    /// `GITHUB_TOKEN` and `GITHUB_API_URL`.
    pub fn from_environment() -> Result<Self, GithubError> {
        let token = std::env::var_os("GITHUB_TOKEN").unwrap_or_default();
        let token = token.to_str().ok_or(GithubError::Token("is not ASCII"))?;
        let api = match std::env::var_os("GITHUB_API_URL") {
            Some(url) if !url.is_empty() => url.into_string().map_err(|_| GithubError::Address)?,
            _ => API.to_owned(),
        };
        Self::new(&api, token)
    }

    /// An API at this address, with this token.
    pub fn new(api: &str, token: &str) -> Result<Self, GithubError> {
        if token.is_empty() {
            return Err(GithubError::Token("is not set"));
        }
        if !token.chars().all(|c| c.is_ascii_graphic()) {
            return Err(GithubError::Token("holds a space or something else that no token has"));
        }
        let uri: Uri = api.parse().map_err(|_| GithubError::Address)?;
        let authority = uri.authority().ok_or(GithubError::Address)?;
        let is_local = matches!(authority.host(), "127.0.0.1" | "[::1]" | "localhost");
        let is_safe = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => is_local,
            _ => false,
        };
        if !is_safe || authority.as_str().contains('@') || uri.query().is_some() {
            return Err(GithubError::Address);
        }
        Ok(Self {
            api: api.trim_end_matches('/').to_owned(),
            is_local,
            token: Token(token.to_owned()),
            patience: Patience::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::github::Client;

    #[test]
    fn the_token_is_shown_to_nobody() {
        let settings = Settings::new("https://api.github.com/", "ghs_secret").unwrap();
        assert_eq!(settings.api, API);
        assert!(!format!("{settings:?} {:?}", Client::new(settings.clone())).contains("secret"));
        for safe in [
            "http://127.0.0.1:8080",
            "http://[::1]:1",
            "http://localhost:1/api/v3",
            "https://ghe.example/api/v3",
        ] {
            assert!(Settings::new(safe, "x").is_ok(), "{safe}");
        }
        for unsafe_address in [
            "http://api.github.com",
            "http://127.0.0.1.example.org",
            "http://127.0.0.1@example.org",
            "https://user:password@example.org",
            "ftp://localhost",
            "api.github.com",
            "https://example.org/?x=",
            "",
        ] {
            let refused = Settings::new(unsafe_address, "x");
            assert!(matches!(refused, Err(GithubError::Address)), "{unsafe_address}");
        }
        for token in ["", "two words", "line\nend", "ä"] {
            let error = Settings::new(API, token).unwrap_err().to_string();
            assert!(
                error.starts_with("GITHUB_TOKEN ") && error.contains("${{ github.token }}"),
                "{error}"
            );
        }
    }
}
