//! A client of GitHub's REST API that trusts no answer: bounded in time, size and number, redirected nowhere, and never in a
//! state in which it could have written twice.

use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use ureq::http::{HeaderMap, Response};
use ureq::{Agent, Body, Timeout};

use super::settings::Settings;
use super::wait::Signs;
use record::escape;
use record::escape::SENTENCE;

/// The version of the API that this is written for.
const API_VERSION: &str = "2022-11-28";
/// Largest answer. A page holds 100 pull requests, each with a text of at most 65,536 characters.
const LARGEST: u64 = 32 << 20;
/// Entries of a page: the most that GitHub gives.
const PER_PAGE: usize = 100;
/// Most pages of one list.
const MOST_PAGES: usize = 50;

/// Why GitHub could not be asked, or did not do what it should.
#[derive(Debug, thiserror::Error)]
pub enum GithubError {
    /// There is no token, or it is none.
    #[error("GITHUB_TOKEN {0}; give the step `env: GITHUB_TOKEN: ${{{{ github.token }}}}`")]
    Token(&'static str),
    /// The API's address is none, or one that would show the token to others.
    #[error("GITHUB_API_URL is no https address (http is for 127.0.0.1, ::1 and localhost only)")]
    Address,
    /// No answer came.
    #[error("{call}: no answer: {reason}; try again later")]
    NoAnswer {
        /// Method and path.
        call: String,
        /// Why.
        reason: String,
    },
    /// GitHub said no.
    #[error("{call}: GitHub answered {status}{message}; {advice}")]
    Refused {
        /// Method and path.
        call: String,
        /// HTTP status.
        status: u16,
        /// What GitHub said of it.
        message: String,
        /// What to do.
        advice: String,
    },
    /// The answer is not what the API promises.
    #[error("{call}: the answer cannot be used: {reason}; is GITHUB_API_URL right?")]
    Answer {
        /// Method and path.
        call: String,
        /// What is wrong.
        reason: String,
    },
    /// A list has no end.
    #[error("{0}: there are more than {most} entries; nothing is written", most = MOST_PAGES * PER_PAGE)]
    TooMany(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    Get,
    Post,
    Patch,
}

/// Asks GitHub.
#[derive(Debug)]
pub struct Client {
    agent: Agent,
    settings: Settings,
}

/// Part of an error's body.
#[derive(Default, Deserialize)]
struct Complaint {
    #[serde(default)]
    message: String,
}

/// An answer, read to its end.
struct Answer {
    status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
}

/// Why an attempt brought no answer.
enum Failure {
    /// The connection never stood: nothing can have happened.
    NotSent(String),
    /// It broke somewhere later.
    Broken(String),
    /// It is of no use, and would not be the next time.
    Useless(String),
}

impl Client {
    /// With these settings.
    pub fn new(settings: Settings) -> Self {
        let patience = settings.patience;
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // The token goes nowhere but to the API.
            .max_redirects(0)
            .max_redirects_will_error(false)
            // A connection that is used again may break when the request is under way already.
            .max_idle_connections(0)
            .timeout_connect(Some(patience.connect))
            .timeout_global(Some(patience.whole))
            .user_agent(concat!("bench/", env!("CARGO_PKG_VERSION")));
        let config = if settings.is_local {
            config.proxy(None)
        } else {
            config.https_only(true)
        };
        Self {
            agent: config.build().into(),
            settings,
        }
    }

    /// All entries of the list at `path`, of which `keep` keeps some. `query` holds no page, and `needs` names the
    /// permission that the token needs.
    pub fn list<T: DeserializeOwned, U>(
        &self,
        path: &str,
        query: &str,
        needs: &str,
        keep: impl Fn(T) -> Option<U>,
    ) -> Result<Vec<U>, GithubError> {
        let mut kept = Vec::new();
        for page in 1..=MOST_PAGES {
            let and = if query.is_empty() { "" } else { "&" };
            let path = format!("{path}?{query}{and}per_page={PER_PAGE}&page={page}");
            let answer = self.send(Method::Get, &path, None, needs)?;
            let entries: Vec<T> = parse(Method::Get, &path, &answer.body)?;
            kept.extend(entries.into_iter().filter_map(&keep));
            // Only whether there is a next page is taken from the answer: where it is, is known here.
            let link = answer.headers.get("link").and_then(|link| link.to_str().ok());
            if !link.is_some_and(|link| link.contains("rel=\"next\"")) {
                return Ok(kept);
            }
        }
        Err(GithubError::TooMany(call(Method::Get, path)))
    }

    /// Creates something.
    pub fn post<T: DeserializeOwned>(&self, path: &str, body: &Value, needs: &str) -> Result<T, GithubError> {
        let answer = self.send(Method::Post, path, Some(body), needs)?;
        parse(Method::Post, path, &answer.body)
    }

    /// Changes something; to change it twice is the same as once.
    pub fn patch(&self, path: &str, body: &Value, needs: &str) -> Result<(), GithubError> {
        self.send(Method::Patch, path, Some(body), needs).map(drop)
    }

    /// An answer of success, after as many attempts as may be made.
    fn send(&self, method: Method, path: &str, body: Option<&Value>, needs: &str) -> Result<Answer, GithubError> {
        let patience = &self.settings.patience;
        let repeatable = method != Method::Post;
        let mut attempt = 1;
        loop {
            let (pause, error) = match self.once(method, path, body) {
                Ok(answer) if (200..300).contains(&answer.status) => return Ok(answer),
                Ok(answer) => {
                    let (signs, message) = signs(&answer);
                    let pause = signs.pause(attempt, repeatable, Timestamp::now(), patience);
                    (pause, refused(method, path, &signs, &message, needs))
                }
                Err(Failure::Useless(reason)) => (None, answer_error(method, path, reason)),
                Err(Failure::NotSent(reason)) => (self.pause(attempt, true), no_answer(method, path, reason)),
                Err(Failure::Broken(reason)) => (self.pause(attempt, repeatable), no_answer(method, path, reason)),
            };
            let Some(pause) = pause else { return Err(error) };
            thread::sleep(pause);
            attempt += 1;
        }
    }

    fn pause(&self, attempt: u32, repeatable: bool) -> Option<Duration> {
        let patience = &self.settings.patience;
        (repeatable && attempt < patience.attempts).then(|| patience.doubled(attempt))
    }

    fn once(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Answer, Failure> {
        let url = format!("{}{path}", self.settings.api);
        let authorization = format!("Bearer {}", self.settings.token.reveal());
        let headers = [
            ("authorization", authorization.as_str()),
            ("accept", "application/vnd.github+json"),
            ("x-github-api-version", API_VERSION),
        ];
        let with = |request: ureq::RequestBuilder<ureq::typestate::WithBody>| {
            let request = headers
                .iter()
                .fold(request, |request, (name, value)| request.header(*name, *value));
            request
                .content_type("application/json")
                .send(body.unwrap_or(&Value::Null).to_string())
        };
        let answered = match method {
            Method::Get => {
                let request = self.agent.get(url);
                let request = headers
                    .iter()
                    .fold(request, |request, (name, value)| request.header(*name, *value));
                request.call()
            }
            Method::Post => with(self.agent.post(url)),
            Method::Patch => with(self.agent.patch(url)),
        };
        read(answered.map_err(|error| failure(&error))?)
    }
}

fn read(mut response: Response<Body>) -> Result<Answer, Failure> {
    let body = match response.body_mut().with_config().limit(LARGEST).read_to_vec() {
        Ok(body) => body,
        Err(ureq::Error::BodyExceedsLimit(_)) => {
            return Err(Failure::Useless(format!("it has more than {} MiB", LARGEST >> 20)));
        }
        Err(error) => return Err(Failure::Broken(error.to_string())),
    };
    Ok(Answer {
        status: response.status().as_u16(),
        headers: response.headers().clone(),
        body,
    })
}

fn failure(error: &ureq::Error) -> Failure {
    let not_sent = match error {
        ureq::Error::HostNotFound
        | ureq::Error::ConnectionFailed
        | ureq::Error::Timeout(Timeout::Resolve | Timeout::Connect) => true,
        ureq::Error::Io(error) => error.kind() == std::io::ErrorKind::ConnectionRefused,
        _ => false,
    };
    let reason = escape::clean(&error.to_string(), SENTENCE);
    if not_sent {
        Failure::NotSent(reason)
    } else {
        Failure::Broken(reason)
    }
}

fn signs(answer: &Answer) -> (Signs, String) {
    let header = |name| answer.headers.get(name)?.to_str().ok();
    let complaint: Complaint = serde_json::from_slice(&answer.body).unwrap_or_default();
    let message = escape::clean(&complaint.message, SENTENCE);
    let signs = Signs {
        status: answer.status,
        retry_after: header("retry-after").and_then(|seconds| seconds.parse().ok()),
        remaining: header("x-ratelimit-remaining").and_then(|count| count.parse().ok()),
        reset: header("x-ratelimit-reset").and_then(|time| time.parse().ok()),
        says_limit: message.to_ascii_lowercase().contains("rate limit"),
    };
    (signs, message)
}

fn refused(method: Method, path: &str, signs: &Signs, message: &str, needs: &str) -> GithubError {
    let advice = match signs.status {
        _ if signs.is_limit() => "its limit of requests is reached: run this again in an hour".to_owned(),
        300..=399 => "the repository has another name now: give the new one".to_owned(),
        401 => "GITHUB_TOKEN is not valid here, or not any more".to_owned(),
        403 => format!("the token needs the permission `{needs}`"),
        404 => format!("there is no such thing, or the token may not see it: it needs the permission `{needs}`"),
        500.. => "that is GitHub's fault: run this again later".to_owned(),
        _ => "that is a fault of this program".to_owned(),
    };
    let message = if message.is_empty() {
        String::new()
    } else {
        format!(" ({})", message.trim_end_matches('.'))
    };
    GithubError::Refused {
        call: call(method, path),
        status: signs.status,
        message,
        advice,
    }
}

fn parse<T: DeserializeOwned>(method: Method, path: &str, body: &[u8]) -> Result<T, GithubError> {
    serde_json::from_slice(body)
        .map_err(|error| answer_error(method, path, escape::clean(&error.to_string(), SENTENCE)))
}

fn answer_error(method: Method, path: &str, reason: String) -> GithubError {
    GithubError::Answer {
        call: call(method, path),
        reason,
    }
}

fn no_answer(method: Method, path: &str, reason: String) -> GithubError {
    GithubError::NoAnswer {
        call: call(method, path),
        reason,
    }
}

/// `GET /repos/owner/name/pulls`
fn call(method: Method, path: &str) -> String {
    let method = match method {
        Method::Get => "GET",
        Method::Post => "POST",
        Method::Patch => "PATCH",
    };
    format!("{method} {}", path.split('?').next().unwrap_or(path))
}
