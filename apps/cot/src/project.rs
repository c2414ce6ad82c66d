//! The contract in Cot's own words. Its own answers to what is malformed, unknown or of a wrong method have a body.

use contract::{CpuQuery, Fibonacci, HeavyItem, Hello, MAX_BODY_BYTES, Payload, Ram, TIMED};
use cot::{
    App, AppBuilder, Error, Project,
    cli::CliMetadata,
    config::ProjectConfig,
    json::Json,
    project::RegisterAppsContext,
    request::extractors::UrlQuery,
    router::{
        Route, Router,
        method::{get, post},
    },
};
use cot_app::LimitedJson;
use tokio::{task, time};

pub struct BenchProject;

impl Project for BenchProject {
    fn cli_metadata(&self) -> CliMetadata {
        cot::cli::metadata!()
    }

    /// What differs between a development build and a release: both are to be checked and measured as production.
    fn config(&self, _name: &str) -> cot::Result<ProjectConfig> {
        Ok(ProjectConfig::builder().debug(false).build())
    }

    fn register_apps(&self, apps: &mut AppBuilder, _context: &RegisterAppsContext) {
        apps.register_with_views(BenchApp, "");
    }
}

struct BenchApp;

impl App for BenchApp {
    fn name(&self) -> &'static str {
        env!("CARGO_PKG_NAME")
    }

    fn router(&self) -> Router {
        Router::with_urls([
            Route::with_handler("/", get(index)),
            Route::with_handler("/hello", get(hello)),
            Route::with_handler("/heavy", get(heavy)),
            Route::with_handler("/cpu", get(cpu)),
            Route::with_handler("/ram", get(ram)),
            Route::with_handler("/test/simple", post(simple)),
            Route::with_handler("/test/timed", post(timed)),
            Route::with_handler("/test/bcrypt", post(bcrypt)),
            Route::with_handler("/test/bcrypt-inline", post(bcrypt_inline)),
        ])
    }
}

async fn index() -> &'static str {
    contract::GREETING
}

async fn hello() -> Json<Hello> {
    Json(Hello::new())
}

async fn heavy() -> Json<Vec<HeavyItem>> {
    Json(contract::heavy())
}

async fn cpu(UrlQuery(query): UrlQuery<CpuQuery>) -> Json<Fibonacci> {
    Json(contract::fib(query.n))
}

async fn ram() -> Json<Ram> {
    Json(contract::ram())
}

async fn simple(Json(payload): Json<Payload>) -> Json<Payload> {
    Json(contract::greet(&payload))
}

async fn timed(Json(payload): Json<Payload>) -> Json<Payload> {
    time::sleep(TIMED).await;
    Json(contract::greet(&payload))
}

async fn bcrypt(LimitedJson(payload): LimitedJson<Payload, MAX_BODY_BYTES>) -> cot::Result<Json<Payload>> {
    let hash = task::spawn_blocking(move || contract::bcrypt(&payload))
        .await
        .map_err(Error::internal)?;
    hash.map(Json).map_err(Error::internal)
}

async fn bcrypt_inline(LimitedJson(payload): LimitedJson<Payload, MAX_BODY_BYTES>) -> cot::Result<Json<Payload>> {
    contract::bcrypt(&payload).map(Json).map_err(Error::internal)
}
