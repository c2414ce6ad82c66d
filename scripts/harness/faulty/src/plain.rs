//! A small server that keeps the plain contract, but for one fault: a thread for each connection, a request at a time.

use std::collections::BTreeMap;
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, exit};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

use crate::hostile::Hostile;
use crate::http::{Request, Response};
use crate::{Connected, Serve, alone, answers, attacks, converse, locked, serve_all, settings};

/// What is wrong with a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fault {
    /// Nothing.
    #[default]
    None,
    /// `GET /` says something else.
    WrongBody,
    /// `GET /` says that it is HTML.
    WrongContentType,
    /// `GET /hello` has the same id each time.
    FixedUuid,
    /// `POST /test/simple` is answered with 500.
    ServerError,
    /// The connection is closed without an answer on `GET /hello`.
    Nothing,
    /// The body of `GET /hello` stops in the middle.
    HalfAnAnswer,
    /// `GET /hello` is never answered.
    Hangs,
    /// It never answers anything, not even the check for readiness.
    Silent,
    /// It ends at once, with a word on stderr.
    DiesAtOnce,
    /// It ends after some hundred requests.
    DiesUnderLoad,
    /// Under load, every hundredth answer is a 500.
    FailsUnderLoad,
    /// A connection stays open after a request to close it.
    IgnoresClose,
    /// Every answer costs work that nobody needs.
    Costly,
    /// `GET /cpu` turns a loop so many times more.
    Burden(u32),
    /// A body above the limit is answered with 500.
    LargeBody,
    /// It always has the same number of threads.
    IgnoresWorkers,
    /// While it hashes, nothing else is answered.
    HashesOnWorker,
    /// One sleeps after the other.
    BlocksTimed,
    /// SIGTERM and SIGINT do nothing.
    IgnoresSigterm,
    /// It takes every setting, and speaks HTTP/1.1 in cleartext.
    IgnoresSettings,
    /// `GET /hello` panics.
    Panics,
    /// It works two fifths of the time, with or without requests.
    Restless,
    /// While many are connected, `GET /` has no body.
    EmptyUnderLoad,
    /// While many are connected, `GET /` says something else of the same length.
    WrongUnderLoad,
    /// From its first load on, a body that it has seen is answered at once, as it was the first time.
    KeepsAnswers,
    /// It answers in processes that it starts, one for each worker: no fault.
    Prefork,
    /// It leaves a process of a session of its own, whose parent has ended.
    LeavesProcess,
    /// Under load it puts itself in the place of a rival and of the load generator.
    ReplacesRival,
    /// Under load it stops and kills its parent and a rival.
    KillsOthers,
    /// Under load it begins to write to stderr, and does not end.
    FloodsStderr,
    /// Under load it writes to the folder for temporary files.
    FillsDisk,
    /// Each connection takes a file descriptor that is never closed.
    KeepsFiles,
    /// Each connection takes 64 KiB that are never given back.
    KeepsMemory,
    /// Connections of the server before it keep its port from it.
    BindsAlone,
    /// Once it is ready it reads, and says nothing.
    FallsSilent,
    /// Once it is ready, each answer has 10 GB.
    AnswersWithoutEnd,
    /// Once it is ready, each answer has fields without end.
    FieldsWithoutEnd,
    /// Once it is ready, it sends a byte every tenth of a second.
    Drips,
}

impl Fault {
    /// Those that a test starts as a process.
    pub const OF_PROCESSES: [Self; 19] = [
        Self::None,
        Self::Silent,
        Self::DiesAtOnce,
        Self::IgnoresWorkers,
        Self::IgnoresSigterm,
        Self::IgnoresSettings,
        Self::Panics,
        Self::Prefork,
        Self::LeavesProcess,
        Self::KillsOthers,
        Self::FloodsStderr,
        Self::FillsDisk,
        Self::KeepsFiles,
        Self::KeepsMemory,
        Self::BindsAlone,
        Self::FallsSilent,
        Self::AnswersWithoutEnd,
        Self::FieldsWithoutEnd,
        Self::Drips,
    ];

    /// Whether it is right only until it is ready.
    fn is_hostile(self) -> bool {
        matches!(
            self,
            Self::FallsSilent | Self::AnswersWithoutEnd | Self::FieldsWithoutEnd | Self::Drips
        )
    }
}

