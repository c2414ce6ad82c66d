//! One connection from its first request to its last.

use std::{io, time::Duration};

use bytes::Bytes;
use contract::MAX_BODY_BYTES;
use futures_util::SinkExt;
use http::Request;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time,
};
use tokio_stream::StreamExt;
use tokio_util::codec::Framed;

use crate::{
    answer::Answer,
    codec::{Broken, Http},
};

/// How long, and how much, a client may go on sending after it was refused.
const LINGER: Duration = Duration::from_secs(2);
const LINGER_BYTES: usize = 16 * 1024 * 1024;

/// Serves the requests of one connection, each by `answer`.
pub async fn serve(stream: TcpStream, answer: impl AsyncFn(Request<Bytes>) -> Answer) -> io::Result<()> {
    serve_up_to(MAX_BODY_BYTES, stream, answer).await
}

/// The same with another limit of bodies.
pub async fn serve_up_to(
    max_body_bytes: usize,
    stream: TcpStream,
    answer: impl AsyncFn(Request<Bytes>) -> Answer,
) -> io::Result<()> {
    let mut framed = Framed::new(stream, Http::new(max_body_bytes));
    while let Some(request) = framed.next().await {
        match request {
            Ok(request) => framed.send(answer(request).await).await?,
            Err(Broken::Refused(refusal)) => {
                framed.send(Answer::from(refusal)).await?;
                return linger(framed.into_inner()).await;
            }
            Err(Broken::Connection(error)) => return Err(error),
        }
        if framed.codec().is_over() {
            return framed.into_inner().shutdown().await;
        }
    }
    Ok(())
}

/// Closing at once, with bytes of the client unread, would reset the connection, and with it goes the answer that says
/// what was wrong.
async fn linger(mut stream: TcpStream) -> io::Result<()> {
    stream.shutdown().await?;
    let mut scratch = vec![0; 64 * 1024];
    let discard = async {
        let mut discarded = 0;
        while discarded < LINGER_BYTES {
            match stream.read(&mut scratch).await? {
                0 => break,
                read => discarded += read,
            }
        }
        Ok(())
    };
    time::timeout(LINGER, discard).await.unwrap_or(Ok(()))
}
