//! The words of this project and its border: what one run found, as it lies in `bench-results/`.
//!
//! Whom it may know: nobody. Everything that measures ends in a [`Record`]; everything that judges or shows begins with one.
//! Here are its types, the scenarios that it was asked by, reading and writing of files that may be broken or hostile
//! ([`store`]), text made safe to print ([`escape`]), and a sample for tests ([`sample`]).

mod costs;
mod document;
pub mod escape;
pub mod older;
pub mod sample;
pub mod scenario;
pub mod store;
mod subject;

pub use costs::{Cost, CostTools, Costs, Dependencies, Repeated, RequestCosts, Syscalls};
pub use document::*;
pub use subject::{DEFAULT_VARIANT, SubjectId, label};
