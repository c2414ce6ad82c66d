//! Server under test: xitca-web with service features.
//!
//! A body that comes along with `Expect: 100-continue`, without waiting for it, gets that 100 and no answer.

mod files;
mod middleware;
mod pieces;
mod routes;
mod websocket;

use services_contract::{Route, settings_or_exit};
use xitca_web::{
    App,
    handler::handler_service,
    middleware::{Group, compress::Compress, eraser::TypeEraser},
    route::{get, post},
    service::{ServiceExt as _, file::ServeDir, fn_service},
};
use xitca_web_app::with_body;

fn main() -> std::io::Result<()> {
    let settings = settings_or_exit();
    let compressed = Group::new().enclosed(Compress).enclosed(TypeEraser::response_body());
    // The routes are here and not with their handlers, because the type of an application has no name to return it by.
    let app = App::new()
        .at("/", get(handler_service(routes::index)))
        .at("/auth", get(fn_service(routes::auth)))
        .at("/validate", post(fn_service(routes::validate)))
        .at("/json", post(handler_service(routes::json)))
        .at(
            files::MOUNT,
            ServeDir::new(settings.files).enclosed_fn(files::below_mount),
        )
        .at(
            "/listing/{seed}",
            get(handler_service(routes::listing).enclosed(compressed)),
        )
        .at("/stream/{seed}", get(handler_service(pieces::stream)))
        .at("/websocket", get(handler_service(websocket::websocket)));
    let layers = handler_service(routes::layers);
    let app = if settings.layers == 0 {
        app.at("/middleware", get(layers))
    } else {
        app.at("/middleware", get(layers.enclosed(middleware::Counts(settings.layers))))
    };
    let app = services_contract::routes(settings.routes).fold(app, |app, route @ Route { number, .. }| {
        let path = route.path("{id}");
        if route.has_parameter() {
            app.at(&path, get(handler_service(routes::thing)))
        } else {
            app.at(&path, get(handler_service(move || async move { number.to_string() })))
        }
    });
    let addr = settings.server.addr;
    app.enclosed_fn(with_body)
        .serve()
        .worker_threads(settings.server.workers.get())
        // With its handlers, SIGTERM leaves open connections half a minute.
        .disable_signal()
        .bind(addr)
        .unwrap_or_else(|error| services_contract::cannot_listen(addr, &error))
        .run()
        .wait()
}
