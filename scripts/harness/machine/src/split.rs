//! Chooses the split of a run: one under which the ceiling, and so every slower server, is the limit, and not the load
//! generator.
//!
//! No description of a machine says how fast generator and ceiling are relative to each other, so each split is tried. On two cores
//! with two threads each, halves make the generator the limit of every fast server, while a server on one thread, with three
//! cpus for the generator, is its own limit.

use std::iter::successors;
use std::str::FromStr;

use super::cpus::{Split, Topology};
use model::{GENERATOR_BUSY, SERVER_BUSY, SplitTried};
use serde::{Deserialize, Serialize};

/// Most splits that are tried: each takes a second or two.
const MOST_TRIED: usize = 6;
/// Most cpus of a list; more than any machine has.
const MOST_NAMED: usize = 4096;

/// The splits to try, in order of preference; at least one. First whole cores, from half of them for the server down to one;
/// then one thread with an idle sibling; then one thread whose sibling belongs to the generator, which disturbs the server, but
/// leaves all other cpus to the generator.
pub fn candidates(machine: &Topology) -> anyhow::Result<Vec<Split>> {
    let (cores, all) = (machine.cores.as_slice(), machine.cpu_count());
    let halves = successors(Some(cores.len() / 2), |whole| Some(whole / 2)).take_while(|whole| *whole > 0);
    let serving = halves.map(|whole| cores[..whole].iter().map(Vec::len).sum::<usize>());
    let mut counts: Vec<(usize, usize)> = serving.map(|server| (server, all - server)).collect();
    if let [first, _, ..] = cores
        && first.len() > 1
    {
        counts.extend([(1, all - first.len()), (1, all - 1)]);
    }
    if counts.is_empty() {
        return Ok(vec![machine.usual()?]); // one core
    }
    let counts = counts.into_iter().take(MOST_TRIED);
    counts
        .map(|(server, generator)| machine.counted(server, generator))
        .collect()
}

/// Index of the best of the tried splits, which are in the order of [`candidates`]: the first under which the server was the
/// limit and the generator was not.
///
/// If there is none, the one under which the server was busier than the generator by most: a server that is somewhat slower
/// than the ceiling becomes its own limit there first. The highest goodput would only show where the generator is fastest.
pub fn choose(tried: &[SplitTried]) -> usize {
    if let Some(found) = tried.iter().position(server_is_limit) {
        return found;
    }
    let lead = |place: usize| tried[place].server_cpu_share - tried[place].generator_cpu_share;
    let places = 1..tried.len();
    places.fold(0, |best, place| if lead(place) > lead(best) { place } else { best })
}

/// Whether the server, and not the generator, was the limit under this split.
pub fn server_is_limit(tried: &SplitTried) -> bool {
    tried.server_cpu_share >= SERVER_BUSY && tried.generator_cpu_share <= GENERATOR_BUSY
}

/// Tries each of `candidates` with `drive` and chooses. Also returns the tries, the chosen split's first; empty if there
/// was only one candidate, which is then not driven.
pub fn calibrate<E>(
    mut candidates: Vec<Split>,
    drive: impl FnMut(&Split) -> Result<SplitTried, E>,
) -> Result<(Split, Vec<SplitTried>), E> {
    if candidates.len() == 1 {
        return Ok((candidates.remove(0), Vec::new()));
    }
    let mut tried: Vec<SplitTried> = candidates.iter().map(drive).collect::<Result<_, _>>()?;
    let chosen = choose(&tried);
    tried[..=chosen].rotate_right(1);
    Ok((candidates.remove(chosen), tried))
}

/// A split that the user requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CpuSplitArg {
    /// Numbers of cpus for server and generator: `1:3`.
    Counted(usize, usize),
    /// Lists of cpus: `0,1:2-3`.
    Listed(Vec<u32>, Vec<u32>),
}

