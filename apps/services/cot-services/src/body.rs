//! The body of a form, by an extractor of the app's own around Cot's.

use cot::{
    Body,
    form::{Form, FormResult},
    request::{
        RequestHead,
        extractors::{FromRequest, RequestForm},
    },
};
use cot_app::limited;
use services_contract::MAX_UPLOAD_BYTES;

/// By itself, `RequestForm` reads a body of any size, as `Json` does. Its files are in memory at the end in any case.
pub struct LimitedForm<F: Form>(pub FormResult<F>);

impl<F: Form> FromRequest for LimitedForm<F> {
    async fn from_request(head: &RequestHead, body: Body) -> cot::Result<Self> {
        let body = limited(body, MAX_UPLOAD_BYTES).await?;
        let RequestForm(form) = RequestForm::from_request(head, body).await?;
        Ok(Self(form))
    }
}
