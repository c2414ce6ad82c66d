//! What happens when the database behind a server fails, and how the server takes it.

use std::net::SocketAddr;
use std::thread::sleep;
use std::time::{Duration, Instant};

use model::Verdict;
use model::probe::ProbeFigure;
use model::scenario::Protocol;

use super::Act::Alone;
use super::Acts;
use super::load::{Load, Seen};
use crate::probe::client::{Others, becomes, get, p99, post};
use crate::probe::{Attempt, Target};
use machine::interrupt;
use servers::database::Database;
use servers::failure::Failure;

/// All cases of servers with a database.
pub const ACTS: Acts = &[
    ("database-stops", Alone(|target| act(target, stops))),
    ("database-crashes", Alone(|target| act(target, crashes))),
    ("database-full", Alone(|target| act(target, full))),
    ("database-client-leaves", Alone(|target| act(target, client_leaves))),
    ("database-locked", Alone(|target| act(target, locked))),
];

/// Connections that request one row after the other.
const CONNECTIONS: usize = 16;
/// What was requested just before the database ended may still be answered in this time.
const UNDER_WAY: Duration = Duration::from_millis(100);
/// How long the database is away.
const AWAY: Duration = Duration::from_secs(3);
/// How long it is full, or a table locked.
const SHORT: Duration = Duration::from_secs(2);
/// Answers in this time are as before if all are expected, and half as many as in this time before.
const WINDOW: Duration = Duration::from_millis(500);
/// Longest time until they are.
const RECOVERY: Duration = Duration::from_secs(10);
/// Longest time until what waited is answered, or what was begun is at its end.
const SETTLING: Duration = Duration::from_secs(5);
/// Clients that write to a locked table: more than any pool has connections.
const WRITERS: usize = 64;
/// Pause between two looks.
const PAUSE: Duration = Duration::from_millis(50);

/// An order with three lines.
const ORDER: &str = "{\"customer\":1,\"lines\":[{\"product\":1,\"quantity\":1},{\"product\":2,\"quantity\":2},\
                     {\"product\":3,\"quantity\":3}]}";

/// A case on a fresh server and its database, filled. The server must answer afterwards.
fn act(target: &Target<'_>, case: fn(SocketAddr, &Database) -> Result<Attempt, Failure>) -> Result<Attempt, Failure> {
    let missing = || Failure::Verdict(Verdict::EnvironmentFailed, "there is no PostgreSQL here".to_owned());
    let database = target.database.ok_or_else(missing)?;
    database.refill()?;
    let mut server = target.start()?;
    let attempt = case(server.address, database)?;
    interrupt::check()?;
    Ok(attempt.and_still_answers(&mut server, target.ordinary))
}

fn stops(server: SocketAddr, database: &Database) -> Result<Attempt, Failure> {
    let mut rows = Rows::begin(server);
    database.stop()?;
    rows.lasting(UNDER_WAY);
    let meanwhile = rows.lasting(AWAY);
    database.start_again()?;
    if meanwhile.took.is_empty() {
        return Ok(rows.as_before(&meanwhile));
    }
    let invented = meanwhile.took.len();
    Ok(Attempt::new(
        false,
        format!("without a database it answered {invented} with status 200"),
    ))
}

fn crashes(server: SocketAddr, database: &Database) -> Result<Attempt, Failure> {
    let mut rows = Rows::begin(server);
    let lock = database.lock("world")?;
    rows.lasting(UNDER_WAY);
    if !comes_to_be(|| Ok(database.waiting()? > 0))? {
        return Ok(no_query());
    }
    database.crash()?;
    drop(lock); // it went with the crash
    let meanwhile = rows.load.finish(SETTLING);
    Ok(match rows.load.under_way() {
        0 => rows.as_before(&meanwhile),
        silent => Attempt::new(false, unanswered(silent, CONNECTIONS)),
    })
}

fn full(server: SocketAddr, database: &Database) -> Result<Attempt, Failure> {
    let mut rows = Rows::begin(server);
    database.limit_connections(Some(1))?;
    let meanwhile = rows.lasting(SHORT);
    database.limit_connections(None)?;
    Ok(rows.as_before(&meanwhile))
}

