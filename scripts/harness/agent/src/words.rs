//! The words between harness and agent, each a line of JSON.

use std::net::SocketAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Version of these words.
pub const VERSION: u32 = 1;
/// How long the agent waits for the next word, if only [`Order::Ping`], before it ends everything that it has started.
pub const SILENCE: Duration = Duration::from_secs(15);
/// Longest line, in bytes. Bodies of a load have some megabytes, and so do the latencies of a long one.
pub const LONGEST_LINE: u64 = 64 << 20;
/// How long each direction of a link is filled to know its speed.
pub const FILLED_FOR: Duration = Duration::from_millis(400);
/// Questions by which the round-trip time of a link is known.
pub const ECHOES: usize = 100;

/// What the harness orders.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case", deny_unknown_fields)]
pub enum Order {
    /// Say that you live, and your clocks. Is answered under load too.
    Ping,
    /// Connect to this address, send back each of [`ECHOES`] bytes, and fill the connection in both directions.
    Link {
        /// Where the harness listens, which is where servers will.
        address: SocketAddr,
    },
    /// Make a load.
    Load(LoadOrder),
    /// End the load.
    Stop,
}

/// A load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadOrder {
    /// The arguments of the load generator.
    pub arguments: Vec<Argument>,
    /// When it begins, by the agent's monotonic clock; at once if that is over.
    pub at_ns: u64,
    /// After how many seconds its deadline is. CPU time is that up to it.
    pub seconds: f64,
    /// After how many seconds it is given up.
    pub given_up_after: f64,
    /// Cpus that it runs on; empty for all.
    pub cpus: Vec<u32>,
    /// Whether the latency of each request is asked for.
    pub latencies: bool,
}

/// An argument of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
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

/// What the agent answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case", deny_unknown_fields)]
pub enum Answer {
    /// It waits for orders. The first that it says.
    Ready(Machine),
    /// To [`Order::Ping`].
    Clocks(Clocks),
    /// To [`Order::Link`].
    Link(LinkSeen),
    /// To [`Order::Load`].
    Load(Box<LoadSeen>),
    /// An order could not be carried out.
    Failed {
        /// Why not.
        reason: String,
    },
}

/// The agent's machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// [`VERSION`] of the agent.
    pub version: u32,
    /// Cpus that it may use.
    pub cpus: Vec<u32>,
    /// Model name of the cpu.
    pub cpu_model: String,
    /// Kernel release.
    pub kernel: String,
    /// Changes with each start of the machine; that of the harness, if both are one machine.
    pub boot_id: String,
    /// Files that it may open.
    pub open_files: u64,
    /// Local ports for connections.
    pub ports: u32,
}

/// What the clocks of the agent's machine show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clocks {
    /// Nanoseconds since some moment in the past. It never jumps, and loads are timed by it.
    pub monotonic_ns: u64,
    /// Nanoseconds since 1970.
    pub wall_ns: u64,
}

/// What the agent saw of a link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkSeen {
    /// Bytes that it received while the harness filled the link.
    pub received: u64,
    /// Seconds in which it received them.
    pub seconds: f64,
    /// Largest packet on the way, in bytes; `None` where the kernel does not say.
    pub mtu: Option<u32>,
    /// The network interface.
    pub interface: Option<String>,
    /// Speed of the interface in Mbit/s, where it says.
    pub interface_mbit: Option<u32>,
}

/// What the agent saw of a load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadSeen {
    /// When the generator was started, by the agent's monotonic clock.
    pub started_ns: u64,
    /// How it ended: `Ok` with its report, or what went wrong.
    pub report: Result<String, String>,
    /// CPU time of the generator up to the deadline, in microseconds.
    pub cpu_us: u64,
    /// CPU time of the generator to its end, and of the agent meanwhile, in microseconds.
    pub known_us: u64,
    /// How long that took, in microseconds.
    pub wall_us: u64,
    /// The lines of `/proc/stat` about cpus, before and after.
    pub stat: [String; 2],
    /// Bytes that the network interface received and sent meanwhile, with the heads of packets.
    pub received: u64,
    /// See `received`.
    pub sent: u64,
    /// Number of requests by their latency in microseconds, if it was asked for.
    pub latencies: Option<Vec<(u64, u64)>>,
}
