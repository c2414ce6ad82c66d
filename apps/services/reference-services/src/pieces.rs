//! Answers in pieces: chunks as they are made, events by the clock, and messages that come back.

use std::{io, time::Duration};

use fastwebsockets::{FragmentCollector, OpCode, WebSocketError, upgrade};
use futures_util::{Stream, StreamExt, stream};
use http_body_util::{BodyExt, Either, StreamBody};
use hyper::{
    Request, Response, StatusCode,
    body::{Bytes, Frame, Incoming},
    header::{CONTENT_TYPE, HeaderValue},
};
use tokio::{
    task,
    time::{Instant, interval_at},
};

use crate::exchange::{Answer, Refusal};

const CHUNKS: u32 = 100;
const CHUNK_BYTES: usize = 1024;
const EVENTS: u32 = 20;
const EVENT_EVERY: Duration = Duration::from_millis(10);
const LETTERS: &[u8; 26] = b"abcdefghijklmnopqrstuvwxyz";

/// Chunks that follow from a seed.
pub fn stream(seed: u32) -> Answer {
    let chunk = move |index| {
        let letter = LETTERS[(seed.wrapping_add(index) % 26) as usize];
        Bytes::from(vec![letter; CHUNK_BYTES])
    };
    in_pieces("text/plain; charset=utf-8", stream::iter(0..CHUNKS).map(chunk))
}

/// Events, one every ten milliseconds.
pub fn events(seed: u32) -> Answer {
    let clock = interval_at(Instant::now() + EVENT_EVERY, EVENT_EVERY);
    let events = stream::unfold((clock, 1), move |(mut clock, number)| async move {
        if number > EVENTS {
            return None;
        }
        clock.tick().await;
        Some((Bytes::from(format!("data: {seed}-{number}\n\n")), (clock, number + 1)))
    });
    in_pieces("text/event-stream", events)
}

fn in_pieces(content_type: &'static str, pieces: impl Stream<Item = Bytes> + Send + Sync + 'static) -> Answer {
    let frames = pieces.map(|bytes| Ok::<_, io::Error>(Frame::data(bytes)));
    let mut answer = Response::new(Either::Right(StreamBody::new(frames).boxed()));
    answer
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    answer
}

/// Makes a WebSocket of the connection.
pub fn websocket(mut request: Request<Incoming>) -> Result<Answer, Refusal> {
    let (answer, socket) =
        upgrade::upgrade(&mut request).map_err(|error| Refusal::new(StatusCode::BAD_REQUEST, error))?;
    task::spawn(async move {
        // A connection that breaks is the client's affair.
        let _ = echo(socket).await;
    });
    Ok(answer.map(|_| Either::Left(Bytes::new().into())))
}

async fn echo(socket: upgrade::UpgradeFut) -> Result<(), WebSocketError> {
    let mut socket = FragmentCollector::new(socket.await?);
    loop {
        let message = socket.read_frame().await?;
        match message.opcode {
            OpCode::Text | OpCode::Binary => socket.write_frame(message).await?,
            OpCode::Close => return Ok(()),
            _ => {}
        }
    }
}
