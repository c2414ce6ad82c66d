//! Server under test: xitca-web, set up as its guide does it.
//!
//! A body that comes along with `Expect: 100-continue`, without waiting for it, gets that 100 and no answer.

use xitca_web_app::{Write, run};

fn main() -> std::io::Result<()> {
    run(Write::Default)
}
