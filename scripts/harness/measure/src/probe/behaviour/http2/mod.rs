//! HTTP/2 without TLS: conformance by h2spec, and floods of frames.

pub mod flood;
pub mod h2spec;
pub mod preface;
#[cfg(test)]
pub(super) mod server;
