//! The control: the reference once more, from its own sources, and with `WORK` steps of known work in each request. Its program's sections are
//! in another order than the linker's. So its true cost over the reference is known, and a run that drives it like any other server shows
//! what its figures are worth: without work they differ by the layout alone, and with work by what the harness measures of these steps.

#[path = "../../reference/src/exchange.rs"]
mod exchange;
#[path = "../../reference/src/routes.rs"]
mod routes;
#[path = "../../reference/src/settings.rs"]
mod settings;
mod work;
#[path = "../../reference/src/workloads.rs"]
mod workloads;

use std::{env, time::Duration};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{net::TcpListener, runtime, task, time};

use crate::settings::Settings;

/// How long to wait after a connection could not be accepted. Out of file descriptors, the next attempt fails at once.
const AFTER_FAILED_ACCEPT: Duration = Duration::from_millis(100);

fn main() -> std::io::Result<()> {
    let settings = Settings::from_env_or_exit();
    let steps = steps();
    // What `#[tokio::main]` expands to, with the requested number of workers.
    runtime::Builder::new_multi_thread()
        .worker_threads(settings.workers.get())
        .enable_all()
        .build()?
        .block_on(async {
            let listener = TcpListener::bind(settings.addr).await.unwrap_or_else(|error| {
                settings::exit(format_args!("cannot listen on ADDR {}: {error}", settings.addr))
            });
            serve(listener, steps).await
        })
}

/// How much it does in each request.
fn steps() -> u32 {
    let Some(value) = env::var_os("WORK") else { return 0 };
    let value = value.to_string_lossy();
    value
        .parse()
        .unwrap_or_else(|_| settings::exit(format_args!("WORK is {value:?}: want a number of steps")))
}

async fn serve(listener: TcpListener, steps: u32) -> ! {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            time::sleep(AFTER_FAILED_ACCEPT).await;
            continue;
        };
        task::spawn(async move {
            // A connection that breaks is the client's affair: there is nobody to tell, and no log.
            let answer = service_fn(|request| {
                work::spin(steps);
                routes::answer(request)
            });
            let _ = http1::Builder::new()
                .timer(TokioTimer::new())
                .serve_connection(TokioIo::new(stream), answer)
                .await;
        });
    }
}
