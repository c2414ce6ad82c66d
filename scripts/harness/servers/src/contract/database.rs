//! Checks the answers of servers with a database: against the rows, which the harness changes beneath them, and against the
//! statements that the database counted.
//!
//! During a load nothing is changed, and statements cannot be distinguished from the load's: there, only the answers are checked. The
//! statements of the load are counted by [`measure::run`].

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context as _;
use quick_xml::escape::unescape;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;
use serde_json::{Value, json};

use super::client::{Answer, Client};
use super::input::Input;
use super::{Answers, Violation};
use crate::database::work::Work;
use crate::database::{Database, Fortune, Role};
use model::scenario::Method;

/// Ids of the orders that are there from the beginning are from 1 to this.
const ORDERS: u32 = 10_000;
/// Rows that `n` may request at most.
const MOST_ROWS: u32 = 100;
/// The fortune that every server adds.
const ADDED: &str = "Additional fortune added at request time.";
/// No order has it.
const NO_ORDER: i32 = 2_000_000_000;
/// Answers to `/db` that are compared: all the same row once in 10^16 times, if it is chosen at random.
const CHOSEN: usize = 5;
/// Answers to `/updates` during a load whose rows are read back at most: others may have rewritten all rows of one, but hardly of all.
const READ_BACK: usize = 5;

pub(super) const PROOFS: &[(&str, Answers)] = &[
    ("/db", db),
    ("/queries", queries),
    ("/fortunes", fortunes),
    ("/orders", new_order),
    // No load requests it.
    ("/orders", conflict),
    ("/orders/", order),
    ("/updates", updates),
];

#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct World {
    id: i32,
    #[serde(rename = "randomNumber")]
    random_number: i32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OrderId {
    id: i32,
}

/// The role of a server; these proofs are for servers that have one.
fn role(client: &Client) -> Result<&Role, Violation> {
    Ok(client.backend.role().context("there is no database")?)
}

fn database(client: &Client) -> Result<&Database, Violation> {
    Ok(&role(client)?.database)
}

/// Sends a request. Without a load, all rows of `world` get new numbers before, so that a server that keeps old ones is found,
/// and the statements that the database counts meanwhile must be those that the answer needs.
fn request(
    client: &Client,
    input: &mut Input<'_>,
    method: Method,
    path: &str,
    body: &str,
) -> Result<Answer, Violation> {
    let body_of_json = (!body.is_empty()).then_some(("application/json", body));
    let send = || client.request(method.as_str(), path, &[], body_of_json);
    if input.is_witness() {
        return send();
    }
    let (role, database) = (role(client)?, database(client)?);
    database.scatter(input.rng.next_u32())?;
    let fortunes = database.fortunes()?.len() as u64;
    let before = role.work()?;
    let answer = send()?;
    let work = role.work()?.since(&before);
    let needed = Work::of_request(method, path, body, fortunes).filter(|_| answer.status == 200);
    match needed.and_then(|needed| work.reason_against(&needed, 1)) {
        Some(reason) => Err(answer.violation("the work of this request, by the database's own count", reason)),
        None => Ok(answer),
    }
}

fn db(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let times = if input.is_witness() { 1 } else { CHOSEN };
    let mut ids = BTreeSet::new();
    for _ in 0..times {
        let answer = request(client, input, Method::Get, "/db", "")?;
        let world: World = answer.json()?;
        ids.insert(world.id);
        true_rows(client, &answer, &[world])?;
    }
    match ids.first() {
        Some(id) if ids.len() == 1 && times > 1 => {
            let got = format!("row {id} every time");
            Err(Violation::wrong("GET /db", "a random row for each answer", got))
        }
        _ => Ok(()),
    }
}

fn queries(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let random = 1 + input.rng.next_u32() % MOST_ROWS;
    let paths = ["/queries?n=20", &format!("/queries?n={random}"), "/queries"];
    for path in input.path_of_load().map_or(paths.to_vec(), |path| vec![path]) {
        let answer = request(client, input, Method::Get, path, "")?;
        let worlds: Vec<World> = answer.json()?;
        let (n, found) = (rows_named_by(path), worlds.len());
        answer.ensure(found == n, format_args!("{n} rows"), format_args!("{found} rows"))?;
        true_rows(client, &answer, &worlds)?;
    }
    Ok(())
}

