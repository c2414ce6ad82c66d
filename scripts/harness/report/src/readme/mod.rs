//! The results block of README.md: three sentences, one picture of two panels, one table of seven columns, and where the rest is.
//!
//! Two runs feed it: one of servers that work alone, for the JSON answer, and one with a database behind them. Each cell has a figure with its
//! margin: a server's own work, which carries over to other cpus, or what it needs above the cheapest maintained framework, on this machine.

mod panel;
mod rules;
mod sentences;

use analyze::analysis::{Sessions, unsteady};
use analyze::carried::Carried;
use model::{AppRecord, Metric, Part, Record, Role, Tier, Verdict};

use super::document::{Block, Rows, Text, joined, listed, markdown, own, text};
use super::table::findings;
use super::{chart, conditions, document, figure, labels, publish, table};
pub(super) use panel::Panel;
use rules::Rules;

/// What the table is about.
const METRIC: Metric = Metric::ServerCpuUsPerRequest;

/// What README.md shows.
#[derive(Debug)]
pub struct Readme<'a> {
    /// The small JSON answer of servers that work alone.
    json: Panel<'a>,
    /// One row of PostgreSQL.
    postgres: Option<Panel<'a>>,
    /// The servers of the first run that have something to show, the cheapest first; those of which no figure counts come last.
    apps: Vec<&'a AppRecord>,
}

/// What is written around the figures; the paths are as links need them.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// Paths of the pictures, [`Readme::charts`].
    pub charts: &'a [String; 2],
    /// Paths of summary and record: of the first run, and of the one with a database.
    pub places: &'a [(String, String)],
    /// Other sessions of the first run's kind.
    pub sessions: &'a Sessions,
    /// How figures were found again on other kinds of machines.
    pub carried: &'a Carried,
    /// What breaks, and the path of its summary.
    pub breaks: Option<(&'a Record, &'a str)>,
}

impl<'a> Readme<'a> {
    /// `None` where `record` has no figure of a maintained framework for a small JSON answer.
    #[must_use]
    pub fn of(record: &'a Record, with_database: Option<&'a Record>) -> Option<Self> {
        let json = Panel::of(record, ("JSON", "a small JSON answer"), Part::Plain, "/hello")?;
        let postgres = with_database.and_then(Self::postgres);
        let mut apps = table::ordered(record, &[&json.table], METRIC);
        let panels = [Some(&json), postgres.as_ref()];
        apps.retain(|app| panels.iter().flatten().any(|panel| panel.shown(app, METRIC).is_some()));
        Some(Self { json, postgres, apps })
    }

    /// Whether a run has figures for the panel of PostgreSQL.
    #[must_use]
    pub fn is_with_database(record: &Record) -> bool {
        Self::postgres(record).is_some()
    }

