//! A form with a file, read as it comes in.

use axum::{
    Json,
    extract::{Multipart, multipart::MultipartError},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use services_contract::{Receipt, Upload};

pub async fn upload(form: Multipart) -> Result<Json<Receipt>, Response> {
    let upload = read(form).await.map_err(IntoResponse::into_response)?;
    let receipt = upload.receipt();
    receipt
        .map(Json)
        .map_err(|missing| (StatusCode::BAD_REQUEST, missing.to_string()).into_response())
}

async fn read(mut form: Multipart) -> Result<Upload, MultipartError> {
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
