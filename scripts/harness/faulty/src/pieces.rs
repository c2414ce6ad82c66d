//! Answers in pieces: chunks, events, and messages that come back.

use std::thread::sleep;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha1::{Digest as _, Sha1};

use crate::http::{Reader, Request};
use crate::services::{Fault, Services};

const EVERY: Duration = Duration::from_millis(10);

/// Answers a request of this kind; `false` for any other. `None` when the connection has ended.
pub fn answer(server: &Services, reader: &mut Reader, request: &Request) -> Option<bool> {
    if request.method != "GET" {
        return Some(false);
    }
    if request.path == "/websocket" && request.field("upgrade") == "websocket" {
        return websocket(server, reader, request);
    }
    let (folder, seed) = request.path.rsplit_once('/')?;
    let Ok(seed) = seed.parse::<u32>() else {
        return Some(false);
    };
    match folder {
        "/stream" => stream(reader, seed, server.fault)?,
        "/events" => events(reader, seed, server.fault)?,
        _ => return Some(false),
    }
    Some(true)
}

fn chunk(reader: &mut Reader, bytes: &[u8]) -> Option<()> {
    let head = format!("{:x}\r\n", bytes.len());
    reader.write(&[head.as_bytes(), bytes, b"\r\n"].concat())
}

fn stream(reader: &mut Reader, seed: u32, fault: Fault) -> Option<()> {
    reader.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n")?;
    let mut gathered = Vec::new();
    for index in 0..100 {
        let letter = b'a' + u8::try_from(seed.wrapping_add(index) % 26).unwrap_or_default();
        if fault == Fault::Careless {
            gathered.extend([letter; 1024]);
        } else {
            chunk(reader, &[letter; 1024])?;
        }
    }
    if !gathered.is_empty() {
        chunk(reader, &gathered)?;
    }
    chunk(reader, b"")
}

/// Only the end of the connection marks the end of such an answer: some frameworks have no chunks for it.
fn events(reader: &mut Reader, seed: u32, fault: Fault) -> Option<()> {
    reader.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")?;
    let begun = Instant::now();
    let mut gathered = String::new();
    for number in 1..=20 {
        if fault != Fault::Careless {
            sleep((begun + EVERY * number).saturating_duration_since(Instant::now()));
        }
        let event = format!("data: {seed}-{number}\n\n");
        if fault == Fault::GathersEvents {
            gathered += &event;
        } else {
            reader.write(event.as_bytes())?;
        }
    }
    reader.write(gathered.as_bytes())?;
    None
}

fn websocket(server: &Services, reader: &mut Reader, request: &Request) -> Option<bool> {
    let key = request.field("sec-websocket-key");
    let accept = STANDARD.encode(Sha1::digest(format!("{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11")));
    reader.write(
        format!(
            "HTTP/1.1 101 x\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: {accept}\r\n\r\n"
        )
        .as_bytes(),
    )?;
    let mut messages = 0;
    loop {
        if server.fault == Fault::EndsSockets && messages == 40 {
            return None;
        }
        messages += 1;
        let first = reader.bytes(2)?;
        let short = first[1] & 0x7f;
        let length = reader.bytes(match short {
            126 => 2,
            127 => 8,
            _ => 0,
        })?;
        let length = length.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
        let mask = reader.bytes(4)?;
        let masked = reader.bytes(if short < 126 { usize::from(short) } else { length })?;
        let mut message: Vec<u8> = masked
            .iter()
            .zip(mask.iter().cycle())
            .map(|(byte, mask)| byte ^ mask)
            .collect();
        // A letter of two bytes stays one.
        if server.fault == Fault::Careless && message.len() > 2 {
            message[0] = b'x';
        }
        let message = server.kept(&server.first_message, message);
        let mut frame = vec![first[0]];
        match (u8::try_from(message.len()), u16::try_from(message.len())) {
            (Ok(short @ ..126), _) => frame.push(short),
            (_, Ok(long)) => frame.extend([&[126][..], &long.to_be_bytes()].concat()),
            _ => frame.extend([&[127][..], &(message.len() as u64).to_be_bytes()].concat()),
        }
        reader.write(&[frame, message].concat())?;
        if first[0] & 0x0f == 8 {
            return None;
        }
    }
}
