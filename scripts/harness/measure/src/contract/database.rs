//! Checks the answers of servers with a database: against the rows, which the harness changes beneath them, and against the
//! statements that the database counted.
//!
//! During a load nothing is changed, and statements cannot be told from those of the load: there, only the answers are checked. The
//! statements of the load are counted by [`crate::run`].

use quick_xml::escape::unescape;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;
use serde_json::json;

use super::client::{Answer, Client};
use super::input::Input;
use super::malformed::still_there;
use super::{Proof, Violation};
use crate::database::work::Demand;
use crate::database::{self, Database, Fortune, ROWS, Role};
use record::scenario::Method;

/// Ids of the orders that are there from the beginning are from 1 to this.
const ORDERS: u32 = 10_000;
/// Rows that `n` may ask for at most.
const MOST_ROWS: u32 = 100;
/// The fortune that every server adds.
const ADDED: &str = "Additional fortune added at request time.";
/// No order has it.
const NO_ORDER: i32 = 2_000_000_000;
/// Answers to `/db` that are compared: all the same row once in 10^16 times, if it is chosen at random.
const CHOSEN: usize = 5;

/// What the paths under `/orders/` are proven by.
const AN_ORDER: &str = "/orders/";

const PROOFS: &[(&str, Proof)] = &[
    ("/db", db),
    ("/queries", queries),
    ("/fortunes", fortunes),
    ("/orders", new_order),
    (AN_ORDER, order),
    ("/updates", updates),
];

const OTHERS: &[Proof] = &[still_there, counts, conflict, bodies, paths];

/// The proof of a path.
pub(super) fn proof_of(path: &str) -> Option<Proof> {
    let path = if path.starts_with(AN_ORDER) { AN_ORDER } else { path };
    PROOFS
        .iter()
        .find(|(proven, _)| *proven == path)
        .map(|(_, proof)| *proof)
}

/// All of them.
pub(super) fn proofs() -> impl Iterator<Item = Proof> {
    OTHERS.iter().copied().chain(PROOFS.iter().map(|(_, proof)| *proof))
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct World {
    id: i32,
    #[serde(rename = "randomNumber")]
    random_number: i32,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    product: i32,
    quantity: i32,
}

/// An order that is not kept yet.
/// An order; a new one has no id.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Order {
    id: Option<i32>,
    customer: i32,
    lines: Vec<Line>,
}

