//! Connections, from the accept to the last answer, as [hyper's guide](https://hyper.rs/guides/1/server/hello-world/) has them.

use std::sync::Arc;

use contract::{Http, Settings};
use hyper::{
    server::conn::{http1, http2},
    service::service_fn,
};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
};
use tokio_rustls::TlsAcceptor;

use crate::routes;

/// What is spoken on every connection.
#[derive(Clone)]
pub struct Protocol {
    http: Http,
    tls: Option<TlsAcceptor>,
    header_timer: bool,
}

impl Protocol {
    /// As the settings say, or the end of the process.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        let tls = settings.tls.as_ref().map(|files| {
            let config = contract::tls_config_or_exit(files, settings.http);
            TlsAcceptor::from(Arc::new(config))
        });
        Self {
            http: settings.http,
            tls,
            header_timer: false,
        }
    }

    /// With a timer, which the guide does not have: a connection ends whose request's head takes more than 30 seconds.
    #[must_use]
    pub fn with_header_timer(self) -> Self {
        Self {
            header_timer: true,
            ..self
        }
    }

    /// A connection that breaks is the client's affair: there is nobody to tell, and no log.
    async fn speak(self, stream: TcpStream) {
        match self.tls {
            None => answer_on(stream, self.http, self.header_timer).await,
            Some(tls) => {
                if let Ok(stream) = tls.accept(stream).await {
                    answer_on(stream, self.http, self.header_timer).await;
                }
            }
        }
    }
}

/// Accepts connections for ever.
pub async fn serve(listener: TcpListener, protocol: Protocol) -> ! {
    contract_tokio::accept(listener, |stream| protocol.clone().speak(stream)).await
}

/// Not hyper-util's builder that guesses the version: here it is known.
async fn answer_on(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, http: Http, header_timer: bool) {
    let (stream, service) = (TokioIo::new(stream), service_fn(routes::answer));
    let _ = match http {
        Http::One => {
            let mut builder = http1::Builder::new();
            if header_timer {
                builder.timer(TokioTimer::new());
            }
            builder.serve_connection(stream, service).await
        }
        Http::Two => {
            let builder = http2::Builder::new(TokioExecutor::new());
            builder.serve_connection(stream, service).await
        }
    };
}
