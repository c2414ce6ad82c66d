//! One of the servers as a process. The name by which it is started is its fault, so that a link to this program is another server.

use std::path::PathBuf;

use faulty::{database, plain};

fn main() {
    let program = PathBuf::from(std::env::args_os().next().unwrap_or_default());
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    match name.strip_prefix("Database") {
        Some(fault) => database::serve(named(&database::Fault::OF_PROCESSES, fault)),
        None => plain::serve(named(&plain::Fault::OF_PROCESSES, &name)),
    }
}

fn named<F: std::fmt::Debug + Copy>(faults: &[F], name: &str) -> F {
    let found = faults.iter().find(|fault| format!("{fault:?}") == name);
    *found.unwrap_or_else(|| panic!("there is no fault {name}"))
}
