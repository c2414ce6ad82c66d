//! `bench comment`.

use std::path::PathBuf;

use super::{Format, Outcome, complain, print};
use judge::compare::gates::Gates;
use judge::compare::outcome::Comparison;
use measure::catalog::{App, Catalog};
use measure::profile::Profiles;
use tell::artifact::{ArtifactError, CommitId, Known, Unchecked, folder};
use tell::report::Comment;

const EXAMPLES: &str = "\
Examples:
  bench comment --artifact DIR --head-sha SHA                   the comment as Markdown
  bench comment --artifact DIR --head-sha SHA --format json     for .github/scripts/comment.sh, which keeps it on the pull request

DIR holds comparison.json, as `bench compare --out` wrote it, and nothing else. It is read as the work of a stranger: apps and
scenarios must be those of the repository that this is started in, and all that can be computed is computed again.
The JSON also says whether a first comment is worth writing (for a regression or an improvement), and holds what a comment that is
there is to say next.
Exit status: 0 done, 1 the artifact is refused, 2 it cannot be read.";

/// Show what a comparison found, as the comment that a pull request gets. Nobody is asked, and nothing is written.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Folder that the artifact was unpacked into
    #[arg(long, value_name = "DIR")]
    artifact: PathBuf,
    /// Head of the pull request, as the event names it
    #[arg(long, value_name = "SHA")]
    head_sha: CommitId,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let comparison = match comparison(args) {
        Ok(comparison) => comparison,
        Err(error) => {
            if matches!(error.downcast_ref(), Some(ArtifactError::Refused(_))) {
                complain(&error);
                return Ok(Outcome::CheckFailed);
            }
            return Err(error);
        }
    };
    let comment = Comment::new(&comparison);
    print(&match args.format {
        Format::Text => comment.body,
        Format::Json => format!("{}\n", serde_json::to_string_pretty(&comment)?),
    })?;
    Ok(Outcome::Fine)
}

/// What is cheap to refuse is refused before cargo is asked what apps there are.
fn comparison(args: &Args) -> anyhow::Result<Comparison> {
    let unchecked = Unchecked::parse(&folder::read(&args.artifact)?)?;
    let catalog = Catalog::find()?;
    Ok(unchecked.check(&args.head_sha, &known(&catalog))?)
}

/// What this checkout knows.
fn known(catalog: &Catalog) -> Known {
    let variants = |app: &App| app.variants.iter().map(|variant| variant.name.clone()).collect();
    Known {
        apps: catalog.apps.iter().map(|app| (app.id.clone(), variants(app))).collect(),
        scenarios: Profiles::built_in().scenario_names().map(str::to_owned).collect(),
        gates: Gates::built_in(),
    }
}
