//! History: what changed in a lane over all its runs, how certain that is, and what else was different then.
//!
//! ```text
//! records | CSV ──> past ──> common mode and changes, in turns ──> attribution ──> causes ──> story
//! ```
//!
//! A pure function of the past and of the lockfiles of its commits. docs/history.md describes how it judges and how often it is right.

mod bystanders;
mod causes;
mod common_mode;
mod divisive;
mod joint_error;
mod joints;
mod judgement;
mod long_form;
mod noise;
mod offsets;
mod past;
mod records;
mod runners;
mod self_test;
pub mod simulate;
mod story;
mod suspicion;
mod timeline;

pub use causes::{Cause, Lockfiles, NoLockfiles, Step};
pub use judgement::judge;
pub use long_form::CsvError;
pub use noise::{OwnNoise, own_noise};
pub use past::{Kind, Past};
pub use records::run_of_probes;
pub use self_test::SelfTest;
pub use story::{
    Change, Common, Direction, Drift, Joined, Joint, Mark, MarkKind, SCHEMA_VERSION, Segment, State, Story, Theirs,
};
