//! A form with a file, read as it comes in.

use actix_multipart::Multipart;
use actix_web::{
    Responder, Result,
    error::{ErrorBadRequest, ErrorPayloadTooLarge},
    web::Json,
};
use futures_util::TryStreamExt as _;
use services_contract::{MAX_UPLOAD_BYTES, Upload};

pub async fn upload(form: Multipart) -> Result<impl Responder> {
    let upload = read(form).await?;
    upload.receipt().map(Json).map_err(ErrorBadRequest)
}

/// The form as a stream has no limit of its own, as the one that is read into a type or a temporary file has.
async fn read(mut form: Multipart) -> Result<Upload> {
    let mut upload = Upload::default();
    let mut room = MAX_UPLOAD_BYTES;
    while let Some(mut field) = form.try_next().await? {
        let name = field.name().unwrap_or_default().to_owned();
        let mut text = Vec::new();
        while let Some(bytes) = field.try_next().await? {
            let rest = room.checked_sub(bytes.len());
            room = rest.ok_or_else(|| ErrorPayloadTooLarge("the form is too large"))?;
            if name == "file" {
                upload.bytes(&bytes);
            } else {
                text.extend_from_slice(&bytes);
            }
        }
        if name != "file" {
            upload.text(&name, String::from_utf8(text).map_err(ErrorBadRequest)?);
        }
    }
    Ok(upload)
}
