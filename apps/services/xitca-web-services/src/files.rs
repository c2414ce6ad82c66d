//! What stands between a route and xitca-web's service of files.

use xitca_web::{
    WebContext,
    error::{Error, MatchError, RouterError},
    http::{Uri, WebResponse},
    service::Service,
};

/// The path below which there are files.
pub const MOUNT: &str = "/static";

/// The service looks for the whole path in its folder, wherever it is mounted: hence a function that writes another path into the
/// request, as in its examples.
pub async fn below_mount<S>(files: &S, mut ctx: WebContext<'_>) -> Result<WebResponse, RouterError<Error>>
where
    S: for<'r> Service<WebContext<'r>, Response = WebResponse, Error = RouterError<Error>>,
{
    let path = ctx.req().uri().path().strip_prefix(MOUNT);
    let Some(Ok(uri)) = path.map(str::parse::<Uri>) else {
        return Err(RouterError::Match(MatchError));
    };
    *ctx.req_mut().uri_mut() = uri;
    files.call(ctx).await
}
