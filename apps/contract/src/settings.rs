//! A server's settings: from its environment, and from nothing else.

use std::{env, ffi::OsString, fs::File, io, net::SocketAddr, num::NonZero, path::PathBuf, thread};

/// Where a server listens, on how many workers, and what it speaks there.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Settings {
    /// `ADDR`.
    pub addr: SocketAddr,
    /// `WORKERS`: how many threads handle requests. By default one for each cpu that the process may run on, which is
    /// what pinning leaves of the machine.
    pub workers: NonZero<usize>,
    /// `HTTP`.
    pub http: Http,
    /// `TLS_CERT` and `TLS_KEY`; without them the server speaks cleartext.
    pub tls: Option<Tls>,
}

/// The version of HTTP that is spoken.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Http {
    #[default]
    One,
    /// By ALPN over TLS, by prior knowledge in cleartext.
    Two,
}

/// Files in PEM format.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Tls {
    pub cert: PathBuf,
    pub key: PathBuf,
}

/// What an app can do; a setting beyond it is an error, for a server that quietly speaks another protocol than the
/// requested one yields a number under a wrong name.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Supports {
    /// HTTP/1.1 over TLS. (In cleartext every app speaks it.)
    pub http1_tls: bool,
    /// HTTP/2 in cleartext, by prior knowledge.
    pub http2: bool,
    /// HTTP/2 over TLS, by ALPN.
    pub http2_tls: bool,
}

impl Supports {
    pub const HTTP1_CLEARTEXT: Self = Self {
        http1_tls: false,
        http2: false,
        http2_tls: false,
    };
    pub const EVERYTHING: Self = Self {
        http1_tls: true,
        http2: true,
        http2_tls: true,
    };
}

/// Why the settings cannot be followed: names the variable, what it holds and what it may hold.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error("ADDR is {0:?}: want an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080")]
    Addr(OsString),
    #[error("WORKERS is {0:?}: want a whole number from 1 to {MAX_WORKERS}")]
    Workers(OsString),
    #[error("HTTP is {0:?}: want 1 or 2")]
    Http(OsString),
    #[error("{set} is set without {missing}: TLS wants both, cleartext neither")]
    HalfTls { set: &'static str, missing: &'static str },
    #[error("{variable} is {path:?}, which cannot be read: {source}")]
    TlsFile {
        variable: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    #[error("HTTP is 2: this app speaks only HTTP/1.1")]
    NoHttp2,
    #[error("HTTP is 2 without TLS_CERT and TLS_KEY: this app speaks HTTP/2 over TLS only")]
    NoHttp2Cleartext,
    #[error("HTTP is 2 with TLS_CERT and TLS_KEY: this app speaks HTTP/2 in cleartext only")]
    NoHttp2Tls,
    #[error("HTTP is 1 with TLS_CERT and TLS_KEY: this app speaks HTTP/1.1 in cleartext only")]
    NoHttp1Tls,
    #[error("TLS_CERT and TLS_KEY are set: this app speaks only cleartext")]
    NoTls,
}

/// Far above any machine: each worker is a thread, and a slip of the keyboard must not end in a thread that cannot be
/// made.
const MAX_WORKERS: usize = 1024;

const DEFAULT_ADDR: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8080);

impl Settings {
    /// Reads the environment of this process.
    pub fn from_env(supports: Supports) -> Result<Self, SettingsError> {
        Self::from_lookup(supports, env::var_os)
    }

