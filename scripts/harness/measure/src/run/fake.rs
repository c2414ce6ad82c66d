//! A world without processes, for tests: servers that do what a test says, on a clock that only loads and pauses move.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use super::driver::{Clock, Driver, Prover, Running};
use generator::{GeneratorError, Load, RemoteStats};
use machine::cpus::Split;
use machine::load::Used;
use machine::process_ticks::ProcessTicks;
use model::Verdict;
use model::scenario::{LoadModel, Scenario};
use servers::contract::{Symptom, Violation};
use servers::database::Role;
use servers::failure::{Failure, Lack};
use servers::server::Launch;
use servers::workload::Workload;

/// Answers per second in a closed loop.
pub const RATE: f64 = 80_000.0;
/// CPU time of a server for one answer, in µs: it uses 96 % of one cpu.
pub const COST: f64 = 12.0;
/// Share of a cpu that the generator uses while it drives, and what it takes to start and to report.
pub const BUSY: f64 = 0.6;
const OVERHEAD: Duration = Duration::from_millis(2);
/// Bytes of the body of an answer.
const BYTES: u64 = 13;

/// What happens to a server.
pub enum Event<'a> {
    /// It is started.
    Start,
    /// The whole contract is proven; what it lacks is to be added.
    Contract(&'a mut Vec<Lack>),
    /// The request of the scenario is proven.
    Proof,
    /// It is driven.
    Load(&'a mut Loaded),
    /// A request of a load is proven during that load.
    Witness,
}

/// The load that a server would bear if nothing went wrong.
pub struct Loaded {
    pub result: Result<Load, GeneratorError>,
    /// CPU time of the server.
    pub cpu: Duration,
    /// How the server ends, if it does.
    pub end: Option<String>,
}

impl Loaded {
    pub fn load(&mut self) -> &mut Load {
        self.result.as_mut().unwrap()
    }

    /// Half of a machine that makes load is taken by others.
    pub fn disturb(&mut self) {
        let busiest = (self.load().cpu, 1);
        self.load().remote = Some(RemoteStats {
            busiest,
            link_share: 0.0,
            used: Used {
                available: Duration::from_secs(1),
                busy: Duration::from_millis(500),
                ..Used::default()
            },
            here: Duration::ZERO,
        });
    }
}

/// Where something happens.
pub struct Moment<'a> {
    pub app: &'a str,
    /// Number of the start of this app, from 1.
    pub start: u32,
    /// Number of the load since this start: 0 in the warm-up, and before it.
    pub load: u32,
}

impl Moment<'_> {
    /// Whether it is one of this server's.
    pub fn is(&self, app: &str, start: u32) -> bool {
        (self.app, self.start) == (app, start)
    }
}

/// Nothing goes wrong but what `act` does to loads.
pub fn loads(
    act: impl Fn(&Moment<'_>, &mut Loaded) + Send + Sync + 'static,
) -> impl Fn(&Moment<'_>, Event<'_>) -> Result<(), Failure> + Send + Sync + 'static {
    move |now, event| {
        if let Event::Load(loaded) = event {
            act(now, loaded);
        }
        Ok(())
    }
}

pub fn breaks(verdict: Verdict, reason: &str) -> Result<(), Failure> {
    Err(Failure::Verdict(verdict, reason.to_owned()))
}

/// Servers whose names begin so use two fifths of a cpu while nobody sends requests.
pub const RESTLESS: &str = "restless";
const IDLE: f64 = 0.4;

/// The world.
#[derive(Clone)]
pub struct World(Arc<Shared>);

struct Shared {
    began: Instant,
    state: Mutex<State>,
    witnessed: Condvar,
    act: Box<Act>,
}

type Act = dyn Fn(&Moment<'_>, Event<'_>) -> Result<(), Failure> + Send + Sync;

#[derive(Default)]
struct State {
    now: Duration,
    starts: BTreeMap<String, u32>,
    /// Apps whose last server proved the whole contract; the next one, which is measured, has the same number.
    proven: BTreeSet<String>,
    /// Who was driven, in turn; the warm-ups and empty loads are left out.
    turns: Vec<String>,
    proofs: u64,
}

