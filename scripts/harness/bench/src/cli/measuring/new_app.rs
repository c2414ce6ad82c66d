//! `bench new-app`.

use crate::cli::{Outcome, print};
use apps::catalog::Catalog;
use apps::new_app::{Framework, create, ensure_free};
use machine::{interrupt, tell};
use model::count;

const EXAMPLES: &str = "\
Examples:
  bench new-app xitca-web                      makes apps/xitca-web
  bench new-app trillium --crate trillium,trillium-tokio
                                               with the newest versions that build here

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
    /// The framework's crate on crates.io, and others that its server will need: the newest versions that the pinned compiler builds
    /// are found by compiling them, and required with the reason
    #[arg(long = "crate", value_name = "CRATE,...", value_delimiter = ',')]
    crates: Vec<String>,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let Catalog { root, apps, .. } = Catalog::find()?;
    let name = &args.name;
    interrupt::listen()?;
    ensure_free(&root, &apps, name)?;
    let framework = match args.crates.as_slice() {
        [] => Framework::unknown(name),
        crates => Framework::find(&root, crates, &mut |tried| tell(tried))?,
    };
    let folder = create(&root, &apps, name, &framework)?;
    let folder = folder.strip_prefix(&root).unwrap_or(&folder).display();
    let (found, to_do) = match framework.tries {
        0 => (
            String::new(),
            "name, framework, link and tier; the framework among the dependencies",
        ),
        tries => (
            format!(
                ", which requires, after {}:\n{}",
                count(tries as usize, "attempt"),
                framework.requirements
            ),
            "name as the framework writes it, and tier; features of its crates",
        ),
    };
    print(&format!(
        "made {folder}, and put {name}-app into Cargo.lock{found}

Next:
  1. {folder}/Cargo.toml    {to_do}, tokio out if it is not needed
  2. cargo update --workspace, after every change of dependencies: builds use --locked; this leaves other apps' versions alone
  3. cargo deny check licenses, before the first build
  4. {folder}/src/main.rs   the framework in place of what answers 501
  5. {folder}/src/routes.rs the routes, which are listed there
  6. ./scripts/bench check --app {name} --cargo-profile dev    names every request that is not answered as it should be
  7. apps/compose.yaml         its lines, in the order of the names
  8. cargo clippy --package {name}-app --all-targets, then ./scripts/test fmt deny
  9. ./scripts/bench check --app {name}, and run --app {name} --scenario plaintext    as it is measured: minutes to build

apps/README.md says what must be so, and why.
"
    ))?;
    Ok(Outcome::Fine)
}
