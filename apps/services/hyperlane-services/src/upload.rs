//! A form with a file, which is read whole before its route is called.

use hyperlane::{BodyPart, Context, ServerHook, Status, Stream};
use hyperlane_app::{Refusal, json, only_post};
use services_contract::{Receipt, Upload};

pub struct UploadRoute;

impl ServerHook for UploadRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        let answer = only_post(ctx).and_then(|()| receipt(ctx));
        json(ctx, answer)
    }
}

fn receipt(ctx: &Context) -> Result<Receipt, Refusal> {
    let parts = ctx.get_request().try_get_body_form_data();
    let parts = parts.ok_or_else(|| Refusal::bad_request("this is no form"))?;
    let mut upload = Upload::default();
    for part in &parts {
        read(&mut upload, part);
    }
    upload.receipt().map_err(Refusal::bad_request)
}

/// Its getters distinguish an empty part from none, and both are given as none.
fn read(upload: &mut Upload, part: &BodyPart) {
    match part.try_get_name().map(String::as_str) {
        Some("file") => upload.bytes(part.try_get_data().unwrap_or_default()),
        Some(name) => upload.text(name, part.try_get_text().unwrap_or_default()),
        None => {}
    }
}
