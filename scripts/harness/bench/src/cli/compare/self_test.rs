//! `bench compare --self-test`: the same program on both sides.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::{Args, asked, campaign, prove, tools};
use measure::build::{Request, build};
use measure::catalog::Catalog;
use crate::cli::{Format, Outcome, link, print, split};
use measure::compare::campaign::Subject;
use judge::compare::gates::Gates;
use judge::compare::recording::{Recorded, Recording};
use judge::compare::rehearsal::{Rehearsal, rehearse};
use measure::compare::slices::Which;
use measure::machine::lock::Lock;
use measure::plan;
use crate::progress::Progress;
use tell::report::{Block, rehearsal_block, rehearsal_chart, rehearsal_markdown, replace_block};
use record::store;

/// Where the rates are written, below the folder of results.
const OUT: &str = "local/self-test.json";
/// Pairs that are recorded: as many as a comparison makes at most.
const PAIRS: u32 = 45;
/// Comparisons that are drawn from what was recorded.
const DRAWS: u32 = 1_000;
/// App that is measured against itself, unless one is named.
const APP: &str = "axum";

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let catalog = Catalog::find()?;
    let gates = Gates::built_in();
    let recording = if args.replay.is_empty() {
        record(args, &catalog, &gates)?
    } else {
        read(&args.replay)?
    };
    if let Some(file) = &args.record {
        let json = serde_json::to_string(&recording)?;
        store::write_whole(file, json.as_bytes()).with_context(|| format!("cannot write {}", file.display()))?;
    }
    let rehearsal = rehearse(&recording, &gates, DRAWS, 1);
    let json = format!("{}\n", serde_json::to_string_pretty(&rehearsal)?);
    if args.replay.is_empty() || args.out.is_some() || args.readme.is_some() {
        let usual = || catalog.root.join("bench-results").join(OUT);
        keep(
            &rehearsal,
            &json,
            &args.out.clone().unwrap_or_else(usual),
            args.readme.as_deref(),
        )?;
    }
    match args.format {
        Format::Json => print(&json)?,
        Format::Text => print(&rehearsal_markdown(&rehearsal))?,
    }
    Ok(Outcome::Fine)
}

/// Writes the rates, their picture beside them, and the block of `readme`.
fn keep(rehearsal: &Rehearsal, json: &str, out: &Path, readme: Option<&Path>) -> anyhow::Result<()> {
    let chart = out.with_extension("svg");
    let mut written = vec![
        (chart.clone(), rehearsal_chart(rehearsal)),
        (out.to_owned(), json.to_owned()),
    ];
    if let Some(readme) = readme {
        let text = fs::read_to_string(readme).with_context(|| format!("cannot read {}", readme.display()))?;
        let block = rehearsal_block(rehearsal, &link(readme, &chart)?, &link(readme, out)?);
        let text = replace_block(&text, Block::SelfTest, &block).with_context(|| readme.display().to_string())?;
        written.push((readme.to_owned(), text));
    }
    for (path, content) in written {
        store::write_whole(&path, content.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// The comparisons of all these files together.
fn read(files: &[PathBuf]) -> anyhow::Result<Recording> {
    let mut all: Option<Recording> = None;
    for file in files {
        let unusable = |reason| anyhow::anyhow!("cannot replay {}: {reason}", file.display());
        let read = Recording::read(file).map_err(unusable)?;
        all = Some(match all {
            None => read,
            Some(all) => all.pooled(read).map_err(unusable)?,
        });
    }
    all.context("--replay needs a file")
}

fn record(args: &Args, catalog: &Catalog, gates: &Gates) -> anyhow::Result<Recording> {
    let names = if args.app.is_empty() {
        vec![APP.to_owned()]
    } else {
        args.app.clone()
    };
    let [name] = names.as_slice() else {
        bail!("--self-test measures one app; name one with --app")
    };
    let app = catalog
        .app(name)
        .ok_or_else(|| plan::unknown("app", name, catalog.apps.iter().map(|app| app.id.as_str())))?;
    let split = split::wished(args.split.as_ref())?;
    let asked = asked(&args.scenario)?;
    let _lock = Lock::take(args.wait)?;
    let progress = Progress::new(&format!("building {name}"), 1);
    let variant = app.variants.first().context("every app has a default variant")?;
    let built = build(Request::of_app(app, variant, &args.cargo_profile), |done| {
        progress.doing(done);
    })?;
    drop(progress);
    prove(&built.path, &split, Which::Base)?;
    let tools = tools(args, catalog, &split, &asked)?;
    let (app, variant) = (app.id.clone(), variant.name.clone());
    let subjects = [Subject {
        app: app.clone(),
        variant,
        base: built.path.clone(),
        head: built.path,
    }];
    let pairs = args.pairs.unwrap_or(PAIRS);
    let found = campaign(args, &tools, &split, &asked, &subjects, gates, Some(pairs))?;
    let series = found.tracks.iter().map(|track| {
        let scenario = &asked.scenarios[track.scenario].id;
        Recorded::new(scenario, track.progress.gauge, track.progress.judged, &track.pairs)
    });
    Recording::new(&app, tools.environment, series.collect()).map_err(|reason| anyhow::anyhow!("{reason}"))
}
