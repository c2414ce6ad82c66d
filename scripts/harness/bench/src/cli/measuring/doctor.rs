//! `bench doctor`.

use std::path::PathBuf;

use model::count;

use crate::cli::{Format, Outcome};
use apps::catalog;
use measure::doctor::{Finding, Grade, examine};

const EXAMPLES: &str = "\
Examples:
  bench doctor
  bench doctor --format json

Exit status 1 if nothing can be measured here.";

/// Check whether this machine is fit to measure; changes nothing
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// How the findings are printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let root = catalog::find_root().unwrap_or_else(|_| PathBuf::from("."));
    let findings = examine(&root);
    args.format.print(&findings, || text(&findings))?;
    let is_any_bad = findings.iter().any(|finding| finding.state == Grade::Bad);
    Ok(Outcome::failed_if(is_any_bad))
}

/// Width of the longest subject, `net.ipv4.ip_local_port_range`.
const SUBJECT: usize = 28;

fn text(found: &[Finding]) -> String {
    let mut text = String::new();
    for finding in found {
        let mark = match finding.state {
            Grade::Good => "ok   ",
            Grade::Doubtful => "doubt",
            Grade::Bad => "BAD  ",
        };
        text.push_str(format!("{mark}  {:SUBJECT$}  {}\n", finding.subject, finding.found).as_str());
        if !finding.remedy.is_empty() {
            text.push_str(format!("       {:SUBJECT$}  → {}\n", "", finding.remedy).as_str());
        }
    }
    let doubts = found.iter().filter(|finding| finding.state == Grade::Doubtful).count();
    let bad = found.iter().filter(|finding| finding.state == Grade::Bad).count();
    let verdict = match (bad, doubts) {
        (0, 0) => "This machine is fit to measure.".into(),
        (0, doubts) => format!("This machine can measure, with {}.", count(doubts, "doubt")),
        (bad, _) => format!(
            "This machine cannot measure before {} fixed.",
            if bad == 1 {
                "one problem is".into()
            } else {
                format!("{bad} problems are")
            }
        ),
    };
    format!("{text}\n{verdict}\n")
}
