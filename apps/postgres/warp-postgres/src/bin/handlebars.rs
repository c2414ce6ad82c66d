//! Server under test: warp with PostgreSQL, the page by Handlebars, as in warp's example
//! <https://github.com/seanmonstar/warp/blob/v0.4.3/examples/handlebars_template.rs>.

use std::sync::LazyLock;

use handlebars::Handlebars;
use postgres_contract::Fortune;
use serde::Serialize;
use warp_postgres_app::Failure;

const NAME: &str = "fortunes";

static TEMPLATES: LazyLock<Handlebars<'static>> = LazyLock::new(|| {
    let mut templates = Handlebars::new();
    let text = include_str!("../fortunes.hbs");
    templates
        .register_template_string(NAME, text)
        .expect("the template is tested");
    templates
});

fn main() {
    warp_postgres_app::run(page);
}

#[derive(Serialize)]
struct Page<'a> {
    fortunes: &'a [Fortune],
}

/// The page, with every message escaped.
fn page(fortunes: &[Fortune]) -> Result<String, Failure> {
    Ok(TEMPLATES.render(NAME, &Page { fortunes })?)
}
