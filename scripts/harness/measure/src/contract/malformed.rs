//! Checks the answers to malformed requests: 4xx with a body, never 5xx or a broken connection. Afterwards the server must
//! still answer.

use rand::Rng;

use super::client::{Answer, Client};
use super::input::Input;
use super::{Proof, Violation};

/// Above `contract::MAX_BODY_BYTES` of the apps, which is 64 KiB, and below what frameworks take by default.
const TOO_LARGE: usize = 100_000;

pub(super) const PROOFS: &[Proof] = &[bodies, queries, paths, too_large, still_there];

fn bodies(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let broken = format!("{{\"payload\":\"{}", input.rng.next_u32());
    for path in ["/test/simple", "/test/timed", "/test/bcrypt", "/test/bcrypt-inline"] {
        for body in [broken.as_str(), "{\"payload\":1}", "{}", "[]", ""] {
            refused(&client.post(path, body)?)?;
        }
    }
    Ok(())
}

fn queries(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let above = 41 + input.rng.next_u32() % 1000;
    for query in [format!("n={above}"), "n=abc".into(), "n=-1".into(), "n=".into()] {
        let answer = client.get(&format!("/cpu?{query}"))?;
        if answer.status != 400 || answer.body.is_empty() {
            return Err(answer.violation(
                "status 400 with a body",
                format!("status {}, {}", answer.status, answer.quoted()),
            ));
        }
    }
    Ok(())
}

fn paths(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    client
        .get(&format!("/no-such-{:08x}", input.rng.next_u32()))?
        .expect_status(404)?;
    refused(&client.get("/test/simple")?)?;
    refused(&client.post("/hello", "{}")?)
}

fn too_large(client: &Client, _: &mut Input<'_>) -> Result<(), Violation> {
    let answer = client.post(
        "/test/simple",
        &format!("{{\"payload\":\"{}\"}}", "a".repeat(TOO_LARGE)),
    )?;
    if answer.status != 413 || answer.body.is_empty() {
        return Err(answer.violation(
            "status 413 with a body",
            format!("status {}, {}", answer.status, answer.quoted()),
        ));
    }
    // The rest of the body must not be read as the next request.
    let answer = client.get("/")?;
    if answer.status == 200 {
        return Ok(());
    }
    Err(answer.violation(
        "status 200 after a body that is too large",
        format!("status {}, {}", answer.status, answer.quoted()),
    ))
}

pub(super) fn still_there(client: &Client, _: &mut Input<'_>) -> Result<(), Violation> {
    client.get("/")?.expect(200, "text/plain").map(|_| ())
}

pub(super) fn refused(answer: &Answer) -> Result<(), Violation> {
    if (400..500).contains(&answer.status) && !answer.body.is_empty() {
        return Ok(());
    }
    Err(answer.violation(
        "a status 4xx with a body",
        format!("status {}, {}", answer.status, answer.quoted()),
    ))
}
