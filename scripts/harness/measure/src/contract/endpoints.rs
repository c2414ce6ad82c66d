//! Checks the answers to correct requests.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use uuid::{Uuid, Version};

use super::client::{Answer, Client};
use super::{Proof, Violation};

const JSON: &str = "application/json";
/// Seconds by which a server's time may differ from ours; both read the same clock.
const CLOCK: i64 = 60;
/// Earliest answer to a request that sleeps for 20 ms. Some timers use a clock that is a few milliseconds old: ntex's was seen
/// to fire after 17.7 ms on a busy machine.
const EARLIEST: Duration = Duration::from_millis(15);
/// Items of `/heavy`.
const ITEMS: usize = 10_000;
/// What `/ram` allocates.
const RAM_BYTES: u64 = 40 << 20;
/// Cost of `/test/bcrypt`.
const BCRYPT_COST: &str = "10";

pub(super) const PROOFS: &[(&str, Proof)] = &[
    ("/", plaintext),
    ("/hello", hello),
    ("/heavy", heavy),
    ("/cpu", cpu),
    ("/ram", ram),
    ("/test/simple", simple),
    ("/test/timed", timed),
    ("/test/bcrypt", |client, rng| bcrypt(client, rng, "/test/bcrypt")),
    ("/test/bcrypt-inline", |client, rng| {
        bcrypt(client, rng, "/test/bcrypt-inline")
    }),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Item {
    message: String,
    id: Uuid,
    timestamp: Timestamp,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Payload {
    payload: String,
}

fn plaintext(client: &Client, _: &mut ChaCha8Rng) -> Result<(), Violation> {
    const EXPECTED: &[u8] = b"Hello, World!";
    let answer = client.get("/")?;
    if answer.expect(200, "text/plain")? == EXPECTED {
        return Ok(());
    }
    Err(answer.violation("`Hello, World!`", answer.quoted()))
}

fn hello(client: &Client, _: &mut ChaCha8Rng) -> Result<(), Violation> {
    let answer = client.get("/hello")?;
    let first: Item = json(&answer)?;
    item(&answer, &first, "Hello, World!")?;
    let answer = client.get("/hello")?;
    let second: Item = json(&answer)?;
    if first.id == second.id {
        return Err(answer.violation("a new id for each answer", format!("{} twice", first.id)));
    }
    Ok(())
}

fn heavy(client: &Client, _: &mut ChaCha8Rng) -> Result<(), Violation> {
    let answer = client.get("/heavy")?;
    let items: Vec<Item> = json(&answer)?;
    if items.len() != ITEMS {
        return Err(answer.violation(format!("{ITEMS} items"), format!("{} items", items.len())));
    }
    for (number, one) in items.iter().enumerate() {
        item(&answer, one, &format!("Heavy response item {number}"))?;
    }
    let ids: HashSet<Uuid> = items.iter().map(|item| item.id).collect();
    if ids.len() != ITEMS {
        return Err(answer.violation("an id for each item", format!("{} different ids", ids.len())));
    }
    let again: Vec<Item> = json(&client.get("/heavy")?)?;
    if again.first().is_some_and(|item| ids.contains(&item.id)) {
        return Err(answer.violation("items serialised anew for each request", "the ids of the answer before"));
    }
    Ok(())
}

fn cpu(client: &Client, rng: &mut ChaCha8Rng) -> Result<(), Violation> {
    let random = 1 + rng.next_u32() % 25;
    for (path, n) in [("/cpu".to_owned(), 30), (format!("/cpu?n={random}"), random)] {
        let answer = client.get(&path)?;
        let answered: serde_json::Value = json(&answer)?;
        let expected = serde_json::json!({ "n": n, "result": fibonacci(n) });
        if answered != expected {
            return Err(answer.violation(format!("`{expected}`"), answer.quoted()));
        }
    }
    Ok(())
}

fn fibonacci(n: u32) -> u64 {
    (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0
}

fn ram(client: &Client, _: &mut ChaCha8Rng) -> Result<(), Violation> {
    let answer = client.get("/ram")?;
    let answered: serde_json::Value = json(&answer)?;
    let bytes = answered.get("bytes").and_then(serde_json::Value::as_u64);
    if bytes == Some(RAM_BYTES) && answered.get("checksum").is_some_and(|checksum| !checksum.is_null()) {
        return Ok(());
    }
    Err(answer.violation(format!("`{{\"bytes\":{RAM_BYTES},\"checksum\":…}}`"), answer.quoted()))
}

fn simple(client: &Client, rng: &mut ChaCha8Rng) -> Result<(), Violation> {
    // Quotes, escapes and letters beyond ASCII catch servers that cut strings instead of parsing JSON.
    for text in [word(rng), format!("{}\"\\\n\u{e9}\u{1f980}", word(rng))] {
        greeting(&client.post("/test/simple", &body(&text))?, &text)?;
    }
    Ok(())
}

fn timed(client: &Client, rng: &mut ChaCha8Rng) -> Result<(), Violation> {
    let text = word(rng);
    let began = Instant::now();
    let answer = client.post("/test/timed", &body(&text))?;
    let took = began.elapsed();
    greeting(&answer, &text)?;
    if took < EARLIEST {
        return Err(answer.violation(
            "an answer after 20 ms",
            format!("one after {:.1} ms", took.as_secs_f64() * 1e3),
        ));
    }
    Ok(())
}

fn bcrypt(client: &Client, rng: &mut ChaCha8Rng, path: &str) -> Result<(), Violation> {
    let text = word(rng);
    let answer = client.post(path, &body(&text))?;
    let hash = json::<Payload>(&answer)?.payload;
    let right_cost = hash.split('$').nth(2) == Some(BCRYPT_COST);
    if right_cost && bcrypt::verify(&text, &hash).unwrap_or(false) {
        return Ok(());
    }
    Err(answer.violation(
        format!("a bcrypt hash of `{text}` with cost {BCRYPT_COST}"),
        answer.quoted(),
    ))
}

fn greeting(answer: &Answer, text: &str) -> Result<(), Violation> {
    let expected = format!("Hello, {text}");
    if json::<Payload>(answer)?.payload == expected {
        return Ok(());
    }
    let expected = serde_json::json!({ "payload": expected });
    Err(answer.violation(format!("`{expected}`"), answer.quoted()))
}

fn item(answer: &Answer, item: &Item, message: &str) -> Result<(), Violation> {
    if item.message != message {
        return Err(answer.violation(format!("the message `{message}`"), format!("{:?}", item.message)));
    }
    if item.id.get_version() != Some(Version::Random) {
        return Err(answer.violation("a UUID of version 4", item.id.to_string()));
    }
    let off = (Timestamp::now().as_second() - item.timestamp.as_second()).abs();
    if off > CLOCK {
        return Err(answer.violation("the time of the answer", item.timestamp.to_string()));
    }
    Ok(())
}

pub(super) fn json<T: DeserializeOwned>(answer: &Answer) -> Result<T, Violation> {
    let body = answer.expect(200, JSON)?;
    serde_json::from_slice(body)
        .map_err(|error| answer.violation("the JSON of the contract", format!("{} ({error})", answer.quoted())))
}

fn body(text: &str) -> String {
    serde_json::json!({ "payload": text }).to_string()
}

fn word(rng: &mut ChaCha8Rng) -> String {
    format!("world-{:08x}", rng.next_u32())
}
