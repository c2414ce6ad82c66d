//! Asks before something is changed that is not this program's.

use std::io::{IsTerminal as _, Write as _, stderr, stdin};

use anyhow::{bail, ensure};
use servers::database::External;

/// Examines the PostgreSQL at this URL, and asks whether it may be used, unless that was `granted`. The command line does not read the
/// URL itself, because it would repeat a wrong one with its password.
pub fn to_use(url: &str, granted: bool) -> anyhow::Result<External> {
    let external: External = url.parse()?;
    external.examine()?;
    if granted {
        return Ok(external);
    }
    let change = format!(
        "bench makes the schema `bench` and roles `bench_server_…` in {}, and removes them at the end",
        external.place()
    );
    if !stdin().is_terminal() {
        bail!("{change}: without a terminal on which to ask, --yes allows it");
    }
    write!(stderr(), "{change}. Go on? [y/N] ")?;
    let mut answer = String::new();
    stdin().read_line(&mut answer)?;
    ensure!(
        ["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str()),
        "nothing was changed, and nothing is measured"
    );
    Ok(external)
}
