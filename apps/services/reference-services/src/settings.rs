//! The settings of the reference. A copy of what it needs of the contracts: those libraries move with the frameworks,
//! and a reference that depended on them would move as well.

use std::{
    env,
    fmt::Display,
    net::{Ipv4Addr, SocketAddr},
    num::NonZero,
    path::PathBuf,
    process,
    str::FromStr,
    thread,
};

const EXIT_IMPOSSIBLE: i32 = 2;
const MAX_WORKERS: usize = 1024;
const MAX_ROUTES: u32 = 10_000;
const MAX_LAYERS: u32 = 100;

#[derive(Debug)]
pub struct Settings {
    pub addr: SocketAddr,
    pub workers: NonZero<usize>,
    /// Routes that are registered beside the endpoints.
    pub routes: u32,
    /// Layers before every endpoint.
    pub layers: u32,
    /// The folder whose files are served.
    pub files: PathBuf,
}

impl Settings {
    pub fn from_env_or_exit() -> Self {
        Self::from_env().unwrap_or_else(|reason| exit(reason))
    }

    fn from_env() -> Result<Self, String> {
        for (set, missing) in [("TLS_CERT", "TLS_KEY"), ("TLS_KEY", "TLS_CERT")] {
            if variable(set).is_some() && variable(missing).is_none() {
                return Err(format!(
                    "{set} is set without {missing}: TLS wants both, cleartext neither"
                ));
            }
        }
        if variable("TLS_CERT").is_some() {
            return Err("TLS_CERT and TLS_KEY are set: this app speaks only cleartext".to_owned());
        }
        match variable("HTTP").as_deref() {
            None | Some("1") => {}
            Some("2") => return Err("HTTP is 2: this app speaks only HTTP/1.1".to_owned()),
            Some(http) => return Err(format!("HTTP is {http:?}: want 1 or 2")),
        }
        let workers = number("WORKERS", &1, &MAX_WORKERS)?.and_then(NonZero::new);
        Ok(Self {
            addr: addr()?,
            workers: workers.unwrap_or_else(|| thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)),
            routes: number("ROUTES", &1, &MAX_ROUTES)?.unwrap_or(1),
            layers: number("LAYERS", &0, &MAX_LAYERS)?.unwrap_or(0),
            files: env::var_os("FILES").map_or_else(|| "files".into(), PathBuf::from),
        })
    }
}

/// Bytes that are no text become a character that no setting has.
fn variable(name: &str) -> Option<String> {
    env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

fn addr() -> Result<SocketAddr, String> {
    let Some(value) = variable("ADDR") else {
        return Ok(SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)));
    };
    let wanted = "want an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080";
    value.parse().map_err(|_| format!("ADDR is {value:?}: {wanted}"))
}

fn number<T: FromStr + PartialOrd + Display>(name: &str, least: &T, most: &T) -> Result<Option<T>, String> {
    let Some(value) = variable(name) else { return Ok(None) };
    let number: Option<T> = value.parse().ok();
    match number.filter(|number| (least..=most).contains(&number)) {
        Some(number) => Ok(Some(number)),
        None => Err(format!(
            "{name} is {value:?}: want a whole number from {least} to {most}"
        )),
    }
}

/// One line on stderr, and the status that tells a wrong setting from a crash.
pub fn exit(reason: impl Display) -> ! {
    eprintln!("error: {reason}");
    process::exit(EXIT_IMPOSSIBLE)
}
