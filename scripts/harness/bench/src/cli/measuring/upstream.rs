//! `bench upstream`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::ensure;
use apps::catalog::{App, Catalog};
use machine::git::Git;
use machine::interrupt;
use measure::plan;
use measure::upstream::{chosen, compare};
use report::artifact::{check_upstream, folder};
use report::{Coming, upstream_markdown};
use serde_json::json;

use super::comment::known;
use crate::cli::{Outcome, is_refused, print, warn, write_files};
use crate::progress::OnStderr;

/// Where the results are written, below the repository's root.
const OUT: &str = "target/upstream";
/// No framework is begun after that: a job has six hours.
const LONGEST: Duration = Duration::from_hours(5);

const EXAMPLES: &str = "\
Examples:
  bench upstream                   every maintained framework, for up to five hours
  bench upstream --app axum,hyper  two of them
  bench upstream --read DIR --out ../pages/upstream --url https://github.com/OWNER/NAME
                                   what another job has measured, for gh-pages and issues

The folder of the results gets README.md, a table of all; <app>.md, a text for the
framework's maintainers; news.json, the titles of issues to open (what moves by more than
2 % or begins to fail a case that must pass); and the comparisons, <app>/comparison.json.
A main branch that does not fit or does not build is a line of the table.
Exit status: 0 done, 1 what is read is refused, 2 nothing could be compared.";

/// What is coming: each framework's main branch against its release
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Only these frameworks
    #[arg(long, value_delimiter = ',', value_name = "ID")]
    app: Vec<String>,
    /// Folder of the results [default: target/upstream]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Measure nothing: read the comparisons in this folder, which are not trusted, but must be from the commit that is checked out
    #[arg(long, value_name = "DIR", conflicts_with_all = ["time_budget", "wait"])]
    read: Option<PathBuf>,
    /// Address of this repository, for texts that are read elsewhere
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Begin no framework after this time [default: 5h]
    #[arg(long, value_name = "TIME", value_parser = plan::seconds)]
    time_budget: Option<f64>,
    /// If another bench measures on this machine, wait for its end [default: fail and name it]
    #[arg(long)]
    wait: bool,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    interrupt::listen()?;
    let catalog = Catalog::find()?;
    let mut apps = chosen(&catalog, &args.app)?;
    let out = args.out.clone().unwrap_or_else(|| catalog.root.join(OUT));
    match &args.read {
        Some(folder) => {
            apps.retain(|app| folder.join(&app.id).is_dir());
            ensure!(
                !apps.is_empty(),
                "{} holds no comparison, as <app>/comparison.json",
                folder.display()
            );
        }
        None => measure(args, &catalog.root, &mut apps, &out)?,
    }
    let mut all = Vec::new();
    for app in apps {
        let coming = read(app, &catalog, args.read.as_ref().unwrap_or(&out));
        let of_app = |error| {
            if is_refused(&error) {
                error.context(app.id.clone())
            } else {
                error
            }
        };
        all.push(coming.map_err(of_app)?);
    }
    let page = upstream_markdown(&all);
    let compared: Vec<&Coming<'_>> = all.iter().filter(|one| one.is_compared()).collect();
    let news: Vec<_> = compared
        .iter()
        .map(|one| json!({"app": one.app, "title": one.news()}))
        .collect();
    let url = args.url.as_deref().unwrap_or_default();
    let texts = compared
        .iter()
        .map(|one| (out.join(format!("{}.md", one.app)), one.text(url)));
    write_files(texts)?;
    write_files([
        (out.join("README.md"), page.clone()),
        (out.join("news.json"), format!("{}\n", json!(news))),
    ])?;
    print(&page)?;
    ensure!(
        !compared.is_empty(),
        "no framework's main branch could be compared with its release"
    );
    Ok(Outcome::Fine)
}

/// Leaves the apps that were compared in time.
fn measure(args: &Args, root: &Path, apps: &mut Vec<&App>, out: &Path) -> anyhow::Result<()> {
    let (began, longest) = (
        Instant::now(),
        args.time_budget.map_or(LONGEST, Duration::from_secs_f64),
    );
    let mut compared = 0;
    for app in apps.iter() {
        if began.elapsed() >= longest {
            let left: Vec<&str> = apps[compared..].iter().map(|app| app.id.as_str()).collect();
            warn(&format!(
                "warning: the time is up, and these were not compared: {}",
                left.join(", ")
            ));
            break;
        }
        compared += 1;
        let comparison = compare(app, root, args.wait, env!("CARGO_PKG_VERSION"), &OnStderr)?;
        let text = serde_json::to_string(&comparison)?;
        write_files([(out.join(&app.id).join(folder::NAME), text)])?;
    }
    apps.truncate(compared);
    Ok(())
}

/// What was found of an app, of the commit that is checked out.
fn read<'a>(app: &'a App, catalog: &Catalog, found: &Path) -> anyhow::Result<Coming<'a>> {
    let text = folder::read(&found.join(&app.id))?;
    let checkout = Git::new(&catalog.root).text(&["rev-parse", "HEAD"])?;
    let checkout = checkout.parse().map_err(anyhow::Error::msg)?;
    Ok(Coming {
        app: &app.id,
        name: &app.name,
        version: &app.framework_version,
        link: &app.link,
        comparison: check_upstream(&text, &checkout, (&app.id, &app.upstream()), &known(catalog))?,
    })
}
