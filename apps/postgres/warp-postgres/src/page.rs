//! The page of fortunes by Handlebars, which warp's example `handlebars_template` uses.

use std::sync::LazyLock;

use handlebars::{Handlebars, RenderError};
use postgres_contract::Fortune;
use serde::Serialize;

const NAME: &str = "fortunes";

static TEMPLATES: LazyLock<Handlebars<'static>> = LazyLock::new(|| {
    let mut templates = Handlebars::new();
    let text = include_str!("fortunes.hbs");
    templates
        .register_template_string(NAME, text)
        .expect("the template is tested");
    templates
});

#[derive(Serialize)]
struct Page<'a> {
    fortunes: &'a [Fortune],
}

/// The page, with every message escaped.
pub fn page(fortunes: &[Fortune]) -> Result<String, RenderError> {
    TEMPLATES.render(NAME, &Page { fortunes })
}
