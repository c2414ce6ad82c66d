//! Checks the answers to malformed requests: 4xx with a body, never 5xx or a broken connection. Afterwards the server must
//! still answer.

use rand::Rng;

use super::client::Client;
use super::input::Input;
use super::{Proof, Violation};

/// Above `contract::MAX_BODY_BYTES` of the apps, which is 64 KiB, and below what frameworks take by default.
const TOO_LARGE: usize = 100_000;

pub(super) const PROOFS: &[Proof] = &[bodies, queries, paths, too_large, still_there];

fn bodies(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let broken = format!("{{\"payload\":\"{}", input.rng.next_u32());
    for path in ["/test/simple", "/test/timed", "/test/bcrypt", "/test/bcrypt-inline"] {
        for body in [broken.as_str(), "{\"payload\":1}", "{}", "[]", ""] {
            client.post(path, body)?.expect_refusal()?;
        }
    }
    Ok(())
}

fn queries(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let above = 41 + input.rng.next_u32() % 1000;
    for query in [format!("n={above}"), "n=abc".into(), "n=-1".into(), "n=".into()] {
        client.get(&format!("/cpu?{query}"))?.expect_words(400)?;
    }
    Ok(())
}

fn paths(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let unknown = format!("/no-such-{:08x}", input.rng.next_u32());
    client.get(&unknown)?.expect_status(404)?;
    client.get("/test/simple")?.expect_refusal()?;
    client.post("/hello", "{}")?.expect_refusal()
}

fn too_large(client: &Client, _: &mut Input<'_>) -> Result<(), Violation> {
    let body = format!("{{\"payload\":\"{}\"}}", "a".repeat(TOO_LARGE));
    client.post("/test/bcrypt-inline", &body)?.expect_words(413)?;
    // The rest of the body must not be read as the next request.
    let answer = client.get("/")?;
    let got = format!("status {}, {}", answer.status, answer.quoted());
    answer.ensure(answer.status == 200, "status 200 after a body that is too large", got)
}

pub(super) fn still_there(client: &Client, _: &mut Input<'_>) -> Result<(), Violation> {
    client.get("/")?.expect_type(200, "text/plain").map(|_| ())
}