impl CpuSplitArg {
    /// The split that it means on `machine`.
    pub fn resolve(&self, machine: &Topology) -> anyhow::Result<Split> {
        match self {
            Self::Counted(server, generator) => machine.counted(*server, *generator),
            Self::Listed(server, generator) => machine.listed(server, generator),
        }
    }
}

impl FromStr for CpuSplitArg {
    type Err = String;

    /// Two numbers of cpus, or two lists in the format of `taskset`: a comma or a range on either side makes both lists.
    fn from_str(text: &str) -> Result<Self, String> {
        let usage =
            "write how many cpus serve and how many load, as in 1:3, or which, as in 0,1:2,3 (a single one as 0-0)";
        let (server, generator) = text
            .split_once(':')
            .ok_or_else(|| format!("there is no `:` between server and load generator; {usage}"))?;
        if text.contains([',', '-']) {
            return Ok(Self::Listed(list(server)?, list(generator)?));
        }
        let count = |part: &str| match number(part)? {
            0 => Err(format!("0 cpus are too few for either; {usage}")),
            count => usize::try_from(count).map_err(|error| error.to_string()),
        };
        Ok(Self::Counted(count(server)?, count(generator)?))
    }
}

fn list(text: &str) -> Result<Vec<u32>, String> {
    let mut cpus = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return Err(format!("the range {first}-{last} runs backwards"));
        }
        cpus.extend((first..=last).take(MOST_NAMED));
        if cpus.len() >= MOST_NAMED {
            return Err(format!("no machine has {MOST_NAMED} cpus"));
        }
    }
    Ok(cpus)
}

