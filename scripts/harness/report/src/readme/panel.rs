//! One scenario of README.md: what a request costs there, as a server's own work, or relative to the cheapest maintained framework where the
//! scale of own work has no ends.

use model::{AppRecord, Interval, Metric, OwnWork, Part, Rank, Ratio, Record, Summary, Verdict};

use super::METRIC;
use crate::document::{Text, own};
use crate::figure;
use crate::table::{self, Row, Table, is_maintained};

/// A scenario with the figure that all others are relative to.
#[derive(Debug)]
pub struct Panel<'a> {
    /// What is requested, in a word.
    pub name: &'static str,
    /// The same within a sentence.
    pub title: &'static str,
    pub record: &'a Record,
    pub table: Table<'a>,
    /// The lowest ratio to the reference.
    cheapest: f64,
}

impl<'a> Panel<'a> {
    /// The scenario that requests `path` from servers of a part of the contract; `None` where no maintained framework has a figure.
    pub fn of(record: &'a Record, (name, title): (&'static str, &'static str), part: Part, path: &str) -> Option<Self> {
        let mut tables = table::tables(record).into_iter();
        let table = tables.find(|table| table.scenario.varies.is_none() && table.scenario.path == path)?;
        let is_of_part = |row: &&Row| row.app.part() == part && is_maintained(row.app);
        let ranked = table.ranked.iter().filter(is_of_part);
        let ratios = ranked.filter_map(|row| Some(row.ratio(METRIC)?.estimate));
        Some(Self {
            name,
            title,
            record,
            cheapest: ratios.min_by(f64::total_cmp)?,
            table,
        })
    }

    /// What a server did here. A server with a database is another app of the same name.
    pub fn row(&self, app: &AppRecord) -> Option<&Row<'a>> {
        let key = |app: &AppRecord| (table::label(app), app.role, app.tier);
        self.table.rows().find(|row| key(row.app) == key(app))
    }

    /// Its trusted CPU time per request ÷ the cheapest framework's, with the interval of the ratio to the reference.
    pub fn above(&self, app: &AppRecord) -> Option<Ratio> {
        let ratio = self.row(app)?.ratio(METRIC)?;
        let interval = ratio.interval.map(|Interval { low, high }| Interval {
            low: low / self.cheapest,
            high: high / self.cheapest,
        });
        Some(Ratio {
            estimate: ratio.estimate / self.cheapest,
            interval,
            ..ratio
        })
    }

    /// Its place within its tier.
    pub fn rank(&self, app: &AppRecord) -> Option<Rank> {
        self.row(app)?.rank(METRIC)
    }

    /// Whether no framework was found cheaper.
    pub fn is_best(&self, app: &AppRecord) -> bool {
        is_maintained(app) && self.rank(app).is_some_and(|rank| rank.best == 1)
    }

    /// What it does itself, which holds on other cpus.
    pub fn own_work(&self, app: &AppRecord) -> Option<OwnWork> {
        self.row(app)?.trusted(METRIC)?.own_work
    }

    /// Whether it shows that.
    pub fn shows_own_work(&self) -> bool {
        self.table.rows().any(|row| self.own_work(row.app).is_some())
    }

    /// `27 ±8`, `+12 ±3 %`.
    pub fn said(&self, app: &AppRecord) -> Option<String> {
        if self.shows_own_work() {
            return self.own_work(app).map(figure::own_work);
        }
        self.above(app).map(|above| figure::more(&above))
    }

    /// A figure that counts, or one of a server that keeps the contract in part.
    pub fn shown(&self, app: &AppRecord, metric: Metric) -> Option<&'a Summary> {
        let row = self.row(app)?;
        let is_partial = row.cell.verdict == Verdict::Incomplete;
        row.metric(metric).filter(|summary| summary.trusted || is_partial)
    }

    /// What stands for [`Self::said`] where a server keeps the contract in part: the same without a margin.
    fn said_in_part(&self, app: &AppRecord) -> Option<String> {
        let summary = self.shown(app, METRIC).filter(|summary| !summary.trusted)?;
        let ratio = summary.ratio.as_ref()?.estimate;
        let is_end = |row: &&Row| self.own_work(row.app).is_some_and(|work| work.margin == 0.0);
        let ends = self.table.rows().filter(is_end);
        let mut ends: Vec<f64> = ends.filter_map(|row| Some(row.ratio(METRIC)?.estimate)).collect();
        ends.sort_by(f64::total_cmp);
        Some(match ends.as_slice() {
            [low, high] => format!("{:.0}", 100.0 * (ratio - low) / (high - low)),
            _ => figure::difference(ratio / self.cheapest),
        })
    }

    /// Either in one line; `best` for the framework that all others are relative to.
    pub fn cell(&self, app: &AppRecord) -> Option<Text> {
        let is_base = || is_maintained(app) && self.above(app).is_some_and(|above| above.estimate <= 1.0);
        let words = if !self.shows_own_work() && is_base() {
            "best".to_owned()
        } else {
            self.said(app).or_else(|| self.said_in_part(app))?
        };
        Some(own(words.replace(' ', "\u{202f}")).trusted(self.above(app).is_some()))
    }

    /// What one core answers in a second, by the CPU time of a request: `116k`.
    pub fn of_one_core(&self, app: &AppRecord) -> Option<Text> {
        let cpu = self.shown(app, METRIC)?;
        Some(own(format!("{:.0}k", 1e6 / cpu.median / 1e3)).trusted(cpu.trusted))
    }
}
