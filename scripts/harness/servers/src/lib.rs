//! The servers: started and stopped, alone or in containers, with their databases, and proven to answer as the contract says.

pub mod check;
pub mod container;
pub mod contract;
pub mod database;
pub mod failure;
mod free_port;
pub mod server;
mod service_input;
pub mod shared_files;
pub mod workload;
