//! Server under test: Silent with PostgreSQL, the page by its own middleware for templates of Tera, as in Silent's example
//! <https://github.com/silent-rs/silent/blob/main/examples/templates/src/main.rs>.

use std::sync::Arc;

use postgres_contract::{Deadpool, Fortune, Store as _, cannot_start, with_one_more};
use serde::Serialize;
use silent::{
    Result,
    extractor::State,
    prelude::{Route, TemplateMiddleware, TemplateResponse},
};
use silent_postgres_app::{failure, run};
use tera::{Tera, TeraResult};

const NAME: &str = "fortunes.html";

#[derive(Serialize)]
struct Page {
    fortunes: Vec<Fortune>,
}

fn main() {
    let templates = templates().unwrap_or_else(|error| cannot_start(error));
    run(Route::new("fortunes").hook(templates).get(fortunes));
}

/// Not from a directory, as in the example: a program on another machine does not have it.
fn templates() -> TeraResult<TemplateMiddleware> {
    let mut templates = Tera::default();
    templates.add_raw_template(NAME, include_str!("../../../contract/templates/fortunes.html"))?;
    Ok(TemplateMiddleware {
        template: Arc::new(templates),
    })
}

async fn fortunes(State(store): State<Deadpool>) -> Result<TemplateResponse> {
    let fortunes = with_one_more(store.fortunes().await.map_err(failure)?);
    Ok(TemplateResponse::from((NAME, Page { fortunes })))
}
