//! A form with a file: Salvo writes the file to a temporary one, which is read back here.

use std::path::Path;

use salvo::{
    Request, Response, handler,
    http::{ParseError, StatusCode, form::FormData},
    writing::{Json, Text},
};
use services_contract::Upload;
use tokio::{fs::File, io::AsyncReadExt as _};

/// What is read of a file at once, in bytes.
const PIECE_BYTES: usize = 64 * 1024;

/// Fails with the error that forms have, which Salvo knows an answer to: it answers others with 500.
#[handler]
pub async fn upload(request: &mut Request, response: &mut Response) -> Result<(), ParseError> {
    let read = read(request.form_data().await?).await?;
    match read.receipt() {
        Ok(receipt) => response.render(Json(receipt)),
        Err(missing) => {
            response.status_code(StatusCode::BAD_REQUEST);
            response.render(Text::Plain(missing.to_string()));
        }
    }
    Ok(())
}

async fn read(form: &FormData) -> Result<Upload, ParseError> {
    let mut read = Upload::default();
    for (name, text) in form.fields.iter() {
        read.text(name, text.clone());
    }
    if let Some(file) = form.files.get("file") {
        read_file(&mut read, file.path()).await?;
    }
    Ok(read)
}

async fn read_file(into: &mut Upload, path: &Path) -> Result<(), ParseError> {
    let mut file = File::open(path).await?;
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let read = file.read(&mut piece).await?;
        // Also where nothing was read: an empty file is a file.
        into.bytes(&piece[..read]);
        if read == 0 {
            return Ok(());
        }
    }
}
