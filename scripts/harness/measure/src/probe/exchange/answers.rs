//! Answers in a stream of bytes, read strictly: what is no HTTP/1.1 is not taken for an answer.

use httparse::{EMPTY_HEADER, Header, Response, Status};

/// More fields than any honest answer has.
const MOST_FIELDS: usize = 100;

/// An answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Its fields, each with its name in small letters, and what of its value is text.
    pub fields: Vec<(String, String)>,
    /// Its body, decoded.
    pub body: Vec<u8>,
}

impl Answer {
    /// The value of its first field of this name, which is in small letters.
    pub fn field(&self, name: &str) -> Option<&str> {
        let is_it = |(known, _): &&(String, String)| known == name;
        self.fields.iter().find(is_it).map(|(_, value)| value.as_str())
    }
}

/// What a server did.
#[derive(Debug, PartialEq, Eq)]
pub struct Heard {
    /// Its whole answers.
    pub answers: Vec<Answer>,
    /// Whether bytes came behind them that cannot be counted as one.
    pub is_other: bool,
    /// Whether these are the beginning of one.
    pub is_cut: bool,
    /// What became of the connection.
    pub end: End,
}

impl Heard {
    /// Whether the last answer says `Connection: close`.
    pub fn announces_its_end(&self) -> bool {
        let announced = self.answers.last().and_then(|answer| answer.field("connection"));
        announced.is_some_and(|value| value.eq_ignore_ascii_case("close"))
    }
}

/// What became of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The server closed it.
    Closed,
    /// It was still open when the client had waited long enough.
    Open,
}

/// What is no answer.
struct NoAnswer;

/// What has been read whole, with its length; `None` if only a part is there.
type Read<T> = Result<Option<(T, usize)>, NoAnswer>;

/// Finds the answers in `bytes`, the first of which answers the first of `methods`; those without a method answer GET or POST.
/// [`End::Closed`] says that no more will come.
pub fn find(bytes: &[u8], methods: &[String], end: End) -> Heard {
    let mut heard = Heard {
        answers: Vec::new(),
        is_other: false,
        is_cut: false,
        end,
    };
    let mut rest = bytes;
    while !rest.is_empty() && !heard.is_other {
        // An interim answer has the same request as the final one behind it.
        let finals = heard.answers.iter().filter(|answer| answer.status >= 200).count();
        let is_head = methods.get(finals).is_some_and(|method| method == "HEAD");
        match read(rest, is_head, end == End::Closed) {
            Ok(Some((answer, length))) => {
                heard.answers.push(answer);
                rest = &rest[length..];
            }
            incomplete => {
                heard.is_other = true;
                heard.is_cut = incomplete.is_ok();
            }
        }
    }
    heard
}

fn read(bytes: &[u8], is_head: bool, ended: bool) -> Read<Answer> {
    let mut fields = [EMPTY_HEADER; MOST_FIELDS];
    let mut response = Response::new(&mut fields);
    let Status::Complete(head) = response.parse(bytes).map_err(|_| NoAnswer)? else {
        return Ok(None);
    };
    let status = response.code.unwrap_or_default();
    let body = &bytes[head..];
    let answer = |body: &[u8]| Answer {
        status,
        fields: response
            .headers
            .iter()
            .map(|field| {
                let value = String::from_utf8_lossy(field.value);
                (field.name.to_ascii_lowercase(), value.trim().to_owned())
            })
            .collect(),
        body: body.to_vec(),
    };
    if is_head || status < 200 || status == 204 || status == 304 {
        return Ok(Some((answer(b""), head)));
    }
    if is_chunked(response.headers) {
        return Ok(decode(body)?.map(|(content, length)| (answer(&content), head + length)));
    }
    Ok(match length(response.headers)? {
        Some(length) if body.len() >= length => Some((answer(&body[..length]), head + length)),
        // Without a length it ends with the connection.
        None if ended => Some((answer(body), bytes.len())),
        _ => None,
    })
}