impl World {
    /// A world in which `act` says what goes wrong.
    pub fn new(act: impl Fn(&Moment<'_>, Event<'_>) -> Result<(), Failure> + Send + Sync + 'static) -> Self {
        Self(Arc::new(Shared {
            began: Instant::now(),
            state: Mutex::default(),
            witnessed: Condvar::new(),
            act: Box::new(act),
        }))
    }

    fn state<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        look(&mut self.0.state.lock().unwrap())
    }

    /// How often an app was started.
    pub fn starts(&self, app: &str) -> u32 {
        self.state(|state| state.starts.get(app).copied().unwrap_or(0))
    }

    /// Who was driven, in turn, after the warm-ups.
    pub fn turns(&self) -> Vec<String> {
        self.state(|state| state.turns.clone())
    }

    /// How long it has been there.
    pub fn age(&self) -> Duration {
        self.state(|state| state.now)
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a world without processes")
    }
}

impl Clock for World {
    fn now(&self) -> Instant {
        self.0.began + self.age()
    }

    fn sleep(&self, time: Duration) {
        self.state(|state| state.now += time);
    }
}

impl Driver for World {
    fn start<'a>(&'a self, launch: Launch<'_>, _: &Scenario, _: &Split) -> Result<Box<dyn Running + 'a>, Failure> {
        let Launch::Program(program, _) = launch else {
            panic!("{launch:?}")
        };
        let app = program.path().file_name().unwrap().to_string_lossy().into_owned();
        let start = self.state(|state| {
            let starts = state.starts.entry(app.clone()).or_default();
            *starts += u32::from(!state.proven.remove(&app));
            *starts
        });
        let server = FakeServer {
            world: self.clone(),
            app,
            start,
            since: self.age(),
            loads: 0,
            is_apart: false,
            cpu: Duration::ZERO,
            driven: Duration::ZERO,
            end: None,
            is_witnessed: false.into(),
        };
        server.act(Event::Start)?;
        Ok(Box::new(server))
    }
}

#[derive(Clone)]
struct FakeServer {
    world: World,
    app: String,
    start: u32,
    since: Duration,
    loads: u32,
    /// Whether it proved the whole contract before any load.
    is_apart: bool,
    cpu: Duration,
    /// Time of its own loads.
    driven: Duration,
    end: Option<String>,
    is_witnessed: std::cell::Cell<bool>,
}

impl FakeServer {
    fn act(&self, event: Event<'_>) -> Result<(), Failure> {
        let moment = Moment {
            app: &self.app,
            start: self.start,
            load: self.loads,
        };
        (self.world.0.act)(&moment, event)
    }
}

impl Running for FakeServer {
    fn startup(&self) -> Duration {
        Duration::from_millis(3)
    }

    fn lacks(&mut self, _: u64) -> Result<Vec<Lack>, Failure> {
        self.is_apart = true;
        self.world.state(|state| state.proven.insert(self.app.clone()));
        let mut lacks = Vec::new();
        self.act(Event::Contract(&mut lacks))?;
        Ok(lacks)
    }

    fn prove(&mut self, _: &Scenario, _: u64) -> Result<(), Failure> {
        self.act(Event::Proof)
    }

    fn weigh(&mut self, _: &Workload<'_>) -> Result<(), Failure> {
        Ok(())
    }

    fn answer_bytes(&self) -> Option<f64> {
        Some(BYTES as f64)
    }

