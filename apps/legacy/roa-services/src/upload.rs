//! A form with a file, read as it comes in.

use roa::{Context, Result, body::PowerBody as _, http::StatusCode, throw};
use services_contract::{MAX_UPLOAD_BYTES, Upload};

use crate::body::{bad_request, length, too_large};

pub async fn upload(ctx: &mut Context) -> Result {
    match length(ctx) {
        Some(length) if length <= MAX_UPLOAD_BYTES => {}
        Some(_) => return Err(too_large(ctx.req.reader(), MAX_UPLOAD_BYTES).await),
        // Roa's forms have no limit.
        None => throw!(StatusCode::LENGTH_REQUIRED, "want a content-length"),
    }
    let upload = read(ctx).await?;
    ctx.write_json(&upload.receipt().map_err(bad_request)?)
}

async fn read(ctx: &mut Context) -> Result<Upload> {
    let mut form = ctx.read_multipart().await?;
    let mut upload = Upload::default();
    while let Some(mut field) = form.next_field().await.map_err(bad_request)? {
        if field.name() == Some("file") {
            while let Some(bytes) = field.chunk().await.map_err(bad_request)? {
                upload.bytes(&bytes);
            }
        } else {
            let name = field.name().unwrap_or_default().to_owned();
            upload.text(&name, field.text().await.map_err(bad_request)?);
        }
    }
    Ok(upload)
}
