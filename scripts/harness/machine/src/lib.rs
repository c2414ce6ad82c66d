//! The machine: its cpus, limits and settings, how busy it is, and the processes that are started on it.

pub mod cgroup;
pub mod clock;
pub mod confine;
pub mod cpus;
pub mod descendants;
pub mod environment;
pub mod essentials;
pub mod git;
mod identity;
pub mod interrupt;
pub mod kernel;
pub mod known_work;
pub mod limits;
pub mod load;
pub mod lock;
pub mod network;
pub mod other_programs;
pub mod parallel_map;
pub mod process;
pub mod process_ticks;
pub mod program;
pub mod quota;
pub mod split;
mod stderr;
pub mod tuning;
pub mod widths;

pub use agent::{affinity, kernel_files};
pub use stderr::tell;
