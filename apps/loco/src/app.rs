//! The application, as `loco new` writes it.

use std::net::SocketAddr;

use async_trait::async_trait;
use axum::{Router, http::StatusCode};
use loco_rs::{
    Result,
    app::{AppContext, Hooks},
    bgworker::Queue,
    boot::{self, BootResult, ServeParams, StartMode},
    config::Config,
    controller::AppRoutes,
    environment::Environment,
    task::Tasks,
};
use tokio::net::TcpListener;

use crate::controller;

pub struct App;

#[async_trait]
impl Hooks for App {
    fn app_name() -> &'static str {
        env!("CARGO_CRATE_NAME")
    }

    async fn boot(mode: StartMode, environment: &Environment, config: Config) -> Result<BootResult> {
        boot::create_app::<Self>(mode, environment, config).await
    }

    fn routes(_: &AppContext) -> AppRoutes {
        AppRoutes::with_default_routes().add_route(controller::routes())
    }

    /// Its own answer to a wrong method has no body.
    async fn after_routes(router: Router, _: &AppContext) -> Result<Router> {
        Ok(router.method_not_allowed_fallback(method_not_allowed))
    }

    /// As Loco does it by itself, but that it ends at once.
    async fn serve(app: Router, _: &AppContext, address: &ServeParams) -> Result<()> {
        let address: SocketAddr = format!("{}:{}", address.binding, address.port)
            .parse()
            .unwrap_or_else(|error| contract::cannot_start(error));
        let listener = TcpListener::bind(address)
            .await
            .unwrap_or_else(|error| contract::cannot_listen(address, &error));
        Ok(axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?)
    }

    async fn connect_workers(_: &AppContext, _: &Queue) -> Result<()> {
        Ok(())
    }

    fn register_tasks(_: &mut Tasks) {}
}

async fn method_not_allowed() -> (StatusCode, &'static str) {
    (StatusCode::METHOD_NOT_ALLOWED, "not with this method")
}
