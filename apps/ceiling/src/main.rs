//! The ceiling: the smallest correct HTTP/1.1 server, so that a run shows what the load generator can reach on its
//! machine. A framework that comes near was limited by the generator and not by itself.
//!
//! Every endpoint is done by hand, which no one should imitate: it knows the contract and nothing beyond it.

mod connection;
mod request;
mod response;
mod routes;

use std::{io, net::TcpStream, thread, time::Duration};

use contract::{Settings, Supports};
use tokio::{
    net::TcpListener,
    runtime::{Builder, Runtime},
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task, time,
};

/// How long to wait after a connection could not be accepted. Out of file descriptors, the next attempt fails at once.
const AFTER_FAILED_ACCEPT: Duration = Duration::from_millis(100);

fn main() -> io::Result<()> {
    let settings = contract::settings_or_exit(Supports::HTTP1_CLEARTEXT);
    let workers = (0..settings.workers.get())
        .map(|_| start_worker())
        .collect::<io::Result<Vec<_>>>()?;
    single_threaded()?.block_on(accept(&settings, &workers))
}

/// Connections go to the workers in turn and stay there: none is ever moved, and no worker has more than its share.
async fn accept(settings: &Settings, workers: &[UnboundedSender<TcpStream>]) -> io::Result<()> {
    let listener = TcpListener::bind(settings.addr)
        .await
        .unwrap_or_else(|error| contract::cannot_listen(settings.addr, &error));
    for worker in workers.iter().cycle() {
        let stream = loop {
            match listener.accept().await {
                Ok((stream, _)) => break stream.into_std()?,
                Err(_) => time::sleep(AFTER_FAILED_ACCEPT).await,
            }
        };
        worker.send(stream).map_err(io::Error::other)?;
    }
    Ok(())
}

fn start_worker() -> io::Result<UnboundedSender<TcpStream>> {
    let runtime = single_threaded()?;
    let (sender, connections) = unbounded_channel();
    thread::Builder::new()
        .name("worker".to_owned())
        .spawn(move || runtime.block_on(work(connections)))?;
    Ok(sender)
}

async fn work(mut connections: UnboundedReceiver<TcpStream>) {
    while let Some(stream) = connections.recv().await {
        // A connection that breaks is the client's affair: there is nobody to tell, and no log.
        task::spawn(async { connection::serve(stream).await.ok() });
    }
}

fn single_threaded() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}
