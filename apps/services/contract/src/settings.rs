//! How a server is told how many routes and layers to have: by its environment, beside what every server is told.

use std::{env, ffi::OsString};

use contract::Supports;

/// Where a server listens, and how much it registers.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Settings {
    /// What every server is told.
    pub server: contract::Settings,
    /// `ROUTES`: how many routes of [`crate::routes`] it registers; 1 if it is not set.
    pub routes: u32,
    /// `LAYERS`: how many layers of middleware stand before `GET /middleware`; none if it is not set.
    pub layers: u32,
}

const MOST_ROUTES: u32 = 10_000;
const MOST_LAYERS: u32 = 100;

#[derive(Debug, thiserror::Error)]
#[error("{name} is {value:?}: want a whole number from {least} to {most}")]
struct SettingsError {
    name: &'static str,
    value: OsString,
    least: u32,
    most: u32,
}

/// The settings, or the end of the process. These servers speak HTTP/1.1 in cleartext.
#[must_use]
pub fn settings_or_exit() -> Settings {
    let server = contract::settings_or_exit(Supports::HTTP1_CLEARTEXT);
    from_lookup(server, env::var_os).unwrap_or_else(|error| contract::cannot_start(error))
}

fn from_lookup(
    server: contract::Settings,
    lookup: impl Fn(&'static str) -> Option<OsString>,
) -> Result<Settings, SettingsError> {
    let number = |name, usual, least, most| {
        let Some(value) = lookup(name) else { return Ok(usual) };
        let number = value.to_str().and_then(|text| text.parse().ok());
        number
            .filter(|number| (least..=most).contains(number))
            .ok_or(SettingsError {
                name,
                value,
                least,
                most,
            })
    };
    Ok(Settings {
        server,
        routes: number("ROUTES", 1, 1, MOST_ROUTES)?,
        layers: number("LAYERS", 0, 0, MOST_LAYERS)?,
    })
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use contract::Http;

    use super::*;

    fn read(environment: &[(&str, &str)]) -> Result<(u32, u32), String> {
        let server = contract::Settings {
            addr: ([127, 0, 0, 1], 8080).into(),
            workers: NonZero::<usize>::MIN,
            http: Http::One,
            tls: None,
        };
        let lookup = |variable| {
            let found = environment.iter().find(|(name, _)| *name == variable);
            found.map(|(_, value)| value.into())
        };
        let settings = from_lookup(server, lookup).map_err(|error| error.to_string())?;
        Ok((settings.routes, settings.layers))
    }

    #[test]
    fn each_setting_is_followed() {
        assert_eq!(read(&[]), Ok((1, 0)));
        assert_eq!(read(&[("ROUTES", "1000"), ("LAYERS", "20")]), Ok((1000, 20)));
    }

    #[test]
    fn what_cannot_be_followed_is_named() {
        for wrong in ["", "0", "-1", "many", "10001"] {
            let told = format!("ROUTES is {wrong:?}: want a whole number from 1 to 10000");
            assert_eq!(read(&[("ROUTES", wrong)]), Err(told));
        }
        assert_eq!(
            read(&[("LAYERS", "101")]).unwrap_err(),
            "LAYERS is \"101\": want a whole number from 0 to 100"
        );
    }
}
