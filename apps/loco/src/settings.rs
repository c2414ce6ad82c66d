//! What stands in `config/production.yaml` of an application. A server here is one program, without files.

use contract::MAX_BODY_BYTES;
use loco_rs::{Result, boot::ServeParams, config::Config};
use serde_json::json;

/// What is left out is as Loco has it. Its workers would want a queue, and have no jobs here.
pub fn config(address: &ServeParams) -> Result<Config> {
    Ok(serde_json::from_value(json!({
        "logger": { "enable": false, "level": "off", "format": "compact" },
        "server": {
            "binding": address.binding,
            "port": address.port,
            "host": "http://localhost",
            "middlewares": {
                "fallback": { "enable": true, "not_found": "no such path" },
                "limit_payload": { "body_limit": MAX_BODY_BYTES.to_string() },
                "logger": { "enable": false },
            },
        },
        "workers": { "mode": "ForegroundBlocking" },
    }))?)
}
