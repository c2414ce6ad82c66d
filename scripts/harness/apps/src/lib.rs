//! The apps: which there are, what their sources and locked dependencies are, and how their programs are built.

pub mod build;
pub mod cargo;
pub mod catalog;
mod compile_error;
pub mod contract_parts;
pub mod handover;
pub mod new_app;
pub mod profile;
pub mod registry_paths;
pub mod suggest;