/// The number of rows that a path requests, which is 1 unless it says another.
fn rows_named_by(path: &str) -> usize {
    path.split_once("?n=").and_then(|(_, n)| n.parse().ok()).unwrap_or(1)
}

/// Whether these are rows of the table as it is.
fn true_rows(client: &Client, answer: &Answer, worlds: &[World]) -> Result<(), Violation> {
    let kept = numbers_now(client, worlds)?;
    for world in worlds {
        let number = kept.get(&world.id);
        let shown = number.map_or("no such row".into(), i32::to_string);
        let expected = format!("row {} as it is in the database, {shown}", world.id);
        answer.ensure(number == Some(&world.random_number), expected, world.random_number)?;
    }
    Ok(())
}

fn numbers_now(client: &Client, worlds: &[World]) -> Result<BTreeMap<i32, i32>, Violation> {
    let ids: Vec<i32> = worlds.iter().map(|world| world.id).collect();
    Ok(database(client)?.numbers(&ids)?)
}

fn fortunes(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    if input.is_witness() {
        return page(client, input);
    }
    // One more, which no server can know, and which is markup if it is not escaped.
    let id = 1000 + i32::try_from(input.rng.next_u32() % 1_000_000).unwrap_or(0);
    let message = format!("<b onclick='{id}'>\"Å & B\"</b> {:08x}", input.rng.next_u32());
    database(client)?.add_fortune(id, &message)?;
    let proven = page(client, input);
    database(client)?.remove_fortune(id)?;
    proven
}

/// Requests the page, and compares its rows with the table's.
fn page(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let mut expected = database(client)?.fortunes()?;
    expected.push((0, ADDED.into()));
    expected.sort_by(|one, other| one.1.cmp(&other.1));
    let answer = request(client, input, Method::Get, "/fortunes", "")?;
    let text = String::from_utf8_lossy(answer.expect_type(200, "text/html")?);
    let is_escaped = !text.contains("<script") && !text.contains("<b ");
    answer.ensure(
        is_escaped,
        "messages that are escaped",
        "markup of a message in the page",
    )?;
    let shown = rows_of(&text);
    for ((id, message), (shown_id, shown)) in expected.iter().zip(&shown) {
        let is_it = (id, message) == (shown_id, shown);
        let expected = format!("the row {id} {message:?} in its place");
        answer.ensure(is_it, expected, format_args!("the row {shown_id} {shown:?}"))?;
    }
    let (expected, found) = (expected.len(), shown.len());
    answer.ensure(
        found == expected,
        format_args!("{expected} rows"),
        format_args!("{found} rows"),
    )
}

/// The rows of a table: `<tr><td>1</td><td>text</td></tr>`, with white space between tags as templates like it.
fn rows_of(page: &str) -> Vec<Fortune> {
    fn cell(rest: &str) -> Option<(String, &str)> {
        let (_, after) = rest.split_once("<td>")?;
        let (text, after) = after.split_once("</td>")?;
        Some((unescape(text.trim()).ok()?.into_owned(), after))
    }
    let row = |row: &str| {
        let (id, rest) = cell(row)?;
        Some((id.parse().ok()?, cell(rest)?.0))
    };
    page.split("<tr>").filter_map(row).collect()
}

/// A new order with different products, sorted.
fn random_order(rng: &mut ChaCha8Rng) -> String {
    let (customer, first) = (random(rng, 500), random(rng, 300));
    let lines = [0, 1, 2].map(|line| json!({ "product": first + 300 * line, "quantity": random(rng, 9) }));
    json!({ "customer": customer, "lines": lines }).to_string()
}

fn random(rng: &mut ChaCha8Rng, most: u32) -> i32 {
    i32::try_from(1 + rng.next_u32() % most).unwrap_or(1)
}

