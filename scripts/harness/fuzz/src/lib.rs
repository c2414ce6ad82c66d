//! The two places where hostile bytes come in: the artifact of a pull request, and what a load generator reports of a server under test.
//! Each is a function that takes any bytes and must neither panic nor take long, and must show nothing that it should have escaped.
//!
//! cargo-fuzz looks for bytes that break one (`./scripts/fuzz`); what it found is kept in `corpus/`, which an ordinary test runs.

mod artifact;
#[cfg(test)]
mod corpus;
mod generator;
mod shown;
mod surgery;

pub use artifact::artifact;
pub use generator::generator;

/// A function that takes any bytes.
pub type Target = fn(&[u8]);

/// All of them, by the name of their binary and of their folder in `corpus/`.
pub const TARGETS: [(&str, Target); 2] = [("artifact", artifact), ("generator", generator)];
