//! Server under test: Cot, set up as its guide and its examples `hello-world` and `json` do it, and run by its `Bootstrapper`. In
//! since 0.7.0, as a framework with a router and extractors of its own, in the way of Django, on Axum's server.
//!
//! It speaks HTTP/1.1 in cleartext: the guide offers no other version and no TLS. There is no variant `tuned`: nothing in its
//! documentation recommends a setting but `debug` off for production, and here it is off.

mod project;

use contract::Supports;

use crate::project::BenchProject;

fn main() -> cot::Result<()> {
    let settings = contract::settings_or_exit(Supports::HTTP1_CLEARTEXT);
    contract_tokio::block_on(settings.workers, cot_app::serve(BenchProject, settings.addr))
}
