//! Checks the answers to correct requests.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rand::Rng;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use uuid::{Uuid, Version};

use super::client::{Answer, Client};
use super::input::Input;
use super::{Proof, Violation};
use crate::asked::Word;

const JSON: &str = "application/json";
/// Seconds by which a server's time may differ from ours; both read the same clock.
const CLOCK: i64 = 60;
/// Earliest answer to a request that sleeps for 20 ms. Some timers use a clock that is a few milliseconds old: ntex's was seen
/// to fire after 17.7 ms on a busy machine.
const EARLIEST: Duration = Duration::from_millis(15);
/// What `/cpu` computes unless it is told another.
const USUAL_N: u32 = 30;
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
    ("/test/bcrypt", |client, input| bcrypt(client, input, "/test/bcrypt")),
    ("/test/bcrypt-inline", |client, input| {
        bcrypt(client, input, "/test/bcrypt-inline")
    }),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Item {
    message: String,
    id: Uuid,
    timestamp: Timestamp,
}

fn plaintext(client: &Client, _: &mut Input<'_>) -> Result<(), Violation> {
    const EXPECTED: &[u8] = b"Hello, World!";
    let answer = client.get("/")?;
    if answer.expect(200, "text/plain")? == EXPECTED {
        return Ok(());
    }
    Err(answer.violation("`Hello, World!`", answer.quoted()))
}

fn hello(client: &Client, _: &mut Input<'_>) -> Result<(), Violation> {
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

fn heavy(client: &Client, _: &mut Input<'_>) -> Result<(), Violation> {
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
        return Err(answer.violation("items serialised for each request", "the ids of the answer before"));
    }
    Ok(())
}

fn cpu(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    if let Some(path) = input.path_of_load() {
        let n = path.strip_prefix("/cpu?n=").and_then(|n| n.parse().ok());
        return fibonacci_of(client, path, n.unwrap_or(USUAL_N));
    }
    let random = 1 + input.rng.next_u32() % 25;
    fibonacci_of(client, "/cpu", USUAL_N)?;
    fibonacci_of(client, &format!("/cpu?n={random}"), random)
}

fn fibonacci_of(client: &Client, path: &str, n: u32) -> Result<(), Violation> {
    let answer = client.get(path)?;
    let answered: serde_json::Value = json(&answer)?;
    let expected = serde_json::json!({ "n": n, "result": fibonacci(n) });
    if answered == expected {
        return Ok(());
    }
    Err(answer.violation(format!("`{expected}`"), answer.quoted()))
}

fn fibonacci(n: u32) -> u64 {
    (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0
}

fn ram(client: &Client, _: &mut Input<'_>) -> Result<(), Violation> {
    let answer = client.get("/ram")?;
    let answered: serde_json::Value = json(&answer)?;
    let bytes = answered.get("bytes").and_then(serde_json::Value::as_u64);
    if bytes == Some(RAM_BYTES) && answered.get("checksum").is_some_and(|checksum| !checksum.is_null()) {
        return Ok(());
    }
    Err(answer.violation(format!("`{{\"bytes\":{RAM_BYTES},\"checksum\":…}}`"), answer.quoted()))
}

fn simple(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let text = input.word();
    greeting(&client.post("/test/simple", &body(&text))?, &text)?;
    if input.is_witness() {
        return Ok(());
    }
    // Quotes, escapes and letters beyond ASCII catch servers that cut strings instead of parsing JSON.
    let text = format!("{text}\"\\\n\u{e9}\u{1f980}");
    greeting(&client.post("/test/simple", &body(&text))?, &text)
}

fn timed(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let text = input.word();
    // A server that kept its answers would not sleep for the second.
    for _ in 0..2 {
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
    }
    Ok(())
}

fn bcrypt(client: &Client, input: &mut Input<'_>, path: &str) -> Result<(), Violation> {
    let text = input.word();
    let (answer, first) = hash_of(client, path, &text)?;
    let (_, second) = hash_of(client, path, &text)?;
    if first == second {
        let expected = "another hash for each answer, for each has a new salt";
        return Err(answer.violation(expected, "the same one twice"));
    }
    Ok(())
}

fn hash_of(client: &Client, path: &str, text: &str) -> Result<(Answer, String), Violation> {
    let answer = client.post(path, &body(text))?;
    let hash = json::<Word>(&answer)?.payload;
    let right_cost = hash.split('$').nth(2) == Some(BCRYPT_COST);
    if right_cost && bcrypt::verify(text, &hash).unwrap_or(false) {
        return Ok((answer, hash));
    }
    Err(answer.violation(
        format!("a bcrypt hash of `{text}` with cost {BCRYPT_COST}"),
        answer.quoted(),
    ))
}

fn greeting(answer: &Answer, text: &str) -> Result<(), Violation> {
    let expected = format!("Hello, {text}");
    if json::<Word>(answer)?.payload == expected {
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
    let payload = text.to_owned();
    Word { payload }.body()
}
