//! Roa's compression, where the client requests it.

use roa::{Context, Middleware, Next, Result, async_trait, compress::Compress, http::header::ACCEPT_ENCODING};

/// By itself, `Compress` sends gzip to a client that names no coding.
#[derive(Default)]
pub struct WhereRequested(Compress);

#[async_trait(?Send)]
impl<'a> Middleware<'a> for WhereRequested {
    async fn handle(&'a self, ctx: &'a mut Context, next: Next<'a>) -> Result {
        if ctx.get(ACCEPT_ENCODING).is_none() {
            return next.await;
        }
        self.0.handle(ctx, next).await
    }
}
