//! How far a run is to be trusted: what its controls found, how earlier ones did as forecasts, what else happened during the load, and how
//! the cpus were divided.

use analyze::analysis::Sessions;
use analyze::analysis::controls::{Found, pooled};
use analyze::carried::Carried;
use analyze::forecast::{Forecast, PROBABILITIES};

use crate::document::{Block, markdown};
use crate::figure;
use crate::labels;
use crate::table;
use model::escape::{NAME, clean};
use model::{LoadMachine, Record, SplitTried};

/// Idle use of a cpu above which it is mentioned.
const IDLE: f64 = 0.001;

/// What follows where several sessions together did not find the controls as they are.
pub const WARNING: &str = " So they were not found as they are: take all sizes with care.";

/// `Controls, over 5 sessions: the reference in another order of sections differed by 0.2 ±0.6 %; 2.1 % of added work was found as 1.9 ±0.6 %;
/// less than 0.6 % could not have been seen.`, and a warning where several sessions together did not find them as they are, though each alone
/// may have passed; `None` without controls.
pub fn controls(record: &Record, others: &Sessions) -> Option<String> {
    let (found, sessions) = pooled(record, others);
    let percent = |share: f64| format!("{:.1}", share * 100.0);
    let parts = found.iter().map(|found| {
        let spread = figure::spread(found.estimate, Some(found.interval));
        let measured = format!("{} {spread}", percent(found.estimate - 1.0));
        if found.truth > 1.0 {
            format!("{} % of added work was found as {measured}", percent(found.truth - 1.0))
        } else {
            format!("the reference in another order of sections differed by {measured}")
        }
    });
    let parts: Vec<String> = parts.collect();
    let unseen = found.iter().map(Found::sees).fold(0.0, f64::max);
    let over = (sessions > 1).then(|| format!(", over {sessions} sessions"));
    let over = over.unwrap_or_default();
    let is_missed = sessions > 1 && !found.iter().all(Found::holds);
    let warning = if is_missed { WARNING } else { "" };
    let (parts, unseen) = (parts.join("; "), percent(unseen));
    (!found.is_empty())
        .then(|| format!("Controls{over}: {parts}; less than {unseen} % could not have been seen.{warning}"))
}

/// A line about all forecasts up to a run; `None` without any. Plain text.
pub fn forecasts(forecasts: &[Forecast]) -> Option<String> {
    let sum = |part: fn(&Forecast) -> u32| forecasts.iter().map(part).sum::<u32>();
    let first = forecasts.first()?;
    let (ratios, pairs) = (sum(|of| of.ratios), sum(|of| of.pairs));
    let held = 100.0 * f64::from(sum(|of| of.held[2])) / f64::from(ratios.max(1));
    let (confirmed, reversed) = (sum(|of| of.confirmed), sum(|of| of.reversed));
    let (number, since) = (labels::count(forecasts.len(), "forecast"), labels::date(first.at));
    let probability = 100.0 * PROBABILITIES[2];
    Some(format!(
        "Each run is a forecast of the next: in {number} since {since}, {held:.0} % of {ratios} ratios were found within their \
         {probability:.0} % interval, and of {pairs} pairs in order {confirmed} were found again and {reversed} reversed. An interval of few \
         sessions does not know how much days differ: take the order from it, and not the last percent."
    ))
}

/// A line about what carried over to other kinds of machines; `None` without any. Plain text.
pub fn carried(carried: &Carried) -> Option<String> {
    let held = 100.0 * f64::from(carried.held) / f64::from(carried.figures.max(1));
    let kinds = match carried.kinds {
        1 => "another kind".to_owned(),
        kinds => format!("{kinds} other kinds"),
    };
    let reversed = match carried.reversed {
        1 => "1 is".to_owned(),
        reversed => format!("{reversed} are"),
    };
    let (runs, figures) = (labels::count(carried.runs, "run"), carried.figures);
    let pairs = figure::thousands(&carried.pairs.to_string());
    (figures > 0).then(|| {
        format!(
            "Held against {runs} on {kinds} of machine: {held:.0} % of {figures} figures of own work lie there within their margin, and of \
             {pairs} pairs in order {reversed} reversed."
        )
    })
}

/// All that is known of how far a run holds, as a section of its summary.
pub fn trust_markdown(record: &Record, others: &Sessions, before: &[Forecast], elsewhere: &Carried) -> String {
    let lines = Block::list([controls(record, others), forecasts(before), carried(elsewhere)]);
    markdown(&Block::section(2, "How far to trust this", lines))
}

/// Servers that use the cpu when idle, as plain text that is not escaped yet; `None` where none does.
pub fn idle(record: &Record) -> Option<String> {
    let subjects = table::apps(record);
    let lines = subjects.iter().filter_map(|subject| {
        let trials = record.trials.iter();
        let own = trials.filter(|trial| trial.app == subject.id && trial.variant == subject.variant);
        let own: Vec<_> = own.collect();
        let shares: Vec<f64> = own.iter().filter_map(|trial| trial.idle_cpu_share).collect();
        let share = stats::median(&shares)?;
        let apart = own.iter().any(|trial| trial.apart);
        let note = if apart { ", so it was driven separately" } else { "" };
        (share > IDLE || apart).then(|| format!("{} {}{note}", table::label(subject), figure::percent(share, 1)))
    });
    let lines: Vec<_> = lines.collect();
    (!lines.is_empty()).then(|| format!("CPU time when idle, as a share of one cpu: {}", lines.join("; ")))
}

