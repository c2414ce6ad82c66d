//! What befalls the database behind a server, and what the server makes of it.

use std::net::SocketAddr;
use std::thread::sleep;
use std::time::{Duration, Instant};

use record::Verdict;
use record::probe::ProbeFigure;

use super::Act;
use super::asked::{answered, p99};
use super::load::{Load, Seen};
use crate::database::{Database, DatabaseError};
use crate::failure::Failure;
use crate::interrupt;
use crate::probe::{Attempt, Place};
use crate::server::Server;

/// All cases of servers with a database.
pub const ACTS: &[(&str, Act)] = &[
    ("database-stops", stops),
    ("database-crashes", crashes),
    ("database-full", full),
    ("database-client-leaves", client_leaves),
    ("database-locked", locked),
];

/// Connections that ask one row after the other.
const CONNECTIONS: usize = 16;
/// What was asked just before the database ended may still be answered in this time.
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

/// A fresh server and its database, filled.
fn begin<'a>(place: &Place<'a>) -> Result<(Server, &'a Database), Failure> {
    let missing = || Failure::Verdict(Verdict::EnvironmentFailed, "there is no PostgreSQL here".to_owned());
    let database = place.database.ok_or_else(missing)?;
    database.refill()?;
    Ok((place.start()?, database))
}

fn stops(place: &Place<'_>) -> Result<Attempt, Failure> {
    let (mut server, database) = begin(place)?;
    let mut rows = Rows::ask(server.address());
    database.stop()?;
    rows.lasting(UNDER_WAY);
    let meanwhile = rows.lasting(AWAY);
    database.start_again()?;
    let mut attempt = rows.as_before(&meanwhile);
    if !meanwhile.took.is_empty() {
        let invented = meanwhile.took.len();
        attempt = Attempt::new(
            false,
            format!("without a database it answered {invented} with status 200"),
        );
    }
    interrupt::check()?;
    Ok(attempt.and_still_answers(&mut server))
}

fn crashes(place: &Place<'_>) -> Result<Attempt, Failure> {
    let (mut server, database) = begin(place)?;
    let mut rows = Rows::ask(server.address());
    let lock = database.lock("world")?;
    rows.lasting(UNDER_WAY);
    within(SETTLING, || Ok(database.waiting()? > 0))?;
    database.crash()?;
    drop(lock); // it went with the crash
    let meanwhile = rows.load.finish(SETTLING);
    let silent = rows.load.under_way();
    let mut attempt = rows.as_before(&meanwhile);
    if silent > 0 {
        attempt = Attempt::new(false, unanswered(silent, CONNECTIONS));
    }
    interrupt::check()?;
    Ok(attempt.and_still_answers(&mut server))
}

fn full(place: &Place<'_>) -> Result<Attempt, Failure> {
    let (mut server, database) = begin(place)?;
    let mut rows = Rows::ask(server.address());
    database.limit_connections(Some(1))?;
    let meanwhile = rows.lasting(SHORT);
    database.limit_connections(None)?;
    let attempt = rows.as_before(&meanwhile);
    interrupt::check()?;
    Ok(attempt.and_still_answers(&mut server))
}

fn client_leaves(place: &Place<'_>) -> Result<Attempt, Failure> {
    let (mut server, database) = begin(place)?;
    let (before, _) = database.orders()?;
    // The order is written, its lines wait.
    let lock = database.lock("order_line")?;
    let mut load = Load::post(server.address(), "/orders", ORDER);
    load.run(CONNECTIONS, None, UNDER_WAY, &|| None);
    within(SETTLING, || Ok(database.waiting()? > 0))?;
    load.forget();
    sleep(UNDER_WAY); // until the server has noticed
    drop(lock);
    let settled = within(SETTLING, || Ok(database.open_transactions()? == 0))?;
    let open = database.open_transactions()?;
    let (after, _) = database.orders()?;
    let torn = database.orders_without_lines()?;
    let kept = after - before;
    let attempt = Attempt::new(
        settled && torn == 0,
        format!(
            "of {CONNECTIONS} orders it kept {kept}, {torn} without lines; afterwards {open} transactions were open"
        ),
    )
    .with(ProbeFigure::Finished, kept as f64);
    interrupt::check()?;
    Ok(attempt.and_still_answers(&mut server))
}

fn locked(place: &Place<'_>) -> Result<Attempt, Failure> {
    let (mut server, database) = begin(place)?;
    let lock = database.lock("orders")?;
    let mut load = Load::post(server.address(), "/orders", ORDER);
    load.run(WRITERS, None, UNDER_WAY, &|| None);
    let (began, mut took, mut unanswered_others) = (Instant::now(), Vec::new(), 0);
    while began.elapsed() < SHORT {
        let asked = Instant::now();
        match answered(server.address(), false) {
            Ok(_) => took.push(asked.elapsed().as_secs_f64() * 1e3),
            Err(_) => unanswered_others += 1,
        }
        sleep(PAUSE);
    }
    drop(lock);
    let afterwards = load.finish(SETTLING);
    let refused = afterwards.server_errors + afterwards.shed + afterwards.broken;
    let silent = load.under_way();
    let mut got = format!(
        "{} other requests were answered and {unanswered_others} were not; of {WRITERS} orders {} were kept, {refused} refused",
        took.len(),
        afterwards.took.len()
    );
    if silent > 0 {
        got = format!("{got}; {}", unanswered(silent, WRITERS));
    }
    let mut attempt = Attempt::new(unanswered_others == 0 && silent == 0, got);
    if let Some(p99) = p99(&took) {
        attempt = attempt.with(ProbeFigure::OthersP99Ms, p99);
    }
    interrupt::check()?;
    Ok(attempt.and_still_answers(&mut server))
}

/// Connections that ask one row after the other, and how many they got before anything happened.
struct Rows {
    load: Load,
    before: usize,
}

impl Rows {
    fn ask(address: SocketAddr) -> Self {
        let mut load = Load::get(address, "/db");
        let mut ask = || load.run(CONNECTIONS, None, WINDOW, &|| None).took.len();
        // The server opens its connections first.
        let began = Instant::now();
        while ask() == 0 && began.elapsed() < SETTLING {}
        let before = ask();
        Self { load, before }
    }

    fn lasting(&mut self, time: Duration) -> Seen {
        self.load.run(CONNECTIONS, None, time, &|| None)
    }

    /// Asks on until everything is answered as before.
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
        let attempt = Attempt::new(
            after.is_some(),
            format!(
                "meanwhile {} were answered with status 200, {} with a status 5xx, and {} connections broke; {end}",
                meanwhile.took.len(),
                meanwhile.server_errors + meanwhile.shed,
                meanwhile.broken
            ),
        );
        match after {
            Some(after) => attempt.with(ProbeFigure::RecoveredAfterMs, after.as_secs_f64() * 1e3),
            None => attempt,
        }
    }
}

fn unanswered(count: usize, of: usize) -> String {
    format!(
        "{count} of {of} requests were not answered within {} s",
        SETTLING.as_secs()
    )
}

/// Whether something comes to be in this time.
fn within(time: Duration, is: impl Fn() -> Result<bool, DatabaseError>) -> Result<bool, Failure> {
    let began = Instant::now();
    while !is()? {
        interrupt::check()?;
        if began.elapsed() > time {
            return Ok(false);
        }
        sleep(PAUSE);
    }
    Ok(true)
}
