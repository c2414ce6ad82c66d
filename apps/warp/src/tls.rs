//! TLS around warp. Since 0.4 its server has none of its own: what is left is `warp::service`, which makes of the
//! routes a service for any other server. On a connection, this one does what `warp::serve` does, but for noting the
//! client's address with each request: warp keeps the type of that note to itself, and no route here needs it.

use std::{sync::Arc, time::Duration};

use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    task, time,
};
use tokio_rustls::{TlsAcceptor, rustls::ServerConfig};
use warp::{Filter, Rejection, Reply};

/// As long as `warp::serve` waits after a connection could not be accepted.
const AFTER_FAILED_ACCEPT: Duration = Duration::from_secs(1);

pub async fn serve<F>(listener: TcpListener, config: ServerConfig, routes: F)
where
    F: Filter<Extract: Reply, Error = Rejection> + Clone + Send + Sync + 'static,
{
    let acceptor = TlsAcceptor::from(Arc::new(config));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            time::sleep(AFTER_FAILED_ACCEPT).await;
            continue;
        };
        task::spawn(connection(acceptor.clone(), stream, routes.clone()));
    }
}

/// A connection that breaks is the client's affair: there is nobody to tell, and no log.
async fn connection<F>(acceptor: TlsAcceptor, stream: TcpStream, routes: F)
where
    F: Filter<Extract: Reply, Error = Rejection> + Clone + Send + Sync + 'static,
{
    let Ok(stream) = acceptor.accept(stream).await else {
        return;
    };
    let service = TowerToHyperService::new(warp::service(routes));
    let _ = auto::Builder::new(TokioExecutor::new())
        .serve_connection_with_upgrades(TokioIo::new(stream), service)
        .await;
}
