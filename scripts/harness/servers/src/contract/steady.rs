//! Sends the same requests again and again, identical to the byte, so that the work of a server for them can be counted.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use sockets::{Kind, Socket};

use super::client::Answer;
use super::{Client, Violation};
use crate::workload::Workload;
use model::AnswerHead;

/// One connection to one server, and a new one after each answer that the end of its connection ends.
#[derive(Debug)]
pub struct Steady {
    client: Client,
    /// The WebSocket, if there is one.
    socket: Option<Socket>,
}

impl Steady {
    /// A client of the server at `address`, which waits that long for an answer.
    pub fn new(address: SocketAddr, patience: Duration) -> io::Result<Self> {
        Ok(Self {
            client: Client::steady(address)?.with_patience(patience),
            socket: None,
        })
    }

    /// Sends the request with this number of a load, and reads its answer, which must be a 200.
    pub fn ask(&mut self, workload: &Workload<'_>, number: usize) -> Result<(), Violation> {
        if let Some(bytes) = workload.message_bytes() {
            let path = &workload.paths[number % workload.paths.len()];
            return self.echo(path, bytes, number);
        }
        self.answer(workload, number).map(|_| ())
    }

    /// The head of the answer to the first request of a load.
    pub fn head(&self, workload: &Workload<'_>) -> Result<AnswerHead, Violation> {
        Ok(self.answer(workload, 0)?.head())
    }

    fn answer(&self, workload: &Workload<'_>, number: usize) -> Result<Answer, Violation> {
        let (paths, bodies) = (&workload.paths, &workload.bodies);
        let body = bodies.get(number % bodies.len().max(1));
        let body = body.map(|body| (workload.content_type(), body.as_str()));
        let (method, path) = (workload.scenario.method.as_str(), &paths[number % paths.len()]);
        let answer = self.client.request(method, path, &workload.headers, body)?;
        if !workload.scenario.keep_alive {
            self.client.close();
        }
        answer.expect_status(200)?;
        Ok(answer)
    }

    /// Sends a message of so many bytes over a WebSocket at `path`, which is opened before the first one, and reads the echo.
    fn echo(&mut self, path: &str, bytes: usize, number: usize) -> Result<(), Violation> {
        let Self { client, socket } = self;
        let message = vec![b'a' + u8::try_from(number % 26).unwrap_or_default(); bytes];
        let echo = async {
            let socket = match socket {
                Some(open) => open,
                // The same keys and masks each time.
                none => none.insert(Socket::open(client.address, path, &mut ChaCha8Rng::seed_from_u64(0)).await?),
            };
            Ok(socket.echo(Kind::Binary, &message).await?)
        };
        client.patiently(echo).map_err(|error| {
            let request = format!("a message over the WebSocket at {path}");
            Violation::silence(request, "its echo", error.to_string())
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use super::*;
    use crate::contract::Symptom;
    use apps::profile::Profiles;

    #[test]
    fn a_request_is_one_piece_and_the_end_of_a_connection_is_followed_by_another_one() {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        let serving = std::thread::spawn(move || {
            let serve = |connection: io::Result<std::net::TcpStream>| {
                let (mut connection, mut piece) = (connection.unwrap(), [0; 1024]);
                let length = connection.read(&mut piece).unwrap();
                connection.write_all(b"HTTP/1.1 200 OK\r\n\r\nhi").unwrap();
                String::from_utf8(piece[..length].to_vec()).unwrap()
            };
            server.incoming().take(2).map(serve).collect::<Vec<_>>()
        });
        let profiles = Profiles::built_in();
        let quick = profiles.profile("quick").unwrap();
        let scenarios = ["plaintext", "simple"].map(|name| profiles.scenario(name, quick).unwrap());
        let mut client = Steady::new(address, Duration::from_secs(5)).unwrap();
        for scenario in &scenarios {
            client.ask(&Workload::counted(scenario), 0).unwrap();
        }
        let pieces = serving.join().unwrap();
        assert_eq!(pieces[0], "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
        let (head, body) = pieces[1].split_once("\r\n\r\n").unwrap();
        assert_eq!(
            head,
            "POST /test/simple HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 19"
        );
        assert_eq!(body.len(), 19);
        let error = client.ask(&Workload::counted(&scenarios[0]), 0).unwrap_err();
        assert_eq!(error.symptom, Symptom::Silence);
    }
}
