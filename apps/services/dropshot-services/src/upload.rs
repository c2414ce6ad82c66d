//! A form with a file, read as it comes in.

use dropshot::{HttpError, HttpResponseOk, MultipartBody, RequestContext, endpoint};
use services_contract::{Receipt, Upload};

use crate::{body::Form, messages::Message};

#[endpoint { method = POST, path = "/upload", content_type = "multipart/form-data" }]
pub async fn received(_: RequestContext<()>, Form(form): Form) -> Result<HttpResponseOk<Message<Receipt>>, HttpError> {
    let upload = read(form).await.map_err(bad_request)?;
    let receipt = upload.receipt().map_err(bad_request)?;
    Ok(HttpResponseOk(Message(receipt)))
}

async fn read(mut form: MultipartBody) -> Result<Upload, multer::Error> {
    let mut upload = Upload::default();
    while let Some(mut field) = form.content.next_field().await? {
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

fn bad_request(error: impl std::error::Error) -> HttpError {
    HttpError::for_bad_request(None, error.to_string())
}
