//! A form with a file. Cot reads it whole, and holds the file in memory.

use cot::{
    StatusCode,
    form::{Form, FormResult, fields::InMemoryUploadedFile},
    json::Json,
    response::{IntoResponse as _, Response},
};
use services_contract::Upload;

use crate::body::LimitedForm;

#[derive(Debug, Form)]
pub struct UploadForm {
    title: String,
    note: String,
    file: InMemoryUploadedFile,
}

pub async fn upload(LimitedForm(form): LimitedForm<UploadForm>) -> cot::Result<Response> {
    let FormResult::Ok(form) = form else {
        return "a field of the form is missing or empty"
            .with_status(StatusCode::BAD_REQUEST)
            .into_response();
    };
    let mut upload = Upload::default();
    upload.text("title", form.title);
    upload.text("note", form.note);
    upload.bytes(form.file.content());
    match upload.receipt() {
        Ok(receipt) => Json(receipt).into_response(),
        Err(missing) => missing.to_string().with_status(StatusCode::BAD_REQUEST).into_response(),
    }
}
