//! A form with a file. Ohkami has read the whole body before it calls a handler: the parts of a form are parts of it.

use ohkami::{
    Response,
    claw::{
        Json,
        content::{File, Multipart},
    },
};
use serde::Deserialize;
use services_contract::{Receipt, Upload};

/// What is missing is refused by Ohkami, with status 400.
#[derive(Deserialize)]
pub struct Form<'a> {
    title: String,
    note: String,
    #[serde(borrow)]
    file: File<'a>,
}

pub async fn upload(Multipart(form): Multipart<Form<'_>>) -> Result<Json<Receipt>, Response> {
    let mut upload = Upload::default();
    upload.text("title", form.title);
    upload.text("note", form.note);
    upload.bytes(form.file.content);
    let receipt = upload.receipt();
    receipt
        .map(Json)
        .map_err(|missing| Response::BadRequest().with_text(missing.to_string()))
}
