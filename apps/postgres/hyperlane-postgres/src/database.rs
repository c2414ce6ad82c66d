//! The pool, in a static, as in hyperlane's quick start: a route is a type of which each request makes a value, so it holds nothing.

use std::sync::OnceLock;

use hyperlane_app::Refusal;
use postgres_contract::{Deadpool, cannot_start};

static DATABASE: OnceLock<Deadpool> = OnceLock::new();

/// Before the server runs.
pub fn keep(store: Deadpool) {
    if DATABASE.set(store).is_err() {
        cannot_start("the database is kept already");
    }
}

pub fn database() -> Result<&'static Deadpool, Refusal> {
    DATABASE.get().ok_or_else(|| Refusal::failure("no database"))
}
