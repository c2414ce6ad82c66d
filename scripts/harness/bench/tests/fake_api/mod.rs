//! A small GitHub: the REST API as far as this project and create-pull-request call it, over HTTP on loopback, with its state
//! in memory. It fails on request, writes down what it was asked, and shows all of it at `GET /_state`.
//!
//! It is the only fake among the tests, because there is no real GitHub to test with. What it promises is taken from GitHub's
//! documentation: pages with `Link`, 201 for what is created, 422 for a pull request that is there already.

#![allow(dead_code)] // the tests use one part, the example another

mod http;
mod routes;

use std::io::{self, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use http::{Answer, Request};

/// Everything that the fake knows. It can be read and replaced from outside as JSON.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct State {
    /// `owner/name`; any, if it is empty.
    pub repository: String,
    /// The account that writes what is created.
    pub login: String,
    /// The only token that is let in; any, if it is empty.
    pub token: String,
    /// Pull requests, as the API shows them.
    pub pulls: Vec<Value>,
    /// Issues; those of pull requests are made when they are asked for.
    pub issues: Vec<Value>,
    /// Comments, with the number of their issue as `issue`.
    pub comments: Vec<Value>,
    /// What was asked, in order.
    pub requests: Vec<Value>,
    /// Number of the last pull request or issue, id of the last comment.
    pub last: u64,
}

/// How the next request that fits fails.
#[derive(Debug, Clone)]
pub struct Failure {
    /// Method of the requests that fail.
    pub method: &'static str,
    /// Part of their path.
    pub path: &'static str,
    /// How many of them.
    pub times: u32,
    /// How.
    pub how: How,
}

#[derive(Debug, Clone)]
pub enum How {
    /// With this answer; nothing happens.
    Answer(Answer),
    /// It happens, but the answer comes that late.
    Slow(Duration),
    /// It happens, but the connection is closed without an answer.
    HangUp,
}

/// A fake that is running.
pub struct FakeApi {
    address: SocketAddr,
    inner: Arc<Inner>,
}

struct Inner {
    state: Mutex<State>,
    failures: Mutex<Vec<Failure>>,
    closing: AtomicBool,
    /// Told of each request when it was answered.
    log: Box<dyn Fn(&Value) + Send + Sync>,
}

impl FakeApi {
    /// Starts one on a free port.
    pub fn start(state: State) -> Self {
        Self::listen("127.0.0.1:0".parse().unwrap(), state, |_| {}).unwrap()
    }

    /// Starts one at this address. `log` is told of each request.
    pub fn listen(at: SocketAddr, state: State, log: impl Fn(&Value) + Send + Sync + 'static) -> io::Result<Self> {
        assert!(at.ip().is_loopback(), "a fake is for loopback only");
        let listener = TcpListener::bind(at)?;
        let address = listener.local_addr()?;
        let inner = Arc::new(Inner {
            state: Mutex::new(state),
            failures: Mutex::new(Vec::new()),
            closing: AtomicBool::new(false),
            log: Box::new(log),
        });
        let shared = Arc::clone(&inner);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if shared.closing.load(Ordering::SeqCst) {
                    break;
                }
                let shared = Arc::clone(&shared);
                thread::spawn(move || shared.serve(stream));
            }
        });
        Ok(Self { address, inner })
    }

    /// What `GITHUB_API_URL` is to say.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets requests fail, after those that were asked to fail before.
    pub fn fail(&self, failure: Failure) {
        let mut failures = self.inner.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.push(failure);
    }

    /// What was asked since the last call of this: `GET /repos/o/n/pulls`.
    pub fn asked(&self) -> Vec<String> {
        let requests = std::mem::take(&mut self.state().requests);
        let text = |request: &Value, field: &str| request[field].as_str().unwrap_or_default().to_owned();
        requests
            .iter()
            .map(|request| format!("{} {}", text(request, "method"), text(request, "path")))
            .collect()
    }
}

impl Drop for FakeApi {
    fn drop(&mut self) {
        self.inner.closing.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(self.address)); // wakes the listener
    }
}

impl Inner {
    fn serve(&self, mut stream: TcpStream) {
        let _ = stream.set_read_timeout(Some(Duration::from_secs(30)));
        let Ok(request) = Request::read(&mut stream) else {
            return; // somebody connected and said nothing
        };
        let failure = self.failure(&request);
        let answer = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let is_ours = request.path.starts_with("/_");
            if !is_ours {
                state.requests.push(request.record());
            }
            match &failure {
                Some(How::Answer(answer)) => answer.clone(),
                _ => routes::answer(&mut state, &request),
            }
        };
        let mut told = request.record();
        told["status"] = answer.status.into();
        (self.log)(&told);
        match failure {
            Some(How::HangUp) => return,
            Some(How::Slow(pause)) => thread::sleep(pause),
            Some(How::Answer(_)) | None => {}
        }
        let _ = stream.write_all(&answer.bytes()); // the client may have given up
        let _ = stream.flush();
    }

    fn failure(&self, request: &Request) -> Option<How> {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |failure: &&mut Failure| {
            failure.times > 0 && failure.method == request.method && request.path.contains(failure.path)
        };
        let failure = failures.iter_mut().find(fits)?;
        failure.times -= 1;
        Some(failure.how.clone())
    }
}
