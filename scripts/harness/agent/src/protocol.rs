//! What harness and agent write to each other: lines of JSON. Times are in seconds, and moments are readings of a monotonic clock unless
//! they say otherwise.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

/// Time without a word of the harness after which the agent ends everything that it has started.
pub const SILENCE: Duration = Duration::from_secs(15);

/// What the harness commands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// The harness lives. Gets no reply, and may come at any time.
    Alive,
    /// Read the clocks.
    Clocks,
    /// Measure the link to this address, where servers will listen.
    Link(SocketAddr),
    /// Make a load.
    Load(LoadCommand),
}

/// A load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoadCommand {
    /// The arguments of the load generator.
    pub arguments: Vec<Argument>,
    /// When it begins; `None` for at once.
    pub at: Option<f64>,
    /// Seconds up to its deadline, which is also how far CPU time counts.
    pub seconds: f64,
    /// After how many seconds it is given up.
    pub given_up_after: f64,
    /// Cpus that it runs on; empty for all.
    pub cpus: Vec<u32>,
    /// The network interface whose bytes are counted.
    pub interface: Option<String>,
    /// Whether the latency of each request is wanted.
    pub latencies: bool,
}

/// An argument of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Argument {
    /// As it is.
    Text(String),
    /// The path of a file.
    File {
        /// What stands before the path, in the same argument.
        before: String,
        /// What is in the file.
        content: String,
    },
}

impl Argument {
    /// Writes the files to `folder`, and returns the arguments as a program takes them.
    pub fn write_files(arguments: &[Self], folder: &Path) -> io::Result<Vec<String>> {
        let written = arguments.iter().enumerate().map(|(number, argument)| match argument {
            Self::Text(text) => Ok(text.clone()),
            Self::File { before, content } => {
                let path = folder.join(format!("argument-{number}"));
                std::fs::write(&path, content)?;
                Ok(format!("{before}{}", path.display()))
            }
        });
        written.collect()
    }
}

/// What the agent replies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// It waits for commands. The first that it says.
    Ready(Machine),
    /// To [`Command::Clocks`].
    Clocks(Clocks),
    /// To [`Command::Link`].
    Link(LinkReport),
    /// To [`Command::Load`].
    Load(Box<LoadReport>),
    /// Why a command could not be carried out.
    Failed(String),
}

/// The agent's machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Cpus that it may use.
    pub cpus: Vec<u32>,
    /// Model name of the cpu.
    pub cpu_model: String,
    /// Kernel release.
    pub kernel: String,
    /// Changes with each start of the machine.
    pub boot_id: String,
    /// Files that it may open.
    pub open_files: u64,
    /// Local ports for connections.
    pub ports: u32,
}

/// What the clocks of a machine show.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Clocks {
    /// Since some moment in the past. It never jumps, and loads are timed by it.
    pub monotonic: f64,
    /// Since 1970.
    pub wall: f64,
}

impl Clocks {
    /// What this machine's clocks show.
    pub fn now() -> io::Result<Self> {
        let seconds = |clock| io::Result::Ok(Duration::from(clock_gettime(clock)?).as_secs_f64());
        Ok(Self {
            monotonic: seconds(ClockId::CLOCK_MONOTONIC)?,
            wall: seconds(ClockId::CLOCK_REALTIME)?,
        })
    }
}

/// What the agent saw of a link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkReport {
    /// Megabits per second that it received.
    pub mbit: f64,
    /// Largest packet on the way, in bytes; `None` where the kernel does not say.
    pub mtu: Option<u32>,
    /// The network interface.
    pub interface: Option<String>,
    /// Speed of the interface in Mbit/s, where it says.
    pub interface_mbit: Option<u32>,
}

/// What the agent saw of a load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoadReport {
    /// When the generator was started.
    pub started: f64,
    /// What it printed.
    pub report: String,
    /// CPU time of the generator up to the deadline.
    pub cpu: f64,
    /// CPU time of the generator to its end, and of the agent meanwhile.
    pub known_cpu: f64,
    /// How long all of it took.
    pub wall: f64,
    /// The lines of `/proc/stat` about cpus, before and after.
    pub stat: [String; 2],
    /// Bytes that the network interface received and sent meanwhile, with the headers of packets.
    pub bytes: [u64; 2],
    /// Number of requests by their latency in microseconds, where it was wanted.
    pub latencies: Vec<(u64, u64)>,
}
