//! Messages on a WebSocket that come back.

use rand::Rng as _;
use sockets::Kind;

use crate::contract::Violation;
use crate::contract::client::Client;
use crate::contract::input::Input;
use crate::workload::Workload;

const PATH: &str = "/websocket";
/// Bytes of messages: none, the loads', and the longest that every server takes, whose length has eight bytes in a frame.
const LENGTHS: [usize; 4] = [0, 64, 16 * 1024, 64 * 1024];
/// Ends a text: a letter of two bytes.
const END: &str = "\u{e9}";

pub(super) fn websocket(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let message_bytes = input.load.and_then(Workload::message_bytes);
    let mut rng = input.rng.clone();
    let mut message = |length: usize| {
        let mut bytes = vec![0; length];
        rng.fill_bytes(&mut bytes);
        bytes
    };
    if let Some(length) = message_bytes {
        let bytes = message(length);
        return client.over_socket(PATH, &mut input.rng, async |socket| {
            socket.echo(Kind::Binary, &bytes).await
        });
    }
    let messages: Vec<Vec<u8>> = LENGTHS.into_iter().map(&mut message).collect();
    client.over_socket(PATH, &mut input.rng, async |socket| {
        for bytes in &messages {
            socket.echo(Kind::Binary, bytes).await?;
            let letters = bytes.iter().skip(END.len()).map(|byte| char::from(byte % 26 + b'a'));
            let text: String = letters.chain(END.chars()).collect();
            socket.echo(Kind::Text, text.as_bytes()).await?;
        }
        // Two at once come back in their order.
        for bytes in messages.iter().take(2) {
            socket.send(Kind::Binary, bytes).await?;
        }
        for bytes in messages.iter().take(2) {
            if socket.receive().await?.bytes != *bytes {
                return Err(sockets::SocketError::OtherEcho);
            }
        }
        socket.close().await
    })?;
    // A request without an upgrade gets no WebSocket.
    let answer = client.get(PATH)?;
    let is_refused = (400..500).contains(&answer.status);
    answer.expect(is_refused, "a status 4xx without an upgrade")
}
