//! Asks before something is changed that is not this program's.

use std::io::{IsTerminal as _, Write as _, stderr, stdin};

use anyhow::{bail, ensure};
use measure::database::Elsewhere;

/// Examines the PostgreSQL at this URL, and asks whether it may be used, unless that was `granted`. The command line does not read the
/// URL itself, because it would repeat a wrong one with its password.
pub fn to_use(url: &str, granted: bool) -> anyhow::Result<Elsewhere> {
    let elsewhere: Elsewhere = url.parse()?;
    elsewhere.examine()?;
    if granted {
        return Ok(elsewhere);
    }
    let change = format!(
        "bench makes the role `server` and the schema `bench` in {}, and removes both at the end",
        elsewhere.place()
    );
    if !stdin().is_terminal() {
        bail!("{change}: without a terminal on which to ask, --yes allows it");
    }
    eprint!("{change}. Go on? [y/N] ");
    stderr().flush()?;
    let mut answer = String::new();
    stdin().read_line(&mut answer)?;
    ensure!(
        ["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str()),
        "nothing was changed, and nothing is measured"
    );
    Ok(elsewhere)
}
