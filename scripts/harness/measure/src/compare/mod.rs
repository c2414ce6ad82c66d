//! The course of a comparison: both sides are built, and driven in turns until [`judge::compare`] knows.

pub mod campaign;
pub mod changes;
pub mod instructions;
pub mod sides;
pub mod slices;
