//! Server under test: `poem-openapi`, set up as its guide does it, with the page that shows the API. What it costs over `apps/poem` is what
//! a typed description of the API costs: each body is a tree of JSON values between its bytes and its type.

mod api;
mod messages;

use contract::Supports;
use poem::Route;
use poem_openapi::OpenApiService;

fn main() -> std::io::Result<()> {
    let settings = contract::settings_or_exit(Supports::EVERYTHING);
    let service = OpenApiService::new(api::Api, "The contract", "1.0");
    let page = service.swagger_ui();
    let app = Route::new().nest("/", service).nest("/docs", page);
    contract_tokio::block_on(settings.workers, poem_app::serve(&settings, app))
}
