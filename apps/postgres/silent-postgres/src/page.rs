//! The page of fortunes by Tera, which Silent's own templates are of.

use std::sync::Arc;

use postgres_contract::Fortune;
use serde::Serialize;
use silent::prelude::{TemplateMiddleware, TemplateResponse};
use tera::{Tera, TeraResult};

const NAME: &str = "fortunes.html";

#[derive(Serialize)]
struct Page {
    fortunes: Vec<Fortune>,
}

/// Not from a directory, as in the example `templates`: a program on another machine does not have it beside itself.
pub fn templates() -> TeraResult<TemplateMiddleware> {
    let mut templates = Tera::default();
    templates.add_raw_template(NAME, include_str!("../../contract/templates/fortunes.html"))?;
    Ok(TemplateMiddleware {
        template: Arc::new(templates),
    })
}

/// What the middleware makes the page of, with every message escaped.
pub fn page(fortunes: Vec<Fortune>) -> TemplateResponse {
    TemplateResponse::from((NAME, Page { fortunes }))
}
