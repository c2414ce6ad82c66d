//! Server under test: Poem with PostgreSQL.

use poem::get;
use poem_postgres_app::{fortunes, run};

fn main() -> std::io::Result<()> {
    run(get(fortunes))
}
