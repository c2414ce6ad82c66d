//! Files of a folder, by Poem's own service.

use std::path::Path;

use poem::{
    Endpoint, EndpointExt as _, Response,
    endpoint::StaticFilesEndpoint,
    error::{ResponseError as _, StaticFileError},
};

/// A path that tries to leave the folder is answered as one that is not there: by itself, the service answers 403, and reveals where on the
/// machine the path leads.
pub fn files(folder: &Path) -> impl Endpoint<Output = Response> + 'static {
    StaticFilesEndpoint::new(folder).catch_error(async |error| match error {
        StaticFileError::Forbidden(_) => StaticFileError::NotFound.as_response(),
        other => other.as_response(),
    })
}
