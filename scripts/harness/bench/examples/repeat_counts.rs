//! How well counts of instructions repeat, and how long they take: counts programs that are there already, several times.
//!
//! `cargo run -p bench --example repeat_counts -- STARTS PROGRAM...`

use std::path::PathBuf;
use std::time::Instant;

use measure::count::field::count_field;
use measure::machine::cpus;
use measure::profile::Profiles;
use record::scenario::Scenario;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let starts: usize = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(6);
    let programs: Vec<PathBuf> = arguments.map(PathBuf::from).collect();
    let profiles = Profiles::built_in();
    let weekly = profiles.profile("weekly").expect("there is a weekly run");
    let scenarios: Vec<Scenario> = weekly
        .counted
        .iter()
        .filter_map(|name| profiles.scenario(name, weekly))
        .collect();
    let asked: Vec<&Scenario> = scenarios.iter().collect();
    for program in &programs {
        let began = Instant::now();
        let found = count_field(&vec![program.as_path(); starts], &asked, &cpus::allowed());
        let found = found.expect("nobody interrupts this without ending it");
        let seconds = began.elapsed().as_secs_f64();
        println!("{}: {starts} starts took {seconds:.1} s", program.display());
        for reason in found.iter().filter_map(|counts| counts.reason.as_ref()) {
            println!("  not counted: {reason}");
        }
        for scenario in &asked {
            let of = |counts: &measure::count::field::Counts| {
                let mut all = counts.per_request.iter();
                all.find(|(name, _)| *name == scenario.id).map(|(_, count)| *count)
            };
            let mut values: Vec<f64> = found.iter().filter_map(of).collect();
            values.sort_by(f64::total_cmp);
            let (Some(first), Some(last)) = (values.first(), values.last()) else {
                continue;
            };
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let square = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
            let deviation = (square / (values.len() - 1).max(1) as f64).sqrt();
            println!(
                "  {:14} {mean:14.1}  sd {:.4} %  range {:.4} %",
                scenario.id,
                100.0 * deviation / mean,
                100.0 * (last - first) / mean
            );
        }
    }
}
