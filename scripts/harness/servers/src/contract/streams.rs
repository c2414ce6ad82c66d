//! How many streams a server of HTTP/2 allows at once on a connection.

use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex};

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::client::conn::http2::Connection;
use hyper_util::rt::TokioExecutor;

use crate::database::locked;

/// A connection that is driven meanwhile.
pub struct Streams(Box<dyn Fn() -> usize + Send>);

impl Streams {
    /// Drives a connection. If it breaks, its request fails and reports it.
    pub fn drive<T>(connection: Connection<T, Full<Bytes>, TokioExecutor>) -> Self
    where
        T: hyper::rt::Read + hyper::rt::Write + Unpin + Send + 'static,
    {
        let connection = Arc::new(Mutex::new(connection));
        let driven = Arc::clone(&connection);
        drop(tokio::spawn(poll_fn(move |context| {
            pin!(&mut *locked(&driven)).poll(context)
        })));
        Self(Box::new(move || locked(&connection).current_max_send_streams()))
    }

    /// `SETTINGS_MAX_CONCURRENT_STREAMS`, known once the server has answered; `u32::MAX` where it sets no limit.
    pub fn allowed(&self) -> u32 {
        u32::try_from((self.0)()).unwrap_or(u32::MAX)
    }
}

impl fmt::Debug for Streams {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Streams").field(&self.allowed()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::net::SocketAddr;
    use std::thread;

    use hyper::Response;
    use hyper::server::conn::http2::Builder as Http2;
    use hyper::service::service_fn;
    use hyper_util::rt::TokioIo;
    use model::scenario::Protocol;
    use tokio::runtime::Builder;

    use super::*;
    use crate::contract::client::Client;

    /// The address of a server of HTTP/2 that allows so many streams.
    fn serve(streams: Option<u32>) -> SocketAddr {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                let stream = TokioIo::new(listener.accept().await.unwrap().0);
                let answer = service_fn(async |_| Ok::<_, Infallible>(Response::new(Full::<Bytes>::default())));
                let mut server = Http2::new(TokioExecutor::new());
                let _ = server
                    .max_concurrent_streams(streams)
                    .serve_connection(stream, answer)
                    .await;
            });
        });
        address
    }

    #[test]
    fn the_streams_that_a_server_allows_are_known_once_it_has_answered() {
        for (sets, known) in [(Some(7), 7), (Some(200), 200), (None, u32::MAX)] {
            let client = Client::new(serve(sets), Protocol::Http2).unwrap();
            assert_eq!(client.streams_allowed(), None);
            client.get("/").unwrap();
            assert_eq!(client.streams_allowed(), Some(known));
        }
    }
}
