//! A form with a file.

use rand::Rng as _;

use crate::contract::Violation;
use crate::contract::client::Client;
use crate::contract::input::Input;
use crate::service_input::form::{CONTENT_TYPE, FILE_BYTES, Form};

const PATH: &str = "/upload";
/// Above `MAX_UPLOAD_BYTES` of `apps/services/contract`, which is 4 MiB.
const TOO_LARGE: usize = 5 << 20;
/// Bytes that look like what stands between the parts of a form.
const ODD: &str =
    "\r\n--\r\n\r\n------------------BENCH\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nx\r\n";

pub(super) fn upload(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let post = |form: &Form| client.post_as(CONTENT_TYPE, PATH, &form.body());
    if let Some(form) = input.load.and_then(|workload| workload.form.as_ref()) {
        return post(form)?.expect_json(200, &form.receipt());
    }
    // A file of another length each time: a length that is always the same could be known.
    let bytes = FILE_BYTES - input.rng.next_u32() as usize % 1000;
    let form = Form::with_file(bytes, &mut input.rng);
    for form in [form.clone(), form.clone().reversed(), form.clone().with(ODD)] {
        post(&form)?.expect_json(200, &form.receipt())?;
    }
    for missing in ["title", "file", "note"] {
        post(&form.clone().with("short").without(missing))?.expect_status(400)?;
    }
    client
        .post_as(CONTENT_TYPE, PATH, "no form")?
        .expect_refusal(None, true)?;
    let large = "a".repeat(TOO_LARGE);
    post(&form.with(&large))?.expect_refusal(Some(413), true)
}
