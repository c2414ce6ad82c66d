//! A connection whose last answer is still read when nothing can be written any more.
//!
//! A server may refuse a large body before all of it was sent, and close the connection. Hyper gives up at the failed write,
//! and sometimes loses the refusal that has already arrived.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Pretends that writes to a closed connection succeed, and reads on until it ends.
pub(super) struct HalfClosed<S>(pub(super) S);

impl<S: AsyncRead + Unpin> AsyncRead for HalfClosed<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for HalfClosed<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.0).poll_write(context, bytes);
        written.map(|written| written.or_else(|error| or_closed(&error, bytes.len()).ok_or(error)))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.0).poll_flush(context);
        flushed.map(|flushed| flushed.or_else(|error| or_closed(&error, ()).ok_or(error)))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

/// `value` if the error says that the other side has closed the connection.
fn or_closed<T>(error: &io::Error, value: T) -> Option<T> {
    let is_closed = matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset);
    is_closed.then_some(value)
}
