//! The server without a database.

use std::error::Error;

use contract::{MAX_BODY_BYTES, Supports};
use dropshot::{ConfigDropshot, ConfigTls, HandlerTaskMode};

use crate::{routes, serve};

/// # Errors
///
/// The server failed.
pub fn run(handlers: HandlerTaskMode) -> Result<(), Box<dyn Error>> {
    let settings = contract::settings_or_exit(Supports {
        http2: false,
        ..Supports::EVERYTHING
    });
    // Applies only where a body is read.
    let config = ConfigDropshot {
        bind_address: settings.addr,
        default_request_body_max_bytes: MAX_BODY_BYTES,
        default_handler_task_mode: handlers,
        ..ConfigDropshot::default()
    };
    let tls = settings.tls.as_ref();
    let tls = tls.map(|tls| ConfigTls::Dynamic(contract::tls_config_or_exit(tls, settings.http)));
    contract_tokio::block_on(settings.workers, serve(routes::api()?, (), config, tls))
}
