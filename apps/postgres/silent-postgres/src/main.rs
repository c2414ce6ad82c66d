//! Server under test: Silent with PostgreSQL.

use silent::prelude::Route;
use silent_postgres_app::{fortunes, run};

fn main() {
    run(Route::new("fortunes").get(fortunes));
}
