//! What waits for seconds, or for a database.

mod behaviours;
mod database;

use faulty::plain::Fault;
use machine::cpus::Split;
use model::Verdict;
use model::scenario::Protocol;
use servers::server::{Launch, Server};

use crate::{Programs, verdict};

#[test]
fn a_server_that_never_answers_breaks_the_contract() {
    let (programs, split) = (Programs::new(), Split::of_this_machine().unwrap());
    let program = programs.with("", Fault::Silent);
    let started = Server::start(Launch::alone(&program), &split.server, Protocol::Http1);
    assert_eq!(
        verdict(started.map(drop)),
        (Verdict::ContractFailed, "no answer within 10 s of its start".to_owned())
    );
}
