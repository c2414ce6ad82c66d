//! The server that the guide writes, for what its clients notice.

use std::{env, time::Duration};

use cot::{
    App, AppBuilder, Body, Bootstrapper, Error, Project, StatusCode,
    config::ProjectConfig,
    form::{Form, FormResult},
    json::Json,
    project::{RegisterAppsContext, run},
    request::{
        Request,
        extractors::{Path, RequestForm, UrlQuery},
    },
    router::{
        Route, Router,
        method::{get, post},
    },
};
use futures_util::stream;
use serde::{Deserialize, Serialize};
use tokio::time;

#[derive(Deserialize)]
struct Search {
    q: String,
}

#[derive(Deserialize, Serialize, Form)]
struct Person {
    name: String,
}

struct PlainProject;

impl Project for PlainProject {
    fn config(&self, _name: &str) -> cot::Result<ProjectConfig> {
        Ok(ProjectConfig::default())
    }

    fn register_apps(&self, apps: &mut AppBuilder, _context: &RegisterAppsContext) {
        apps.register_with_views(PlainApp, "");
    }
}

struct PlainApp;

impl App for PlainApp {
    fn name(&self) -> &'static str {
        env!("CARGO_PKG_NAME")
    }

    fn router(&self) -> Router {
        Router::with_urls([
            Route::with_handler("/hello", get(async || "Hello, World!")),
            Route::with_handler("/slow", get(slow)),
            Route::with_handler("/stream", get(streamed)),
            Route::with_handler("/query", get(query)),
            Route::with_handler("/p/{x}", get(path)),
            Route::with_handler("/no-content", get(async || StatusCode::NO_CONTENT)),
            Route::with_handler("/not-modified", get(async || StatusCode::NOT_MODIFIED)),
            Route::with_handler("/json", post(json)),
            Route::with_handler("/form", post(form)),
            Route::with_handler("/bytes", post(bytes)),
            Route::with_handler("/unread", post(async || "ok")),
            Route::with_handler("/panic", get(panics)),
        ])
    }
}

async fn slow() -> &'static str {
    time::sleep(Duration::from_secs(1)).await;
    "slow"
}

async fn streamed() -> Body {
    Body::streaming(stream::iter(["a", "b", "c"].map(|chunk| Ok(chunk.into()))))
}

async fn query(UrlQuery(search): UrlQuery<Search>) -> String {
    search.q
}

async fn path(Path(x): Path<String>) -> String {
    x
}

async fn json(Json(person): Json<Person>) -> Json<Person> {
    Json(person)
}

async fn form(RequestForm(form): RequestForm<Person>) -> cot::Result<String> {
    match form {
        FormResult::Ok(person) => Ok(person.name),
        FormResult::ValidationError(_) => Err(Error::with_status("not a person", StatusCode::BAD_REQUEST)),
    }
}

async fn bytes(request: Request) -> cot::Result<String> {
    let body = request.into_body().into_bytes().await?;
    Ok(body.len().to_string())
}

async fn panics() -> &'static str {
    panic!("asked to")
}

/// What `#[cot::main]` does at the command `run`.
#[tokio::main]
async fn main() -> cot::Result<()> {
    let project = Bootstrapper::new(PlainProject).with_config_name("prod")?.boot().await?;
    run(project, &env::var("ADDR").expect("ADDR is set")).await
}
