//! Load from another machine: the [words] between it and the harness, and the program that runs there (`serve`). Knows nobody.
//!
//! The harness copies the load generator to the other machine, over SSH, and starts it there as `oha agent`. From then on each
//! writes lines of JSON to the other, through the same connection. The agent decides nothing: it starts the generator when it is told,
//! and says what it saw. It ends when its input does, or when it has not heard of the harness for [`words::SILENCE`], with everything
//! that it has started.

#[cfg(feature = "program")]
mod counters;
pub mod filling;
#[cfg(feature = "program")]
mod latencies;
#[cfg(feature = "program")]
mod link;
#[cfg(feature = "program")]
mod load;
#[cfg(feature = "program")]
mod serve;
pub mod words;

#[cfg(feature = "program")]
pub use serve::serve;
