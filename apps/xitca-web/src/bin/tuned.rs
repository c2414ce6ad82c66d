//! Server under test: xitca-web, with what its documentation recommends for small answers. `README.md` has the source.

use xitca_web_app::{Write, run};

fn main() -> std::io::Result<()> {
    run(Write::NotVectored)
}