fn values<'a>(fields: &'a [Header<'_>], name: &str) -> impl Iterator<Item = &'a [u8]> {
    let named = fields.iter().filter(move |field| field.name.eq_ignore_ascii_case(name));
    named.map(|field| field.value)
}

fn is_chunked(fields: &[Header<'_>]) -> bool {
    values(fields, "transfer-encoding").any(|value| value.trim_ascii().eq_ignore_ascii_case(b"chunked"))
}

fn length(fields: &[Header<'_>]) -> Result<Option<usize>, NoAnswer> {
    let mut lengths = values(fields, "content-length").map(|value| str::from_utf8(value).ok()?.trim().parse().ok());
    match lengths.next() {
        None => Ok(None),
        Some(first) if lengths.all(|other| other == first) => first.map(Some).ok_or(NoAnswer),
        Some(_) => Err(NoAnswer),
    }
}

fn decode(bytes: &[u8]) -> Read<Vec<u8>> {
    let mut content = Vec::new();
    let mut at = 0;
    loop {
        let chunk = httparse::parse_chunk_size(&bytes[at..]).map_err(|_| NoAnswer)?;
        let Status::Complete((start, size)) = chunk else {
            return Ok(None);
        };
        let data = at + start;
        if size == 0 {
            return Ok(trailers(&bytes[data..]).map(|length| (content, data + length)));
        }
        let end = usize::try_from(size).ok().and_then(|size| data.checked_add(size));
        let Some(end) = end.filter(|end| *end < bytes.len().saturating_sub(1)) else {
            return Ok(None);
        };
        if &bytes[end..end + 2] != b"\r\n" {
            return Err(NoAnswer);
        }
        content.extend_from_slice(&bytes[data..end]);
        at = end + 2;
    }
}

/// Length of the trailers with the empty line behind them; `None` if they are not all there.
fn trailers(bytes: &[u8]) -> Option<usize> {
    if bytes.starts_with(b"\r\n") {
        return Some(2);
    }
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    Some(end + 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, end: End) -> Heard {
        find(text.as_bytes(), &[], end)
    }

    fn statuses(found: &Heard) -> Vec<u16> {
        found.answers.iter().map(|answer| answer.status).collect()
    }

    #[test]
    fn answers_are_distinguished_however_they_end() {
        let all = found(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 404 Not Found\r\nTransfer-Encoding: \
             chunked\r\n\r\n2;x=y\r\nno\r\n0\r\nA: b\r\n\r\nHTTP/1.1 204 No Content\r\nDate: now\r\n\r\nHTTP/1.0 200 OK\r\n\r\nto the end",
            End::Closed,
        );
        assert_eq!(statuses(&all), [100, 200, 404, 204, 200]);
        assert!(!all.is_other && !all.is_cut);
        let bodies: Vec<&[u8]> = all.answers.iter().map(|answer| &*answer.body).collect();
        assert_eq!(bodies, [&b""[..], b"hi", b"no", b"", b"to the end"]);
        assert_eq!(all.answers[3].field("date"), Some("now"));
    }

    #[test]
    fn an_answer_to_head_has_no_body() {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
        let methods = ["HEAD".to_owned(), "GET".to_owned()];
        let both = find(text.as_bytes(), &methods, End::Open);
        assert_eq!(statuses(&both), [200, 200]);
        assert_eq!(both.answers[1].body, b"hi");
        // A body that should not be there is no answer.
        let wrong = find(
            b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            &methods,
            End::Open,
        );
        assert!(wrong.is_other);
    }

    #[test]
    fn what_is_cut_and_what_is_no_http_is_said() {
        for text in [
            "HTTP/1.1 200",
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi",
            "HTTP/1.1 200 OK\r\n\r\nno length",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\nhi",
        ] {
            let found = found(text, End::Open);
            assert!(found.is_cut && found.answers.is_empty(), "{text:?}: {found:?}");
        }
        for text in [
            "hello",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nhi",
            "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nhi",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhixx",
        ] {
            let found = found(text, End::Open);
            assert!(found.is_other && !found.is_cut, "{text:?}");
        }
    }
}
