//! Asks before something is changed that is not this program's.

use std::io::{IsTerminal as _, Write as _, stderr, stdin};

use anyhow::{bail, ensure};
use measure::database::Elsewhere;

/// Examines the PostgreSQL of `--database`, and asks whether it may be used, unless that was `granted`.
pub fn to_use(elsewhere: &Elsewhere, granted: bool) -> anyhow::Result<()> {
    elsewhere.examine()?;
    let change = format!(
        "bench makes the role `server` and the schema `bench` in {}, and removes both at the end",
        elsewhere.place()
    );
    if granted {
        return Ok(());
    }
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
    Ok(())
}
