//! Files of one folder, read whole.

use std::{
    io::{Error, ErrorKind},
    ops::RangeInclusive,
    path::Path,
    time::SystemTime,
};

use hyper::{
    HeaderMap, StatusCode,
    body::Bytes,
    header::{CONTENT_RANGE, HeaderName, HeaderValue, IF_MODIFIED_SINCE, LAST_MODIFIED, RANGE},
};
use tokio::fs;

use crate::exchange::{Answer, Refusal, with_type};

/// The file of this name, as the fields of the request want it.
pub async fn serve(folder: &Path, name: &str, headers: &HeaderMap) -> Result<Answer, Refusal> {
    // Names only: a path with more parts, or with something encoded, leads to no file of the folder.
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.';
    if name.starts_with('.') || !name.bytes().all(is_name) {
        return Err(Refusal::new(StatusCode::NOT_FOUND, "no such file"));
    }
    let path = folder.join(name);
    let modified = fs::metadata(&path)
        .await
        .and_then(|found| found.modified())
        .map_err(|error| refusal(&error))?;
    let field = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    if field(IF_MODIFIED_SINCE).is_some_and(|date| is_unchanged(modified, date)) {
        return dated(with_type(StatusCode::NOT_MODIFIED, OCTETS, Bytes::new()), modified);
    }
    let content = Bytes::from(fs::read(&path).await.map_err(|error| refusal(&error))?);
    let length = content.len();
    let Some(wanted) = field(RANGE).and_then(|range| range.strip_prefix("bytes=")) else {
        return dated(with_type(StatusCode::OK, OCTETS, content), modified);
    };
    let Some(part) = part(wanted, length) else {
        let mut answer = Answer::from(Refusal::new(StatusCode::RANGE_NOT_SATISFIABLE, "no such part"));
        set(&mut answer, CONTENT_RANGE, &format!("bytes */{length}"))?;
        return Ok(answer);
    };
    let told = format!("bytes {}-{}/{length}", part.start(), part.end());
    let mut answer = with_type(StatusCode::PARTIAL_CONTENT, OCTETS, content.slice(part));
    set(&mut answer, CONTENT_RANGE, &told)?;
    dated(answer, modified)
}

const OCTETS: &str = "application/octet-stream";

fn refusal(error: &Error) -> Refusal {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::IsADirectory => Refusal::new(StatusCode::NOT_FOUND, "no such file"),
        _ => Refusal::internal(error),
    }
}

/// A date in HTTP has no fractions of a second.
fn is_unchanged(modified: SystemTime, date: &str) -> bool {
    httpdate::parse_http_date(date).is_ok_and(|since| httpdate::HttpDate::from(modified) <= since.into())
}

fn dated(mut answer: Answer, modified: SystemTime) -> Result<Answer, Refusal> {
    set(&mut answer, LAST_MODIFIED, &httpdate::fmt_http_date(modified))?;
    Ok(answer)
}

fn set(answer: &mut Answer, name: HeaderName, value: &str) -> Result<(), Refusal> {
    let value = HeaderValue::from_str(value).map_err(Refusal::internal)?;
    answer.headers_mut().insert(name, value);
    Ok(())
}

/// One part of so many bytes: `0-99`, `100-` or `-100`.
fn part(wanted: &str, length: usize) -> Option<RangeInclusive<usize>> {
    let (first, last) = wanted.split_once('-')?;
    let end = length.checked_sub(1)?;
    let (first, last) = if first.is_empty() {
        let count: usize = last.parse().ok()?;
        (length.saturating_sub(count), end)
    } else if last.is_empty() {
        (first.parse().ok()?, end)
    } else {
        (first.parse().ok()?, last.parse::<usize>().ok()?.min(end))
    };
    (first <= last).then_some(first..=last)
}
