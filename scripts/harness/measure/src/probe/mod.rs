//! What breaks: cases on fresh servers, without load. A failed case is a result and no error.
//!
//! Cases of one server are made side by side, because most of them wait. One that fails is made again, alone, on fresh servers, before it is
//! said: only what happens each time is a fault.

mod allowed;
mod answers;
mod case;
mod talk;

pub use case::Case;
use record::probe::{Level, ProbeOutcome, Probed};
use record::scenario::Protocol;

use crate::build::BuiltApp;
use crate::failure::Failure;
use crate::interrupt;
use crate::machine::cpus::Split;
use crate::program::Program;
use crate::server::{Launch, Server};
use crate::side_by_side::side_by_side;
use talk::Talk;

/// Cases that run side by side.
const BESIDE: [(); 8] = [(); 8];
/// How often a failed case is made again, each time on a fresh server.
const CONFIRMED_BY: usize = 3;
/// Bytes of an exchange that are kept, of each side.
const KEPT: usize = 2048;

/// What one attempt has shown.
struct Attempt {
    passed: bool,
    got: String,
    received: String,
    milliseconds: f64,
}

/// Runs `cases` on an app. The error is that its server could not be probed at all.
pub fn probe(subject: &BuiltApp, program: &Program, cases: &[Case], split: &Split) -> Result<Vec<Probed>, Failure> {
    let start = || Server::start(Launch::Program(program), &split.server, Protocol::Http1);
    let server = start()?;
    let address = server.address();
    let first = side_by_side(&BESIDE, cases, |(), case| {
        interrupt::check()?;
        Ok::<_, Failure>(judged(case, talk::talk(address, case)))
    })?;
    drop(server);
    let all: Vec<(&Case, Attempt)> = cases.iter().zip(first).collect();
    let again: Vec<&Case> = all
        .iter()
        .filter(|(_, first)| !first.passed)
        .map(|(case, _)| *case)
        .collect();
    let mut confirmed = side_by_side(&BESIDE, &again, |(), case| {
        let attempts = (0..CONFIRMED_BY).map(|_| alone(start()?, case));
        attempts.collect::<Result<Vec<Attempt>, Failure>>()
    })?
    .into_iter();
    let outcomes = all.into_iter().map(|(case, first)| {
        let attempts = if first.passed { None } else { confirmed.next() };
        sum_up(subject, case, attempts.unwrap_or_else(|| vec![first]))
    });
    Ok(outcomes.collect())
}

/// One attempt on a server that nobody else asks, and that must answer an ordinary request afterwards.
fn alone(server: Server, case: &Case) -> Result<Attempt, Failure> {
    interrupt::check()?;
    let mut attempt = judged(case, talk::talk(server.address(), case));
    if let Err(reason) = still_answers(server) {
        attempt.passed = false;
        attempt.got = format!("{}; {reason}", attempt.got);
    }
    Ok(attempt)
}

/// Holds what came against what the case allows.
fn judged(case: &Case, talk: std::io::Result<Talk>) -> Attempt {
    let talk = match talk {
        Ok(talk) => talk,
        Err(error) => {
            return Attempt {
                passed: false,
                got: format!("no connection: {error}"),
                received: String::new(),
                milliseconds: 0.0,
            };
        }
    };
    let answers = &talk.heard.answers;
    let mut got = talk.heard.to_string();
    let mut passed = case.allowed().iter().any(|allowed| allowed.is(&talk.heard));
    if case.level == Level::May && !passed {
        // Nothing is demanded but to stay in one piece.
        passed = !talk.heard.is_other && answers.iter().all(|answer| answer.status < 500);
    }
    let first = answers.iter().find(|answer| answer.status >= 200);
    if let (Some(wanted), Some(answer)) = (&case.body, first)
        && answer.status == 200
        && answer.body != wanted.as_bytes()
    {
        passed = false;
        got.push_str(", with another body");
    }
    if let (Some(field), Some(answer)) = (&case.field_of, first)
        && answer.status == field.status
        && !answer.fields.contains(&field.name)
    {
        passed = false;
        got += ", without ";
        got += &field.name;
    }
    Attempt {
        passed,
        got,
        received: escaped(&talk.received),
        milliseconds: talk.took.as_secs_f64() * 1e3,
    }
}

/// Whether a server that was treated like this answers an ordinary request.
fn still_answers(mut server: Server) -> Result<(), String> {
    let asked = server.client().map_err(|error| error.to_string())?.get("/");
    match asked {
        Ok(answer) if answer.status == 200 => Ok(()),
        Ok(answer) => Err(format!("afterwards it answers with status {}", answer.status)),
        Err(violation) => Err(match server.await_exit_reason() {
            Some(reason) => format!("the server died: {reason}"),
            None => format!("afterwards it does not answer: {}", violation.got),
        }),
    }
}

/// `attempts` are one that passed beside others, or those that were made alone.
fn sum_up(subject: &BuiltApp, case: &Case, mut attempts: Vec<Attempt>) -> Probed {
    let passed = attempts.iter().filter(|attempt| attempt.passed).count();
    let outcome = match passed {
        0 => ProbeOutcome::Failed,
        all if all == attempts.len() => ProbeOutcome::Passed,
        _ => ProbeOutcome::Flickered,
    };
    let shown = match outcome {
        ProbeOutcome::Flickered => attempts.iter().position(|attempt| !attempt.passed),
        _ => None,
    };
    let shown = attempts.swap_remove(shown.unwrap_or(attempts.len() - 1));
    Probed {
        app: subject.app.id.clone(),
        variant: subject.app.variant.clone(),
        case: case.id.clone(),
        outcome,
        got: shown.got,
        sent: escaped(&case.beginning(KEPT + 1)),
        received: shown.received,
        milliseconds: shown.milliseconds,
    }
}

/// Bytes as text that is safe to show and can be read back: `\r\n` as such, others that are not printable as `\x00`.
fn escaped(bytes: &[u8]) -> String {
    let mut text: String = bytes
        .iter()
        .take(KEPT)
        .flat_map(|byte| byte.escape_ascii())
        .map(char::from)
        .collect();
    if bytes.len() > KEPT {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests;
