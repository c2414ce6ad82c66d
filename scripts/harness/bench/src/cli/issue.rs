//! `bench issue`.

use std::path::PathBuf;

use anyhow::Context;

use super::{Outcome, print};
use record::store::read_text;
use tell::github::issue::{Done, Matter, Place, body_of, keep};
use tell::github::{Client, Repository, Settings, WORKFLOW_AUTHOR};

/// Largest body that is read; what GitHub does not take is cut.
const LARGEST: u64 = 4 << 20;
/// Longest title and state.
const LONGEST_LINE: usize = 200;

const EXAMPLES: &str = "\
Examples:
  bench issue --matter audit --title 'The security audit fails' --body audit.md --label security --repository OWNER/NAME
  bench issue --matter audit --resolved --repository OWNER/NAME

The first opens an issue, or brings the open one of the same matter up to date; a comment is added only when the state
(--state, or else the title) is another one. The second closes it with a comment, if one is open.
The environment: GITHUB_TOKEN, with the permission `issues: write`; GITHUB_API_URL.";

/// Keep one open issue for a matter, and close it when it is gone.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// What it is about: lowercase letters, digits and hyphens. One issue is open for each
    #[arg(long, value_name = "KEY", value_parser = key)]
    matter: String,
    /// Title of the issue
    #[arg(long, value_name = "TEXT", value_parser = line, required_unless_present = "resolved")]
    title: Option<String>,
    /// File with its text, Markdown
    #[arg(long, value_name = "FILE", required_unless_present = "resolved")]
    body: Option<PathBuf>,
    /// The matter is gone: close the issue
    #[arg(long, conflicts_with = "body")]
    resolved: bool,
    /// Where the matter stands, in a few words [default: the title]
    #[arg(long, value_name = "TEXT", value_parser = line)]
    state: Option<String>,
    /// Labels of an issue that is opened
    #[arg(long, value_delimiter = ',', value_name = "NAME", value_parser = line)]
    label: Vec<String>,
    /// Repository of the issue
    #[arg(long, value_name = "OWNER/NAME")]
    repository: Repository,
    /// Account that writes the issue; nobody else's issue is ever touched
    #[arg(long, value_name = "LOGIN", default_value = WORKFLOW_AUTHOR)]
    author: String,
    /// Print what would be written, and ask nobody
    #[arg(long)]
    dry_run: bool,
}

fn key(text: &str) -> Result<String, String> {
    let is_key = (1..=64).contains(&text.len())
        && text.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9' | '-'))
        && !text.contains("--"); // ends a comment of HTML
    if is_key {
        Ok(text.to_owned())
    } else {
        Err("lowercase letters, digits and single hyphens".into())
    }
}

fn line(text: &str) -> Result<String, String> {
    if text.trim().is_empty() || text.chars().count() > LONGEST_LINE || text.chars().any(char::is_control) {
        Err(format!("one line of at most {LONGEST_LINE} characters"))
    } else {
        Ok(text.to_owned())
    }
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let place = Place {
        repository: &args.repository,
        matter: &args.matter,
        author: &args.author,
    };
    let title = args.title.as_deref().unwrap_or_default();
    let state = args.state.as_deref().unwrap_or(title);
    let body = match &args.body {
        Some(path) => read_text(path, LARGEST).with_context(|| format!("cannot read {}", path.display()))?,
        None => String::new(),
    };
    if args.dry_run {
        let told = if args.resolved {
            format!("(the open issue of the matter {} would be closed)\n", args.matter)
        } else {
            format!("# {title}\n\n{}", body_of(&place, state, &body))
        };
        print(&told)?;
        return Ok(Outcome::Fine);
    }
    let matter = if args.resolved {
        Matter::Resolved
    } else {
        Matter::Open {
            title,
            state,
            body: &body,
            labels: &args.label,
        }
    };
    let client = Client::new(Settings::from_environment()?);
    let told = match keep(&client, &place, &matter)? {
        Done::Nothing => "no issue is open".to_owned(),
        Done::Opened(number) => format!("issue {number} opened"),
        Done::Updated(number) => format!("issue {number} brought up to date"),
        Done::Unchanged(number) => format!("issue {number} is up to date"),
        Done::Closed(number) => format!("issue {number} closed"),
    };
    print(&format!("{}: {told}\n", args.matter))?;
    Ok(Outcome::Fine)
}
