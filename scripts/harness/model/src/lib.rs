//! The vocabulary of this project: what one run measured, as it is kept in `bench-results/`.
//!
//! It depends on no other crate of the harness. Everything that measures ends in a [`Record`]; everything that judges or shows
//! begins with one. Here are its types, the scenarios, the reading and writing of files that may be broken or hostile
//! ([`store`]), text made safe to print ([`escape`]).

mod app;
mod control;
mod costs;
mod environment;
pub mod escape;
mod metric;
mod plural;
pub mod probe;
mod run;
pub mod scenario;
mod service;
pub mod store;
mod subject;
mod summary;
mod trial;
mod verdict;

pub use app::{AppRecord, Role, Tier};
pub use control::Control;
pub use costs::{
    AnswerHead, BuildCosts, Cost, CostTools, Costs, Dependencies, Release, Repeated, RequestCosts, Syscalls,
};
pub use environment::{
    Confinement, Cpu, DatabaseServer, Environment, LoadMachine, OtherProgram, SplitTried, runner_labels,
};
pub use metric::Metric;
pub use plural::count;
pub use run::{
    CLOCKS, FIRST_LOOK, Harness, Lane, RELEASE, Record, SCHEMA_VERSION, Stopped, WEEKLY, id_is_after, run_id,
};
pub use service::{Part, Served, Service, Services};
pub use stats::{Interval, Rank};
pub use subject::{DEFAULT_VARIANT, PLAIN, SubjectId, label};
pub use summary::{Cell, OwnWork, Ratio, Summary};
pub use trial::{
    EXPECTED, Latency, LatencyFigures, MachineState, REFUSED, Rss, Slices, Trial, as_refusals, expected_answers,
    is_expected,
};
pub use verdict::{GENERATOR_BUSY, Keeps, LINK_BUSY, NEAR_CEILING, SERVER_BUSY, TOO_WIDE, Verdict};
