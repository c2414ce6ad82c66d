//! A form with a file, read as it comes in.

use poem::{
    IntoResponse as _, Response, Result,
    error::BadRequest,
    handler,
    http::StatusCode,
    web::{Field, Json, Multipart},
};
use services_contract::Upload;
use tokio::io::AsyncReadExt as _;

/// What is read of a file at once, in bytes. A field is a reader, and does not hand out its pieces as they came.
const PIECE_BYTES: usize = 8 * 1024;

#[handler]
pub async fn upload(mut form: Multipart) -> Result<Response> {
    let mut upload = Upload::default();
    while let Some(field) = form.next_field().await? {
        if field.name() == Some("file") {
            read_file(&mut upload, field).await?;
        } else {
            let name = field.name().unwrap_or_default().to_owned();
            upload.text(&name, field.text().await?);
        }
    }
    Ok(match upload.receipt() {
        Ok(receipt) => Json(receipt).into_response(),
        Err(missing) => (StatusCode::BAD_REQUEST, missing.to_string()).into_response(),
    })
}

async fn read_file(into: &mut Upload, field: Field) -> Result<()> {
    let mut file = field.into_async_read();
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let read = file.read(&mut piece).await.map_err(BadRequest)?;
        // Also where nothing was read: an empty file is a file.
        into.bytes(&piece[..read]);
        if read == 0 {
            return Ok(());
        }
    }
}
