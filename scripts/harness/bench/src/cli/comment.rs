//! `bench comment`.

use std::path::PathBuf;

use super::{Outcome, complain, print};
use judge::compare::gates::Gates;
use judge::compare::outcome::Comparison;
use measure::catalog::{App, Catalog};
use measure::profile::Profiles;
use tell::artifact::{ArtifactError, Known, Unchecked, folder};
use tell::github::comment::{Done, Place, keep};
use tell::github::{Client, CommitId, Repository, Settings, WORKFLOW_AUTHOR};
use tell::report::comment::MARK;
use tell::report::comment_body;

const EXAMPLES: &str = "\
Examples:
  bench comment --artifact DIR --head-sha SHA --repository OWNER/NAME             as the workflow calls it
  bench comment --artifact DIR --head-sha SHA --repository OWNER/NAME --dry-run   only show the comment

DIR holds comparison.json, as `bench compare --out` wrote it, and nothing else. It is read as the work of a stranger: apps and
scenarios must be those of the repository that this is started in, and all that can be computed is computed again.
A first comment is written for a regression or an improvement only; a comment that is there is always brought up to date.
The environment: GITHUB_TOKEN, with the permission `pull-requests: write`; GITHUB_API_URL.
Exit status: 0 done, or there is nothing to write, 1 the artifact is refused, 2 GitHub could not be asked.";

/// Keep one comment on a pull request that says what a comparison found.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Folder that the artifact was unpacked into
    #[arg(long, value_name = "DIR")]
    artifact: PathBuf,
    /// Head of the pull request, as the event names it
    #[arg(long, value_name = "SHA")]
    head_sha: CommitId,
    /// Repository of the pull request
    #[arg(long, value_name = "OWNER/NAME")]
    repository: Repository,
    /// Repository that the head is in, as the event names it: no other pull request of the same commit is meant then
    #[arg(long, value_name = "OWNER/NAME")]
    head_repository: Option<Repository>,
    /// Account that writes the comment; nobody else's comment is ever touched
    #[arg(long, value_name = "LOGIN", default_value = WORKFLOW_AUTHOR)]
    author: String,
    /// Print the comment as it would begin, and ask nobody
    #[arg(long)]
    dry_run: bool,
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
    if args.dry_run {
        let nothing =
            || "(nothing is worse or better: a comment would only be written if there is one already)\n".into();
        print(&comment_body(&comparison, None).unwrap_or_else(nothing))?;
        return Ok(Outcome::Fine);
    }
    let client = Client::new(Settings::from_environment()?);
    let place = Place {
        repository: &args.repository,
        head: &args.head_sha,
        head_repository: args.head_repository.as_ref(),
        author: &args.author,
        mark: MARK,
    };
    let done = keep(&client, &place, |there| comment_body(&comparison, there))?;
    if done.is_empty() {
        let head = &args.head_sha;
        print(&format!(
            "no open pull request has the head {head} (closed, or pushed to since): nothing is written\n"
        ))?;
    }
    for (number, done) in done {
        let told = match done {
            Done::Nothing => "nothing is worse or better, and there is no comment to bring up to date",
            Done::Written => "comment written",
            Done::Rewritten => "comment brought up to date",
            Done::Unchanged => "comment is up to date",
        };
        print(&format!("pull request {number}: {told}\n"))?;
    }
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