/// Digits and nothing else.
fn number(text: &str) -> Result<u32, String> {
    let quoted = || text.chars().take(20).flat_map(char::escape_debug).collect::<String>();
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = digits.then(|| text.parse().ok()).flatten();
    number.ok_or_else(|| format!("`{}` is not a number of cpus or of a cpu", quoted()))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::cpus::tests::machine;

    /// Numbers of cpus, `SERVER:GENERATOR`, of each candidate, with `*` where both share a core.
    fn counts(machine: &Topology) -> String {
        let shown = |split: &Split| {
            let shared = if split.shared_core { "*" } else { "" };
            format!("{}:{}{shared}", split.server.len(), split.generator.len())
        };
        candidates(machine)
            .unwrap()
            .iter()
            .map(shown)
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn tried(server_cpu_share: f64, generator_cpu_share: f64) -> SplitTried {
        SplitTried {
            server_cpus: vec![0],
            generator_cpus: vec![1],
            goodput_rps: 100_000.0,
            server_cpu_share,
            generator_cpu_share,
        }
    }

    #[test]
    fn whole_cores_are_tried_from_half_of_them_down_and_then_one_thread() {
        for (cpus, threads, expected) in [
            (2, 1, "1:1"),
            (2, 2, "1:1*"),
            (4, 1, "2:2 1:3"),
            (4, 2, "2:2 1:2 1:3*"),
            (8, 1, "4:4 2:6 1:7"),
            (8, 2, "4:4 2:6 1:6 1:7*"),
            (12, 1, "6:6 3:9 1:11"),
            (20, 2, "10:10 4:16 2:18 1:18 1:19*"),
            // No more than six.
            (64, 1, "32:32 16:48 8:56 4:60 2:62 1:63"),
            (64, 2, "32:32 16:48 8:56 4:60 2:62 1:62"),
        ] {
            let machine = machine(cpus, threads);
            assert_eq!(counts(&machine), expected, "{cpus} cpus, {threads} threads");
            assert!(candidates(&machine).unwrap().contains(&machine.usual().unwrap()));
        }
        let reason = candidates(&machine(1, 1)).unwrap_err().to_string();
        assert!(reason.ends_with("this process may use 1"), "{reason}");
        let alone = &candidates(&machine(4, 2)).unwrap()[1];
        assert_eq!((&alone.server, &alone.generator), (&vec![0], &vec![1, 3]));
    }

    #[test]
    fn the_first_is_taken_under_which_the_server_is_the_limit_or_else_is_busiest_by_most() {
        let chosen = |shares: &[(f64, f64)]| {
            let all = shares.iter().map(|(server, generator)| tried(*server, *generator));
            choose(&all.collect::<Vec<_>>())
        };
        assert_eq!(chosen(&[(0.97, 0.6), (0.99, 0.3)]), 0, "more cpus for the server");
        // Two cores with two threads each: halves are the generator's limit.
        assert_eq!(chosen(&[(0.70, 0.99), (0.93, 0.84), (0.98, 0.70)]), 1);
        assert_eq!(chosen(&[(0.95, 0.86), (0.95, 0.85)]), 1);
        assert_eq!(chosen(&[(0.50, 1.0), (0.80, 0.98), (0.85, 0.99)]), 2);
        assert_eq!(chosen(&[(0.50, 0.5), (0.50, 0.5)]), 0, "the first of equals");
    }

    #[test]
    fn every_split_is_driven_and_the_chosen_one_is_listed_first() {
        let four = candidates(&machine(4, 2)).unwrap();
        let drive = |split: &Split| {
            let server_cpu_share = if split.server.len() == 1 && split.shared_core {
                0.97
            } else {
                0.7
            };
            Ok::<_, Infallible>(SplitTried {
                server_cpus: split.server.clone(),
                generator_cpus: split.generator.clone(),
                ..tried(server_cpu_share, 0.8)
            })
        };
        let Ok((split, tried)) = calibrate(four.clone(), drive);
        assert_eq!(split, four[2]);
        let generators: Vec<&[u32]> = tried.iter().map(|tried| tried.generator_cpus.as_slice()).collect();
        assert_eq!(generators, [&[1, 2, 3][..], &[1, 3], &[1, 3]]);
        assert_eq!(tried[1].server_cpus, [0, 2], "the others in their order");
    }

    #[test]
    fn the_only_split_is_taken_without_a_load_and_an_error_ends_it() {
        let two = candidates(&machine(2, 1)).unwrap();
        assert_eq!(
            calibrate(two.clone(), |_| Err("driven")),
            Ok((two[0].clone(), Vec::new()))
        );
        let four = candidates(&machine(4, 1)).unwrap();
        assert_eq!(calibrate(four, |_| Err("the ceiling died")), Err("the ceiling died"));
    }

    #[test]
    fn a_wish_is_counts_or_lists() {
        let read = |text: &str| text.parse::<CpuSplitArg>();
        assert_eq!(read("1:3"), Ok(CpuSplitArg::Counted(1, 3)));
        assert_eq!(read("0,1:2,3"), Ok(CpuSplitArg::Listed(vec![0, 1], vec![2, 3])));
        assert_eq!(read("0-0:2"), Ok(CpuSplitArg::Listed(vec![0], vec![2])));
        assert_eq!(read("0:2-4,7"), Ok(CpuSplitArg::Listed(vec![0], vec![2, 3, 4, 7])));
        for (text, expected) in [
            ("", "no `:`"),
            ("3", "as in 1:3"),
            ("0:3", "too few"),
            ("1:2:3", "`2:3`"),
            (":1", "``"),
            ("+1:1", "`+1`"),
            ("1 :1", "`1 `"),
            ("1:4294967296", "`4294967296`"),
            ("0,:1", "``"),
            ("0,x:1", "`x`"),
            ("3-1:0", "backwards"),
            ("0-4294967295:1", "no machine"),
            ("-1:1", "``"),
            ("1:\u{1b}[31m", "\\u{1b}"),
        ] {
            let error = read(text).unwrap_err();
            assert!(
                error.contains(expected) && !error.contains(['\n', '\u{1b}']),
                "{text}: {error}"
            );
        }
        let machine = machine(4, 2);
        assert_eq!(read("1:2").unwrap().resolve(&machine).unwrap().generator, [1, 3]);
        let reason = read("0,9:1").unwrap().resolve(&machine).unwrap_err().to_string();
        assert!(reason.starts_with("this process may not use cpu 9;"), "{reason}");
    }
}
