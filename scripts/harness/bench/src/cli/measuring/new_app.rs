//! `bench new-app`.

use crate::cli::{Outcome, print};
use apps::catalog::Catalog;
use apps::new_app::create;

const EXAMPLES: &str = "\
Example:
  bench new-app xitca-web      makes apps/xitca-web

The folder builds at once and `bench list` finds it; until the server is written,
`bench check --app NAME` fails and names the requests. Folder and package get the
name, of a-z, 0-9 and -; no other app may have it.";

/// Make the folder of a new framework
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Name of the folder and of the app
    #[arg(value_name = "NAME")]
    name: String,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let Catalog { root, apps, .. } = Catalog::find()?;
    let name = &args.name;
    let folder = create(&root, &apps, name)?;
    let folder = folder.strip_prefix(&root).unwrap_or(&folder).display();
    print(&format!(
        "made {folder}, and put {name}-app into Cargo.lock

Next:
  1. {folder}/Cargo.toml    name, framework, link and tier; the framework among the dependencies, tokio out if it is not needed
  2. cargo update --workspace, after every change of dependencies: builds use --locked; this leaves other apps' versions alone
  3. cargo deny check licenses, before the first build
  4. {folder}/src/main.rs   the framework in place of what answers 501
  5. {folder}/src/routes.rs the routes, which are listed there
  6. ./scripts/bench check --app {name} --cargo-profile dev    names every request that is not answered as it should be
  7. ./scripts/bench images --compose > apps/compose.yaml
  8. ./scripts/test --package {name}-app fmt clippy deny
  9. ./scripts/bench check --app {name}, and run --app {name} --scenario plaintext    as it is measured: minutes to build

apps/README.md says what must be so, and why.
"
    ))?;
    Ok(Outcome::Fine)
}
