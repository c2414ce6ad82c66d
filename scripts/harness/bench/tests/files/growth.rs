//! By how much gh-pages grows: records of a made-up lane, published week by week into a real git repository by the real writer.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use judge::analysis;
use judge::reading;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use record::scenario::Scenario;
use record::{AppRecord, Lane, Latency, Record, Role, Rss, Trial, Verdict};
use tell::publish;
use tell::publish::{Additions, Folder, Memory, Published};

/// A record that was measured, and is committed: what these records are like beside their figures.
const LIKE: &str = include_str!("../../../../../bench-results/local/20261121T123408Z-1.json");
/// What a week may add to a lane's part of the branch, in bytes, if git finds nothing that a new object has in common with an old
/// one: a year of three lanes then is below 50 MB.
const A_WEEK: u64 = 300_000;
const FRAMEWORKS: usize = 20;
const SCENARIOS: usize = 12;
const ROUNDS: u32 = 6;
/// Fourteen months, from December to January: a whole year is finished in them.
const WEEKS: i64 = 58;
/// Weeks that are published alone and weighed, from 0: the fifth run of a month, the last of the year, and the first of the next,
/// which finishes it. The others are published together: each publication judges the history of the lane again.
const WEIGHED: [i64; 3] = [52, 56, 57];
const BEGIN: &str = "2025-12-01T00:23:00Z";

const NAMES: [&str; 20] = [
    "actix-web",
    "axum",
    "rocket",
    "warp",
    "poem",
    "salvo",
    "tide",
    "gotham",
    "ntex",
    "viz",
    "hyper",
    "may-minihttp",
    "trillium",
    "thruster",
    "iron",
    "nickel",
    "volo-http",
    "astra",
    "xitca-web",
    "pavex",
];

/// What one app needs under one scenario, about which its trials spread.
struct Level {
    cpu_us: f64,
    idle: f64,
    peak: f64,
    startup_ms: f64,
    verdict: Verdict,
}

/// A lane whose runs differ as measured ones do.
struct World {
    chance: ChaCha8Rng,
    like: Record,
    apps: Vec<AppRecord>,
    scenarios: Vec<Scenario>,
    levels: Vec<Vec<Level>>,
}

impl World {
    fn new() -> Self {
        let mut chance = ChaCha8Rng::seed_from_u64(7);
        let like = reading::parse("record.json".as_ref(), LIKE).unwrap();
        let scenarios: Vec<Scenario> = (0..SCENARIOS)
            .map(|number| Scenario {
                id: ["plaintext".to_owned(), format!("scenario-{number}")][usize::from(number > 0)].clone(),
                ..like.scenarios[0].clone()
            })
            .collect();
        let app = |id: &str, role: Role| AppRecord {
            id: id.to_owned(),
            name: id.to_owned(),
            link: format!("https://github.com/{id}/{id}"),
            role,
            framework: id.to_owned(),
            build_error: None,
            ..like.apps[0].clone()
        };
        let frameworks = NAMES.iter().take(FRAMEWORKS).map(|id| app(id, Role::Framework));
        let apps: Vec<AppRecord> = frameworks
            .chain([app("reference", Role::Reference), app("ceiling", Role::Ceiling)])
            .collect();
        let mut levels = Vec::new();
        for _ in &apps {
            let (cpu, idle, startup) = (
                chance.random_range(7.0..25.0),
                chance.random_range(2.5e6..9e6),
                chance.random_range(2.0..11.0),
            );
            let of_scenario = (0..SCENARIOS).map(|number| Level {
                cpu_us: cpu * 1.25_f64.powi(i32::try_from(number).unwrap()) * spread(&mut chance, 0.05),
                idle,
                peak: idle * chance.random_range(1.05..1.6),
                startup_ms: startup,
                // As on a hosted runner: cheap requests are limited by the load generator, waiting ones by nothing.
                verdict: match (number, chance.random_range(0..10)) {
                    (0..=2, 0..=6) => Verdict::ClientBound,
                    (11, _) => Verdict::Unsaturated,
                    _ => Verdict::Valid,
                },
            });
            levels.push(of_scenario.collect());
        }
        Self {
            chance,
            like,
            apps,
            scenarios,
            levels,
        }
    }

