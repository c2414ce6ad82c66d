//! A form with a file, read as it comes in: by a form guard of its own, which the documentation of `TempFile` prefers where a file is not
//! to be kept.

use rocket::{
    FromForm,
    data::ToByteUnit as _,
    form::{DataField, Errors, Form, FromFormField, Result as FormResult, ValueField},
    http::Status,
    post,
    response::status::Custom,
    serde::json::Json,
    tokio::io::AsyncReadExt as _,
};
use services_contract::{MAX_UPLOAD_BYTES, Receipt, Upload};

/// What is read of a file at once, in bytes.
const PIECE_BYTES: usize = 8 * 1024;

#[derive(FromForm)]
pub struct Fields<'v> {
    title: &'v str,
    note: &'v str,
    file: Received,
}

/// What is known of a file, of which nothing is kept.
struct Received(Upload);

#[rocket::async_trait]
impl<'v> FromFormField<'v> for Received {
    fn from_value(field: ValueField<'v>) -> FormResult<'v, Self> {
        let mut upload = Upload::default();
        upload.bytes(field.value.as_bytes());
        Ok(Self(upload))
    }

    async fn from_data(field: DataField<'v, '_>) -> FormResult<'v, Self> {
        let mut upload = Upload::default();
        // A longer one does not get here: the limit of the form is the same.
        let mut data = field.data.open(MAX_UPLOAD_BYTES.bytes());
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            let read = data.read(&mut piece).await?;
            // Also where nothing was read: an empty file is a file.
            upload.bytes(&piece[..read]);
            if read == 0 {
                return Ok(Self(upload));
            }
        }
    }
}

#[post("/upload", format = "multipart/form-data", data = "<form>")]
pub fn upload(form: Result<Form<Fields<'_>>, Errors<'_>>) -> Result<Json<Receipt>, Custom<String>> {
    let Fields { title, note, file } = form.map_err(|errors| refusal(&errors))?.into_inner();
    let Received(mut upload) = file;
    upload.text("title", title.to_owned());
    upload.text("note", note.to_owned());
    let receipt = upload.receipt();
    receipt
        .map(Json)
        .map_err(|missing| Custom(Status::BadRequest, missing.to_string()))
}

/// By itself, Rocket answers 422 to a form that lacks a field, also if it is one that did not come because the form was too large.
fn refusal(errors: &Errors<'_>) -> Custom<String> {
    let too_large = errors.iter().any(|error| error.status() == Status::PayloadTooLarge);
    let status = if too_large {
        Status::PayloadTooLarge
    } else {
        Status::BadRequest
    };
    Custom(status, errors.to_string())
}
