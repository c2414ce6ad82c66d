//! A form with a file, read as it comes in.

use services_contract::{Receipt, Upload};
use volo_http::{
    http::StatusCode,
    server::{
        extract::Json,
        utils::multipart::{Multipart, MultipartRejectionError},
    },
};

pub async fn upload(form: Multipart) -> Result<Json<Receipt>, (StatusCode, String)> {
    // As it is, its answer to a form that cannot be read has no body.
    let upload = read(form).await;
    let upload = upload.map_err(|error| (error.to_status_code(), error.to_string()))?;
    let receipt = upload.receipt();
    receipt
        .map(Json)
        .map_err(|missing| (StatusCode::BAD_REQUEST, missing.to_string()))
}

async fn read(mut form: Multipart) -> Result<Upload, MultipartRejectionError> {
    let mut upload = Upload::default();
    while let Some(mut field) = form.next_field().await? {
        if field.name() == Some("file") {
            while let Some(bytes) = field.chunk().await? {
                upload.bytes(&bytes);
            }
        } else {
            let name = field.name().unwrap_or_default().to_owned();
            upload.text(&name, field.text().await?);
        }
    }
    Ok(upload)
}