    fn run(&mut self, started_at: Timestamp) -> Record {
        for place in 0..self.apps.len() {
            if self.chance.random_range(0..4) == 0 {
                self.apps[place].lockfile_hash = hash(&mut self.chance);
                self.apps[place].binary_bytes = Some(self.chance.random_range(3_000_000..9_000_000));
            }
            self.apps[place].build_seconds = Some(self.chance.random_range(20.0..90.0));
        }
        let mut trials: Vec<Trial> = Vec::new();
        let mut clock = started_at;
        for round in 1..=ROUNDS {
            for scenario in shuffled(SCENARIOS, &mut self.chance) {
                // The machine drifts, and all that are measured within a minute drift with it.
                let drift = spread(&mut self.chance, 0.02);
                for app in shuffled(self.apps.len(), &mut self.chance) {
                    let spoilt = self.chance.random_range(0..50) == 0;
                    for attempt in 1..=1 + u32::from(spoilt) {
                        let verdict = if spoilt && attempt == 1 {
                            Some(Verdict::EnvironmentFailed)
                        } else {
                            None
                        };
                        let mut trial = self.trial(app, scenario, drift, verdict);
                        (trial.round, trial.attempt, trial.started_at) = (round, attempt, clock);
                        trial.order = u32::try_from(trials.len()).unwrap() + 1;
                        clock += SignedDuration::from_millis(self.chance.random_range(12_300..13_900));
                        trials.push(trial);
                    }
                }
            }
        }
        Record {
            id: format!(
                "{}-{:x}",
                started_at.strftime("%Y%m%dT%H%M%SZ"),
                self.chance.random_range(1..u32::MAX)
            ),
            lane: Lane::HostedX64,
            started_at,
            finished_at: clock,
            apps: self.apps.clone(),
            scenarios: self.scenarios.clone(),
            summary: analysis::summary(&self.apps, &self.scenarios, &trials),
            trials,
            ..self.like.clone()
        }
    }

    fn trial(&mut self, app: usize, scenario: usize, drift: f64, spoilt: Option<Verdict>) -> Trial {
        let level = &self.levels[app][scenario];
        let chance = &mut self.chance;
        let cpu = level.cpu_us * drift * spread(chance, 0.015);
        let limit = if level.verdict == Verdict::Unsaturated {
            3_150.0
        } else {
            1e6 / cpu
        };
        let goodput = limit * spread(chance, 0.01);
        let seconds = 10.0 + chance.random_range(0.0..0.02);
        let generator = if level.verdict == Verdict::ClientBound {
            0.9
        } else {
            0.6
        } * spread(chance, 0.03);
        let p50 = 64_000.0 / goodput * spread(chance, 0.01);
        let pages = |bytes: f64| (bytes / 4096.0).round().max(1.0) * 4096.0;
        let idle = pages(level.idle * spread(chance, 0.003));
        let peak = pages(level.peak * spread(chance, 0.008)).max(idle);
        let verdict = spoilt.unwrap_or(level.verdict);
        let percent = (generator * 100.0).round();
        let reasons = match verdict {
            Verdict::Valid => Vec::new(),
            Verdict::ClientBound => vec![format!(
                "the load generator used more than 85 % of its cpus ({percent} %)"
            )],
            Verdict::Unsaturated => vec![format!("the server used less than 90 % of its cpus ({percent} %)")],
            _ => vec![format!("the hypervisor took 5.{percent} % of the cpus")],
        };
        let bytes = |bytes: f64| {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it is small and not negative
            let whole = bytes.round() as u64;
            whole
        };
        Trial {
            database_cpu_share: None,
            link_share: None,
            database_connections_open: None,
            database_connections_active: None,
            answer_bytes: None,
            first_byte_ms: None,
            database_cpu_us_per_request: None,
            instructions_per_request: None,
            other_cpu_share: None,
            idle_cpu_share: None,
            apart: false,
            slices: None,
            app: self.apps[app].id.clone(),
            variant: "default".into(),
            scenario: self.scenarios[scenario].id.clone(),
            round: 0,
            order: 0,
            attempt: 1,
            started_at: Timestamp::UNIX_EPOCH,
            verdict,
            reasons,
            requests: BTreeMap::from([("200".to_owned(), bytes(goodput * seconds))]),
            errors: BTreeMap::new(),
            seconds: Some(seconds),
            goodput_rps: Some(goodput),
            capacity_rps: None,
            latency_ms: Some(Latency {
                min: p50 * 0.2 * spread(chance, 0.3),
                mean: p50 * 1.02 * spread(chance, 0.01),
                p50,
                p90: p50 * 1.3 * spread(chance, 0.03),
                p95: p50 * 1.5 * spread(chance, 0.04),
                p99: p50 * 1.9 * spread(chance, 0.08),
                p99_9: p50 * 3.5 * spread(chance, 0.2),
                max: p50 * 7.0 * spread(chance, 0.3),
            }),
            server_cpu_us_per_request: Some(cpu),
            server_cpu_share: Some((goodput * cpu / 1e6 * spread(chance, 0.01)).min(1.0)),
            generator_cpu_share: Some(generator),
            steal_share: Some((spread(chance, 0.003) - 1.0).max(0.0)),
            rss_bytes: Some(Rss {
                idle: bytes(idle),
                peak: bytes(peak),
                after: bytes(pages(peak * (1.0 - chance.random_range(0.0..0.01)))),
            }),
            startup_ms: Some(level.startup_ms * spread(chance, 0.04)),
        }
    }
}

