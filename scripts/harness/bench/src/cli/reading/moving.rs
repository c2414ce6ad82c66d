//! `bench moving`.

use std::collections::BTreeSet;
use std::io::{IsTerminal, stdout};
use std::path::PathBuf;

use analyze::probes::{Clients, clients};
use analyze::reading;
use anyhow::Context;

use crate::cli::{Outcome, TABLES, clock, print, results_folder, style};
use apps::suggest::unknown_in;
use report::moving;

const EXAMPLES: &str = "\
Examples:
  bench moving axum actix-web                      what the clients of a server notice
  bench moving axum@0.8.8 axum@0.8.9               two versions that were both asked
  bench probe --group clients --out bench-results  ask all servers anew; some minutes

What is compared are servers as each framework's guide writes them
(apps/ID/src/bin/plain.rs), without any setting of the contract.";

/// What lists the servers.
const SHOWS: &str = "bench report probes";

/// What do clients notice of a move between frameworks?
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The framework that is left; NAME@VERSION for one of several that were asked
    #[arg(value_name = "FROM")]
    from: String,
    /// The framework that is gone to
    #[arg(value_name = "TO")]
    to: String,
    /// Folder of the results [default: bench-results of the repository]
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let results = results_folder(args.results.as_deref());
    let probes = reading::all_probes(&results, clock::now())?;
    // The newest first, and of each server its newest probes.
    let all: Vec<Clients> = probes.iter().rev().filter_map(clients).collect();
    let newest = all.first().with_context(|| {
        let folder = results.display();
        format!("no probes in {folder} have these cases; `bench probe --group clients --out DIR` makes them")
    })?;
    let server = |wanted: &str| {
        let (name, version) = wanted
            .split_once('@')
            .map_or((wanted, None), |(name, version)| (name, Some(version)));
        let mut found = all.iter().filter_map(|clients| clients.server(name));
        let known = || all.iter().flat_map(|clients| &clients.servers);
        match found.find(|server| version.is_none_or(|version| version == server.version)) {
            Some(server) => Ok(server),
            None if all.iter().any(|clients| clients.server(name).is_some()) => {
                let known: BTreeSet<String> = known()
                    .map(|server| format!("{}@{}", server.app, server.version))
                    .collect();
                Err(unknown_in(SHOWS, "version", wanted, known.iter().map(String::as_str)))
            }
            None => Err(unknown_in(
                SHOWS,
                "server of these probes",
                name,
                known().map(|server| server.app.as_str()),
            )),
        }
    };
    let style = stdout().is_terminal().then(|| style(TABLES));
    print(&moving(newest, server(&args.from)?, server(&args.to)?, style))?;
    Ok(Outcome::Fine)
}