/// How much of the cpus other programs used, whether the kernel accounts interrupts apart, and which splits were tried.
pub fn environment(record: &Record) -> Vec<String> {
    let controls = controls(record, &Sessions::default());
    let mut lines = Vec::from_iter(controls.map(|line| line.trim_end_matches('.').to_owned()));
    let others: Vec<f64> = record.trials.iter().filter_map(|trial| trial.other_cpu_share).collect();
    lines.extend(stats::median(&others).map(|median| {
        let most = others.iter().copied().fold(0.0, f64::max);
        let [median, most] = [median, most].map(|share| figure::percent(share, 1));
        format!("Other programs used {median} of the cpus in use (median of the trials; at most {most})")
    }));
    lines.extend(record.environment.irq_time_apart.map(|apart| {
        let who = if apart {
            "separately from processes, so the loopback network's softirqs are charged to none"
        } else {
            "to the process that they interrupt, so the sender pays for the loopback network"
        };
        format!("The kernel accounts the time of interrupts {who}")
    }));
    lines.extend((1..).zip(&record.environment.load_machines).map(load_machine));
    if let [taken, others @ ..] = record.environment.splits.as_slice() {
        let others = others.iter().map(|tried| format!("; tried: {}", split(tried)));
        let others: String = others.collect();
        lines.push(format!("Cpus were divided as {}{others}", split(taken)));
    }
    lines
}

/// `Load machine 1: AMD EPYC, 4 cpus; round trip 120 µs, 9,410 Mbit/s to it and 9,380 Mbit/s from it, packets of 1,500 bytes`
fn load_machine((number, machine): (usize, &LoadMachine)) -> String {
    let cpu = clean(&machine.cpu_model, 2 * NAME);
    let cpus = labels::count(machine.logical_cpus as usize, "cpu");
    let [trip, to, from] = [machine.rtt_us, machine.to_mbit, machine.from_mbit].map(figure::significant);
    let mtu = machine.mtu.map(|mtu| format!(", packets of {mtu} bytes"));
    let mtu = mtu.unwrap_or_default();
    format!(
        "Load machine {number}: {cpu}, {cpus}; round trip {trip} µs, {to} Mbit/s to it and {from} Mbit/s from it{mtu}"
    )
}

/// `server 0, generator 1 (ceiling 71,600 req/s, its cpus 99 % busy, the generator's 60 %)`
fn split(tried: &SplitTried) -> String {
    let cpus = |cpus: &[u32]| cpus.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    let [server, generator] = [&tried.server_cpus, &tried.generator_cpus].map(|of| cpus(of));
    let ceiling = figure::significant(tried.goodput_rps);
    let [busy, other] = [tried.server_cpu_share, tried.generator_cpu_share].map(|share| figure::percent(share, 0));
    format!(
        "server {server}, generator {generator} (ceiling {ceiling} req/s, its cpus {busy} busy, the generator's {other})"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_records_say_nothing_of_it() {
        let record = samples::record();
        assert_eq!(idle(&record), None);
        assert!(environment(&record).is_empty());
    }

    #[test]
    fn what_an_idle_server_uses_is_a_figure_of_its_own() {
        let mut record = samples::record();
        for (trial, share) in record.trials.iter_mut().zip([0.0004, 0.023, 0.025]) {
            trial.idle_cpu_share = Some(share);
        }
        let text = "CPU time when idle, as a share of one cpu: actix-web 2.3 %";
        assert_eq!(idle(&record).unwrap(), text);
        record.trials[0].apart = true;
        assert_eq!(idle(&record).unwrap(), format!("{text}, so it was driven separately"));
        for trial in &mut record.trials {
            (trial.idle_cpu_share, trial.apart) = (Some(0.0002), false);
        }
        assert_eq!(idle(&record), None);
    }

    #[test]
    fn what_else_used_the_cpus_is_said() {
        let mut record = samples::record();
        for (trial, share) in record.trials.iter_mut().zip([0.001, 0.002, 0.1]) {
            trial.other_cpu_share = Some(share);
        }
        record.environment.irq_time_apart = Some(false);
        let tried = |server: Vec<u32>, rate: f64| SplitTried {
            server_cpus: server,
            generator_cpus: vec![2, 3],
            goodput_rps: rate,
            server_cpu_share: 0.99,
            generator_cpu_share: 0.6,
        };
        record.environment.splits = vec![tried(vec![0], 71_600.0), tried(vec![0, 1], 98_000.0)];
        insta::assert_snapshot!(environment(&record).join("\n"));
    }

    #[test]
    fn forecasts_are_added_up() {
        let one = Forecast {
            from: "20261125T201724Z-1".into(),
            to: "20261126T075437Z-2".into(),
            at: "2026-11-26T07:54:37Z".parse().unwrap(),
            sessions: 1,
            ratios: 20,
            held: [5, 10, 15],
            pairs: 9,
            confirmed: 7,
            reversed: 1,
        };
        assert_eq!(super::forecasts(&[]), None);
        assert_eq!(
            super::forecasts(&[
                one.clone(),
                Forecast {
                    held: [15, 20, 20],
                    ..one
                }
            ])
            .unwrap(),
            "Each run is a forecast of the next: in 2 forecasts since 26 November 2026, 88 % of 40 ratios were found within their 95 % \
             interval, and of 18 pairs in order 14 were found again and 2 reversed. An interval of few sessions does not know how much days \
             differ: take the order from it, and not the last percent."
        );
    }
}
