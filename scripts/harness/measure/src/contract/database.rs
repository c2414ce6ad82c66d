//! Checks the answers of servers with a database: against the rows, which the harness changes beneath them, and against what the
//! database says it was asked.
//!
//! Beside a load nothing is changed, and statements cannot be told from those of the load: there, only the answers are checked.
//! What the load itself asked is counted by [`crate::run`].

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;

use super::client::{Answer, Client};
use super::endpoints::json;
use super::input::Input;
use super::malformed::still_there;
use super::{Proof, Violation};
use crate::database::work::Demand;
use crate::database::{Database, DatabaseError, Fortune, ROWS};
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
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NewOrder {
    customer: i32,
    lines: Vec<Line>,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Order {
    id: i32,
    customer: i32,
    lines: Vec<Line>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OrderId {
    id: i32,
}

/// The database behind the server; proofs here are asked of no other server.
fn database(client: &Client) -> Result<&Database, Violation> {
    client.database().ok_or_else(missing)
}

fn missing() -> Violation {
    Violation::unjudged("a server with a database", "there is none here")
}

/// What the database says, or why the answer cannot be judged.
fn told<T>(answer: &Answer, said: Result<T, DatabaseError>) -> Result<T, Violation> {
    said.map_err(|error| Violation::unjudged(&answer.request, error))
}

/// Asks, and checks what the database was asked meanwhile, unless others ask as well.
fn ask(
    client: &Client,
    input: &Input<'_>,
    (method, path, body): (Method, &str, &str),
    demand: impl FnOnce() -> Option<Demand>,
) -> Result<Answer, Violation> {
    let send = || match method {
        Method::Get => client.get(path),
        Method::Post if body.is_empty() => client.post_nothing(path),
        Method::Post => client.post(path, body),
    };
    if input.is_witness() {
        return send();
    }
    let count = || {
        let account = client.account().ok_or_else(missing)?;
        account.work().map_err(|error| Violation::unjudged(path, error))
    };
    let before = count()?;
    let answer = send()?;
    let work = count()?.since(&before);
    if let Some(reason) = demand()
        .filter(|_| answer.status == 200)
        .and_then(|demand| work.reason_against(&demand, 1))
    {
        return Err(answer.violation("the work of this request, by the database's own count", reason));
    }
    Ok(answer)
}

fn db(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let times = if input.is_witness() { 1 } else { CHOSEN };
    let mut ids = Vec::new();
    let mut last = None;
    for _ in 0..times {
        changed_beneath(client, "GET /db", input)?;
        let answer = ask(client, input, (Method::Get, "/db", ""), || {
            Demand::of_request(Method::Get, "/db", 1, 0, 0)
        })?;
        let world: World = json(&answer)?;
        ids.push(world.id);
        true_rows(client, &answer, &[world])?;
        last = Some(answer);
    }
    match last {
        Some(answer) if times > 1 && ids.iter().all(|id| *id == ids[0]) => {
            Err(answer.violation("a random row for each answer", format!("row {} every time", ids[0])))
        }
        _ => Ok(()),
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
        changed_beneath(client, &format!("GET {path}"), input)?;
        let answer = ask(client, input, (Method::Get, &path, ""), || {
            Demand::of_request(Method::Get, "/queries", n.into(), 0, 0)
        })?;
        let worlds: Vec<World> = json(&answer)?;
        if worlds.len() != n as usize {
            return Err(answer.violation(format!("{n} rows"), format!("{} rows", worlds.len())));
        }
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

/// Gives all rows new numbers, so that a server that keeps old ones is found; not beside a load.
fn changed_beneath(client: &Client, request: &str, input: &mut Input<'_>) -> Result<(), Violation> {
    if input.is_witness() {
        return Ok(());
    }
    let changed = database(client)?.scatter(input.rng.next_u32());
    changed.map_err(|error| Violation::unjudged(request, error))
}

/// Whether these are rows of the table as it is.
fn true_rows(client: &Client, answer: &Answer, worlds: &[World]) -> Result<(), Violation> {
    let ids: Vec<i32> = worlds.iter().map(|world| world.id).collect();
    if let Some(id) = ids.iter().find(|id| !(1..=ROWS).contains(*id)) {
        return Err(answer.violation(format!("ids from 1 to {ROWS}"), id.to_string()));
    }
    let numbers = told(answer, database(client)?.numbers(&ids))?;
    for (world, number) in worlds.iter().zip(numbers) {
        if Some(world.random_number) != number {
            let number = number.map_or("no such row".into(), |number| number.to_string());
            return Err(answer.violation(
                format!("row {} as it is in the database, {number}", world.id),
                world.random_number.to_string(),
            ));
        }
    }
    Ok(())
}

fn fortunes(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let database = database(client)?;
    if input.is_witness() {
        return page(client, input, database);
    }
    // One more, which no server can know, and which is markup if it is not escaped.
    let id = 1000 + i32::try_from(input.rng.next_u32() % 1_000_000).unwrap_or(0);
    let message = format!("<b onclick='{id}'>\"Å & B\"</b> {:08x}", input.rng.next_u32());
    let unjudged = |error: DatabaseError| Violation::unjudged("GET /fortunes", error);
    database.add_fortune(id, &message).map_err(unjudged)?;
    let proven = page(client, input, database);
    database.remove_fortune(id).map_err(unjudged)?;
    proven
}

/// Asks for the page, and compares its rows with those of the table.
fn page(client: &Client, input: &Input<'_>, database: &Database) -> Result<(), Violation> {
    let expected = database.fortunes();
    let mut expected = expected.map_err(|error| Violation::unjudged("GET /fortunes", error))?;
    let rows = expected.len() as u64;
    expected.push((0, ADDED.into()));
    expected.sort_by(|one, other| one.1.cmp(&other.1));
    let answer = ask(client, input, (Method::Get, "/fortunes", ""), || {
        Demand::of_request(Method::Get, "/fortunes", 1, 0, rows)
    })?;
    let body = answer.expect(200, "text/html")?;
    let text = String::from_utf8_lossy(body);
    let shown = rows_of(&text);
    if text.contains("<script") || text.contains("<b ") {
        return Err(answer.violation("messages that are escaped", "markup of a message in the page"));
    }
    let wrong = expected.iter().zip(&shown).find(|(expected, shown)| expected != shown);
    if let Some(((id, message), (shown_id, shown))) = wrong {
        return Err(answer.violation(
            format!("the row {id} {message:?} in its place"),
            format!("the row {shown_id} {shown:?}"),
        ));
    }
    if shown.len() != expected.len() {
        return Err(answer.violation(format!("{} rows", expected.len()), format!("{} rows", shown.len())));
    }
    Ok(())
}

/// The rows of a table: `<tr><td>1</td><td>text</td></tr>`, with white space between tags as templates like it.
fn rows_of(page: &str) -> Vec<Fortune> {
    let cell = |rest: &str| {
        let (_, after) = rest.split_once("<td>")?;
        let (text, after) = after.split_once("</td>")?;
        Some((unescaped(text.trim()), after.to_owned()))
    };
    let row = |row: &str| {
        let (id, rest) = cell(row)?;
        let (message, _) = cell(&rest)?;
        Some((id.parse().ok()?, message))
    };
    page.split("<tr>").filter_map(row).collect()
}

/// Text from HTML: the five characters that are escaped, by name or by number.
fn unescaped(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some((before, after)) = rest.split_once('&') {
        text.push_str(before);
        let reference = after
            .split_once(';')
            .and_then(|(name, after)| Some((character(name)?, after)));
        if let Some((character, after)) = reference {
            text.push(character);
            rest = after;
        } else {
            text.push('&');
            rest = after;
        }
    }
    text + rest
}

fn character(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => number.parse(),
        };
        return char::from_u32(code.ok()?);
    }
    ["amp", "lt", "gt", "quot", "apos"]
        .iter()
        .zip(['&', '<', '>', '"', '\''])
        .find_map(|(known, character)| (*known == name).then_some(character))
}

/// A new order with different products, sorted.
fn random_order(rng: &mut ChaCha8Rng) -> String {
    let customer = random(rng, 500);
    let first = random(rng, 300);
    let lines = (0..3).map(|line| {
        let (product, quantity) = (first + 300 * line, random(rng, 9));
        format!("{{\"product\":{product},\"quantity\":{quantity}}}")
    });
    let lines: Vec<String> = lines.collect();
    format!("{{\"customer\":{customer},\"lines\":[{}]}}", lines.join(","))
}

fn random(rng: &mut ChaCha8Rng, most: u32) -> i32 {
    i32::try_from(1 + rng.next_u32() % most).unwrap_or(1)
}

fn new_order(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let of_load = input.body_of_load().map(str::to_owned);
    let body = of_load.unwrap_or_else(|| random_order(&mut input.rng));
    let order: NewOrder = serde_json::from_str(&body).map_err(|error| Violation::unjudged("POST /orders", error))?;
    let lines = pairs(&order.lines);
    let answer = ask(client, input, (Method::Post, "/orders", &body), || {
        Demand::of_request(Method::Post, "/orders", 1, lines.len() as u64, 0)
    })?;
    let OrderId { id } = json(&answer)?;
    let kept = told(&answer, database(client)?.order(id))?;
    let Some(kept) = kept else {
        return Err(answer.violation("an order in the database", format!("no order {id}")));
    };
    if (kept.customer, &kept.lines) != (order.customer, &lines) {
        return Err(answer.violation("the order as it was sent", format!("in the database, {kept:?}")));
    }
    let writers = told(&answer, database(client)?.writers_of_order(id))?;
    one_transaction(&answer, writers)
}

/// Products with their quantities, as the database has them.
fn pairs(lines: &[Line]) -> Vec<(i32, i32)> {
    lines.iter().map(|line| (line.product, line.quantity)).collect()
}

/// Whether all that an answer wrote was written by one transaction, which the database notes in every row.
fn one_transaction(answer: &Answer, writers: i64) -> Result<(), Violation> {
    if writers == 1 {
        return Ok(());
    }
    Err(answer.violation("all rows written in one transaction", format!("{writers} transactions")))
}

/// A product that is named twice is refused, and nothing of its order stays behind.
fn conflict(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let product = random(&mut input.rng, 1000);
    let body = format!(
        "{{\"customer\":1,\"lines\":[{{\"product\":{product},\"quantity\":1}},{{\"product\":{product},\"quantity\":2}}]}}"
    );
    let count = || {
        database(client)?
            .orders()
            .map_err(|error| Violation::unjudged("POST /orders", error))
    };
    let before = count()?;
    let answer = client.post("/orders", &body)?;
    answer.expect_status(409)?;
    let after = count()?;
    if before != after {
        return Err(answer.violation(
            "nothing of a refused order in the database",
            format!("{} orders and {} lines more", after.0 - before.0, after.1 - before.1),
        ));
    }
    Ok(())
}

fn order(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let of_load = input
        .path_of_load()
        .and_then(|path| path.strip_prefix(AN_ORDER)?.parse().ok());
    let id = of_load.unwrap_or_else(|| random(&mut input.rng, ORDERS));
    let path = format!("/orders/{id}");
    let answer = ask(client, input, (Method::Get, &path, ""), || {
        Demand::of_request(Method::Get, &path, 1, 0, 0)
    })?;
    let order: Order = json(&answer)?;
    let kept = told(&answer, database(client)?.order(id))?;
    let answered = crate::database::Order {
        customer: order.customer,
        lines: pairs(&order.lines),
    };
    if order.id != id || kept.as_ref() != Some(&answered) {
        return Err(answer.violation(
            format!("the order {id} as it is in the database, {kept:?}"),
            format!("{order:?}"),
        ));
    }
    if input.is_witness() {
        return Ok(());
    }
    client.get(&format!("/orders/{NO_ORDER}"))?.expect_status(404)
}

fn updates(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let random = 1 + input.rng.next_u32() % 20;
    let requests = [("/updates?n=5".to_owned(), 5), (format!("/updates?n={random}"), random)];
    for (path, n) in of_load(input).map_or(requests.to_vec(), |asked| vec![asked]) {
        changed_beneath(client, &format!("POST {path}"), input)?;
        let answer = ask(client, input, (Method::Post, &path, ""), || {
            Demand::of_request(Method::Post, "/updates", n.into(), 0, 0)
        })?;
        let worlds: Vec<World> = json(&answer)?;
        if worlds.len() != n as usize || !worlds.is_sorted_by(|one, next| one.id < next.id) {
            return Err(answer.violation(format!("{n} different rows in ascending order"), answer.quoted()));
        }
        // Beside a load, others may have written the same rows again.
        if !input.is_witness() {
            true_rows(client, &answer, &worlds)?;
            let ids: Vec<i32> = worlds.iter().map(|world| world.id).collect();
            one_transaction(&answer, told(&answer, database(client)?.writers_of_worlds(&ids))?)?;
        }
    }
    Ok(())
}

/// Numbers of rows that nobody may ask for.
fn counts(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let above = MOST_ROWS + 1 + input.rng.next_u32() % 1000;
    for n in [
        "0".to_owned(),
        above.to_string(),
        "-1".into(),
        "abc".into(),
        String::new(),
    ] {
        client.get(&format!("/queries?n={n}"))?.expect_status(400)?;
        client.post_nothing(&format!("/updates?n={n}"))?.expect_status(400)?;
    }
    Ok(())
}

fn bodies(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let broken = format!("{{\"customer\":{}", input.rng.next_u32() % 1000);
    for body in [broken.as_str(), "{\"customer\":1}", "{}", "[]", ""] {
        refused(&client.post("/orders", body)?)?;
    }
    Ok(())
}

fn paths(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    client
        .get(&format!("/no-such-{:08x}", input.rng.next_u32()))?
        .expect_status(404)?;
    refused(&client.get("/orders")?)?;
    refused(&client.get("/orders/abc")?)?;
    refused(&client.post("/db", "{}")?)
}

/// What a refusal says is proven of the server that works alone.
fn refused(answer: &Answer) -> Result<(), Violation> {
    if (400..500).contains(&answer.status) {
        return Ok(());
    }
    Err(answer.violation("a status 4xx", format!("status {}, {}", answer.status, answer.quoted())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_read_however_it_is_escaped() {
        let page = "<table><tr><th>id</th><th>message</th></tr>\n<tr>\n <td> 11</td>\n <td>&lt;b&#62; &#x27;&quot;&amp; &b;</td></tr>";
        assert_eq!(rows_of(page), [(11, "<b> '\"& &b;".to_owned())]);
        assert_eq!(rows_of("<tr><td>x</td><td>y</td></tr>"), []);
    }
}