impl Order {
    /// As the database has it.
    fn kept(&self) -> database::Order {
        database::Order {
            customer: self.customer,
            lines: self.lines.iter().map(|line| (line.product, line.quantity)).collect(),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OrderId {
    id: i32,
}

/// The account of a server; these proofs are for servers that have one.
fn account(client: &Client) -> Result<&Role, Violation> {
    let missing = || Violation::unjudged("a server with a database", "there is none here");
    client.account().ok_or_else(missing)
}

fn database(client: &Client) -> Result<&Database, Violation> {
    Ok(account(client)?.database())
}

/// Sends a request, and compares the answer with the statements that the database counted meanwhile, unless others ask as well.
fn ask(
    client: &Client,
    input: &Input<'_>,
    (method, path, body): (Method, &str, &str),
    demand: Option<Demand>,
) -> Result<Answer, Violation> {
    let send = || match method {
        Method::Get => client.get(path),
        Method::Post if body.is_empty() => client.post_nothing(path),
        Method::Post => client.post(path, body),
    };
    if input.is_witness() {
        return send();
    }
    let before = account(client)?.work()?;
    let answer = send()?;
    let work = account(client)?.work()?.since(&before);
    let demand = demand.filter(|_| answer.status == 200);
    match demand.and_then(|demand| work.reason_against(&demand, 1)) {
        Some(reason) => Err(answer.violation("the work of this request, by the database's own count", reason)),
        None => Ok(answer),
    }
}

fn db(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let times = if input.is_witness() { 1 } else { CHOSEN };
    let mut ids = Vec::new();
    loop {
        changed_beneath(client, input)?;
        let demand = Demand::of_request(Method::Get, "/db", 1, 0, 0);
        let answer = ask(client, input, (Method::Get, "/db", ""), demand)?;
        let world: World = answer.json()?;
        ids.push(world.id);
        true_rows(client, &answer, &[world])?;
        if ids.len() == times {
            let is_random = times == 1 || ids.iter().any(|id| *id != ids[0]);
            let got = format_args!("row {} every time", ids[0]);
            return answer.ensure(is_random, "a random row for each answer", got);
        }
    }
}

fn queries(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let random = 1 + input.rng.next_u32() % MOST_ROWS;
    let requests = [
        ("/queries?n=20".to_owned(), 20),
        (format!("/queries?n={random}"), random),
        ("/queries".into(), 1),
    ];
    for (path, n) in of_load(input).map_or(requests.to_vec(), |asked| vec![asked]) {
        changed_beneath(client, input)?;
        let demand = Demand::of_request(Method::Get, "/queries", n.into(), 0, 0);
        let answer = ask(client, input, (Method::Get, &path, ""), demand)?;
        let worlds: Vec<World> = answer.json()?;
        let found = worlds.len();
        answer.ensure(
            found == n as usize,
            format_args!("{n} rows"),
            format_args!("{found} rows"),
        )?;
        true_rows(client, &answer, &worlds)?;
    }
    Ok(())
}

/// The path of the load with its number of rows, which is 1 unless it says another.
fn of_load(input: &mut Input<'_>) -> Option<(String, u32)> {
    let path = input.path_of_load()?;
    let n = path.split_once("?n=").and_then(|(_, n)| n.parse().ok());
    Some((path.to_owned(), n.unwrap_or(1)))
}

/// Gives all rows new numbers, so that a server that keeps old ones is found; not during a load.
fn changed_beneath(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    if !input.is_witness() {
        database(client)?.scatter(input.rng.next_u32())?;
    }
    Ok(())
}

/// Whether these are rows of the table as it is.
fn true_rows(client: &Client, answer: &Answer, worlds: &[World]) -> Result<(), Violation> {
    let ids: Vec<i32> = worlds.iter().map(|world| world.id).collect();
    if let Some(id) = ids.iter().find(|id| !(1..=ROWS).contains(*id)) {
        return Err(answer.violation(format_args!("ids from 1 to {ROWS}"), id));
    }
    for (world, number) in worlds.iter().zip(database(client)?.numbers(&ids)?) {
        let kept = number.map_or("no such row".into(), |number| number.to_string());
        let expected = format!("row {} as it is in the database, {kept}", world.id);
        answer.ensure(Some(world.random_number) == number, expected, world.random_number)?;
    }
    Ok(())
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

/// Requests the page, and compares its rows with those of the table.
fn page(client: &Client, input: &Input<'_>) -> Result<(), Violation> {
    let mut expected = database(client)?.fortunes()?;
    let demand = Demand::of_request(Method::Get, "/fortunes", 1, 0, expected.len() as u64);
    expected.push((0, ADDED.into()));
    expected.sort_by(|one, other| one.1.cmp(&other.1));
    let answer = ask(client, input, (Method::Get, "/fortunes", ""), demand)?;
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
    let of_load = input.body_of_load().map(str::to_owned);
    let body = of_load.unwrap_or_else(|| random_order(&mut input.rng));
    let order: Order = serde_json::from_str(&body).map_err(|error| Violation::unjudged("POST /orders", error))?;
    let order = order.kept();
    let demand = Demand::of_request(Method::Post, "/orders", 1, order.lines.len() as u64, 0);
    let answer = ask(client, input, (Method::Post, "/orders", &body), demand)?;
    let OrderId { id } = answer.json()?;
    let kept = database(client)?.order(id)?;
    answer.ensure(
        kept.is_some(),
        "an order in the database",
        format_args!("no order {id}"),
    )?;
    let is_it = kept.as_ref() == Some(&order);
    answer.ensure(
        is_it,
        "the order as it was sent",
        format_args!("in the database, {kept:?}"),
    )?;
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
        .and_then(|path| path.strip_prefix(AN_ORDER)?.parse().ok());
    let id = of_load.unwrap_or_else(|| random(&mut input.rng, ORDERS));
    let path = format!("/orders/{id}");
    let demand = Demand::of_request(Method::Get, &path, 1, 0, 0);
    let answer = ask(client, input, (Method::Get, &path, ""), demand)?;
    let order: Order = answer.json()?;
    let kept = database(client)?.order(id)?;
    let is_it = order.id == Some(id) && kept.as_ref() == Some(&order.kept());
    let expected = format!("the order {id} as it is in the database, {kept:?}");
    answer.ensure(is_it, expected, format_args!("{order:?}"))?;
    if input.is_witness() {
        return Ok(());
    }
    client.get(&format!("/orders/{NO_ORDER}"))?.expect_status(404)
}

fn updates(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let random = 1 + input.rng.next_u32() % 20;
    let requests = [("/updates?n=5".to_owned(), 5), (format!("/updates?n={random}"), random)];
    for (path, n) in of_load(input).map_or(requests.to_vec(), |asked| vec![asked]) {
        changed_beneath(client, input)?;
        let demand = Demand::of_request(Method::Post, "/updates", n.into(), 0, 0);
        let answer = ask(client, input, (Method::Post, &path, ""), demand)?;
        let worlds: Vec<World> = answer.json()?;
        let is_it = worlds.len() == n as usize && worlds.is_sorted_by(|one, next| one.id < next.id);
        let expected = format_args!("{n} different rows in ascending order");
        answer.ensure(is_it, expected, answer.quoted())?;
        // During a load, others may have written the same rows again.
        if !input.is_witness() {
            true_rows(client, &answer, &worlds)?;
            let ids: Vec<i32> = worlds.iter().map(|world| world.id).collect();
            one_transaction(&answer, database(client)?.writers_of_worlds(&ids)?)?;
        }
    }
    Ok(())
}

/// Numbers of rows that no request may have.
fn counts(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let above = (MOST_ROWS + 1 + input.rng.next_u32() % 1000).to_string();
    for n in ["0", &above, "-1", "abc", ""] {
        client.get(&format!("/queries?n={n}"))?.expect_status(400)?;
        client.post_nothing(&format!("/updates?n={n}"))?.expect_status(400)?;
    }
    Ok(())
}

// Only the plain servers must also give a reason with a refusal.

fn bodies(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let broken = format!("{{\"customer\":{}", input.rng.next_u32() % 1000);
    for body in [broken.as_str(), "{\"customer\":1}", "{}", "[]", ""] {
        client.post("/orders", body)?.expect_4xx("")?;
    }
    Ok(())
}

fn paths(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let unknown = format!("/no-such-{:08x}", input.rng.next_u32());
    client.get(&unknown)?.expect_status(404)?;
    client.get("/orders")?.expect_4xx("")?;
    client.get("/orders/abc")?.expect_4xx("")?;
    client.post("/db", "{}")?.expect_4xx("")
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
