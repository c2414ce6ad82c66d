//! One connection from its first byte to its last: requests are answered in the order of their coming, those that came
//! together (pipelined) with one write.

use std::{io, net, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time,
};

use crate::{
    request::{self, Parsed},
    response::Response,
    routes,
};

/// Holds a usual request and its head; grows to the largest that is taken.
const INITIAL_BUFFER: usize = 4 * 1024;

/// Answers above this are sent before the next request is looked at, or a pipeline of large ones would pile up.
const FLUSH_ABOVE: usize = 64 * 1024;

/// How long, and how much, a client may go on sending after it was refused.
const LINGER: Duration = Duration::from_secs(2);
const LINGER_BYTES: usize = 16 * 1024 * 1024;

pub async fn serve(stream: net::TcpStream) -> io::Result<()> {
    let mut stream = TcpStream::from_std(stream)?;
    stream.set_nodelay(true)?;
    let mut input = Vec::with_capacity(INITIAL_BUFFER);
    let mut output = Vec::with_capacity(INITIAL_BUFFER);
    while stream.read_buf(&mut input).await? > 0 {
        let mut answered = 0;
        let end = loop {
            match request::parse(&input[answered..]) {
                Parsed::Complete(request, length) => {
                    routes::answer(&request, &mut output).await;
                    answered += length;
                    if request.close {
                        break Some(End::Requested);
                    }
                }
                Parsed::Partial => break None,
                Parsed::Refused(refusal) => {
                    Response::new(&mut output, true).refusal(&refusal);
                    break Some(End::Refused);
                }
            }
            if output.len() > FLUSH_ABOVE {
                stream.write_all(&output).await?;
                output.clear();
            }
        };
        input.drain(..answered);
        stream.write_all(&output).await?;
        output.clear();
        match end {
            None => {}
            Some(End::Requested) => return stream.shutdown().await,
            Some(End::Refused) => return linger(stream).await,
        }
    }
    Ok(())
}

/// Why a connection ends.
enum End {
    Requested,
    Refused,
}

/// Closing at once, with bytes of the client unread, would reset the connection, and with it goes the answer that says
/// what was wrong.
async fn linger(mut stream: TcpStream) -> io::Result<()> {
    stream.shutdown().await?;
    let mut scratch = vec![0; FLUSH_ABOVE];
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
