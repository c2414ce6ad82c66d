//! Files: whole, those that the client has already, and parts of one.

use rand::Rng as _;
use std::fmt::Write as _;

use crate::contract::client::{Answer, Client};
use crate::contract::input::Input;
use crate::contract::{Symptom, Violation};
use crate::served_files::ServedFiles;

const FOLDER: &str = "/static/";

fn served() -> Result<&'static ServedFiles, Violation> {
    ServedFiles::own().map_err(|error| Violation {
        request: format!("GET {FOLDER}"),
        expected: "files that can be served".into(),
        got: format!("none could be written: {error}"),
        symptom: Symptom::Unjudged,
    })
}

pub(super) fn whole(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let files = served()?;
    if let Some(path) = input.path_of_load() {
        let name = path.strip_prefix(FOLDER).unwrap_or_default();
        return same(&client.get(path)?, files.content(name).unwrap_or_default());
    }
    for name in files.names() {
        let content = files.content(name).unwrap_or_default();
        same(&client.get(&format!("{FOLDER}{name}"))?, content)?;
    }
    let unknown = format!("{FOLDER}no-such-{:08x}.bin", input.rng.next_u32());
    client.get(&unknown)?.expect_status(404)?;
    for path in ways_out(files) {
        no_way_out(&client.get(&path)?)?;
    }
    Ok(())
}

fn same(answer: &Answer, content: &[u8]) -> Result<(), Violation> {
    answer.expect_status(200)?;
    if answer.body == content {
        return Ok(());
    }
    Err(answer.violation(
        format!("the {} bytes of the file", content.len()),
        format!("{} bytes: {}", answer.body.len(), answer.quoted()),
    ))
}

/// Paths that would lead to a file outside of the folder, if a server followed them.
fn ways_out(files: &ServedFiles) -> Vec<String> {
    let path = files.secret().to_string_lossy();
    let name = path.rsplit('/').next().unwrap_or_default();
    let encoded = path.bytes().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "%{byte:02x}"); // a String takes everything
        text
    });
    [
        format!("../{name}"),
        format!("%2e%2e/{name}"),
        format!("..%2f{name}"),
        format!("x/../../{name}"),
        format!("..%5c{name}"),
        format!("..%00/{name}"),
        format!("/{path}"),
        encoded,
    ]
    .map(|way| format!("{FOLDER}{way}"))
    .into()
}

/// Refused in any way: what counts is that nothing comes out. Some servers take the dots out of a path first, and do not know what is left.
fn no_way_out(answer: &Answer) -> Result<(), Violation> {
    if (400..500).contains(&answer.status) {
        return Ok(());
    }
    Err(answer.violation(
        "a status 4xx for a path out of the folder",
        format!("status {}, {}", answer.status, answer.quoted()),
    ))
}

pub(super) fn revalidated(client: &Client, _: &mut Input<'_>) -> Result<(), Violation> {
    let files = served()?;
    for name in files.names() {
        let path = format!("{FOLDER}{name}");
        let answer = client.get(&path)?;
        let validators = [
            ("etag", "if-none-match", "\"another\""),
            ("last-modified", "if-modified-since", OLD),
        ];
        let mut has_one = false;
        for (validator, condition, other) in validators {
            let value = answer.field(validator).into_owned();
            if value.is_empty() {
                continue;
            }
            has_one = true;
            let unchanged = client.get_with(&path, &[(condition, value)])?;
            unchanged.expect_status(304)?;
            if !unchanged.body.is_empty() {
                return Err(unchanged.violation("no body with status 304", unchanged.quoted()));
            }
            let changed = client.get_with(&path, &[(condition, other.to_owned())])?;
            same(&changed, files.content(name).unwrap_or_default())?;
        }
        if !has_one {
            return Err(answer.violation("a field ETag or Last-Modified", "neither"));
        }
    }
    Ok(())
}

/// Before every file of this process.
const OLD: &str = "Sun, 06 Nov 1994 08:49:37 GMT";

pub(super) fn parts(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let files = served()?;
    for name in files.names() {
        let content = files.content(name).unwrap_or_default();
        let path = format!("{FOLDER}{name}");
        let first = input.rng.next_u32() as usize % (content.len() - 1);
        let last = first + input.rng.next_u32() as usize % (content.len() - first);
        let ends = content.len() - 1;
        for (range, from, to) in [
            (format!("{first}-{last}"), first, last),
            (format!("{first}-"), first, ends),
            (format!("-{}", content.len() - first), first, ends),
            // An end behind that of the file is no fault (RFC 9110, 14.1.2).
            (format!("{first}-{}", content.len() + 7), first, ends),
        ] {
            let answer = ask_range(client, &path, &range)?;
            answer.expect_status(206)?;
            let told = answer.field("content-range");
            let expected = format!("bytes {from}-{to}/{}", content.len());
            if told != expected {
                return Err(answer.violation(format!("Content-Range `{expected}`"), format!("{told:?}")));
            }
            if answer.body != content[from..=to] {
                let got = format!("{} others", answer.body.len());
                return Err(answer.violation(format!("these {} bytes", to - from + 1), got));
            }
        }
        ask_range(client, &path, &format!("{}-", content.len()))?.expect_status(416)?;
    }
    Ok(())
}

fn ask_range(client: &Client, path: &str, range: &str) -> Result<Answer, Violation> {
    client.get_with(path, &[("range", format!("bytes={range}"))])
}