    fn postgres(record: &Record) -> Option<Panel<'_>> {
        Panel::of(record, ("PostgreSQL", "one PostgreSQL row"), Part::Database, "/db")
    }

    fn panels(&self) -> Vec<&Panel<'a>> {
        std::iter::once(&self.json).chain(&self.postgres).collect()
    }

    /// Whether a server has a figure that counts.
    fn counts(&self, app: &AppRecord) -> bool {
        self.panels().iter().any(|panel| panel.above(app).is_some())
    }

    /// The maintained frameworks among those.
    fn frameworks(&self) -> Vec<&'a AppRecord> {
        let apps = self.apps.iter().copied();
        apps.filter(|app| table::is_maintained(app) && self.counts(app))
            .collect()
    }

    /// The picture, and the narrow one for phones, as SVG.
    #[must_use]
    pub fn charts(&self) -> [String; 2] {
        let measured = format!("{}, {}", self.days(), self.how());
        let shown = [(measured, false), (self.days(), true)];
        shown.map(|(measured, is_narrow)| chart::panels(&self.frameworks(), &self.panels(), &measured, is_narrow))
    }

    /// What both runs have, once where it is the same.
    fn of_runs(&self, what: impl Fn(&Record) -> String) -> String {
        let mut all: Vec<String> = self.panels().into_iter().map(|panel| what(panel.record)).collect();
        all.dedup();
        labels::list(&all)
    }

    /// `26 November 2026`
    fn days(&self) -> String {
        self.of_runs(|record| labels::date(record.started_at))
    }

    /// `1 server cpu, 6 and 5 rounds`
    fn how(&self) -> String {
        let cpus = self.of_runs(|record| labels::count(record.environment.server_cpus.len(), "server cpu"));
        let rounds = self.of_runs(|record| record.harness.rounds.to_string());
        format!("{cpus}, {rounds} rounds")
    }

    /// The block, as Markdown.
    #[must_use]
    pub fn block(&self, around: &Around<'_>) -> String {
        let apps = self.apps.iter().copied();
        let (maintained, others): (Vec<_>, Vec<_>) = apps.partition(|app| table::is_maintained(app));
        let machines = self.of_runs(|record| document::plain(&labels::machine(&record.environment)));
        let measured = text![own(self.days()).bold(), ", ", machines, ", ", self.how(), ":"];
        let rules = around.breaks.map(|(probes, _)| Rules::of(probes));
        let rules = rules.as_ref();
        let mut blocks = vec![Block::Paragraph(links(around)), Block::Paragraph(measured)];
        let said = sentences::sentences(self, rules).into_iter();
        blocks.extend(Block::list(said.chain([conditions::carried(around.carried).map(own)])));
        let alt = chart::panels_alt(&self.panels()).into();
        blocks.push(Block::Picture(around.charts.clone(), alt));
        blocks.push(self.table(&maintained, rules));
        blocks.push(Block::Paragraph(self.how_to_read()));
        if !others.is_empty() {
            let summary = "Engines, legacy frameworks, the reference and the smallest possible server".into();
            blocks.push(Block::Details(summary, vec![self.table(&others, rules)]));
        }
        blocks.extend(self.remarks(around));
        markdown(&blocks).trim_end().to_owned()
    }

    fn table(&self, apps: &[&AppRecord], rules: Option<&Rules<'_>>) -> Block {
        let is_ranked = apps.iter().all(|app| table::is_maintained(app));
        let memory = Metric::RssPeakBytes;
        let most = rules.map_or(0, |rules| rules.most);
        let rows = Rows::of(apps.to_vec())
            .words("Framework", |app| title(app))
            .figures(self.json.name, |app| self.json.cell(app))
            .figures("PostgreSQL", |app| self.postgres.as_ref()?.cell(app))
            .figures("req/s of a core", |app| self.json.of_one_core(app))
            .figures("Memory", |app| {
                let found = self.json.shown(app, memory)?;
                Some(own(figure::rough(memory, found.median)).trusted(found.trusted))
            })
            .figures(own(format!("HTTP rules broken, of {most}")), |app| rules?.broken(app))
            .figures("over TLS, HTTP/2", |app| rules?.beyond(app));
        let first = is_ranked.then(|| labels::group(Role::Framework, Tier::Maintained));
        let group = |app: &&AppRecord| labels::group(app.role, app.tier);
        rows.groups(first.unwrap_or_default(), group).table()
    }

    fn how_to_read(&self) -> Text {
        let (of_scale, above): (Vec<_>, Vec<_>) = self.panels().into_iter().partition(|panel| panel.shows_own_work());
        let names = |panels: &[&Panel<'_>]| labels::list(&panels.iter().map(|panel| panel.name).collect::<Vec<_>>());
        let of_scale =
            (!of_scale.is_empty()).then(|| format!("{}: own work, ± what another cpu may change. ", names(&of_scale)));
        let holds = |panel: &&Panel<'_>| findings::coverage(findings::sessions(&panel.table));
        let above = labels::grouped(above.into_iter().map(|panel| (holds(&panel), panel)));
        let above = above.into_iter().map(|(holds, panels)| {
            let names = names(&panels);
            own(format!("{names}: CPU time above the cheapest’s, ± 95 %, for {holds}. "))
        });
        let others = "req/s of a core: 1 s ÷ CPU time of JSON. Memory: the most during JSON. ";
        let more = own("How to read a number").link("scripts/harness/docs/reading.md");
        text![of_scale.map(own), joined(above, ""), others, more, "."]
    }

    /// Who has no figures, warnings, and where the rest is.
    fn remarks(&self, around: &Around<'_>) -> Vec<Block> {
        let record = self.json.record;
        let is_missing = |app: &&AppRecord| table::is_maintained(app) && !self.counts(app);
        let missing = table::apps(record).into_iter().filter(is_missing).map(|app| {
            let cell = self.json.row(app).map(|row| row.cell);
            let missing = || self.json.table.missing(app)?.verdict;
            let verdict = cell.map(|cell| cell.verdict).or_else(missing);
            let happened = verdict.map_or("it was not measured", Verdict::what_happened).to_owned();
            let in_part = cell.filter(|cell| cell.verdict == Verdict::Incomplete);
            let why = in_part.map_or(happened, |cell| cell.reasons.concat());
            (why, Text::from(table::label(app)).bold())
        });
        let missing = labels::grouped(missing).into_iter();
        let missing = joined(missing.map(|(why, apps)| text![listed(apps), " (", why, ")"]), ", ");
        let missing = (!missing.is_empty()).then(|| text!["No valid figures: ", missing, "."]);
        let unsteady = unsteady(record).map(|caveat| text!["⚠ In this run ", labels::caveat(&caveat), "."]);
        let controls = conditions::controls(record, around.sessions);
        let controls = controls
            .filter(|line| line.ends_with(conditions::WARNING))
            .map(Text::from);
        let places = || self.panels().into_iter().map(|panel| panel.name).zip(around.places);
        let summaries = places().map(|(name, (summary, _))| own(name).link(summary));
        let records = places().map(|(name, (_, record))| own(name).link(record));
        let places = text![
            "Every workload, with intervals, and what to know of these servers: ",
            joined(summaries, ", "),
            ". Every trial: ",
            joined(records, ", "),
            "."
        ];
        Block::list([missing, unsteady, controls, Some(places)])
    }
}

/// Where to go on, with the addresses of these results.
fn links(around: &Around<'_>) -> Text {
    let first = around.places.first();
    let results = first.map(|(summary, _)| ("All results", summary.as_str()));
    let breaks = around.breaks.map(|(_, summary)| ("What breaks", summary));
    let trust = Some(("Can I trust this?", "#can-i-trust-this"));
    let test = Some(("Run and test it", "#run-it"));
    let more = [results, breaks, trust, test];
    let more = more.map(|link| link.map(|(title, address)| own(title).link(address)));
    let site = first.and_then(|(_, record)| publish::site_of(record));
    let compare = site.map_or("#run-it".to_owned(), |site| format!("{site}#/compare"));
    let compare = own("Compare two frameworks →").bold().link(&compare);
    joined([Some(compare)].into_iter().chain(more), " · ")
}

/// Name and version of a server.
fn title(app: &AppRecord) -> Text {
    let label = Text::from(table::label(app));
    if app.role != Role::Framework {
        return label.italic();
    }
    let version = labels::version(&app.framework_version);
    let space = if version.is_empty() { "" } else { " " };
    text![label, space, version]
}

#[cfg(test)]
mod tests;