fn client_leaves(server: SocketAddr, database: &Database) -> Result<Attempt, Failure> {
    let (before, _) = database.orders()?;
    // The order is written, its lines wait.
    let lock = database.lock("order_line")?;
    let mut load = Load::new(server, post("/orders", ORDER, 0));
    load.run(CONNECTIONS, None, UNDER_WAY, &|| None);
    if !comes_to_be(|| Ok(database.waiting()? > 0))? {
        return Ok(no_query());
    }
    load.forget();
    sleep(UNDER_WAY); // until the server has noticed
    drop(lock);
    let settled = comes_to_be(|| Ok(database.open_transactions()? == 0))?;
    let (after, _) = database.orders()?;
    let (kept, torn) = (after - before, database.orders_without_lines()?);
    let end = if settled {
        "all transactions ended"
    } else {
        "a transaction stayed open"
    };
    Ok(Attempt::new(
        settled && torn == 0,
        format!("{CONNECTIONS} clients left; {kept} orders were kept, {torn} without lines; {end}"),
    )
    .with(ProbeFigure::Finished, kept as f64))
}

fn locked(server: SocketAddr, database: &Database) -> Result<Attempt, Failure> {
    let lock = database.lock("orders")?;
    let mut load = Load::new(server, post("/orders", ORDER, 0));
    load.run(WRITERS, None, UNDER_WAY, &|| None);
    if !comes_to_be(|| Ok(database.waiting()? > 0))? {
        return Ok(no_query());
    }
    let (began, mut others) = (Instant::now(), Others::default());
    while began.elapsed() < SHORT && interrupt::check().is_ok() {
        others.ask(server, Protocol::Http1);
        sleep(PAUSE);
    }
    drop(lock);
    let afterwards = load.finish(SETTLING);
    let refused = afterwards.server_errors + afterwards.shed + afterwards.broken;
    let silent = load.under_way();
    let mut got = format!(
        "{} other requests were answered and {} were not; of {WRITERS} orders {} were kept, {refused} refused",
        others.took.len(),
        others.unanswered,
        afterwards.took.len()
    );
    if silent > 0 {
        got = format!("{got}; {}", unanswered(silent, WRITERS));
    }
    let passed = others.unanswered == 0 && silent == 0;
    Ok(Attempt::new(passed, got).with(ProbeFigure::OthersP99Ms, p99(&others.took)))
}

/// Connections that request one row after the other, and how many they got before anything happened.
struct Rows {
    load: Load,
    before: usize,
}

impl Rows {
    fn begin(address: SocketAddr) -> Self {
        let mut load = Load::new(address, get("/db"));
        let mut answered = || load.run(CONNECTIONS, None, WINDOW, &|| None).took.len();
        // The server opens its connections first.
        let began = Instant::now();
        while answered() == 0 && began.elapsed() < SETTLING {}
        let before = answered();
        Self { load, before }
    }

    fn lasting(&mut self, time: Duration) -> Seen {
        let began = Instant::now();
        let seen = self.load.run(CONNECTIONS, None, time, &|| None);
        // It ends early where every connection is refused or closed.
        sleep(time.saturating_sub(began.elapsed()));
        seen
    }

    /// Goes on until everything is answered as before.
    fn as_before(&mut self, meanwhile: &Seen) -> Attempt {
        if self.before == 0 {
            return Attempt::new(false, "it answered no row before anything happened");
        }
        let (began, mut after) = (Instant::now(), None);
        while began.elapsed() < RECOVERY && after.is_none() && interrupt::check().is_ok() {
            let since = began.elapsed();
            let seen = self.lasting(WINDOW);
            let is_as_before = seen.server_errors + seen.shed + seen.broken == 0 && 2 * seen.took.len() >= self.before;
            after = is_as_before.then_some(since);
        }
        let end = after.map_or_else(
            || format!("it did not answer as before within {} s", RECOVERY.as_secs()),
            |after| format!("it answered as before after {:.1} s", after.as_secs_f64()),
        );
        let got = format!(
            "meanwhile {} were answered with status 200, {} with a status 5xx, and {} connections broke; {end}",
            meanwhile.took.len(),
            meanwhile.server_errors + meanwhile.shed,
            meanwhile.broken
        );
        let after_ms = after.map(|after| after.as_secs_f64() * 1e3);
        Attempt::new(after.is_some(), got).with(ProbeFigure::RecoveredAfterMs, after_ms)
    }
}

fn unanswered(count: usize, of: usize) -> String {
    format!(
        "{count} of {of} requests were not answered within {} s",
        SETTLING.as_secs()
    )
}

/// Without a query under way there is nothing to see.
fn no_query() -> Attempt {
    Attempt::new(
        false,
        format!("it sent its database no query within {} s", SETTLING.as_secs()),
    )
}

/// Whether something comes to be while things settle.
fn comes_to_be(is_so: impl Fn() -> anyhow::Result<bool>) -> Result<bool, Failure> {
    let mut seen = Ok(false);
    becomes(SETTLING, PAUSE, || {
        seen = is_so();
        !matches!(seen, Ok(false))
    });
    Ok(seen?)
}
