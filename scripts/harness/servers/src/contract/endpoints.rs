//! Checks the answers to correct requests.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rand::Rng;
use serde::Deserialize;
use uuid::{Uuid, Version};

use super::client::{Answer, Client};
use super::input::Input;
use super::{Answers, Violation};
use crate::workload::Word;
use machine::clock;

/// Seconds by which a server's time may differ from ours; both read the same clock.
const CLOCK: i64 = 60;
/// Earliest answer to a request that sleeps for 20 ms. Some timers use a clock that is a few milliseconds old: ntex's was seen
/// to fire after 17.7 ms on a busy machine.
const EARLIEST: Duration = Duration::from_millis(15);
/// What `/cpu` computes by default.
const USUAL_N: u32 = 30;
/// Items of `/heavy`.
const ITEMS: usize = 10_000;
/// What `/ram` allocates.
const RAM_BYTES: u64 = 40 << 20;
/// Cost of `/test/bcrypt`.
const BCRYPT_COST: &str = "10";

pub(super) const PROOFS: &[(&str, Answers)] = &[
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
    client.get("/")?.expect_text("Hello, World!")
}

fn hello(client: &Client, _: &mut Input<'_>) -> Result<(), Violation> {
    let answer = client.get("/hello")?;
    let first: Item = answer.json()?;
    item(&answer, &first, "Hello, World!")?;
    let answer = client.get("/hello")?;
    let second: Item = answer.json()?;
    let is_new = first.id != second.id;
    answer.ensure(is_new, "a new id for each answer", format_args!("{} twice", first.id))
}

fn heavy(client: &Client, _: &mut Input<'_>) -> Result<(), Violation> {
    let answer = client.get("/heavy")?;
    let items: Vec<Item> = answer.json()?;
    let found = format!("{} items", items.len());
    answer.ensure(items.len() == ITEMS, format_args!("{ITEMS} items"), found)?;
    for (number, one) in items.iter().enumerate() {
        item(&answer, one, &format!("Heavy response item {number}"))?;
    }
    let ids: HashSet<Uuid> = items.iter().map(|item| item.id).collect();
    let found = format!("{} different ids", ids.len());
    answer.ensure(ids.len() == ITEMS, "an id for each item", found)?;
    let again: Vec<Item> = client.get("/heavy")?.json()?;
    let is_new = again.first().is_none_or(|item| !ids.contains(&item.id));
    answer.ensure(
        is_new,
        "items serialised for each request",
        "the ids of the answer before",
    )
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
    let expected = serde_json::json!({ "n": n, "result": fibonacci(n) });
    client.get(path)?.expect_json(200, &expected)
}

fn fibonacci(n: u32) -> u64 {
    (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0
}

fn ram(client: &Client, _: &mut Input<'_>) -> Result<(), Violation> {
    let answer = client.get("/ram")?;
    let answered: serde_json::Value = answer.json()?;
    let holds = answered["bytes"].as_u64() == Some(RAM_BYTES) && !answered["checksum"].is_null();
    let expected = format!("`{{\"bytes\":{RAM_BYTES},\"checksum\":…}}`");
    answer.ensure(holds, expected, answer.quoted())
}

fn simple(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let text = input.word();
    greeting(&client.post("/test/simple", &Word::body(&text))?, &text)?;
    if input.is_witness() {
        return Ok(());
    }
    // Quotes, escapes and letters beyond ASCII catch servers that cut strings instead of parsing JSON.
    let text = format!("{text}\"\\\n\u{e9}\u{1f980}");
    greeting(&client.post("/test/simple", &Word::body(&text))?, &text)
}

fn timed(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let text = input.word();
    // A server that kept its answers would not sleep for the second.
    for _ in 0..2 {
        let began = Instant::now();
        let answer = client.post("/test/timed", &Word::body(&text))?;
        let took = began.elapsed();
        greeting(&answer, &text)?;
        let got = format!("one after {:.1} ms", took.as_secs_f64() * 1e3);
        answer.ensure(took >= EARLIEST, "an answer after 20 ms", got)?;
    }
    Ok(())
}

fn bcrypt(client: &Client, input: &mut Input<'_>, path: &str) -> Result<(), Violation> {
    let text = input.word();
    let (answer, first) = hash_of(client, path, &text)?;
    let (_, second) = hash_of(client, path, &text)?;
    let expected = "another hash for each answer, for each has a new salt";
    answer.ensure(first != second, expected, "the same one twice")
}

fn hash_of(client: &Client, path: &str, text: &str) -> Result<(Answer, String), Violation> {
    let answer = client.post(path, &Word::body(text))?;
    let hash = answer.json::<Word>()?.payload;
    let holds = hash.split('$').nth(2) == Some(BCRYPT_COST) && bcrypt::verify(text, &hash).unwrap_or(false);
    let expected = format!("a bcrypt hash of `{text}` with cost {BCRYPT_COST}");
    answer.ensure(holds, expected, answer.quoted())?;
    Ok((answer, hash))
}

fn greeting(answer: &Answer, text: &str) -> Result<(), Violation> {
    answer.expect_json(200, &serde_json::json!({ "payload": format!("Hello, {text}") }))
}

fn item(answer: &Answer, item: &Item, message: &str) -> Result<(), Violation> {
    let (is_it, expected) = (item.message == message, format!("the message `{message}`"));
    answer.ensure(is_it, expected, format_args!("{:?}", item.message))?;
    let is_random = item.id.get_version() == Some(Version::Random);
    answer.ensure(is_random, "a UUID of version 4", item.id)?;
    // The machine's clock may be set at this very moment.
    let now = |time: &Timestamp| (time.as_second() - item.timestamp.as_second()).abs() <= CLOCK;
    let is_now = [Timestamp::now(), clock::now()].iter().any(now);
    answer.ensure(is_now, "the time of the answer", item.timestamp)
}