fn new_order(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let body = input.body_or(random_order);
    let mut order: Value = serde_json::from_str(&body).context("no order")?;
    let answer = request(client, input, Method::Post, "/orders", &body)?;
    let OrderId { id } = answer.json()?;
    order["id"] = id.into();
    let kept = database(client)?.order(id)?;
    let got = format!("no order {id}");
    answer.ensure(!kept.is_null(), "an order in the database", got)?;
    let got = format!("in the database, {kept}");
    answer.ensure(kept == order, "the order as it was sent", got)?;
    one_transaction(&answer, database(client)?.writers_of_order(id)?)
}

/// Whether all that an answer wrote was written by one transaction, which the database notes in every row.
fn one_transaction(answer: &Answer, writers: i64) -> Result<(), Violation> {
    let got = format_args!("{writers} transactions");
    answer.ensure(writers == 1, "all rows written in one transaction", got)
}

/// A product that is named twice is refused, and nothing of its order stays behind.
fn conflict(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let product = random(&mut input.rng, 1000);
    let lines = [1, 2].map(|quantity| json!({ "product": product, "quantity": quantity }));
    let before = database(client)?.orders()?;
    let answer = client.post("/orders", &json!({ "customer": 1, "lines": lines }).to_string())?;
    answer.expect_status(409)?;
    let after = database(client)?.orders()?;
    let more = format!("{} orders and {} lines more", after.0 - before.0, after.1 - before.1);
    answer.ensure(before == after, "nothing of a refused order in the database", more)
}

fn order(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let of_load = input
        .path_of_load()
        .and_then(|path| path.strip_prefix("/orders/")?.parse().ok());
    let id = of_load.unwrap_or_else(|| random(&mut input.rng, ORDERS));
    let path = format!("/orders/{id}");
    let answer = request(client, input, Method::Get, &path, "")?;
    let order: Value = answer.json()?;
    let kept = database(client)?.order(id)?;
    let expected = format!("the order {id} as it is in the database, {kept}");
    answer.ensure(order["id"] == id && order == kept, expected, &order)?;
    if input.is_witness() {
        return Ok(());
    }
    client.get(&format!("/orders/{NO_ORDER}"))?.expect_status(404)
}

fn updates(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let random = 1 + input.rng.next_u32() % 20;
    let paths = ["/updates?n=5", &format!("/updates?n={random}")];
    let of_load = input.path_of_load();
    for path in of_load.map_or(paths.to_vec(), |path| vec![path; READ_BACK]) {
        let answer = request(client, input, Method::Post, path, "")?;
        let worlds: Vec<World> = answer.json()?;
        let n = rows_named_by(path);
        let is_it = worlds.len() == n && worlds.is_sorted_by(|one, next| one.id < next.id);
        let expected = format_args!("{n} different rows in ascending order");
        answer.ensure(is_it, expected, answer.quoted())?;
        if !input.is_witness() {
            true_rows(client, &answer, &worlds)?;
            let ids: Vec<i32> = worlds.iter().map(|world| world.id).collect();
            one_transaction(&answer, database(client)?.writers_of_worlds(&ids)?)?;
            continue;
        }
        let kept = numbers_now(client, &worlds)?;
        let is_kept = |world: &World| kept.get(&world.id) == Some(&world.random_number);
        if worlds.iter().any(is_kept) {
            return Ok(());
        }
    }
    let Some(path) = of_load else { return Ok(()) };
    let got = format!("other ones in all rows of {READ_BACK} answers");
    Err(Violation::wrong(
        format!("POST {path}"),
        "the new numbers in the database",
        got,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_read_however_it_is_escaped() {
        let page = "<table><tr><th>id</th><th>message</th></tr>\n<tr>\n <td> 11</td>\n <td>&lt;b&#62; &#x27;&quot;&amp;</td></tr>";
        assert_eq!(rows_of(page), [(11, "<b> '\"&".to_owned())]);
        assert_eq!(rows_of("<tr><td>x</td><td>y</td></tr>"), []);
    }
}
