//! The machine: its cpus, limits and settings, its description, and how busy it is.

pub mod cpus;
pub mod environment;
pub mod kernel;
pub mod limits;
pub mod load;
pub mod lock;
pub mod split;
pub mod tuning;
pub mod widths;
