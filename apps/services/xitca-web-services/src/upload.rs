//! A form with a file, read as it comes in.

use std::pin::pin;

use services_contract::{MAX_UPLOAD_BYTES, Upload};
use xitca_web::{
    WebContext,
    error::Error,
    handler::{Responder as _, json::Json, multipart::Multipart},
    http::{StatusCode, WebResponse},
};

use crate::failure::MAX_DISCARDED_BYTES;

pub async fn upload(ctx: WebContext<'_>) -> Result<WebResponse, Error> {
    let form = ctx.extract::<Multipart>().await?;
    match read(form).await?.receipt() {
        Ok(receipt) => Json(receipt).respond(ctx).await,
        Err(missing) => (missing.to_string(), StatusCode::BAD_REQUEST).respond(ctx).await,
    }
}

/// A form that is too large is read on, and dropped: a client that is still sending finds no answer else.
async fn read(form: Multipart) -> Result<Upload, Error> {
    let mut form = pin!(form);
    let mut upload = Upload::default();
    let mut size = 0;
    while let Some(mut field) = form.try_next().await.map_err(Error::from_service)? {
        let name = field.name().unwrap_or_default().to_owned();
        let mut text = Vec::new();
        while let Some(bytes) = field.try_next().await.map_err(Error::from_service)? {
            size += bytes.len();
            if size > MAX_DISCARDED_BYTES {
                return Err(StatusCode::PAYLOAD_TOO_LARGE.into());
            }
            if size > MAX_UPLOAD_BYTES {
                continue;
            }
            if name == "file" {
                upload.bytes(&bytes);
            } else {
                text.extend_from_slice(&bytes);
            }
        }
        if name != "file" && size <= MAX_UPLOAD_BYTES {
            let text = String::from_utf8(text);
            upload.text(&name, text.map_err(|_| StatusCode::BAD_REQUEST)?);
        }
    }
    if size > MAX_UPLOAD_BYTES {
        return Err(StatusCode::PAYLOAD_TOO_LARGE.into());
    }
    Ok(upload)
}
