//! The command from end to end: a dozen smokes with real servers and the real oha; every other test starts at most one process.

/// What drives load has the machine for itself.
pub mod alone {
    mod container;
    mod database;
    pub mod generators;
    mod handover;
    mod interrupt;
    mod load_from;
    mod run;
    mod services;
}
mod compare;
mod contract;
