//! The settings of a server with a database, from its environment: every server's, and which database to use.

use std::{env, ffi::OsString, num::NonZero};

use contract::Supports;

/// Where a server listens, and what is behind it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Settings {
    /// Every server's settings.
    pub server: contract::Settings,
    /// `DATABASE_URL`: `postgres://user:password@host:port/database`.
    pub url: String,
    /// `DATABASE_CONNECTIONS`: how many connections to the database the whole server keeps; one for each worker if it is not set.
    pub connections: NonZero<usize>,
}

/// Far above what a database allows.
const MOST_CONNECTIONS: usize = 10_000;

#[derive(Debug, thiserror::Error)]
enum SettingsError {
    #[error("DATABASE_URL is not set: want postgres://user:password@host:port/database")]
    NoUrl,
    #[error("DATABASE_URL is {0:?}: want postgres://user:password@host:port/database")]
    Url(OsString),
    #[error("DATABASE_CONNECTIONS is {0:?}: want a whole number from 1 to {MOST_CONNECTIONS}")]
    Connections(OsString),
}

/// The settings, or the end of the process. A server with a database speaks HTTP/1.1 in cleartext.
#[must_use]
pub fn settings_or_exit() -> Settings {
    let server = contract::settings_or_exit(Supports::HTTP1_CLEARTEXT);
    from_lookup(server, env::var_os).unwrap_or_else(|error| contract::cannot_start(error))
}

fn from_lookup(
    server: contract::Settings,
    lookup: impl Fn(&'static str) -> Option<OsString>,
) -> Result<Settings, SettingsError> {
    let url = lookup("DATABASE_URL").ok_or(SettingsError::NoUrl)?;
    let url = url.into_string().map_err(SettingsError::Url)?;
    if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
        return Err(SettingsError::Url(url.into()));
    }
    let connections = lookup("DATABASE_CONNECTIONS").map_or(Ok(server.workers), connections)?;
    Ok(Settings {
        server,
        url,
        connections,
    })
}

fn connections(value: OsString) -> Result<NonZero<usize>, SettingsError> {
    let number = value.to_str().and_then(|text| text.parse().ok());
    number
        .filter(|number: &NonZero<usize>| number.get() <= MOST_CONNECTIONS)
        .ok_or(SettingsError::Connections(value))
}

#[cfg(test)]
mod tests {
    use contract::Http;

    use super::*;

    fn read(environment: &[(&str, &str)]) -> Result<Settings, String> {
        let server = contract::Settings {
            addr: ([127, 0, 0, 1], 8080).into(),
            workers: NonZero::new(3).unwrap(),
            http: Http::One,
            tls: None,
        };
        let lookup = |variable| {
            let found = environment.iter().find(|(name, _)| *name == variable);
            found.map(|(_, value)| value.into())
        };
        from_lookup(server, lookup).map_err(|error| error.to_string())
    }

    #[test]
    fn each_setting_is_followed() {
        let settings = read(&[("DATABASE_URL", "postgres://a@b/c"), ("DATABASE_CONNECTIONS", "8")]).unwrap();
        assert_eq!(
            (settings.url.as_str(), settings.connections.get()),
            ("postgres://a@b/c", 8)
        );
        let settings = read(&[("DATABASE_URL", "postgresql://a@b/c")]).unwrap();
        assert_eq!(settings.connections.get(), 3, "one for each worker");
    }

    #[test]
    fn what_cannot_be_followed_is_named() {
        let refused = |environment: &[(&str, &str)]| read(environment).unwrap_err();
        assert!(refused(&[]).starts_with("DATABASE_URL is not set: want postgres://"));
        assert!(refused(&[("DATABASE_URL", "mysql://a")]).starts_with("DATABASE_URL is \"mysql://a\": want"));
        for wrong in ["", "0", "-1", "many", "10001"] {
            let error = refused(&[("DATABASE_URL", "postgres://a@b/c"), ("DATABASE_CONNECTIONS", wrong)]);
            assert_eq!(
                error,
                format!("DATABASE_CONNECTIONS is {wrong:?}: want a whole number from 1 to 10000")
            );
        }
    }
}
