//! A form with a file, read as it comes in.

use std::fmt::Display;

use services_contract::{MAX_UPLOAD_BYTES, Receipt, Upload};
use tako::{
    StatusCode,
    extractors::{
        FromRequest as _,
        content_length_limit::ContentLengthLimit,
        json::Json,
        multipart::{MultipartConfig, TakoMultipart},
    },
    responder::Responder,
    types::{Request, Response},
};

const MOST: u64 = MAX_UPLOAD_BYTES as u64;

/// A form that borrows from its request cannot be an argument of a handler. What comes without a length is cut off, with a 400.
type Form<'request> = ContentLengthLimit<TakoMultipart<'request>, MOST>;

/// By itself, a part has 1 MiB at most.
pub fn limits() -> MultipartConfig {
    MultipartConfig::new().per_part_size_limit(MOST)
}

pub async fn received(mut request: Request) -> Result<Json<Receipt>, Response> {
    let form = Form::from_request(&mut request).await;
    let ContentLengthLimit(TakoMultipart(mut fields)) = form.map_err(Responder::into_response)?;
    let mut upload = Upload::default();
    while let Some(mut field) = fields.next_field().await.map_err(bad_request)? {
        if field.name() == Some("file") {
            while let Some(bytes) = field.chunk().await.map_err(bad_request)? {
                upload.bytes(&bytes);
            }
        } else {
            let name = field.name().unwrap_or_default().to_owned();
            upload.text(&name, field.text().await.map_err(bad_request)?);
        }
    }
    upload.receipt().map(Json).map_err(bad_request)
}

fn bad_request(error: impl Display) -> Response {
    (StatusCode::BAD_REQUEST, error.to_string()).into_response()
}
