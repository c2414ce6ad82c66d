//! Load from another machine: the [protocol] between it and the harness, and the program that runs there (`serve`). Depends on no other
//! crate of the harness.
//!
//! The harness copies the load generator to the other machine, over SSH, and starts it there as `oha agent`. Then each writes lines of JSON
//! to the other, through the same connection. The agent decides nothing: it starts the generator on command, and reports what it saw. It
//! ends, with everything that it has started, when its input ends or when it has heard nothing for [`protocol::SILENCE`].

pub mod affinity;
pub mod kernel_files;
pub mod link;
#[cfg(feature = "program")]
mod load;
#[cfg(feature = "program")]
mod machine;
pub mod protocol;
#[cfg(feature = "program")]
mod serve;

#[cfg(feature = "program")]
pub use serve::serve;
