//! What of the guide's own server is found by trying: its limits, and what it does on SIGTERM. Nothing is judged.

use std::io;
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::Act::Alone;
use super::Acts;
use crate::probe::client::{Came, MOST, PATIENCE, Until, get, status_of};
use crate::probe::exchange::answers::find;
use crate::probe::{Attempt, Target};
use machine::interrupt;
use servers::failure::Failure;

/// Its cases.
pub const ACTS: Acts = &[
    (
        "largest-field",
        Alone(|target| largest(target, BYTES_OF_HEAD, eighth, field)),
    ),
    ("most-fields", Alone(|target| largest(target, FIELDS, |_| 1, fields))),
    (
        "largest-json",
        Alone(|target| largest(target, BYTES_OF_BODY, eighth, json)),
    ),
    (
        "largest-bytes",
        Alone(|target| largest(target, BYTES_OF_BODY, eighth, bytes)),
    ),
    ("sigterm-at-work", Alone(|target| sigterm(target, &get("/slow")))),
    ("sigterm-idle", Alone(|target| sigterm(target, &get("/hello")))),
];

/// The least and the most that are sent.
const BYTES_OF_HEAD: [usize; 2] = [1 << 10, 1 << 20];
const FIELDS: [usize; 2] = [16, 512];
const BYTES_OF_BODY: [usize; 2] = [1 << 10, 16 << 20];
/// Longest wait for the status of a large request: 16 MiB of JSON take a server that was not optimised some seconds.
const READING: Duration = Duration::from_secs(20);
/// From a request to the signal: `GET /slow` sleeps for 1 s.
const UNDER_WAY: Duration = Duration::from_millis(300);
/// Longest wait for the end of the process.
const END: Duration = Duration::from_secs(15);

fn eighth(of: usize) -> usize {
    of / 8
}

fn field(bytes: usize) -> Vec<u8> {
    format!(
        "GET /hello HTTP/1.1\r\nHost: localhost\r\nX-Long: {}\r\n\r\n",
        "a".repeat(bytes)
    )
    .into()
}

/// So many with `Host`, each of another name: some servers count names.
fn fields(count: usize) -> Vec<u8> {
    let more: Vec<String> = (1..count).map(|number| format!("X-{number}: a\r\n")).collect();
    let more = more.concat();
    format!("GET /hello HTTP/1.1\r\nHost: localhost\r\n{more}\r\n").into()
}

fn json(bytes: usize) -> Vec<u8> {
    let (before, behind) = (r#"{"name":""#, r#""}"#);
    let name = "a".repeat(bytes - before.len() - behind.len());
    posted("/json", "application/json", &format!("{before}{name}{behind}"))
}

fn bytes(bytes: usize) -> Vec<u8> {
    posted("/bytes", "application/octet-stream", &"a".repeat(bytes))
}

fn posted(path: &str, of: &str, body: &str) -> Vec<u8> {
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {of}\r\nContent-Length: {}",
        body.len()
    );
    format!("{head}\r\n\r\n{body}").into()
}

/// Sends more and more of it to a server.
fn largest(
    target: &Target<'_>,
    sizes: [usize; 2],
    step: fn(usize) -> usize,
    request: fn(usize) -> Vec<u8>,
) -> Result<Attempt, Failure> {
    let server = target.start()?;
    let got = limit(sizes, step, |size| {
        interrupt::check()?;
        Ok::<_, Failure>(match status_of(server.address, &request(size), READING)? {
            Came::Status(200) => None,
            Came::Status(status) => Some(status.to_string()),
            Came::Closed => Some("closed".to_owned()),
            Came::Nothing => Some("no answer".to_owned()),
        })
    })?;
    Ok(Attempt::new(true, got))
}

/// Doubles a size from the least to the most until it is refused, and then halves the difference until it is a `step` of what is taken.
fn limit<E>(
    [least, most]: [usize; 2],
    step: fn(usize) -> usize,
    mut refusal: impl FnMut(usize) -> Result<Option<String>, E>,
) -> Result<String, E> {
    let (mut size, mut taken) = (least, 0);
    while size <= most {
        if let Some(mut why) = refusal(size)? {
            while taken > 0 && size - taken > step(taken) {
                let between = usize::midpoint(taken, size);
                match refusal(between)? {
                    None => taken = between,
                    Some(other) => (size, why) = (between, other),
                }
            }
            let taken = (taken > 0).then(|| format!("{} taken, ", in_units(taken)));
            return Ok(format!("{}{why} at {}", taken.unwrap_or_default(), in_units(size)));
        }
        taken = size;
        size *= 2;
    }
    Ok(format!("{} taken", in_units(taken)))
}

/// Bytes in binary units. Fields are fewer than the least of these.
fn in_units(number: usize) -> String {
    let in_unit = |unit: usize| (number as f64 / unit as f64 * 100.0).round() / 100.0;
    match number {
        mib if mib >= 1 << 20 => format!("{} MiB", in_unit(1 << 20)),
        kib if kib >= 1 << 10 => format!("{} KiB", in_unit(1 << 10)),
        few => few.to_string(),
    }
}

/// Sends a request and, when it is under way or has long been answered, SIGTERM.
fn sigterm(target: &Target<'_>, request: &[u8]) -> Result<Attempt, Failure> {
    let mut server = target.start()?;
    let mut stream = Until::sending(server.address, request, PATIENCE, END)?;
    sleep(UNDER_WAY);
    kill(Pid::from_raw(server.pid), Signal::SIGTERM).map_err(io::Error::from)?;
    let began = Instant::now();
    let how = loop {
        if let Some(how) = server.exit_reason() {
            break how;
        }
        if began.elapsed() > END {
            break "still runs".to_owned();
        }
        interrupt::check()?;
        sleep(Duration::from_millis(2));
    };
    let took = began.elapsed().as_secs_f64();
    let (came, end) = stream.rest(Instant::now() + Duration::from_millis(100), MOST);
    let answer = find(&came, &[], end).answers.pop();
    let answer = answer.map_or_else(|| "cut".to_owned(), |answer| answer.status.to_string());
    // What it wrote meanwhile has its port.
    let how = how.split("; it said").next().unwrap_or_default();
    let when = if took < 0.5 {
        "at once".to_owned()
    } else {
        format!("after {took:.0} s")
    };
    Ok(Attempt::new(true, format!("{answer}, {how} {when}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_is_as_large_as_is_said() {
        let body = |request: &[u8]| {
            let head = request.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
            request.len() - head
        };
        assert_eq!((body(&json(1024)), body(&bytes(2048))), (1024, 2048));
        assert_eq!(
            fields(16)
                .split(|byte| *byte == b'\n')
                .filter(|line| line.contains(&b':'))
                .count(),
            16
        );
        assert_eq!([16, 1 << 10, 9 << 18].map(in_units), ["16", "1 KiB", "2.25 MiB"]);
    }

    #[test]
    fn a_limit_is_found_between_what_is_taken_and_what_is_refused() {
        let found = |limited_to: usize, step| {
            let refusal = |size| Ok::<_, ()>((size > limited_to).then(|| "413".to_owned()));
            limit([16, 512], step, refusal).unwrap()
        };
        assert_eq!(found(100, |_| 1), "100 taken, 413 at 101");
        assert_eq!(found(100, eighth), "96 taken, 413 at 104");
        assert_eq!(
            (found(512, eighth), found(8, eighth)),
            ("512 taken".to_owned(), "413 at 16".to_owned())
        );
    }
}
