//! `bench explain`.

use std::path::{Path, PathBuf};

use analyze::compare::explanation::Explanation;
use machine::interrupt;
use measure::compare::{ExplainRequest, explain};
use model::escape::file_stem;
use report::{explanation_markdown, flame_graph};

use crate::cli::{Format, Outcome, warn, write_files};
use crate::progress::OnStderr;

const EXAMPLES: &str = "\
Examples:
  bench explain before after                           two programs that keep the contract
  bench explain axum axum/tuned --scenario hello       two variants of an app
  bench explain hyper axum --flame-graphs /tmp         what Axum adds to hyper, as a picture

Both are counted by valgrind's callgrind. The ten functions are those whose own
instructions differ most; what the compiler has inlined is in the function that it
was inlined into. Neither program may be stripped.
`bench compare` says the same of each app whose instructions a change moves.
Exit status: 0 done, 2 could not be counted.";

/// Which functions make two programs' instructions differ?
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    request: ExplainRequest,
    /// Folder for the differential flame graph
    #[arg(long, value_name = "DIR")]
    flame_graphs: Option<PathBuf>,
    /// How the result is printed: Markdown or JSON
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    interrupt::listen()?;
    let explanation = explain(&args.request, &OnStderr)?;
    if let Some(folder) = &args.flame_graphs {
        draw(std::slice::from_ref(&explanation), folder)?;
    }
    args.format.print(&explanation, || explanation_markdown(&explanation))?;
    Ok(Outcome::Fine)
}

/// Draws the explanations that were made now into `folder`, and says where.
pub fn draw(explanations: &[Explanation], folder: &Path) -> anyhow::Result<()> {
    let made = explanations
        .iter()
        .filter(|explanation| !explanation.profiles[1].stacks.is_empty());
    for explanation in made {
        let name = [&explanation.app, &explanation.variant, &explanation.scenario].map(|name| file_stem(name));
        let path = folder.join(format!("{}.svg", name.join("-")));
        warn(&format!("flame graph: {}", path.display()));
        write_files([(path, flame_graph(explanation))])?;
    }
    Ok(())
}
