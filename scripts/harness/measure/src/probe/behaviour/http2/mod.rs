//! HTTP/2 without TLS: conformance by h2spec, floods of frames, and a request that comes at once.

pub mod flood;
pub mod h2spec;
pub mod preface;
#[cfg(test)]
pub(super) mod server;