    fn load(&mut self, workload: &Workload<'_>, seconds: f64) -> Result<Load, GeneratorError> {
        assert!(!self.is_apart, "it no longer has the memory of a server under load");
        let scenario = workload.scenario;
        if scenario.requests == Some(1) {
            return Ok(load(scenario, 0.0, 1.0));
        }
        let (rate, late) = match scenario.load {
            LoadModel::Open { rate_rps } => (rate_rps.min(RATE), rate_rps > RATE),
            _ => (RATE, false),
        };
        let mut loaded = Loaded {
            result: Ok(load(scenario, seconds, rate)),
            cpu: Duration::from_secs_f64(seconds * rate * COST / 1e6),
            end: None,
        };
        if late {
            loaded.load().latency = Some([1e3; 8].into());
        }
        self.act(Event::Load(&mut loaded)).unwrap();
        if self.is_witnessed.take() {
            // Like a real load it lasts until something was proven meanwhile.
            let world = &self.world.0;
            let state = world.state.lock().unwrap();
            drop(world.witnessed.wait_while(state, |state| state.proofs == 0));
        }
        let time = Duration::from_secs_f64(seconds);
        self.world.sleep(time);
        if self.loads > 0 {
            self.world.state(|state| state.turns.push(self.app.clone()));
        }
        self.loads += 1;
        self.driven += time;
        self.cpu += loaded.cpu;
        self.end = loaded.end;
        loaded.result
    }

    fn prover(&self, _: Duration) -> io::Result<Prover> {
        self.is_witnessed.set(true);
        self.world.state(|state| state.proofs = 0);
        let server = Mutex::new(self.clone());
        Ok(Box::new(move |_, _| {
            let server = server.lock().unwrap();
            let proven = match server.act(Event::Witness) {
                Ok(()) => Ok(()),
                Err(failure) => Err(violation(failure.into_verdict().unwrap())),
            };
            let proofs = server.world.state(|state| {
                state.proofs += 1;
                state.proofs
            });
            server.world.0.witnessed.notify_all();
            (Ok(proven), proofs)
        }))
    }

    fn failure_from(&mut self, violation: &Violation) -> Failure {
        Failure::Verdict(Verdict::ContractFailed, violation.to_string())
    }

    fn exit_reason(&mut self) -> Option<String> {
        self.end.clone()
    }

    fn await_exit_reason(&mut self) -> Option<String> {
        self.end.clone()
    }

    fn cpu_time(&self) -> io::Result<Duration> {
        let idle = self.world.age().saturating_sub(self.since + self.driven);
        let share = if self.app.starts_with(RESTLESS) { IDLE } else { 0.0 };
        Ok(self.cpu + idle.mul_f64(share))
    }

    fn cpu_time_of_known(&self) -> io::Result<Duration> {
        self.cpu_time()
    }

    fn ticks(&self) -> ProcessTicks {
        // A quarter of its time, in the shortest ticks that there could be.
        let nanos = u64::try_from(self.cpu.as_nanos()).unwrap();
        ProcessTicks {
            user: 3 * nanos,
            system: nanos,
            ..ProcessTicks::default()
        }
    }

    fn pids(&self) -> Vec<i32> {
        Vec::new()
    }

    fn role(&self) -> Option<&Arc<Role>> {
        None
    }
}

/// A server that crashed gave no answer; any other gave a wrong one.
fn violation((verdict, got): (Verdict, String)) -> Violation {
    Violation {
        request: "GET /".into(),
        expected: "`Hello, World!`".into(),
        got,
        symptom: match verdict {
            Verdict::Crashed => Symptom::Silence,
            _ => Symptom::Wrong,
        },
    }
}

/// A load at this rate in which nothing goes wrong.
fn load(scenario: &Scenario, seconds: f64, rate: f64) -> Load {
    let answers = answers(seconds * rate / RATE);
    Load {
        requests: BTreeMap::from([("200".into(), answers)]),
        seconds,
        latency: Some([f64::from(scenario.in_flight()) / rate * 1e3; 8].into()),
        cpu: OVERHEAD + Duration::from_secs_f64(BUSY * seconds),
        body_bytes: Some(BYTES * answers),
        ..Load::default()
    }
}

/// Answers of a closed loop of so many seconds.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a few thousands
pub fn answers(seconds: f64) -> u64 {
    (RATE * seconds).round() as u64
}

/// Cpus that no machine has: what others do on it does not count.
pub fn split() -> Split {
    Split {
        server: vec![100_000],
        generator: vec![100_001],
        ..Split::default()
    }
}
