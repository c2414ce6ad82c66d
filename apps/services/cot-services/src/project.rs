//! The project and its only app, as Cot's guide lays them out.

use cot::{
    App, AppBuilder, Project,
    cli::CliMetadata,
    config::ProjectConfig,
    project::{MiddlewareContext, RegisterAppsContext, RootHandler, RootHandlerBuilder},
    router::Router,
    static_files::{StaticFile, StaticFilesMiddleware},
};
use services_contract::Settings;

use crate::{files::files, middleware::layered, routes::router};

pub struct BenchProject {
    pub settings: Settings,
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
        let settings = self.settings.clone();
        apps.register_with_views(BenchApp { settings }, "");
    }

    fn middlewares(&self, handler: RootHandlerBuilder, context: &MiddlewareContext) -> RootHandler {
        let handler = handler.middleware(StaticFilesMiddleware::from_context(context));
        layered(handler, self.settings.layers)
    }
}

struct BenchApp {
    settings: Settings,
}

impl App for BenchApp {
    fn name(&self) -> &'static str {
        env!("CARGO_PKG_NAME")
    }

    fn router(&self) -> Router {
        router(self.settings.routes)
    }

    fn static_files(&self) -> Vec<StaticFile> {
        files(&self.settings.files)
    }
}
