//! `bench comment`.

use std::path::PathBuf;

use crate::cli::{Format, Outcome};
use apps::catalog::{App, Catalog};
use apps::profile::Profiles;
use measure::probe::Case;
use model::Part;
use report::Comment;
use report::artifact::{CommitId, Known, check, folder};

const EXAMPLES: &str = "\
Examples:
  bench comment --artifact DIR --head-sha SHA                the comment as Markdown
  bench comment --artifact DIR --head-sha SHA --format json  for .github/scripts/comment.sh

DIR holds comparison.json, as `bench compare --out` wrote it, and nothing else. It
is not trusted: apps, scenarios and cases must be the current repository's,
and all that follows from its pairs is computed again.
The JSON also says whether to write a first comment (not where nothing
changed). It has the text for an existing comment, and for a pull request with
another base than the one that was compared: comment.sh gets it from GitHub.
Exit status: 0 done, 1 the artifact is refused, 2 it cannot be read.";

/// Show a comparison as the comment on a pull request
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Folder of the unpacked artifact
    #[arg(long, value_name = "DIR")]
    artifact: PathBuf,
    /// Head commit of the pull request, from the event
    #[arg(long, value_name = "SHA")]
    head_sha: CommitId,
    /// What it was made for: the check of a pull request, or a maintainer's `/bench`
    #[arg(long, value_enum, value_name = "PURPOSE", default_value_t)]
    r#for: Purpose,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// What a comparison was made for.
#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
enum Purpose {
    /// The check that a pull request must pass
    #[default]
    Gate,
    /// A maintainer's `/bench`
    Command,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let text = folder::read(&args.artifact)?;
    let comparison = check(&text, &args.head_sha, &known(&Catalog::find()?))?;
    let comment = match args.r#for {
        Purpose::Gate => Comment::new(&comparison),
        Purpose::Command => Comment::answer(&comparison),
    };
    args.format.print(&comment, || comment.body.clone())?;
    Ok(Outcome::Fine)
}

/// The apps, scenarios and gates of this checkout.
pub fn known(catalog: &Catalog) -> Known {
    let variants = |app: &App| app.variants.iter().map(|variant| variant.name.clone()).collect();
    let plain = catalog.apps.iter().filter(|app| app.part() == Part::Plain);
    Known {
        probed: plain.map(|app| app.id.clone()).collect(),
        apps: catalog.apps.iter().map(|app| (app.id.clone(), variants(app))).collect(),
        scenarios: Profiles::built_in().scenario_names().map(str::to_owned).collect(),
        cases: Case::quick().into_iter().map(|case| case.about).collect(),
    }
}
