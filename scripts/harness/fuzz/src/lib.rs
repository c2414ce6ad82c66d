//! Every place where bytes from outside come in: records, probes and comparisons of pull requests, what is published, handovers, and
//! what load generators print. Each is one function that takes any bytes and must neither panic nor take long, and must
//! show nothing that it should have escaped.
//!
//! cargo-fuzz looks for bytes that break one (`./scripts/fuzz`); what it found is kept in `corpus/`, which an ordinary test runs. A
//! function does what the command behind it does: it reads, and makes everything of it that people and programs get to see; of a new input,
//! one of those things ([`Parts`]).

mod comparisons;
mod parts;
mod probes;
mod records;
mod runs;
mod shown;
mod surgery;
mod trees;

pub use parts::Parts;

/// A function that takes any bytes.
pub type Target = fn(&[u8], Parts);

/// All of them, by the name of their binary and of their folder in `corpus/`.
pub const TARGETS: [(&str, Target); 8] = [
    ("record", records::record),
    ("published_record", records::published_record),
    ("tree", trees::tree),
    ("artifact", comparisons::artifact),
    ("csv", records::csv),
    ("probes", probes::probes),
    ("handover", runs::handover),
    ("generator", runs::generator),
];

/// Runs the target of this name: the part that the bytes choose.
///
/// # Panics
/// If there is none, and where the target has a defect.
pub fn run(name: &str, data: &[u8]) {
    let target = TARGETS.iter().find(|(known, _)| *known == name);
    let (_, target) = target.expect("the name of a target");
    target(data, Parts::chosen_by(data));
}
