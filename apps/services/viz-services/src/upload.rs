//! A form with a file, read as it comes in.

use futures_util::TryStreamExt as _;
use services_contract::{MAX_UPLOAD_BYTES, Receipt, Upload};
use viz::{
    IntoResponse as _, Request, RequestLimitsExt as _, Result, StatusCode,
    middleware::limits,
    types::{Json, Limits, Multipart, MultipartError, MultipartLimits, Payload as _},
};

/// Of what a request says that it has, and of what is read.
pub fn limits() -> limits::Config {
    let max = MAX_UPLOAD_BYTES as u64;
    limits::Config::default()
        .limits(Limits::default().set(Multipart::<()>::NAME, max))
        .multipart(MultipartLimits::default().stream_size(max))
}

pub async fn upload(mut request: Request) -> Result<Json<Receipt>> {
    let form = request.multipart_with_limit().await?;
    let receipt = read(form).await?.receipt();
    receipt
        .map(Json)
        .map_err(|missing| (StatusCode::BAD_REQUEST, missing.to_string()).into_error())
}

async fn read(mut form: Multipart) -> Result<Upload, MultipartError> {
    let mut upload = Upload::default();
    while let Some(mut field) = form.try_next().await? {
        if field.name == "file" {
            while let Some(bytes) = field.try_next().await? {
                upload.bytes(&bytes);
            }
        } else {
            let text = field.bytes().await?;
            upload.text(&field.name, String::from_utf8_lossy(&text).into_owned());
        }
    }
    Ok(upload)
}