/// A factor near 1 that spreads by about this share.
fn spread(chance: &mut ChaCha8Rng, by: f64) -> f64 {
    let sum: f64 = (0..6).map(|_| chance.random_range(-1.0..1.0)).sum();
    (sum / 2.0_f64.sqrt() * by).exp()
}

fn shuffled(length: usize, chance: &mut ChaCha8Rng) -> Vec<usize> {
    let mut keyed: Vec<(u64, usize)> = (0..length).map(|place| (chance.random(), place)).collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, place)| place).collect()
}

fn hash(chance: &mut ChaCha8Rng) -> String {
    let words: [u64; 4] = chance.random();
    words.map(|word| format!("{word:016x}")).concat()
}

/// Week by week from [`BEGIN`].
fn run(world: &mut World, week: i64) -> Published {
    let began = BEGIN.parse::<Timestamp>().unwrap() + SignedDuration::from_hours(24 * 7 * week);
    Published::new("record.json".as_ref(), world.run(began)).unwrap()
}

fn with(records: Vec<Published>) -> Additions {
    Additions {
        records,
        ..Additions::nothing("2030-01-01T00:00:00Z".parse().unwrap())
    }
}

#[test]
fn a_second_week_changes_files_of_its_month_and_what_is_one_for_all() {
    let (mut world, mut tree) = (World::new(), Memory::default());
    tree.0 = publish::prepare(&tree, &with(vec![run(&mut world, 0)])).unwrap().files;
    let second = run(&mut world, 1);
    let files = publish::prepare(&tree, &with(vec![second.clone()])).unwrap().files;
    let lane = "data/hosted-x64";
    for path in files.keys().filter(|path| path.starts_with(lane)) {
        let is_of_its_month = path.starts_with(&format!("{lane}/series/2025-12/"));
        let is_one_for_all = path.starts_with(&format!("{lane}/badges/")) || *path == format!("{lane}/changes.json");
        assert!(is_of_its_month || is_one_for_all || *path == second.path(), "{path}");
    }
    // Uncompressed; what git stores of it is weighed in `slow`.
    let bytes: usize = files.values().map(Vec::len).sum();
    assert!(bytes < 5 * usize::try_from(A_WEEK).unwrap(), "{bytes} bytes");
}

mod slow {
    use std::path::Path;
    use std::process::Command;

    use super::*;

    fn git(root: &Path, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command
            // As objects are compressed for a push: by zlib's own default, and not by the quick level of those not packed yet.
            .args([
                "-c",
                "core.looseCompression=-1",
                "-c",
                "user.name=Test",
                "-c",
                "user.email=test@example.org",
                "-c",
                "gc.auto=0",
            ])
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .current_dir(root);
        let output = command.output().unwrap();
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    /// Bytes that git has stored, each object compressed by itself.
    fn stored(root: &Path) -> u64 {
        let sizes = git(
            root,
            &["cat-file", "--batch-all-objects", "--batch-check=%(objectsize:disk)"],
        );
        sizes.lines().map(|size| size.parse::<u64>().unwrap()).sum()
    }

    #[test]
    fn a_week_of_a_lane_adds_little_also_when_a_year_is_finished() {
        let pages = tempfile::tempdir().unwrap();
        let pages = pages.path();
        git(pages, &["init", "-q"]);
        let tree = Folder::open(pages).unwrap();
        let mut world = World::new();
        let publish = |records: Vec<Published>| {
            let prepared = publish::prepare(&tree, &with(records)).unwrap();
            tree.write(&prepared.files, || false).unwrap();
            git(pages, &["add", "-A"]);
            git(pages, &["commit", "-q", "--allow-empty", "-m", "A week"]);
            stored(pages)
        };
        let (mut waiting, mut weeks) = (Vec::new(), Vec::new());
        for week in 0..WEEKS {
            let run = run(&mut world, week);
            if !WEIGHED.contains(&week) {
                waiting.push(run);
                continue;
            }
            let before = publish(std::mem::take(&mut waiting));
            let (id, length) = (run.record.id.clone(), run.text.len());
            weeks.push((id, publish(vec![run]) - before, length));
        }
        for (id, grown, length) in &weeks {
            println!(
                "{id} {:.1} KB; its record unpacked {:.1} KB",
                *grown as f64 / 1000.0,
                *length as f64 / 1000.0
            );
        }
        let all: u64 = weeks.iter().map(|(_, grown, _)| grown).sum();
        println!("{:.1} KB a week", all as f64 / 1000.0 / weeks.len() as f64);
        assert!(
            pages.join("data/hosted-x64/series/2026/plaintext.json").is_file(),
            "a year was finished"
        );
        let (id, most, _) = weeks.iter().max_by_key(|(_, grown, _)| *grown).unwrap();
        assert!(*most < A_WEEK, "publishing {id} took {most} bytes");
    }
}
