//! The project and its only app, as Cot's guide lays them out.

use cot::{
    App, AppBuilder, Project,
    cli::CliMetadata,
    config::ProjectConfig,
    project::{MiddlewareContext, RegisterAppsContext, RootHandler, RootHandlerBuilder},
    router::Router,
};
use postgres_contract::Deadpool;

use crate::{database, routes::router};

pub struct BenchProject {
    pub store: Deadpool,
}

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

    fn middlewares(&self, handler: RootHandlerBuilder, _context: &MiddlewareContext) -> RootHandler {
        database::with(self.store.clone(), handler)
    }
}

struct BenchApp;

impl App for BenchApp {
    fn name(&self) -> &'static str {
        env!("CARGO_PKG_NAME")
    }

    fn router(&self) -> Router {
        router()
    }
}
