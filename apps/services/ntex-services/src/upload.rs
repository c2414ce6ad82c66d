//! A form with a file, read as it comes in.

use futures_util::TryStreamExt as _;
use ntex::{
    http::StatusCode,
    web::{Error, Responder, error::InternalError, types::Json},
};
use ntex_multipart::Multipart;
use services_contract::{MAX_UPLOAD_BYTES, Upload};

pub async fn upload(form: Multipart) -> Result<impl Responder, Error> {
    let upload = read(form).await?;
    let receipt = upload.receipt();
    receipt
        .map(Json)
        .map_err(|missing| InternalError::new(missing, StatusCode::BAD_REQUEST).into())
}

/// The form as a stream has no limit of its own, as the one that is read into a type has.
async fn read(mut form: Multipart) -> Result<Upload, Error> {
    let mut upload = Upload::default();
    let mut room = MAX_UPLOAD_BYTES;
    while let Some(mut field) = form.try_next().await? {
        let name = field.name().unwrap_or_default().to_owned();
        let mut text = Vec::new();
        while let Some(bytes) = field.try_next().await? {
            let rest = room.checked_sub(bytes.len());
            room = rest.ok_or_else(|| InternalError::new("the form is too large", StatusCode::PAYLOAD_TOO_LARGE))?;
            if name == "file" {
                upload.bytes(&bytes);
            } else {
                text.extend_from_slice(&bytes);
            }
        }
        if name != "file" {
            let text = String::from_utf8(text);
            upload.text(
                &name,
                text.map_err(|error| InternalError::new(error, StatusCode::BAD_REQUEST))?,
            );
        }
    }
    Ok(upload)
}
