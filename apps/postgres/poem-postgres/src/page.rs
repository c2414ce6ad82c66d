//! The page of fortunes by Tera, which Poem's example `tera-templating` uses.

use std::sync::LazyLock;

use postgres_contract::Fortune;
use serde::Serialize;
use tera::{Context, Tera};

const NAME: &str = "fortunes.html";

static TEMPLATES: LazyLock<Tera> = LazyLock::new(|| {
    let mut templates = Tera::default();
    let text = include_str!("../../contract/templates/fortunes.html");
    templates.add_raw_template(NAME, text).expect("the template is tested");
    templates
});

#[derive(Serialize)]
struct Page<'a> {
    fortunes: &'a [Fortune],
}

/// The page, with every message escaped.
pub fn page(fortunes: &[Fortune]) -> tera::Result<String> {
    TEMPLATES.render(NAME, &Context::from_serialize(Page { fortunes })?)
}