/// A server with what it remembers.
#[derive(Default)]
pub struct Plain {
    fault: Fault,
    connected: Connected,
    requests: AtomicU32,
    /// Hashes that are requested and not answered.
    hashes: AtomicU32,
    /// Done once, under load.
    attack: OnceLock<()>,
    /// Whether [`Fault::KeepsAnswers`] has seen a load.
    is_loaded: AtomicBool,
    /// Its answers by path and body.
    kept: Mutex<BTreeMap<(String, Vec<u8>), Response>>,
    /// Held by the one that sleeps.
    bed: Mutex<()>,
}

/// Threads of [`Fault::IgnoresWorkers`]: more than the contract opens connections.
const THREADS: usize = 64;
/// Requests of the contract's proof that come before any load.
const BEFORE_LOAD: u32 = 150;

/// Serves on `ADDR` until it is killed.
pub fn serve(fault: Fault) -> ! {
    if fault == Fault::DiesAtOnce {
        eprintln!("no luck today");
        exit(7);
    }
    if fault == Fault::Restless {
        spawn(|| {
            loop {
                let until = Instant::now() + Duration::from_millis(40);
                while Instant::now() < until {}
                sleep(Duration::from_millis(60));
            }
        });
    }
    if fault != Fault::IgnoresSettings && !fault.is_hostile() {
        settings::obey();
    }
    if fault == Fault::IgnoresSigterm {
        settings::ignore_signals();
    }
    if fault == Fault::LeavesProcess {
        let mut daemon = Command::new("/usr/bin/setsid");
        let started = daemon.args(["--fork", "/bin/sleep", "300"]).status();
        assert!(started.expect("setsid is installed").success());
    }
    let listener = if fault == Fault::Prefork {
        prefork()
    } else if fault == Fault::BindsAlone {
        let address = settings::address().parse().expect("ADDR is an address");
        alone::listener(address).expect("ADDR is free")
    } else {
        settings::listener()
    };
    if fault.is_hostile() {
        serve_all(&listener, Hostile::once_ready(fault));
    }
    let server = Plain::new(fault);
    if fault == Fault::IgnoresWorkers {
        one_by_one(&listener, &Arc::new(server));
    }
    serve_all(&listener, server)
}

/// So many threads, of which each serves a connection at a time.
fn one_by_one(listener: &TcpListener, server: &Arc<Plain>) -> ! {
    let serve = |listener: TcpListener, server: &Plain| {
        for stream in listener.incoming().map_while(Result::ok) {
            server.talk(stream);
        }
    };
    let listener = || listener.try_clone().expect("a file descriptor is left");
    for _ in 1..THREADS {
        let (listener, server) = (listener(), Arc::clone(server));
        spawn(move || serve(listener, &server));
    }
    serve(listener(), server);
    exit(0)
}

/// The listener, in a child process; the parent waits for its children, who have it as their standard input.
fn prefork() -> TcpListener {
    if std::env::var_os("CHILD").is_some() {
        let listener = std::io::stdin().as_fd().try_clone_to_owned();
        return listener.expect("a file descriptor is left").into();
    }
    let listener = settings::listener();
    let workers = settings::number("WORKERS", 1, 1);
    let start = |_| {
        // Itself, in whatever folder it lies.
        let mut child = Command::new("/proc/self/exe");
        let listener = OwnedFd::from(listener.try_clone().expect("a file descriptor is left"));
        child
            .arg0(std::env::args_os().next().unwrap_or_default())
            .env("CHILD", "1")
            .stdin(listener)
            .spawn()
            .expect("a child can be started")
    };
    let children: Vec<_> = (0..workers).map(start).collect();
    for mut child in children {
        let _ = child.wait();
    }
    exit(0)
}

impl Serve for Plain {
    fn talk(&self, stream: TcpStream) -> Option<()> {
        if self.fault == Fault::KeepsFiles {
            std::mem::forget(stream.try_clone());
        }
        if self.fault == Fault::KeepsMemory {
            std::mem::forget(vec![1_u8; 64 << 10]);
        }
        converse(stream, &self.connected, |reader, request| {
            let number = self.requests.fetch_add(1, Ordering::Relaxed);
            let is_silent = self.fault == Fault::Silent || self.fault == Fault::Hangs && request.path == "/hello";
            if is_silent {
                return reader.read_on();
            }
            if self.fault == Fault::IgnoresClose {
                request.fields.retain(|(name, _)| name != "connection");
            }
            let hashes = u32::from(request.path == "/test/bcrypt");
            self.hashes.fetch_add(hashes, Ordering::Relaxed);
            reader.answer(&self.answer(request, number)?)?;
            self.hashes.fetch_sub(hashes, Ordering::Relaxed);
            Some(())
        })
    }
}

