//! Server under test: Dropshot without a task for each request. `README.md` has the source.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    dropshot_app::run(dropshot::HandlerTaskMode::CancelOnDisconnect)
}
