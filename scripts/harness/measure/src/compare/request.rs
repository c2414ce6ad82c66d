//! What the user wants of a comparison.

use std::path::PathBuf;

use analyze::compare::decide::MOST_PAIRS;
use analyze::compare::gates::COMPARED;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use machine::split::CpuSplitArg;
use model::{Metric, RELEASE};

use super::patch::Patch;
use crate::plan;

/// Options of a comparison.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ComparisonRequest {
    /// What to compare with [default: the merge-base of head and main]
    #[arg(long, value_name = "REV")]
    pub base: Option<String>,
    /// The proposed revision [default: the working tree]
    #[arg(long, value_name = "REV")]
    pub head: Option<String>,
    /// Compare the tree with itself, one crate taken from elsewhere: CRATE=SOURCE, with a folder (hyper=../hyper), a repository
    /// (axum=git+https://…#REV) or a version (hyper=1.11.0); several times for several crates
    #[arg(long, value_name = "CRATE=SOURCE", conflicts_with_all = ["head", "self_test"])]
    pub patch: Vec<Patch>,
    /// Where base takes a crate of --patch from [default: the merge-base with the main branch, of a git checkout that has changed since; else the
    /// release that is locked]
    #[arg(long, value_name = "CRATE=SOURCE", requires = "patch")]
    pub base_patch: Vec<Patch>,
    /// Only these of the apps that the change touches
    #[arg(long, value_delimiter = ',', value_name = "ID")]
    pub app: Vec<String>,
    /// Only these of their variants
    #[arg(long, value_delimiter = ',', value_name = "NAME", conflicts_with = "self_test")]
    pub variant: Vec<String>,
    /// Scenarios [default: from the profile `compare`, or `compare-database` if the change touches servers with a database only]
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    pub scenario: Vec<String>,
    /// Metrics [default: all]
    #[arg(long, value_delimiter = ',', value_name = "METRIC", value_parser = PossibleValuesParser::new(COMPARED.map(|(name, ..)| name)).map(|name| compared(&name)))]
    pub metric: Vec<Metric>,
    /// Make exactly this many pairs of base and head [default: as many as needed]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_PAIRS)))]
    pub pairs: Option<u32>,
    /// Seed of the order of starts, slices and layouts [default: from the clock; it is recorded]
    #[arg(long, value_name = "N")]
    pub seed: Option<u32>,
    /// Longest time of measuring [default: 10m, or what the first look at each app takes if that is more]
    #[arg(long, value_name = "TIME", value_parser = plan::seconds)]
    pub time_budget: Option<f64>,
    /// Path to an oha other than the one Cargo.lock pins
    #[arg(long, value_name = "PATH")]
    pub oha: Option<PathBuf>,
    /// Cargo profile of both sides
    #[arg(long, value_name = "NAME", default_value = "release")]
    pub cargo_profile: String,
    /// Cpus of server and load generator: how many, such as 1:3, or which, such as 0,1:2-3 (a single one as 0-0) [default: one core or
    /// a quarter of them for the server]
    #[arg(long, value_name = "SERVER:GENERATOR")]
    pub split: Option<CpuSplitArg>,
    /// Folder of PostgreSQL's programs, for servers with a database
    /// [default: the first in PATH, or the newest where distributions put them]
    #[arg(long, value_name = "DIR")]
    pub postgres: Option<PathBuf>,
    /// If another bench measures on this machine, wait for its end [default: fail and name it]
    #[arg(long)]
    pub wait: bool,
}

/// The metric of this name, which is one of those that are compared.
fn compared(name: &str) -> Metric {
    let mut all = COMPARED.into_iter();
    all.find_map(|(known, metric, _)| (known == name).then_some(metric))
        .unwrap_or(Metric::GoodputRps)
}

impl ComparisonRequest {
    /// The metrics that are wanted.
    pub fn metrics(&self) -> Vec<Metric> {
        let all = COMPARED.into_iter().map(|(_, metric, _)| metric);
        all.filter(|metric| self.metric.is_empty() || self.metric.contains(metric))
            .collect()
    }

    /// Whether nothing is wanted but the metric that needs no load, no order of sections and no quiet machine.
    pub fn counts_only(&self) -> bool {
        self.metrics() == [Metric::InstructionsPerRequest]
    }

    /// Whether the variant of this name is wanted.
    pub fn has_variant(&self, name: &str) -> bool {
        self.variant.is_empty() || self.variant.iter().any(|wanted| wanted == name)
    }

    /// The options by which the same comparison is made again, but for the sides: word by word.
    pub fn options(&self) -> Vec<String> {
        let metrics = COMPARED.iter().filter(|(_, metric, _)| self.metric.contains(metric));
        let metrics = metrics.map(|(name, ..)| (*name).to_owned()).collect::<Vec<_>>();
        let profile = (self.cargo_profile != RELEASE).then(|| self.cargo_profile.clone());
        let all = [
            ("--head", self.head.iter().cloned().collect()),
            ("--app", self.app.clone()),
            ("--variant", self.variant.clone()),
            ("--scenario", self.scenario.clone()),
            ("--metric", metrics),
            ("--pairs", self.pairs.iter().map(ToString::to_string).collect()),
            ("--seed", self.seed.iter().map(ToString::to_string).collect()),
            ("--cargo-profile", profile.into_iter().collect()),
        ];
        let given = all.into_iter().filter(|(_, values)| !values.is_empty());
        given
            .flat_map(|(option, values)| [option.to_owned(), values.join(",")])
            .collect()
    }
}
