//! Files: whole, those that the client has already, and parts of one.

use std::fmt::Write as _;

use anyhow::Context as _;
use rand::Rng as _;

use crate::contract::Violation;
use crate::contract::client::{Answer, Client};
use crate::contract::input::Input;
use crate::shared_files::ServedFiles;

const FOLDER: &str = "/static/";
/// Before every file of this process.
const OLD: &str = "Sun, 06 Nov 1994 08:49:37 GMT";
/// A field that says which version of a file there is, the condition that requests another one, and a value of which there is none.
const VALIDATORS: [(&str, &str, &str); 2] = [
    ("etag", "if-none-match", "\"another\""),
    ("last-modified", "if-modified-since", OLD),
];

fn served() -> Result<&'static ServedFiles, Violation> {
    Ok(ServedFiles::own().context("no files could be written")?)
}

pub(super) fn whole(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let files = served()?;
    if let Some(path) = input.path_of_load() {
        let is_it = |(name, _): &&(&str, Vec<u8>)| path.strip_prefix(FOLDER) == Some(*name);
        let content = files.contents.iter().find(is_it);
        return same(&client.get(path)?, content.map_or(&[], |(_, content)| content));
    }
    for (name, content) in &files.contents {
        same(&client.get(&format!("{FOLDER}{name}"))?, content)?;
    }
    let unknown = format!("{FOLDER}no-such-{:08x}.bin", input.rng.next_u32());
    client.get(&unknown)?.expect_status(404)?;
    // Refused in any way: what counts is that nothing comes out. Some servers take the dots out of a path first, and do not know what
    // is left.
    ways_out(files).iter().try_for_each(|way| {
        let answer = client.get(way)?;
        let is_refused = (400..500).contains(&answer.status);
        answer.expect(is_refused, "a status 4xx for a path out of the folder")
    })
}

fn same(answer: &Answer, content: &[u8]) -> Result<(), Violation> {
    answer.expect_status(200)?;
    let got = format!("{} bytes: {}", answer.body.len(), answer.quoted());
    let expected = format!("the {} bytes of the file", content.len());
    answer.ensure(answer.body == content, expected, got)
}

/// Paths that would lead to a file outside of the folder, if a server followed them.
fn ways_out(files: &ServedFiles) -> [String; 8] {
    let path = files.secret.to_string_lossy();
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
}

pub(super) fn revalidated(client: &Client, _: &mut Input<'_>) -> Result<(), Violation> {
    for (name, content) in &served()?.contents {
        let path = format!("{FOLDER}{name}");
        let answer = client.get(&path)?;
        let mut has_one = false;
        for (validator, condition, other) in VALIDATORS {
            let value = answer.field(validator).into_owned();
            if value.is_empty() {
                continue;
            }
            has_one = true;
            let unchanged = client.get_with(&path, &[(condition, value)])?;
            unchanged.expect_status(304)?;
            let is_empty = unchanged.body.is_empty();
            unchanged.ensure(is_empty, "no body with status 304", unchanged.quoted())?;
            same(&client.get_with(&path, &[(condition, other.to_owned())])?, content)?;
        }
        answer.ensure(has_one, "a field ETag or Last-Modified", "neither")?;
    }
    Ok(())
}

pub(super) fn parts(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    for (name, content) in &served()?.contents {
        let path = format!("{FOLDER}{name}");
        let get = |range: String| client.get_with(&path, &[("range", format!("bytes={range}"))]);
        let length = content.len();
        let first = input.rng.next_u32() as usize % (length - 1);
        let last = first + input.rng.next_u32() as usize % (length - first);
        for (range, from, to) in [
            (format!("{first}-{last}"), first, last),
            (format!("{first}-"), first, length - 1),
            (format!("-{}", length - first), first, length - 1),
            // An end beyond the file's is no fault (RFC 9110, 14.1.2).
            (format!("{first}-{}", length + 7), first, length - 1),
        ] {
            let answer = get(range)?;
            answer.expect_status(206)?;
            let named = answer.field("content-range");
            let expected = format!("bytes {from}-{to}/{length}");
            let wanted = format!("Content-Range `{expected}`");
            answer.ensure(named == expected, wanted, format_args!("{named:?}"))?;
            let is_it = answer.body == content[from..=to];
            let expected = format!("these {} bytes", to - from + 1);
            answer.ensure(is_it, expected, format_args!("{} others", answer.body.len()))?;
        }
        get(format!("{length}-"))?.expect_status(416)?;
    }
    Ok(())
}
