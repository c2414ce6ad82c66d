//! A form with a file, read as it comes in.

use futures_util::TryStreamExt as _;
use services_contract::{MAX_UPLOAD_BYTES, Upload};
use warp::{
    Buf as _, Filter, Rejection, Reply,
    http::StatusCode,
    multipart::{self, FormData, Part},
    path,
    reply::{self, Response},
};

/// As with JSON, the limit goes by `Content-Length`.
pub fn upload() -> impl Filter<Extract = (impl Reply,), Error = Rejection> + Clone {
    path!("upload")
        .and(warp::post())
        .and(multipart::form().max_length(MAX_UPLOAD_BYTES as u64))
        .then(answer)
}

async fn answer(form: FormData) -> Response {
    let refusal = match read(form).await.map(Upload::receipt) {
        Ok(Ok(receipt)) => return reply::json(&receipt).into_response(),
        Ok(Err(missing)) => missing.to_string(),
        Err(error) => error.to_string(),
    };
    reply::with_status(refusal, StatusCode::BAD_REQUEST).into_response()
}

async fn read(mut form: FormData) -> Result<Upload, warp::Error> {
    let mut upload = Upload::default();
    while let Some(mut part) = form.try_next().await? {
        if part.name() == "file" {
            each(&mut part, |bytes| upload.bytes(bytes)).await?;
        } else {
            let mut text = Vec::new();
            each(&mut part, |bytes| text.extend_from_slice(bytes)).await?;
            upload.text(part.name(), String::from_utf8_lossy(&text).into_owned());
        }
    }
    Ok(upload)
}

/// Hands over the bytes of a part, piece by piece.
async fn each(part: &mut Part, mut take: impl FnMut(&[u8])) -> Result<(), warp::Error> {
    while let Some(data) = part.data().await {
        let mut data = data?;
        while data.has_remaining() {
            let bytes = data.chunk();
            take(bytes);
            let taken = bytes.len();
            data.advance(taken);
        }
    }
    Ok(())
}