    fn from_lookup(
        supports: Supports,
        lookup: impl Fn(&'static str) -> Option<OsString>,
    ) -> Result<Self, SettingsError> {
        let settings = Self {
            addr: lookup("ADDR").map_or(Ok(DEFAULT_ADDR), addr)?,
            workers: lookup("WORKERS").map_or_else(|| Ok(available_cpus()), workers)?,
            http: lookup("HTTP").map_or(Ok(Http::default()), http)?,
            tls: tls(lookup("TLS_CERT"), lookup("TLS_KEY"))?,
        };
        supports.fulfils(settings.http, settings.tls.is_some())?;
        settings.tls.iter().try_for_each(Tls::check_readable)?;
        Ok(settings)
    }
}

impl Supports {
    fn fulfils(self, http: Http, tls: bool) -> Result<(), SettingsError> {
        let able = match (http, tls) {
            (Http::One, false) => true,
            (Http::One, true) => self.http1_tls,
            (Http::Two, false) => self.http2,
            (Http::Two, true) => self.http2_tls,
        };
        if able {
            return Ok(());
        }
        Err(match (http, tls) {
            (Http::Two, _) if !self.http2 && !self.http2_tls => SettingsError::NoHttp2,
            (_, true) if !self.http1_tls && !self.http2_tls => SettingsError::NoTls,
            (Http::Two, true) => SettingsError::NoHttp2Tls,
            (Http::Two, false) => SettingsError::NoHttp2Cleartext,
            (Http::One, _) => SettingsError::NoHttp1Tls,
        })
    }
}

impl Tls {
    fn check_readable(&self) -> Result<(), SettingsError> {
        for (variable, path) in [("TLS_CERT", &self.cert), ("TLS_KEY", &self.key)] {
            File::open(path).map_err(|source| SettingsError::TlsFile {
                variable,
                path: path.clone(),
                source,
            })?;
        }
        Ok(())
    }
}

fn addr(value: OsString) -> Result<SocketAddr, SettingsError> {
    value
        .to_str()
        .and_then(|text| text.parse().ok())
        .ok_or(SettingsError::Addr(value))
}

fn workers(value: OsString) -> Result<NonZero<usize>, SettingsError> {
    value
        .to_str()
        .and_then(|text| text.parse().ok())
        .filter(|workers: &NonZero<usize>| workers.get() <= MAX_WORKERS)
        .ok_or(SettingsError::Workers(value))
}

fn http(value: OsString) -> Result<Http, SettingsError> {
    match value.to_str() {
        Some("1") => Ok(Http::One),
        Some("2") => Ok(Http::Two),
        _ => Err(SettingsError::Http(value)),
    }
}

fn tls(cert: Option<OsString>, key: Option<OsString>) -> Result<Option<Tls>, SettingsError> {
    match (cert, key) {
        (None, None) => Ok(None),
        (Some(cert), Some(key)) => Ok(Some(Tls {
            cert: cert.into(),
            key: key.into(),
        })),
        (Some(_), None) => Err(SettingsError::HalfTls {
            set: "TLS_CERT",
            missing: "TLS_KEY",
        }),
        (None, Some(_)) => Err(SettingsError::HalfTls {
            set: "TLS_KEY",
            missing: "TLS_CERT",
        }),
    }
}

/// Follows the affinity of the process and the quota of its control group.
fn available_cpus() -> NonZero<usize> {
    thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    const EVERYTHING: Supports = Supports::EVERYTHING;

    fn read(supports: Supports, environment: &[(&str, &str)]) -> Result<Settings, String> {
        let lookup = |variable| {
            environment
                .iter()
                .find(|(name, _)| *name == variable)
                .map(|(_, value)| value.into())
        };
        Settings::from_lookup(supports, lookup).map_err(|error| error.to_string())
    }

    fn refused(supports: Supports, environment: &[(&str, &str)]) -> String {
        read(supports, environment).expect_err("an impossible setting")
    }

    #[test]
    fn an_empty_environment_is_a_local_server_on_all_cpus() {
        let settings = read(Supports::HTTP1_CLEARTEXT, &[]).unwrap();
        assert_eq!(settings.addr.to_string(), "127.0.0.1:8080");
        assert_eq!(settings.workers, thread::available_parallelism().unwrap());
        assert_eq!((settings.http, settings.tls), (Http::One, None));
    }

    #[test]
    fn each_setting_is_followed() {
        let files = tempfile::tempdir().unwrap();
        let [cert, key] = ["cert.pem", "key.pem"].map(|name| files.path().join(name));
        std::fs::write(&cert, "").unwrap();
        std::fs::write(&key, "").unwrap();
        let environment = [
            ("ADDR", "[::1]:9000"),
            ("WORKERS", "3"),
            ("HTTP", "2"),
            ("TLS_CERT", cert.to_str().unwrap()),
            ("TLS_KEY", key.to_str().unwrap()),
        ];
        let settings = read(EVERYTHING, &environment).unwrap();
        assert_eq!(settings.addr.to_string(), "[::1]:9000");
        assert_eq!(settings.workers.get(), 3);
        assert_eq!((settings.http, settings.tls), (Http::Two, Some(Tls { cert, key })));
    }

    #[test]
    fn an_address_is_an_ip_address_with_a_port() {
        for wrong in ["", "nonsense", "localhost:8080", "127.0.0.1", "127.0.0.1:65536"] {
            let error = refused(EVERYTHING, &[("ADDR", wrong)]);
            assert!(error.starts_with(&format!("ADDR is {wrong:?}: want")), "{error}");
        }
    }

    #[test]
    fn workers_are_counted_from_one() {
        for wrong in ["", "0", "-1", "two", "1.5", "1025"] {
            let error = refused(EVERYTHING, &[("WORKERS", wrong)]);
            assert_eq!(
                error,
                format!("WORKERS is {wrong:?}: want a whole number from 1 to 1024")
            );
        }
    }

    #[test]
    fn http_is_one_or_two() {
        for wrong in ["", "0", "3", "1.1", "h2"] {
            assert_eq!(
                refused(EVERYTHING, &[("HTTP", wrong)]),
                format!("HTTP is {wrong:?}: want 1 or 2")
            );
        }
    }

    #[test]
    fn half_of_tls_is_named() {
        let error = refused(EVERYTHING, &[("TLS_CERT", "cert.pem")]);
        assert_eq!(
            error,
            "TLS_CERT is set without TLS_KEY: TLS wants both, cleartext neither"
        );
        let error = refused(Supports::HTTP1_CLEARTEXT, &[("TLS_KEY", "key.pem")]);
        assert_eq!(
            error,
            "TLS_KEY is set without TLS_CERT: TLS wants both, cleartext neither"
        );
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = refused(
            EVERYTHING,
            &[("TLS_CERT", "/none/cert.pem"), ("TLS_KEY", "/none/key.pem")],
        );
        assert!(
            error.starts_with(r#"TLS_CERT is "/none/cert.pem", which cannot be read: No such file"#),
            "{error}"
        );
    }

    #[test]
    fn what_the_app_cannot_do_is_refused() {
        assert_eq!(
            refused(Supports::HTTP1_CLEARTEXT, &[("HTTP", "2")]),
            "HTTP is 2: this app speaks only HTTP/1.1"
        );
        let tls = [("TLS_CERT", "cert.pem"), ("TLS_KEY", "key.pem")];
        let error = refused(Supports::HTTP1_CLEARTEXT, &tls);
        assert_eq!(error, "TLS_CERT and TLS_KEY are set: this app speaks only cleartext");
        assert!(read(Supports::HTTP1_CLEARTEXT, &[("HTTP", "1")]).is_ok());
    }

    #[test]
    fn a_corner_that_the_app_lacks_is_named() {
        let tls = [("TLS_CERT", "cert.pem"), ("TLS_KEY", "key.pem")];
        let over_tls_only = Supports {
            http2: false,
            ..EVERYTHING
        };
        let error = refused(over_tls_only, &[("HTTP", "2")]);
        assert!(error.contains("speaks HTTP/2 over TLS only"), "{error}");
        let cleartext_only = Supports {
            http2_tls: false,
            ..EVERYTHING
        };
        let error = refused(cleartext_only, &[("HTTP", "2"), tls[0], tls[1]]);
        assert!(error.contains("speaks HTTP/2 in cleartext only"), "{error}");
        let without_old = Supports {
            http1_tls: false,
            ..EVERYTHING
        };
        let error = refused(without_old, &tls);
        assert!(error.contains("speaks HTTP/1.1 in cleartext only"), "{error}");
    }

    #[test]
    fn bytes_that_are_no_text_are_an_error_in_one_line() {
        let lookup = |variable| (variable == "ADDR").then(|| OsString::from_vec(b"\xff\n".to_vec()));
        let error = Settings::from_lookup(EVERYTHING, lookup).unwrap_err().to_string();
        assert!(error.starts_with(r#"ADDR is "\xFF\n": want"#), "{error}");
    }
}
