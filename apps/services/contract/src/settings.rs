//! The settings of a feature server, from its environment: every server's, how many routes and layers to have, and which files.

use std::{env, ffi::OsString, path::PathBuf};

use contract::Supports;

/// Where a server listens, and how much it registers.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Settings {
    /// Every server's settings.
    pub server: contract::Settings,
    /// `ROUTES`: how many routes of [`crate::routes`] it registers; 1 if it is not set.
    pub routes: u32,
    /// `LAYERS`: how many layers of middleware stand before `GET /middleware`, 0, 5 or 20; none if it is not set.
    pub layers: u32,
    /// `FILES`: the folder whose files are served below `/static/`; `files` if it is not set.
    pub files: PathBuf,
}

const MOST_ROUTES: u32 = 10_000;
/// Few numbers, because in many frameworks each layer is another type: then they have to be written out.
const LAYERS: [u32; 3] = [0, 5, 20];

#[derive(Debug, thiserror::Error)]
enum SettingsError {
    #[error("ROUTES is {0:?}: want a whole number from 1 to {MOST_ROUTES}")]
    Routes(OsString),
    #[error("LAYERS is {0:?}: want 0, 5 or 20")]
    Layers(OsString),
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
    let number = |value: &OsString| value.to_str().and_then(|text| text.parse().ok());
    let routes = lookup("ROUTES").map_or(Ok(1), |value| {
        let routes = number(&value).filter(|routes| (1..=MOST_ROUTES).contains(routes));
        routes.ok_or(SettingsError::Routes(value))
    })?;
    let layers = lookup("LAYERS").map_or(Ok(0), |value| {
        let layers = number(&value).filter(|layers| LAYERS.contains(layers));
        layers.ok_or(SettingsError::Layers(value))
    })?;
    let files = lookup("FILES").map_or_else(|| "files".into(), PathBuf::from);
    Ok(Settings {
        server,
        routes,
        layers,
        files,
    })
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use contract::Http;

    use super::*;

    fn read(environment: &[(&str, &str)]) -> Result<(u32, u32, PathBuf), String> {
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
        Ok((settings.routes, settings.layers, settings.files))
    }

    #[test]
    fn each_setting_is_followed() {
        assert_eq!(read(&[]), Ok((1, 0, "files".into())));
        let all = [("ROUTES", "1000"), ("LAYERS", "20"), ("FILES", "/srv/files")];
        assert_eq!(read(&all), Ok((1000, 20, "/srv/files".into())));
    }

    #[test]
    fn what_cannot_be_followed_is_named() {
        for wrong in ["", "0", "-1", "many", "10001"] {
            let expected = format!("ROUTES is {wrong:?}: want a whole number from 1 to 10000");
            assert_eq!(read(&[("ROUTES", wrong)]), Err(expected));
        }
        for wrong in ["", "-1", "1", "21"] {
            assert_eq!(
                read(&[("LAYERS", wrong)]),
                Err(format!("LAYERS is {wrong:?}: want 0, 5 or 20"))
            );
        }
    }
}