impl Plain {
    /// A server that has seen nothing yet.
    pub fn new(fault: Fault) -> Self {
        Self {
            fault,
            ..Self::default()
        }
    }

    /// The answer that this body was given before, or a good one.
    fn kept(&self, request: &Request) -> Response {
        let key = (request.path.clone(), request.body.clone());
        let known = locked(&self.kept).get(&key).cloned();
        known.unwrap_or_else(|| {
            let answer = answers::answer(request);
            locked(&self.kept).insert(key, answer.clone());
            answer
        })
    }

    /// `None` closes the connection.
    fn answer(&self, request: &Request, number: u32) -> Option<Response> {
        let fault = self.fault;
        let place = (request.method.as_str(), request.path.as_str());
        let _in_turn = (fault == Fault::BlocksTimed && place.1 == "/test/timed").then(|| locked(&self.bed));
        let many = self.connected.are_many();
        if fault == Fault::KeepsAnswers && place.0 == "POST" {
            self.is_loaded.fetch_or(many, Ordering::Relaxed);
            if self.is_loaded.load(Ordering::Relaxed) {
                return Some(self.kept(request));
            }
        }
        let good = answers::answer(request);
        if many {
            self.attack.get_or_init(|| match fault {
                Fault::ReplacesRival => attacks::replace_rival(),
                Fault::KillsOthers => attacks::kill_others(),
                Fault::FloodsStderr => attacks::flood_stderr(),
                Fault::FillsDisk => attacks::fill_disk(),
                _ => {}
            });
        }
        match (fault, place) {
            (Fault::WrongBody, ("GET", "/")) => Some(Response::text(200, "Hello, Wurld!")),
            (Fault::WrongContentType, ("GET", "/")) => Some(Response {
                content_type: "text/html",
                ..good
            }),
            (Fault::FixedUuid, ("GET", "/hello")) => {
                Some(answers::hello(uuid::Uuid::from_u128(0x4000_8000_0000_0000_0000)))
            }
            (Fault::ServerError, ("POST", "/test/simple")) => Some(Response::text(500, "oh no")),
            (Fault::Nothing, ("GET", "/hello")) => None,
            (Fault::HalfAnAnswer, ("GET", "/hello")) => Some(Response {
                announced: good.body.len() * 2,
                ..good
            }),
            (Fault::DiesUnderLoad, _) if number > BEFORE_LOAD + 300 => {
                eprintln!("out of luck after {number} requests");
                exit(9)
            }
            (Fault::FailsUnderLoad, ("GET", "/")) if number > BEFORE_LOAD && number.is_multiple_of(100) => {
                Some(Response::text(500, "oh no"))
            }
            (Fault::Costly, _) => {
                for turn in 0..200_000_u32 {
                    std::hint::black_box(turn);
                }
                Some(good)
            }
            (Fault::Burden(turns), ("GET", "/cpu")) => {
                for turn in 0..turns {
                    std::hint::black_box(turn);
                }
                Some(good)
            }
            (Fault::EmptyUnderLoad, ("GET", "/")) if many => Some(Response::text(200, "")),
            (Fault::WrongUnderLoad, ("GET", "/")) if many => Some(Response::text(200, "Hello, Wurld!")),
            (Fault::LargeBody, _) if request.is_too_large() => Some(Response::text(500, "oh no")),
            (Fault::HashesOnWorker, ("GET", "/")) => {
                // On a busy machine, earlier requests for hashes may be read later.
                sleep(Duration::from_millis(50));
                while self.hashes.load(Ordering::Relaxed) > 0 {
                    sleep(Duration::from_millis(1));
                }
                Some(good)
            }
            (Fault::Panics, ("GET", "/hello")) => panic!("the handler is out of luck"),
            _ => Some(good),
        }
    }
}
