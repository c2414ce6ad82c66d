//! Server under test: Poem with PostgreSQL, the page by Tera, as in Poem's example
//! <https://github.com/poem-web/poem/blob/master/examples/poem/tera-templating/src/main.rs>.

use std::sync::LazyLock;

use poem::{
    Result,
    error::InternalServerError,
    get, handler,
    web::{Data, Html},
};
use postgres_contract::{Deadpool, Fortune, Store as _, with_one_more};
use serde::Serialize;
use tera::{Context, Tera};

const NAME: &str = "fortunes.html";

static TEMPLATES: LazyLock<Tera> = LazyLock::new(|| {
    let mut templates = Tera::default();
    let text = include_str!("../../../contract/templates/fortunes.html");
    templates.add_raw_template(NAME, text).expect("the template is tested");
    templates
});

fn main() -> std::io::Result<()> {
    poem_postgres_app::run(get(fortunes_by_tera))
}

#[derive(Serialize)]
struct Page<'a> {
    fortunes: &'a [Fortune],
}

/// The page, with every message escaped.
fn page(fortunes: &[Fortune]) -> tera::Result<String> {
    TEMPLATES.render(NAME, &Context::from_serialize(Page { fortunes })?)
}

#[handler]
async fn fortunes_by_tera(Data(store): Data<&Deadpool>) -> Result<Html<String>> {
    let rows = with_one_more(store.fortunes().await.map_err(InternalServerError)?);
    page(&rows).map(Html).map_err(InternalServerError)
}
