//! What is told of an exchange that is only observed: `405, allow GET,HEAD, no body, kept`.

use std::time::Duration;

use super::Exchange;
use super::answers::{Answer, End, Heard};
use crate::probe::{KEPT, escaped};

/// Most characters of a field or a body that are told.
const MOST: usize = 60;
/// Answers in a row that are told one by one.
const SHOWN: usize = 5;

/// Statuses, the fields that the exchange asks for, and what became of the connection. After a wait, when it ended, in seconds.
pub fn told(heard: &Heard, exchange: &Exchange, took: Duration) -> String {
    let (shows, waited) = (&exchange.shows, exchange.wait_seconds);
    // A client of HTTP/1.0 expects the end.
    let is_old = exchange.beginning(KEPT).windows(8).any(|eight| eight == b"HTTP/1.0");

    let mut parts: Vec<String> = Vec::new();
    if !heard.answers.is_empty() {
        let statuses = heard.answers.iter().map(|answer| answer.status.to_string());
        parts.push(if heard.answers.len() > SHOWN {
            format!("{} answers", heard.answers.len())
        } else {
            statuses.collect::<Vec<_>>().join(" ")
        });
    }
    if heard.is_other {
        parts.push(if heard.is_cut { "cut short" } else { "no HTTP" }.to_owned());
    }
    let first = heard.answers.iter().find(|answer| answer.status >= 200);
    parts.extend(
        first
            .iter()
            .flat_map(|answer| shows.iter().map(|name| part(answer, name))),
    );
    parts.push(match (heard.end, waited) {
        (End::Open, Some(seconds)) => format!("open after {seconds} s"),
        (End::Open, None) if heard.answers.is_empty() => "no answer".to_owned(),
        (End::Open, None) => "kept".to_owned(),
        (End::Closed, Some(_)) => format!("closed after {:.0} s", took.as_secs_f64()),
        (End::Closed, None) if heard.answers.is_empty() => "closed".to_owned(),
        (End::Closed, None) if is_old => "closes".to_owned(),
        (End::Closed, None) if heard.announces_its_end() => "closes and says so".to_owned(),
        (End::Closed, None) => "closes unsaid".to_owned(),
    });
    parts.join(", ")
}

/// A field, or the body. Of the words in which a server refuses something, nothing follows but that there are some.
fn part(answer: &Answer, name: &str) -> String {
    match (name, answer.body.as_slice()) {
        ("body", b"") => "no body".to_owned(),
        ("body", _) if answer.status >= 400 => "a body".to_owned(),
        ("body", body) => format!("body {}", shown(body)),
        _ => answer.field(name).map_or_else(
            || format!("no {name}"),
            |value| format!("{name} {}", shown(value.as_bytes())),
        ),
    }
}

/// Text as it is, its control characters escaped; what is no text, escaped.
fn shown(bytes: &[u8]) -> String {
    let cut = if bytes.len() > MOST { "…" } else { "" };
    let bytes = &bytes[..bytes.len().min(MOST)];
    let text = str::from_utf8(bytes).ok();
    let printable = |text: &str| {
        text.chars()
            .flat_map(|one| {
                if one.is_control() {
                    one.escape_default().collect()
                } else {
                    vec![one]
                }
            })
            .collect::<String>()
    };
    format!("{}{cut}", text.map_or_else(|| escaped(bytes), printable))
}

#[cfg(test)]
mod tests {
    use super::super::answers::find;
    use super::*;

    #[test]
    fn what_came_is_told_with_what_the_case_asks_for() {
        let told = |text: &str, end, wait_seconds| {
            let exchange = Exchange {
                shows: vec!["allow".to_owned(), "body".to_owned()],
                wait_seconds,
                ..toml::from_str("send = [\"GET / HTTP/1.1\"]").unwrap()
            };
            told(
                &find(text.as_bytes(), &[], end),
                &exchange,
                Duration::from_millis(5_100),
            )
        };
        let words = "HTTP/1.1 400 Bad Request\r\nContent-Length: 3\r\n\r\nno!";
        assert_eq!(told(words, End::Open, None), "400, no allow, a body, kept");
        let refused = "HTTP/1.1 405 Method Not Allowed\r\nAllow: GET,HEAD\r\nContent-Length: 0\r\n\r\n";
        let bye = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi";
        assert_eq!(told(refused, End::Open, None), "405, allow GET,HEAD, no body, kept");
        assert_eq!(
            told(refused, End::Closed, None),
            "405, allow GET,HEAD, no body, closes unsaid"
        );
        assert_eq!(
            told(bye, End::Closed, None),
            "200, no allow, body hi, closes and says so"
        );
        assert_eq!(
            told(bye, End::Closed, Some(70)),
            "200, no allow, body hi, closed after 5 s"
        );
        assert_eq!(told("", End::Open, Some(70)), "open after 70 s");
        assert_eq!(told("", End::Open, None), "no answer");
        assert_eq!(told("", End::Closed, None), "closed");
        assert_eq!(
            told(&bye.repeat(16), End::Open, None),
            "16 answers, no allow, body hi, kept"
        );
        assert_eq!(
            told("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi", End::Closed, None),
            "cut short, closed"
        );
    }
}
