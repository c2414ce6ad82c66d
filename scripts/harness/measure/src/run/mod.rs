//! Makes a run: from a plan to trials.

mod app_costs;
mod calibration;
mod campaign;
mod capacity;
mod conditions;
mod cpus;
mod database_observer;
mod disturbed;
pub mod driver;
#[cfg(test)]
pub(crate) mod fake;
mod inload_check;
mod journal;
mod load_machines;
pub mod memory;
mod observation;
mod observer;
mod preview;
mod provide;
mod request;
mod request_counts;
mod resume;
pub mod round;
mod session;
mod setup;
pub mod sliced;
mod trial;
mod verdict;

pub use cpus::requested_split;
pub use request::RunRequest;
pub use session::run;
pub(crate) use session::run_by;
pub(crate) use setup::Setup;
